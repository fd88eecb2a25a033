/* Lion: Chen et al., "Symbolic discovery of optimization algorithms" (NeurIPS 2023).
 *   theta <- theta - lambda sign(beta1 m + (1 - beta1) g);  m <- beta2 m + (1 - beta2) g */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.0001"),
    PL_SETTING_BETAS,
};

struct lion {
    double beta1, beta2, rate;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct lion *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    pl_optim_want_arena(optim, "m", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct lion *o = optim->self;
    o->rate = optim->rates[0];
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct lion *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real rate = (real)o->rate, beta1 = (real)o->beta1, beta2 = (real)o->beta2;
    for (size_t i = 0; i < n; i++) {
        real u = beta1 * m[i] + (1 - beta1) * gradient[i];
        theta[i] -= u > 0 ? rate : u < 0 ? -rate : u * rate;
        m[i] = beta2 * m[i] + (1 - beta2) * gradient[i];
    }
}

const struct pl_optimizer KERNEL(pl_lion) = {
    .info = {"lion", "the sign of a mean of gradients (Chen et al.)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct lion),
    .configure = configure,
    .begin = begin,
    .update = update,
};
