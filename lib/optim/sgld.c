/* SGLD: Welling and Teh, "Bayesian learning via stochastic gradient Langevin dynamics" (ICML 2011).
 *   theta <- theta - lambda (g + weight_decay theta) + sqrt(2 lambda / beta) xi */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.1"),
    PL_SETTING_BETA("1e10"),
    PL_SETTING_WEIGHT_DECAY("0", PL_L2),
};

struct sgld {
    double beta, weight_decay, rate, sigma;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct sgld *o = optim->self;
    o->beta = pl_settings_need_real(s, "beta");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct sgld *o = optim->self;
    o->rate = optim->rates[0];
    o->sigma = sqrt(2 * o->rate / o->beta);
    optim->noisy = o->sigma > 0;
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct sgld *o = self;
    real *restrict theta = c->theta;
    const real *restrict gradient = c->gradient, *restrict xi = c->xi;
    const size_t n = c->count;
    const real rate = (real)o->rate, sigma = (real)o->sigma, decay = (real)o->weight_decay;
    for (size_t i = 0; i < n; i++)
        theta[i] -= rate * (gradient[i] + decay * theta[i]);
    for (size_t i = 0; xi && i < n; i++)
        theta[i] += sigma * xi[i];
}

static void spare(void *self)
{
    struct sgld *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_sgld) = {
    .info = {"sgld", "stochastic gradient Langevin dynamics (Welling and Teh)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct sgld),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
    .chains = true,
};
