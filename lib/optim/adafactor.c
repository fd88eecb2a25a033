/* Adafactor: Shazeer and Stern, "Adafactor: adaptive learning rates with sublinear memory cost" (ICML 2018,
 * arXiv:1804.04235). Of g^2 a tensor of two or more dimensions keeps means over its last two, R (one number a row) and
 * C (one a column), other tensors all of it (V). With q = t^decay_rate: R <- (1 - q) R + q row means;  C <- (1 - q) C +
 * q column means;  E = R C / (mean of R), or E = V;  u = g / sqrt(E)
 *
 * torch: E = R C / max(mean of R, epsilon), and at least epsilon^2
 *   a = max(epsilon2, rms(theta)) min(lambda, 1 / sqrt(t));  theta <- (1 - lambda weight_decay) theta
 *   theta <- theta - a u / max(1, rms(u) / clip_threshold)
 *
 * published (fairseq): g^2 + epsilon in place of g^2
 *   a = lambda, or with relative_step min(0.01, 1 / sqrt(t)) (warmup_init: 1e-6 t for 0.01),
 *   times max(epsilon2, rms(theta)) with scale_parameter;  u <- a u / max(1, rms(u) / clip_threshold)
 *   beta1: m <- beta1 m + (1 - beta1) u, in place of u;  theta <- (1 - a weight_decay) theta - u */
#include "optim/kernel.h"

#include <string.h>

#define PUBLISHED_ONLY "variant=torch"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.01"),
    {.key = "decay_rate",
     .aliases = "beta2_decay",
     .type = PL_REAL,
     .initial = "-0.8",
     .range = "[-10,0]",
     .help = "power of the step number that the newest squares are weighed with"},
    {.key = "epsilon",
     .aliases = "eps ε eps1 epsilon1",
     .type = PL_REAL,
     .initial = "",
     .range = "[0,inf)",
     .help = "floor of the squares; where it is left out the machine's precision (torch) or 1e-30 (published)"},
    {.key = "epsilon2",
     .aliases = "eps2",
     .type = PL_REAL,
     .initial = "0.001",
     .range = "[0,inf)",
     .help = "least size of parameters that the step is relative to"},
    {.key = "clip_threshold",
     .aliases = "d",
     .type = PL_REAL,
     .initial = "1",
     .range = "(0,inf]",
     .help = "largest root mean square of a tensor's direction"},
    PL_SETTING_WEIGHT_DECAY("0", "decoupled weight decay"),
    {.key = "beta1",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1)",
     .help = "decay rate of a mean direction, 0: none is kept",
     .idle_when = PUBLISHED_ONLY},
    {.key = "scale_parameter",
     .type = PL_BOOLEAN,
     .initial = "true",
     .help = "steps relative to the size of the parameters",
     .idle_when = PUBLISHED_ONLY},
    {.key = "relative_step",
     .type = PL_BOOLEAN,
     .initial = "true",
     .help = "a rate that falls with the root of the step number, in place of lambda",
     .idle_when = PUBLISHED_ONLY},
    {.key = "warmup_init",
     .type = PL_BOOLEAN,
     .initial = "false",
     .help = "with relative_step: begin with a rate of 1e-6",
     .idle_when = "variant=torch or relative_step=false"},
    {.key = "variant",
     .type = PL_STRING,
     .initial = "torch",
     .range = "torch published",
     .help = "the rule of torch, or that of the class published in fairseq"},
};

enum { COLUMNS = 64 }; /* summed at a time */

struct adafactor {
    double decay_rate, epsilon, epsilon2, clip_threshold, weight_decay, beta1;
    bool published, scale_parameter, relative_step, warmup_init;
    double *rows, *columns, *whole; /* R, C and V of all tensors, one behind the other */
    double fresh, added, least;     /* of this step: q, what is added to g^2, the least E */
    double keep, rate;              /* of this tensor */
};

/* A tensor as matrices, one behind the other; a vector has none. */
struct matrices {
    size_t count, rows, columns;
};

static struct matrices matrices_of(const struct pl_tensor *t)
{
    if (t->dims < 2)
        return (struct matrices){0, 0, 0};
    size_t rows = t->shape[t->dims - 2], columns = t->shape[t->dims - 1];
    return (struct matrices){t->count / (rows * columns), rows, columns};
}

/* Where a tensor's numbers lie in the three tables; of the tensor behind the last one: their lengths. */
struct place {
    size_t rows, columns, whole;
};

