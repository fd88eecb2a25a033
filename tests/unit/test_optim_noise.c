/* The optimizers' Gaussian noise: its bits, its accuracy, its distribution, and what it must not depend on. */
#include "optim/optim.h"

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const isas[] = {"base", "avx2", "avx512"};
enum { ISAS = 3, DRAWS = 1 << 21 };

/* The draw of one element by libm from Random123's bits, as noise.c says which bits those are. */
static double reference(struct pl_random key, uint64_t step, uint64_t element)
{
    uint64_t lane = element % 16;
    uint32_t bits[4];
    pl_random_bits(&key, step, element / 32 * 8 + lane / 2, bits);
    uint32_t a = bits[lane % 2], b = bits[2 + lane % 2];
    double radius = sqrt(-2 * log(((double)(a >> 1) + 0.5) * 0x1p-31));
    double angle = (double)(int32_t)(b << 2) * 0x1p-31 * (M_PI / 4);
    bool sine = (element / 16 % 2 == 1) != (b >> 30 & 1);
    return (b >> 31 ? -radius : radius) * (sine ? sin(angle) : cos(angle));
}

static void close_to_the_bits(enum pl_element element, uint64_t step, size_t length, double tolerance)
{
    struct pl_random key = pl_random_stream(7, PL_STREAM_NOISE);
    double *z = pl_arena(length, sizeof *z);
    float *f = (float *)z;
    pl_optim_noise(key, step, element, length, 1, z);
    for (size_t i = 0; i < length; i++) {
        double got = element == PL_FLOAT32 ? (double)f[i] : z[i], want = reference(key, step, i);
        if (!(fabs(got - want) <= tolerance))
            fail_msg("step %llu, element %zu: %.17g is not %.17g", (unsigned long long)step, i, got, want);
    }
    free(z);
}

static void bits_are_philox_and_accuracy_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < ISAS; i++) {
        setenv("POULA_ISA", isas[i], 1);
        close_to_the_bits(PL_FLOAT64, 1, 100003, 4e-15);
        close_to_the_bits(PL_FLOAT32, 1, 1000003, 6e-7);
        close_to_the_bits(PL_FLOAT64, 0x123456789abcdef, 777, 4e-15);
        close_to_the_bits(PL_FLOAT32, 0x123456789abcdef, 777, 6e-7);
    }
    unsetenv("POULA_ISA");
}

static void tails_equal_whole_vectors(void **state)
{
    (void)state;
    struct pl_random key = pl_random_stream(3, PL_STREAM_NOISE);
    for (size_t i = 0; i < ISAS; i++) {
        setenv("POULA_ISA", isas[i], 1);
        double all[96], part[96];
        float all_f[96], part_f[96];
        pl_optim_noise(key, 5, PL_FLOAT64, 96, 1, all);
        pl_optim_noise(key, 5, PL_FLOAT32, 96, 1, all_f);
        for (size_t n = 1; n <= 96; n++) {
            part[n < 96 ? n : 0] = 1234;
            pl_optim_noise(key, 5, PL_FLOAT64, n, 1, part);
            pl_optim_noise(key, 5, PL_FLOAT32, n, 1, part_f);
            assert_memory_equal(all, part, n * sizeof *all);
            assert_memory_equal(all_f, part_f, n * sizeof *all_f);
            assert_true(n == 96 || part[n] == 1234); /* nothing is written behind the end */
        }
    }
    unsetenv("POULA_ISA");
}

static void threads_make_no_difference(void **state)
{
    (void)state;
    struct pl_random key = pl_random_stream(11, PL_STREAM_NOISE);
    static const size_t lengths[] = {1, 31, 33, 4097, 100001};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (int element = PL_FLOAT32; element <= PL_FLOAT64; element++) {
            size_t bytes = lengths[k] * (element == PL_FLOAT32 ? sizeof(float) : sizeof(double));
            void *one = pl_arena(bytes, 1), *more = pl_arena(bytes, 1);
            pl_optim_noise(key, 9, (enum pl_element)element, lengths[k], 1, one);
            for (int threads = 2; threads <= 4; threads++) {
                memset(more, 0, bytes);
                pl_optim_noise(key, 9, (enum pl_element)element, lengths[k], threads, more);
                assert_memory_equal(one, more, bytes);
            }
            free(one);
            free(more);
        }
}

