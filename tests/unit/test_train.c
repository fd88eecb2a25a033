#include "optim/optim.h"
#include "problem/problem.h"
#include "recorder.h"

#include "train/train_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "train_settings.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static struct pl_run_result run_settings(const struct pl_settings *s, int64_t seed, int threads,
                                         const struct pl_sink *sink)
{
    struct pl_run_request request = {.settings = s, .seed = seed, .threads = threads, .folder = NULL};
    struct pl_run_result result = {0};
    struct pl_error err;
    if (pl_train_check(s, &err) || pl_train_run(&request, sink, &result, &err))
        fail_msg("%s", err.text);
    return result;
}

static struct pl_run_result run(const char *words, int64_t seed, struct recorder *r)
{
    struct pl_settings s = {0};
    settings_of(&s, words);
    struct pl_sink sink = recorder_sink(r);
    struct pl_run_result result = run_settings(&s, seed, 1, &sink);
    pl_settings_release(&s);
    return result;
}

static bool same_points(const struct recorder *a, const struct recorder *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->points[i].series == b->points[i].series && a->points[i].epoch == b->points[i].epoch &&
               !memcmp(&a->points[i].value, &b->points[i].value, sizeof(double));
    return same;
}

/* Fails unless the settings are refused with a sentence that holds part. */
static void refused(const char *words, const char *part)
{
    struct pl_settings s = {0};
    struct pl_error err = {0};
    settings_of(&s, words);
    if (pl_train_check(&s, &err) != PL_EINPUT)
        fail_msg("%s was accepted", words);
    if (!strstr(err.text, part))
        fail_msg("%s: \"%s\" does not say \"%s\"", words, err.text, part);
    pl_settings_release(&s);
}

static void no_schema(const char *key, const char *value, const char *key2, const char *value2, const char *part)
{
    struct pl_settings chosen = {0};
    struct pl_schema schema;
    struct pl_error err = {0};
    if (key)
        pl_settings_set_string(&chosen, key, value);
    if (key2)
        pl_settings_set_string(&chosen, key2, value2);
    assert_int_equal(pl_train_schema(&chosen, &schema, &err), PL_EINPUT);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" does not say \"%s\"", err.text, part);
    pl_settings_release(&chosen);
}

static void schemas_say_what_is_wrong(void **state)
{
    (void)state;
    no_schema(NULL, NULL, NULL, NULL, "a problem, a dataset or a command");
    no_schema("optimizer", "sgd", NULL, NULL, "a problem, a dataset or a command");
    no_schema("problem", "theta3", "optimizer", "sgd", "did you mean theta30?");
    no_schema("problem", "xyzzyplugh", "optimizer", "sgd", "there are: double_well, mixture, quadratic");
    no_schema("problem", "theta30", NULL, NULL, "the optimizer is missing");
    no_schema("problem", "theta30", "optimizer", "theopola", "did you mean theopoula?");
    no_schema("dataset", "glyphs", "optimizer", "sgd", "the model is missing");
}

/* A key means one thing in the whole program, and every default is legal. */
static void keys_belong_to_one_section(void **state)
{
    (void)state;
    const struct pl_schema_sources *all = pl_train_schema_sources();
    const struct pl_schema_source *sources = all->items;
    const size_t count = all->count;
    assert_true(count >= 10);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sources[i].part.count; k++) {
            const struct pl_setting *setting = &sources[i].part.settings[k];
            struct pl_value value;
            struct pl_error err;
            bool absent = setting->initial && !*setting->initial && (setting->type != PL_STRING || setting->range);
            if (setting->initial && !absent && pl_setting_read(setting, setting->initial, &value, &err))
                fail_msg("%s: %s", sources[i].owner, err.text);
            for (size_t j = 0; j < count; j++)
                if (sources[j].part.section != sources[i].part.section &&
                    pl_setting_find(sources[j].part.settings, sources[j].part.count, setting->key))
                    fail_msg("%s of %s is also a key of %s", setting->key, sources[i].owner, sources[j].owner);
        }
}

