/* Expected values were computed by hand, or with 60 digits and more by mpmath from the formulas written beside them or
 * in tests/golden/theory/reference.py; none comes from the code under test. */
#include "theory/theory_priv.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "theory_values.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void close_to(const char *what, long double got, long double want, long double tolerance)
{
    if (!(fabsl(got - want) <= tolerance * fmaxl(1, fabsl(want))))
        fail_msg("%s is %.17Lg, but should be %.17Lg", what, got, want);
}

/* min{1, 1/(4 eta^2), 1/(2^14 eta^2 C^2)}, C = (8l choose 4l), l = 2r + 1. */
static void lambda_max_is_the_papers(void **state)
{
    (void)state;
    static const struct {
        double eta, r;
        long double ln;
    } cases[] = {
        {0.5, 0, -16.8147566508180616912535L},    /* C = 70: 1/20070400 */
        {1e-3, 0.5, -14.8138585710553049215811L}, /* C = (16 choose 8) = 12870 */
        {0.5, 1, -37.938366980296437495124L},     /* C = (24 choose 12) = 2704156 */
        {5e-4, 10, -221.821185419301863092657L},  /* C = (168 choose 84), the last that GSL has exactly */
        {5e-4, 14.5, -321.27859732159207662757L}, /* C = (240 choose 120) */
        {0.1, 0.3, -19.8034072385776779132364L},  /* C = Gamma(13.8) / Gamma(7.4)^2 */
        {2, 10.125, -241.170073977491323087782L}, /* C = (170 choose 85) */
        {1e-3, 200, -4434.59571890786160244052L}, /* below what a double holds */
        {0.25, 1000, -22188.5991467968726669128L},
        {7, 0, -22.0928713100485789202986L},
        {1e-9, 0, 0}, /* the bounds are above 1 */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        long double ln;
        struct pl_error err;
        assert_int_equal(pl_theory_lambda_max(cases[i].eta, cases[i].r, &ln, &err), 0);
        close_to("ln lambda_max", ln, cases[i].ln, 2e-13L);
    }
    long double ln;
    assert_int_equal(pl_theory_lambda_max(0.5, 0, &ln, NULL), 0);
    close_to("lambda_max", expl(ln) * 20070400, 1, 1e-14L);
}

static void lambda_max_needs_a_regularisation(void **state)
{
    (void)state;
    static const double wrong[][2] = {{0, 1},       {-1, 1},       {NAN, 1},  {INFINITY, 1},
                                      {0.1, -1e-9}, {0.1, 1000.1}, {0.1, NAN}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        long double ln = 42;
        struct pl_error err = {0};
        assert_int_equal(pl_theory_lambda_max(wrong[i][0], wrong[i][1], &ln, &err), PL_EINPUT);
        assert_non_null(strstr(err.text, wrong[i][1] == 1 ? "eta" : "r is"));
        assert_true(ln == 42);
    }
}

static void written(long double ln, bool tex, const char *want)
{
    struct pl_text text = {0};
    pl_theory_write(ln, tex, &text);
    assert_string_equal(pl_text(&text), want);
    pl_text_release(&text);
}

static void magnitudes_are_readable(void **state)
{
    (void)state;
    written(0, false, "1");
    written(logl(0.25L), true, "0.25");
    written(logl(1.5e-6L), false, "1.5e-06");
    written(logl(1.5e-6L), true, "1.5\\cdot10^{-6}");
    written(299.5L * logl(10), false, "3.16228e+299");
    written(-1000 * logl(10), false, "10^-1000");
    written(-1000 * logl(10), true, "10^{-1000}");
    written(1e400L * logl(10), false, "10^1e+400");
    written(-1e400L * logl(10), true, "10^{-1\\cdot10^{400}}");
    written(-INFINITY, false, "0");
    written(INFINITY, false, "inf");
    written(INFINITY, true, "\\infty");
}