static void draws_differ_between_steps_and_runs(void **state)
{
    (void)state;
    enum { N = 64 };
    float a[N], b[N], c[N];
    pl_optim_noise(pl_random_stream(1, PL_STREAM_NOISE), 1, PL_FLOAT32, N, 1, a);
    pl_optim_noise(pl_random_stream(1, PL_STREAM_NOISE), 2, PL_FLOAT32, N, 1, b);
    pl_optim_noise(pl_random_stream(2, PL_STREAM_NOISE), 1, PL_FLOAT32, N, 1, c);
    for (size_t i = 0; i < N; i++)
        assert_true(a[i] != b[i] && a[i] != c[i]);
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float *draw(uint64_t seed)
{
    float *z = pl_arena(DRAWS, sizeof *z);
    pl_optim_noise(pl_random_stream(seed, PL_STREAM_NOISE), 1, PL_FLOAT32, DRAWS, 2, z);
    return z;
}

/* Each statistic in standard errors; 4.5 of them happen once in 150,000. The seed is fixed. */
static void moments_are_those_of_a_normal(void **state)
{
    (void)state;
    float *z = draw(2026);
    double sum[5] = {0}, n = DRAWS;
    for (size_t i = 0; i < DRAWS; i++) {
        double x = (double)z[i], power = 1;
        for (int k = 1; k <= 4; k++)
            sum[k] += power *= x;
    }
    assert_true(fabs(sum[1] / sqrt(n)) < 4.5);
    assert_true(fabs((sum[2] / n - 1) * sqrt(n / 2)) < 4.5);
    assert_true(fabs(sum[3] / n * sqrt(n / 15)) < 4.5);
    assert_true(fabs((sum[4] / n - 3) * sqrt(n / 96)) < 4.5);
    free(z);
}

static void lags_are_uncorrelated(void **state)
{
    (void)state;
    static const size_t lags[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 64, 512};
    float *z = draw(2027);
    for (size_t k = 0; k < sizeof lags / sizeof *lags; k++) {
        double product = 0, squares = 0;
        for (size_t i = 0; i + lags[k] < DRAWS; i++) {
            double x = (double)z[i], y = (double)z[i + lags[k]];
            product += x * y;
            squares += (x * x - 1) * (y * y - 1); /* the two coordinates of a point share their radius */
        }
        assert_true(fabs(product / sqrt(DRAWS)) < 4.5);
        assert_true(fabs(squares / (2 * sqrt(DRAWS))) < 4.5);
    }
    free(z);
}

static void kolmogorov_and_smirnov_agree(void **state)
{
    (void)state;
    float *z = draw(2028);
    qsort(z, DRAWS, sizeof *z, ascending);
    double distance = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        double p = gsl_cdf_ugaussian_P((double)z[i]);
        distance = fmax(distance, fmax(p - (double)i / DRAWS, (double)(i + 1) / DRAWS - p));
    }
    assert_true(distance * sqrt(DRAWS) < 1.95); /* exceeded once in a thousand samples */
    assert_true(distance > 0);
    assert_true(z[0] < -4.5f && z[DRAWS - 1] > 4.5f); /* the tails are there */
    free(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_philox_and_accuracy_holds), cmocka_unit_test(tails_equal_whole_vectors),
        cmocka_unit_test(threads_make_no_difference),         cmocka_unit_test(draws_differ_between_steps_and_runs),
        cmocka_unit_test(moments_are_those_of_a_normal),      cmocka_unit_test(lags_are_uncorrelated),
        cmocka_unit_test(kolmogorov_and_smirnov_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
