/* Opening, planning, claiming and waiting. */
#include "store_fixture.h"

#include "store/submission.h"

/* ---- opening ---- */

static void missing_file_is_not_created(void **state)
{
    (void)state;
    struct pl_store *store;
    assert_int_equal(pl_store_open(&store, path, PL_STORE_READ, &err), PL_EMISSING);
    assert_null(store);
    assert_non_null(strstr(err.text, path));
    assert_false(pl_file_exists(path));
}

static void foreign_and_damaged_files(void **state)
{
    (void)state;
    struct pl_store *store;
    ok(pl_folder_make_parent(path, &err));
    behind("CREATE TABLE other (a)");
    assert_int_equal(pl_store_open(&store, path, PL_STORE_WRITE, &err), PL_ECORRUPT);
    assert_int_equal(pl_store_open(&store, path, PL_STORE_READ, &err), PL_ECORRUPT);
    assert_true(number("SELECT count(*) FROM sqlite_schema") == 1);
    unlink(path); /* a database is not overwritten */
    ok(pl_file_write(path,
                     "This is a text, and it is long enough to be looked at as a database header, isn't it?\n"
                     "It goes on for a while longer than a hundred bytes.",
                     130, &err));
    assert_int_equal(pl_store_open(&store, path, PL_STORE_WRITE, &err), PL_ECORRUPT);
    assert_non_null(strstr(err.text, "not a database"));
}

static void newer_schema_is_refused(void **state)
{
    (void)state;
    pl_store_close(open_new());
    behind("PRAGMA user_version = 99");
    struct pl_store *store;
    assert_int_equal(pl_store_open(&store, path, PL_STORE_WRITE, &err), PL_EVERSION);
    assert_int_equal(pl_store_open(&store, path, PL_STORE_READ, &err), PL_EVERSION);
    assert_true(number("PRAGMA user_version") == 99);
}

static void truncated_file(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    plan(store, "s", "spec", 20, 5);
    pl_store_close(store);
    assert_int_equal(truncate(path, 9000), 0);
    assert_int_equal(pl_store_open(&store, path, PL_STORE_WRITE, &err), PL_ECORRUPT);
    assert_non_null(strstr(err.text, "damaged"));
}

static void opening_twice_changes_nothing(void **state)
{
    (void)state;
    pl_store_close(open_new());
    double cookie = number("PRAGMA schema_version");
    pl_store_close(open_new());
    assert_true(number("PRAGMA schema_version") == cookie);
    assert_true(number("PRAGMA application_id") == 0x504C4442);
    struct pl_store *store;
    ok(pl_store_open(&store, path, PL_STORE_READ, &err));
    int64_t session;
    struct pl_provenance provenance = {0};
    assert_int_equal(pl_store_join(store, &provenance, &session, &err), PL_EDATABASE);
    pl_store_close(store);
}

/* ---- planning ---- */

static void planning_again_finds_everything(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t first = plan(store, "s", "spec", 3, 2);
    assert_int_equal(plan(store, "s", "spec", 3, 2), first);
    assert_true(number("SELECT count(*) FROM run") == 6);
    assert_true(number("SELECT count(*) FROM sweep_run") == 6);
    assert_true(number("SELECT count(*) FROM config") == 3);
    int64_t more = plan(store, "s", "spec with more seeds", 3, 3), counts[PL_STATUS_COUNT];
    assert_int_not_equal(more, first);
    assert_true(number("SELECT count(*) FROM run") == 9);
    ok(pl_store_counts(store, more, counts, &err));
    assert_int_equal(counts[PL_RUN_PLANNED], 9);
    assert_whole(store);
    pl_store_close(store);
}

