/* Adan: Xie et al., "Adan: adaptive Nesterov momentum algorithm for faster optimizing deep models" (arXiv:2208.06677).
 * The betas are weights of the old values; q = g less the gradient before (0 in the first step):
 *   m <- beta1 m + (1 - beta1) g;  d <- beta2 d + (1 - beta2) q;  v <- beta3 v + (1 - beta3) (g + beta2 q)^2
 *   u = (m / (1 - beta1^t) + beta2 d / (1 - beta2^t)) / (sqrt(v / (1 - beta3^t)) + epsilon)
 *   theta <- (theta - lambda u) / (1 + lambda weight_decay), with no_prox (1 - lambda weight_decay) theta - lambda u */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_RATE_OF("beta1", NULL, "0.98", "the mean gradient"),
    PL_SETTING_RATE_OF("beta2", NULL, "0.92", "the mean difference of gradients"),
    PL_SETTING_RATE_OF("beta3", NULL, "0.99", "the second moment"),
    PL_SETTING_EPSILON("1e-8"),
    PL_SETTING_WEIGHT_DECAY("0", "decoupled weight decay: theta is divided by 1 + lambda * weight_decay"),
    {.key = "no_prox",
     .type = PL_BOOLEAN,
     .initial = "false",
     .help = "multiply theta by 1 - lambda * weight_decay instead, and before the step",
     .idle_when = "weight_decay=0"},
};

struct adan {
    double beta1, beta2, beta3, epsilon, weight_decay;
    bool no_prox;
    bool first; /* of this step */
    double keep, rate1, rate2, inverse_root;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct adan *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->beta3 = pl_settings_need_real(s, "beta3");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->no_prox = pl_settings_need_boolean(s, "no_prox");
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "d", 0);
    pl_optim_want_arena(optim, "v", 0);
    pl_optim_want_arena(optim, "before", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct adan *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS], rate = optim->rates[0];
    double shrink = o->no_prox ? 1 : 1 / (1 + rate * o->weight_decay);
    o->first = t == 1;
    o->keep = o->no_prox ? 1 - rate * o->weight_decay : shrink;
    o->rate1 = shrink * rate / (1 - pow(o->beta1, t));
    o->rate2 = shrink * rate * o->beta2 / (1 - pow(o->beta2, t));
    o->inverse_root = 1 / sqrt(1 - pow(o->beta3, t));
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct adan *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0], *restrict d = c->state[1], *restrict v = c->state[2];
    real *restrict before = c->state[3];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, rest1 = (real)(1 - o->beta1), beta2 = (real)o->beta2;
    const real rest2 = (real)(1 - o->beta2), beta3 = (real)o->beta3, rest3 = (real)(1 - o->beta3);
    const real epsilon = (real)o->epsilon, inverse_root = (real)o->inverse_root;
    const real rate1 = (real)o->rate1, rate2 = (real)o->rate2, keep = (real)o->keep;
    for (size_t i = 0; o->first && i < n; i++)
        before[i] = gradient[i];
    APART
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i], q = g - before[i], ahead = g + beta2 * q;
        m[i] = beta1 * m[i] + rest1 * g;
        d[i] = beta2 * d[i] + rest2 * q;
        v[i] = beta3 * v[i] + rest3 * ahead * ahead;
        before[i] = g;
        theta[i] = keep * theta[i] - (rate1 * m[i] + rate2 * d[i]) / (real_sqrt(v[i]) * inverse_root + epsilon);
    }
}

static void spare(void *self)
{
    struct adan *o = self;
    o->rate1 /= o->no_prox ? 1 : o->keep;
    o->rate2 /= o->no_prox ? 1 : o->keep;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_adan) = {
    .info = {"adan", "Adam with Nesterov's momentum, by differences of gradients (Xie and others)",
             PL_SETTINGS(settings)},
    .self_size = sizeof(struct adan),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
