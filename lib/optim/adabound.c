/* AdaBound. See bound_family.h. */
#include "optim/bound_family.h"

static const struct pl_setting settings[] = {
    BOUND_SETTINGS,
    PL_SETTING_SWITCH("amsbound", "amsgrad", "false", "use the largest second moment so far"),
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    bound_configure(optim, s, pl_settings_need_boolean(s, "amsbound"));
}

static void spare(void *self)
{
    struct bound *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_adabound) = {
    .info = {"adabound", "Adam with a rate clamped between closing bounds (Luo and others)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct bound),
    .configure = configure,
    .spare = spare,
    .begin = bound_begin,
    .update = bound_update,
};
