/* Statistics beside what can be known without them: small cases by hand, coverage by drawing, limits. Values of
 * published packages are in `golden statistics`. */
#include "statistics/statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.17g is not %.17g", got, want);
}

static int rising(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* ---- bands ---- */

static void small_noncrossings_are_known(void **state)
{
    (void)state;
    const double low1[] = {0.2}, high1[] = {0.7};
    near(pl_noncrossing(1, low1, high1), 0.5, 1e-15);
    /* Two: both in [0, 1/2]: (1/2)^2. One on each side of 1/2: 1/2. */
    const double low2[] = {0, 0}, high2[] = {0.5, 0.5}, low3[] = {0, 0.5}, high3[] = {0.5, 1};
    near(pl_noncrossing(2, low2, high2), 0.25, 1e-15);
    near(pl_noncrossing(2, low3, high3), 0.5, 1e-15);
    const double low4[] = {0, 0}, high4[] = {1, 1}, low5[] = {0.5, 0.9}, high5[] = {0.4, 1};
    near(pl_noncrossing(2, low4, high4), 1, 0);
    near(pl_noncrossing(2, low5, high5), 0, 0);
}

static void noncrossing_is_what_drawing_says(void **state)
{
    (void)state;
    enum { N = 12, DRAWS = 40000 };
    double low[N], high[N], values[N];
    long within = 0;
    for (int i = 0; i < N; i++) {
        low[i] = fmax(0, (i + 1.0) / N - 0.3);
        high[i] = fmin(1, (double)i / N + 0.25);
    }
    struct pl_random r = pl_random_stream(7, PL_STREAM_DATA);
    for (uint64_t d = 0; d < DRAWS; d++) {
        bool good = true;
        for (uint64_t i = 0; i < N; i++)
            values[i] = pl_random_uniform(&r, d, i);
        qsort(values, N, sizeof *values, rising);
        for (int i = 0; i < N; i++)
            good = good && values[i] >= low[i] && values[i] <= high[i];
        within += good;
    }
    double p = pl_noncrossing(N, low, high);
    near((double)within / DRAWS, p, 5 * sqrt(p * (1 - p) / DRAWS));
}

static void bands_cover_as_they_say(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 5, 40, 300};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < PL_BAND_COUNT; kind++) {
            struct pl_band band;
            struct pl_error err;
            assert_int_equal(pl_band_make(&band, (enum pl_band_kind)kind, sizes[s], 0.9, &err), 0);
            double covers = pl_noncrossing(band.n, band.low, band.high);
            if (kind == PL_BAND_DKW)
                assert_true(covers >= 0.9 - 1e-12);
            else
                near(covers, 0.9, 1e-9);
            for (size_t i = 0; i < band.n; i++) {
                assert_true(band.low[i] >= 0 && band.high[i] <= 1 && band.low[i] < band.high[i]);
                near(band.low[i], 1 - band.high[band.n - 1 - i], 1e-9); /* as the distribution is */
            }
            pl_band_release(&band);
        }
    struct pl_band band;
    struct pl_error err;
    assert_int_equal(pl_band_make(&band, PL_BAND_KS, 5, 1, &err), PL_EINPUT);
    assert_int_equal(pl_band_make(&band, PL_BAND_KS, 0, 0.5, &err), PL_EINPUT);
}

/* ---- tuning curves ---- */

static void tuning_curves_of_three_scores(void **state)
{
    (void)state;
    static const double scores[] = {0.3, 0.1, 0.2};
    struct pl_tuning up, down;
    pl_tuning_init(&up, scores, 3, false);
    pl_tuning_init(&down, scores, 3, true);
    near(pl_tuning_median(&up, 1), 0.2, 0);
    near(pl_tuning_median(&up, 2), 0.3, 0); /* sqrt(1/2) = 0.707 > 2/3 */
    near(pl_tuning_median(&down, 1), 0.2, 0);
    near(pl_tuning_median(&down, 2), 0.1, 0);
    near(pl_tuning_mean_u(&up, 1), 0.2, 1e-15);
    near(pl_tuning_mean_u(&up, 2), (0.2 + 0.3 + 0.3) / 3, 1e-15);
    near(pl_tuning_mean_u(&up, 3), 0.3, 1e-15);
    assert_true(isnan(pl_tuning_mean_u(&up, 4)));
    near(pl_tuning_mean_u(&down, 2), (0.1 + 0.1 + 0.2) / 3, 1e-15);
    near(pl_tuning_mean_v(&up, 2), (0.1 * 1 + 0.2 * 3 + 0.3 * 5) / 9, 1e-15);
    pl_tuning_release(&up);
    pl_tuning_release(&down);
}

