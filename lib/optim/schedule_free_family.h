/* What the two schedule-free methods share: Defazio et al., "The road less scheduled" (NeurIPS 2024, arXiv:2405.15682),
 * as the class published with it. Gradients are taken at y, which is theta; x, which is the average, is what is
 * evaluated. Before the first step x = y = z, M = S = 0; B is momentum (or beta1). a = lambda min(1, t / warmup_steps);
 * M <- max(M, a) q = t^step_power M^rate_power;  S <- S + q;  c = q / S z <- z - a h;  x <- (1 - c) x + c z;  y <- (1 -
 * B) z + B x with h = g + weight_decay y, or g / (sqrt(v / (1 - beta2^t)) + epsilon) + weight_decay y and Adam's v. */
#ifndef PL_OPTIM_SCHEDULE_FREE_FAMILY_H
#define PL_OPTIM_SCHEDULE_FREE_FAMILY_H

#include "optim/kernel.h"

#define SCHEDULE_FREE_SETTINGS                                                                                         \
    PL_SETTING_WEIGHT_DECAY("0", "decay at y: weight_decay * theta is added to the direction"),                        \
        {.key = "warmup_steps",                                                                                        \
         .type = PL_INTEGER,                                                                                           \
         .initial = "0",                                                                                               \
         .range = "[0,1000000000000]",                                                                                 \
         .help = "steps in which the rate rises to lambda"},                                                           \
        {.key = "step_power",                                                                                          \
         .aliases = "r",                                                                                               \
         .type = PL_REAL,                                                                                              \
         .initial = "0",                                                                                               \
         .range = "[0,100]",                                                                                           \
         .help = "power of the step number in an iterate's weight"},                                                   \
    {                                                                                                                  \
        .key = "rate_power", .aliases = "weight_lr_power", .type = PL_REAL, .initial = "2", .range = "[0,100]",        \
        .help = "power of the largest rate so far in an iterate's weight"                                              \
    }

struct schedule_free {
    double momentum, beta2, epsilon, weight_decay, warmup_steps, step_power, rate_power;
    double *largest, *total;          /* M and S */
    bool first;                       /* of this step */
    double rate, share, inverse_root; /* a, c, 1 / sqrt(1 - beta2^t) */
};

static inline void schedule_free_configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct schedule_free *o = optim->self;
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->warmup_steps = (double)pl_settings_need_integer(s, "warmup_steps");
    o->step_power = pl_settings_need_real(s, "step_power");
    o->rate_power = pl_settings_need_real(s, "rate_power");
    pl_optim_want_arena(optim, "z", 0);
    pl_optim_want_arena(optim, "average", 0);
    o->largest = pl_optim_want_notes(optim, "largest_rate", 1);
    o->total = pl_optim_want_notes(optim, "weights", 1);
}

static inline void schedule_free_begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct schedule_free *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS];
    o->first = t == 1;
    o->rate = optim->rates[0] * (t < o->warmup_steps ? t / o->warmup_steps : 1);
    *o->largest = fmax(*o->largest, o->rate);
    double weight = pow(t, o->step_power) * pow(*o->largest, o->rate_power);
    *o->total += weight;
    o->share = *o->total > 0 ? weight / *o->total : 0;
    o->inverse_root = 1 / sqrt(1 - pow(o->beta2, t));
}

static inline __attribute__((always_inline)) void schedule_free_pass(const struct schedule_free *o, struct pl_chunk *c,
                                                                     bool adam)
{
    real *restrict y = c->theta, *restrict z = c->state[0], *restrict x = c->state[1], *restrict v = c->state[2];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real beta2 = (real)o->beta2, rest2 = (real)(1 - o->beta2), epsilon = (real)o->epsilon;
    const real inverse_root = (real)o->inverse_root, decay = (real)o->weight_decay, rate = (real)o->rate;
    const real share = (real)o->share, hold = (real)(1 - o->share), old = (real)o->momentum;
    const real new = (real)(1 - o->momentum);
    for (size_t i = 0; o->first && i < n; i++)
        z[i] = x[i] = y[i];
    for (size_t i = 0; i < n; i++) {
        real direction = gradient[i];
        if (adam) {
            v[i] = beta2 * v[i] + rest2 * direction * direction;
            direction = direction / (real_sqrt(v[i]) * inverse_root + epsilon);
        }
        z[i] -= rate * (direction + decay * y[i]);
        x[i] = hold * x[i] + share * z[i];
        y[i] = new *z[i] + old *x[i];
    }
}

#endif
