/* AdaMax: Kingma and Ba, "Adam" (ICLR 2015), section 7.1, as torch has it.
 *   g += weight_decay theta;  m <- beta1 m + (1 - beta1) g;  n <- max(beta2 n, |g| + epsilon)
 *   theta <- theta - lambda / (1 - beta1^t) m / n */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.002"),
    PL_SETTING_RATE_OF("beta1", NULL, "0.9", "the first moment"),
    PL_SETTING_RATE_OF("beta2", NULL, "0.999", "the largest gradient"),
    {.key = "epsilon",
     .aliases = "eps ε",
     .type = PL_REAL,
     .initial = "1e-8",
     .range = "[0,inf)",
     .help = "added to the gradient's size"},
    PL_SETTING_WEIGHT_DECAY("0", PL_EITHER),
    PL_SETTING_DECOUPLE("false"),
};

struct adamax {
    double beta1, beta2, epsilon, weight_decay;
    double rate; /* lambda / (1 - beta1^t) */
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct adamax *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_optim_decay(optim, s);
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "n", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct adamax *o = optim->self;
    o->rate = optim->rates[0] / (1 - pow(o->beta1, (double)optim->counts[PL_COUNT_STEPS]));
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct adamax *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0], *restrict largest = c->state[1];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, rest1 = (real)(1 - o->beta1), beta2 = (real)o->beta2;
    const real epsilon = (real)o->epsilon, decay = (real)o->weight_decay, rate = (real)o->rate;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i], size = real_abs(g) + epsilon, old = beta2 * largest[i];
        m[i] = beta1 * m[i] + rest1 * g;
        largest[i] = old < size ? size : old;
        theta[i] -= m[i] == 0 ? 0 : rate * m[i] / largest[i];
    }
}

static void spare(void *self)
{
    struct adamax *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_adamax) = {
    .info = {"adamax", "Adam with the largest gradient in place of a second moment (Kingma and Ba)",
             PL_SETTINGS(settings)},
    .self_size = sizeof(struct adamax),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
