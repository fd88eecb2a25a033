/* TUSLA: Lovas, Lytras, Rasonyi and Sabanis, "Taming neural networks with TUSLA" (SIAM J. Math. Data Sci., 2023).
 * With N = |theta|^(2r), G the gradient plus weight_decay * theta:
 *   theta <- theta - lambda (G + eta theta N) / (1 + sqrt(lambda) N) + sqrt(2 lambda / beta) xi */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.1"),
    PL_SETTING_BETA("1e10"),
    {.key = "r",
     .type = PL_REAL,
     .initial = "0.5",
     .range = "[0,1000]",
     .help = "exponent of the taming: it grows like |theta|^(2r)"},
    {.key = "eta",
     .aliases = "η",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,inf)",
     .help = "strength of the regularisation"},
    PL_SETTING_WEIGHT_DECAY("0", PL_L2),
};

struct tusla {
    double beta, r, eta, weight_decay;
    double rate, root, scale, pull, sigma; /* of this step */
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct tusla *o = optim->self;
    o->beta = pl_settings_need_real(s, "beta");
    o->r = pl_settings_need_real(s, "r");
    o->eta = pl_settings_need_real(s, "eta");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    struct tusla *o = optim->self;
    o->rate = optim->rates[0];
    o->root = sqrt(o->rate);
    o->sigma = sqrt(2 * o->rate / o->beta);
    optim->noisy = o->sigma > 0;
    if (!arenas)
        return;
    double n = o->r == 0 ? 1 : pow(KERNEL(pl_norm2)(optim, arenas->theta), o->r);
    o->scale = o->rate / (1 + o->root * n);
    o->pull = o->rate * o->eta / (1 / n + o->root); /* right for n = 0 and for n = inf as well */
}

/* theta after a step without noise. */
static inline real moved(real theta, real g, real scale, real pull, real decay)
{
    return theta - (scale * (g + decay * theta) + pull * theta);
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct tusla *o = self;
    real *restrict theta = c->theta;
    const real *restrict gradient = c->gradient, *restrict xi = c->xi;
    const size_t n = c->count;
    const real scale = (real)o->scale, pull = (real)o->pull, sigma = (real)o->sigma, decay = (real)o->weight_decay;
    for (size_t i = 0; i < n; i++)
        theta[i] = moved(theta[i], gradient[i], scale, pull, decay);
    for (size_t i = 0; xi && i < n; i++)
        theta[i] += sigma * xi[i];
}

static bool chain_power(const void *self, double *r)
{
    const struct tusla *o = self;
    *r = o->r;
    return true;
}

static void chain_update(const void *self, struct pl_chunk *c, const void *powers)
{
    const struct tusla *o = self;
    const real *restrict power = powers;
    real *restrict theta = c->theta;
    const real *restrict gradient = c->gradient, *restrict xi = c->xi;
    const size_t n = c->count;
    const real rate = (real)o->rate, root = (real)o->root, strength = (real)(o->rate * o->eta);
    const real sigma = (real)o->sigma, decay = (real)o->weight_decay;
    for (size_t i = 0; i < n; i++) {
        real scale = rate / (1 + root * power[i]), pull = strength / (1 / power[i] + root);
        theta[i] = moved(theta[i], gradient[i], scale, pull, decay);
    }
    for (size_t i = 0; xi && i < n; i++)
        theta[i] += sigma * xi[i];
}

static void spare(void *self)
{
    struct tusla *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_tusla) = {
    .info = {"tusla", "TUSLA, a tamed Langevin algorithm (Lovas and others)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct tusla),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
    .chains = true,
    .chain_power = chain_power,
    .chain_update = chain_update,
};
