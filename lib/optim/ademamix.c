/* AdEMAMix: Pagliardini, Ablin and Grangier, "The AdEMAMix optimizer: better, faster, older" (ICLR 2025,
 * arXiv:2409.03137). With T = ramp, A = alpha min(1, t / T), and while t < T B = min(beta3, exp(1 / ((1 - t/T) / log
 * beta1 + (t/T) / log beta3)));  A = alpha and B = beta3 otherwise and without T after either kind of weight decay: m
 * <- beta1 m + (1 - beta1) g;  n <- B n + (1 - B) g;  v <- beta2 v + (1 - beta2) g^2 theta <- theta - lambda (m / (1 -
 * beta1^t) + A n) / (sqrt(v / (1 - beta2^t)) + epsilon) */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_BETAS,
    PL_SETTING_RATE_OF("beta3", NULL, "0.9999", "the slow first moment"),
    {.key = "alpha",
     .aliases = "α",
     .type = PL_REAL,
     .initial = "5",
     .range = "[0,inf)",
     .help = "weight of the slow first moment"},
    {.key = "ramp",
     .aliases = "t_alpha_beta3",
     .type = PL_INTEGER,
     .initial = "0",
     .range = "[0,1000000000000]",
     .help = "steps in which alpha rises from 0 and the slow decay rate from beta1, 0: none"},
    PL_SETTING_EPSILON("1e-8"),
    PL_SETTING_WEIGHT_DECAY("0", PL_EITHER),
    PL_SETTING_DECOUPLE("true"),
};

struct ademamix {
    double beta1, beta2, beta3, alpha, epsilon, weight_decay, ramp;
    bool decouple;
    double inverse1, inverse_root, slow, weight, rate, keep; /* of this step */
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct ademamix *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->beta3 = pl_settings_need_real(s, "beta3");
    o->alpha = pl_settings_need_real(s, "alpha");
    o->ramp = (double)pl_settings_need_integer(s, "ramp");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->decouple = pl_settings_need_boolean(s, "decouple");
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "n", 0);
    pl_optim_want_arena(optim, "v", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct ademamix *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS], done = o->ramp > 0 && t < o->ramp ? t / o->ramp : 1;
    o->inverse1 = 1 / (1 - pow(o->beta1, t));
    o->inverse_root = 1 / sqrt(1 - pow(o->beta2, t));
    o->weight = o->alpha * done;
    o->slow = o->beta3;
    if (done < 1)
        o->slow = fmin(o->beta3, exp(1 / ((1 - done) / log(o->beta1) + done / log(o->beta3))));
    o->rate = optim->rates[0];
    o->keep = o->decouple ? 1 - o->rate * o->weight_decay : 1;
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct ademamix *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0], *restrict slow = c->state[1], *restrict v = c->state[2];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, rest1 = (real)(1 - o->beta1), beta2 = (real)o->beta2;
    const real rest2 = (real)(1 - o->beta2), beta3 = (real)o->slow, rest3 = (real)(1 - o->slow);
    const real epsilon = (real)o->epsilon, inverse1 = (real)o->inverse1, inverse_root = (real)o->inverse_root;
    const real weight = (real)o->weight, rate = (real)o->rate, keep = (real)o->keep;
    const real decay = o->decouple ? 0 : (real)o->weight_decay;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        m[i] = beta1 * m[i] + rest1 * g;
        slow[i] = beta3 * slow[i] + rest3 * g;
        v[i] = beta2 * v[i] + rest2 * g * g;
        theta[i] = keep * theta[i] -
                   rate * (m[i] * inverse1 + weight * slow[i]) / (real_sqrt(v[i]) * inverse_root + epsilon);
    }
}

static void spare(void *self)
{
    struct ademamix *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_ademamix) = {
    .info = {"ademamix", "Adam with a second, slower mean gradient (Pagliardini, Ablin and Grangier)",
             PL_SETTINGS(settings)},
    .self_size = sizeof(struct ademamix),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