/* Complete settings from "key=value key=value". */
static void fill(struct pl_settings *settings, const char *text)
{
    size_t count, length;
    const struct pl_setting *table = pl_theory_settings(&count);
    *settings = (struct pl_settings){0};
    for (const char *word = text; (word = pl_next_word(word, &length)); word += length) {
        char *key = pl_copy_bytes(word, length), *equals = strchr(key, '=');
        struct pl_value value = {0};
        struct pl_error err;
        *equals = '\0';
        const struct pl_setting *setting = pl_setting_find(table, count, key);
        if (!setting || pl_setting_read(setting, equals + 1, &value, &err))
            fail_msg("%s: %s", key, setting ? err.text : "no such setting");
        pl_settings_set(settings, setting->key, value);
        free(key);
    }
    pl_settings_fill(settings, table, count);
}

static struct pl_theory *make(const char *text)
{
    struct pl_settings settings;
    struct pl_theory *theory;
    struct pl_error err;
    fill(&settings, text);
    if (pl_theory_new(&theory, &settings, &err))
        fail_msg("%s: %s", text, err.text);
    pl_settings_release(&settings);
    return theory;
}

static long double value_of(const struct pl_theory *theory, const char *name)
{
    struct pl_theory_value bounds[3];
    for (size_t i = 0; i < pl_theory_count(); i++)
        if (!strcmp(pl_theory_at(theory, i).name, name))
            return pl_theory_at(theory, i).ln;
    size_t count = pl_theory_bounds(theory, bounds);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(bounds[i].name, name))
            return bounds[i].ln;
    fail_msg("there is no %s", name);
    return 0;
}

static void defaults_can_be_read(void **state)
{
    (void)state;
    size_t count;
    const struct pl_setting *table = pl_theory_settings(&count);
    for (size_t i = 0; i < count; i++) {
        struct pl_value value;
        struct pl_error err;
        if (pl_setting_read(&table[i], table[i].initial, &value, &err))
            fail_msg("%s: %s", table[i].key, err.text);
    }
}

/* Exact values by hand where X = 0 and theta_0 = 0: then K_G = L_G = 1 and all their moments are 1 and 0. */
static const char
    simple[] = "d=2 q=1 r=0.5 rho=1 L_G=1 eta=0.5 beta=1 lambda=8.881784197001252e-16 n=1000 M_0=67108864 "
               "x_law=constant x_scale=0 theta0_scale=0"; /* lambda = 2^-50, M_0 = 2^26 */

static void simple_constants_are_right(void **state)
{
    (void)state;
    struct pl_theory *t = make(simple);
    const struct {
        const char *name;
        long double value;
    } exact[] = {
        {"A", 4},    /* 2 (1 + 1) */
        {"B", 6144}, /* 3 (4 * 2)^3 / (1/2)^2 */
        {"L_R", 1},  /* q = 1: G is Lipschitz, R does not count */
        {"L_H", 3},  /* 1 + 8/2 * 1/2 */
        {"L_h", 3},
        {"c_bar_2", 2},       /* A/2 */
        {"c_tilde_2", 12300}, /* 3/2 * 4 * (1 + 1/3 + 4*6144/12 + 8/12) = 6 * 2050 */
        {"c_bar_4", 4},
        {"c_tilde_4", 4 * 6152.0L * 6152 / 3}, /* 3 * 4 * (2050 + 2/3)^2 */
        {"c_dot_0", 2 * sqrtl(73799)},         /* 4 * 12300 * 3/2 - 1 */
        {"c_dot_1", 2 * sqrtl(6149)},          /* 12300/2 - 1 */
        {"r_1", 2.5L},                         /* 2 * 1 + 1/2 */
        {"R_0", sqrtl(1536)},                  /* B/A; 2d / (beta L_h) is 4/3 */
        {"K", 3 * (1 + 4 * sqrtl(1536)) * (1 + 4 * sqrtl(1536))},
        {"C_7", 1 + logl(3 * (1 + 4 * sqrtl(1536)) * (1 + 4 * sqrtl(1536)) / 4 * 3073) + logl(2)},
    };
    for (size_t i = 0; i < COUNT(exact); i++)
        close_to(exact[i].name, value_of(t, exact[i].name), logl(exact[i].value), 1e-15L);
    assert_true(isinf(value_of(t, "R")));
    pl_theory_free(t);
}

