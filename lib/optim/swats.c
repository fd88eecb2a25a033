/* SWATS: Keskar and Socher, "Improving generalization performance by switching from Adam to SGD" (arXiv:1712.07628), as
 * the published PyTorch class, whose ways are kept.
 *
 * Adam phase, for each tensor: g += weight_decay theta;  m, v as in Adam (AMSGrad: h = max(h, v) in place of v)
 *   p = -lambda sqrt(1 - beta2^t) / (1 - beta1^t) m / (sqrt(v) + epsilon);  theta <- theta + p
 *   where <p, g> is not 0: s = <p, p> / -<p, g>;  W <- beta2 W + (1 - beta2) s;  k = W / (1 - beta2^t)
 *   if t > 1, |k - s| <= 1e-8 + 1e-6 |s| and k > 0, the whole group turns to SGD with lambda = k, at once and also for
 *   the tensors that follow in this step. (The absolute part lets tiny scalings switch early.)
 * SGD phase: theta <- theta - lambda d. First time: b = g, d = (1 - beta1) g. Later b <- (1 - beta1) (beta1 b + g),
 *   d = b: the class scales its buffer in place. nesterov, first time: d = (1 - beta1) g + beta1 b; later the buffer
 *   is multiplied by 1 + beta1 as well.
 * A schedule's later changes of lambda multiply k. */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_BETAS,
    PL_SETTING_EPSILON("1e-8"),
    PL_SETTING_WEIGHT_DECAY("0", PL_EITHER),
    PL_SETTING_DECOUPLE_LATE,
    PL_SETTING_SWITCH("amsgrad", NULL, "false", "use the largest second moment so far"),
    PL_SETTING_SWITCH("nesterov", NULL, "false", "Nesterov's momentum in the SGD phase"),
};

struct swats {
    double beta1, beta2, epsilon, weight_decay;
    bool amsgrad, nesterov;
    double *phase;                       /* 0 Adam, 1 SGD */
    double *scaling;                     /* W of each tensor */
    double *moving;                      /* has the tensor's b begun? */
    double c1, c2;                       /* of this step */
    bool sgd;                            /* of this tensor */
    double rate;                         /* Adam: with the bias corrections */
    double buffer_old, buffer_new, take; /* SGD: b <- buffer_old b + buffer_new g, d = b + take g or d = take g */
    double use;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct swats *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_optim_decay(optim, s);
    o->amsgrad = pl_settings_need_boolean(s, "amsgrad");
    o->nesterov = pl_settings_need_boolean(s, "nesterov");
    o->phase = pl_optim_want_notes(optim, "phase", 1);
    o->scaling = pl_optim_want_notes(optim, "scaling", optim->layout.count);
    o->moving = pl_optim_want_notes(optim, "moving", optim->layout.count);
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "v", 0);
    pl_optim_want_arena(optim, "momentum", 0);
    if (o->amsgrad)
        pl_optim_want_arena(optim, "h", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct swats *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS];
    o->c1 = 1 - pow(o->beta1, t);
    o->c2 = 1 - pow(o->beta2, t);
}

static void tensor(struct pl_optim *optim, const struct pl_arenas *arenas, size_t index)
{
    (void)arenas;
    struct swats *o = optim->self;
    o->sgd = *o->phase != 0;
    if (!o->sgd) {
        o->rate = optim->rates[0] * sqrt(o->c2) / o->c1;
        return;
    }
    const double rest = 1 - o->beta1;
    bool first = o->moving[index] == 0;
    double more = !first && o->nesterov ? 1 + o->beta1 : 1;
    o->rate = optim->rates[0];
    o->buffer_old = first ? 0 : more * rest * o->beta1;
    o->buffer_new = first ? 1 : more * rest;
    o->take = first ? rest : 0;
    o->use = !first ? 1 : o->nesterov ? o->beta1 : 0;
    o->moving[index] = 1;
}

static void tensor_done(struct pl_optim *optim, size_t index, const double sums[PL_SUMS])
{
    struct swats *o = optim->self;
    if (o->sgd || sums[0] == 0)
        return;
    double s = sums[1] / -sums[0];
    o->scaling[index] = o->beta2 * o->scaling[index] + (1 - o->beta2) * s;
    double k = o->scaling[index] / o->c2;
    if (optim->counts[PL_COUNT_STEPS] > 1 && fabs(k - s) <= 1e-8 + 1e-6 * fabs(s) && k > 0) {
        *o->phase = 1;
        optim->rates[0] = k;
    }
}

static inline __attribute__((always_inline)) void adam_phase(const struct swats *o, struct pl_chunk *c, bool amsgrad)
{
    real *restrict theta = c->theta, *restrict m = c->state[0], *restrict v = c->state[1], *restrict h = c->state[3];
    real *restrict gradient = c->gradient;
    real p[PL_BLOCK];
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, rest1 = (real)(1 - o->beta1), beta2 = (real)o->beta2;
    const real rest2 = (real)(1 - o->beta2), epsilon = (real)o->epsilon, decay = (real)o->weight_decay;
    const real rate = (real)o->rate;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        gradient[i] = g;
        m[i] = beta1 * m[i] + rest1 * g;
        v[i] = beta2 * v[i] + rest2 * g * g;
        real second = v[i];
        if (amsgrad)
            second = h[i] = v[i] < h[i] ? h[i] : v[i];
        p[i] = -rate * m[i] / (real_sqrt(second) + epsilon);
        theta[i] += p[i];
    }
    c->sums[0] = KERNEL(pl_dot)(p, gradient, n);
    c->sums[1] = KERNEL(pl_dot)(p, p, n);
}

static void sgd_phase(const struct swats *o, struct pl_chunk *c)
{
    real *restrict theta = c->theta, *restrict b = c->state[2];
    const real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real decay = (real)o->weight_decay, rate = (real)o->rate, use = (real)o->use, take = (real)o->take;
    const real buffer_old = (real)o->buffer_old, buffer_new = (real)o->buffer_new;
    for (size_t i = 0; i < n; i++) {
        real g = gradient[i] + decay * theta[i];
        b[i] = buffer_old * b[i] + buffer_new * g;
        theta[i] -= rate * (use * b[i] + take * g);
    }
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct swats *o = self;
    if (o->sgd)
        sgd_phase(o, c);
    else if (o->amsgrad)
        adam_phase(o, c, true);
    else
        adam_phase(o, c, false);
}

static void spare(void *self)
{
    struct swats *o = self;
    o->weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_swats) = {
    .info = {"swats", "Adam that switches to SGD when its steps allow (Keskar and Socher)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct swats),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .tensor = tensor,
    .tensor_done = tensor_done,
    .update = update,
};
