#include "problem/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))
enum { N_MOST = 12 };

/* A problem under its defaults, in n coordinates; noise is set where the problem has such a setting. */
static void open_objective(struct pl_objective *o, const struct pl_problem *problem, double noise, size_t n)
{
    struct pl_settings s = {0};
    if (pl_setting_find(problem->settings, problem->setting_count, "noise"))
        pl_settings_set_real(&s, "noise", noise);
    pl_settings_fill(&s, problem->settings, problem->setting_count);
    pl_objective_init(o, problem, &s, n);
    pl_settings_release(&s);
}

/* Compares gradient with central differences of the sampled objective at theta. */
static void check_gradient(const struct pl_objective *o, const double *theta, const double *x)
{
    size_t n = o->n;
    double gradient[N_MOST], moved[N_MOST];
    pl_objective_gradient(o, theta, x, gradient);
    for (size_t i = 0; i < n; i++) {
        double h = 1e-6 * fmax(1, fabs(theta[i]));
        memcpy(moved, theta, n * sizeof *theta);
        moved[i] = theta[i] + h;
        double up = pl_objective_sample(o, moved, x);
        moved[i] = theta[i] - h;
        double difference = (up - pl_objective_sample(o, moved, x)) / (2 * h);
        double scale = fmax(fmax(1, fabs(gradient[i])), fabs(up) * 1e-3);
        if (fabs(difference - gradient[i]) > 1e-5 * scale)
            fail_msg("%s, coordinate %zu at %g: gradient %.12g, difference %.12g", o->problem->name, i, theta[i],
                     gradient[i], difference);
    }
}

static void gradients_are_those_of_the_samples(void **state)
{
    (void)state;
    static const double places[] = {-1.3, 0.4, 0.9, -0.7, 1.2, 0.05, -1.05, 2.1, -0.2, 0.6, 1.01, -2};
    for (size_t p = 0; p < pl_problem_count(); p++) {
        const struct pl_problem *problem = pl_problem_at(p);
        struct pl_random r = pl_random_stream(p + 1, PL_STREAM_DATA);
        for (int noisy = 0; noisy < 2; noisy++)
            for (size_t n = problem == pl_problem_find("rosenbrock") ? 2 : 1; n <= N_MOST; n += 3) {
                struct pl_objective o;
                double x[N_MOST];
                open_objective(&o, problem, noisy ? 0.7 : 0, n);
                for (size_t i = 0; i < n; i++)
                    x[i] = pl_random_uniform(&r, n, i);
                pl_objective_data(&o, x, n);
                check_gradient(&o, places, x);
                pl_objective_release(&o);
            }
    }
}

/* Both branches of the toy example with X on both sides of 1. */
static void the_toy_example_has_four_branches(void **state)
{
    (void)state;
    const struct pl_problem *toy = pl_problem_find("theta30");
    struct pl_objective o;
    open_objective(&o, toy, 0, 1);
    static const double places[] = {-3, -1.5, -1.0001, -0.99, -0.3, 0, 0.3, 0.99, 1.0001, 1.5, 3};
    static const double data[] = {-1.9, 0.9, 1, 1.1, 1.9};
    for (size_t i = 0; i < COUNT(places); i++)
        for (size_t k = 0; k < COUNT(data); k++)
            check_gradient(&o, &places[i], &data[k]);
    double theta = 0.5, gradient;
    pl_objective_gradient(&o, &theta, (const double[]){1}, &gradient);
    assert_float_equal(gradient, 2 + 30 * pow(0.5, 29), 1e-12);
    pl_objective_gradient(&o, &theta, (const double[]){1.0000001}, &gradient);
    assert_float_equal(gradient, 1 + 30 * pow(0.5, 29), 1e-12);
    theta = -2;
    pl_objective_gradient(&o, &theta, (const double[]){0}, &gradient);
    assert_float_equal(gradient, -4 - 30 * pow(2, 29), 1e-3);
    pl_objective_release(&o);
}

/* The expected objective is the mean of the sampled one over the data. */
static void values_are_means_over_the_data(void **state)
{
    (void)state;
    enum { DRAWS = 40000 };
    static const double places[] = {0.9, -0.4, 1.03};
    for (size_t p = 0; p < pl_problem_count(); p++) {
        const struct pl_problem *problem = pl_problem_at(p);
        struct pl_objective o;
        open_objective(&o, problem, 0.5, 3);
        assert_true(o.random);
        double sum = 0, squares = 0;
        for (size_t d = 0; d < DRAWS; d++) {
            double x[3], sample;
            for (size_t i = 0; i < 3; i++) /* strata, in a different order for each coordinate */
                x[i] = (fmod((double)d * (i == 0 ? 1 : i == 1 ? 7919 : 104729), DRAWS) + 0.5) / DRAWS;
            pl_objective_data(&o, x, 3);
            sample = pl_objective_sample(&o, places, x);
            sum += sample;
            squares += sample * sample;
        }
        double mean = sum / DRAWS, spread = sqrt(squares / DRAWS - mean * mean);
        assert_true(spread > 1e-3);
        assert_float_equal(mean, pl_objective_value(&o, places), 1e-3);
        pl_objective_release(&o);
    }
}