static void a_run_planned_twice_counts_once(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 2, 2), run;
    unsigned char key[PL_DIGEST_SIZE];
    ok(pl_store_put_sweep(store, &(struct pl_sweep_info){.study = "s", .path = "p", .spec = "spec"}, &(int64_t){0},
                          &sweep, &err));
    run_key("x", 1, key);
    for (int i = 0; i < 2; i++)
        ok(pl_store_put_run(store, sweep, 1, 1, key, &run, NULL, &err));
    assert_true(number("SELECT count(*) FROM sweep_run WHERE run = 5") == 1);
    pl_store_close(store);
}

static void settings_keep_their_types(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    plan(store, "s", "spec", 2, 1);
    struct pl_settings settings = {0};
    ok(pl_store_config(store, 2, &settings, &err));
    assert_true(pl_settings_real(&settings, "lambda", 0) == 2);
    assert_true(isinf(pl_settings_real(&settings, "beta", 0)));
    assert_true(pl_settings_boolean(&settings, "nesterov", false));
    assert_string_equal(pl_settings_string(&settings, "a \"quoted\" name", ""), "x'y");
    assert_int_equal(pl_store_config(store, 3, &settings, &err), PL_EMISSING);
    pl_settings_release(&settings);
    assert_true(number("SELECT count(*) FROM runs WHERE lambda = 2 AND beta > 1e300 AND optimizer = 'sgd'") == 1);
    assert_true(number("SELECT count(*) FROM runs WHERE status = 'planned' AND setting_Status = 'taken'") == 2);
    assert_true(number("SELECT count(*) FROM runs WHERE \"a \"\"quoted\"\" name\" = 'x''y'") == 2);
    assert_true(number("SELECT count(*) FROM setting WHERE key = 'lambda' AND type = 'real'") == 2);
    pl_store_close(store);
}

static void sweeps_of_the_last_launch(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    const struct pl_sweep_info *sweeps;
    size_t count;
    assert_int_equal(pl_store_sweeps(store, NULL, &sweeps, &count, &err), PL_EMISSING);
    int64_t old = plan(store, "old", "spec 1", 1, 1), launch = 0, id;
    ok(pl_store_put_sweep(store, &(struct pl_sweep_info){.study = "b", .path = "p", .spec = "two"}, &launch, &id,
                          &err));
    ok(pl_store_put_sweep(store, &(struct pl_sweep_info){.study = "a", .path = "p", .spec = "two"}, &launch, &id,
                          &err));
    ok(pl_store_sweeps(store, NULL, &sweeps, &count, &err));
    assert_int_equal(count, 2);
    assert_string_equal(sweeps[0].study, "b");
    assert_string_equal(sweeps[1].spec, "two");
    launch = 0; /* the first one again */
    ok(pl_store_put_sweep(store, &(struct pl_sweep_info){.study = "old", .path = "q", .spec = "spec 1"}, &launch, &id,
                          &err));
    assert_int_equal(id, old);
    ok(pl_store_sweeps(store, NULL, &sweeps, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(sweeps[0].path, "q");
    assert_int_equal(pl_store_sweeps(store, "none", &sweeps, &count, &err), PL_EINPUT);
    pl_store_close(store);
}

/* ---- claims ---- */

static void claims_are_exclusive_and_in_grid_order(void **state)
{
    (void)state;
    struct pl_store *a = open_new(), *b = open_new();
    plan(a, "s", "reversed", 1, 1); /* so that run numbers are not in grid order of the next one */
    int64_t sweep = plan(a, "t", "spec", 3, 2), one = join(a), two = join(b);
    struct pl_claim claims[10], others[10];
    assert_int_equal(claim(a, one, sweep, false, claims, 2), 2);
    assert_int_equal(claims[0].run, 1);
    assert_int_equal(claims[1].seed, 2);
    assert_int_equal(claims[0].attempt, 1);
    assert_int_equal(claim(b, two, sweep, false, others, 10), 4);
    assert_int_equal(others[0].config, 2);
    assert_int_equal(claim(a, one, sweep, false, claims + 2, 2), 0);
    ok(pl_store_unclaim(b, &others[1], &err));
    assert_int_equal(claim(a, one, sweep, false, claims + 2, 2), 1);
    assert_int_equal(claims[2].run, others[1].run);
    assert_int_equal(claims[2].attempt, 1);
    assert_int_equal(end(b, two, others[1].run, PL_FINISHED), 1); /* not its run any more */
    assert_whole(a);
    pl_store_close(a);
    pl_store_close(b);
}

static void failed_runs_are_retried_once_a_session(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 2), session = join(store);
    struct pl_claim claims[4];
    assert_int_equal(claim(store, session, sweep, true, claims, 1), 1);
    ok(end(store, session, claims[0].run, PL_FAILED));
    assert_int_equal(claim(store, session, sweep, true, claims, 4), 1);
    assert_int_equal(claims[0].run, 2);
    int64_t next = join(store);
    assert_int_equal(claim(store, next, sweep, false, claims, 4), 0);
    assert_int_equal(claim(store, next, sweep, true, claims, 4), 1);
    assert_int_equal(claims[0].attempt, 2);
    ok(pl_store_unclaim(store, &claims[0], &err));
    assert_true(number("SELECT status FROM run WHERE id = 1") == PL_RUN_FAILED);
    assert_int_equal(claim(store, next, sweep, true, claims, 4), 1);
    ok(end(store, next, claims[0].run, PL_FINISHED));
    assert_int_equal(claim(store, next, sweep, true, claims, 4), 0);
    assert_whole(store);
    pl_store_close(store);
}

static void a_rolled_back_claim_never_was(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 3), session = join(store), id;
    struct pl_claim claims[4];
    ok(pl_store_begin(store, &err));
    assert_int_equal(claim(store, session, sweep, false, claims, 2), 2);
    ok(pl_store_series(store, "loss", PL_BY_EPOCH, &id, &err));
    pl_store_rollback(store);
    assert_int_equal(claim(store, session, sweep, false, claims, 1), 1);
    assert_int_equal(claims[0].run, 1);
    record(store, 1, "loss", (double[]){1}, 1); /* under a number that exists again */
    assert_int_equal(series(store, "theta"), 2);
    assert_whole(store);
    pl_store_close(store);
}

