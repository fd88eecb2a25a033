/* SOAP: Vyas et al., "SOAP: improving and stabilizing Shampoo using Adam" (ICLR 2025, arXiv:2409.11321), as
 * pytorch_optimizer and the authors have it. A side i of a tensor is a dimension of at most max_dimension (of a vector
 * only with precondition_1d), G_i is g with that dimension first and the rest flattened; rot multiplies along every
 * side by Q_i', back by Q_i. In the first step H_i = (1 - B) G_i G_i', B = shampoo_beta, Q_i its eigenvectors, largest
 * eigenvalue first, and nothing moves. In step t > 1, k = t - 1:
 *   m <- beta1 m + (1 - beta1) g;  v <- beta2 v + (1 - beta2) rot(g)^2;  u = back(rot(m) / (sqrt(v) + epsilon))
 *   normalize_gradient: u <- u / (rms(u) + epsilon);  K = sqrt(1 - beta2^k) / (1 - beta1^k), 1 without bias_correction
 *   theta <- (1 - lambda weight_decay) (theta - lambda K u);  H_i <- B H_i + (1 - B) G_i G_i'
 *   where k is a multiple of refresh, for every side: P = H_i Q_i, its columns and v ordered by the falling diagonal of
 *   Q_i' P, Q_i <- Q of the QR factorization of P
 * Where an H_i is singular its null space has no basis of its own; optim/matrix.h says which one is taken. */
#include "optim/kernel.h"
#include "optim/matrix.h"

#include <stdlib.h>
#include <string.h>

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.003"),
    PL_SETTING_RATE_OF("beta1", NULL, "0.95", "the first moment"),
    PL_SETTING_RATE_OF("beta2", NULL, "0.95", "the second moment"),
    {.key = "shampoo_beta",
     .type = PL_REAL,
     .initial = "",
     .range = "[0,1)",
     .help = "decay rate of the preconditioners; beta2 where it is left out"},
    PL_SETTING_EPSILON("1e-8"),
    PL_SETTING_WEIGHT_DECAY("0.01",
                            "decoupled weight decay: theta is scaled by 1 - lambda * weight_decay after the step"),
    {.key = "refresh",
     .aliases = "precondition_frequency",
     .type = PL_INTEGER,
     .initial = "10",
     .range = "[1,1000000000]",
     .help = "steps from one look at the preconditioners to the next"},
    {.key = "max_dimension",
     .aliases = "max_precondition_dim",
     .type = PL_INTEGER,
     .initial = "10000",
     .range = "[0,1000000000]",
     .help = "longest dimension that has a preconditioner"},
    PL_SETTING_SWITCH("precondition_1d", NULL, "false", "vectors have preconditioners too"),
    PL_SETTING_SWITCH("bias_correction", "correct_bias", "true", "correct the rate as Adam does"),
    PL_SETTING_SWITCH("normalize_gradient", NULL, "false", "make every tensor's direction one of root mean square 1"),
};

struct soap {
    double beta1, beta2, shampoo_beta, epsilon, weight_decay;
    uint64_t refresh;
    size_t max_dimension;
    bool vectors, bias_correction, normalize_gradient;
    double *h, *q;     /* of all sides, one behind the other; the columns of Q are rows */
    double rate, keep; /* of this tensor and step */
};

