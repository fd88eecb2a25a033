#include "store/store.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include <sqlite3.h> /* to look behind the module's back */

static char folder[] = "/tmp/poula-store.XXXXXX";
static char path[200];
static struct pl_error err;

#define ok(call) assert_int_equal_text(call, 0, #call)

static void assert_int_equal_text(int got, int want, const char *what)
{
    if (got != want)
        fail_msg("%s gave %d, not %d: %s", what, got, want, err.text);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Every test gets a database of its own. */
static int fresh(void **state)
{
    (void)state;
    static int number;
    snprintf(path, sizeof path, "%s/sub%d/test.db", folder, ++number);
    err = (struct pl_error){0};
    return 0;
}

static void behind(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    char *problem = NULL;
    sqlite3_exec(db, sql, NULL, NULL, &problem);
    if (problem)
        fail_msg("%s: %s", sql, problem);
    sqlite3_close(db);
}

static double number(const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    double value = sqlite3_column_type(row, 0) == SQLITE_NULL ? NAN : sqlite3_column_double(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(db);
    return value;
}

/* As pl_run_key, which lives in a module that this test does without. */
static void run_key(const char *canonical, int64_t seed, unsigned char key[PL_DIGEST_SIZE])
{
    struct pl_text text = {0};
    pl_text_addf(&text, "%s\nseed=%lld\n", canonical, (long long)seed);
    pl_digest(pl_text(&text), text.length, key);
    pl_text_release(&text);
}

/* ---- a small study: so many configurations (lambda 1, 2, ...) and seeds 1, 2, ... ---- */

static int64_t plan(struct pl_store *store, const char *study, const char *spec, int configs, int seeds)
{
    struct pl_sweep_info info = {.study = study, .path = "a.yaml", .spec = spec, .seeds = seeds};
    int64_t launch = 0, sweep = 0;
    ok(pl_store_begin(store, &err));
    ok(pl_store_put_sweep(store, &info, &launch, &sweep, &err));
    for (int c = 1; c <= configs; c++) {
        struct pl_settings settings = {0};
        struct pl_text canonical = {0};
        int64_t config, run;
        pl_settings_set_string(&settings, "optimizer", "sgd");
        pl_settings_set_real(&settings, "lambda", c);
        pl_settings_set_real(&settings, "beta", INFINITY);
        pl_settings_set_boolean(&settings, "nesterov", true);
        pl_settings_set_string(&settings, "Status", "taken");
        pl_settings_set_string(&settings, "a \"quoted\" name", "x'y");
        pl_settings_write(&settings, &canonical);
        ok(pl_store_put_config(store, &settings, pl_text(&canonical), &config, &err));
        for (int seed = 1; seed <= seeds; seed++) {
            unsigned char key[PL_DIGEST_SIZE];
            enum pl_status status;
            run_key(pl_text(&canonical), seed, key);
            ok(pl_store_put_run(store, sweep, config, seed, key, &run, &status, &err));
        }
        pl_text_release(&canonical);
        pl_settings_release(&settings);
    }
    ok(pl_store_commit(store, &err));
    return sweep;
}

static int64_t join(struct pl_store *store)
{
    struct pl_provenance provenance = {.cpu = "cpu", .isa = "base", .version = "1", .jobs = 2, .threads = 1};
    int64_t session;
    ok(pl_store_join(store, &provenance, &session, &err));
    return session;
}

static size_t claim(struct pl_store *store, int64_t session, int64_t sweep, bool retry, struct pl_claim *claims,
                    size_t most)
{
    size_t taken;
    ok(pl_store_claim(store, session, &sweep, 1, retry, claims, most, &taken, &err));
    return taken;
}

static int64_t series(struct pl_store *store, const char *name, enum pl_direction direction)
{
    int64_t id;
    ok(pl_store_series(store, name, direction, &id, &err));
    return id;
}

static void record(struct pl_store *store, int64_t run, const char *metric, enum pl_direction direction,
                   const double *values, size_t count)
{
    int64_t epochs[64];
    for (size_t i = 0; i < count; i++)
        epochs[i] = (int64_t)i + 1;
    ok(pl_store_points(store, run, series(store, metric, direction), epochs, values, count, &err));
}

static int end(struct pl_store *store, int64_t session, int64_t run, enum pl_outcome outcome)
{
    struct pl_ending ending = {.session = session, .outcome = outcome, .bad_epoch = outcome == PL_DIVERGED ? 7 : -1,
                               .exit_code = outcome == PL_FAILED ? 3 : -1, .reason = outcome ? "because" : NULL,
                               .started = 1000, .seconds = 2, .threads = 1, .worker = 99};
    return pl_store_end(store, run, &ending, &err);
}

static int collect(void *self, const struct pl_result *result)
{
    struct pl_result **next = self;
    *(*next)++ = *result;
    return 0;
}

static size_t results(struct pl_store *store, int64_t sweep, const char *metric, enum pl_select select,
                      struct pl_result *list)
{
    struct pl_result *next = list;
    ok(pl_store_each_result(store, sweep, metric, select, collect, &next, &err));
    return (size_t)(next - list);
}

static struct pl_store *open_new(void)
{
    struct pl_store *store;
    ok(pl_store_open(&store, path, PL_STORE_WRITE, &err));
    return store;
}

static void assert_whole(struct pl_store *store)
{
    struct pl_text problems = {0};
    ok(pl_store_check(store, &problems, &err));
    assert_string_equal(pl_text(&problems), "");
    pl_text_release(&problems);
}

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
    ok(pl_file_write(path, "This is a text, and it is long enough to be looked at as a database header, isn't it?\n"
                           "It goes on for a while longer than a hundred bytes.", 130, &err));
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
    ok(pl_store_put_sweep(store, &(struct pl_sweep_info){.study = "b", .path = "p", .spec = "two"}, &launch, &id, &err));
    ok(pl_store_put_sweep(store, &(struct pl_sweep_info){.study = "a", .path = "p", .spec = "two"}, &launch, &id, &err));
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
    assert_int_equal(pl_store_sweeps(store, "none", &sweeps, &count, &err), PL_EMISSING);
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
    ok(pl_store_unclaim(b, others[1].run, &err));
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
    ok(pl_store_unclaim(store, claims[0].run, &err));
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
    ok(pl_store_series(store, "loss", PL_MINIMIZE, &id, &err));
    pl_store_rollback(store);
    assert_int_equal(claim(store, session, sweep, false, claims, 1), 1);
    assert_int_equal(claims[0].run, 1);
    record(store, 1, "loss", PL_MINIMIZE, (double[]){1}, 1); /* under a number that exists again */
    assert_int_equal(series(store, "theta", PL_NEUTRAL), 2);
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
    /* A session of another machine is dead when it has been silent for five minutes. */
    behind("UPDATE session SET machine = 'elsewhere', host = 'elsewhere'");
    ok(pl_store_recover(store, &recovered, &err));
    assert_int_equal(recovered, 0);
    behind("UPDATE session SET beat = beat - 301");
    ok(pl_store_recover(store, &recovered, &err));
    assert_int_equal(recovered, 1);
    struct pl_run_info info;
    ok(pl_store_run_info(store, "2", &info, &err));
    assert_int_equal(info.status, PL_RUN_INTERRUPTED);
    assert_non_null(strstr(info.reason, "died"));
    pl_run_info_release(&info);
    assert_whole(store);
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

/* ---- recording ---- */

static void finished_runs_are_never_touched(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 1), session = join(store);
    struct pl_claim claims[1];
    claim(store, session, sweep, false, claims, 1);
    record(store, 1, "loss", PL_MINIMIZE, (double[]){3, 1, 2}, 3);
    ok(end(store, session, 1, PL_FINISHED));
    int64_t id = series(store, "loss", PL_MINIMIZE), epoch = 9;
    assert_int_equal(pl_store_points(store, 1, id, &epoch, &(double){0}, 1, &err), 1);
    assert_int_equal(pl_store_forget_points(store, 1, INT64_MIN, &err), 1);
    assert_int_equal(end(store, session, 1, PL_FAILED), 1);
    ok(pl_store_unclaim(store, 1, &err));
    assert_true(number("SELECT count(*) FROM curves") == 3);
    assert_true(number("SELECT status FROM run") == PL_RUN_FINISHED);
    assert_true(number("SELECT count(*) FROM attempt") == 1);
    assert_int_equal(pl_store_points(store, 77, id, &epoch, &(double){0}, 1, &err), PL_EMISSING);
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
    record(store, 1, "test_accuracy", PL_MAXIMIZE, (double[]){10, 90, 90, 30}, 4);
    record(store, 1, "loss", PL_MINIMIZE, (double[]){4, 3, 2, 5}, 4);
    record(store, 1, "theta", PL_NEUTRAL, (double[]){4, 3, 2, 5}, 4);
    record(store, 1, "valid_loss", PL_MINIMIZE, (double[]){1, 2, 3, 4}, 4);
    record(store, 1, "valid_accuracy", PL_MAXIMIZE, (double[]){1, 2, 3, 0}, 4);
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
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 1), session = join(store);
    struct pl_claim claims[1];
    struct pl_result list[1];
    claim(store, session, sweep, false, claims, 1);
    record(store, 1, "score", PL_MINIMIZE, (double[]){1, 9, 4}, 3);
    ok(end(store, session, 1, PL_FINISHED));
    results(store, sweep, "score", PL_SELECT_BEST, list);
    assert_true(list[0].value == 1);
    series(store, "score", PL_MAXIMIZE);
    results(store, sweep, "score", PL_SELECT_BEST, list);
    assert_true(list[0].value == 9 && list[0].epoch == 2);
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
    record(store, 1, "loss", PL_MINIMIZE, (double[]){NAN, -INFINITY, 4, INFINITY, NAN}, 5);
    record(store, 2, "loss", PL_MINIMIZE, (double[]){NAN, NAN}, 2);
    record(store, 3, "loss", PL_MINIMIZE, (double[]){6}, 1);
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

static int sum_points(void *self, int64_t epoch, double value)
{
    double *sums = self;
    sums[0] += (double)epoch;
    sums[1] += isfinite(value) ? value : 0;
    sums[2] += isnan(value);
    sums[3] += isinf(value) && value < 0;
    return 0;
}

static void points_are_replaced_and_forgotten(void **state)
{
    (void)state;
    struct pl_store *store = open_new();
    int64_t sweep = plan(store, "s", "spec", 1, 1), session = join(store), epochs[100];
    struct pl_claim claims[1];
    double values[100], sums[4] = {0};
    claim(store, session, sweep, false, claims, 1);
    int64_t loss = series(store, "loss", PL_MINIMIZE);
    for (int i = 0; i < 100; i++) {
        epochs[i] = i;
        values[i] = i;
    }
    ok(pl_store_points(store, 1, loss, epochs, values, 100, &err)); /* more than a block */
    ok(pl_store_points(store, 1, loss, (int64_t[]){3, 4}, (double[]){NAN, -INFINITY}, 2, &err));
    ok(pl_store_forget_points(store, 1, 10, &err));
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
        record(store, claims[i].run, "loss", PL_MINIMIZE, &values[i], 1);
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
    assert_int_equal(pl_store_run_info(store, "999", &info, &err), PL_EMISSING);
    assert_int_equal(pl_store_run_info(store, "rabbit", &info, &err), PL_EMISSING);
    char prefix[2] = "?";
    int several = 0;
    for (const char *c = "abcdef"; *c; c++) { /* 60 keys begin with 16 digits: some digit is shared */
        prefix[0] = *c;
        int status = pl_store_run_info(store, prefix, &info, &err);
        several += status == PL_EMISSING && strstr(err.text, "several");
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
    static const char *const refused[] = {
        "DELETE FROM run", "CREATE TABLE x (a)", "CREATE TEMP TABLE x (a)", "ATTACH 'other.db' AS o", "BEGIN",
        "PRAGMA user_version = 7", "PRAGMA journal_mode = DELETE", "PRAGMA writable_schema = 1", "VACUUM",
        "UPDATE runs SET seed = 1", "DROP VIEW runs", "SELECT load_extension('x')", "PRAGMA wal_checkpoint",
        "SELECT 1; DELETE FROM run", "REINDEX", "ANALYZE", "SELEC 1", "SELECT nothing FROM runs", "", " ; -- nothing"};
    struct pl_store *store = open_new();
    plan(store, "s", "spec", 1, 2);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct answer answer = {0};
        if (pl_store_query(store, refused[i], answer_head, answer_row, &answer, &err) != PL_EINPUT)
            fail_msg("not refused: %s", refused[i]);
    }
    struct answer answer = {0};
    ok(pl_store_query(store, "SELECT x'00ff', NULL; PRAGMA table_info(run); EXPLAIN SELECT 1; VALUES (1.5);", answer_head,
                      answer_row, &answer, &err));
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
    record(store, 1, "loss", PL_MINIMIZE, (double[]){1}, 1);
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
#define each(test) cmocka_unit_test_setup(test, fresh)
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
        each(leaving_gives_back),
        each(finished_runs_are_never_touched),
        each(best_last_and_best_by_validation),
        each(a_metric_declared_the_other_way_round),
        each(non_finite_values_are_kept_by_kind),
        each(points_are_replaced_and_forgotten),
        each(mean_and_standard_deviation),
        each(a_run_by_number_and_by_key),
        each(queries_only_read),
        each(a_snapshot_while_another_writes),
        each(the_check_finds_what_is_wrong),
        each(waiting_ends_with_patience),
        each(two_planners_of_a_new_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
