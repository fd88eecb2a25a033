/* RAdam: Liu et al., "On the variance of the adaptive learning rate and beyond" (ICLR 2020), as its published class.
 * m and v as in Adam on the raw gradient (without decouple, as is torch's default, on g + weight_decay theta); rho_inf
 * = 2 / (1 - beta2) - 1, rho = rho_inf - 2 t beta2^t / (1 - beta2^t). rho >= 5: theta <- (1 - lambda weight_decay)
 * theta - lambda R m / (sqrt(v) + epsilon), R = sqrt((1 - beta2^t) (rho - 4) (rho - 2) rho_inf / ((rho_inf - 4)
 * (rho_inf - 2) rho)) / (1 - beta1^t) rho < 5:  theta <- (1 - lambda weight_decay) theta - lambda m / (1 - beta1^t), or
 * nothing at all without degenerate */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_BETAS,
    PL_SETTING_EPSILON("1e-8"),
    PL_SETTING_WEIGHT_DECAY("0", "decoupled weight decay, or L2 regularisation without decouple"),
    PL_SETTING_DECOUPLE_AS("true", true),
    PL_SETTING_SWITCH("degenerate", "degenerated_to_sgd", "true",
                      "take steps of momentum SGD while the variance is unknown"),
};

struct radam {
    double beta1, beta2, epsilon, weight_decay;
    bool degenerate, decouple;
    double keep, rate; /* of this step */
    bool adaptive;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct radam *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->degenerate = pl_settings_need_boolean(s, "degenerate");
    o->decouple = pl_settings_need_boolean(s, "decouple");
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "v", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct radam *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS], lambda = optim->rates[0];
    double c1 = 1 - pow(o->beta1, t), power2 = pow(o->beta2, t), c2 = 1 - power2;
    double most = 2 / (1 - o->beta2) - 1, rho = most - 2 * t * power2 / c2;
    o->adaptive = rho >= 5;
    if (o->adaptive)
        o->rate = lambda * sqrt(c2 * (rho - 4) / (most - 4) * (rho - 2) / rho * most / (most - 2)) / c1;
    else
        o->rate = o->degenerate ? lambda / c1 : 0;
    o->keep = o->decouple && (o->adaptive || o->degenerate) ? 1 - lambda * o->weight_decay : 1;
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct radam *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0], *restrict v = c->state[1];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, rest1 = (real)(1 - o->beta1), beta2 = (real)o->beta2;
    const real rest2 = (real)(1 - o->beta2), epsilon = (real)o->epsilon, rate = (real)o->rate, keep = (real)o->keep;
    const real decay = o->decouple ? 0 : (real)o->weight_decay;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        m[i] = beta1 * m[i] + rest1 * g;
        v[i] = beta2 * v[i] + rest2 * g * g;
    }
    if (o->adaptive)
        for (size_t i = 0; i < n; i++)
            theta[i] = keep * theta[i] - rate * m[i] / (real_sqrt(v[i]) + epsilon);
    else if (o->degenerate)
        for (size_t i = 0; i < n; i++)
            theta[i] = keep * theta[i] - rate * m[i];
}

static void spare(void *self)
{
    struct radam *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_radam) = {
    .info = {"radam", "Adam with a rectified adaptive rate (Liu and others)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct radam),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .update = update,
};
