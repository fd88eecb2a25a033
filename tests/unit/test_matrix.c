/* Matrices of the optimizers that look at tensors as such. */
#include "optim/matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static double mix(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

static struct pl_optim *make(const char *name, const size_t *shape, int dims, enum pl_element element, int threads)
{
    struct pl_settings settings = {0};
    struct pl_layout layout = {0};
    struct pl_optim *optim;
    struct pl_error err;
    pl_settings_set_string(&settings, "optimizer", name);
    pl_settings_set_real(&settings, "lambda", 0.1);
    if (!strcmp(name, "soap"))
        pl_settings_set_integer(&settings, "refresh", 2);
    pl_layout_add(&layout, shape, dims);
    if (pl_optim_new(&optim, &settings, &layout, element, pl_random_stream(1, PL_STREAM_NOISE), threads, &err))
        fail_msg("%s", err.text);
    pl_settings_release(&settings);
    pl_layout_release(&layout);
    return optim;
}

static void assert_close(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.17g is not %.17g", got, want);
}

static double element(const double *a, const double *b, size_t row, size_t column, size_t inner, size_t columns)
{
    double sum = 0;
    for (size_t k = 0; k < inner; k++)
        sum += a[row * inner + k] * b[k * columns + column];
    return sum;
}

/* Of shapes that are no multiples of anything, small and large enough for threads: the same bits on one and three. */
static void products_are_products(void **state)
{
    (void)state;
    static const size_t shapes[][3] = {{1, 1, 1}, {3, 2, 5}, {4, 7, 8}, {17, 5, 23}, {61, 67, 71}, {130, 40, 9}};
    struct pl_optim *one = make("shampoo", (const size_t[]){2, 2}, 2, PL_FLOAT32, 1);
    struct pl_optim *three = make("shampoo", (const size_t[]){2, 2}, 2, PL_FLOAT64, 3);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const size_t rows = shapes[s][0], inner = shapes[s][1], columns = shapes[s][2];
        double *a = pl_new(rows * inner * sizeof *a), *b = pl_new(inner * columns * sizeof *b);
        double *c = pl_new((rows * columns + 1) * sizeof *c), *d = pl_new((rows * columns + 1) * sizeof *d);
        for (size_t i = 0; i < rows * inner; i++)
            a[i] = mix(i);
        for (size_t i = 0; i < inner * columns; i++)
            b[i] = mix(i + 1000000);
        c[rows * columns] = d[rows * columns] = 7;
        pl_matrix_product(one, a, b, c, rows, inner, columns);
        pl_matrix_product(three, a, b, d, rows, inner, columns);
        assert_memory_equal(c, d, (rows * columns + 1) * sizeof *c);
        assert_true(c[rows * columns] == 7);
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++)
                assert_close(c[i * columns + j], element(a, b, i, j, inner, columns), 1e-13);
        free(a);
        free(b);
        free(c);
        free(d);
    }
    pl_optim_free(one);
    pl_optim_free(three);
}

/* h = the sum of rank outer products of made-up vectors, each a tenth as long as the one before. */
static void fill(double *h, size_t n, size_t rank, double error)
{
    memset(h, 0, n * n * sizeof *h);
    for (size_t k = 0; k < rank; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                h[i * n + j] += mix(100 * k + i) * mix(100 * k + j) * pow(0.1, (double)k);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            h[j * n + i] = h[i * n + j] += error * mix(7777 + i * n + j);
}

enum { N = 6 };

static void assert_orthonormal(const double *q)
{
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = 0; k < N; k++)
                sum += q[i * N + k] * q[j * N + k];
            assert_close(sum, i == j, 1e-13);
        }
}

