/* Signum: Bernstein et al., "signSGD: compressed optimisation for non-convex problems" (ICML 2018, arXiv:1802.04434).
 *   m <- momentum m + (1 - momentum) g;  theta <- theta - lambda sign(m)
 * after either kind of weight decay; without momentum it is signSGD. */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_RATE_OF("momentum", NULL, "0.9", "the mean gradient"),
    PL_SETTING_WEIGHT_DECAY("0", PL_EITHER),
    PL_SETTING_DECOUPLE("true"),
};

struct signum {
    double momentum, weight_decay;
    bool decouple;
    double rate, keep; /* of this step */
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct signum *o = optim->self;
    o->momentum = pl_settings_need_real(s, "momentum");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->decouple = pl_settings_need_boolean(s, "decouple");
    if (o->momentum != 0)
        pl_optim_want_arena(optim, "m", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct signum *o = optim->self;
    o->rate = optim->rates[0];
    o->keep = o->decouple ? 1 - o->rate * o->weight_decay : 1;
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct signum *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real momentum = (real)o->momentum, rest = (real)(1 - o->momentum), rate = (real)o->rate;
    const real keep = (real)o->keep, decay = o->decouple ? 0 : (real)o->weight_decay;
    if (o->momentum == 0)
        for (size_t i = 0; i < n; i++)
            theta[i] = keep * theta[i] - rate * sign_of(gradient[i] + decay * theta[i]);
    else
        for (size_t i = 0; i < n; i++) {
            m[i] = momentum * m[i] + rest * (gradient[i] + decay * theta[i]);
            theta[i] = keep * theta[i] - rate * sign_of(m[i]);
        }
}

static void spare(void *self)
{
    struct signum *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_signum) = {
    .info = {"signum", "the sign of the mean gradient, or of the gradient (Bernstein and others)",
             PL_SETTINGS(settings)},
    .self_size = sizeof(struct signum),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