static void the_dead_give_back_and_the_living_keep(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 2, 2), recovered = -1;
    struct pl_claim claims[4];
    pl_store_close(store);
    pid_t child = fork();
    if (!child) {
        store = open_new();
        int64_t session = join(store);
        claim(store, session, sweep, false, claims, 2);
        end(store, session, claims[0].run, PL_FINISHED);
        raise(SIGKILL);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how));
    store = open_new();
    int64_t living = join(store);
    assert_int_equal(claim(store, living, sweep, false, claims, 1), 1);
    ok(pl_store_recover(store, &recovered, &err));
    assert_int_equal(recovered, 1);
    int64_t counts[PL_STATUS_COUNT];
    ok(pl_store_counts(store, sweep, counts, &err));
    assert_int_equal(counts[PL_RUN_FINISHED], 1);
    assert_int_equal(counts[PL_RUN_INTERRUPTED], 1);
    assert_int_equal(counts[PL_RUN_RUNNING], 1);
    ok(pl_store_recover(store, &recovered, &err));
    assert_int_equal(recovered, 0);
    /* S1: a session of another machine is dead when its beats stood still while this process looked; what its clock
     * says counts for nothing. */
    behind("UPDATE session SET machine = 'elsewhere', host = 'elsewhere', beat = beat - 100000");
    pl_store_set_silence(store, 0.2);
    ok(pl_store_recover(store, &recovered, &err));
    assert_int_equal(recovered, 0);
    usleep(300000);
    ok(pl_store_beat(store, living, &err));
    behind("UPDATE session SET beat = beat + 200000");
    ok(pl_store_recover(store, &recovered, &err));
    assert_int_equal(recovered, 0);
    usleep(300000);
    ok(pl_store_recover(store, &recovered, &err));
    assert_int_equal(recovered, 1);
    /* It lived, and what it claims now is its own again. */
    assert_int_equal(claim(store, living, sweep, false, claims, 1), 1);
    ok(pl_store_recover(store, &recovered, &err));
    assert_int_equal(recovered, 0);
    /* S13: what a session that is marked as ended holds is given back at once. */
    behind("UPDATE session SET ended = 1");
    ok(pl_store_recover(store, &recovered, &err));
    assert_int_equal(recovered, 1);
    bool holds = true;
    ok(pl_store_holds(store, &claims[0], &holds, &err));
    assert_false(holds);
    struct pl_run_info info;
    ok(pl_store_run_info(store, "2", &info, &err));
    assert_int_equal(info.status, PL_RUN_INTERRUPTED);
    assert_non_null(info.reason);
    pl_run_info_release(&info);
    assert_whole(store);
    pl_store_close(store);
}

