/* Recording, results, queries, snapshots and the check. */
#include "store_fixture.h"

/* ---- recording ---- */

static void finished_runs_are_never_touched(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 1), session = join(store);
    struct pl_claim claims[1];
    claim(store, session, sweep, false, claims, 1);
    record(store, 1, "loss", (double[]){3, 1, 2}, 3);
    ok(end(store, session, 1, PL_FINISHED));
    int64_t id = series(store, "loss");
    double epoch = 9;
    assert_int_equal(pl_store_points(store, &claims[0], id, &epoch, &(double){0}, 1, &err), 1);
    assert_int_equal(pl_store_forget_points(store, &claims[0], PL_BY_EPOCH, -INFINITY, &err), 1);
    assert_int_equal(end(store, session, 1, PL_FAILED), 1);
    ok(pl_store_unclaim(store, &claims[0], &err));
    assert_true(number("SELECT count(*) FROM curves") == 3);
    assert_true(number("SELECT status FROM run") == PL_RUN_FINISHED);
    assert_true(number("SELECT count(*) FROM attempt") == 1);
    assert_int_equal(pl_store_points(store, &(struct pl_claim){.run = 77}, id, &epoch, &(double){0}, 1, &err), 1);
    pl_store_close(store);
}

/* A supervisor that was thought dead comes back, when the run is in other hands: even those of its own session. */
static void a_stale_claim_writes_nothing(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 1), session = join(store), id = series(store, "loss");
    struct pl_claim stale, now;
    struct pl_ending ending = {.session = session, .outcome = PL_FINISHED, .bad_epoch = -1, .exit_code = -1};
    claim(store, session, sweep, false, &stale, 1);
    ok(pl_store_unclaim(store, &stale, &err));
    claim(store, session, sweep, false, &now, 1);
    assert_int_equal(now.run, stale.run);
    assert_true(now.token > stale.token);
    assert_int_equal(pl_store_points(store, &stale, id, &(double){1}, &(double){0}, 1, &err), 1);
    assert_int_equal(pl_store_forget_points(store, &stale, PL_BY_EPOCH, -INFINITY, &err), 1);
    assert_int_equal(pl_store_end(store, &stale, &ending, &err), 1);
    ok(pl_store_unclaim(store, &stale, &err));
    assert_true(number("SELECT status FROM run") == PL_RUN_RUNNING);
    ok(pl_store_points(store, &now, id, &(double){1}, &(double){3}, 1, &err));
    ok(pl_store_end(store, &now, &ending, &err));
    assert_true(number("SELECT value FROM curves") == 3);
    assert_whole(store);
    pl_store_close(store);
}

static void positions_may_be_fractions_and_steps(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 1), session = join(store), by_epoch = series(store, "loss"), by_step;
    struct pl_claim claims[1];
    struct pl_result list[1];
    claim(store, session, sweep, false, claims, 1);
    ok(pl_store_series(store, "loss", PL_BY_STEP, &by_step, &err));
    assert_true(by_step != by_epoch);
    ok(pl_store_points(store, &claims[0], by_epoch, (double[]){0.5, 1, 1.5}, (double[]){3, 1, 2}, 3, &err));
    ok(pl_store_points(store, &claims[0], by_step, (double[]){1, 500}, (double[]){9, 8}, 2, &err));
    ok(pl_store_forget_points(store, &claims[0], PL_BY_EPOCH, 1.25, &err));
    ok(end(store, session, 1, PL_FINISHED));
    results(store, sweep, "loss", PL_SELECT_BEST, list);
    assert_true(list[0].value == 1 && list[0].epoch == 1);
    assert_true(number("SELECT min(epoch) FROM curves WHERE axis = 'epoch'") == 0.5);
    assert_true(number("SELECT typeof(max(epoch)) = 'integer' FROM curves WHERE axis = 'epoch'") == 1);
    assert_true(number("SELECT value FROM curves WHERE axis = 'step' AND epoch = 1") == 9);
    assert_whole(store);
    pl_store_close(store);
}

/* Thousands of metrics would take as long as their square. */
static void a_new_metric_is_judged_alone(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    series(store, "loss");
    behind("UPDATE series SET direction = 2");
    series(store, "accuracy");
    assert_true(number("SELECT direction FROM series WHERE name = 'loss'") == 2);
    assert_true(number("SELECT direction FROM series WHERE name = 'accuracy'") == PL_MAXIMIZE);
    pl_store_close(store);
    ok(pl_store_open(&store, path, PL_STORE_WRITE, &err));
    assert_true(number("SELECT direction FROM series WHERE name = 'loss'") == PL_MINIMIZE);
    pl_store_close(store);
}