static void all_constants_are_the_papers(void **state)
{
    (void)state;
    static const char *const cases[3] = {
        simple,
        "",
        "d=3 q=2.2 r=1.3 rho=2 L_G=2 eta=0.1 beta=4 lambda=1e-21 n=1e5 x_law=constant x_scale=0.5 G_0=0.25 "
        "theta0_scale=0.3 E_Z_2=2 E_Z_4r2=900",
    };
    assert_int_equal(COUNT(theory_values), pl_theory_count() + 3);
    for (size_t c = 0; c < 3; c++) {
        struct pl_theory *t = make(cases[c]);
        for (size_t i = 0; i < COUNT(theory_values); i++) {
            const struct theory_values *want = &theory_values[i];
            if (isinf(want->ln[c]))
                assert_true(value_of(t, want->name) == want->ln[c]);
            else
                close_to(want->name, value_of(t, want->name), want->ln[c], 1e-14L);
        }
        pl_theory_free(t);
    }
}

/* C_1 = 2, C_2 = 3, C_0 = 1/2, lambda = 1/16, n = 16: 2/4 + 3 exp(-1/2), and so on. */
static void bounds_decay_with_the_steps(void **state)
{
    (void)state;
    struct pl_theory t = {.steps = 16, .lambda = logl(1 / 16.0L), .beta = logl(10)};
    struct pl_theory_value bounds[3];
    t.C_0 = logl(0.5L), t.C_1 = logl(2), t.C_2 = logl(3);
    t.C_3 = logl(5), t.C_4 = logl(7), t.C_5 = logl(0.25L), t.C_6 = logl(11), t.C_7 = logl(13);
    assert_int_equal(pl_theory_bounds(&t, bounds), 3);
    long double W_2 = 5 / 2.0L + 7 * expl(-0.25L);
    close_to("W_1", expl(bounds[0].ln), 0.5L + 3 * expl(-0.5L), 1e-15L);
    close_to("W_2", expl(bounds[1].ln), W_2, 1e-15L);
    close_to("risk", expl(bounds[2].ln), 11 * W_2 + 1.3L, 1e-15L);
    t.steps = 0;
    pl_theory_bounds(&t, bounds);
    close_to("W_1 of the start", expl(bounds[0].ln), 3.5L, 1e-15L);
    t.steps = 1e9;
    pl_theory_bounds(&t, bounds);
    close_to("W_2 in the end", expl(bounds[1].ln), 2.5L, 1e-15L);
}

/* f(s) - eta sqrt(lambda) (1 - sqrt(lambda) eta) of eq:flambda, in plain arithmetic. */
static long double beyond(long double s, long double lambda, long double eta, long double d, long double r)
{
    long double root = sqrtl(lambda), power = powl(s, 2 * r);
    return -2 * sqrtl(d) / s * (root + lambda * root) + 2 * eta * lambda * power / (1 + root * power) -
           4 * lambda * d * (1 + lambda * lambda) / (s * s) - 2 * lambda * eta * eta - eta * root * (1 - root * eta);
}