/* The whole matrix: a new optimizer or problem joins it by being listed. */
static void every_optimizer_runs_on_every_problem(void **state)
{
    (void)state;
    for (size_t p = 0; p < pl_problem_count(); p++)
        for (size_t o = 0; o < pl_optim_count(); o++) {
            char words[200];
            struct recorder first, second;
            snprintf(words, sizeof words, "problem=%s optimizer=%s iterations=40 record=8 dimension=5 start=0.6",
                     pl_problem_at(p)->name, pl_optim_info(o)->name);
            struct pl_run_result result = run(words, 3, &first);
            run(words, 3, &second);
            if (result.outcome != PL_FINISHED && result.outcome != PL_DIVERGED)
                fail_msg("%s: %s", words, result.reason);
            assert_true(first.count >= 2);
            assert_true(same_points(&first, &second));
            recorder_release(&first);
            recorder_release(&second);
        }
}

static void seeds_and_threads(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    settings_of(&s, "problem=theta30 optimizer=theopoula lambda=0.1 beta=1e4 iterations=50 dimension=3000 record=5");
    struct recorder r[3];
    for (int i = 0; i < 3; i++) {
        struct pl_sink sink = recorder_sink(&r[i]);
        run_settings(&s, i == 2 ? 12 : 11, i == 1 ? 2 : 1, &sink);
    }
    assert_true(same_points(&r[0], &r[1]));
    assert_false(same_points(&r[0], &r[2]));
    for (int i = 0; i < 3; i++)
        recorder_release(&r[i]);
    pl_settings_release(&s);
}

/* SGD with a rate that cannot overflow, against the recursion written out with the documented draws. */
static void data_come_from_their_stream(void **state)
{
    (void)state;
    struct recorder r;
    run("problem=theta30 optimizer=sgd lambda=0.01 start=0.9 dimension=2 iterations=300 record=300", 5, &r);
    struct pl_random data = pl_random_stream(5, PL_STREAM_DATA);
    double theta[2] = {0.9, 0.9};
    for (size_t t = 1; t <= 300; t++) {
        for (size_t i = 0; i < 2; i++) {
            double x = 4 * pl_random_uniform(&data, t, i) - 2;
            theta[i] -= 0.01 * (2 * theta[i] * (x <= 1 ? 2 : 1) + 30 * pow(theta[i], 29));
        }
        struct recorded point;
        recorder_find(&r, "theta2", t - 1, &point);
        assert_true(point.epoch == t);
        assert_float_equal(point.value, theta[1], 1e-12);
    }
    recorder_release(&r);
}

static void divergence_is_recorded(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run("problem=theta30 optimizer=sgd lambda=0.001 iterations=1000 record=10", 1, &r);
    assert_int_equal(result.outcome, PL_DIVERGED);
    assert_true(result.bad_epoch == 2);
    assert_string_equal(result.reason, "theta is not finite after iteration 2");
    struct recorded point;
    assert_int_equal(recorder_find(&r, "theta", 0, &point), 1);
    assert_true(point.epoch == 2);
    assert_true(isinf(point.value));
    assert_int_equal(recorder_find(&r, "loss", 0, &point), 1);
    assert_false(isfinite(point.value));
    recorder_release(&r);

    /* theta is still finite after the first step, but its loss is not. */
    result = run("problem=theta30 optimizer=sgd lambda=0.001 iterations=4 record=4", 1, &r);
    assert_int_equal(result.outcome, PL_DIVERGED);
    assert_true(result.bad_epoch == 1);
    assert_int_equal(recorder_find(&r, "theta", 0, &point), 1);
    assert_true(isfinite(point.value));
    recorder_release(&r);

    /* One coordinate of many is enough: the last grows by a factor of 1e10 - 1 a step, the others less. */
    result = run("problem=quadratic optimizer=sgd lambda=1 condition=1e10 dimension=8 iterations=100 record=1", 1, &r);
    assert_int_equal(result.outcome, PL_DIVERGED);
    assert_true(result.bad_epoch == 31);
    recorder_release(&r);
}

