/* Laws by quadrature against closed forms, and distances of samples from them. */
#include "problem/gibbs.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void close_to(double found, double wanted, double most)
{
    if (!(fabs(found - wanted) <= most))
        fail_msg("%.15g is not %.15g", found, wanted);
}

static double gaussian(const void *self, double x)
{
    double at = self ? *(const double *)self : 0;
    return -(x - at) * (x - at) / 2;
}

static double quartic(const void *self, double x)
{
    (void)self;
    return -x * x * x * x / 4;
}

/* Two Gaussians of standard deviation 1e-5 at -1 and 1, the right one three times as heavy. */
static double needles(const void *self, double x)
{
    (void)self;
    double left = -(x + 1) * (x + 1) / 2e-10, right = -(x - 1) * (x - 1) / 2e-10;
    return x < 0 ? left : right + log(3);
}

static double flat(const void *self, double x)
{
    (void)self;
    (void)x;
    return 0;
}

static struct pl_law *law_of(double (*log_density)(const void *self, double x), const void *self, double left,
                             double right)
{
    struct pl_law *law;
    struct pl_error err;
    if (pl_law_new(&law, log_density, self, (const double[]){left, right}, 2, 1e-13, &err))
        fail_msg("%s", err.text);
    return law;
}

static void laws_have_their_closed_forms(void **state)
{
    (void)state;
    static const double chances[] = {1e-10, 1e-5, 0.01, 0.3, 0.5, 0.9, 1 - 1e-6};
    const double far = 1000;
    struct pl_law *law = law_of(gaussian, &far, 1000, 1000);
    close_to(pl_law_mean(law), 1000, 1e-11);
    close_to(pl_law_variance(law), 1, 1e-9);
    for (size_t i = 0; i < COUNT(chances); i++) {
        double x = 1000 + gsl_cdf_ugaussian_Pinv(chances[i]);
        close_to(pl_law_quantile(law, chances[i]), x, i < 2 ? 1e-5 : 1e-10);
        close_to(pl_law_cdf(law, x), chances[i], 1e-13);
    }
    pl_law_free(law);

    law = law_of(quartic, NULL, 0, 0);
    close_to(pl_law_variance(law), 2 * gsl_sf_gamma(0.75) / gsl_sf_gamma(0.25), 1e-13);
    for (double x = 0.1; x < 3; x += 0.3)
        close_to(pl_law_cdf(law, x), 0.5 + 0.5 * gsl_sf_gamma_inc_P(0.25, x * x * x * x / 4), 1e-13);
    close_to(pl_law_cdf(law, -INFINITY), 0, 1e-15);
    close_to(pl_law_cdf(law, INFINITY), 1, 1e-15);
    assert_true(isnan(pl_law_cdf(law, NAN)));
    pl_law_free(law);

    law = law_of(needles, NULL, -1, 1);
    close_to(pl_law_mean(law), 0.5, 1e-10);
    close_to(pl_law_variance(law), 0.75, 1e-9);
    close_to(pl_law_cdf(law, 0), 0.25, 1e-10);
    close_to(pl_law_quantile(law, 0.125), -1, 1e-12);
    close_to(pl_law_quantile(law, 0.25 + 0.75 * gsl_cdf_ugaussian_P(1)), 1 + 1e-5, 1e-14);
    pl_law_free(law);
}

static void densities_that_do_not_fall_are_refused(void **state)
{
    (void)state;
    struct pl_law *law = NULL;
    struct pl_error err = {0};
    assert_int_equal(pl_law_new(&law, flat, NULL, (const double[]){0}, 1, 1e-13, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "cannot be integrated"));
    assert_null(law);
}

static void measure(const struct pl_law *law, const double *sorted, size_t count, double *w1, double *w2)
{
    struct pl_law_parts *parts = pl_law_parts_new(law, count);
    pl_law_distances(parts, sorted, w1, w2);
    *w2 = sqrt(*w2);
    pl_law_parts_free(parts);
}