/* A finished run with a session, which no poula writes: it was met again and again, for ever, the database locked. */
static void a_run_that_is_held_and_not_at_work_is_damage(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 2), session = join(store), recovered;
    struct pl_claim claims[2];
    claim(store, session, sweep, false, claims, 2);
    behind("PRAGMA ignore_check_constraints = ON; UPDATE run SET status = 2 WHERE id = 2;"
           "UPDATE session SET ended = 1");
    assert_int_equal(pl_store_recover(store, &recovered, &err), PL_ECORRUPT);
    assert_non_null(strstr(err.text, "run 2 belongs to a sweep, and is not at work"));
    assert_int_equal(pl_store_leave(store, session, &err), PL_ECORRUPT);
    pl_store_close(store);
}

static int take_array(void *self, const struct pl_array_info *array)
{
    (void)self;
    assert_true(array->first >= 0 && array->first <= 100000000 && array->count >= 0 && array->count <= 4000001);
    return 0;
}

static int take_task(void *self, const struct pl_task_info *task)
{
    int64_t *next = self;
    assert_true(task->number == (*next)++);
    return 0;
}

/* What a batch system says of tasks finds them by their numbers: with others it would be said of a neighbour, or
 * written beside all of them. */
static void tasks_without_their_numbers_are_damage(void **state)
{
    (void)state;
    static const char *const arrays[] = {"first = -1",      "first = -9223372036854775808",
                                         "count = -1",      "count = 9223372036854775807",
                                         "first = 1 << 40", "count = 2147483647"};
    struct pl_store *store = open_new();
    int64_t next = 0, sweep = plan(store, "s", "spec", 1, 2);
    struct pl_submission submission = {.session = join(store),
                                       .sweep = sweep,
                                       .threads = 1,
                                       .name = "s-1",
                                       .system = "slurm",
                                       .folder = "/nowhere",
                                       .user = "me",
                                       .resources = ""};
    ok(pl_store_submission_add(store, &submission, &submission.id, &err));
    struct pl_array_info array = {.submission = submission.id, .count = 2, .name = "s-1.0"};
    ok(pl_store_array_add(store, &array, &err));
    for (int64_t i = 0; i < 3; i++)
        ok(pl_store_task_add(store, submission.id, i, &err));
    ok(pl_store_each_task(store, submission.id, take_task, &next, &err));
    assert_int_equal(next, 3);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        char sql[200];
        behind("UPDATE submission_array SET first = 0, count = 2");
        ok(pl_store_each_array(store, submission.id, take_array, NULL, &err));
        snprintf(sql, sizeof sql, "UPDATE submission_array SET %s", arrays[i]);
        behind(sql);
        assert_int_equal(pl_store_each_array(store, submission.id, take_array, NULL, &err), PL_ECORRUPT);
        assert_non_null(strstr(err.text, "submission_array"));
    }
    behind("DELETE FROM submission_task WHERE number = 1");
    next = 0;
    assert_int_equal(pl_store_each_task(store, submission.id, take_task, &next, &err), PL_ECORRUPT);
    pl_store_close(store);
}

