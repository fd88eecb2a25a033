/* Adam. See adam_family.h. */
#include "optim/adam_family.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_BETAS,
    PL_SETTING_EPSILON("1e-8"),
    PL_SETTING_EPSILON_IN("root uncorrected"),
    PL_SETTING_WEIGHT_DECAY("0", PL_L2),
    PL_SETTING_SWITCH("amsgrad", NULL, "false", "use the largest second moment so far"),
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    adam_configure(optim, s, pl_settings_need_boolean(s, "amsgrad"), false);
}

static void spare(void *self)
{
    struct adam *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_adam) = {
    .info = {"adam", "adaptive moment estimation (Kingma and Ba)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct adam),
    .configure = configure,
    .spare = spare,
    .begin = adam_begin,
    .update = adam_update,
};
