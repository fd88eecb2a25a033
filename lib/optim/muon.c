/* Muon: Jordan et al., "Muon: an optimizer for hidden layers in neural networks" (2024), as torch has it. A tensor of
 * two or more dimensions is a matrix, first dimension by the rest, of r rows and c columns: B <- momentum B + (1 -
 * momentum) g;  X = momentum B + (1 - momentum) g with nesterov, else B where r > c, X is transposed until the end X <-
 * X / max(|X|, epsilon), then ns_steps times, p, q, s the coefficients:  Y = X X';  X <- p X + (q Y + s Y Y) X theta <-
 * (1 - lambda weight_decay) theta - lambda f X f = sqrt(max(1, r / c)) (original), 0.2 sqrt(max(r, c))
 * (match_rms_adamw) or sqrt(r / c) (spectral_unclamped) Everything else is AdamW's, at the rate adamw_lambda lambda /
 * (initial lambda). */
#include "optim/kernel.h"

#include <string.h>

#define ADAMW " of AdamW, which vectors and scalars have"

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_RATE_OF("momentum", NULL, "0.95", "the mean gradient"),
    PL_SETTING_SWITCH("nesterov", NULL, "true", "Nesterov's momentum"),
    PL_SETTING_WEIGHT_DECAY("0.1", PL_DECOUPLED),
    {.key = "ns_steps", .type = PL_INTEGER, .initial = "5", .range = "[0,100]", .help = "Newton-Schulz iterations"},
    {.key = "ns_coefficient1",
     .type = PL_REAL,
     .initial = "3.4445",
     .range = NULL,
     .help = "coefficient of X in an iteration",
     .idle_when = "ns_steps=0"},
    {.key = "ns_coefficient2",
     .type = PL_REAL,
     .initial = "-4.775",
     .range = NULL,
     .help = "coefficient of X X' X",
     .idle_when = "ns_steps=0"},
    {.key = "ns_coefficient3",
     .type = PL_REAL,
     .initial = "2.0315",
     .range = NULL,
     .help = "coefficient of X X' X X' X",
     .idle_when = "ns_steps=0"},
    {.key = "epsilon",
     .aliases = "eps ε",
     .type = PL_REAL,
     .initial = "1e-7",
     .range = "[0,inf)",
     .help = "least norm that a matrix is divided by"},
    {.key = "adjust",
     .aliases = "adjust_lr_fn",
     .type = PL_STRING,
     .initial = "original",
     .range = "original match_rms_adamw spectral_unclamped",
     .help = "factor on the step of a matrix, by its shape"},
    {.key = "adamw_lambda",
     .aliases = "adamw_lr",
     .type = PL_REAL,
     .initial = "0.001",
     .range = "(0,inf)",
     .help = "learning rate" ADAMW},
    {.key = "adamw_beta1", .type = PL_REAL, .initial = "0.9", .range = "[0,1)", .help = "beta1" ADAMW},
    {.key = "adamw_beta2", .type = PL_REAL, .initial = "0.95", .range = "[0,1)", .help = "beta2" ADAMW},
    {.key = "adamw_epsilon",
     .aliases = "adamw_eps",
     .type = PL_REAL,
     .initial = "1e-8",
     .range = "[0,inf)",
     .help = "epsilon" ADAMW},
    {.key = "adamw_weight_decay", .type = PL_REAL, .initial = "0", .range = "[0,inf)", .help = "weight decay" ADAMW},
};

enum adjust { ORIGINAL, MATCH_RMS_ADAMW, SPECTRAL_UNCLAMPED };

struct muon {
    double momentum, weight_decay, epsilon, coefficients[3];
    int64_t ns_steps;
    bool nesterov;
    enum adjust adjust;
    double adamw_lambda, adamw_beta1, adamw_beta2, adamw_epsilon, adamw_weight_decay;
    double *v;        /* second moments of what is no matrix */
    bool matrix;      /* of this tensor */
    const real *base; /* its theta */
    double *second;   /* its v */
    double keep, rate, over_root;
};

static bool is_matrix(const struct pl_tensor *t)
{
    return t->dims >= 2;
}

