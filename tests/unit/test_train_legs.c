/* Runs that are brought to an epoch short of their end, and on from there: where they end, what they have recorded, and
 * that the whole is what an uninterrupted run records. Networks are in cli/halving.sh. */
#include "train_command_parts.h"

static struct pl_run_result run_leg(struct pl_run_request *request, struct recorder *r)
{
    struct pl_sink sink = recorder_sink(r);
    struct pl_run_result result = {0};
    struct pl_error err;
    if (pl_train_run(request, &sink, &result, &err))
        fail_msg("%s", err.text);
    return result;
}

static void same_until(const struct recorder *whole, const struct recorder *part, double until)
{
    size_t expected = 0;
    for (size_t i = 0; i < whole->count; i++)
        expected += whole->points[i].epoch <= until;
    assert_int_equal(part->count, expected);
    for (size_t i = 0; i < part->count; i++)
        assert_memory_equal(&part->points[i].value, &whole->points[i].value, sizeof(double));
}

static void a_leg_of(const char *problem, const char *optimizer)
{
    struct pl_settings s = {0};
    struct recorder whole, part;
    pl_settings_set_string(&s, "problem", problem);
    pl_settings_set_string(&s, "optimizer", optimizer);
    pl_settings_set_real(&s, "lambda", 0.01);
    pl_settings_set_integer(&s, "iterations", 1000);
    pl_settings_set_integer(&s, "record", 10);
    struct pl_run_request request = {.settings = &s, .seed = 3, .threads = 1};
    struct pl_run_result result = run_leg(&request, &whole);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_true(result.reached == 0 && whole.count >= 10);
    for (request.until = 250; request.until < 1000; request.until += 100) {
        result = run_leg(&request, &part);
        assert_int_equal(result.outcome, PL_INTERRUPTED);
        assert_true(result.reached == request.until);
        same_until(&whole, &part, request.until);
        recorder_release(&part);
    }
    for (request.until = 1000; request.until < 3000; request.until += 1000) {
        result = run_leg(&request, &part);
        assert_int_equal(result.outcome, PL_FINISHED);
        assert_int_equal(part.count, whole.count);
        recorder_release(&part);
    }
    recorder_release(&whole);
    pl_settings_release(&s);
}

static void problems_end_there(void **state)
{
    (void)state;
    a_leg_of("theta30", "adam");
    a_leg_of("theta30", "theopoula");
}

/* A leg of a program. goes_on: it has {run_folder}, and kept is what it has reported before. */
static struct pl_run_result leg(const char *script, double until, bool restart, const struct pl_kept *kept,
                                struct recorder *r)
{
    struct pl_settings s;
    char run_folder[100];
    static int number = 1000;
    write_script(script);
    settings_of(&s, "[\"sh\",\"run.sh\",\"{until}\",\"{run_folder}\"]");
    snprintf(run_folder, sizeof run_folder, "%s/runs/%d", folder, number++);
    struct pl_run_request request = {.settings = &s,
                                     .seed = 1,
                                     .threads = 1,
                                     .folder = run_folder,
                                     .epochs = 9,
                                     .until = until,
                                     .restart = restart,
                                     .kept = kept};
    struct pl_run_result result = run_leg(&request, r);
    pl_settings_release(&s);
    return result;
}

#define COUNTS "for e in $(seq 1 $1); do echo epoch=$e loss=0.$e; done"

static void programs_are_told_where_to_end(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = leg(COUNTS, 3, false, NULL, &r);
    assert_int_equal(result.outcome, PL_INTERRUPTED);
    assert_true(result.reached == 3);
    assert_string_equal(result.reason, "reached 3, where a study decides whether it goes on");
    assert_int_equal(recorder_find(&r, "loss", 2, NULL), 3);
    assert_point(&r, "loss", 2, 3, 0.3);
    recorder_release(&r);
    result = leg(COUNTS, 0, false, NULL, &r); /* the last leg: it is told how many there are */
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 9);
    recorder_release(&r);
    result = leg("for e in $(seq 0 $(($1 - 1))); do echo epoch=$e loss=0.$e; done", 3, false, NULL, &r);
    assert_true(result.reached == 3); /* who counts from 0 has done three epochs */
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 3);
    recorder_release(&r);
}