/* Noise on top of the gradient has mean 0 and the standard deviation of the setting. */
static void noise_has_its_standard_deviation(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    for (size_t p = 0; p < pl_problem_count(); p++) {
        const struct pl_problem *problem = pl_problem_at(p);
        struct pl_objective o;
        if (problem->data)
            continue;
        open_objective(&o, problem, 0.25, 2);
        double theta[2] = {0.3, -0.2}, exact[2], sum = 0, squares = 0;
        const double none[2] = {0, 0};
        pl_objective_gradient(&o, theta, none, exact);
        struct pl_random r = pl_random_stream(7, PL_STREAM_DATA);
        for (size_t d = 0; d < DRAWS; d++) {
            double x[2] = {pl_random_uniform(&r, d, 0), pl_random_uniform(&r, d, 1)}, gradient[2];
            pl_objective_data(&o, x, 2);
            pl_objective_gradient(&o, theta, x, gradient);
            sum += gradient[1] - exact[1];
            squares += (gradient[1] - exact[1]) * (gradient[1] - exact[1]);
        }
        assert_float_equal(sum / DRAWS, 0, 0.004);
        assert_float_equal(sqrt(squares / DRAWS), 0.25, 0.002);
        pl_objective_release(&o);
        open_objective(&o, problem, 0, 2);
        assert_false(o.random);
        pl_objective_release(&o);
    }
}

static void minimisers_are_minima(void **state)
{
    (void)state;
    static const struct {
        const char *problem;
        double coordinates[3];
    } minima[] = {
        {"theta30", {0, 0, 0}},       {"quadratic", {0, 0, 0}},    {"rosenbrock", {1, 1, 1}}, {"rastrigin", {0, 0, 0}},
        {"double_well", {1, -1, -1}}, {"double_well", {-1, 1, 1}}, {"quartic", {0, 0, 0}},
    };
    for (size_t i = 0; i < COUNT(minima); i++) {
        const struct pl_problem *problem = pl_problem_find(minima[i].problem);
        assert_non_null(problem);
        struct pl_objective o;
        open_objective(&o, problem, 0, 3);
        double theta[3], gradient[3];
        memcpy(theta, minima[i].coordinates, sizeof theta);
        double lowest = pl_objective_value(&o, theta);
        assert_float_equal(lowest, 0, 1e-15);
        assert_float_equal(pl_objective_distance(&o, theta), 0, 1e-15);
        pl_objective_gradient(&o, theta, (const double[]){0, 0, 0}, gradient);
        for (size_t k = 0; k < 3; k++) {
            assert_float_equal(gradient[k], 0, 1e-12);
            double moved[3];
            memcpy(moved, theta, sizeof moved);
            moved[k] += 0.01;
            assert_true(pl_objective_value(&o, moved) > lowest);
            assert_float_equal(pl_objective_distance(&o, moved), 0.01, 1e-15);
        }
        pl_objective_release(&o);
    }
}

/* Those that the problems name themselves. A mixture's are not 0, and not closed forms. */
static void minimisers_name_themselves(void **state)
{
    (void)state;
    static const struct {
        const char *problem;
        size_t one, three; /* in so many dimensions; all others have one minimiser */
    } several[] = {{"double_well", 2, 8}, {"mixture", 1, 3}};
    for (size_t p = 0; p < pl_problem_count(); p++)
        for (size_t n = 1; n <= 3; n += 2) {
            const struct pl_problem *problem = pl_problem_at(p);
            struct pl_objective o;
            open_objective(&o, problem, 0, n);
            double theta[3], gradient[3];
            size_t found = 0;
            while (pl_objective_minimiser(&o, found, theta)) {
                double lowest = pl_objective_value(&o, theta);
                pl_objective_gradient(&o, theta, NULL, gradient);
                for (size_t i = 0; i < n; i++) {
                    double moved[3];
                    assert_float_equal(gradient[i], 0, 1e-12);
                    memcpy(moved, theta, sizeof moved);
                    moved[i] += 0.01;
                    assert_true(n == 1 && problem == pl_problem_find("rosenbrock")
                                    ? true
                                    : pl_objective_value(&o, moved) > lowest);
                }
                assert_float_equal(pl_objective_distance(&o, theta), 0, 1e-12);
                found++;
            }
            size_t expected = 1;
            for (size_t i = 0; i < COUNT(several); i++)
                if (!strcmp(several[i].problem, problem->name))
                    expected = n > 1 ? several[i].three : several[i].one;
            assert_int_equal(found, expected);
            pl_objective_release(&o);
        }
}

