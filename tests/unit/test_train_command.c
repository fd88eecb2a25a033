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

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char line[100];
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return system(line);
}

static void write_script(const char *text)
{
    char path[100];
    struct pl_error err;
    snprintf(path, sizeof path, "%s/run.sh", folder);
    assert_int_equal(pl_file_write(path, text, strlen(text), &err), 0);
}

static void settings_of(struct pl_settings *s, const char *command)
{
    *s = (struct pl_settings){0};
    pl_settings_set_string(s, "command", command);
    pl_settings_set_string(s, "directory", folder);
    pl_settings_set_real(s, "lambda", 0.1);
    pl_settings_set_real(s, "epsilon", INFINITY);
    pl_settings_set_string(s, "name_of", "a b");
}

static struct pl_run_result run_command(const char *command, struct recorder *r, double stop_after)
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
static struct pl_run_result run_with(const char *command, const char *reading, const char *script, struct recorder *r)
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

/* Where the index-th value of a metric stands among the points. */
static size_t recorder_index(const struct recorder *r, const char *metric, size_t index)
{
    for (size_t i = 0, found = 0; i < r->count; i++)
        if (!strcmp(r->metrics[r->points[i].series], metric) && found++ == index)
            return i;
    fail_msg("%s has no value number %zu", metric, index);
    return 0;
}

static struct pl_run_result run_script(const char *text, struct recorder *r)
{
    write_script(text);
    return run_command("[\"sh\",\"run.sh\"]", r, INFINITY);
}

static void assert_point(const struct recorder *r, const char *metric, size_t index, int64_t epoch, double value)
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

static void reads_json_lines(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script(
        "echo '{\"epoch\": 3, \"loss\": 0.5, \"test_accuracy\": null, \"phase\": \"train\", \"ok\": true}'\n"
        "echo '{\"loss\": NaN, \"gap\": -Infinity, \"note\": \"NaN in a \\\" string\", \"n\": 7}'\n"
        "echo '  {\"epoch\": 9, \"loss\": \"inf\"}'\n"
        "echo '{\"epoch\": 10, \"loss\": 0.25}'\n"
        "echo '{\"epoch\": 11, \"loss\": '\n"
        "echo '{\"epoch\": 1.5, \"loss\": 3}'\n"
        "echo '{\"epoch\": -1, \"loss\": 3}'\n"
        "echo '{\"epoch\": 12}'\n"
        "echo '{\"bad name\": 1, \"good\": 2, \"epoch\": 13}'\n",
        &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(result.exit_code, 0);
    assert_true(result.bad_epoch == -1);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 5);
    assert_point(&r, "loss", 0, 3, 0.5);
    assert_point(&r, "test_accuracy", 0, 3, NAN);
    assert_point(&r, "loss", 1, 4, NAN);
    assert_point(&r, "gap", 0, 4, -INFINITY);
    assert_point(&r, "n", 0, 4, 7);
    assert_point(&r, "loss", 2, 9, INFINITY);
    assert_point(&r, "loss", 3, 10, 0.25);
    assert_true(r.points[recorder_index(&r, "loss", 4)].epoch == 1.5);
    assert_point(&r, "bad_name", 0, 13, 1);
    assert_point(&r, "good", 0, 13, 2);
    assert_int_equal(r.metric_count, 6);
    assert_int_equal(r.directions[1], PL_MAXIMIZE);
    assert_string_equal(
        pl_text(&r.log),
        "{\"epoch\": 11, \"loss\":\n"
        "{\"epoch\": -1, \"loss\": 3}\n"
        "{\"epoch\": 12}\n"
        "poula: 2 lines looked like metrics and were not wholly understood, the first: {\"epoch\": 11, \"loss\":\n");
    recorder_release(&r);
}