static void points_are_evenly_spaced(void **state)
{
    (void)state;
    static const struct {
        int iterations, record, points;
    } cases[] = {{200, 20, 20}, {100, 7, 7}, {5, 3, 3}, {10, 10, 10}, {10, 100, 10}, {1, 1, 1}, {997, 100, 100}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        char words[100];
        struct recorder r;
        snprintf(words, sizeof words, "problem=quadratic optimizer=sgd iterations=%d record=%d dimension=1",
                 cases[c].iterations, cases[c].record);
        assert_int_equal(run(words, 1, &r).outcome, PL_FINISHED);
        struct recorded point;
        assert_int_equal(recorder_find(&r, "loss", 0, NULL), cases[c].points);
        for (int i = 1; i <= cases[c].points; i++) {
            recorder_find(&r, "loss", (size_t)i - 1, &point);
            assert_true(point.epoch == lround((double)i * cases[c].iterations / cases[c].points));
        }
        recorder_release(&r);
    }
}

static void metrics_by_dimension(void **state)
{
    (void)state;
    static const struct {
        int dimension;
        const char *metrics;
    } cases[] = {{1, "loss theta"},
                 {2, "loss distance theta1 theta2"},
                 {3, "loss distance theta1 theta2 theta3"},
                 {4, "loss distance"}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        char words[100];
        struct recorder r;
        snprintf(words, sizeof words, "problem=rastrigin optimizer=sgd iterations=2 record=1 dimension=%d",
                 cases[c].dimension);
        run(words, 1, &r);
        struct pl_text names = {0};
        for (int i = 0; i < r.metric_count; i++) {
            pl_text_addf(&names, "%s%s", i ? " " : "", r.metrics[i]);
            assert_int_equal(r.directions[i], strncmp(r.metrics[i], "theta", 5) ? PL_MINIMIZE : PL_NEUTRAL);
        }
        assert_string_equal(pl_text(&names), cases[c].metrics);
        pl_text_release(&names);
        recorder_release(&r);
    }
    assert_int_equal(pl_train_direction("test_accuracy"), PL_MAXIMIZE);
    assert_int_equal(pl_train_direction("valid_perplexity"), PL_MINIMIZE);
    assert_int_equal(pl_train_direction("averaged_theta2"), PL_NEUTRAL);
    assert_int_equal(pl_train_direction("theta_error"), PL_MINIMIZE);
    assert_int_equal(pl_train_direction("lambda"), PL_NEUTRAL);
    assert_int_equal(pl_train_direction("epoch_seconds"), PL_NEUTRAL);
}

/* On u = theta^2 / 2 a step of SGD is theta *= 1 - lambda, so the rate of every step can be read off. */
static void schedules(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        double factors[6];
    } cases[] = {
        {"", {1, 1, 1, 1, 1, 1}},
        {"decay=0.1 every=2", {1, 1, 0.1, 0.1, 0.01, 0.01}},
        {"decay=0.5 milestones=[1,4]", {1, 0.5, 0.5, 0.5, 0.25, 0.25}},
        {"warmup=4", {0.25, 0.5, 0.75, 1, 1, 1}},
        {"anneal=linear floor=0.4", {1, 0.9, 0.8, 0.7, 0.6, 0.5}},
        {"anneal=cosine", {1, 0.9330127018922193, 0.75, 0.5, 0.25, 0.0669872981077807}},
        {"anneal=linear warmup=2 decay=0.5 every=3", {0.5, 1, 1, 0.375, 0.25, 0.125}},
    };
    for (size_t c = 0; c < COUNT(cases); c++) {
        char words[200];
        struct recorder r;
        snprintf(words, sizeof words, "problem=quadratic optimizer=sgd lambda=0.3 iterations=6 record=6 dimension=1 %s",
                 cases[c].words);
        run(words, 1, &r);
        double before = 1;
        for (size_t t = 0; t < 6; t++) {
            struct recorded point;
            recorder_find(&r, "theta", t, &point);
            if (fabs(1 - point.value / before - 0.3 * cases[c].factors[t]) > 1e-12)
                fail_msg("%s, step %zu: factor %.15g", cases[c].words, t, (1 - point.value / before) / 0.3);
            before = point.value;
        }
        recorder_release(&r);
    }
}