static size_t place_of(const struct pl_layout *layout, size_t index)
{
    size_t place = 0;
    for (size_t i = 0; i < index; i++)
        place += is_matrix(&layout->tensors[i]) ? 0 : layout->tensors[i].count;
    return place;
}

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct muon *o = optim->self;
    const char *adjust = pl_settings_need_string(s, "adjust");
    o->momentum = pl_settings_need_real(s, "momentum");
    o->nesterov = pl_settings_need_boolean(s, "nesterov");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->ns_steps = pl_settings_need_integer(s, "ns_steps");
    o->coefficients[0] = pl_settings_need_real(s, "ns_coefficient1");
    o->coefficients[1] = pl_settings_need_real(s, "ns_coefficient2");
    o->coefficients[2] = pl_settings_need_real(s, "ns_coefficient3");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->adjust = *adjust == 'o' ? ORIGINAL : *adjust == 'm' ? MATCH_RMS_ADAMW : SPECTRAL_UNCLAMPED;
    o->adamw_lambda = pl_settings_need_real(s, "adamw_lambda");
    o->adamw_beta1 = pl_settings_need_real(s, "adamw_beta1");
    o->adamw_beta2 = pl_settings_need_real(s, "adamw_beta2");
    o->adamw_epsilon = pl_settings_need_real(s, "adamw_epsilon");
    o->adamw_weight_decay = pl_settings_need_real(s, "adamw_weight_decay");
    size_t most = 0;
    for (size_t i = 0; i < optim->layout.count; i++) {
        const struct pl_tensor *t = &optim->layout.tensors[i];
        size_t rows = t->rows, columns = t->count / t->rows, side = rows < columns ? rows : columns;
        size_t room = is_matrix(t) ? 3 * t->count + 3 * side * side : 0;
        most = room > most ? room : most;
    }
    pl_optim_want_arena(optim, "m", 0);
    pl_optim_want_table(optim, "v", place_of(&optim->layout, optim->layout.count), &o->v);
    pl_optim_want_scratch(optim, (most * sizeof(real) + sizeof(double) - 1) / sizeof(double));
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)optim;
    (void)arenas;
}

/* What is to be orthogonalised takes the gradient's place. */
static void collect(const void *self, struct pl_chunk *c)
{
    const struct muon *o = self;
    real *restrict m = c->state[0], *restrict g = c->gradient;
    const size_t n = c->count;
    const real momentum = (real)o->momentum, rest = (real)(1 - o->momentum);
    const real old = o->nesterov ? momentum : 1, new = o->nesterov ? rest : 0;
    for (size_t i = 0; i < n; i++) {
        m[i] = momentum * m[i] + rest * g[i];
        g[i] = old * m[i] + new *g[i];
    }
}

static void transpose(const real *a, real *b, size_t rows, size_t columns)
{
    enum { TILE = 16 };
    for (size_t r = 0; r < rows; r += TILE)
        for (size_t c = 0; c < columns; c += TILE)
            for (size_t i = r; i < rows && i < r + TILE; i++)
                for (size_t j = c; j < columns && j < c + TILE; j++)
                    b[j * rows + i] = a[i * columns + j];
}

static void product_part(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    KERNEL(pl_product_part)(self, from, to);
}

static void multiply(const struct pl_optim *optim, const real *a, const real *b, real *c, size_t rows, size_t inner,
                     size_t columns)
{
    struct pl_product product = {a, b, c, rows, inner, columns};
    pl_product_parallel(optim->threads, &product, product_part, &product);
}

/* One Newton-Schulz iteration of the side x length matrix x; the others are room to work in. */
static void iterate(const struct pl_optim *optim, real *x, size_t side, size_t length, real *transposed, real *product,
                    real *squares)
{
    const struct muon *o = optim->self;
    const real p = (real)o->coefficients[0], q = (real)o->coefficients[1], s = (real)o->coefficients[2];
    const size_t count = side * side;
    real *y = squares, *yy = squares + count, *sum = squares + 2 * count;
    transpose(x, transposed, side, length);
    multiply(optim, x, transposed, y, side, length, side);
    multiply(optim, y, y, yy, side, side, side);
    for (size_t i = 0; i < count; i++)
        sum[i] = q * y[i] + s * yy[i];
    multiply(optim, sum, x, product, side, side, length);
    for (size_t i = 0; i < side * length; i++)
        x[i] = p * x[i] + product[i];
}

