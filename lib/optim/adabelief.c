/* AdaBelief: Zhuang et al., "AdaBelief optimizer: adapting stepsizes by the belief in observed gradients" (NeurIPS
 * 2020), as its published class. m as in Adam, d = g - m (the new m):
 *   s <- beta2 s + (1 - beta2) d^2 + epsilon, and epsilon stays in s: it accumulates over the steps
 *   theta <- theta - lambda / (1 - beta1^t) m / (sqrt(s / (1 - beta2^t)) + epsilon)
 * amsgrad: h <- max(h, s) + epsilon, kept, takes the place of s, which then gets no epsilon. rectify: with rho as in
 * RAdam, a factor sqrt((rho - 4) (rho - 2) rho_inf / ((rho_inf - 4) (rho_inf - 2) rho)) where rho > 4, and
 * theta <- theta - lambda m elsewhere.
 *
 * variant 0.2.1, the later class: epsilon goes into s with amsgrad too, and h <- max(h, s). rectify: the factor where
 * rho >= 5, times sqrt(1 - beta2^t), of m / (sqrt(s) + epsilon) (s also with amsgrad); elsewhere theta <- theta -
 * lambda / (1 - beta1^t) m, or nothing but the decay without degenerate. */
#include "optim/kernel.h"

#include <string.h>

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_BETAS,
    PL_SETTING_EPSILON("1e-8"),
    PL_SETTING_WEIGHT_DECAY("0", "L2 regularisation, or decoupled weight decay with decouple"),
    {.key = "decouple",
     .aliases = "weight_decouple",
     .type = PL_BOOLEAN,
     .initial = "false",
     .help = "scale theta by 1 - lambda * weight_decay instead of changing the gradient",
     .idle_when = "weight_decay=0"},
    {.key = "fixed_decay",
     .type = PL_BOOLEAN,
     .initial = "false",
     .help = "with decouple: scale by 1 - weight_decay",
     .idle_when = "decouple=false or weight_decay=0"},
    PL_SETTING_SWITCH("rectify", NULL, "false", "rectify the adaptive rate as RAdam does"),
    PL_SETTING_SWITCH("amsgrad", NULL, "false", "use the largest second moment so far"),
    {.key = "degenerate",
     .aliases = "degenerated_to_sgd",
     .type = PL_BOOLEAN,
     .initial = "true",
     .help = "take steps of momentum SGD while the variance is unknown (0.2.1 with rectify)",
     .idle_when = "rectify=false or variant=0.0.5",
     .late = true},
    {.key = "variant",
     .type = PL_STRING,
     .initial = "0.0.5",
     .range = "0.0.5 0.2.1",
     .help = "the published class of which version",
     .idle_when = "rectify=false and amsgrad=false",
     .late = true},
};

struct adabelief {
    double beta1, beta2, epsilon, weight_decay;
    bool decouple, fixed_decay, rectify, amsgrad, later, degenerate;
    double keep, rate, inverse_root; /* of this step */
    bool adaptive;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct adabelief *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->decouple = pl_settings_need_boolean(s, "decouple");
    o->fixed_decay = pl_settings_need_boolean(s, "fixed_decay");
    o->rectify = pl_settings_need_boolean(s, "rectify");
    o->amsgrad = pl_settings_need_boolean(s, "amsgrad");
    o->later = !strcmp(pl_settings_need_string(s, "variant"), "0.2.1");
    o->degenerate = pl_settings_need_boolean(s, "degenerate");
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "s", 0);
    if (o->amsgrad)
        pl_optim_want_arena(optim, "h", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct adabelief *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS], lambda = optim->rates[0];
    double c1 = 1 - pow(o->beta1, t), power2 = pow(o->beta2, t), c2 = 1 - power2;
    o->keep = o->decouple ? 1 - (o->fixed_decay ? 1 : lambda) * o->weight_decay : 1;
    o->inverse_root = 1 / sqrt(c2);
    o->adaptive = true;
    o->rate = lambda / c1;
    if (!o->rectify)
        return;
    double most = 2 / (1 - o->beta2) - 1, rho = most - 2 * t * power2 / c2;
    o->adaptive = o->later ? rho >= 5 : rho > 4;
    if (o->later) {
        double factor = sqrt(c2 * (rho - 4) * (rho - 2) * most / (most - 4) / (most - 2) / rho);
        o->rate = o->adaptive ? lambda / c1 * factor : o->degenerate ? lambda / c1 : 0;
        o->inverse_root = 1;
        return;
    }
    o->rate = o->adaptive ? lambda / c1 * sqrt((rho - 4) * (rho - 2) * most / (most - 4) / (most - 2) / rho) : lambda;
}

static inline __attribute__((always_inline)) void pass(const struct adabelief *o, struct pl_chunk *c, bool amsgrad,
                                                       bool adaptive)
{
    real *restrict theta = c->theta, *restrict m = c->state[0], *restrict s = c->state[1], *restrict h = c->state[2];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, rest1 = (real)(1 - o->beta1), beta2 = (real)o->beta2;
    const real rest2 = (real)(1 - o->beta2), epsilon = (real)o->epsilon, rate = (real)o->rate, keep = (real)o->keep;
    const real inverse_root = (real)o->inverse_root, decay = o->decouple ? 0 : (real)o->weight_decay;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        m[i] = beta1 * m[i] + rest1 * g;
        real d = g - m[i];
        s[i] = beta2 * s[i] + rest2 * d * d;
        real second;
        if (amsgrad && o->later) {
            s[i] += epsilon;
            h[i] = s[i] < h[i] ? h[i] : s[i];
            second = o->rectify ? s[i] : h[i];
        } else if (amsgrad)
            second = h[i] = (s[i] < h[i] ? h[i] : s[i]) + epsilon;
        else
            second = s[i] += epsilon;
        real direction = adaptive ? m[i] / (real_sqrt(second) * inverse_root + epsilon) : m[i];
        theta[i] = keep * theta[i] - rate * direction;
    }
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct adabelief *o = self;
    if (o->amsgrad && o->adaptive)
        pass(o, c, true, true);
    else if (o->amsgrad)
        pass(o, c, true, false);
    else if (o->adaptive)
        pass(o, c, false, true);
    else
        pass(o, c, false, false);
}

static void spare(void *self)
{
    struct adabelief *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_adabelief) = {
    .info = {"adabelief", "Adam with the variance around the mean gradient (Zhuang and others)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct adabelief),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