static void powers_are_powers(void **state)
{
    (void)state;
    struct pl_optim *optim = make("shampoo", (const size_t[]){2, 2}, 2, PL_FLOAT64, 1);
    double h[N * N], root[N * N], work[2 * N * N], square[N * N], fourth[N * N], unit[N * N];
    fill(h, N, N, 0);
    pl_matrix_power(optim, h, N, -0.25, 1e-12, root, work);
    pl_matrix_product(optim, root, root, square, N, N, N);
    pl_matrix_product(optim, square, square, fourth, N, N, N);
    pl_matrix_product(optim, fourth, h, unit, N, N, N);
    for (size_t i = 0; i < N * N; i++)
        assert_close(unit[i], i % (N + 1) == 0, 1e-8);
    fill(h, N, 2, 0); /* what vanishes counts as least */
    pl_matrix_power(optim, h, N, -0.5, 1e-4, root, work);
    double basis[N * N];
    pl_matrix_basis(h, N, basis, work);
    for (size_t r = 2; r < N; r++)
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            for (size_t k = 0; k < N; k++)
                sum += root[i * N + k] * basis[r * N + k];
            assert_close(sum, 100 * basis[r * N + i], 1e-9);
        }
    h[3] = NAN;
    pl_matrix_power(optim, h, N, -0.5, 1e-4, root, work);
    assert_true(isnan(root[0]));
    pl_matrix_basis(h, N, basis, work);
    assert_true(isnan(basis[0]));
    pl_optim_free(optim);
}

/* Rounding decides nothing: a matrix that differs by 1e-16 has the same basis of its null space. */
static void a_null_space_has_one_basis(void **state)
{
    (void)state;
    double h[N * N], g[N * N], q[N * N], r[N * N], work[N * N];
    for (size_t rank = 0; rank <= N; rank++) {
        fill(h, N, rank, 0);
        fill(g, N, rank, rank ? 1e-16 : 0);
        pl_matrix_basis(h, N, q, work);
        pl_matrix_basis(g, N, r, work);
        assert_orthonormal(q);
        for (size_t i = 0; i < N; i++) {
            double same = 0, other = 0;
            for (size_t k = 0; k < N; k++) {
                same = fmax(same, fabs(q[i * N + k] - r[i * N + k]));
                other = fmax(other, fabs(q[i * N + k] + r[i * N + k]));
            }
            assert_true(same < 1e-8 || other < 1e-8);
        }
    }
}

static void dependent_rows_give_way(void **state)
{
    (void)state;
    double p[N * N], old[N * N], h[N * N], work[N * N];
    fill(h, N, N, 0);
    pl_matrix_basis(h, N, old, work);
    for (size_t i = 0; i < N * N; i++)
        p[i] = i / N == 1 ? 3 * p[i - N] : i / N == 3 ? 0 : mix(i + 50);
    pl_matrix_orthonormalise(p, old, N);
    assert_orthonormal(p);
    memset(p, 0, sizeof p);
    pl_matrix_orthonormalise(p, old, N); /* nothing but what was there */
    for (size_t i = 0; i < N * N; i++)
        assert_close(p[i], old[i], 1e-14);
    for (size_t i = 0; i < N * N; i++)
        p[i] = 1, old[i] = 2;
    pl_matrix_orthonormalise(p, old, N); /* neither helps: unit vectors */
    assert_orthonormal(p);
}

/* SOAP on a matrix whose preconditioners are singular at first: nudging gradients by rounding moves theta by rounding.
 */
static void soap_does_not_depend_on_rounding(void **state)
{
    (void)state;
    const size_t shape[] = {7, 3};
    struct pl_optim *optims[2];
    double theta[2][32] = {{0}}, gradient[32];
    for (int k = 0; k < 2; k++)
        optims[k] = make("soap", shape, 2, PL_FLOAT64, 1);
    for (uint64_t step = 0; step < 20; step++)
        for (int k = 0; k < 2; k++) {
            for (size_t i = 0; i < 21; i++)
                gradient[i] = mix(1000 * step + i) * (1 + (k ? 3e-16 * mix(i + 5 * step) : 0));
            pl_optim_step(optims[k], theta[k], gradient, NULL);
        }
    for (size_t i = 0; i < 21; i++)
        assert_close(theta[0][i], theta[1][i], 1e-9);
    assert_true(fabs(theta[0][0]) > 0.01);
    pl_optim_free(optims[0]);
    pl_optim_free(optims[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_products),
        cmocka_unit_test(powers_are_powers),
        cmocka_unit_test(a_null_space_has_one_basis),
        cmocka_unit_test(dependent_rows_give_way),
        cmocka_unit_test(soap_does_not_depend_on_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