static void reads_words(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script("echo loss=0.5 test/acc=.25\n"
                                             "echo starting up; echo\n"
                                             "echo 'epoch=5  loss=1E-2'\n"
                                             "echo 'epoch 6: loss=7'\n"
                                             "echo 'loss=-nan gap=+inf'\n"
                                             "echo 'loss=0x10'; echo '9=1'; echo '=1'; echo 'loss='; echo 'loss=010'\n"
                                             "printf 'loss=3\\r\\n'\n"
                                             "printf 'loss=4'\n",
                                             &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 7);
    assert_point(&r, "loss", 0, 1, 0.5);
    assert_point(&r, "test/acc", 0, 1, 0.25);
    assert_point(&r, "loss", 1, 5, 0.01);
    assert_point(&r, "loss", 2, 6, 7);
    assert_point(&r, "loss", 3, 7, NAN);
    assert_point(&r, "gap", 0, 7, INFINITY);
    assert_point(&r, "loss", 4, 8, 10);
    assert_point(&r, "loss", 5, 9, 3);
    assert_point(&r, "loss", 6, 10, 4);
    assert_string_equal(pl_text(&r.log),
                        "starting up\nloss=0x10\n9=1\n=1\nloss=\npoula: 1 line looked like metrics and "
                        "was not wholly understood, the first: loss=0x10\n");
    recorder_release(&r);
}

static void stderr_is_log(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script(
        "echo loss=1; echo loss=2 >&2; printf ' 10%%\\r 20%%\\n\\377\\033[1m\\n' >&2; printf 'last' >&2", &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 1);
    assert_string_equal(pl_text(&r.log), "loss=2\n 20%\n?\nlast\n");
    recorder_release(&r);
}

static void placeholders_are_replaced(void **state)
{
    (void)state;
    struct recorder r;
    write_script("for a; do echo \"<$a>\"; done; pwd -P; [ -d \"$5\" ] && echo x=1; cat; echo y=2");
    struct pl_run_result result = run_command(
        "[\"sh\",\"run.sh\",\"--lr={lambda}\",\"{seed}/{threads}\",\"{epsilon}\",\"{name_of}\",\"{run_folder}\","
        "\"$(touch no) {{lambda} }\",\"\"]",
        &r, INFINITY);
    char expected[500], *real = realpath(folder, NULL);
    snprintf(expected, sizeof expected,
             "<--lr=0.1>\n<42/3>\n<inf>\n<a b>\n<%s/runs/7>\n<$(touch no) {lambda} }>\n<>\n"
             "%s\n",
             real, real);
    free(real);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_string_equal(pl_text(&r.log), expected);
    assert_point(&r, "x", 0, 1, 1);
    assert_point(&r, "y", 0, 1, 2);
    recorder_release(&r);
}

/* A program that wants a GPU of its own asks which of those that run at the same time it is. */
static void a_slot_is_told(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_settings s;
    settings_of(&s, "[\"echo\",\"<{slot}>\"]");
    struct pl_run_request request = {.settings = &s, .seed = 1, .threads = 1, .slot = 2};
    struct pl_sink sink = recorder_sink(&r);
    struct pl_run_result result;
    assert_int_equal(pl_train_run(&request, &sink, &result, NULL), 0);
    pl_settings_set_string(&s, "slot", "mine"); /* as a study may have called a setting before there were slots */
    assert_int_equal(pl_train_run(&request, &sink, &result, NULL), 0);
    assert_string_equal(pl_text(&r.log), "<2>\n<mine>\n");
    recorder_release(&r);
    pl_settings_release(&s);
}

/* The program starts elsewhere, so a relative folder must become an absolute one. */
static void the_run_folder_is_absolute(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_settings s;
    char *here = getcwd(NULL, 0), *real = realpath(folder, NULL), expected[200];
    assert_int_equal(chdir(folder), 0);
    settings_of(&s, "[\"echo\",\"{run_folder}\"]");
    pl_settings_set_string(&s, "directory", "/");
    struct pl_run_request request = {.settings = &s, .seed = 1, .threads = 1, .folder = "some/run"};
    struct pl_sink sink = recorder_sink(&r);
    struct pl_run_result result;
    assert_int_equal(pl_train_run(&request, &sink, &result, NULL), 0);
    assert_int_equal(chdir(here), 0);
    snprintf(expected, sizeof expected, "%s/some/run\n", real);
    assert_string_equal(pl_text(&r.log), expected);

    /* A folder that cannot be made fails the run and nothing else. */
    request.folder = "/dev/null/run";
    assert_int_equal(pl_train_run(&request, &sink, &result, NULL), 0);
    assert_int_equal(result.outcome, PL_FAILED);
    assert_non_null(strstr(result.reason, "/dev/null"));
    free(here);
    free(real);
    recorder_release(&r);
    pl_settings_release(&s);
}

