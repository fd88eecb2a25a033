/* What the tests of the results database share: a database of its own for every test, a small study in it, and
 * looks behind the module's back. */
#ifndef PL_STORE_FIXTURE_H
#define PL_STORE_FIXTURE_H

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

static inline void assert_int_equal_text(int got, int want, const char *what)
{
    if (got != want)
        fail_msg("%s gave %d, not %d: %s", what, got, want, err.text);
}

static inline int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Every test gets a database of its own. */
static inline int fresh(void **state)
{
    (void)state;
    static int number;
    snprintf(path, sizeof path, "%s/sub%d/test.db", folder, ++number);
    err = (struct pl_error){0};
    return 0;
}

static inline void behind(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    char *problem = NULL;
    sqlite3_exec(db, sql, NULL, NULL, &problem);
    if (problem)
        fail_msg("%s: %s", sql, problem);
    sqlite3_close(db);
}

static inline double number(const char *sql)
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
static inline void run_key(const char *canonical, int64_t seed, unsigned char key[PL_DIGEST_SIZE])
{
    struct pl_text text = {0};
    pl_text_addf(&text, "%s\nseed=%lld\n", canonical, (long long)seed);
    pl_digest(pl_text(&text), text.length, key);
    pl_text_release(&text);
}

/* ---- a small study: so many configurations (lambda 1, 2, ...) and seeds 1, 2, ... ---- */

static inline int64_t plan(struct pl_store *store, const char *study, const char *spec, int configs, int seeds)
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

static inline int64_t join(struct pl_store *store)
{
    struct pl_provenance provenance = {.cpu = "cpu", .isa = "base", .version = "1", .jobs = 2, .threads = 1};
    int64_t session;
    ok(pl_store_join(store, &provenance, &session, &err));
    return session;
}

static inline size_t claim(struct pl_store *store, int64_t session, int64_t sweep, bool retry, struct pl_claim *claims,
                           size_t most)
{
    size_t taken;
    ok(pl_store_claim(store, session, &sweep, 1, retry ? "" : NULL, claims, most, &taken, &err));
    return taken;
}

static inline int64_t series(struct pl_store *store, const char *name)
{
    int64_t id;
    ok(pl_store_series(store, name, PL_BY_EPOCH, &id, &err));
    return id;
}

static inline int take_token(void *self, const struct pl_cell *cells, size_t count)
{
    (void)count;
    *(int64_t *)self = cells[0].integer;
    return 0;
}

/* The newest claim of a run. */
static inline struct pl_claim newest_claim(struct pl_store *store, int64_t run)
{
    struct pl_claim claim = {.run = run};
    char sql[80];
    snprintf(sql, sizeof sql, "SELECT token FROM run WHERE id = %lld", (long long)run);
    ok(pl_store_query(store, sql, NULL, take_token, &claim.token, &err));
    return claim;
}

static inline void record(struct pl_store *store, int64_t run, const char *metric, const double *values, size_t count)
{
    double epochs[64];
    struct pl_claim claim = newest_claim(store, run);
    for (size_t i = 0; i < count; i++)
        epochs[i] = (double)i + 1;
    ok(pl_store_points(store, &claim, series(store, metric), epochs, values, count, &err));
}

static inline int end(struct pl_store *store, int64_t session, int64_t run, enum pl_outcome outcome)
{
    struct pl_ending ending = {.session = session,
                               .outcome = outcome,
                               .bad_epoch = outcome == PL_DIVERGED ? 7 : -1,
                               .exit_code = outcome == PL_FAILED ? 3 : -1,
                               .reason = outcome ? "because" : NULL,
                               .started = 1000,
                               .seconds = 2,
                               .threads = 1,
                               .worker = 99};
    struct pl_claim claim = newest_claim(store, run);
    return pl_store_end(store, &claim, &ending, &err);
}

static inline int collect(void *self, const struct pl_result *result)
{
    struct pl_result **next = self;
    *(*next)++ = *result;
    return 0;
}

static inline size_t results(struct pl_store *store, int64_t sweep, const char *metric, enum pl_select select,
                             struct pl_result *list)
{
    struct pl_result *next = list;
    ok(pl_store_each_result(store, sweep, metric, select, collect, &next, &err));
    return (size_t)(next - list);
}

static inline struct pl_store *open_new(void)
{
    struct pl_store *store;
    ok(pl_store_open(&store, path, PL_STORE_WRITE, &err));
    return store;
}

static inline void assert_whole(struct pl_store *store)
{
    struct pl_text problems = {0};
    ok(pl_store_check(store, &problems, &err));
    assert_string_equal(pl_text(&problems), "");
    pl_text_release(&problems);
}

/* A test with a new database. */
#define each(test) cmocka_unit_test_setup(test, fresh)

#endif