static bool has_side(const struct soap *o, const struct pl_tensor *t, int side)
{
    return pl_side_counts(t, side, o->max_dimension, o->vectors);
}

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct soap *o = optim->self;
    o->beta1 = pl_settings_need_real(s, "beta1");
    o->beta2 = pl_settings_need_real(s, "beta2");
    o->shampoo_beta = pl_settings_real(s, "shampoo_beta", o->beta2);
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->refresh = (uint64_t)pl_settings_need_integer(s, "refresh");
    o->max_dimension = (size_t)pl_settings_need_integer(s, "max_dimension");
    o->vectors = pl_settings_need_boolean(s, "precondition_1d");
    o->bias_correction = pl_settings_need_boolean(s, "bias_correction");
    o->normalize_gradient = pl_settings_need_boolean(s, "normalize_gradient");
    size_t length = pl_side_place(&optim->layout, optim->layout.count, o->max_dimension, o->vectors), most = 0;
    for (size_t i = 0; i < optim->layout.count; i++) {
        const struct pl_tensor *t = &optim->layout.tensors[i];
        for (int side = 0; side < pl_side_count(t); side++) {
            size_t n = has_side(o, t, side) ? pl_side_length(t, side) : 0, room = 4 * t->count + 3 * n * n + n;
            most = room > most ? room : most;
        }
    }
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_arena(optim, "v", 0);
    pl_optim_want_table(optim, "h", length, &o->h);
    pl_optim_want_table(optim, "q", length, &o->q);
    pl_optim_want_scratch(optim, most);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)optim;
    (void)arenas;
}

/* x of a tensor multiplied along every side by Q', or with back by Q. */
static void rotate(const struct pl_optim *optim, const struct pl_tensor *t, const double *q, bool back, double *x,
                   double *work)
{
    const struct soap *o = optim->self;
    for (int side = 0; side < pl_side_count(t); side++) {
        if (!has_side(o, t, side))
            continue;
        const size_t n = pl_side_length(t, side);
        const double *m = q;
        if (back) {
            double *transposed = work + 2 * t->count;
            pl_matrix_transpose(q, transposed, n, n);
            m = transposed;
        }
        pl_side_multiply(optim, t, side, m, x, work);
        q += n * n;
    }
}

struct ranked {
    double value;
    size_t index;
};

static int by_falling_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->value > y->value ? -1 : x->value < y->value ? 1 : x->index < y->index ? -1 : x->index > y->index;
}

/* v's entries along a side in the order of the ranks. */
static void reorder(const struct pl_tensor *t, int side, const struct ranked *ranks, real *v, double *work)
{
    const size_t n = pl_side_length(t, side), rest = t->count / n;
    double *x = work, *matrix = work + t->count;
    for (size_t i = 0; i < t->count; i++)
        x[i] = (double)v[i];
    pl_side_unfold(t, side, x, matrix);
    for (size_t i = 0; i < n; i++)
        memcpy(x + i * rest, matrix + ranks[i].index * rest, rest * sizeof *x);
    pl_side_fold(t, side, x, matrix);
    for (size_t i = 0; i < t->count; i++)
        v[i] = (real)matrix[i];
}

/* One step of orthogonal iteration for a side. */
static void turn(const struct pl_optim *optim, const struct pl_tensor *t, int side, const double *h, double *q, real *v,
                 double *work)
{
    const size_t n = pl_side_length(t, side);
    double *p = work, *sorted = work + n * n, *old = work + 2 * n * n;
    struct ranked *ranks = pl_new((n + 1) * sizeof *ranks);
    pl_matrix_product(optim, q, h, p, n, n, n); /* the rows of q times H: P' */
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += q[i * n + k] * p[i * n + k];
        ranks[i] = (struct ranked){sum, i};
    }
    qsort(ranks, n, sizeof *ranks, by_falling_value);
    for (size_t i = 0; i < n; i++) {
        memcpy(sorted + i * n, p + ranks[i].index * n, n * sizeof *p);
        memcpy(old + i * n, q + ranks[i].index * n, n * sizeof *q);
    }
    pl_matrix_orthonormalise(sorted, old, n);
    memcpy(q, sorted, n * n * sizeof *q);
    reorder(t, side, ranks, v, work);
    free(ranks);
}