/* A single sample a: W1 = E|X - a|, W2^2 = 1 + a^2. Two samples -1, 1: each faces its half. */
static void distances_of_few_samples(void **state)
{
    (void)state;
    struct pl_law *law = law_of(gaussian, NULL, 0, 0);
    double w1, w2;
    for (double a = -2.5; a < 3; a += 0.7) {
        measure(law, &a, 1, &w1, &w2);
        close_to(w1, 2 * gsl_ran_ugaussian_pdf(a) + a * (2 * gsl_cdf_ugaussian_P(a) - 1), 1e-12);
        close_to(w2, sqrt(1 + a * a), 1e-12);
    }
    measure(law, (const double[]){-1, 1}, 2, &w1, &w2);
    double below = gsl_cdf_ugaussian_P(1) - 0.5 - gsl_ran_ugaussian_pdf(0) + gsl_ran_ugaussian_pdf(1);
    double above = gsl_ran_ugaussian_pdf(1) - gsl_cdf_ugaussian_Q(1);
    close_to(w1, 2 * (below + above), 1e-12);
    close_to(w2, sqrt(2 - 2 * sqrt(2 / M_PI)), 1e-12);
    measure(law, (const double[]){0, INFINITY}, 2, &w1, &w2);
    assert_true(isinf(w1) && isinf(w2));
    pl_law_free(law);
}

/* A law that is moved by d is d away, whatever it is; one that is stretched by s is E|X| (s - 1) away. */
static void distances_of_moved_samples(void **state)
{
    (void)state;
    enum { N = 20000 };
    static double samples[N];
    struct pl_law *law = law_of(gaussian, NULL, 0, 0);
    double w1, w2;
    for (int moved = 0; moved < 2; moved++) {
        for (size_t i = 0; i < N; i++) {
            double x = gsl_cdf_ugaussian_Pinv(((double)i + 0.5) / N);
            samples[i] = moved ? x + 0.25 : 1.1 * x;
        }
        measure(law, samples, N, &w1, &w2);
        close_to(w1, moved ? 0.25 : 0.1 * sqrt(2 / M_PI), 5e-5);
        close_to(w2, moved ? 0.25 : 0.1, 1e-3);
    }
    pl_law_free(law);
}

/* Kolmogorov's statistic, and the mean of W1, which is about sqrt(2 / (pi n)) int sqrt(F (1 - F)). */
static void samples_have_the_law(void **state)
{
    (void)state;
    enum { N = 1000, SAMPLES = 100 };
    static double sorted[N];
    struct pl_law *law = law_of(quartic, NULL, 0, 0);
    struct pl_random random = pl_random_stream(3, PL_STREAM_INIT);
    struct pl_law_parts *parts = pl_law_parts_new(law, N);
    double sum = 0, spread = 0, farthest = 0;
    for (size_t s = 0; s < SAMPLES; s++) {
        double w1, w2;
        pl_law_sample(law, random, s, N, sorted);
        for (size_t i = 0; i < N; i++) {
            assert_true(!i || sorted[i] >= sorted[i - 1]);
            farthest = fmax(farthest, fabs(pl_law_cdf(law, sorted[i]) - (i + 0.5) / N));
        }
        pl_law_distances(parts, sorted, &w1, &w2);
        assert_true(w1 * w1 <= w2);
        sum += w1 / SAMPLES;
    }
    for (double x = -4; x < 4; x += 0.01)
        spread += 0.01 * sqrt(pl_law_cdf(law, x) * (1 - pl_law_cdf(law, x)));
    assert_true(farthest * sqrt(N) > 1 && farthest * sqrt(N) < 2.5);
    close_to(sum / (sqrt(2 / (M_PI * N)) * spread), 1, 0.1);
    pl_law_parts_free(parts);
    pl_law_free(law);
}

/* ---- laws of problems */

static void settings_of(struct pl_settings *s, const struct pl_problem *problem, const char *key, double value)
{
    *s = (struct pl_settings){0};
    if (key)
        pl_settings_set_real(s, key, value);
    pl_settings_fill(s, problem->settings, problem->setting_count);
}

static struct pl_gibbs *gibbs_of(struct pl_objective *objective, const struct pl_problem *problem,
                                 const struct pl_settings *s, struct pl_regulariser regulariser, size_t dimension,
                                 double beta, size_t directions)
{
    struct pl_gibbs *gibbs;
    struct pl_error err;
    pl_objective_init(objective, problem, s, dimension);
    if (pl_gibbs_new(&gibbs, objective, regulariser, beta, directions, &err))
        fail_msg("%s", err.text);
    return gibbs;
}

static void drop(struct pl_gibbs *gibbs, struct pl_objective *objective)
{
    pl_gibbs_free(gibbs);
    pl_objective_release(objective);
}