static void best_last_and_best_by_validation(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 2), session = join(store);
    struct pl_claim claims[2];
    struct pl_result list[2];
    claim(store, session, sweep, false, claims, 2);
    record(store, 1, "test_accuracy", (double[]){10, 90, 90, 30}, 4);
    record(store, 1, "loss", (double[]){4, 3, 2, 5}, 4);
    record(store, 1, "theta", (double[]){4, 3, 2, 5}, 4);
    record(store, 1, "valid_loss", (double[]){1, 2, 3, 4}, 4);
    record(store, 1, "valid_accuracy", (double[]){1, 2, 3, 0}, 4);
    ok(end(store, session, 1, PL_FINISHED));
    assert_int_equal(results(store, sweep, "test_accuracy", PL_SELECT_BEST, list), 2);
    assert_true(list[0].has_value && list[0].value == 90 && list[0].epoch == 2);
    assert_true(!list[1].has_value && list[1].status == PL_RUN_RUNNING && list[1].seed == 2);
    results(store, sweep, "loss", PL_SELECT_BEST, list);
    assert_true(list[0].value == 2 && list[0].epoch == 3);
    results(store, sweep, "loss", PL_SELECT_LAST, list);
    assert_true(list[0].value == 5 && list[0].epoch == 4);
    results(store, sweep, "theta", PL_SELECT_BEST, list);
    assert_true(list[0].value == 5 && list[0].epoch == 4);
    results(store, sweep, "test_accuracy", PL_SELECT_BEST_VALID, list); /* accuracy decides, not the loss */
    assert_true(list[0].value == 90 && list[0].epoch == 3);
    results(store, sweep, "loss", PL_SELECT_BEST_VALID, list);
    assert_true(list[0].value == 2);
    assert_int_equal(pl_store_each_result(store, sweep, "speed", PL_SELECT_BEST, collect, list, &err), PL_EMISSING);
    assert_non_null(strstr(err.text, "test_accuracy, loss, theta"));
    const struct pl_metric_info *metrics;
    size_t count;
    ok(pl_store_metrics(store, sweep, &metrics, &count, &err));
    assert_int_equal(count, 5);
    assert_string_equal(metrics[0].name, "test_accuracy");
    assert_int_equal(metrics[0].direction, PL_MAXIMIZE);
    pl_store_close(store);
}

static void a_metric_declared_the_other_way_round(void **state)
{
    (void)state;
    char name[] = "score";
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 1), session = join(store);
    struct pl_claim claims[1];
    struct pl_result list[1];
    claim(store, session, sweep, false, claims, 1);
    record(store, 1, "score", (double[]){1, 9, 4}, 3);
    ok(end(store, session, 1, PL_FINISHED));
    results(store, sweep, "score", PL_SELECT_BEST, list);
    assert_false(list[0].has_value); /* B2: the name says nothing, so there is no best */
    assert_true(number("SELECT value IS NULL FROM best WHERE metric = 'score'") == 1);
    struct pl_metric_spec score = {.name = name, .direction = PL_MAXIMIZE};
    ok(pl_store_declare(store, sweep, &score, 1, &err));
    results(store, sweep, "score", PL_SELECT_BEST, list);
    assert_true(list[0].value == 9 && list[0].epoch == 2);
    assert_true(number("SELECT value FROM best WHERE metric = 'score'") == 9);
    score.direction = PL_NEUTRAL;
    ok(pl_store_declare(store, sweep, &score, 1, &err));
    assert_true(number("SELECT value FROM best WHERE metric = 'score'") == 4);
    pl_store_close(store);
}

static void non_finite_values_are_kept_by_kind(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 3), session = join(store);
    struct pl_claim claims[3];
    struct pl_result list[3];
    claim(store, session, sweep, false, claims, 3);
    record(store, 1, "loss", (double[]){NAN, -INFINITY, 4, INFINITY, NAN}, 5);
    record(store, 2, "loss", (double[]){NAN, NAN}, 2);
    record(store, 3, "loss", (double[]){6}, 1);
    ok(end(store, session, 1, PL_DIVERGED));
    ok(end(store, session, 2, PL_FINISHED));
    ok(end(store, session, 3, PL_FINISHED));
    results(store, sweep, "loss", PL_SELECT_BEST, list);
    assert_true(list[0].has_value && list[0].value == 4 && list[0].epoch == 3 && list[0].status == PL_RUN_DIVERGED);
    assert_false(list[1].has_value);
    results(store, sweep, "loss", PL_SELECT_LAST, list);
    assert_false(list[0].has_value);
    assert_true(number("SELECT count(*) FROM curves WHERE kind = 'nan' AND value IS NULL") == 4);
    assert_true(number("SELECT count(*) FROM curves WHERE kind = '-inf'") == 1);
    assert_true(number("SELECT avg(value) FROM curves WHERE run <> 3") == 4);
    assert_true(number("SELECT mean FROM summary WHERE metric = 'loss'") == 6);
    assert_true(number("SELECT n FROM summary WHERE metric = 'loss'") == 1);
    assert_true(isnan(number("SELECT std FROM summary WHERE metric = 'loss'")));
    assert_true(number("SELECT diverged FROM summary WHERE metric = 'loss'") == 1);
    assert_true(number("SELECT bad_epoch FROM runs WHERE run = 1") == 7);
    assert_whole(store);
    pl_store_close(store);
}

