/* Adadelta: Zeiler, "ADADELTA: an adaptive learning rate method" (arXiv:1212.5701), as torch has it.
 *   g += weight_decay theta;  v <- rho v + (1 - rho) g^2
 *   d = sqrt(u + epsilon) / sqrt(v + epsilon) g with the old u;  u <- rho u + (1 - rho) d^2;  theta <- theta - lambda d
 */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("1"),
    PL_SETTING_RATE_OF("rho", "ρ", "0.9", "both mean squares"),
    {.key = "epsilon",
     .aliases = "eps ε",
     .type = PL_REAL,
     .initial = "1e-6",
     .range = "[0,inf)",
     .help = "added to both mean squares, within their roots"},
    PL_SETTING_WEIGHT_DECAY("0", PL_EITHER),
    PL_SETTING_DECOUPLE("false"),
};

struct adadelta {
    double rho, epsilon, weight_decay, rate;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct adadelta *o = optim->self;
    o->rho = pl_settings_need_real(s, "rho");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_optim_decay(optim, s);
    pl_optim_want_arena(optim, "v", 0);
    pl_optim_want_arena(optim, "u", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct adadelta *o = optim->self;
    o->rate = optim->rates[0];
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct adadelta *o = self;
    real *restrict theta = c->theta, *restrict v = c->state[0], *restrict u = c->state[1];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real rho = (real)o->rho, rest = (real)(1 - o->rho), epsilon = (real)o->epsilon;
    const real decay = (real)o->weight_decay, rate = (real)o->rate;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        v[i] = rho * v[i] + rest * g * g;
        real d = real_sqrt(u[i] + epsilon) / real_sqrt(v[i] + epsilon) * g;
        u[i] = rho * u[i] + rest * d * d;
        theta[i] -= rate * d;
    }
}

static void spare(void *self)
{
    struct adadelta *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_adadelta) = {
    .info = {"adadelta", "steps in the units of the steps before (Zeiler)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct adadelta),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