/* x NULL stands for the mean over the data, and points side by side for points one by one. */
static void gradients_in_the_mean_and_in_numbers(void **state)
{
    (void)state;
    enum { POINTS = 5, DRAWS = 20000 };
    for (size_t p = 0; p < pl_problem_count(); p++) {
        const struct pl_problem *problem = pl_problem_at(p);
        struct pl_objective o;
        open_objective(&o, problem, 0.5, 2);
        double theta[2 * POINTS], x[2 * POINTS], all[2 * POINTS], mean[2], sum[2] = {0, 0};
        struct pl_random r = pl_random_stream(p, PL_STREAM_DATA);
        pl_random_uniforms(&r, 0, 0, 2 * POINTS, theta);
        pl_random_uniforms(&r, 1, 0, 2 * POINTS, x);
        pl_objective_data(&o, x, 2 * POINTS);
        for (int drawn = 0; drawn < 2; drawn++) {
            pl_objective_gradients(&o, theta, drawn ? x : NULL, POINTS, all);
            for (size_t k = 0; k < POINTS; k++) {
                double one[2];
                pl_objective_gradient(&o, (const double[]){theta[k], theta[POINTS + k]},
                                      drawn ? (const double[]){x[k], x[POINTS + k]} : NULL, one);
                assert_float_equal(all[k], one[0], 1e-13);
                assert_float_equal(all[POINTS + k], one[1], 1e-13);
            }
        }
        for (size_t d = 0; d < DRAWS; d++) {
            double point[2], strata[2] = {(d + 0.5) / DRAWS, fmod(d * 7919.0, DRAWS) / DRAWS + 0.5 / DRAWS};
            pl_objective_data(&o, strata, 2);
            pl_objective_gradient(&o, theta, strata, point);
            sum[0] += point[0] / DRAWS;
            sum[1] += point[1] / DRAWS;
        }
        pl_objective_gradient(&o, theta, NULL, mean);
        assert_float_equal(sum[0], mean[0], 1e-3);
        assert_float_equal(sum[1], mean[1], 1e-3);
        pl_objective_release(&o);
    }
}

static void quadratic_has_its_condition_number(void **state)
{
    (void)state;
    const struct pl_problem *quadratic = pl_problem_find("quadratic");
    struct pl_settings s = {0};
    struct pl_objective o;
    pl_settings_set_real(&s, "condition", 1e4);
    pl_settings_fill(&s, quadratic->settings, quadratic->setting_count);
    enum { N = 500 };
    static double theta[N], gradient[N];
    for (size_t i = 0; i < N; i++)
        theta[i] = 1;
    pl_objective_init(&o, quadratic, &s, N);
    pl_objective_gradient(&o, theta, NULL, gradient);
    pl_objective_release(&o);
    for (size_t i = 0; i < N; i++) {
        double curvature = pow(1e4, (double)i / (N - 1));
        assert_float_equal(gradient[i] / curvature, 1, 1e-12);
    }
    pl_objective_init(&o, quadratic, &s, 1);
    pl_objective_gradient(&o, theta, NULL, gradient);
    pl_objective_release(&o);
    assert_float_equal(gradient[0], 1, 0);
    pl_settings_release(&s);
}

/* Overflow is how a run diverges; it must come out as infinity or NaN, never as a number. (A bounded gradient is finite
 * at infinity.) */
static void overflow_is_not_hidden(void **state)
{
    (void)state;
    for (size_t p = 0; p < pl_problem_count(); p++) {
        const struct pl_problem *problem = pl_problem_at(p);
        struct pl_objective o;
        open_objective(&o, problem, 0, 2);
        static const double wrong[] = {INFINITY, -INFINITY, NAN};
        for (size_t i = 0; i < COUNT(wrong); i++) {
            double theta[2] = {wrong[i], 0.5}, gradient[2];
            pl_objective_gradient(&o, theta, (const double[]){0, 0}, gradient);
            assert_false(isnan(wrong[i]) && isfinite(gradient[0]));
            assert_false(isfinite(pl_objective_value(&o, theta)));
            assert_false(isfinite(pl_objective_distance(&o, theta)));
        }
        pl_objective_release(&o);
    }
}

static void every_problem_is_described(void **state)
{
    (void)state;
    static const char *const own[] = {"dimension", "start"};
    for (size_t p = 0; p < pl_problem_count(); p++) {
        const struct pl_problem *problem = pl_problem_at(p);
        assert_ptr_equal(pl_problem_find(problem->name), problem);
        assert_true(*problem->help);
        assert_true(!p || strcmp(pl_problem_at(p - 1)->name, problem->name) < 0);
        for (size_t i = 0; i < COUNT(own); i++)
            assert_non_null(pl_setting_find(problem->settings, problem->setting_count, own[i]));
        for (size_t i = 0; i < problem->setting_count; i++) {
            struct pl_value value;
            struct pl_error err;
            assert_int_equal(pl_setting_read(&problem->settings[i], problem->settings[i].initial, &value, &err), 0);
        }
    }
    assert_null(pl_problem_find("theta31"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_the_samples),
        cmocka_unit_test(the_toy_example_has_four_branches),
        cmocka_unit_test(values_are_means_over_the_data),
        cmocka_unit_test(noise_has_its_standard_deviation),
        cmocka_unit_test(minimisers_are_minima),
        cmocka_unit_test(minimisers_name_themselves),
        cmocka_unit_test(gradients_in_the_mean_and_in_numbers),
        cmocka_unit_test(quadratic_has_its_condition_number),
        cmocka_unit_test(overflow_is_not_hidden),
        cmocka_unit_test(every_problem_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
