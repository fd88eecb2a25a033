/* Schedule-free AdamW. See schedule_free_family.h. */
#include "optim/schedule_free_family.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.0025"),
    {.key = "beta1",
     .type = PL_REAL,
     .initial = "0.9",
     .range = "(0,1)",
     .help = "how far gradients are taken from z towards the average"},
    PL_SETTING_RATE_OF("beta2", NULL, "0.999", "the second moment"),
    PL_SETTING_EPSILON("1e-8"),
    SCHEDULE_FREE_SETTINGS,
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct schedule_free *o = optim->self;
    o->momentum = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    schedule_free_configure(optim, s);
    pl_optim_want_arena(optim, "v", 0);
}

static void update(const void *self, struct pl_chunk *c)
{
    schedule_free_pass(self, c, true);
}

static void spare(void *self)
{
    struct schedule_free *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_schedule_free_adamw) = {
    .info = {"schedule_free_adamw", "AdamW that averages in place of a schedule (Defazio and others)",
             PL_SETTINGS(settings), .averages = true},
    .self_size = sizeof(struct schedule_free),
    .configure = configure,
    .spare = spare,
    .begin = schedule_free_begin,
    .update = update,
    .elsewhere = true,
};
