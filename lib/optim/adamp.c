/* AdamP: Heo et al., "AdamP: slowing down the slowdown for momentum optimizers on scale-invariant weights" (ICLR 2021),
 * as its published class. m, v as in Adam; p = m / (sqrt(v / (1 - beta2^t)) + epsilon), or with nesterov
 * (beta1 m + (1 - beta1) g) in place of m. A tensor of two or more dimensions is looked at as its rows, and if that
 * does not hold as one row: where every row's cosine |<g, theta>| / (max(|g|, epsilon) max(|theta|, epsilon)) is below
 * delta / sqrt(row length), p <- p - u <u, p> in each row, u = theta / (|theta| + epsilon). Then
 *   theta <- (1 - lambda weight_decay w) theta - lambda / (1 - beta1^t) p,  w = wd_ratio if p was projected, else 1 */
#include "optim/kernel.h"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_BETAS,
    PL_SETTING_EPSILON("1e-8"),
    PL_SETTING_WEIGHT_DECAY("0", PL_DECOUPLED),
    {.key = "delta",
     .aliases = "δ",
     .type = PL_REAL,
     .initial = "0.1",
     .range = "[0,inf)",
     .help = "threshold of the cosine below which a weight counts as scale-invariant",
     .idle_when = "problem=*"}, /* whose theta is a vector, and has no rows */
    {.key = "wd_ratio",
     .type = PL_REAL,
     .initial = "0.1",
     .range = "[0,inf)",
     .help = "factor of weight_decay for scale-invariant weights",
     .idle_when = "weight_decay=0 or problem=*"},
    PL_SETTING_SWITCH("nesterov", NULL, "false", "Nesterov's momentum"),
};

enum { ROW_GRADIENT_THETA, ROW_GRADIENT, ROW_THETA, ROW_THETA_P, ROW_SUMS };

struct adamp {
    double beta1, beta2, epsilon, weight_decay, delta, wd_ratio;
    bool nesterov;
    double rate, inverse_root; /* of this step */
    bool ready;                /* this tensor's moments and the scaling of its theta are done */
    double keep;
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct adamp *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->delta = pl_settings_need_real(s, "delta");
    o->wd_ratio = pl_settings_need_real(s, "wd_ratio");
    o->nesterov = pl_settings_need_boolean(s, "nesterov");
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "v", 0);
    size_t most = 0;
    for (size_t i = 0; i < optim->layout.count; i++)
        most = optim->layout.tensors[i].rows > most ? optim->layout.tensors[i].rows : most;
    pl_optim_want_scratch(optim, ROW_SUMS * most);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct adamp *o = optim->self;
    double t = (double)optim->counts[PL_COUNT_STEPS];
    o->rate = optim->rates[0] / (1 - pow(o->beta1, t));
    o->inverse_root = 1 / sqrt(1 - pow(o->beta2, t));
}

static void update_moments(const struct adamp *o, const real *restrict g, real *restrict m, real *restrict v, size_t n)
{
    const real beta1 = (real)o->beta1, rest1 = (real)(1 - o->beta1), beta2 = (real)o->beta2;
    const real rest2 = (real)(1 - o->beta2);
    for (size_t i = 0; i < n; i++) {
        m[i] = beta1 * m[i] + rest1 * g[i];
        v[i] = beta2 * v[i] + rest2 * g[i] * g[i];
    }
}

static void direction(const struct adamp *o, const real *restrict g, const real *restrict m, const real *restrict v,
                      size_t n, real *restrict p)
{
    const real keep = o->nesterov ? (real)o->beta1 : 1, take = o->nesterov ? (real)(1 - o->beta1) : 0;
    const real inverse_root = (real)o->inverse_root, epsilon = (real)o->epsilon;
    for (size_t i = 0; i < n; i++)
        p[i] = (keep * m[i] + take * g[i]) / (real_sqrt(v[i]) * inverse_root + epsilon);
}

struct rows {
    struct pl_optim *optim;
    real *theta, *g, *m, *v; /* of the tensor */
    size_t length;           /* of a row */
    const double *factors;   /* of the rows' scaling; one for all if count is 1 */
};

