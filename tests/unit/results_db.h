/* Small databases with known results, for the tests of reports and figures. */
#ifndef RESULTS_DB_H
#define RESULTS_DB_H

#include "report/report.h"
#include "spec/spec.h"
#include "store/store.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { POINTS_MOST = 64 };

/* One run: settings as "optimizer=adam lambda=0.1", and what it recorded of one metric at epochs 1, 2, ... */
struct known_run {
    const char *settings;
    int64_t seed;
    int outcome; /* enum pl_outcome, or -1: it was never run */
    double values[POINTS_MOST];
    size_t count;
    int64_t averaged;     /* the epoch from which on it averaged; 0: it did not */
    const double *epochs; /* NULL: 1, 2, ... */
};
#define RUN(settings, seed, outcome, ...)                                                                              \
    {                                                                                                                  \
        settings, seed, outcome, {__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double), 0, NULL              \
    }
/* A finished run that averages from an epoch on. */
#define RUN_AVERAGED(settings, seed, from, ...)                                                                        \
    {                                                                                                                  \
        settings, seed, PL_FINISHED, {__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double), from, NULL       \
    }

static struct pl_error err;
static char db_path[] = "/tmp/poula-results.XXXXXX";

#define ok(call) check_ok(call, #call)

static inline void check_ok(int got, const char *what)
{
    if (got)
        fail_msg("%s gave %d: %s", what, got, err.text);
}

static inline void read_settings(const char *text, struct pl_settings *settings)
{
    size_t length;
    for (const char *w = text; (w = pl_next_word(w, &length)); w += length) {
        char word[200], *equals;
        snprintf(word, sizeof word, "%.*s", (int)length, w);
        equals = strchr(word, '=');
        *equals = '\0';
        double real;
        if (equals[1] == '$') /* a text, whatever it looks like */
            pl_settings_set_string(settings, word, equals + 2);
        else if (pl_number_read(equals + 1, &real))
            pl_settings_set_real(settings, word, real);
        else
            pl_settings_set_string(settings, word, equals + 1);
    }
}

static inline void play(struct pl_store *store, int64_t session, const struct pl_claim *claim,
                        const struct known_run *known, int64_t series)
{
    struct pl_ending ending = {
        .session = session, .outcome = (enum pl_outcome)known->outcome, .bad_epoch = -1, .exit_code = -1, .threads = 1};
    double epochs[POINTS_MOST];
    for (size_t i = 0; i < known->count; i++)
        epochs[i] = known->epochs ? known->epochs[i] : (double)i + 1;
    if (known->outcome == PL_DIVERGED)
        ending.bad_epoch = (double)known->count + 1;
    ok(pl_store_points(store, claim, series, epochs, known->values, known->count, &err));
    if (known->averaged) {
        double from = (double)known->averaged;
        ok(pl_store_series(store, PL_METRIC_AVERAGED, PL_BY_EPOCH, &series, &err));
        ok(pl_store_points(store, claim, series, &from, &from, 1, &err));
    }
    ok(pl_store_end(store, claim, &ending, &err));
}

/* Makes a database of one sweep. All runs are claimed; those that were never run are given back. */
static inline struct pl_store *make_results(const char *spec, const char *metric, const struct known_run *runs,
                                            size_t count)
{
    struct pl_store *store;
    struct pl_sweep_info info = {.study = "known", .path = "known.yaml", .spec = spec, .seeds = 3};
    struct pl_provenance provenance = {.cpu = "cpu", .isa = "base", .version = "test", .jobs = 1, .threads = 1};
    int64_t launch = 0, sweep, session, series, *numbers = pl_new(count * sizeof *numbers);
    unlink(db_path);
    ok(pl_store_open(&store, db_path, PL_STORE_WRITE, &err));
    ok(pl_store_put_sweep(store, &info, &launch, &sweep, &err));
    for (size_t i = 0; i < count; i++) {
        struct pl_settings settings = {0};
        struct pl_text canonical = {0};
        unsigned char key[PL_DIGEST_SIZE];
        int64_t config;
        read_settings(runs[i].settings, &settings);
        pl_settings_write(&settings, &canonical);
        pl_run_key(pl_text(&canonical), runs[i].seed, key);
        ok(pl_store_put_config(store, &settings, pl_text(&canonical), &config, &err));
        ok(pl_store_put_run(store, sweep, config, runs[i].seed, key, &numbers[i], NULL, &err));
        pl_settings_release(&settings);
        pl_text_release(&canonical);
    }
    ok(pl_store_join(store, &provenance, &session, &err));
    ok(pl_store_series(store, metric, PL_BY_EPOCH, &series, &err));
    struct pl_claim claims[256];
    size_t taken;
    ok(pl_store_claim(store, session, &sweep, 1, NULL, claims, 256, &taken, &err));
    assert_int_equal(taken, count);
    for (size_t i = 0; i < taken; i++)
        for (size_t j = 0; j < count; j++)
            if (numbers[j] == claims[i].run && runs[j].outcome >= 0)
                play(store, session, &claims[i], &runs[j], series);
    ok(pl_store_leave(store, session, &err));
    free(numbers);
    return store;
}

static inline struct pl_results *open_results(struct pl_store *store)
{
    const struct pl_sweep_info *sweeps;
    struct pl_results *results;
    size_t count;
    ok(pl_store_sweeps(store, NULL, &sweeps, &count, &err));
    assert_int_equal(count, 1);
    ok(pl_results_open(&results, store, &sweeps[0], &err));
    return results;
}

static int make_db_name(void **state)
{
    (void)state;
    int file = mkstemp(db_path);
    return file < 0 ? -1 : close(file);
}

static int remove_db(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < 4; i++) {
        char path[100];
        snprintf(path, sizeof path, "%s%s", db_path, suffixes[i]);
        unlink(path);
    }
    return 0;
}

#endif
