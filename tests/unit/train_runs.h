/* Runs of networks for tests of lib/train: whole, stopped, killed, and compared to the bit. */
#ifndef PL_TEST_TRAIN_RUNS_H
#define PL_TEST_TRAIN_RUNS_H

#include "recorder.h"
#include "train_settings.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder; /* of the run, empty at the start of every test */

static inline void empty_folder(void)
{
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (entries)
        closedir(entries);
}

static inline int make_folder(void **state)
{
    static char name[64];
    (void)state;
    snprintf(name, sizeof name, "network-test.XXXXXX");
    folder = mkdtemp(name);
    return folder ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    empty_folder();
    return rmdir(folder);
}

static inline const char *file_path(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline bool exists(const char *name)
{
    return pl_file_exists(file_path(name));
}

/* ---- runs */

/* Stops, or dies as by kill -9, when it is asked for the n-th time whether to stop. */
struct breaker {
    struct recorder recorder;
    struct pl_sink inner;
    int questions, after;
    bool die;
};

static inline int breaker_series(void *self, const char *metric, enum pl_series_axis axis)
{
    struct breaker *b = self;
    return b->inner.series(b->inner.self, metric, axis);
}

static inline void breaker_value(void *self, int series, double epoch, double value)
{
    struct breaker *b = self;
    b->inner.value(b->inner.self, series, epoch, value);
}

static inline void breaker_log(void *self, const char *line)
{
    struct breaker *b = self;
    b->inner.log(b->inner.self, line);
}

static inline bool breaker_stop(void *self)
{
    struct breaker *b = self;
    bool now = ++b->questions == b->after;
    if (now && b->die)
        _exit(99);
    return now;
}

/* Runs with a stop or death at a question; after 0: none. */
static inline struct pl_run_result run_broken(const struct pl_settings *s, int threads, const char *in, int after,
                                              bool die, struct breaker *b)
{
    struct pl_run_request request = {.settings = s, .seed = 7, .threads = threads, .folder = in};
    struct pl_run_result result = {0};
    struct pl_error err;
    *b = (struct breaker){.after = after, .die = die};
    b->inner = recorder_sink(&b->recorder);
    struct pl_sink sink = {
        .self = b, .series = breaker_series, .value = breaker_value, .log = breaker_log, .stop = breaker_stop};
    if (pl_train_check(s, &err) || pl_train_run(&request, &sink, &result, &err))
        fail_msg("%s", err.text);
    return result;
}

static inline struct pl_run_result run_whole(const char *words, int threads, struct recorder *r)
{
    struct pl_settings s = {0};
    struct breaker b;
    settings_of(&s, words);
    struct pl_run_result result = run_broken(&s, threads, NULL, 0, false, &b);
    *r = b.recorder;
    pl_settings_release(&s);
    return result;
}

static inline void assert_close(double a, double b, double most)
{
    if (!(fabs(a - b) <= most))
        fail_msg("%.17g is not %.17g", a, b);
}

static inline bool same_value(double a, double b)
{
    return !memcmp(&a, &b, sizeof a);
}

/* Fails unless these metrics were recorded, in their order and no others. */
static inline void assert_recorded(const struct recorder *r, const char *const *metrics, size_t count)
{
    for (size_t i = 0; i < count || i < (size_t)r->metric_count; i++) {
        const char *want = i < count ? metrics[i] : "nothing",
                   *got = i < (size_t)r->metric_count ? r->metrics[i] : "nothing";
        if (strcmp(want, got))
            fail_msg("%s was recorded where the list of the test has %s", got, want);
    }
}

/* Fails unless both hold the same metrics with the same bits, each epoch once; times aside. */
static inline void assert_same(const struct recorder *a, const struct recorder *b, const char *what)
{
    assert_int_equal(a->metric_count, b->metric_count);
    assert_int_equal(a->count, b->count);
    for (int m = 0; m < a->metric_count; m++) {
        const char *metric = a->metrics[m];
        struct recorded p, q;
        if (recorder_find(a, metric, 0, NULL) != recorder_find(b, metric, 0, NULL))
            fail_msg("%s: %s was not recorded as often", what, metric);
        for (size_t i = 0; pl_train_is_repeatable(metric) && i < recorder_find(a, metric, i, &p); i++) {
            recorder_find(b, metric, i, &q);
            if (p.epoch != q.epoch || !same_value(p.value, q.value))
                fail_msg("%s: %s at %lld was %.17g, and at %lld is %.17g", what, metric, (long long)p.epoch, p.value,
                         (long long)q.epoch, q.value);
        }
    }
}

/* S15: one, two and three threads have the same bits, whatever cores this machine has. */
static inline void check_threads(const char *words)
{
    struct recorder one, more;
    pl_parallel_assume_cores(4);
    run_whole(words, 1, &one);
    for (int threads = 2; threads <= 3; threads++) {
        run_whole(words, threads, &more);
        assert_same(&one, &more, words);
        recorder_release(&more);
    }
    recorder_release(&one);
    pl_parallel_assume_cores(0);
}

/* Stops the run at a question, goes on from the checkpoint, and compares with the whole run. */
static inline void check_stop(const struct pl_settings *s, int after, const struct recorder *whole, const char *what)
{
    struct breaker b;
    struct pl_run_result result = run_broken(s, 1, folder, after, false, &b);
    assert_int_equal(result.outcome, PL_INTERRUPTED);
    recorder_release(&b.recorder);
    result = run_broken(s, 1, folder, 0, false, &b);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_non_null(strstr(pl_text(&b.recorder.log), "goes on from a checkpoint"));
    assert_same(whole, &b.recorder, what);
    recorder_release(&b.recorder);
    empty_folder();
}

/* Runs it in a process of its own, which dies at a question. */
static inline void die_at(const struct pl_settings *s, int question)
{
    struct breaker b;
    pid_t child = fork();
    if (!child) {
        run_broken(s, 1, folder, question, true, &b);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 99);
}

/* Lets it die twice, goes on from the checkpoint, and compares with the whole run. The log must say where it went on.
 */
static inline void check_deaths(const struct pl_settings *s, int question, const char *where,
                                const struct recorder *whole, const char *what)
{
    struct breaker b;
    die_at(s, question);
    die_at(s, question);
    assert_int_equal(run_broken(s, 1, folder, 0, false, &b).outcome, PL_FINISHED);
    assert_non_null(strstr(pl_text(&b.recorder.log), where));
    assert_same(whole, &b.recorder, what);
    recorder_release(&b.recorder);
    empty_folder();
}

#endif