static void refused(const char *command, const char *key, const char *part)
{
    struct pl_settings s;
    struct pl_error err = {0};
    settings_of(&s, command);
    if (key)
        pl_settings_set_real(&s, key, 1);
    if (pl_train_check(&s, &err) != PL_EINPUT)
        fail_msg("%s %s was accepted", command, key ? key : "");
    if (!strstr(err.text, part))
        fail_msg("\"%s\" does not say \"%s\"", err.text, part);
    pl_settings_release(&s);
}

static void commands_are_checked(void **state)
{
    (void)state;
    refused("[\"sh\",\"{lamda}\"]", NULL,
            "{lamda}, but there are only {epsilon}, {lambda}, {name_of}, {args}, {settings_file}, {seed}, {threads}, "
            "{slot} and");
    refused("[\"sh\",\"{}\"]", NULL, "placeholder {}");
    refused("[\"sh\",\"{command}\"]", NULL, "placeholder {command}");
    refused("[\"awk\",\"{ print\"]", NULL, "without a closing one");
    refused("[]", NULL, "list of words");
    refused("[\"\"]", NULL, "list of words");
    refused("sh", NULL, "list of words");
    refused("[\"sh\",3]", NULL, "word 2");
    static const char *const names[] = {"seed", "run", "key", "status", "id", "epoch", "study"};
    for (size_t i = 0; i < COUNT(names); i++)
        refused("[\"true\"]", names[i], "poula uses that name itself");
    refused("[\"true\"]", "learning rate", "cannot be a setting");
    refused("[\"true\"]", "1st", "cannot be a setting");
    refused("[\"true\"]", "", "cannot be a setting");
    assert_int_equal(pl_train_check_free_key("lambda_2", NULL), 0);
    struct pl_schema schema;
    struct pl_settings s;
    settings_of(&s, "[\"true\"]");
    pl_settings_set_string(&s, "optimizer", "the program's own business");
    assert_int_equal(pl_train_schema(&s, &schema, NULL), 0);
    assert_true(schema.free_settings);
    pl_settings_release(&s);
}

static void failures_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *script, *reason;
        int exit_code, signal;
    } cases[] = {
        {"exit 0", "exited 0 without reporting any metric", 0, 0},
        {"echo hello", "exited 0 without reporting any metric", 0, 0},
        {"echo loss=1; exit 3", "exited with code 3", 3, 0},
        {"echo loss=1; echo 'no such data' >&2; echo >&2; exit 1", "exited with code 1: no such data", 1, 0},
        {"echo loss=nan; exit 1", "exited with code 1", 1, 0},
        {"echo loss=1; kill -9 $$", "was killed by signal 9 (Killed)", -1, 9},
        {"kill -SEGV $$", "was killed by signal 11 (Segmentation fault)", -1, 11},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct recorder r;
        struct pl_run_result result = run_script(cases[i].script, &r);
        assert_int_equal(result.outcome, PL_FAILED);
        assert_string_equal(result.reason, cases[i].reason);
        assert_int_equal(result.exit_code, cases[i].exit_code);
        assert_int_equal(result.signal, cases[i].signal);
        recorder_release(&r);
    }
}

static void programs_that_cannot_start(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_command("[\"/nonexistent/trainer\"]", &r, INFINITY);
    assert_int_equal(result.outcome, PL_FAILED);
    assert_string_equal(result.reason, "cannot start /nonexistent/trainer: No such file or directory");
    assert_int_equal(result.exit_code, -1);
    recorder_release(&r);
    result = run_command("[\"/etc/passwd\"]", &r, INFINITY);
    assert_string_equal(result.reason, "cannot start /etc/passwd: Permission denied");
    recorder_release(&r);
    struct pl_settings s;
    settings_of(&s, "[\"true\"]");
    pl_settings_set_string(&s, "directory", "/nonexistent/folder");
    struct pl_run_request request = {.settings = &s, .seed = 1, .threads = 1, .folder = NULL};
    struct pl_sink sink = recorder_sink(&r);
    assert_int_equal(pl_train_run(&request, &sink, &result, NULL), 0);
    assert_string_equal(result.reason, "cannot enter folder /nonexistent/folder: No such file or directory");
    recorder_release(&r);
    pl_settings_release(&s);
}