static void decay_by_patience(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct pl_schedule schedule;
    struct pl_error err;
    pl_settings_set_real(&s, "decay", 0.1);
    pl_settings_set_integer(&s, "patience", 2);
    pl_settings_fill(&s, pl_schedule_settings, pl_schedule_setting_count);
    assert_int_equal(pl_schedule_init(&schedule, &s, 100, &err), 0);
    static const double losses[] = {3, NAN, 2, 2, INFINITY, 1, 1.5, NAN, 1, 1};
    static const bool decays[] = {false, false, false, false, true, false, false, true, false, true};
    double factor = 1;
    for (size_t i = 0; i < COUNT(losses); i++) {
        assert_int_equal(pl_schedule_validated(&schedule, losses[i]), decays[i]);
        factor *= decays[i] ? 0.1 : 1;
        assert_float_equal(pl_schedule_factor(&schedule, (struct pl_moment){(double)i + 1, 1}), factor, 1e-15);
    }
    pl_schedule_release(&schedule);
    pl_settings_release(&s);
}

/* Far out a step of the toy example is sqrt(lambda) long; near 0 its gradient is one of four small numbers. */
static void shares_are_means_between_recorded_points(void **state)
{
    (void)state;
    struct recorder r;
    struct recorded p, q;
    run("problem=theta30 optimizer=theopoula lambda=0.01 epsilon=0.01 beta=inf iterations=20 record=5 "
        "record_shares=true",
        1, &r);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(recorder_find(&r, "tamed_share", i, &p), 5);
        assert_true(p.epoch == 4 * (i + 1));
        assert_float_equal(p.value, 1, 0);
        recorder_find(&r, "boosted_share", i, &p);
        assert_float_equal(p.value, 0, 0);
        recorder_find(&r, "stepsize", i, &p);
        assert_float_equal(p.value, 0.1, 1e-9);
    }
    recorder_release(&r);
    /* Iterates one by one against their means by two. */
    static const char
        near[] = "problem=theta30 optimizer=theopoula lambda=0.1 epsilon=0.01 beta=inf start=0.6 iterations=8 "
                 "record_shares=true ";
    struct recorder pairs;
    char words[300];
    snprintf(words, sizeof words, "%srecord=8", near);
    run(words, 1, &r);
    snprintf(words, sizeof words, "%srecord=4", near);
    run(words, 1, &pairs);
    double before = 0.6;
    for (size_t i = 0; i < 8; i++) {
        struct recorded step;
        recorder_find(&r, "stepsize", i, &step);
        recorder_find(&r, "theta", i, &p);
        assert_float_equal(step.value, fabs(p.value - before), 1e-12);
        before = p.value;
        if (i % 2)
            continue;
        recorder_find(&r, "stepsize", i + 1, &q);
        recorder_find(&pairs, "stepsize", i / 2, &p);
        assert_float_equal(p.value, (step.value + q.value) / 2, 1e-12);
    }
    recorder_release(&r);
    recorder_release(&pairs);
    refused("problem=theta30 optimizer=tusla record_shares=true", "as theopoula does; tusla does not");
}

static void combinations_are_checked(void **state)
{
    (void)state;
#define BASE "problem=theta30 optimizer=sgd iterations=50 "
    refused(BASE "every=10", "give decay");
    refused(BASE "milestones=[10]", "give decay");
    refused(BASE "decay=0.1", "neither every nor milestones");
    refused(BASE "decay=0.1 every=10 milestones=[20]", "give one of them");
    refused(BASE "decay=0.1 milestones=[20,10]", "rising");
    refused(BASE "floor=0.1", "anneal is none");
    refused(BASE "warmup=51", "the run has 50 epochs");
#undef BASE
    struct pl_settings s = {0};
    struct pl_error err;
    assert_int_equal(pl_train_check(&s, &err), PL_EINPUT);
}

