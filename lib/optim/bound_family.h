/* What AdaBound and AMSBound share: Luo et al., "Adaptive gradient methods with dynamic bound of learning rate" (ICLR
 * 2019), as its published class:
 *   g += weight_decay theta;  m, v as in Adam (AMSBound: h = max(h, v) in place of v)
 *   a = lambda sqrt(1 - beta2^t) / (1 - beta1^t) / (sqrt(v) + epsilon), clamped to
 *       [f (1 - 1 / (gamma t + 1)), f (1 + 1 / (gamma t))], f = final_lr lambda / (initial lambda)
 *   theta <- theta - a m */
#ifndef PL_OPTIM_BOUND_FAMILY_H
#define PL_OPTIM_BOUND_FAMILY_H

#include "optim/kernel.h"

#define BOUND_SETTINGS                                                                                                 \
    PL_SETTING_LAMBDA("0.001"), PL_SETTING_BETAS, PL_SETTING_EPSILON("1e-8"),                                          \
        {.key = "final_lambda",                                                                                        \
         .aliases = "final_lr",                                                                                        \
         .type = PL_REAL,                                                                                              \
         .initial = "0.1",                                                                                             \
         .range = "(0,inf)",                                                                                           \
         .help = "learning rate of the SGD that the bounds close in on"},                                              \
        {.key = "gamma",                                                                                               \
         .aliases = "γ",                                                                                               \
         .type = PL_REAL,                                                                                              \
         .initial = "0.001",                                                                                           \
         .range = "(0,1)",                                                                                             \
         .help = "speed at which the bounds close in"},                                                                \
        PL_SETTING_WEIGHT_DECAY("0", PL_EITHER), PL_SETTING_DECOUPLE_LATE

struct bound {
    double beta1, beta2, epsilon, final_lambda, gamma, weight_decay;
    bool amsbound;
    double rate, low, high; /* of this step */
};

static inline void bound_configure(struct pl_optim *optim, const struct pl_settings *s, bool amsbound)
{
    struct bound *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->final_lambda = pl_settings_need_real(s, "final_lambda");
    o->gamma = pl_settings_need_real(s, "gamma");
    o->weight_decay = pl_optim_decay(optim, s);
    o->amsbound = amsbound;
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "v", 0);
    if (amsbound)
        pl_optim_want_arena(optim, "h", 0);
}

static inline void bound_begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct bound *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS];
    double final = o->final_lambda * optim->rates[0] / optim->initial_rate;
    o->rate = optim->rates[0] * sqrt(1 - pow(o->beta2, t)) / (1 - pow(o->beta1, t));
    o->low = final * (1 - 1 / (o->gamma * t + 1));
    o->high = final * (1 + 1 / (o->gamma * t));
}

static inline __attribute__((always_inline)) void bound_pass(const struct bound *o, struct pl_chunk *c, bool amsbound)
{
    real *restrict theta = c->theta, *restrict m = c->state[0], *restrict v = c->state[1], *restrict h = c->state[2];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, rest1 = (real)(1 - o->beta1), beta2 = (real)o->beta2;
    const real rest2 = (real)(1 - o->beta2), epsilon = (real)o->epsilon, decay = (real)o->weight_decay;
    const real rate = (real)o->rate, low = (real)o->low, high = (real)o->high;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        m[i] = beta1 * m[i] + rest1 * g;
        v[i] = beta2 * v[i] + rest2 * g * g;
        real second = v[i];
        if (amsbound)
            second = h[i] = v[i] < h[i] ? h[i] : v[i];
        real a = rate / (real_sqrt(second) + epsilon);
        a = a < low ? low : a;
        a = a > high ? high : a;
        theta[i] -= a * m[i];
    }
}

static inline void bound_update(const void *self, struct pl_chunk *c)
{
    const struct bound *o = self;
    if (o->amsbound)
        bound_pass(o, c, true);
    else
        bound_pass(o, c, false);
}

#endif
