/* ADOPT: Taniguchi et al., "ADOPT: modified Adam can converge with any beta2 with the optimal rate" (NeurIPS 2024,
 * arXiv:2411.02853). After either kind of weight decay:
 *   first step: v <- g^2 and nothing else, no decoupled decay either
 *   later: n = g / max(sqrt(v), epsilon) with the old v, clamped to +-(t - 1)^clip_exponent
 *          m <- beta1 m + (1 - beta1) n;  theta <- theta - lambda m;  v <- beta2 v + (1 - beta2) g^2 */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_RATE_OF("beta1", NULL, "0.9", "the first moment"),
    PL_SETTING_RATE_OF("beta2", NULL, "0.9999", "the second moment"),
    {.key = "epsilon",
     .aliases = "eps ε",
     .type = PL_REAL,
     .initial = "1e-6",
     .range = "[0,inf)",
     .help = "smallest denominator"},
    {.key = "clip_exponent",
     .aliases = "clip_exp",
     .type = PL_REAL,
     .initial = "0.25",
     .range = "[0,inf]",
     .help = "power of the step number that bounds a normalised gradient; .inf: nothing does"},
    PL_SETTING_WEIGHT_DECAY("0", PL_EITHER),
    PL_SETTING_DECOUPLE("false"),
};

struct adopt {
    double beta1, beta2, epsilon, clip_exponent, weight_decay;
    bool decouple;
    bool first; /* of this step */
    double rate, keep, limit;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct adopt *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->clip_exponent = pl_settings_need_real(s, "clip_exponent");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->decouple = pl_settings_need_boolean(s, "decouple");
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "v", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct adopt *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS];
    o->first = t == 1;
    o->rate = optim->rates[0];
    o->keep = o->decouple ? 1 - o->rate * o->weight_decay : 1;
    o->limit = isinf(o->clip_exponent) ? INFINITY : pow(t - 1, o->clip_exponent);
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct adopt *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0], *restrict v = c->state[1];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, rest1 = (real)(1 - o->beta1), beta2 = (real)o->beta2;
    const real rest2 = (real)(1 - o->beta2), epsilon = (real)o->epsilon, limit = (real)o->limit;
    const real rate = (real)o->rate, keep = (real)o->keep, decay = o->decouple ? 0 : (real)o->weight_decay;
    for (size_t i = 0; o->first && i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        v[i] = g * g;
    }
    for (size_t i = 0; !o->first && i < n; i++) {
        real g = gradient[i] + decay * theta[i], root = real_sqrt(v[i]);
        real normal = g == 0 ? g : g / (root < epsilon ? epsilon : root);
        normal = normal > limit ? limit : normal < -limit ? -limit : normal;
        m[i] = beta1 * m[i] + rest1 * normal;
        v[i] = beta2 * v[i] + rest2 * g * g;
        theta[i] = keep * theta[i] - rate * m[i];
    }
}

static void spare(void *self)
{
    struct adopt *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_adopt) = {
    .info = {"adopt", "Adam whose second moment is that of the steps before (Taniguchi and others)",
             PL_SETTINGS(settings)},
    .self_size = sizeof(struct adopt),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
