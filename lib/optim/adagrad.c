/* AdaGrad: Duchi, Hazan and Singer (JMLR 2011), as torch has it.
 *   g += weight_decay theta;  G <- G + g^2
 *   theta <- theta - lambda / (1 + (t - 1) rate_decay) g / (sqrt(G) + epsilon)
 * epsilon_in root: sqrt(.. + epsilon) in place of sqrt(..) + epsilon. */
#include "optim/kernel.h"

#include <string.h>

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    {.key = "rate_decay",
     .aliases = "lr_decay",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,inf)",
     .help = "decay of the learning rate per step"},
    PL_SETTING_EPSILON("1e-10"),
    PL_SETTING_EPSILON_IN("root"),
    {.key = "initial_accumulator",
     .aliases = "initial_accumulator_value",
     .type = PL_REAL,
     .role = PL_STARTS,
     .initial = "0",
     .range = "[0,inf)",
     .help = "initial value of the sum of squares"},
    PL_SETTING_WEIGHT_DECAY("0", PL_EITHER),
    PL_SETTING_DECOUPLE_LATE,
};

struct adagrad {
    double rate_decay, epsilon, weight_decay, rate;
    bool in_root;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct adagrad *o = optim->self;
    o->rate_decay = pl_settings_need_real(s, "rate_decay");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->in_root = !strcmp(pl_settings_need_string(s, "epsilon_in"), "root");
    o->weight_decay = pl_optim_decay(optim, s);
    pl_optim_want_arena(optim, "sum", pl_settings_need_real(s, "initial_accumulator"));
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct adagrad *o = optim->self;
    o->rate = optim->rates[0] / (1 + ((double)optim->counts[PL_COUNT_STEPS] - 1) * o->rate_decay);
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct adagrad *o = self;
    real *restrict theta = c->theta, *restrict sum = c->state[0];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real rate = (real)o->rate, epsilon = o->in_root ? 0 : (real)o->epsilon,
               inside = o->in_root ? (real)o->epsilon : 0, decay = (real)o->weight_decay;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        sum[i] += g * g;
        theta[i] -= rate * g / (real_sqrt(sum[i] + inside) + epsilon);
    }
}

static void spare(void *self)
{
    struct adagrad *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_adagrad) = {
    .info = {"adagrad", "gradients divided by the root of their summed squares (Duchi, Hazan and Singer)",
             PL_SETTINGS(settings)},
    .self_size = sizeof(struct adagrad),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
