#include "optim/matrix.h"

#include <gsl/gsl_eigen.h>

#include <math.h>
#include <string.h>

static const double negligible = 1e-13;

struct product {
    const struct pl_optim *optim;
    struct pl_product of;
};

static void product_part(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct product *p = self;
    p->optim->wide->product(&p->of, from, to);
}

void pl_matrix_product(const struct pl_optim *optim, const double *a, const double *b, double *c, size_t rows,
                       size_t inner, size_t columns)
{
    struct product product = {optim, {a, b, c, rows, inner, columns}};
    pl_product_parallel(optim->threads, &product.of, product_part, &product);
}

void pl_matrix_transpose(const double *a, double *b, size_t rows, size_t columns)
{
    enum { TILE = 16 };
    for (size_t r = 0; r < rows; r += TILE)
        for (size_t c = 0; c < columns; c += TILE)
            for (size_t i = r; i < rows && i < r + TILE; i++)
                for (size_t j = c; j < columns && j < c + TILE; j++)
                    b[j * rows + i] = a[i * columns + j];
}

static bool all_finite(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* Eigenvalues, falling, and their vectors as the columns of vectors. copy is overwritten. */
static void decompose(const double *h, size_t n, double *copy, gsl_vector *values, double *vectors)
{
    memcpy(copy, h, n * n * sizeof *copy);
    gsl_matrix_view matrix = gsl_matrix_view_array(copy, n, n), columns = gsl_matrix_view_array(vectors, n, n);
    gsl_eigen_symmv_workspace *workspace = gsl_eigen_symmv_alloc(n);
    gsl_eigen_symmv(&matrix.matrix, values, &columns.matrix, workspace);
    gsl_eigen_symmv_sort(values, &columns.matrix, GSL_EIGEN_SORT_VAL_DESC);
    gsl_eigen_symmv_free(workspace);
}

void pl_matrix_power(const struct pl_optim *optim, const double *h, size_t n, double power, double least, double *out,
                     double *work)
{
    if (!all_finite(h, n * n)) {
        for (size_t i = 0; i < n * n; i++)
            out[i] = NAN;
        return;
    }
    double *vectors = work, *scaled = work + n * n;
    gsl_vector *values = gsl_vector_alloc(n);
    decompose(h, n, out, values, vectors);
    for (size_t j = 0; j < n; j++) /* V diag(l^p) in rows of V' */
        for (size_t i = 0; i < n; i++)
            scaled[j * n + i] = vectors[i * n + j] * pow(fmax(gsl_vector_get(values, j), least), power);
    gsl_vector_free(values);
    double *copy = vectors;
    pl_matrix_product(optim, copy, scaled, out, n, n, n);
}

static double dot(const double *x, const double *y, size_t n)
{
    double sums[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++)
            sums[k] += x[i + k] * y[i + k];
    for (; i < n; i++)
        sums[0] += x[i] * y[i];
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/* Takes the parts along rows [0, count) out of row, twice; returns what is left of its length. */
static double reduce(const double *rows, size_t count, size_t n, double *row)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < count; k++) {
            const double *other = rows + k * n;
            double share = dot(other, row, n);
            for (size_t i = 0; i < n; i++)
                row[i] -= share * other[i];
        }
    return sqrt(dot(row, row, n));
}

static void scale(double *row, size_t n, double factor)
{
    for (size_t i = 0; i < n; i++)
        row[i] *= factor;
}

/* Row number count becomes the unit vector that is furthest from the rows before it, less its parts along them. */
static void add_unit_row(double *rows, size_t count, size_t n)
{
    size_t furthest = 0;
    double most = -1;
    for (size_t i = 0; i < n; i++) {
        double rest = 1;
        for (size_t k = 0; k < count; k++)
            rest -= rows[k * n + i] * rows[k * n + i];
        if (rest > most + 1e-9) {
            most = rest;
            furthest = i;
        }
    }
    double *row = rows + count * n;
    memset(row, 0, n * sizeof *row);
    row[furthest] = 1;
    scale(row, n, 1 / reduce(rows, count, n, row));
}

