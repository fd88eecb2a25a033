/* MSVAG: Balles and Hennig, "Dissecting Adam: the sign, magnitude and variance of stochastic gradients" (ICML 2018),
 * as the class in the AdaBelief repository has it. Both moments decay with beta1, but the second one's bias is
 * corrected with beta2, which inflates it early; kept, because the published results have it.
 *   g += weight_decay theta;  m <- beta1 m + (1 - beta1) g;  v <- beta1 v + (1 - beta1) g^2
 *   M = m / (1 - beta1^t);  V = v / (1 - beta2^t);  rho = (1 - beta1) (1 + beta1^t) / ((1 + beta1) (1 - beta1^t))
 *   gamma = M^2 / (M^2 + rho (V - M^2) / (1 - rho)), 0 where that is 0/0;  theta <- theta - lambda gamma M
 * In the first step rho is 1 and nothing moves. */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_BETAS,
    PL_SETTING_WEIGHT_DECAY("0", PL_EITHER),
    PL_SETTING_DECOUPLE_LATE,
    {.key = "epsilon",
     .aliases = "eps ε",
     .type = PL_REAL,
     .initial = "1e-8",
     .range = "[0,inf)",
     .help = "taken for the sake of the published class, which does not use it",
     .idle_when = "always"},
};

struct msvag {
    double beta1, beta2, weight_decay;
    double rate, inverse1, inverse2, rho; /* of this step */
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct msvag *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->weight_decay = pl_optim_decay(optim, s);
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "v", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct msvag *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS], power1 = pow(o->beta1, t);
    o->rate = optim->rates[0];
    o->inverse1 = 1 / (1 - power1);
    o->inverse2 = 1 / (1 - pow(o->beta2, t));
    o->rho = (1 - o->beta1) / (1 + o->beta1) * (1 + power1) / (1 - power1);
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct msvag *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0], *restrict v = c->state[1];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, rest1 = (real)(1 - o->beta1), decay = (real)o->weight_decay;
    const real rate = (real)o->rate, inverse1 = (real)o->inverse1, inverse2 = (real)o->inverse2;
    const real rho = (real)o->rho, rest = (real)(1 - o->rho);
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        m[i] = beta1 * m[i] + rest1 * g;
        v[i] = beta1 * v[i] + rest1 * g * g;
        real mean = m[i] * inverse1, square = mean * mean;
        real gamma = square / (square + rho * (v[i] * inverse2 - square) / rest);
        gamma = gamma == gamma ? gamma : 0;
        theta[i] -= rate * gamma * mean;
    }
}

static void spare(void *self)
{
    struct msvag *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_msvag) = {
    .info = {"msvag", "momentum SGD with variance adaptation (Balles and Hennig)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct msvag),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