static void M_0_is_the_smallest(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double lambda, eta, d, r;
    } cases[] = {{"q=1 r=0.5 eta=0.9 lambda=1e-13 d=1", 1e-13, 0.9, 1, 0.5},
                 {"q=1 r=1 eta=0.01 lambda=1e-14 d=100", 1e-14, 0.01, 100, 1},
                 {"q=2 r=1 eta=0.5 lambda=1e-17 d=7", 1e-17, 0.5, 7, 1},
                 {"q=2 r=1 eta=0.5 lambda=1e-27 d=7", 1e-27, 0.5, 7, 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_theory *t = make(cases[i].settings);
        long double M_0 = expl(value_of(t, "M_0"));
        assert_true(beyond(M_0 * (1 + 1e-9L), cases[i].lambda, cases[i].eta, cases[i].d, cases[i].r) > 0);
        assert_true(beyond(M_0 * (1 - 1e-9L), cases[i].lambda, cases[i].eta, cases[i].d, cases[i].r) < 0);
        pl_theory_free(t);
    }
}

static void laws_have_their_moments(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double growth, start; /* E (1+|X|)^rho, E|theta_0|^2 */
    } cases[] = {
        {"x_law=constant x_scale=3 rho=2 theta0_law=constant theta0_scale=2 d=5", 16, 20},
        {"x_law=uniform x_scale=3 rho=2 theta0_law=uniform theta0_scale=3 d=4", 7, 12}, /* 63/9; 4 * 9/3 */
        {"x_law=uniform x_scale=0 rho=2 theta0_law=normal theta0_scale=3 d=4", 1, 36},
        /* 1 + 2 E|X| + E|X|^2, E|X| = s sqrt(2/pi) in one dimension, 2 s sqrt(2/pi) in three */
        {"x_law=normal x_scale=0.5 rho=2 d=1", 1 + 0.79788456080286536 + 0.25, 25},
        {"x_law=normal x_scale=2 x_dimension=3 rho=2 d=1", 1 + 8 * 0.79788456080286536 + 12, 25},
        /* mpmath: quad(lambda s: (1 + s/10)**2.5 * s**499 * exp(-s*s/2)) / (2**249 gamma(250)) */
        {"x_law=normal x_scale=0.1 x_dimension=500 rho=2.5 d=1", 18.838995148520653, 25},
        {"x_law=normal x_scale=0 rho=2 d=1", 1, 25},
        {"E_X_rho=9 E_theta_2=7 d=1", 9, 7},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[300];
        snprintf(text, sizeof text, "q=1 r=0.5 %s", cases[i].settings);
        struct pl_theory *t = make(text);
        close_to(cases[i].settings, expl(t->E.X_rho), cases[i].growth, 1e-12L);
        close_to(cases[i].settings, expl(t->E.theta_2), cases[i].start, 1e-12L);
        pl_theory_free(t);
    }
    /* E K_G^4 for K_G = 3 (1+|X|) + 1/2 on |X| in (0, 2): the integral of (3 + 3x + 1/2)^4 / 2 = (9.5^5 - 3.5^5) / 30
     */
    struct pl_theory *t = make("q=1 r=0.5 L_G=3 G_0=0.5");
    close_to("E K_G", expl(t->E.K), 6.5L, 1e-14L);
    close_to("E K_G^4", expl(t->E.K4), (powl(9.5L, 5) - powl(3.5L, 5)) / 30, 1e-14L);
    close_to("E|X|^2", expl(t->E.X_2rho), 4 / 3.0L, 1e-14L);
    pl_theory_free(t);
}