static int sum_points(void *self, double epoch, double value)
{
    double *sums = self;
    sums[0] += epoch;
    sums[1] += isfinite(value) ? value : 0;
    sums[2] += isnan(value);
    sums[3] += isinf(value) && value < 0;
    return 0;
}

static void points_are_replaced_and_forgotten(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 1), session = join(store);
    struct pl_claim claims[1];
    double epochs[100], values[100], sums[4] = {0};
    claim(store, session, sweep, false, claims, 1);
    int64_t loss = series(store, "loss");
    for (int i = 0; i < 100; i++) {
        epochs[i] = i;
        values[i] = i;
    }
    ok(pl_store_points(store, &claims[0], loss, epochs, values, 100, &err)); /* more than a block */
    ok(pl_store_points(store, &claims[0], loss, (double[]){3, 4}, (double[]){NAN, -INFINITY}, 2, &err));
    ok(pl_store_forget_points(store, &claims[0], PL_BY_EPOCH, 10, &err));
    ok(pl_store_each_point(store, 1, "loss", sum_points, sums, &err));
    assert_true(sums[0] == 45 && sums[1] == 45 - 7 && sums[2] == 1 && sums[3] == 1);
    pl_store_close(store);
}

static void mean_and_standard_deviation(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 2, 4), session = join(store);
    struct pl_claim claims[8];
    claim(store, session, sweep, false, claims, 8);
    /* 1e9 + 1, 2, 4: a formula that subtracts sums of squares loses the deviation. */
    static const double values[] = {1e9 + 1, 1e9 + 2, 1e9 + 4};
    for (int i = 0; i < 3; i++) {
        record(store, claims[i].run, "loss", &values[i], 1);
        ok(end(store, session, claims[i].run, PL_FINISHED));
    }
    ok(end(store, session, claims[3].run, PL_FAILED));
    ok(end(store, session, claims[4].run, PL_FAILED));
    assert_true(fabs(number("SELECT mean FROM summary WHERE config = 1") - (1e9 + 7.0 / 3)) < 1e-6);
    assert_true(fabs(number("SELECT std FROM summary WHERE config = 1") - sqrt(7.0 / 3)) < 1e-6);
    assert_true(number("SELECT n FROM summary WHERE config = 1") == 3);
    assert_true(number("SELECT failed FROM summary WHERE config = 1") == 1);
    assert_true(number("SELECT failed FROM summary WHERE config = 2 AND metric IS NULL") == 1);
    assert_true(number("SELECT count(*) FROM summary") == 2);
    pl_store_close(store);
}

/* ---- information, queries, snapshots ---- */

static void a_run_by_number_and_by_key(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 3, 20), session = join(store);
    struct pl_claim claims[1];
    struct pl_run_info info, again;
    claim(store, session, sweep, false, claims, 1);
    ok(end(store, session, 1, PL_FAILED));
    ok(pl_store_run_info(store, "1", &info, &err));
    assert_int_equal(info.status, PL_RUN_FAILED);
    assert_int_equal(info.exit_code, 3);
    assert_string_equal(info.reason, "because");
    assert_string_equal(info.cpu, "cpu");
    info.key[15] = '\0';
    ok(pl_store_run_info(store, info.key, &again, &err));
    assert_int_equal(again.run, 1);
    pl_run_info_release(&again);
    pl_run_info_release(&info);
    assert_int_equal(pl_store_run_info(store, "999", &info, &err), PL_EINPUT);
    assert_int_equal(pl_store_run_info(store, "rabbit", &info, &err), PL_EINPUT);
    char prefix[2] = "?";
    int several = 0;
    for (const char *c = "abcdef"; *c; c++) { /* 60 keys begin with 16 digits: some digit is shared */
        prefix[0] = *c;
        int status = pl_store_run_info(store, prefix, &info, &err);
        several += status == PL_EINPUT && strstr(err.text, "several");
        if (!status)
            pl_run_info_release(&info);
    }
    assert_true(several > 0);
    pl_store_close(store);
}

struct answer {
    int heads, rows;
    char first[100];
};

static int answer_head(void *self, const char *const *names, size_t count)
{
    (void)names;
    (void)count;
    ((struct answer *)self)->heads++;
    return 0;
}

static int answer_row(void *self, const struct pl_cell *cells, size_t count)
{
    struct answer *answer = self;
    assert_true(count > 0);
    answer->rows++;
    snprintf(answer->first, sizeof answer->first, "%s", cells[0].kind == PL_CELL_NULL ? "null" : cells[0].text);
    return 0;
}