static void what_ends_too_early_has_failed(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = leg("echo epoch=1 loss=1; echo epoch=2 loss=1", 3, false, NULL, &r);
    assert_int_equal(result.outcome, PL_FAILED);
    assert_string_equal(result.reason, "exited 0 after epoch 2 of 3");
    assert_true(result.reached == 0);
    recorder_release(&r);
    result = leg("echo epoch=1 loss=1; exit 3", 3, false, NULL, &r);
    assert_int_equal(result.outcome, PL_FAILED);
    recorder_release(&r);
}

/* It is stopped when it reports something of the next epoch: then all of the one before is there. */
static void what_does_not_end_is_stopped(void **state)
{
    (void)state;
    static const char script[] = "for e in 1 2 3 4 5 6 7 8; do echo epoch=$e loss=0.$e; sleep 0.02; "
                                 "echo epoch=$e accuracy=$e; done; sleep 30";
    struct recorder r;
    double begun = pl_clock_steady();
    struct pl_run_result result = leg(script, 3, true, NULL, &r);
    assert_true(pl_clock_steady() - begun < 20);
    assert_int_equal(result.outcome, PL_INTERRUPTED);
    assert_true(result.reached == 3);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 3); /* what is said again is not recorded */
    assert_int_equal(recorder_find(&r, "accuracy", 0, NULL), 3);
    recorder_release(&r);
    result = leg(script, 3, false, NULL, &r);
    assert_true(result.reached == 3);
    assert_true(recorder_find(&r, "loss", 0, NULL) > 3); /* it goes on behind that */
    recorder_release(&r);
}

/* All of it is written at once, and read before the program has ended. */
static void what_came_to_its_end_has_finished(void **state)
{
    (void)state;
    static const char all[] = "printf 'epoch=%s loss=0.5\\n' 1 2 3 4 5 6 7 8 9; sleep 0.3";
    struct recorder r;
    struct pl_run_result result = leg(all, 3, false, NULL, &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 9);
    recorder_release(&r);
    result = leg(all, 3, true, NULL, &r);
    assert_int_equal(result.outcome, PL_INTERRUPTED);
    assert_true(result.reached == 3);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 3);
    recorder_release(&r);
}

static void earlier_attempts_count(void **state)
{
    (void)state;
    const struct pl_kept kept[PL_AXIS_COUNT] = {[PL_BY_EPOCH] = {1, 3}, [PL_BY_STEP] = {NAN, NAN}};
    struct recorder r;
    struct pl_run_result result = leg("echo epoch=4 loss=1; echo epoch=5 loss=1", 5, false, kept, &r);
    assert_int_equal(result.outcome, PL_INTERRUPTED);
    assert_true(result.reached == 5);
    recorder_release(&r);
    result = leg("echo nothing is left to do", 3, false, kept, &r);
    assert_true(result.reached == 3);
    recorder_release(&r);
}

/* Whether a loss stays not finite is known at the end alone. */
static void a_leg_does_not_diverge(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = leg("echo epoch=1 loss=nan; echo epoch=2 loss=nan", 2, false, NULL, &r);
    assert_int_equal(result.outcome, PL_INTERRUPTED);
    assert_true(result.reached == 2);
    recorder_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_end_there),
        cmocka_unit_test(programs_are_told_where_to_end),
        cmocka_unit_test(what_ends_too_early_has_failed),
        cmocka_unit_test(what_does_not_end_is_stopped),
        cmocka_unit_test(what_came_to_its_end_has_finished),
        cmocka_unit_test(earlier_attempts_count),
        cmocka_unit_test(a_leg_does_not_diverge),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
