/* Tiger: Su, "Tiger: a tight-fisted optimizer" (2023).
 *   m <- beta1 m + (1 - beta1) g;  theta <- theta - lambda sign(m) */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_RATE_OF("beta1", NULL, "0.965", "the mean gradient"),
};

struct tiger {
    double beta1, rate;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct tiger *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    pl_optim_want_arena(optim, "m", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct tiger *o = optim->self;
    o->rate = optim->rates[0];
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct tiger *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real rate = (real)o->rate, beta1 = (real)o->beta1;
    for (size_t i = 0; i < n; i++) {
        real u = m[i] = beta1 * m[i] + (1 - beta1) * gradient[i];
        theta[i] -= u > 0 ? rate : u < 0 ? -rate : u * rate;
    }
}

const struct pl_optimizer KERNEL(pl_tiger) = {
    .info = {"tiger", "the sign of the mean gradient (Su)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct tiger),
    .configure = configure,
    .begin = begin,
    .update = update,
};