/* The direction of a matrix takes its place. */
static void orthogonalise(const struct pl_optim *optim, real *g, size_t rows, size_t columns)
{
    const struct muon *o = optim->self;
    const size_t count = rows * columns, side = rows < columns ? rows : columns, length = count / side;
    real *x = (real *)(void *)optim->scratch, *transposed = x + count, *product = transposed + count;
    double norm = sqrt(KERNEL(pl_dot)(g, g, count));
    const real factor = norm == 0 && o->epsilon == 0 ? 0 : (real)(1 / (norm < o->epsilon ? o->epsilon : norm));
    if (rows > columns)
        transpose(g, x, rows, columns);
    else
        memcpy(x, g, count * sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] *= factor;
    for (int64_t i = 0; i < o->ns_steps; i++)
        iterate(optim, x, side, length, transposed, product, product + count);
    if (rows > columns)
        transpose(x, g, columns, rows);
    else
        memcpy(g, x, count * sizeof *x);
}

static double factor_of(enum adjust adjust, double rows, double columns)
{
    switch (adjust) {
    case ORIGINAL:
        return sqrt(fmax(1, rows / columns));
    case MATCH_RMS_ADAMW:
        return 0.2 * sqrt(fmax(rows, columns));
    case SPECTRAL_UNCLAMPED:
        break;
    }
    return sqrt(rows / columns);
}

static void tensor(struct pl_optim *optim, const struct pl_arenas *arenas, size_t index)
{
    struct muon *o = optim->self;
    const struct pl_tensor *t = &optim->layout.tensors[index];
    const double step = (double)optim->counts[PL_COUNT_STEPS], lambda = optim->rates[0];
    double sums[PL_SUMS];
    o->matrix = is_matrix(t);
    if (o->matrix) {
        size_t columns = t->count / t->rows;
        KERNEL(pl_pass)(optim, arenas, optim->first_block[index], optim->first_block[index + 1], collect, sums);
        orthogonalise(optim, arenas->gradient + t->offset, t->rows, columns);
        o->keep = 1 - lambda * o->weight_decay;
        o->rate = lambda * factor_of(o->adjust, (double)t->rows, (double)columns);
        return;
    }
    const double rate = o->adamw_lambda * (lambda / optim->initial_rate);
    o->base = arenas->theta + t->offset;
    o->second = o->v + place_of(&optim->layout, index);
    o->keep = 1 - rate * o->adamw_weight_decay;
    o->rate = rate / (1 - pow(o->adamw_beta1, step));
    o->over_root = 1 / sqrt(1 - pow(o->adamw_beta2, step));
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct muon *o = self;
    real *restrict theta = c->theta, *restrict m = c->state[0];
    const real *restrict g = c->gradient;
    const size_t n = c->count;
    const real rate = (real)o->rate, keep = (real)o->keep;
    if (o->matrix) {
        for (size_t i = 0; i < n; i++)
            theta[i] = keep * theta[i] - rate * g[i];
        return;
    }
    double *restrict v = o->second + (theta - o->base);
    const real beta1 = (real)o->adamw_beta1, rest1 = (real)(1 - o->adamw_beta1);
    const real epsilon = (real)o->adamw_epsilon, over_root = (real)o->over_root;
    for (size_t i = 0; i < n; i++) {
        m[i] = beta1 * m[i] + rest1 * g[i];
        v[i] = o->adamw_beta2 * v[i] + (1 - o->adamw_beta2) * (double)g[i] * (double)g[i];
        theta[i] = keep * theta[i] - rate * m[i] / (real_sqrt((real)v[i]) * over_root + epsilon);
    }
}

static void spare(void *self)
{
    struct muon *o = self;
    o->adamw_weight_decay = 0;
}

const struct pl_optimizer KERNEL(pl_muon) = {
    .info = {"muon", "matrices along their nearest orthogonal ones, the rest by AdamW (Jordan and others)",
             PL_SETTINGS(settings), .matrices = true},
    .self_size = sizeof(struct muon),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .tensor = tensor,
    .update = update,
};
