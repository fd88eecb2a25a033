/* Fromage: Bernstein et al., "On the distance between two neural networks and the stability of learning" (NeurIPS
 * 2020). For each tensor:
 *   theta <- (theta - lambda g |theta| / |g|) / sqrt(1 + lambda^2); the factor is 1 where either norm is 0 */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
};

struct fromage {
    double rate, shrink; /* of this tensor and step */
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    (void)optim;
    (void)s;
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct fromage *o = optim->self;
    o->shrink = sqrt(1 + optim->rates[0] * optim->rates[0]);
}

static void measure(const void *self, struct pl_chunk *c)
{
    (void)self;
    c->sums[0] = KERNEL(pl_dot)(c->theta, c->theta, c->count);
    c->sums[1] = KERNEL(pl_dot)(c->gradient, c->gradient, c->count);
}

static void tensor(struct pl_optim *optim, const struct pl_arenas *arenas, size_t index)
{
    struct fromage *o = optim->self;
    double sums[PL_SUMS];
    KERNEL(pl_pass)(optim, arenas, optim->first_block[index], optim->first_block[index + 1], measure, sums);
    double theta = sqrt(sums[0]), gradient = sqrt(sums[1]);
    o->rate = optim->rates[0] * (theta > 0 && gradient > 0 ? theta / gradient : 1);
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct fromage *o = self;
    real *restrict theta = c->theta;
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real rate = (real)o->rate, shrink = (real)o->shrink;
    for (size_t i = 0; i < n; i++)
        theta[i] = (theta[i] - rate * gradient[i]) / shrink;
}

const struct pl_optimizer KERNEL(pl_fromage) = {
    .info = {"fromage", "steps relative to each tensor's norm (Bernstein and others)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct fromage),
    .configure = configure,
    .begin = begin,
    .tensor = tensor,
    .update = update,
};
