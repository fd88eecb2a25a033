/* NAdam: Dozat, "Incorporating Nesterov momentum into Adam" (ICLR workshop 2016). m and v as in Adam, after either kind
 * of weight decay; D = sqrt(v / (1 - beta2^t)) + epsilon. official (torch): u = beta1 (1 - 0.96^(t momentum_decay) /
 * 2), u' the same with t + 1, P the product of all u so far: theta <- theta - lambda ((1 - u) / (1 - P) g + u' / (1 - P
 * u') m) / D nadamw (AlgoPerf's baseline): the decay is decoupled and theta <- theta - lambda / (1 - beta1^t) (beta1 m
 * + (1 - beta1) g) / D, m the new one */
#include "optim/kernel.h"

#include <string.h>

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.002"),
    PL_SETTING_BETAS,
    PL_SETTING_EPSILON("1e-8"),
    PL_SETTING_WEIGHT_DECAY("0", "L2 regularisation, or decoupled weight decay with decouple and with nadamw"),
    {.key = "decouple",
     .aliases = "weight_decouple decoupled decoupled_weight_decay",
     .type = PL_BOOLEAN,
     .initial = "false",
     .help = "scale theta by 1 - lambda * weight_decay instead of changing the gradient",
     .idle_when = "weight_decay=0 or variant=nadamw"},
    {.key = "momentum_decay",
     .type = PL_REAL,
     .initial = "0.004",
     .range = "[0,inf]",
     .help = "speed at which the momentum rises to beta1; .inf: at once, as in optax",
     .idle_when = "variant=nadamw or beta1=0"},
    {.key = "variant",
     .type = PL_STRING,
     .initial = "official",
     .range = "official nadamw",
     .help = "the rule of torch and keras, or that of NAdamW"},
};

struct nadam {
    double beta1, beta2, epsilon, weight_decay, momentum_decay;
    bool decouple, nadamw;
    double *product;                           /* of the momenta so far, */
    double rate_m, rate_g, inverse_root, keep; /* of this step */
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct nadam *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->momentum_decay = pl_settings_need_real(s, "momentum_decay");
    o->nadamw = !strcmp(pl_settings_need_string(s, "variant"), "nadamw");
    o->decouple = o->nadamw || pl_settings_need_boolean(s, "decouple");
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "v", 0);
    if (o->nadamw)
        return;
    o->product = pl_optim_want_notes(optim, "product", 1);
    *o->product = 1;
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct nadam *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS], rate = optim->rates[0];
    o->inverse_root = 1 / sqrt(1 - pow(o->beta2, t));
    o->keep = o->decouple ? 1 - rate * o->weight_decay : 1;
    if (o->nadamw) {
        double corrected = rate / (1 - pow(o->beta1, t));
        o->rate_m = corrected * o->beta1;
        o->rate_g = corrected * (1 - o->beta1);
        return;
    }
    double now = o->beta1 * (1 - pow(0.96, t * o->momentum_decay) / 2);
    double next = o->beta1 * (1 - pow(0.96, (t + 1) * o->momentum_decay) / 2);
    *o->product *= now;
    o->rate_g = rate * (1 - now) / (1 - *o->product);
    o->rate_m = rate * next / (1 - *o->product * next);
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct nadam *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0], *restrict v = c->state[1];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, rest1 = (real)(1 - o->beta1), beta2 = (real)o->beta2;
    const real rest2 = (real)(1 - o->beta2), epsilon = (real)o->epsilon, inverse_root = (real)o->inverse_root;
    const real rate_m = (real)o->rate_m, rate_g = (real)o->rate_g, keep = (real)o->keep;
    const real decay = o->decouple ? 0 : (real)o->weight_decay;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        m[i] = beta1 * m[i] + rest1 * g;
        v[i] = beta2 * v[i] + rest2 * g * g;
        theta[i] = keep * theta[i] - (rate_m * m[i] + rate_g * g) / (real_sqrt(v[i]) * inverse_root + epsilon);
    }
}

static void spare(void *self)
{
    struct nadam *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_nadam) = {
    .info = {"nadam", "Adam with Nesterov's momentum (Dozat); NAdamW too", PL_SETTINGS(settings)},
    .self_size = sizeof(struct nadam),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