/* Negated scores have the negated curve, and its ends change places. */
static void lower_is_better_is_the_mirror(void **state)
{
    (void)state;
    double scores[15], mirrored[15], low, high, its_low, its_high;
    struct pl_random r = pl_random_stream(3, PL_STREAM_DATA);
    struct pl_tuning up, down;
    struct pl_band band;
    struct pl_error err;
    for (uint64_t i = 0; i < 15; i++) {
        scores[i] = floor(8 * pl_random_uniform(&r, 0, i)) / 8; /* with ties */
        mirrored[i] = -scores[i];
    }
    const double support[2] = {0, 1}, other[2] = {-1, 0};
    assert_int_equal(pl_band_make(&band, PL_BAND_LD, 15, 0.8, &err), 0);
    pl_tuning_init(&up, scores, 15, false);
    pl_tuning_init(&down, mirrored, 15, true);
    for (double k = 1; k < 20; k += 0.5) {
        pl_tuning_ends(&up, &band, k, support, &low, &high);
        pl_tuning_ends(&down, &band, k, other, &its_low, &its_high);
        near(its_low, -high, 0);
        near(its_high, -low, 0);
        assert_true(low <= pl_tuning_median(&up, k) && pl_tuning_median(&up, k) <= high);
        near(pl_tuning_median(&down, k), -pl_tuning_median(&up, k), 0);
    }
    pl_band_release(&band);
    pl_tuning_release(&up);
    pl_tuning_release(&down);
}

/* ---- tests ---- */

static void tests_by_hand(void **state)
{
    (void)state;
    struct pl_test t;
    static const double a[] = {1, 2, 3}, b[] = {0, 0, 0}, c[] = {2, 2, 4}, d[] = {1, 1, 1};
    pl_test_wilcoxon(a, b, 3, &t);
    near(t.p, 0.25, 1e-15); /* all signs alike: 2 of 8 */
    near(t.p, pl_test_wilcoxon_least(3), 1e-15);
    near(t.difference, 2, 1e-15);
    pl_test_wilcoxon(c, d, 3, &t); /* 1, 1, 3: ranks 1.5, 1.5, 3 */
    near(t.p, 0.25, 1e-15);
    pl_test_wilcoxon(a, a, 3, &t);
    assert_true(isnan(t.p));
    pl_test_welch(a, 3, c, 3, &t);
    near(t.difference, 2 - 8.0 / 3, 1e-15);
    near(t.error, sqrt(1.0 / 3 + (4.0 / 3) / 3), 1e-15);
    pl_test_welch(b, 3, d, 3, &t); /* no variation at all */
    assert_true(isnan(t.p) && t.difference == -1);
    pl_test_welch(a, 1, c, 3, &t);
    assert_true(isnan(t.p));
    pl_test_paired(a, b, 3, &t); /* t = 2 / (1 / sqrt 3), 2 degrees: p = 1 - t / sqrt(t^2 + 2) */
    near(t.p, 1 - t.statistic / sqrt(t.statistic * t.statistic + 2), 1e-12);
}

/* Losses reach 1e-200 and 1e200: what a test says does not depend on the unit. */
static void tests_know_no_unit(void **state)
{
    (void)state;
    static const double units[] = {1e-250, 1e-100, 1e-80, 1e80, 1e160, 1e300};
    static const double a[] = {1, 2, 3}, c[] = {2, 2, 4};
    struct pl_test welch, paired, t;
    pl_test_welch(a, 3, c, 3, &welch);
    pl_test_paired(a, c, 3, &paired);
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        double x[3], y[3];
        for (size_t i = 0; i < 3; i++)
            x[i] = a[i] * units[u], y[i] = c[i] * units[u];
        pl_test_welch(x, 3, y, 3, &t);
        near(t.p, welch.p, 1e-12);
        near(t.error / units[u], welch.error, 1e-12);
        near(t.freedom, welch.freedom, 1e-12);
        pl_test_paired(x, y, 3, &t);
        near(t.p, paired.p, 1e-12);
    }
}

static void holm_by_hand(void **state)
{
    (void)state;
    double p[] = {0.01, NAN, 0.04, 0.03, 0.5};
    pl_adjust_holm(p, 5);
    near(p[0], 0.04, 1e-15);
    near(p[3], 0.09, 1e-15);
    near(p[2], 0.09, 1e-15); /* 2 * 0.04 is less than what came before */
    near(p[4], 0.5, 1e-15);
    assert_true(isnan(p[1]));
}

