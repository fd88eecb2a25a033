/* Yogi: Zaheer et al., "Adaptive methods for nonconvex optimization" (NeurIPS 2018), as the published PyTorch class:
 *   g += weight_decay theta;  m <- beta1 m + (1 - beta1) g;  v <- v - (1 - beta2) sign(v - g^2) g^2
 *   theta <- theta - lambda / (1 - beta1^t) m / (sqrt(v / (1 - beta2^t)) + epsilon)
 * m and v both start at initial_accumulator. */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_BETAS,
    PL_SETTING_EPSILON("1e-3"),
    {.key = "initial_accumulator",
     .aliases = "initial_accumulator_value",
     .type = PL_REAL,
     .role = PL_STARTS,
     .initial = "1e-6",
     .range = "[0,inf)",
     .help = "initial value of both moments"},
    PL_SETTING_WEIGHT_DECAY("0", PL_EITHER),
    PL_SETTING_DECOUPLE_LATE,
};

struct yogi {
    double beta1, beta2, epsilon, weight_decay;
    double rate, inverse_root;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct yogi *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_optim_decay(optim, s);
    double initial = pl_settings_need_real(s, "initial_accumulator");
    pl_optim_want_arena(optim, "m", initial);
    pl_optim_want_arena(optim, "v", initial);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct yogi *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS];
    o->rate = optim->rates[0] / (1 - pow(o->beta1, t));
    o->inverse_root = 1 / sqrt(1 - pow(o->beta2, t));
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct yogi *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0], *restrict v = c->state[1];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, rest1 = (real)(1 - o->beta1), rest2 = (real)(1 - o->beta2);
    const real epsilon = (real)o->epsilon, decay = (real)o->weight_decay, rate = (real)o->rate;
    const real inverse_root = (real)o->inverse_root;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i], square = g * g;
        m[i] = beta1 * m[i] + rest1 * g;
        real towards = v[i] > square ? -1 : v[i] < square ? 1 : 0;
        v[i] += rest2 * towards * square;
        theta[i] -= rate * m[i] / (real_sqrt(v[i]) * inverse_root + epsilon);
    }
}

static void spare(void *self)
{
    struct yogi *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_yogi) = {
    .info = {"yogi", "Adam with an additive second moment (Zaheer and others)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct yogi),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