void pl_matrix_basis(const double *h, size_t n, double *q, double *work)
{
    if (!all_finite(h, n * n)) {
        for (size_t i = 0; i < n * n; i++)
            q[i] = NAN;
        return;
    }
    gsl_vector *values = gsl_vector_alloc(n);
    decompose(h, n, q, values, work);
    pl_matrix_transpose(work, q, n, n);
    const double largest = gsl_vector_get(values, 0);
    for (size_t i = 0; i < n; i++)
        if (!(gsl_vector_get(values, i) > negligible * largest))
            add_unit_row(q, i, n);
    gsl_vector_free(values);
}

void pl_matrix_orthonormalise(double *p, const double *old, size_t n)
{
    double longest = 0;
    for (size_t i = 0; i < n; i++)
        longest = fmax(longest, sqrt(dot(p + i * n, p + i * n, n)));
    for (size_t i = 0; i < n; i++) {
        double *row = p + i * n, rest = reduce(p, i, n, row);
        if (rest <= negligible * longest) {
            memcpy(row, old + i * n, n * sizeof *row);
            rest = reduce(p, i, n, row);
            if (rest <= 1e-6) {
                add_unit_row(p, i, n);
                continue;
            }
        }
        scale(row, n, 1 / rest);
    }
}

int pl_side_count(const struct pl_tensor *t)
{
    return t->dims ? t->dims : 1;
}

size_t pl_side_length(const struct pl_tensor *t, int side)
{
    return t->dims ? t->shape[side] : 1;
}

/* Elements between one index of the side and the next. */
static size_t stride_of(const struct pl_tensor *t, int side)
{
    size_t stride = 1;
    for (int k = side + 1; k < t->dims; k++)
        stride *= t->shape[k];
    return stride;
}

void pl_side_unfold(const struct pl_tensor *t, int side, const double *x, double *matrix)
{
    const size_t length = pl_side_length(t, side), inner = stride_of(t, side), outer = t->count / (length * inner);
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < length; i++)
            memcpy(matrix + (i * outer + o) * inner, x + (o * length + i) * inner, inner * sizeof *x);
}

void pl_side_fold(const struct pl_tensor *t, int side, const double *matrix, double *x)
{
    const size_t length = pl_side_length(t, side), inner = stride_of(t, side), outer = t->count / (length * inner);
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < length; i++)
            memcpy(x + (o * length + i) * inner, matrix + (i * outer + o) * inner, inner * sizeof *x);
}

bool pl_side_counts(const struct pl_tensor *t, int side, size_t most, bool vectors)
{
    return (vectors || t->dims >= 2) && pl_side_length(t, side) <= most;
}

size_t pl_side_place(const struct pl_layout *layout, size_t index, size_t most, bool vectors)
{
    size_t place = 0;
    for (size_t i = 0; i < index; i++)
        for (int side = 0; side < pl_side_count(&layout->tensors[i]); side++) {
            size_t n = pl_side_length(&layout->tensors[i], side);
            place += pl_side_counts(&layout->tensors[i], side, most, vectors) ? n * n : 0;
        }
    return place;
}

void pl_side_collect(const struct pl_optim *optim, const struct pl_tensor *t, int side, const double *g, double keep,
                     double add, double *h, double *work)
{
    const size_t n = pl_side_length(t, side), rest = t->count / n;
    double *matrix = work, *transposed = work + t->count, *product = work + 2 * t->count;
    pl_side_unfold(t, side, g, matrix);
    pl_matrix_transpose(matrix, transposed, n, rest);
    pl_matrix_product(optim, matrix, transposed, product, n, rest, n);
    for (size_t i = 0; i < n * n; i++)
        h[i] = keep * h[i] + add * product[i];
}

void pl_side_multiply(const struct pl_optim *optim, const struct pl_tensor *t, int side, const double *m, double *x,
                      double *work)
{
    const size_t n = pl_side_length(t, side);
    double *matrix = work, *product = work + t->count;
    pl_side_unfold(t, side, x, matrix);
    pl_matrix_product(optim, m, matrix, product, n, n, t->count / n);
    pl_side_fold(t, side, product, x);
}
