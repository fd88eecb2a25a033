/* Schedule-free SGD. See schedule_free_family.h. */
#include "optim/schedule_free_family.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("1"),
    {.key = "momentum",
     .type = PL_REAL,
     .initial = "0.9",
     .range = "(0,1)",
     .help = "how far gradients are taken from z towards the average"},
    SCHEDULE_FREE_SETTINGS,
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct schedule_free *o = optim->self;
    o->momentum = pl_settings_need_real(s, "momentum");
    schedule_free_configure(optim, s);
}

static void update(const void *self, struct pl_chunk *c)
{
    schedule_free_pass(self, c, false);
}

static void spare(void *self)
{
    struct schedule_free *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_schedule_free_sgd) = {
    .info = {"schedule_free_sgd", "SGD that averages in place of a schedule (Defazio and others)",
             PL_SETTINGS(settings), .averages = true},
    .self_size = sizeof(struct schedule_free),
    .configure = configure,
    .spare = spare,
    .begin = schedule_free_begin,
    .update = update,
    .elsewhere = true,
};
