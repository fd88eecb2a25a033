/* Searches: what is drawn depends on the method, the seed, the number of the point and the keys alone. */
#include "spec/spec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct pl_spec *parse(const char *text)
{
    struct pl_spec *spec = NULL;
    struct pl_text problems = {0};
    struct pl_error err;
    if (pl_spec_parse(&spec, text, strlen(text), "search.yaml", &problems, &err))
        fail_msg("%s: %s\n%s", err.text, pl_text(&problems), text);
    pl_text_release(&problems);
    return spec;
}

/* "lambda epsilon|lambda epsilon|...": the values of two settings at each configuration, exactly. */
static char *points_of(const char *text, const char *one, const char *two, bool repeats)
{
    struct pl_spec *spec = parse(text);
    struct pl_walk *walk = pl_walk_new(pl_spec_study(spec, 0));
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t count;
    struct pl_text out = {0};
    if (repeats)
        pl_walk_with_repeats(walk);
    while (!pl_walk_next(walk, &settings, &seeds, &count)) {
        const char *keys[] = {one, two};
        for (int i = 0; i < 2; i++) {
            const struct pl_value *value = keys[i] ? pl_settings_find(settings, keys[i]) : NULL;
            if (value)
                pl_value_write(value, &out);
            pl_text_add(&out, i ? "|" : " ");
        }
    }
    pl_walk_free(walk);
    pl_spec_free(spec);
    pl_text_add(&out, "");
    return out.text ? pl_text_take(&out) : pl_copy("");
}

#define STUDY "study: s\ntask: {problem: theta30, iterations: 10}\n"
#define TWO "optimizer: {name: adam, lambda: {log: [1e-4, 1]}, epsilon: {uniform: [0.1, 0.2]}}\n"

static char *two(const char *rest)
{
    char text[1000];
    snprintf(text, sizeof text, STUDY TWO "%s", rest);
    return points_of(text, "lambda", "epsilon", false);
}

static void more_points_are_new_ones_behind(void **state)
{
    (void)state;
    static const char *const methods[] = {"random", "sobol", "halton", "niederreiter"};
    for (size_t i = 0; i < 4; i++) {
        char few_text[100], many_text[100];
        snprintf(few_text, sizeof few_text, "search: {points: 7, method: %s, seed: 3}\n", methods[i]);
        snprintf(many_text, sizeof many_text, "search: {points: 40, method: %s, seed: 3}\n", methods[i]);
        char *few = two(few_text), *many = two(many_text);
        assert_true(strlen(few) > 50 && strlen(many) > 5 * strlen(few));
        assert_int_equal(strncmp(few, many, strlen(few)), 0);
        free(few);
        free(many);
    }
}

static void methods_and_seeds_differ(void **state)
{
    (void)state;
    char *all[] = {two("search: {points: 5}\n"), two("search: {points: 5, seed: 2}\n"),
                   two("search: {points: 5, method: sobol}\n"), two("search: {points: 5, method: sobol, seed: 2}\n"),
                   two("search: {points: 5, method: halton}\n")};
    enum { COUNT = sizeof all / sizeof *all };
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(all[i], all[k]);
    char *plain = two("search: {points: 5, method: random, seed: 1}\n"); /* what stands for nothing said */
    assert_string_equal(plain, all[0]);
    free(plain);
    for (size_t i = 0; i < COUNT; i++)
        free(all[i]);
}

/* These are the very points: a database has them under their keys. */
static void points_stay_what_they_are(void **state)
{
    (void)state;
    char *random = two("search: {points: 2}\n"), *sobol = two("search: {points: 2, method: sobol}\n");
    assert_string_equal(random, "0.0002484823300100009 0.13861704480924492|0.601086115119025 0.1950392947092586|");
    assert_string_equal(sobol, "0.04199311170185674 0.18684550625562069|0.004199311170185677 0.11184550625562069|");
    free(random);
    free(sobol);
}

