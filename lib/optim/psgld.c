/* pSGLD: Li, Chen, Carlson and Carin, "Preconditioned stochastic gradient Langevin dynamics for deep neural networks"
 * (AAAI 2016), algorithm 1 without the term Gamma, as everyone runs it. After g += weight_decay theta:
 *   v <- alpha v + (1 - alpha) g^2;  D = 1 / (epsilon + sqrt(v));  theta <- theta - lambda D g + sqrt(2 lambda D /
 * beta) xi */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_BETA("1e10"),
    PL_SETTING_RATE_OF("alpha", "α", "0.99", "the second moment"),
    {.key = "epsilon",
     .aliases = "eps ε",
     .type = PL_REAL,
     .initial = "1e-5",
     .range = "(0,inf)",
     .help = "added to the root of the second moment"},
    PL_SETTING_WEIGHT_DECAY("0", PL_L2),
};

struct psgld {
    double beta, alpha, epsilon, weight_decay, rate, sigma;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct psgld *o = optim->self;
    o->beta = pl_settings_need_real(s, "beta");
    o->alpha = pl_settings_need_real(s, "alpha");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    pl_optim_want_arena(optim, "v", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct psgld *o = optim->self;
    o->rate = optim->rates[0];
    o->sigma = sqrt(2 * o->rate / o->beta);
    optim->noisy = o->sigma > 0;
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct psgld *o = self;
    real *restrict theta = c->theta, *restrict v = c->state[0];
    const real *restrict gradient = c->gradient, *restrict xi = c->xi;
    const size_t n = c->count;
    const real alpha = (real)o->alpha, rest = (real)(1 - o->alpha), epsilon = (real)o->epsilon;
    const real rate = (real)o->rate, sigma = (real)o->sigma, decay = (real)o->weight_decay;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        v[i] = alpha * v[i] + rest * g * g;
        theta[i] -= rate * g / (epsilon + real_sqrt(v[i]));
    }
    for (size_t i = 0; xi && i < n; i++)
        theta[i] += sigma * xi[i] / real_sqrt(epsilon + real_sqrt(v[i]));
}

static void spare(void *self)
{
    struct psgld *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_psgld) = {
    .info = {"psgld", "Langevin dynamics preconditioned as RMSProp is (Li, Chen, Carlson and Carin)",
             PL_SETTINGS(settings)},
    .self_size = sizeof(struct psgld),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
    .chains = true,
};