/* Moments and sums of rows [from, to). */
static void measure_rows(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct rows *r = self;
    const struct adamp *o = r->optim->self;
    real p[PL_BLOCK];
    for (size_t row = from; row < to; row++) {
        double *sums = r->optim->scratch + ROW_SUMS * row;
        for (int k = 0; k < ROW_SUMS; k++)
            sums[k] = 0;
        for (size_t at = row * r->length, end = at + r->length; at < end; at += PL_BLOCK) {
            size_t n = end - at < PL_BLOCK ? end - at : PL_BLOCK;
            const real *theta = r->theta + at, *g = r->g + at;
            update_moments(o, g, r->m + at, r->v + at, n);
            direction(o, g, r->m + at, r->v + at, n, p);
            sums[ROW_GRADIENT_THETA] += KERNEL(pl_dot)(g, theta, n);
            sums[ROW_GRADIENT] += KERNEL(pl_dot)(g, g, n);
            sums[ROW_THETA] += KERNEL(pl_dot)(theta, theta, n);
            sums[ROW_THETA_P] += KERNEL(pl_dot)(theta, p, n);
        }
    }
}

/* theta <- (keep + rate * share) theta in rows [from, to), where share is what the projection gives back. */
static void scale_rows(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct rows *r = self;
    for (size_t row = from; row < to; row++) {
        real *theta = r->theta + row * r->length;
        const real factor = (real)r->factors[ROW_SUMS * row];
        for (size_t i = 0; i < r->length; i++)
            theta[i] *= factor;
    }
}

static bool is_invariant(const struct adamp *o, const double *sums, size_t length)
{
    double gradient = fmax(sqrt(sums[ROW_GRADIENT]), o->epsilon), theta = fmax(sqrt(sums[ROW_THETA]), o->epsilon);
    return fabs(sums[ROW_GRADIENT_THETA]) / (gradient * theta) < o->delta / sqrt((double)length);
}

/* p - u <u, p> = p - share theta */
static double share_of(const struct adamp *o, const double *sums)
{
    double norm = sqrt(sums[ROW_THETA]) + o->epsilon;
    return sums[ROW_THETA_P] / (norm * norm);
}

/* Replaces each row's first sum by the factor of its theta. */
static void choose_factors(const struct pl_optim *optim, const struct pl_tensor *tensor)
{
    const struct adamp *o = optim->self;
    const double decay = optim->rates[0] * o->weight_decay;
    size_t length = tensor->count / tensor->rows;
    double whole[ROW_SUMS] = {0};
    bool by_rows = true;
    for (size_t row = 0; row < tensor->rows; row++) {
        const double *sums = optim->scratch + ROW_SUMS * row;
        by_rows = by_rows && is_invariant(o, sums, length);
        for (int k = 0; k < ROW_SUMS; k++)
            whole[k] += sums[k];
    }
    bool as_one = !by_rows && is_invariant(o, whole, tensor->count);
    double keep = 1 - decay * (by_rows || as_one ? o->wd_ratio : 1);
    for (size_t row = 0; row < tensor->rows; row++) {
        double *sums = optim->scratch + ROW_SUMS * row;
        sums[0] = keep + o->rate * (by_rows ? share_of(o, sums) : as_one ? share_of(o, whole) : 0);
    }
}

static void tensor(struct pl_optim *optim, const struct pl_arenas *arenas, size_t index)
{
    struct adamp *o = optim->self;
    const struct pl_tensor *t = &optim->layout.tensors[index];
    o->ready = t->dims >= 2;
    o->keep = o->ready ? 1 : 1 - optim->rates[0] * o->weight_decay;
    if (!o->ready)
        return;
    struct rows rows = {
        .optim = optim,
        .theta = arenas->theta + t->offset,
        .g = arenas->gradient + t->offset,
        .m = (real *)optim->arenas[0].data + t->offset,
        .v = (real *)optim->arenas[1].data + t->offset,
        .length = t->count / t->rows,
        .factors = optim->scratch,
    };
    int threads = t->count >= 8 * PL_BLOCK ? optim->threads : 1;
    pl_optim_parallel(threads, t->rows, measure_rows, &rows);
    choose_factors(optim, t);
    pl_optim_parallel(threads, t->rows, scale_rows, &rows);
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct adamp *o = self;
    real *restrict theta = c->theta;
    real p[PL_BLOCK];
    const size_t n = c->count;
    const real rate = (real)o->rate, keep = (real)o->keep;
    if (!o->ready)
        update_moments(o, c->gradient, c->state[0], c->state[1], n);
    direction(o, c->gradient, c->state[0], c->state[1], n, p);
    for (size_t i = 0; i < n; i++)
        theta[i] = keep * theta[i] - rate * p[i];
}

static void spare(void *self)
{
    struct adamp *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_adamp) = {
    .info = {"adamp", "Adam without growth of scale-invariant weights (Heo and others)", PL_SETTINGS(settings)},
    .self_size = sizeof(struct adamp),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .tensor = tensor,
    .update = update,
};