/* Another setting beside it, in another order, under another name of the key, in another study. */
static void a_random_setting_has_its_own_stream(void **state)
{
    (void)state;
    char *base = points_of(STUDY "optimizer: {name: adam, lambda: {log: [1e-4, 1]}}\nsearch: {points: 6}\n", "lambda",
                           NULL, false);
    char *more = points_of("study: other\ntask: {problem: theta30, iterations: {integer: [10, 1000]}}\n"
                           "optimizer: {epsilon: {uniform: [0.1, 1]}, name: theopoula, lr: {log: [1e-4, 1]}}\n"
                           "search: {points: 6}\n",
                           "lambda", NULL, false);
    assert_string_equal(base, more);
    free(base);
    free(more);
}

static void values_are_within_their_ranges(void **state)
{
    (void)state;
    struct pl_spec *spec = parse(
        "study: s\ntask: {problem: theta30, iterations: {integer: [3, 6]}}\n"
        "optimizer: {name: adam, lambda: {log: [1e-6, 1]}, beta1: {one_minus_log: [0.01, 0.5]},"
        " epsilon: {uniform: [2, 3]}, amsgrad: {choice: [true, false]}}\n"
        "search: {points: 4000}\nseeds: [1]\n");
    struct pl_walk *walk = pl_walk_new(pl_spec_study(spec, 0));
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t count, points = 0, whole[4] = {0}, yes = 0, low = 0;
    double logs = 0, uniform = 0;
    while (!pl_walk_next(walk, &settings, &seeds, &count)) {
        double lambda = pl_settings_need_real(settings, "lambda"), beta = pl_settings_need_real(settings, "beta1");
        double epsilon = pl_settings_need_real(settings, "epsilon");
        int64_t iterations = pl_settings_need_integer(settings, "iterations");
        assert_true(lambda >= 1e-6 && lambda <= 1 && beta >= 0.5 && beta <= 0.99 && epsilon >= 2 && epsilon <= 3);
        assert_true(iterations >= 3 && iterations <= 6);
        whole[iterations - 3]++;
        yes += pl_settings_need_boolean(settings, "amsgrad");
        low += 1 - beta < 0.07071067811865475; /* the middle of the logarithms */
        logs += log10(lambda);
        uniform += epsilon;
        points++;
    }
    pl_walk_free(walk);
    pl_spec_free(spec);
    assert_int_equal(points, 4000);
    assert_true(fabs(logs / 4000 + 3) < 5 * 6 / sqrt(12) / sqrt(4000));
    assert_true(fabs(uniform / 4000 - 2.5) < 5 / sqrt(12) / sqrt(4000));
    for (int i = 0; i < 4; i++)
        assert_true(fabs((double)whole[i] - 1000) < 5 * sqrt(4000 * 0.25 * 0.75));
    assert_true(fabs((double)yes - 2000) < 5 * sqrt(1000) && fabs((double)low - 2000) < 5 * sqrt(1000));
}

/* Ranges and axes mix: so many points for each combination of the axes, the same ones. */
static void axes_have_the_same_points(void **state)
{
    (void)state;
    char *both = points_of(STUDY
                           "optimizer: {name: [adam, theopoula], lambda: {log: [1e-4, 1]}}\nsearch: {points: 5}\n",
                           "lambda", NULL, false);
    size_t half = strlen(both) / 2;
    assert_int_equal(strncmp(both, both + half, half), 0);
    free(both);
    char *cases = points_of(STUDY "cases:\n- optimizer: {name: adam, lambda: {log: [1e-4, 1]}}\n"
                                  "- optimizer: {name: sgd, lambda: 0.5}\nsearch: {points: 3}\n",
                            "lambda", "optimizer", false);
    assert_non_null(strstr(cases, "|0.5 sgd|"));
    size_t count = 0;
    for (const char *c = cases; *c; c++)
        count += *c == '|';
    assert_int_equal(count, 4);
    free(cases);
}

