/* LAMB: You et al., "Large batch optimization for deep learning: training BERT in 76 minutes" (ICLR 2020,
 * arXiv:1904.00962). m and v as in Adam (m <- beta1 m + g without grad_averaging), c1 and c2 the bias corrections.
 *
 * official (timm, after NVIDIA's FusedLAMB): first g <- g / max(1, |g| / max_norm), the norm over all tensors. Then
 *   u = (m / c1) / (sqrt(v / c2) + epsilon) + weight_decay theta
 *   (decouple: without the decay, and theta <- (1 - lambda weight_decay) theta here)
 *   for each tensor r = |theta| / |u|, 1 where either is 0, at most 1 with trust_clip
 *   without decay r is 1 unless always_adapt;  theta <- theta - lambda r u
 *
 * published (torch_optimizer, after cybertronai):
 *   u = m / (sqrt(v) + epsilon) + weight_decay theta;  r = min(|theta|, clamp) / |u|, 1 where either is 0
 *   theta <- theta - lambda K r u, K = sqrt(c2) / c1 with debias, else 1 */
#include "optim/kernel.h"

#include <string.h>

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_BETAS,
    PL_SETTING_EPSILON("1e-6"),
    PL_SETTING_WEIGHT_DECAY("0.01", "weight decay, part of the direction whose length is measured"),
    {.key = "max_norm",
     .aliases = "max_grad_norm",
     .type = PL_REAL,
     .initial = "1",
     .range = "(0,inf]",
     .help = "norm that the whole gradient is cut to; .inf: none",
     .idle_when = "variant=published"},
    {.key = "always_adapt",
     .type = PL_BOOLEAN,
     .initial = "false",
     .help = "take each tensor's norm also without weight decay, as the paper does",
     .idle_when = "variant=published"},
    {.key = "trust_clip",
     .type = PL_BOOLEAN,
     .initial = "false",
     .help = "at most the step that Adam would take",
     .idle_when = "variant=published"},
    {.key = "bias_correction",
     .type = PL_BOOLEAN,
     .initial = "true",
     .help = "correct the moments as Adam does",
     .idle_when = "variant=published"},
    {.key = "grad_averaging",
     .type = PL_BOOLEAN,
     .initial = "true",
     .help = "weigh the newest gradient with 1 - beta1, not 1",
     .idle_when = "variant=published"},
    {.key = "decouple",
     .aliases = "decoupled_decay weight_decouple decoupled",
     .type = PL_BOOLEAN,
     .initial = "false",
     .help = "scale theta by 1 - lambda * weight_decay instead",
     .idle_when = "weight_decay=0 or variant=published"},
    {.key = "clamp",
     .aliases = "clamp_value",
     .type = PL_REAL,
     .initial = "10",
     .range = "(0,inf]",
     .help = "largest norm of a tensor that counts",
     .idle_when = "variant=official"},
    {.key = "debias",
     .type = PL_BOOLEAN,
     .initial = "false",
     .help = "correct the rate as Adam does",
     .idle_when = "variant=official"},
    {.key = "variant",
     .type = PL_STRING,
     .initial = "official",
     .range = "official published",
     .help = "the rule of timm and NVIDIA, or that of torch_optimizer"},
};

