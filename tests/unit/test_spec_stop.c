/* stop of a study: what it holds, which runs compete, what is refused, and that no run's key has it. */
#include "spec_check.h"

#define PROBLEM "study: s\ntask: {problem: theta30, iterations: 900, record: 90}\n"
#define DRAWN PROBLEM "optimizer: {name: [sgd, adam], lambda: {log: [1e-4, 1]}}\nsearch: {points: 9}\n"
#define COMMAND "study: s\ntask: {command: [train, \"{lr}\", \"{until}\"]}\nsettings: {lr: [1, 2, 3]}\n"

static void a_stop_is_read(void **state)
{
    (void)state;
    struct pl_spec *spec = load(DRAWN "stop: {by: loss, keep: 1/3, at: [30, 90]}\n");
    const struct pl_stop *stop = pl_spec_study(spec, 0)->stop;
    assert_non_null(stop);
    assert_string_equal(stop->metric, "loss");
    assert_true(stop->keep == 1. / 3 && stop->count == 2 && stop->at[0] == 30 && stop->at[1] == 90);
    assert_true(!stop->best && !stop->hyperband && !stop->failed_last && !stop->restart && stop->repeats);
    pl_spec_free(spec);
    spec = load(COMMAND "epochs: 9\nmetrics: {gain: max}\n"
                        "stop: {by: best gain, keep: 0.25, at: 3, hyperband: true, failed: last, restart: true}\n");
    stop = pl_spec_study(spec, 0)->stop;
    assert_true(stop->best && stop->keep == 0.25 && stop->count == 1 && stop->hyperband && stop->failed_last);
    assert_true(stop->restart && stop->repeats);
    pl_spec_free(spec);
}

static void no_key_has_it(void **state)
{
    (void)state;
    struct pl_spec *with = load(DRAWN "stop: {by: loss, keep: 1/3, at: [30, 90]}\n"), *without = load(DRAWN);
    struct pl_walk *a = pl_walk_new(pl_spec_study(with, 0)), *b = pl_walk_new(pl_spec_study(without, 0));
    const struct pl_settings *x, *y;
    const int64_t *seeds;
    size_t count, configs = 0;
    while (!pl_walk_next(a, &x, &seeds, &count)) {
        struct pl_text one = {0}, two = {0};
        assert_int_equal(pl_walk_next(b, &y, &seeds, &count), 0);
        pl_settings_write(x, &one);
        pl_settings_write(y, &two);
        assert_string_equal(pl_text(&one), pl_text(&two));
        pl_text_release(&one);
        pl_text_release(&two);
        configs++;
    }
    assert_int_equal(configs, 18);
    pl_walk_free(a);
    pl_walk_free(b);
    pl_spec_free(with);
    pl_spec_free(without);
}

/* "group.index group.index ..." of the configurations in their order. */
static void places_are(const char *text, const char *wanted)
{
    struct pl_spec *spec = load(text);
    struct pl_walk *walk = pl_walk_new(pl_spec_study(spec, 0));
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t count;
    struct pl_text got = {0};
    while (!pl_walk_next(walk, &settings, &seeds, &count)) {
        struct pl_walk_place place;
        pl_walk_where(walk, &place);
        pl_text_addf(&got, "%s%d.%d", got.length ? " " : "", (int)place.group, (int)place.index);
    }
    assert_string_equal(pl_text(&got), wanted);
    pl_text_release(&got);
    pl_walk_free(walk);
    pl_spec_free(spec);
}

#define STOP "stop: {by: loss, keep: 1/3, at: [30]}\n"
#define OVER(keys) "stop: {by: loss, keep: 1/3, at: [30], over: " keys "}\n"

static void points_of_one_combination_compete(void **state)
{
    (void)state;
    places_are(PROBLEM "optimizer: {name: [sgd, adam], lambda: {log: [1e-4, 1]}, weight_decay: [0, 0.1]}\n"
                       "search: {points: 3}\n" STOP,
               "0.0 0.1 0.2 1.0 1.1 1.2 2.0 2.1 2.2 3.0 3.1 3.2");
    places_are(PROBLEM "optimizer: {name: [sgd, adam], lambda: {log: [1e-4, 1]}, weight_decay: [0, 0.1]}\n"
                       "search: {points: 3}\n" OVER("[lambda, weight_decay]"),
               "0.0 0.2 0.4 0.1 0.3 0.5 1.0 1.2 1.4 1.1 1.3 1.5");
    /* Where nothing is drawn: all that neither chooses other settings nor says what the task is. */
    places_are("study: s\ntask: {problem: [theta30, quartic], iterations: 900}\n"
               "optimizer: {name: [sgd, adam], lambda: [1, 2, 3]}\n" STOP,
               "0.0 0.1 0.2 1.0 1.1 1.2 2.0 2.1 2.2 3.0 3.1 3.2");
    places_are(
        "study: s\ntask: {problem: theta30, iterations: 900}\ncases:\n- {optimizer: {name: sgd, lambda: [1, 2]}}\n"
        "- {optimizer: {name: adam, lambda: [1, 2]}}\n" STOP,
        "0.0 0.1 1.0 1.1");
    places_are(
        "study: s\ntask: {problem: theta30, iterations: 900}\noptimizer: {name: [sgd, adam], lambda: [1, 2]}\n" OVER(
            "optimizer"),
        "0.0 1.0 0.1 1.1");
}