static void expressions_and_exclude_see_what_is_drawn(void **state)
{
    (void)state;
    char *all = points_of(STUDY "optimizer: {name: adam, lambda: \"2*epsilon\", epsilon: {log: [1e-4, 1]}}\n"
                                "search: {points: 20}\n",
                          "lambda", "epsilon", false);
    size_t count = 0;
    for (char *at = all; *at; count++) {
        double lambda = strtod(at, &at), epsilon = strtod(at, &at);
        assert_true(lambda == 2 * epsilon);
        at++;
    }
    assert_int_equal(count, 20);
    free(all);
    char *left = points_of(STUDY "optimizer: {name: adam, lambda: {choice: [0.1, 0.2]}, epsilon: {log: [1e-4, 1]}}\n"
                                 "search: {points: 20}\nexclude: [{lambda: 0.1}]\n",
                           "lambda", NULL, false);
    assert_null(strstr(left, "0.1 "));
    assert_non_null(strstr(left, "0.2 "));
    assert_true(strlen(left) / 5 < 20);
    free(left);
}

/* Equal points are one configuration; who counts draws gets it as often as it was drawn. */
static void equal_points_are_one(void **state)
{
    (void)state;
    static const char text[] = STUDY
        "optimizer: {name: adam, lambda: {choice: [0.1, 0.2, 0.3]}}\nsearch: {points: 30}\n";
    char *once = points_of(text, "lambda", NULL, false), *all = points_of(text, "lambda", NULL, true);
    assert_int_equal(strlen(once), 3 * 5);
    assert_int_equal(strlen(all), 30 * 5);
    struct pl_spec *spec = parse(text);
    assert_int_equal(pl_spec_study(spec, 0)->configs, 3);
    const struct pl_search *search = pl_spec_study(spec, 0)->search;
    assert_true(search && search->points == 30 && search->key_count == 1 && !strcmp(search->keys[0], "lambda"));
    assert_true(pl_search_is_independent(search));
    pl_spec_free(spec);
    free(once);
    free(all);
}

