/* Lion: Chen et al., "Symbolic discovery of optimization algorithms" (NeurIPS 2023, arXiv:2302.06675).
 *   theta <- (1 - lambda weight_decay) theta - lambda sign(beta1 m + (1 - beta1) g);  m <- beta2 m + (1 - beta2) g */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("1e-4"),
    PL_SETTING_RATE_OF("beta1", NULL, "0.9", "the mean gradient in the step"),
    PL_SETTING_RATE_OF("beta2", NULL, "0.99", "the mean gradient that is kept"),
    PL_SETTING_WEIGHT_DECAY("0", PL_DECOUPLED),
};

struct lion {
    double beta1, beta2, weight_decay;
    double rate, keep; /* of this step */
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct lion *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    pl_optim_want_arena(optim, "m", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct lion *o = optim->self;
    o->rate = optim->rates[0];
    o->keep = 1 - o->rate * o->weight_decay;
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct lion *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, rest1 = (real)(1 - o->beta1), beta2 = (real)o->beta2;
    const real rest2 = (real)(1 - o->beta2), rate = (real)o->rate, keep = (real)o->keep;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i], old = m[i];
        theta[i] = keep * theta[i] - rate * sign_of(beta1 * old + rest1 * g);
        m[i] = beta2 * old + rest2 * g;
    }
}

static void spare(void *self)
{
    struct lion *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_lion) = {
    .info = {"lion", "the sign of a mean of gradients (Chen and others)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct lion),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