static void quadratics_have_gaussian_laws(void **state)
{
    (void)state;
    const struct pl_problem *quadratic = pl_problem_find("quadratic");
    struct pl_settings s;
    settings_of(&s, quadratic, "condition", 100);
    struct pl_objective o;
    struct pl_gibbs *gibbs = gibbs_of(&o, quadratic, &s, (struct pl_regulariser){.weight_decay = 2}, 1, 1e6, 1);
    close_to(pl_law_variance(pl_gibbs_law(gibbs, 0)) * 3e6, 1, 1e-9);
    drop(gibbs, &o);
    gibbs = gibbs_of(&o, quadratic, &s, (struct pl_regulariser){0}, 2, 2, 5);
    for (size_t k = 0; k < 5; k++) {
        double e[2];
        pl_gibbs_direction(gibbs, k, e);
        close_to(e[0] * e[0] + e[1] * e[1], 1, 1e-15);
        double variance = e[0] * e[0] / 2 + e[1] * e[1] / 200;
        close_to(pl_law_variance(pl_gibbs_law(gibbs, k)), variance, 1e-9);
        close_to(pl_law_cdf(pl_gibbs_law(gibbs, k), 0.3), gsl_cdf_gaussian_P(0.3, sqrt(variance)), 1e-9);
    }
    drop(gibbs, &o);
    pl_settings_release(&s);
}

static void mixtures_are_mixtures(void **state)
{
    (void)state;
    const struct pl_problem *mixture = pl_problem_find("mixture");
    struct pl_settings s;
    settings_of(&s, mixture, "width", 0.5);
    struct pl_objective o;
    struct pl_gibbs *gibbs = gibbs_of(&o, mixture, &s, (struct pl_regulariser){0}, 2, 1, 3);
    for (size_t k = 0; k < 3; k++) {
        double e[2];
        const struct pl_law *law = pl_gibbs_law(gibbs, k);
        pl_gibbs_direction(gibbs, k, e);
        for (double t = -3; t < 3; t += 0.5) {
            double chance = 0;
            for (int m = 0; m < 3; m++) {
                double centre = 2 * (e[0] * cos(2 * M_PI * m / 3) + e[1] * sin(2 * M_PI * m / 3));
                chance += gsl_cdf_gaussian_P(t - centre, 0.5) / 3;
            }
            close_to(pl_law_cdf(law, t), chance, 1e-9);
        }
    }
    drop(gibbs, &o);
    pl_settings_release(&s);
}

/* The minimum of the regularised objective is below its value anywhere near, and where the slope is 0. */
static void minima_are_found_with_their_regularisation(void **state)
{
    (void)state;
    static const struct {
        const char *problem;
        struct pl_regulariser regulariser;
    } cases[] = {{"double_well", {0.5, 1, 0}}, {"double_well", {0, 0, 0.1}}, {"mixture", {0, 0, 0}},
                 {"mixture", {0.1, 2, 0}},     {"theta30", {0.2, 14, 0}},    {"rosenbrock", {0.3, 1, 0}}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct pl_problem *problem = pl_problem_find(cases[i].problem);
        struct pl_settings s;
        settings_of(&s, problem, NULL, 0);
        struct pl_objective o;
        struct pl_gibbs *gibbs = gibbs_of(&o, problem, &s, cases[i].regulariser, 2, 4, 0);
        double least = INFINITY;
        for (int a = -300; a <= 300; a++)
            for (int b = -300; b <= 300; b++)
                least = fmin(least, pl_gibbs_energy(gibbs, (const double[]){a / 100.0, b / 100.0}));
        assert_true(pl_gibbs_minimum(gibbs) <= least + 1e-12);
        close_to(pl_gibbs_minimum(gibbs), least, 1e-2);
        drop(gibbs, &o);
        pl_settings_release(&s);
    }
}

static void minima_too_narrow_for_quadrature_are_refused(void **state)
{
    (void)state;
    const struct pl_problem *well = pl_problem_find("double_well");
    struct pl_settings s;
    struct pl_gibbs *gibbs;
    struct pl_error err;
    settings_of(&s, well, NULL, 0);
    struct pl_objective o;
    pl_objective_init(&o, well, &s, 2);
    assert_int_equal(pl_gibbs_new(&gibbs, &o, (struct pl_regulariser){0}, 1e10, 1, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "beta is 1e+10"));
    pl_objective_release(&o);
    pl_settings_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_have_their_closed_forms),
        cmocka_unit_test(densities_that_do_not_fall_are_refused),
        cmocka_unit_test(distances_of_few_samples),
        cmocka_unit_test(distances_of_moved_samples),
        cmocka_unit_test(samples_have_the_law),
        cmocka_unit_test(quadratics_have_gaussian_laws),
        cmocka_unit_test(mixtures_are_mixtures),
        cmocka_unit_test(minima_are_found_with_their_regularisation),
        cmocka_unit_test(minima_too_narrow_for_quadrature_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