static void searches_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } bad[] = {
        {STUDY "optimizer: {name: adam, lambda: {log: [1, 0.1]}}\nsearch: {points: 4}\n",
         "3:39: lambda: {log: ...} needs two finite ends"},
        {STUDY "optimizer: {name: adam, lambda: {log: [0, 1]}}\nsearch: {points: 4}\n",
         "3:40: lambda is 0, but must be"},
        {STUDY "optimizer: {name: adam, lambda: {uniform: [-1, 1]}}\nsearch: {points: 4}\n",
         "lambda is -1, but must be"},
        {STUDY "optimizer: {name: adam, beta1: {one_minus_log: [0.1, 2]}, lambda: 1}\nsearch: {points: 4}\n",
         "beta1 is -1, but must be"},
        {STUDY "optimizer: {name: adam, lambda: {choice: [0.1]}}\nsearch: {points: 4}\n", "two values or more"},
        {STUDY "optimizer: {name: adam, lambda: {logg: [0.1, 1]}}\nsearch: {points: 4}\n",
         "a range is {log: [LOW, HIGH]}"},
        {STUDY "optimizer: {name: adam, lambda: [0.1, {log: [0.1, 1]}]}\nsearch: {points: 4}\n",
         "cannot stand in a list of values"},
        {STUDY "optimizer: {name: adam, lambda: [{log: [0.1, 1]}]}\nsearch: {points: 4}\n",
         "cannot stand in a list of values"},
        {STUDY "optimizer: {name: adam, lambda: [{choice: [0.1, 1]}]}\n", "cannot stand in a list of values"},
        {STUDY "cases: [{optimizer: {name: adam, lambda: [{log: [0.1, 1]}]}}]\n", "cannot stand in a list of values"},
        {STUDY "optimizer: {name: adam, lambda: {unifrom: [0.1, 1]}}\nsearch: {points: 4}\n", "a range is {log:"},
        {STUDY "optimizer: {name: adam, lambda: {log: [0.1, 1]}}\nsearch: {points: 4, seed: -1}\n", "seed is -1"},
        {STUDY "optimizer: {name: {choice: [adam, sgd]}, lambda: 1}\nsearch: {points: 4}\n", "cannot be drawn"},
        {STUDY "optimizer: {name: adam, lambda: {log: [0.1, 1]}}\n", "search: {points: 64} must say how often"},
        {STUDY "optimizer: {name: adam, lambda: 0.1}\nsearch: {points: 4}\n", "nothing is drawn here"},
        {STUDY "optimizer: {name: adam, lambda: {log: [0.1, 1]}}\nsearch: {method: sobol}\n", "how many points"},
        {STUDY "optimizer: {name: adam, lambda: {log: [0.1, 1]}}\nsearch: {points: 4, method: sobl}\n",
         "did you mean sobol?"},
        {STUDY "optimizer: {name: adam, lambda: {log: [0.1, 1]}}\nsearch: {points: 4, sed: 1}\n", "did you mean seed?"},
        {STUDY "optimizer: {name: adam, lambda: {log: [0.1, 1]}}\nsearch: {points: 0}\n", "points is 0"},
        {STUDY "optimizer: {name: adam, lambda: {log: [0.1, 1]}, epsilon: [1, 2]}\nzip: [[lambda, epsilon]]\nsearch: "
               "{points: 4}\n",
         "zip: lambda has no list of values here"},
        {"study: s\ntask: {problem: theta30, iterations: {uniform: [1, 10]}}\noptimizer: {name: adam, lambda: "
         "1}\nsearch: {points: 4}\n",
         "integer: [LOW, HIGH]"},
        {"study: s\ntask: {problem: theta30, iterations: {integer: [1.5, 10]}}\noptimizer: {name: adam, lambda: "
         "1}\nsearch: {points: 4}\n",
         "1.5"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pl_spec *spec = NULL;
        struct pl_text problems = {0};
        struct pl_error err;
        if (!pl_spec_parse(&spec, bad[i].text, strlen(bad[i].text), "search.yaml", &problems, &err))
            fail_msg("accepted:\n%s", bad[i].text);
        if (!strstr(pl_text(&problems), bad[i].why))
            fail_msg("no \"%s\" in: %s", bad[i].why, pl_text(&problems));
        if (strchr(pl_text(&problems), '\n') != strrchr(pl_text(&problems), '\n'))
            fail_msg("one slip, several problems: %s", pl_text(&problems));
        pl_text_release(&problems);
    }
    struct pl_text text = {0}, problems = {0};
    struct pl_spec *spec = NULL;
    struct pl_error err;
    /* More settings than a sequence has coordinates: 13 of a program. */
    pl_text_add(&text, "study: s\ntask: {command: [echo, \"{k0}\"]}\nsettings: {");
    for (int i = 0; i < 13; i++)
        pl_text_addf(&text, "%sk%d: {uniform: [0, 1]}", i ? ", " : "", i);
    pl_text_add(&text, "}\nsearch: {points: 2, method: niederreiter}\n");
    assert_true(pl_spec_parse(&spec, pl_text(&text), text.length, "search.yaml", &problems, &err) < 0);
    assert_non_null(strstr(pl_text(&problems), "niederreiter draws at most 12 settings, and these are 13"));
    pl_text_release(&text);
    pl_text_release(&problems);
}

/* A scale may replace all that is drawn. */
static void a_scale_may_leave_nothing_to_draw(void **state)
{
    (void)state;
    static const char text[] = STUDY "optimizer: {name: adam, lambda: {log: [0.1, 1]}}\nsearch: {points: 4}\n"
                                     "scale: {quick: {lambda: 0.5}}\n";
    struct pl_text problems = {0};
    struct pl_spec *spec = NULL;
    struct pl_error err;
    assert_false(pl_spec_parse_scaled(&spec, text, strlen(text), "search.yaml", "quick", &problems, &err));
    assert_int_equal(pl_spec_study(spec, 0)->configs, 1);
    pl_spec_free(spec);
    pl_text_release(&problems);
}