/* A point keeps its place when others are added, also beside an axis that competes. */
static void more_points_come_behind(void **state)
{
    (void)state;
    places_are(PROBLEM "optimizer: {name: sgd, lambda: {log: [1e-4, 1]}, weight_decay: [0, 0.1]}\n"
                       "search: {points: 2}\n" OVER("[lambda, weight_decay]"),
               "0.0 0.2 0.1 0.3");
    places_are(PROBLEM "optimizer: {name: sgd, lambda: {log: [1e-4, 1]}, weight_decay: [0, 0.1]}\n"
                       "search: {points: 3}\n" OVER("[lambda, weight_decay]"),
               "0.0 0.2 0.4 0.1 0.3 0.5");
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {DRAWN "stop: {by: loss, keep: 1/3, median: true, at: [3]}\n",
         "stop: keep has no meaning with median: true, which decides about each run as it comes"},
        {DRAWN "stop: {by: loss, hyperband: true, median: true, at: [3]}\n", "stop: hyperband has no meaning with"},
        {DRAWN "stop: {by: loss, keep: 1/3, startup: 3, at: [3]}\n",
         "stop: startup has a meaning with median: true alone"},
        {DRAWN "stop: {by: loss, median: true, startup: 0, at: [3]}\n", "startup"},
        {DRAWN "stop: {by: loss, median: false, at: [3]}\n", "stop must say by which metric, which share goes on"},
        {DRAWN "stop: {by: loss, keep: 1/3}\n", "stop must say by which metric, which share goes on, and when"},
        {DRAWN "stop: [1, 3]\n", "stop must be a mapping, such as {by: valid_loss, keep: 1/3, at: [1, 3, 9]}"},
        {DRAWN "stop: {by: loss, keep: 1/3, at: [3], kep: 1}\n", "did you mean keep?"},
        {DRAWN "stop: {by: loss, keep: 3/1, at: [3]}\n", "stop: keep must be the share of the runs that go on"},
        {DRAWN "stop: {by: loss, keep: 1, at: [3]}\n", "and not \"1\""},
        {DRAWN "stop: {by: loss, keep: 1/3/2, at: [3]}\n", "and not \"1/3/2\""},
        {DRAWN "stop: {by: loss, keep: 1/3, at: [3, 3]}\n", "stop: at must be epochs that rise"},
        {DRAWN "stop: {by: loss, keep: 1/3, at: [0, 3]}\n", "at"},
        {DRAWN "stop: {by: loss, keep: 1/3, at: [900, 1000]}\n",
         "stop: at begins with 900, and no run is longer than 900"},
        {DRAWN "stop: {by: theta, keep: 1/3, at: [3]}\n",
         "stop cannot go by theta, which is neither better up nor down"},
        {DRAWN "stop: {by: gain, keep: 1/3, at: [3]}\n", "stop cannot go by gain: "},
        {DRAWN "stop: {by: best-valid loss, keep: 1/3, at: [3]}\n", "stop: by must be METRIC or best METRIC"},
        {DRAWN "stop: {by: loss, keep: 1/3, at: [3], failed: never}\n", "stop: failed cannot be \"never\""},
        {DRAWN "stop: {by: loss, keep: 1/3, at: [3], restart: true}\n", "stop: restart is for commands"},
        {DRAWN "stop: {by: loss, keep: 1/3, at: [3], over: [lr, mu]}\n",
         "stop: over: no run of this study has the setting"},
        {PROBLEM "optimizer: {name: [sgd, adam]}\nstop: {by: loss, keep: 1/3, at: [3]}\n",
         "no two runs of this study compete"},
        {COMMAND "stop: {by: loss, keep: 1/3, at: [3], restart: true}\n", "stop needs to know how many epochs a run"},
        {COMMAND "epochs: 9\nstop: {by: loss, keep: 1/3, at: [3]}\n", "runs go on from what they left in {run_folder}"},
        {COMMAND "epochs: 3\nstop: {by: loss, keep: 1/3, at: [3], restart: true}\n", "no run is longer than 3"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_text problems = {0};
        refused_bytes(cases[i].text, strlen(cases[i].text), &problems);
        if (!strstr(pl_text(&problems), cases[i].wanted))
            fail_msg("%s is refused by\n%s", cases[i].text, pl_text(&problems));
        pl_text_release(&problems);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_is_read),
        cmocka_unit_test(no_key_has_it),
        cmocka_unit_test(points_of_one_combination_compete),
        cmocka_unit_test(more_points_come_behind),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