static struct place place_of(const struct pl_layout *layout, size_t index)
{
    struct place at = {0, 0, 0};
    for (size_t i = 0; i < index; i++) {
        struct matrices m = matrices_of(&layout->tensors[i]);
        at.rows += m.count * m.rows;
        at.columns += m.count * m.columns;
        at.whole += m.count ? 0 : layout->tensors[i].count;
    }
    return at;
}

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct adafactor *o = optim->self;
    o->published = !strcmp(pl_settings_need_string(s, "variant"), "published");
    o->decay_rate = pl_settings_need_real(s, "decay_rate");
    o->epsilon = pl_settings_real(s, "epsilon", o->published ? 1e-30 : REAL_BITS == 32 ? FLT_EPSILON : DBL_EPSILON);
    o->epsilon2 = pl_settings_need_real(s, "epsilon2");
    o->clip_threshold = pl_settings_need_real(s, "clip_threshold");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->beta1 = o->published ? pl_settings_need_real(s, "beta1") : 0;
    o->scale_parameter = !o->published || pl_settings_need_boolean(s, "scale_parameter");
    o->relative_step = o->published && pl_settings_need_boolean(s, "relative_step");
    o->warmup_init = pl_settings_need_boolean(s, "warmup_init");
    struct place end = place_of(&optim->layout, optim->layout.count);
    size_t most = 0;
    for (size_t i = 0; i < optim->layout.count; i++) {
        struct matrices m = matrices_of(&optim->layout.tensors[i]);
        size_t parts = optim->first_block[i + 1] - optim->first_block[i];
        most = parts > most ? parts : most;
        most = m.count * (m.rows + 1) > most ? m.count * (m.rows + 1) : most;
    }
    pl_optim_want_table(optim, "rows", end.rows, &o->rows);
    pl_optim_want_table(optim, "columns", end.columns, &o->columns);
    pl_optim_want_table(optim, "whole", end.whole, &o->whole);
    pl_optim_want_scratch(optim, most);
    if (o->beta1 != 0)
        pl_optim_want_arena(optim, "m", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct adafactor *o = optim->self;
    o->fresh = pow((double)optim->counts[PL_COUNT_STEPS], o->decay_rate);
    o->added = o->published ? o->epsilon : 0;
    o->least = o->published ? 0 : o->epsilon * o->epsilon;
}

struct work {
    struct pl_optim *optim;
    real *gradient; /* of the tensor; becomes its direction */
    struct matrices m;
    size_t count;                   /* elements */
    double *rows, *columns, *whole; /* of the tensor */
    double *means;                  /* of the rows of each matrix */
};

static void row_means(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct work *w = self;
    const struct adafactor *o = w->optim->self;
    for (size_t row = from; row < to; row++) {
        const real *g = w->gradient + row * w->m.columns;
        double mean = KERNEL(pl_dot)(g, g, w->m.columns) / (double)w->m.columns + o->added;
        w->rows[row] += o->fresh * (mean - w->rows[row]);
    }
}

/* Of groups of COLUMNS columns, numbered through all matrices. */
static void column_means(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct work *w = self;
    const struct adafactor *o = w->optim->self;
    const size_t groups = (w->m.columns + COLUMNS - 1) / COLUMNS;
    for (size_t group = from; group < to; group++) {
        size_t matrix = group / groups, first = group % groups * COLUMNS;
        size_t n = w->m.columns - first < COLUMNS ? w->m.columns - first : COLUMNS;
        double sums[COLUMNS] = {0}, *columns = w->columns + matrix * w->m.columns + first;
        for (size_t row = 0; row < w->m.rows; row++) {
            const real *g = w->gradient + (matrix * w->m.rows + row) * w->m.columns + first;
            for (size_t k = 0; k < n; k++)
                sums[k] += (double)g[k] * (double)g[k];
        }
        for (size_t k = 0; k < n; k++)
            columns[k] += o->fresh * (sums[k] / (double)w->m.rows + o->added - columns[k]);
    }
}

/* Of the rows' numbers in each matrix, at least epsilon in torch's rule. */
static void find_means(const struct work *w)
{
    const struct adafactor *o = w->optim->self;
    for (size_t matrix = 0; matrix < w->m.count; matrix++) {
        double sum = 0;
        for (size_t row = 0; row < w->m.rows; row++)
            sum += w->rows[matrix * w->m.rows + row];
        double mean = sum / (double)w->m.rows;
        w->means[matrix] = o->published || !(mean < o->epsilon) ? mean : o->epsilon;
    }
}