static void divergence_is_the_last_word_of_a_loss(void **state)
{
    (void)state;
    static const struct {
        const char *script;
        enum pl_outcome outcome;
        int64_t bad_epoch;
    } cases[] = {
        {"echo loss=1; echo loss=nan; echo loss=inf", PL_DIVERGED, 2},
        {"echo loss=nan; echo loss=1; echo loss=inf", PL_DIVERGED, 3},
        {"echo loss=nan; echo loss=1", PL_FINISHED, -1},
        {"echo loss=1 accuracy=nan", PL_FINISHED, -1},
        {"echo epoch=7 train_loss=1 test_perplexity=inf", PL_DIVERGED, 7},
        {"echo epoch=7 b_loss=nan a_loss=1; echo epoch=9 a_loss=nan", PL_DIVERGED, 7},
        {"echo epoch=1 loss=0.5; echo epoch=2 loss=1e400", PL_DIVERGED, 2},                         /* L1 */
        {"echo epoch=1 loss=0.5; echo '{\"epoch\":2,\"loss\":1e999,\"acc\":0.9}'", PL_DIVERGED, 2}, /* L1 */
        {"echo step=100 loss=0.5; echo step=200 loss=-1.8e308", PL_DIVERGED, 200},                  /* L1 */
        {"echo step=100 loss=nan; echo epoch=1 loss=1", PL_DIVERGED, 100},                          /* L5: two series */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct recorder r;
        struct pl_run_result result = run_script(cases[i].script, &r);
        assert_int_equal(result.outcome, cases[i].outcome);
        assert_true(result.bad_epoch == cases[i].bad_epoch);
        recorder_release(&r);
    }
}

/* Of a line that does not fit nothing is read: the number at its end would be another one. */
static void nothing_is_read_from_half_a_line(void **state) /* L8 */
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script(
        "printf 'loss=1 '; head -c 1048565 /dev/zero | tr '\\0' ' '; echo acc=123456; echo epoch=2 loss=2; "
        "head -c 2000000 /dev/zero | tr '\\0' a; echo",
        &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 1);
    assert_point(&r, "loss", 0, 2, 2);
    assert_int_equal(recorder_find(&r, "acc", 0, NULL), 0);
    assert_non_null(strstr(pl_text(&r.log), "longer than 1 MiB"));
    assert_non_null(strstr(pl_text(&r.log), "2 lines looked like metrics"));
    assert_in_range(r.log.length, 65536, 2 * 65536 + 1000);
    recorder_release(&r);

    /* A line of 100 KB is no trouble, and a program that is killed in the middle of a line has not said the number. */
    result = run_script("printf 'epoch=1 '; for i in $(seq 900); do printf 'a%d_%0100d=%d ' $i 0 $i; done; echo; "
                        "printf 'epoch=2 a1_x=12'; kill -9 $$",
                        &r);
    assert_int_equal(result.outcome, PL_FAILED);
    assert_int_equal(r.count, 0); /* names of more than 100 bytes */
    recorder_release(&r);
    result = run_script("printf 'epoch=1 '; for i in $(seq 900); do printf 'a%d_%090d=%d ' $i 0 $i; done; echo; "
                        "printf 'epoch=2 a1_x=12'; kill -9 $$",
                        &r);
    assert_int_equal(r.count, 900);
    assert_true(r.points[899].value == 900);
    assert_non_null(strstr(pl_text(&r.log), "not whole"));
    recorder_release(&r);
}

static void more_metrics_than_are_recorded(void **state) /* L8 */
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script(
        "awk 'BEGIN { for (i = 0; i < 6000; i++) printf \"m%d=%d \", i, i; print \"\"; print \"m7=8\" }'", &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(r.metric_count, 1000);
    assert_point(&r, "m999", 0, 1, 999);
    assert_point(&r, "m7", 1, 2, 8);
    assert_non_null(strstr(pl_text(&r.log), "more than 1000 metrics; m1000 and those after it are not recorded"));
    assert_non_null(strstr(pl_text(&r.log), "1 line looked like metrics"));
    recorder_release(&r);
}