static void a_request_without_sense_fails(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct recorder r;
    struct pl_sink sink = recorder_sink(&r);
    struct pl_run_request request = {.settings = &s, .seed = 1, .threads = 1, .folder = NULL};
    struct pl_run_result result = {0};
    struct pl_error err = {0};
    assert_int_equal(pl_train_run(&request, &sink, &result, &err), PL_EINPUT);
    assert_int_equal(result.outcome, PL_FAILED);
    assert_string_equal(result.reason, err.text);
    pl_settings_set_string(&s, "problem", "nonesuch");
    assert_int_equal(pl_train_run(&request, &sink, &result, NULL), PL_EINPUT);
    assert_int_equal(result.outcome, PL_FAILED);
    recorder_release(&r);
    pl_settings_release(&s);
}

static void memory_that_is_refused_is_a_failure(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    settings_of(&s, "problem=theta30 optimizer=sgd iterations=2");
    pl_settings_set_integer(&s, "dimension", INT64_MAX / 2);
    struct recorder r;
    struct pl_sink sink = recorder_sink(&r);
    struct pl_run_request request = {.settings = &s, .seed = 1, .threads = 1, .folder = NULL};
    struct pl_run_result result = {0};
    assert_int_equal(pl_train_run(&request, &sink, &result, NULL), 0);
    assert_int_equal(result.outcome, PL_FAILED);
    assert_non_null(strstr(result.reason, "not enough memory"));
    recorder_release(&r);
    pl_settings_release(&s);
}

static void stops_when_asked(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    settings_of(&s, "problem=theta30 optimizer=sgd lambda=1e-30 iterations=1000000000 record=10");
    struct recorder r;
    struct pl_sink sink = recorder_sink(&r);
    r.stop_after = 0;
    struct pl_run_result result = run_settings(&s, 1, 1, &sink);
    assert_int_equal(result.outcome, PL_INTERRUPTED);
    assert_string_equal(result.reason, "stopped after iteration 4096 of 1000000000");
    assert_int_equal(r.questions, 1);
    recorder_release(&r);
    pl_settings_release(&s);
}

/* The average is reported beside the iterate, and the iterate is the same with and without it. */
static void averages_are_reported(void **state)
{
    (void)state;
    struct recorder plain, averaged;
    run("problem=theta30 optimizer=theopoula lambda=0.01 iterations=100 record=10", 4, &plain);
    run("problem=theta30 optimizer=theopoula lambda=0.01 iterations=100 record=10 average=on", 4, &averaged);
    assert_int_equal(recorder_find(&plain, "averaged_theta", 0, NULL), 0);
    assert_int_equal(recorder_find(&averaged, "averaged_theta", 0, NULL), 10);
    assert_int_equal(recorder_find(&averaged, "averaged_loss", 0, NULL), 10);
    struct recorded a, b, mean;
    recorder_find(&plain, "theta", 9, &a);
    recorder_find(&averaged, "theta", 9, &b);
    recorder_find(&averaged, "averaged_theta", 9, &mean);
    assert_true(a.value == b.value);
    assert_true(mean.value > a.value && mean.value < 5);
    recorder_release(&plain);
    recorder_release(&averaged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemas_say_what_is_wrong),
        cmocka_unit_test(keys_belong_to_one_section),
        cmocka_unit_test(every_optimizer_runs_on_every_problem),
        cmocka_unit_test(seeds_and_threads),
        cmocka_unit_test(data_come_from_their_stream),
        cmocka_unit_test(divergence_is_recorded),
        cmocka_unit_test(points_are_evenly_spaced),
        cmocka_unit_test(metrics_by_dimension),
        cmocka_unit_test(schedules),
        cmocka_unit_test(decay_by_patience),
        cmocka_unit_test(shares_are_means_between_recorded_points),
        cmocka_unit_test(combinations_are_checked),
        cmocka_unit_test(a_request_without_sense_fails),
        cmocka_unit_test(memory_that_is_refused_is_a_failure),
        cmocka_unit_test(stops_when_asked),
        cmocka_unit_test(averages_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
