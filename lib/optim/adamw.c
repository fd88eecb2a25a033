/* AdamW. See adam_family.h. */
#include "optim/adam_family.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_BETAS,
    PL_SETTING_EPSILON("1e-8"),
    PL_SETTING_EPSILON_IN("root uncorrected"),
    PL_SETTING_WEIGHT_DECAY("0.01", PL_DECOUPLED),
    PL_SETTING_SWITCH("amsgrad", NULL, "false", "use the largest second moment so far"),
    {.key = "fixed_decay",
     .type = PL_BOOLEAN,
     .initial = "false",
     .help = "scale by 1 - weight_decay, whatever the rate",
     .idle_when = "weight_decay=0",
     .late = true},
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct adam *o = optim->self;
    adam_configure(optim, s, pl_settings_need_boolean(s, "amsgrad"), true);
    o->fixed = pl_settings_need_boolean(s, "fixed_decay");
}

static void spare(void *self)
{
    struct adam *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_adamw) = {
    .info = {"adamw", "Adam with decoupled weight decay (Loshchilov and Hutter)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct adam),
    .configure = configure,
    .spare = spare,
    .begin = adam_begin,
    .update = adam_update,
};