static void leaving_gives_back(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 2), session = join(store);
    struct pl_claim claims[2];
    claim(store, session, sweep, false, claims, 2);
    ok(pl_store_beat(store, session, &err));
    ok(pl_store_leave(store, session, &err));
    assert_true(number("SELECT count(*) FROM run WHERE status = 5 AND session IS NULL") == 2);
    assert_true(number("SELECT ended IS NOT NULL FROM session") == 1);
    int64_t next = join(store);
    assert_int_equal(claim(store, next, sweep, false, claims, 2), 2);
    assert_int_equal(claims[0].attempt, 2);
    assert_whole(store);
    pl_store_close(store);
}

/* ---- waiting ---- */

static bool count_waits(void *self, double waited)
{
    assert_true(waited > 0);
    return ++*(int *)self < 100;
}

static void waiting_ends_with_patience(void **state)
{
    (void)state;
    struct pl_store *a = open_new(), *b = open_new();
    int waits = 0;
    ok(pl_store_begin(a, &err));
    pl_store_set_patience(b, 1.5, count_waits, &waits);
    double start = pl_clock_steady();
    int64_t session;
    struct pl_provenance provenance = {0};
    assert_int_equal(pl_store_join(b, &provenance, &session, &err), PL_EDATABASE);
    assert_non_null(strstr(err.text, "locked"));
    assert_true(pl_clock_steady() - start >= 1.5);
    assert_int_equal(waits, 1);
    pl_store_rollback(a);
    join(b);
    pl_store_close(a);
    pl_store_close(b);
}

static void two_planners_of_a_new_file(void **state)
{
    (void)state;
    enum { PLANNERS = 4 };
    pid_t children[PLANNERS];
    for (int i = 0; i < PLANNERS; i++) {
        children[i] = fork();
        if (!children[i]) {
            struct pl_store *store = NULL;
            if (pl_store_open(&store, path, PL_STORE_WRITE, &err)) {
                fprintf(stderr, "%s\n", err.text);
                _exit(1);
            }
            int64_t sweep = plan(store, "s", "spec", 10, 10), session = join(store);
            struct pl_claim claims[7];
            size_t taken;
            while ((taken = claim(store, session, sweep, false, claims, 7)))
                for (size_t c = 0; c < taken; c++)
                    if (end(store, session, claims[c].run, PL_FINISHED))
                        _exit(2);
            pl_store_close(store);
            _exit(0);
        }
    }
    for (int i = 0; i < PLANNERS; i++) {
        int how = -1;
        waitpid(children[i], &how, 0);
        assert_int_equal(how, 0);
    }
    assert_true(number("SELECT count(*) FROM run WHERE status = 2") == 100);
    assert_true(number("SELECT count(*) FROM attempt") == 100);
    assert_true(number("SELECT count(*) FROM sweep_run") == 100);
    struct pl_store *store = open_new();
    assert_whole(store);
    pl_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        each(missing_file_is_not_created),
        each(foreign_and_damaged_files),
        each(newer_schema_is_refused),
        each(truncated_file),
        each(opening_twice_changes_nothing),
        each(planning_again_finds_everything),
        each(a_run_planned_twice_counts_once),
        each(settings_keep_their_types),
        each(sweeps_of_the_last_launch),
        each(claims_are_exclusive_and_in_grid_order),
        each(failed_runs_are_retried_once_a_session),
        each(a_rolled_back_claim_never_was),
        each(the_dead_give_back_and_the_living_keep),
        each(a_run_that_is_held_and_not_at_work_is_damage),
        each(tasks_without_their_numbers_are_damage),
        each(leaving_gives_back),
        each(waiting_ends_with_patience),
        each(two_planners_of_a_new_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