/* Each of the three terms is a third of delta, as nearly as whole steps allow. */
static void the_recipe_keeps_its_promise(void **state)
{
    (void)state;
    static const double deltas[] = {1e-3, 1, 1e6};
    struct pl_theory *t = make(simple);
    for (size_t i = 0; i < COUNT(deltas); i++) {
        struct pl_theory_value recipe[3];
        struct pl_error err;
        char text[400];
        assert_int_equal(pl_theory_recipe(t, deltas[i], recipe, &err), 0);
        snprintf(text, sizeof text, "%s beta=%.17g", simple, (double)expl(recipe[0].ln));
        struct pl_theory *cold = make(text);
        long double third = logl(deltas[i] / 3.0L), lambda = recipe[1].ln, n = recipe[2].ln;
        close_to("C_7 / beta", value_of(cold, "C_7") - recipe[0].ln, third, 1e-13L);
        close_to("C_3 C_6 lambda^(1/4)", value_of(cold, "C_3") + value_of(cold, "C_6") + lambda / 4 - third, 0,
                 1e-13L * fabsl(lambda));
        close_to("C_5 lambda n", n + lambda + value_of(cold, "C_5"),
                 logl(value_of(cold, "C_4") + value_of(cold, "C_6") - third), 1e-13L * fabsl(lambda));
        pl_theory_free(cold);
    }
    static const double wrong[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct pl_theory_value recipe[3];
        struct pl_error err = {0};
        assert_int_equal(pl_theory_recipe(t, wrong[i], recipe, &err), PL_EINPUT);
        assert_non_null(strstr(err.text, "delta"));
    }
    pl_theory_free(t);
}

static void inputs_have_to_fit_together(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *complaint;
    } cases[] = {
        {"eta=1 q=1 r=0.5", "eta is 1"},
        {"q=4 r=1.9", "at least q/2 = 2"},
        {"eta=0.5 q=1 r=0.5 lambda=0.1", "lambda_max(eta=0.5, r=0.5) = 1.47395e-12"},
        {"eta=0.5 q=1 r=0.5 lambda=1e-14 M_0=2", "M_0 is 2, but"},
        {"E_K=2 E_K2=3.9 E_K4=100", "E_K2 is 3.9, but must be at least 4, as E_K is 2"},
        {"E_K=2 E_K2=4 E_K4=15", "E_K4 is 15, but must be at least 16"},
        {"E_theta_2=3 E_theta_4=8.9", "E_theta_4 is 8.9, but must be at least 9"},
        {"q=1 r=0.5 E_theta_2=3 E_theta_4r2=8.9 E_theta_8r4=81", "E_theta_4r2 is 8.9"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_settings settings;
        struct pl_theory *theory = (void *)&settings;
        struct pl_error err = {0};
        fill(&settings, cases[i].settings);
        assert_int_equal(pl_theory_new(&theory, &settings, &err), PL_EINPUT);
        assert_null(theory);
        if (!strstr(err.text, cases[i].complaint))
            fail_msg("%s: '%s'", cases[i].settings, err.text);
        pl_settings_release(&settings);
    }
}

/* Constants that even the logarithms cannot hold are infinite or 0, never NaN, and no recipe is made of them. */
static void the_range_has_an_end(void **state)
{
    (void)state;
    struct pl_theory *t = make("q=1000 r=1000 L_G=1e300 eta=1e-300 beta=1e300 x_scale=1e300 rho=1000");
    struct pl_theory_value recipe[3];
    struct pl_error err;
    for (size_t i = 0; i < pl_theory_count(); i++)
        if (isnan(pl_theory_at(t, i).ln))
            fail_msg("%s is not a number", pl_theory_at(t, i).name);
    assert_true(value_of(t, "C_1") == INFINITY);
    assert_true(value_of(t, "C_0") == -INFINITY);
    assert_true(value_of(t, "risk") == INFINITY);
    assert_int_equal(pl_theory_recipe(t, 1, recipe, &err), PL_EINPUT);
    pl_theory_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lambda_max_is_the_papers),    cmocka_unit_test(lambda_max_needs_a_regularisation),
        cmocka_unit_test(magnitudes_are_readable),     cmocka_unit_test(defaults_can_be_read),
        cmocka_unit_test(simple_constants_are_right),  cmocka_unit_test(all_constants_are_the_papers),
        cmocka_unit_test(bounds_decay_with_the_steps), cmocka_unit_test(M_0_is_the_smallest),
        cmocka_unit_test(laws_have_their_moments),     cmocka_unit_test(the_recipe_keeps_its_promise),
        cmocka_unit_test(inputs_have_to_fit_together), cmocka_unit_test(the_range_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
