/* RMSProp: Tieleman and Hinton (lecture 6.5, 2012), as torch has it; centered after Graves (arXiv:1308.0850).
 *   g += weight_decay theta;  v <- alpha v + (1 - alpha) g^2
 *   centered: a <- alpha a + (1 - alpha) g, and v - a^2 takes the place of v below
 *   d = g / (sqrt(v) + epsilon);  with momentum: b <- mu b + d, and b takes the place of d
 *   theta <- theta - lambda d
 * epsilon_in root: sqrt(.. + epsilon) in place of sqrt(..) + epsilon. */
#include "optim/kernel.h"

#include <string.h>

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    {.key = "alpha",
     .aliases = "α",
     .type = PL_REAL,
     .initial = "0.99",
     .range = "[0,1)",
     .help = "decay rate of the second moment"},
    PL_SETTING_EPSILON("1e-8"),
    PL_SETTING_EPSILON_IN("root"),
    {.key = "momentum", .type = PL_REAL, .initial = "0", .range = "[0,inf)", .help = "momentum"},
    PL_SETTING_SWITCH("centered", NULL, "false", "subtract the squared mean gradient from the second moment"),
    PL_SETTING_WEIGHT_DECAY("0", PL_EITHER),
    PL_SETTING_DECOUPLE_LATE,
};

struct rmsprop {
    double alpha, epsilon, momentum, weight_decay, rate;
    bool centered, in_root;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct rmsprop *o = optim->self;
    o->alpha = pl_settings_need_real(s, "alpha");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->in_root = !strcmp(pl_settings_need_string(s, "epsilon_in"), "root");
    o->momentum = pl_settings_need_real(s, "momentum");
    o->weight_decay = pl_optim_decay(optim, s);
    o->centered = pl_settings_need_boolean(s, "centered");
    pl_optim_want_arena(optim, "v", 0);
    if (o->momentum != 0)
        pl_optim_want_arena(optim, "momentum", 0);
    if (o->centered)
        pl_optim_want_arena(optim, "mean", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct rmsprop *o = optim->self;
    o->rate = optim->rates[0];
}

static inline __attribute__((always_inline)) void pass(const struct rmsprop *o, struct pl_chunk *c, bool moving,
                                                       bool centered)
{
    real *restrict theta = c->theta, *restrict v = c->state[0], *restrict b = c->state[1];
    real *restrict mean = c->state[moving ? 2 : 1];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real alpha = (real)o->alpha, rest = (real)(1 - o->alpha), epsilon = o->in_root ? 0 : (real)o->epsilon,
               inside = o->in_root ? (real)o->epsilon : 0;
    const real momentum = (real)o->momentum, decay = (real)o->weight_decay, rate = (real)o->rate;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        v[i] = alpha * v[i] + rest * g * g;
        real second = v[i];
        if (centered) {
            mean[i] = alpha * mean[i] + rest * g;
            second -= mean[i] * mean[i];
            second = second < 0 ? 0 : second; /* rounding must not make a NaN of it */
        }
        real direction = g / (real_sqrt(second + inside) + epsilon);
        if (moving)
            direction = b[i] = momentum * b[i] + direction;
        theta[i] -= rate * direction;
    }
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct rmsprop *o = self;
    if (o->momentum != 0 && o->centered)
        pass(o, c, true, true);
    else if (o->momentum != 0)
        pass(o, c, true, false);
    else if (o->centered)
        pass(o, c, false, true);
    else
        pass(o, c, false, false);
}

static void spare(void *self)
{
    struct rmsprop *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_rmsprop) = {
    .info = {"rmsprop", "gradients divided by their running root mean square (Tieleman and Hinton)",
             PL_SETTINGS(settings)},
    .self_size = sizeof(struct rmsprop),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