static double over_root(double g, double square, double least)
{
    return g == 0 ? 0 : g / sqrt(square < least ? least : square);
}

static void row_directions(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct work *w = self;
    const struct adafactor *o = w->optim->self;
    for (size_t row = from; row < to; row++) {
        const size_t matrix = row / w->m.rows;
        const double *columns = w->columns + matrix * w->m.columns;
        real *g = w->gradient + row * w->m.columns;
        const double factor = w->rows[row] / w->means[matrix];
        for (size_t i = 0; i < w->m.columns; i++)
            g[i] = (real)over_root((double)g[i], factor * columns[i], o->least);
        w->optim->scratch[row] = KERNEL(pl_dot)(g, g, w->m.columns);
    }
}

static void whole_directions(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct work *w = self;
    const struct adafactor *o = w->optim->self;
    for (size_t part = from; part < to; part++) {
        size_t at = part * PL_BLOCK, n = w->count - at < PL_BLOCK ? w->count - at : PL_BLOCK;
        real *g = w->gradient + at;
        double *v = w->whole + at;
        for (size_t i = 0; i < n; i++) {
            v[i] += o->fresh * ((double)g[i] * (double)g[i] + o->added - v[i]);
            g[i] = (real)over_root((double)g[i], v[i], o->least);
        }
        w->optim->scratch[part] = KERNEL(pl_dot)(g, g, n);
    }
}

/* The tensor's direction in the place of its gradient; returns its root mean square. */
static double find_direction(struct work *w)
{
    const int threads = w->count >= 8 * PL_BLOCK ? w->optim->threads : 1;
    size_t parts = w->m.count * w->m.rows;
    w->means = w->optim->scratch + parts;
    if (w->m.count) {
        pl_optim_parallel(threads, parts, row_means, w);
        pl_optim_parallel(threads, w->m.count * ((w->m.columns + COLUMNS - 1) / COLUMNS), column_means, w);
        find_means(w);
        pl_optim_parallel(threads, parts, row_directions, w);
    } else {
        parts = (w->count + PL_BLOCK - 1) / PL_BLOCK;
        pl_optim_parallel(threads, parts, whole_directions, w);
    }
    double sum = 0;
    for (size_t i = 0; i < parts; i++)
        sum += w->optim->scratch[i];
    return sqrt(sum / (double)w->count);
}

static void tensor(struct pl_optim *optim, const struct pl_arenas *arenas, size_t index)
{
    struct adafactor *o = optim->self;
    const struct pl_tensor *t = &optim->layout.tensors[index];
    struct place at = place_of(&optim->layout, index);
    struct work w = {optim,
                     arenas->gradient + t->offset,
                     matrices_of(t),
                     t->count,
                     o->rows + at.rows,
                     o->columns + at.columns,
                     o->whole + at.whole,
                     NULL};
    double step = (double)optim->counts[PL_COUNT_STEPS], lambda = optim->rates[0], rate = fmin(lambda, 1 / sqrt(step));
    if (o->published)
        rate = o->relative_step ? fmin(o->warmup_init ? 1e-6 * step : 0.01, 1 / sqrt(step)) : lambda;
    size_t from = optim->first_block[index], to = optim->first_block[index + 1];
    if (o->scale_parameter)
        rate *= fmax(o->epsilon2,
                     sqrt(KERNEL(pl_dot_blocks)(optim, from, to, arenas->theta, arenas->theta) / (double)t->count));
    o->keep = 1 - (o->published ? rate : lambda) * o->weight_decay;
    o->rate = rate / fmax(1, find_direction(&w) / o->clip_threshold);
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct adafactor *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0];
    const real *restrict direction = c->gradient;
    const size_t n = c->count;
    const real rate = (real)o->rate, keep = (real)o->keep, beta1 = (real)o->beta1;
    const real take = (real)((1 - o->beta1) * o->rate);
    if (o->beta1 == 0)
        for (size_t i = 0; i < n; i++)
            theta[i] = keep * theta[i] - rate * direction[i];
    else
        for (size_t i = 0; i < n; i++) {
            m[i] = beta1 * m[i] + take * direction[i];
            theta[i] = keep * theta[i] - m[i];
        }
}

static void spare(void *self)
{
    struct adafactor *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_adafactor) = {
    .info = {"adafactor", "second moments of rows and columns, steps relative to parameters (Shazeer and Stern)",
             PL_SETTINGS(settings)},
    .self_size = sizeof(struct adafactor),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .tensor = tensor,
    .update = update,
};