struct lamb {
    double beta1, beta2, epsilon, weight_decay, max_norm, clamp;
    bool published, always_adapt, trust_clip, bias_correction, grad_averaging, decouple, debias;
    double take, scale, inverse1, inverse_root, keep; /* of this step */
    double rate;                                      /* of this tensor too */
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct lamb *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->published = !strcmp(pl_settings_need_string(s, "variant"), "published");
    o->max_norm = o->published ? INFINITY : pl_settings_need_real(s, "max_norm");
    o->clamp = o->published ? pl_settings_need_real(s, "clamp") : INFINITY;
    o->debias = o->published && pl_settings_need_boolean(s, "debias");
    o->always_adapt = o->published || pl_settings_need_boolean(s, "always_adapt");
    o->trust_clip = !o->published && pl_settings_need_boolean(s, "trust_clip");
    o->bias_correction = !o->published && pl_settings_need_boolean(s, "bias_correction");
    o->grad_averaging = o->published || pl_settings_need_boolean(s, "grad_averaging");
    o->decouple = !o->published && pl_settings_need_boolean(s, "decouple");
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "v", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    struct lamb *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS];
    o->scale = 1;
    if (isfinite(o->max_norm)) {
        double excess = sqrt(KERNEL(pl_norm2)(optim, arenas->gradient)) / o->max_norm;
        o->scale = excess <= 1 ? 1 : 1 / excess; /* NaN stays */
    }
    o->take = o->grad_averaging ? 1 - o->beta1 : 1;
    o->inverse1 = o->bias_correction ? 1 / (1 - pow(o->beta1, t)) : 1;
    o->inverse_root = o->bias_correction ? 1 / sqrt(1 - pow(o->beta2, t)) : 1;
    o->keep = o->decouple ? 1 - optim->rates[0] * o->weight_decay : 1;
}

/* Moments and the direction, which takes the gradient's place, and the squared norms of theta and of it. */
static void measure(const void *self, struct pl_chunk *c)
{
    const struct lamb *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0], *restrict v = c->state[1];
    real *restrict gradient = c->gradient;
    const size_t n = c->count;
    const real beta1 = (real)o->beta1, take = (real)o->take, beta2 = (real)o->beta2, rest2 = (real)(1 - o->beta2);
    const real epsilon = (real)o->epsilon, scale = (real)o->scale, inverse1 = (real)o->inverse1;
    const real inverse_root = (real)o->inverse_root, keep = (real)o->keep;
    const real decay = o->decouple ? 0 : (real)o->weight_decay;
    for (size_t i = 0; i < n; i++) {
        real g = scale * gradient[i];
        m[i] = beta1 * m[i] + take * g;
        v[i] = beta2 * v[i] + rest2 * g * g;
        gradient[i] = m[i] * inverse1 / (real_sqrt(v[i]) * inverse_root + epsilon) + decay * theta[i];
    }
    if (keep != 1) /* else theta is only read, which spares memory a third of its work on it */
        for (size_t i = 0; i < n; i++)
            theta[i] *= keep;
    c->sums[0] = KERNEL(pl_dot)(theta, theta, n);
    c->sums[1] = KERNEL(pl_dot)(gradient, gradient, n);
}

static void tensor(struct pl_optim *optim, const struct pl_arenas *arenas, size_t index)
{
    struct lamb *o = optim->self;
    double sums[PL_SUMS], t = (double)optim->counts[PL_COUNT_STEPS];
    KERNEL(pl_pass)(optim, arenas, optim->first_block[index], optim->first_block[index + 1], measure, sums);
    double theta = sqrt(sums[0]), direction = sqrt(sums[1]);
    double ratio = theta == 0 || direction == 0 ? 1 : fmin(theta, o->clamp) / direction;
    if (o->trust_clip)
        ratio = fmin(ratio, 1);
    if (o->weight_decay == 0 && !o->always_adapt)
        ratio = 1;
    double correction = o->debias ? sqrt(1 - pow(o->beta2, t)) / (1 - pow(o->beta1, t)) : 1;
    o->rate = optim->rates[0] * correction * ratio;
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct lamb *o = self;
    real *restrict theta = c->theta;
    const real *restrict direction = c->gradient;
    const size_t n = c->count;
    const real rate = (real)o->rate;
    for (size_t i = 0; i < n; i++)
        theta[i] -= rate * direction[i];
}

static void spare(void *self)
{
    struct lamb *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_lamb) = {
    .info = {"lamb", "Adam's direction at the length of each tensor's norm (You and others)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct lamb),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .tensor = tensor,
    .update = update,
};
