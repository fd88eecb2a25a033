/* AMSBound. See bound_family.h. */
#include "optim/bound_family.h"

static const struct pl_setting settings[] = {BOUND_SETTINGS};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    bound_configure(optim, s, true);
}

static void spare(void *self)
{
    struct bound *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_amsbound) = {
    .info = {"amsbound", "AMSGrad with a rate clamped between closing bounds (Luo and others)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct bound),
    .configure = configure,
    .spare = spare,
    .begin = bound_begin,
    .update = bound_update,
};
