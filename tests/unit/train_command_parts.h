/* Programs that print, for the tests of command tasks. */
#ifndef PL_TEST_TRAIN_COMMAND_PARTS_H
#define PL_TEST_TRAIN_COMMAND_PARTS_H

#include "recorder.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* A scratch folder that every test's script lies in. */
static char folder[] = "/tmp/poula-test-XXXXXX";

static inline int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    char line[100];
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return system(line);
}

static inline void write_script(const char *text)
{
    char path[100];
    struct pl_error err;
    snprintf(path, sizeof path, "%s/run.sh", folder);
    assert_int_equal(pl_file_write(path, text, strlen(text), &err), 0);
}

static inline void settings_of(struct pl_settings *s, const char *command)
{
    *s = (struct pl_settings){0};
    pl_settings_set_string(s, "command", command);
    pl_settings_set_string(s, "directory", folder);
    pl_settings_set_real(s, "lambda", 0.1);
    pl_settings_set_real(s, "epsilon", INFINITY);
    pl_settings_set_string(s, "name_of", "a b");
}

static inline struct pl_run_result run_command(const char *command, struct recorder *r, double stop_after)
{
    struct pl_settings s;
    settings_of(&s, command);
    char run_folder[100];
    snprintf(run_folder, sizeof run_folder, "%s/runs/7", folder);
    struct pl_run_request request = {.settings = &s, .seed = 42, .threads = 3, .folder = run_folder};
    struct pl_sink sink = recorder_sink(r);
    r->stop_after = stop_after;
    struct pl_run_result result = {0};
    struct pl_error err;
    if (pl_train_check(&s, &err) || pl_train_run(&request, &sink, &result, &err))
        fail_msg("%s", err.text);
    pl_settings_release(&s);
    return result;
}

/* Runs a script with more settings, and its output read as a study wants it (NULL: as always). */
static inline struct pl_run_result run_with(const char *command, const char *reading, const char *script,
                                            struct recorder *r)
{
    struct pl_settings s;
    struct pl_error err;
    char run_folder[100];
    write_script(script);
    settings_of(&s, command);
    pl_settings_set_boolean(&s, "amp", true);
    pl_settings_set_boolean(&s, "bn", false);
    pl_settings_set_string(&s, "rnn", "null");
    pl_settings_set_string(&s, "empty", "");
    static int number = 100; /* a folder belongs to one run */
    snprintf(run_folder, sizeof run_folder, "%s/runs/%d", folder,
             reading && strstr(reading, "metrics_file") ? 8 : number++);
    struct pl_run_request request = {
        .settings = &s, .seed = 42, .threads = 3, .folder = run_folder, .reading = reading};
    struct pl_sink sink = recorder_sink(r);
    struct pl_run_result result = {0};
    if (pl_train_check(&s, &err) || (reading && pl_train_check_reading(reading, &err)) ||
        pl_train_run(&request, &sink, &result, &err))
        fail_msg("%s", err.text);
    pl_settings_release(&s);
    return result;
}

static inline struct pl_run_result run_script(const char *text, struct recorder *r)
{
    write_script(text);
    return run_command("[\"sh\",\"run.sh\"]", r, INFINITY);
}

static inline void assert_point(const struct recorder *r, const char *metric, size_t index, int64_t epoch, double value)
{
    struct recorded point;
    if (recorder_find(r, metric, index, &point) <= index)
        fail_msg("%s has no value number %zu", metric, index);
    assert_true(point.epoch == epoch);
    if (isnan(value))
        assert_true(isnan(point.value));
    else
        assert_true(point.value == value);
}

/* The number in a file of the scratch folder, once it is there. */
static inline pid_t read_pid(const char *name)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (int i = 0; i < 500; i++) {
        long pid = 0;
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%ld\n", &pid) != 1)
            pid = 0;
        if (file)
            fclose(file);
        if (pid > 0)
            return (pid_t)pid;
        usleep(10000);
    }
    fail_msg("%s never came", path);
    return 0;
}

/* Does the process run? Zombies that nobody has reaped yet do not count. */
static inline bool runs(pid_t pid)
{
    char path[64], state = 'X';
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'X';
    fclose(file);
    return state != 'Z' && state != 'X';
}

static inline void assert_dies(pid_t pid)
{
    for (int i = 0; i < 200 && runs(pid); i++)
        usleep(10000);
    assert_false(runs(pid));
}

#endif
