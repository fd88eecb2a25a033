/* Prodigy: Mishchenko and Defazio, "Prodigy: an expeditiously adaptive parameter-free learner" (ICML 2024,
 * arXiv:2306.06101). It estimates the distance d from the start to a minimiser; sums run over all tensors, and before
 * the first step d = D = d0 and N = 0. After either kind of weight decay, with a = d lambda K (K = sqrt(c2) / c1 with
 * bias_correction, else 1):
 *   N' = beta3 N + (d / d0) a sum(g (start - theta))
 *   m <- beta1 m + (1 - beta1) d g;  v <- beta2 v + (1 - beta2) d^2 g^2
 *   s <- beta3 s + (d / d0) a g (d in place of a with safeguard_warmup)
 *   where all s are 0 the step ends here, else N <- N'
 *   e = d_coefficient N / sum |s|;  E = max(d, e) while d = d0, else d;  D <- max(D, e);  d <- min(D, growth_rate E)
 *   decouple: theta <- (1 - a weight_decay) theta;  theta <- theta - a m / (sqrt(v) + d epsilon), a with the old d */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    {.key = "lambda",
     .aliases = "lr learning_rate λ",
     .type = PL_REAL,
     .initial = "1",
     .range = "(0,inf)",
     .help = "factor on the rate that is found"},
    PL_SETTING_BETAS,
    {.key = "beta3",
     .type = PL_REAL,
     .initial = "",
     .range = "[0,1)",
     .help = "decay rate of the sums behind the estimate; the root of beta2 where it is left out"},
    PL_SETTING_EPSILON("1e-8"),
    PL_SETTING_WEIGHT_DECAY("0", PL_EITHER),
    PL_SETTING_DECOUPLE("true"),
    PL_SETTING_SWITCH("bias_correction", "use_bias_correction", "false", "correct the rate as Adam does"),
    PL_SETTING_SWITCH("safeguard_warmup", NULL, "false", "keep the rate out of the estimate's denominator"),
    {.key = "d0", .type = PL_REAL, .initial = "1e-6", .range = "(0,inf)", .help = "first estimate of the distance"},
    {.key = "d_coefficient",
     .aliases = "d_coef",
     .type = PL_REAL,
     .initial = "1",
     .range = "(0,inf)",
     .help = "factor on the estimate"},
    {.key = "growth_rate",
     .type = PL_REAL,
     .initial = "inf",
     .range = "[1,inf]",
     .help = "most that the estimate may grow by in a step"},
};

struct prodigy {
    double beta1, beta2, beta3, epsilon, weight_decay, d0, d_coefficient, growth_rate;
    bool decouple, bias_correction, safeguard_warmup;
    double *d, *most, *numerator, *steps; /* the last: those that moved theta */
    bool first, moves;                    /* of this step */
    double scale, gain, rate, floor, keep;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct prodigy *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->beta3 = pl_settings_real(s, "beta3", sqrt(o->beta2));
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->d0 = pl_settings_need_real(s, "d0");
    o->d_coefficient = pl_settings_need_real(s, "d_coefficient");
    o->growth_rate = pl_settings_need_real(s, "growth_rate");
    o->decouple = pl_settings_need_boolean(s, "decouple");
    o->bias_correction = pl_settings_need_boolean(s, "bias_correction");
    o->safeguard_warmup = pl_settings_need_boolean(s, "safeguard_warmup");
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "v", 0);
    pl_optim_want_arena(optim, "s", 0);
    pl_optim_want_arena(optim, "start", 0);
    o->d = pl_optim_want_notes(optim, "d", 1);
    o->most = pl_optim_want_notes(optim, "d_max", 1);
    o->numerator = pl_optim_want_notes(optim, "numerator", 1);
    o->steps = pl_optim_want_notes(optim, "moves", 1);
    *o->d = *o->most = o->d0;
}

/* Moments and the sums behind the estimate. */
static void measure(const void *self, struct pl_chunk *c)
{
    const struct prodigy *o = self;
    const real *restrict theta = c->theta;
    const real *restrict gradient = c->gradient;
    real *restrict m = c->state[0], *restrict v = c->state[1], *restrict s = c->state[2], *restrict start = c->state[3];
    real g[PL_BLOCK] = {0}, way[PL_BLOCK] = {0};
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, beta2 = (real)o->beta2, beta3 = (real)o->beta3;
    const real take1 = (real)(*o->d * (1 - o->beta1)), take2 = (real)(*o->d * sqrt(1 - o->beta2));
    const real gain = (real)o->gain, decay = o->decouple ? 0 : (real)o->weight_decay;
    for (size_t i = 0; o->first && i < n; i++)
        start[i] = theta[i];
    APART
    for (size_t i = 0; i < n; i++) {
        g[i] = gradient[i] + decay * theta[i];
        way[i] = start[i] - theta[i];
        real scaled = take2 * g[i];
        m[i] = beta1 * m[i] + take1 * g[i];
        v[i] = beta2 * v[i] + scaled * scaled;
        s[i] = beta3 * s[i] + gain * g[i];
    }
    c->sums[0] = KERNEL(pl_dot)(g, way, n);
    for (size_t i = 0; i < n; i++)
        way[i] = sign_of(s[i]);
    c->sums[1] = KERNEL(pl_dot)(s, way, n);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    struct prodigy *o = optim->self;
    double t = *o->steps + 1, old = *o->d, sums[PL_SUMS];
    double correction = o->bias_correction ? sqrt(1 - pow(o->beta2, t)) / (1 - pow(o->beta1, t)) : 1;
    o->first = optim->counts[PL_COUNT_STEPS] == 1;
    o->rate = old * optim->rates[0] * correction;
    o->gain = old / o->d0 * (o->safeguard_warmup ? old : o->rate);
    KERNEL(pl_pass)(optim, arenas, 0, optim->block_count, measure, sums);
    o->moves = sums[1] != 0;
    if (!o->moves)
        return;
    *o->steps = t;
    *o->numerator = o->beta3 * *o->numerator + old / o->d0 * o->rate * sums[0];
    double estimate = o->d_coefficient * *o->numerator / sums[1];
    double grown = old == o->d0 ? fmax(old, estimate) : old;
    *o->most = fmax(*o->most, estimate);
    *o->d = fmin(*o->most, isinf(o->growth_rate) ? INFINITY : grown * o->growth_rate);
    o->floor = *o->d * o->epsilon;
    o->keep = o->decouple ? 1 - o->rate * o->weight_decay : 1;
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct prodigy *o = self;
    real *restrict theta = c->theta;
    const real *restrict m = c->state[0], *restrict v = c->state[1];
    const size_t n = c->count;
    const real rate = (real)o->rate, keep = (real)o->keep, floor = (real)o->floor;
    for (size_t i = 0; o->moves && i < n; i++)
        theta[i] = keep * theta[i] - (m[i] == 0 ? 0 : rate * m[i] / (real_sqrt(v[i]) + floor));
}

static void spare(void *self)
{
    struct prodigy *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_prodigy) = {
    .info = {"prodigy", "Adam that finds its own rate (Mishchenko and Defazio)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct prodigy),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