/* The width of a range may be above what a number holds. */
static void the_widest_range_is_drawn_from(void **state)
{
    (void)state;
    char *points = points_of("study: s\ntask: {command: [echo, \"{v}\"]}\nsearch: {points: 20}\n"
                             "settings: {v: {uniform: [-1e308, 1e308]}}\n",
                             "v", NULL, false);
    int count = 0, below = 0;
    for (char *at = points; *at; at += strspn(at, " |")) {
        double v = strtod(at, &at);
        assert_true(v > -1e308 && v < 1e308);
        below += v < 0;
        count++;
    }
    assert_int_equal(count, 20);
    assert_in_range(below, 3, 17);
    free(points);
}

/* Though a table names the setting that brings it. */
static void a_range_that_a_scale_brings_is_refused(void **state)
{
    (void)state;
    static const char
        brought[] = "study: s\ntask: {dataset: cifar10, model: [vgg11, resnet34], epochs: 1}\n"
                    "optimizer: {name: sgd, lambda: 0.1}\n"
                    "tables:\n- {rows: optimizer, columns: [model], value: best test_accuracy}\n"
                    "scale: {quick: {model: {vgg11: {width: {log: [0.1, 1]}}, resnet34: {width: 0.5}}}}\n";
    struct pl_text problems = {0};
    struct pl_spec *spec = NULL;
    struct pl_error err;
    assert_true(pl_spec_parse_scaled(&spec, brought, strlen(brought), "search.yaml", "quick", &problems, &err) < 0);
    assert_non_null(strstr(pl_text(&problems), "6:40: width: a range cannot stand in a list of values"));
    pl_text_release(&problems);
}

static void what_is_drawn_is_known(void **state)
{
    (void)state;
    struct pl_spec *spec = parse(
        "study: s\ntask: {problem: theta30, iterations: 10}\nsearch: {points: 3}\ncases:\n"
        "- {optimizer: {name: [adam, adamw], lambda: {log: [1e-4, 1]}, beta1: {one_minus_log: "
        "[0.01, 0.5]}}}\n"
        "- {optimizer: {name: sgd, lambda: {log: [1e-3, 10]}, momentum: {choice: [0, 0.9]}}}\n");
    const struct pl_search *search = pl_spec_study(spec, 0)->search;
    assert_int_equal(search->drawn_count, 6);
    assert_string_equal(search->drawn[0].key, "lambda");
    assert_string_equal(search->drawn[0].optimizer, "adam");
    assert_string_equal(search->drawn[1].optimizer, "adamw");
    const struct pl_drawn *last = &search->drawn[5];
    assert_string_equal(last->key, "momentum");
    assert_string_equal(last->optimizer, "sgd");
    assert_int_equal(last->prior->kind, PL_PRIOR_CHOICE);
    assert_true(last->prior->values[1].real == 0.9);
    assert_int_equal(pl_search_prior(search, "lambda")->kind, PL_PRIOR_LOG);
    assert_int_equal(pl_search_prior(search, "beta1")->kind, PL_PRIOR_ONE_MINUS_LOG);
    assert_true(pl_search_prior(search, "beta1")->low == 0.01);
    assert_null(pl_search_prior(search, "epsilon"));
    pl_spec_free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_points_are_new_ones_behind),
        cmocka_unit_test(methods_and_seeds_differ),
        cmocka_unit_test(points_stay_what_they_are),
        cmocka_unit_test(a_random_setting_has_its_own_stream),
        cmocka_unit_test(values_are_within_their_ranges),
        cmocka_unit_test(axes_have_the_same_points),
        cmocka_unit_test(expressions_and_exclude_see_what_is_drawn),
        cmocka_unit_test(equal_points_are_one),
        cmocka_unit_test(what_is_drawn_is_known),
        cmocka_unit_test(searches_that_cannot_be_are_refused),
        cmocka_unit_test(a_range_that_a_scale_brings_is_refused),
        cmocka_unit_test(a_scale_may_leave_nothing_to_draw),
        cmocka_unit_test(the_widest_range_is_drawn_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
