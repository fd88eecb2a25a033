#include "train_command_parts.h"

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
            "{slot}, {until} and");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placeholders_are_replaced),      cmocka_unit_test(a_slot_is_told),
        cmocka_unit_test(the_run_folder_is_absolute),     cmocka_unit_test(commands_are_checked),
        cmocka_unit_test(failures_are_told_apart),        cmocka_unit_test(programs_that_cannot_start),
        cmocka_unit_test(what_it_started_ends_with_it),   cmocka_unit_test(stops_when_asked),
        cmocka_unit_test(dies_with_its_worker),           cmocka_unit_test(descriptors_are_not_inherited),
        cmocka_unit_test(signals_are_as_usual),           cmocka_unit_test(nothing_is_left_over),
        cmocka_unit_test(arguments_are_made_of_settings), cmocka_unit_test(booleans_as_words),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