/* A bar of any length that is redrawn by carriage returns, and the metrics printed over it or in its last state. */
static void bars_are_redrawn(void **state) /* L4 */
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script(
        "awk 'BEGIN { for (e = 1; e <= 2; e++) { for (i = 0; i < 100000; i++) "
        "printf \"\\r[=====>......] %5d/100000  loss: 0.9123  acc: 0.4123\", i; "
        "printf \"\\repoch=%d loss=%.2f          \\n\", e, 1 / e } "
        "printf \"\\r 50%%|## | 1/2 [loss=9]\\r100%%|####| 2/2 [loss=0.25, epoch=3]\\r\\n\" }'",
        &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 3);
    assert_point(&r, "loss", 0, 1, 1);
    assert_point(&r, "loss", 1, 2, 0.5);
    assert_point(&r, "loss", 2, 3, 0.25);
    assert_int_equal(r.log.length, 0);
    recorder_release(&r);
}

/* What a program printed is said where the reason stands. */
static void what_was_not_understood_is_the_reason(void **state) /* L7 */
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script("echo 'loss=0x10'; echo 'the loss=0.3 seems fine'", &r);
    assert_int_equal(result.outcome, PL_FAILED);
    assert_string_equal(result.reason,
                        "exited 0 without reporting any metric; 2 lines looked like metrics and were not "
                        "wholly understood, the first: loss=0x10");
    recorder_release(&r);
}

static void many_lines_arrive_in_order(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script(
        "awk 'BEGIN { for (i = 1; i <= 20000; i++) { print \"epoch=\" i, \"loss=\" i; "
        "print \"noise\" > \"/dev/stderr\" } }'",
        &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 20000);
    for (size_t i = 0; i < r.count; i++)
        assert_int_equal(r.points[i].epoch, i + 1);
    recorder_release(&r);
}

/* The number in a file of the scratch folder, once it is there. */
static pid_t read_pid(const char *name)
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
static bool runs(pid_t pid)
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

static void assert_dies(pid_t pid)
{
    for (int i = 0; i < 200 && runs(pid); i++)
        usleep(10000);
    assert_false(runs(pid));
}

