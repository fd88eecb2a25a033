/* SGHMC: Chen, Fox and Guestrin, "Stochastic gradient Hamiltonian Monte Carlo" (ICML 2014, arXiv:1402.4102), equation
 * 15, with the identity as mass: u <- (1 - friction) u - lambda (g + weight_decay theta) + sqrt(2 (friction -
 * noise_estimate) lambda / beta) xi theta <- theta + u */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.01"),
    PL_SETTING_BETA("1e10"),
    {.key = "friction",
     .type = PL_REAL,
     .initial = "0.1",
     .range = "(0,1]",
     .help = "share of the velocity that a step takes away; 1 is sgld"},
    {.key = "noise_estimate",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1]",
     .help = "noise that gradients have already, at most friction",
     .idle_when = "beta=inf"},
    PL_SETTING_WEIGHT_DECAY("0", PL_L2),
};

struct sghmc {
    double beta, friction, noise_estimate, weight_decay, rate, sigma;
};

static int check(const struct pl_settings *s, struct pl_error *err)
{
    double friction = pl_settings_need_real(s, "friction"), estimate = pl_settings_need_real(s, "noise_estimate");
    return estimate <= friction
               ? 0
               : pl_fail(err, PL_EINPUT, "noise_estimate is %g, but must be at most friction, %g", estimate, friction);
}

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct sghmc *o = optim->self;
    o->beta = pl_settings_need_real(s, "beta");
    o->friction = pl_settings_need_real(s, "friction");
    o->noise_estimate = pl_settings_need_real(s, "noise_estimate");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    pl_optim_want_arena(optim, "u", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct sghmc *o = optim->self;
    o->rate = optim->rates[0];
    o->sigma = sqrt(2 * (o->friction - o->noise_estimate) * o->rate / o->beta);
    optim->noisy = o->sigma > 0;
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct sghmc *o = self;
    real *restrict theta = c->theta, *restrict u = c->state[0];
    const real *restrict gradient = c->gradient, *restrict xi = c->xi;
    const size_t n = c->count;
    const real keep = (real)(1 - o->friction), rate = (real)o->rate, sigma = (real)o->sigma;
    const real decay = (real)o->weight_decay;
    for (size_t i = 0; i < n; i++)
        u[i] = keep * u[i] - rate * (gradient[i] + decay * theta[i]);
    for (size_t i = 0; xi && i < n; i++)
        u[i] += sigma * xi[i];
    for (size_t i = 0; i < n; i++)
        theta[i] += u[i];
}

static void spare(void *self)
{
    struct sghmc *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_sghmc) = {
    .info = {"sghmc", "stochastic gradient Hamiltonian Monte Carlo (Chen, Fox and Guestrin)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct sghmc),
    .check = check,
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
    .chains = true,
};