/* The preconditioners after this gradient g (in the first step the first ones). */
static void learn(const struct pl_optim *optim, const struct pl_tensor *t, size_t at, const double *g, real *v,
                  double *work)
{
    const struct soap *o = optim->self;
    const uint64_t step = optim->counts[PL_COUNT_STEPS];
    for (int side = 0; side < pl_side_count(t); side++) {
        if (!has_side(o, t, side))
            continue;
        const size_t n = pl_side_length(t, side);
        pl_side_collect(optim, t, side, g, step == 1 ? 0 : o->shampoo_beta, 1 - o->shampoo_beta, o->h + at, work);
        if (step == 1)
            pl_matrix_basis(o->h + at, n, o->q + at, work);
        else if ((step - 1) % o->refresh == 0)
            turn(optim, t, side, o->h + at, o->q + at, v, work);
        at += n * n;
    }
}

/* The direction, from moments that are up to date for this gradient. */
static void find_direction(const struct pl_optim *optim, const struct pl_tensor *t, size_t at, const double *g, real *m,
                           real *v, double *direction, double *work)
{
    const struct soap *o = optim->self;
    double squares = 0;
    memcpy(direction, g, t->count * sizeof *g);
    rotate(optim, t, o->q + at, false, direction, work);
    for (size_t i = 0; i < t->count; i++) {
        m[i] = (real)(o->beta1 * (double)m[i] + (1 - o->beta1) * g[i]);
        v[i] = (real)(o->beta2 * (double)v[i] + (1 - o->beta2) * direction[i] * direction[i]);
        direction[i] = (double)m[i];
    }
    rotate(optim, t, o->q + at, false, direction, work);
    for (size_t i = 0; i < t->count; i++)
        direction[i] = direction[i] == 0 ? 0 : direction[i] / (sqrt((double)v[i]) + o->epsilon);
    rotate(optim, t, o->q + at, true, direction, work);
    for (size_t i = 0; i < t->count; i++)
        squares += direction[i] * direction[i];
    const double size = o->normalize_gradient ? sqrt(squares / (double)t->count) + o->epsilon : 1;
    for (size_t i = 0; size != 1 && i < t->count; i++)
        direction[i] /= size;
}

static void tensor(struct pl_optim *optim, const struct pl_arenas *arenas, size_t index)
{
    struct soap *o = optim->self;
    const struct pl_tensor *t = &optim->layout.tensors[index];
    const size_t at = pl_side_place(&optim->layout, index, o->max_dimension, o->vectors);
    double *g = optim->scratch, *direction = g + t->count, *work = g + 2 * t->count;
    real *gradient = arenas->gradient + t->offset, *m = (real *)optim->arenas[0].data + t->offset;
    real *v = (real *)optim->arenas[1].data + t->offset;
    const uint64_t step = optim->counts[PL_COUNT_STEPS];
    const double k = (double)step - 1, lambda = optim->rates[0];
    for (size_t i = 0; i < t->count; i++)
        g[i] = (double)gradient[i];
    if (step > 1)
        find_direction(optim, t, at, g, m, v, direction, work);
    for (size_t i = 0; i < t->count; i++)
        gradient[i] = step > 1 ? (real)direction[i] : 0;
    learn(optim, t, at, g, v, work);
    o->keep = step > 1 ? 1 - lambda * o->weight_decay : 1;
    o->rate = lambda * (o->bias_correction && step > 1 ? sqrt(1 - pow(o->beta2, k)) / (1 - pow(o->beta1, k)) : 1);
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct soap *o = self;
    real *restrict theta = c->theta;
    const real *restrict direction = c->gradient;
    const size_t n = c->count;
    const real rate = (real)o->rate, keep = (real)o->keep;
    for (size_t i = 0; i < n; i++)
        theta[i] = keep * (theta[i] - rate * direction[i]);
}

static void spare(void *self)
{
    struct soap *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_soap) = {
    .info = {"soap", "Adam in the eigenbasis of Shampoo's preconditioners (Vyas and others)", PL_SETTINGS(settings),
             .matrices = true},
    .self_size = sizeof(struct soap),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .tensor = tensor,
    .update = update,
};