static void what_it_started_ends_with_it(void **state)
{
    (void)state;
    struct recorder r;
    double begun = pl_clock_steady();
    struct pl_run_result result = run_script("sleep 300 & echo $! > background; echo loss=1", &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_true(pl_clock_steady() - begun < 5); /* the background job holds stdout, but is not waited for */
    assert_dies(read_pid("background"));
    recorder_release(&r);
}

static void stops_when_asked(void **state)
{
    (void)state;
    struct recorder r;
    write_script("trap 'echo bye; exit 0' TERM; echo loss=1; while :; do sleep 0.05; done");
    double begun = pl_clock_steady();
    struct pl_run_result result = run_command("[\"sh\",\"run.sh\"]", &r, 0.2);
    assert_int_equal(result.outcome, PL_INTERRUPTED);
    assert_true(pl_clock_steady() - begun < 4);
    assert_non_null(strstr(pl_text(&r.log), "bye"));
    recorder_release(&r);

    write_script("trap '' TERM; echo loss=1; while :; do sleep 0.05; done");
    begun = pl_clock_steady();
    result = run_command("[\"sh\",\"run.sh\"]", &r, 0.2);
    assert_int_equal(result.outcome, PL_INTERRUPTED);
    assert_int_equal(result.signal, SIGKILL);
    assert_true(pl_clock_steady() - begun > 4 && pl_clock_steady() - begun < 15);
    recorder_release(&r);
}

/* Nothing outlives a worker that is killed by a signal it cannot catch. */
static void dies_with_its_worker(void **state)
{
    (void)state;
    write_script("sleep 301 & echo $! > child; echo $$ > leader; trap '' TERM HUP; while :; do sleep 0.1; done");
    pid_t worker = fork();
    if (!worker) {
        struct recorder r;
        run_command("[\"sh\",\"run.sh\"]", &r, INFINITY);
        _exit(0);
    }
    pid_t leader = read_pid("leader"), child = read_pid("child");
    assert_true(runs(leader) && runs(child));
    kill(worker, SIGKILL);
    assert_int_equal(waitpid(worker, NULL, 0), worker);
    assert_dies(leader);
    assert_dies(child);
}

/* A program must not hold descriptors of the worker: its supervisor waits for the end of a pipe. */
static void descriptors_are_not_inherited(void **state)
{
    (void)state;
    struct recorder r;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct pl_run_result result = run_script("ls -l /proc/self/fd | grep -c pipe: | sed 's/^/pipes=/'", &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_point(&r, "pipes", 0, 1, 2); /* stdout to grep, and stderr */
    close(ends[0]);
    close(ends[1]);
    recorder_release(&r);
}

/* A program starts with the signals of a shell, whatever poula blocks and ignores. */
static void signals_are_as_usual(void **state)
{
    (void)state;
    struct recorder r;
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    signal(SIGPIPE, SIG_IGN);
    run_script("grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -d ' \\t0'", &r);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    assert_string_equal(pl_text(&r.log), "SigBlk:\nSigIgn:\n");
    recorder_release(&r);
}

/* No zombie, no descriptor and no guard is left behind by any way to end. */
static void nothing_is_left_over(void **state)
{
    (void)state;
    static const char *const scripts[] = {"echo loss=1", "exit 4", "kill -9 $$"};
    int before = dup(0);
    close(before);
    for (size_t i = 0; i < 3 * COUNT(scripts); i++) {
        struct recorder r;
        if (i % 4 == 3)
            run_command("[\"/nonexistent/trainer\"]", &r, INFINITY);
        else
            run_script(scripts[i % COUNT(scripts)], &r);
        recorder_release(&r);
    }
    int after = dup(0);
    close(after);
    assert_int_equal(after, before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void arguments_are_made_of_settings(void **state) /* L10 */
{
    (void)state;
    static const char script[] = "for a; do echo \"<$a>\"; done; echo x=1";
    static const struct {
        const char *words, *log;
    } cases[] = {
        {"\"{args}\"", "<--amp>\n<--empty=>\n<--epsilon=inf>\n<--lambda=0.1>\n<--name_of=a b>\n"},
        {"\"a\",\"{amp?}\",\"{bn?}\",\"{rnn?}\",\"{empty?}\",\"{name_of?}\",\"b\"", "<a>\n<--amp>\n<a b>\n<b>\n"},
        {"\"{empty}\",\"{rnn}\",\"--bn={bn}\"", "<>\n<null>\n<--bn=false>\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct recorder r;
        char command[200];
        snprintf(command, sizeof command, "[\"sh\",\"run.sh\",%s]", cases[i].words);
        struct pl_run_result result = run_with(command, NULL, script, &r);
        assert_int_equal(result.outcome, PL_FINISHED);
        assert_string_equal(pl_text(&r.log), cases[i].log);
        recorder_release(&r);
    }
    struct recorder r;
    struct pl_run_result result = run_with("[\"sh\",\"run.sh\",\"{settings_file}\"]", NULL,
                                           "tr -d '\\n ' < \"$1\"; echo; echo x=1", &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_string_equal(pl_text(&r.log), "");
    assert_point(&r, "lambda", 0, 1, 0.1); /* the line is JSON, and read */
    recorder_release(&r);
    struct pl_text json = {0};
    char path[200];
    run_with("[\"sh\",\"run.sh\",\"{settings_file}\"]", NULL, "cp \"$1\" settings.json; echo x=1", &r);
    recorder_release(&r);
    snprintf(path, sizeof path, "%s/settings.json", folder);
    assert_int_equal(pl_file_read(path, 1000, &json, NULL), 0);
    assert_string_equal(pl_text(&json),
                        "{\n \"amp\": true,\n \"bn\": false,\n \"empty\": \"\",\n \"epsilon\": \"inf\",\n"
                        " \"lambda\": 0.1,\n \"name_of\": \"a b\",\n \"rnn\": null\n}\n");
    pl_text_release(&json);
}

static void booleans_as_words(void **state) /* L10 */
{
    (void)state;
    struct recorder r;
    struct pl_settings s;
    write_script("echo \"<$1 $2>\"; echo x=1");
    s = (struct pl_settings){0};
    pl_settings_set_string(&s, "command", "[\"sh\",\"run.sh\",\"{args}\"]");
    pl_settings_set_string(&s, "directory", folder);
    pl_settings_set_string(&s, "booleans", "words");
    pl_settings_set_boolean(&s, "amp", true);
    pl_settings_set_boolean(&s, "bn", false);
    struct pl_run_request request = {.settings = &s, .seed = 1, .threads = 1};
    struct pl_sink sink = recorder_sink(&r);
    struct pl_run_result result;
    assert_int_equal(pl_train_run(&request, &sink, &result, NULL), 0);
    assert_string_equal(pl_text(&r.log), "<--amp=true --bn=false>\n");
    pl_settings_release(&s);
    recorder_release(&r);
}

static void patterns_come_first(void **state) /* L7 */
{
    (void)state;
    struct recorder r;
    run_with(
        "[\"sh\",\"run.sh\"]",
        "{\"pattern\":[\"^round (?<epoch>\\\\d+) => (?<loss>\\\\S+) \\\\| (?<acc>\\\\S+)\",\"^skip \","
        "\"(?<name>\\\\w+)~(?<value>\\\\S+)\"]}",
        "echo 'round 3 => 0.5 | 91.0%'; echo 'round 4 => 1e999 | None'; echo 'skip loss=9'; echo 'a~1 b~2 epoch~5';"
        "echo 'epoch=6 loss=0.25'; echo 'round 7 => 1,234 | 0.5'; echo 'round 0x8 => 1 | 1'",
        &r);
    assert_int_equal(recorder_find(&r, "loss", 0, NULL), 3);
    assert_point(&r, "loss", 0, 3, 0.5);
    assert_point(&r, "acc", 0, 3, 91);
    assert_point(&r, "loss", 1, 4, INFINITY);
    assert_point(&r, "a", 0, 5, 1);
    assert_point(&r, "b", 0, 5, 2);
    assert_point(&r, "loss", 2, 6, 0.25);
    assert_point(&r, "acc", 1, 7, 0.5);
    assert_string_equal(pl_text(&r.log),
                        "skip loss=9\nround 0x8 => 1 | 1\npoula: 1 line looked like metrics and was not wholly "
                        "understood, the first: round 7 => 1,234 | 0.5\n");
    recorder_release(&r);
    struct pl_error err;
    assert_int_equal(pl_train_check_reading("{\"pattern\":[\"(?<loss>\"]}", &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "is wrong behind"));
    assert_int_equal(pl_train_check_reading("{\"pattern\":[\"(?<name>a)\"]}", &err), PL_EINPUT);
    assert_int_equal(pl_train_check_reading("{\"metrics_file\":\"metrics.csv\"}", &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "{run_folder}"));
    /* A pattern that would take for ever says so. */
    struct pl_run_result result = run_with("[\"sh\",\"run.sh\"]", "{\"pattern\":[\"^(a+)+$\"]}",
                                           "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab; echo loss=1", &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_int_equal(result.unread, 1);
    recorder_release(&r);
}

static void stderr_is_read_on_request(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_with("[\"sh\",\"run.sh\"]", "{\"stderr\":true}",
                                           "echo epoch=1 loss=1; echo epoch=1 acc=0.5 >&2; echo oh no >&2; exit 3", &r);
    assert_point(&r, "acc", 0, 1, 0.5);
    assert_string_equal(result.reason, "exited with code 3: oh no");
    recorder_release(&r);
}

/* A file as Keras and Lightning write it: it grows while the program runs, and may be written anew with more columns.
 * What it held before is not read. */
static void files_of_metrics_are_followed(void **state)
{
    (void)state;
    struct recorder r;
    static const char reading[] = "{\"metrics_file\":\"{run_folder}/log/metrics.csv\"}";
    char path[200], old[] = "epoch,loss\n1,9\n2,8\n";
    struct pl_error err;
    snprintf(path, sizeof path, "%s/runs/8/log", folder);
    assert_int_equal(pl_folder_make(path, &err), 0);
    snprintf(path, sizeof path, "%s/runs/8/log/metrics.csv", folder);
    assert_int_equal(pl_file_write(path, old, strlen(old), &err), 0);
    run_with("[\"sh\",\"run.sh\",\"{run_folder}\"]", reading,
             "cd $1/log; printf '3,0.5\\n4,0.' >> metrics.csv; sleep 0.4; printf '25\\n' >> metrics.csv; sleep 0.4;"
             "printf 'epoch,acc,loss\\n3,0.7,0.5\\n4,0.8,0.25\\n5,0.9,0.125\\n' > metrics.csv; sleep 0.4; printf "
             "'6,0.95,0.1' >> metrics.csv",
             &r);
    for (size_t i = 0; i < r.count; i++) /* read once or twice, never wrong */
        assert_true(!strcmp(r.metrics[r.points[i].series], "acc") || r.points[i].value == 0.5 ||
                    r.points[i].value == 0.25 || r.points[i].value == 0.125 || r.points[i].value == 0.1);
    assert_point(&r, "loss", 0, 3, 0.5);
    assert_point(&r, "loss", 1, 4, 0.25);
    assert_point(&r, "acc", 0, 3, 0.7);
    assert_point(&r, "acc", 3, 6, 0.95);
    assert_point(&r, "loss", 5, 6, 0.1);
    recorder_release(&r);

    /* The newest of several, and JSON lines. */
    run_with("[\"sh\",\"run.sh\",\"{run_folder}\"]", "{\"metrics_file\":\"{run_folder}/v*/m.jsonl\"}",
             "mkdir -p $1/v_0 $1/v_1; echo '{\"step\": 7, \"loss\": 0.5}' > $1/v_1/m.jsonl; touch -d '2001-01-01' "
             "$1/v_0/m.jsonl; echo hello",
             &r);
    assert_int_equal(r.count, 1);
    assert_point(&r, "loss", 0, 7, 0.5);
    assert_int_equal(r.axes[0], PL_BY_STEP);
    recorder_release(&r);
}

static void any_library_can_append_metrics(void **state)
{
    (void)state;
    struct recorder r;
    struct pl_run_result result = run_script("echo '{\"epoch\": 1, \"loss\": 0.5}' >> $POULA_METRICS; echo "
                                             "'{\"epoch\": 2, \"loss\": 1e999}' >> \"$POULA_METRICS\"",
                                             &r);
    assert_int_equal(result.outcome, PL_DIVERGED);
    assert_point(&r, "loss", 1, 2, INFINITY);
    recorder_release(&r);
}

static void silence_ends_a_run(void **state) /* L13 */
{
    (void)state;
    struct recorder r;
    double begun = pl_clock_steady();
    struct pl_run_result result = run_with("[\"sh\",\"run.sh\"]", "{\"stall\":0.5}",
                                           "echo loss=1; sleep 302 & echo $! > stalled; wait", &r);
    assert_int_equal(result.outcome, PL_FAILED);
    assert_string_equal(result.reason, "said nothing for 0.5 seconds, its stall time-out");
    assert_true(pl_clock_steady() - begun < 5);
    assert_dies(read_pid("stalled"));
    recorder_release(&r);
    /* Whoever goes on speaking, be it in a file, is not silent. */
    result = run_with("[\"sh\",\"run.sh\"]", "{\"stall\":0.9}",
                      "for i in 1 2 3 4 5 6; do echo '{\"loss\": 1}' >> $POULA_METRICS; sleep 0.3; done", &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    recorder_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_json_lines),
        cmocka_unit_test(reads_words),
        cmocka_unit_test(stderr_is_log),
        cmocka_unit_test(placeholders_are_replaced),
        cmocka_unit_test(a_slot_is_told),
        cmocka_unit_test(the_run_folder_is_absolute),
        cmocka_unit_test(commands_are_checked),
        cmocka_unit_test(failures_are_told_apart),
        cmocka_unit_test(programs_that_cannot_start),
        cmocka_unit_test(divergence_is_the_last_word_of_a_loss),
        cmocka_unit_test(nothing_is_read_from_half_a_line),
        cmocka_unit_test(more_metrics_than_are_recorded),
        cmocka_unit_test(bars_are_redrawn),
        cmocka_unit_test(what_was_not_understood_is_the_reason),
        cmocka_unit_test(many_lines_arrive_in_order),
        cmocka_unit_test(what_it_started_ends_with_it),
        cmocka_unit_test(stops_when_asked),
        cmocka_unit_test(dies_with_its_worker),
        cmocka_unit_test(descriptors_are_not_inherited),
        cmocka_unit_test(signals_are_as_usual),
        cmocka_unit_test(nothing_is_left_over),
        cmocka_unit_test(arguments_are_made_of_settings),
        cmocka_unit_test(booleans_as_words),
        cmocka_unit_test(patterns_come_first),
        cmocka_unit_test(stderr_is_read_on_request),
        cmocka_unit_test(files_of_metrics_are_followed),
        cmocka_unit_test(any_library_can_append_metrics),
        cmocka_unit_test(silence_ends_a_run),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