/* With differences of that size, the share of tests that find them is the power that was asked for. */
static void a_detectable_difference_is_detected(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    static const size_t sizes[] = {3, 10};
    struct pl_random r = pl_random_stream(11, PL_STREAM_NOISE);
    for (size_t s = 0; s < 2; s++) {
        size_t n = sizes[s];
        double difference = pl_test_detectable(n, 0.05, 0.8), a[10], b[10];
        long found = 0;
        for (uint64_t d = 0; d < DRAWS; d++) {
            struct pl_test t;
            for (uint64_t i = 0; i < n; i++) {
                a[i] = pl_random_normal(&r, s, 32 * d + i) + difference;
                b[i] = pl_random_normal(&r, s, 32 * d + 16 + i);
            }
            pl_test_welch(a, n, b, n, &t);
            /* The power is that of the test with one variance, of which Welch's has a little less freedom. */
            double pooled = t.p;
            double critical = n == 3 ? 2.7764451051977987 : 2.1009220402410378;
            found += fabs(t.statistic) > critical;
            assert_true(pooled > 0);
        }
        near((double)found / DRAWS, 0.8, 5 * sqrt(0.16 / DRAWS));
    }
    assert_true(isnan(pl_test_detectable(1, 0.05, 0.8)));
}

/* The same of pairs, whose differences vary by one standard deviation. */
static void a_detectable_difference_of_pairs_is_detected(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    static const size_t sizes[] = {2, 3, 10};
    static const double none[10] = {0};
    struct pl_random r = pl_random_stream(12, PL_STREAM_NOISE);
    for (size_t s = 0; s < 3; s++) {
        size_t n = sizes[s];
        double difference = pl_test_detectable_paired(n, 0.05, 0.8), d[10];
        long found = 0;
        for (uint64_t k = 0; k < DRAWS; k++) {
            struct pl_test t;
            for (uint64_t i = 0; i < n; i++)
                d[i] = pl_random_normal(&r, s, 16 * k + i) + difference;
            pl_test_paired(d, none, n, &t);
            found += t.p < 0.05;
        }
        near((double)found / DRAWS, 0.8, 5 * sqrt(0.16 / DRAWS));
    }
    assert_true(isnan(pl_test_detectable_paired(1, 0.05, 0.8)));
}

static void ranges_of_two_are_normal(void **state)
{
    (void)state;
    /* The range of two normal variables is |N(0, 2)|. */
    near(pl_range_cdf(1.5, 2), erf(1.5 / 2), 1e-13);
    near(pl_range_quantile(0.95, 2), 1.959963984540054 * M_SQRT2, 1e-10);
    near(pl_range_cdf(0, 5), 0, 0);
    near(pl_range_cdf(50, 5), 1, 1e-12);
}

static void orders_by_hand(void **state)
{
    (void)state;
    static const double x[] = {1, 2, 3, 4}, y[] = {1, 2, 4, 3}, z[] = {2, 2, 2, 2}, w[] = {1, 1, 2, 3};
    near(pl_kendall(x, x, 4), 1, 0);
    near(pl_kendall(x, y, 4), (5.0 - 1) / 6, 1e-15);
    near(pl_same_order(x, y, 4), 5.0 / 6, 1e-15);
    assert_true(isnan(pl_kendall(x, z, 4)));
    assert_true(isnan(pl_same_order(x, z, 4)));
    near(pl_kendall(x, w, 4), 5 / sqrt(5.0 * 6), 1e-15);
    near(pl_same_order(x, w, 4), 1, 0);
    double ranks[4], mean[2];
    pl_ranks((const double[]){1, 2, 3, 3}, 2, 2, true, ranks);
    pl_mean_ranks(ranks, 2, 2, mean);
    near(mean[0], 1.75, 0);
    near(mean[1], 1.25, 0);
}

static void profiles_by_hand(void **state)
{
    (void)state;
    static const double times[] = {1, 2, INFINITY, 3, INFINITY, INFINITY, 4, 4};
    near(pl_profile_share(times, 4, 2, 0, 1), 0.5, 0);
    near(pl_profile_share(times, 4, 2, 1, 1), 0.5, 0);
    near(pl_profile_share(times, 4, 2, 1, 2), 0.75, 0);
    near(pl_profile_share(times, 4, 2, 0, 1e300), 0.5, 0);
    near(pl_profile_score(times, 4, 2, 0, 4), 0.5, 1e-15);
    near(pl_profile_score(times, 4, 2, 1, 4), (2.0 + 3 + 3) / 4 / 3, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_noncrossings_are_known),
        cmocka_unit_test(noncrossing_is_what_drawing_says),
        cmocka_unit_test(bands_cover_as_they_say),
        cmocka_unit_test(tuning_curves_of_three_scores),
        cmocka_unit_test(lower_is_better_is_the_mirror),
        cmocka_unit_test(tests_by_hand),
        cmocka_unit_test(tests_know_no_unit),
        cmocka_unit_test(holm_by_hand),
        cmocka_unit_test(a_detectable_difference_is_detected),
        cmocka_unit_test(a_detectable_difference_of_pairs_is_detected),
        cmocka_unit_test(ranges_of_two_are_normal),
        cmocka_unit_test(orders_by_hand),
        cmocka_unit_test(profiles_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
