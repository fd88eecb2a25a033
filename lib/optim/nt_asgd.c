/* NT-ASGD: Merity, Keskar and Socher, "Regularizing and optimizing LSTM language models" (ICLR 2018). Plain SGD
 * until the validation loss is above the best of all losses but the last n (pl_optim_validated); then a fresh
 * ASGD without decay that averages from its first step:
 *   theta <- theta - e (g + weight_decay theta), e the rate of the step before (its own in the first)
 *   average: theta_1, then theta_2, then the mean of theta_2 .. theta_t, counted from the change */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("30"),
    {.key = "nonmono",
     .type = PL_INTEGER,
     .initial = "5",
     .range = "[1,100000]",
     .help = "newest validation losses set aside in the non-monotone criterion"},
    PL_SETTING_WEIGHT_DECAY("1.2e-6", PL_L2),
};

struct nt_asgd {
    double weight_decay;
    double *eta; /* the rate of ASGD's next step */
    double e, share;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct nt_asgd *o = optim->self;
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->eta = pl_optim_want_notes(optim, "eta", 1);
    optim->trigger = PL_AVERAGE_NONMONO;
    optim->trigger_after = pl_settings_need_integer(s, "nonmono");
    pl_optim_want_arena(optim, "average", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct nt_asgd *o = optim->self;
    o->share = pl_average_weight(optim);
    uint64_t since = optim->counts[PL_COUNT_STEPS] - optim->counts[PL_COUNT_FIRED_AT];
    o->e = o->share > 0 && since > 1 ? *o->eta : optim->rates[0];
    *o->eta = optim->rates[0];
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct nt_asgd *o = self;
    real *restrict theta = c->theta, *restrict average = c->state[0];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real e = (real)o->e, share = (real)o->share, decay = (real)o->weight_decay;
    for (size_t i = 0; i < n; i++)
        theta[i] -= e * (gradient[i] + decay * theta[i]);
    for (size_t i = 0; o->share > 0 && i < n; i++)
        average[i] = o->share == 1 ? theta[i] : average[i] + share * (theta[i] - average[i]);
}

static void spare(void *self)
{
    struct nt_asgd *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_nt_asgd) = {
    .info = {"nt_asgd", "SGD that turns into averaged SGD by AWD-LSTM's non-monotone criterion (Merity and others)",
             PL_SETTINGS(settings), .averages = true},
    .self_size = sizeof(struct nt_asgd),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
    .replaced = true,
};