static void queries_only_read(void **state)
{
    (void)state;
    static const char *const refused[] = {"DELETE FROM run",
                                          "CREATE TABLE x (a)",
                                          "CREATE TEMP TABLE x (a)",
                                          "ATTACH 'other.db' AS o",
                                          "BEGIN",
                                          "PRAGMA user_version = 7",
                                          "PRAGMA journal_mode = DELETE",
                                          "PRAGMA writable_schema = 1",
                                          "VACUUM",
                                          "UPDATE runs SET seed = 1",
                                          "DROP VIEW runs",
                                          "SELECT load_extension('x')",
                                          "PRAGMA wal_checkpoint",
                                          "SELECT 1; DELETE FROM run",
                                          "REINDEX",
                                          "ANALYZE",
                                          "SELEC 1",
                                          "SELECT nothing FROM runs",
                                          "",
                                          " ; -- nothing"};
    struct pl_store *store = open_new();
    plan(store, "s", "spec", 1, 2);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct answer answer = {0};
        if (pl_store_query(store, refused[i], answer_head, answer_row, &answer, &err) != PL_EINPUT)
            fail_msg("not refused: %s", refused[i]);
    }
    struct answer answer = {0};
    ok(pl_store_query(store, "SELECT x'00ff', NULL; PRAGMA table_info(run); EXPLAIN SELECT 1; VALUES (1.5);",
                      answer_head, answer_row, &answer, &err));
    assert_int_equal(answer.heads, 4);
    assert_string_equal(answer.first, "1.5");
    assert_int_equal(pl_store_query(store, "SELECT 1,\n nothing", NULL, NULL, NULL, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "line 2, column 2"));
    plan(store, "t", "spec 2", 2, 2); /* writing still works afterwards */
    pl_store_close(store);
}

static void a_snapshot_while_another_writes(void **state)
{
    (void)state;
    struct pl_store *store = open_new(), *reader;
    plan(store, "s", "spec", 4, 4);
    ok(pl_store_open(&reader, path, PL_STORE_READ, &err));
    char copy[sizeof path + 10], kept[sizeof path];
    snprintf(copy, sizeof copy, "%s.copy", path);
    ok(pl_store_begin(store, &err));
    int64_t launch = 0, id;
    ok(pl_store_put_sweep(store, &(struct pl_sweep_info){.study = "u", .path = "p", .spec = "u"}, &launch, &id, &err));
    ok(pl_store_backup(reader, copy, &err));
    ok(pl_store_commit(store, &err));
    assert_int_equal(pl_store_backup(reader, path, &err), PL_EINPUT);
    pl_store_close(reader);
    pl_store_close(store);
    strcpy(kept, path);
    strcat(path, ".copy");
    assert_true(number("SELECT count(*) FROM run") == 16);
    assert_true(number("SELECT count(*) FROM sweep") == 1);
    assert_true(number("SELECT journal_mode = 'delete' FROM pragma_journal_mode") == 1);
    ok(pl_store_open(&store, path, PL_STORE_READ, &err));
    assert_whole(store);
    pl_store_close(store);
    strcpy(path, kept);
}

static void the_check_finds_what_is_wrong(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 3), session = join(store);
    struct pl_claim claims[3];
    struct pl_text problems = {0};
    claim(store, session, sweep, false, claims, 3);
    record(store, 1, "loss", (double[]){1}, 1);
    ok(end(store, session, 1, PL_FINISHED));
    assert_whole(store);
    behind("UPDATE run SET status = 0, session = NULL WHERE id = 1; UPDATE session SET ended = 1;"
           "INSERT INTO metric VALUES (1000, 1, 1, 1.0, NULL); UPDATE run SET attempts = 5 WHERE id = 2");
    ok(pl_store_check(store, &problems, &err));
    assert_non_null(strstr(pl_text(&problems), "another status for run 1"));
    assert_non_null(strstr(pl_text(&problems), "still holds run 2"));
    assert_non_null(strstr(pl_text(&problems), "no run: 1000"));
    assert_non_null(strstr(pl_text(&problems), "miscounted of run 2"));
    pl_text_release(&problems);
    pl_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        each(finished_runs_are_never_touched),
        each(a_stale_claim_writes_nothing),
        each(positions_may_be_fractions_and_steps),
        each(a_new_metric_is_judged_alone),
        each(best_last_and_best_by_validation),
        each(a_metric_declared_the_other_way_round),
        each(non_finite_values_are_kept_by_kind),
        each(points_are_replaced_and_forgotten),
        each(mean_and_standard_deviation),
        each(a_run_by_number_and_by_key),
        each(queries_only_read),
        each(a_snapshot_while_another_writes),
        each(the_check_finds_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
