/* Slurm's commands replaced by others that fail, are slow, lie, hang, print too much or half of it. */
#include "slurm_stub.h"

#include <signal.h>

/* ---- calls ---- */

extern char **environ;

static int run(struct pl_call *call, const char *body, double seconds, struct pl_error *err)
{
    const char *const words[] = {"stub", "a b", "$x", NULL};
    stub("stub", body);
    return pl_call_run(call, words, environ, seconds, err);
}

static void calls_are_read(void **state)
{
    struct pl_call call = {0};
    struct pl_error err = {0};
    (void)state;
    assert_int_equal(run(&call, "echo \"<$1><$2>\"; cat; echo oops >&2; echo >&2; exit 3", 20, &err), 0);
    assert_string_equal(pl_text(&call.out), "<a b><$x>\n");
    assert_string_equal(pl_text(&call.said), "oops");
    assert_int_equal(call.exit_code, 3);
    assert_int_equal(pl_call_fail(&call, "stub", &err), PL_EIO);
    assert_string_equal(err.text, "stub: oops");
    assert_int_equal(run(&call, "kill -9 $$", 20, &err), 0);
    assert_int_equal(call.signal, SIGKILL);
    assert_int_equal(call.exit_code, -1);
    pl_call_fail(&call, "stub", &err);
    assert_string_equal(err.text, "stub was ended by signal 9 (Killed)");
    assert_int_equal(run(&call, "exit 7", 20, &err), 0);
    pl_call_fail(&call, "stub", &err);
    assert_string_equal(err.text, "stub ended with exit code 7 and said nothing");
    const char *const nobody[] = {"poula-no-such-program", NULL};
    assert_int_equal(pl_call_run(&call, nobody, environ, 20, &err), PL_EMISSING);
    assert_string_equal(err.text, "cannot start poula-no-such-program: there is no such program in PATH");
    /* Megabytes are read; of what is said the beginning is kept. */
    assert_int_equal(run(&call, "head -c 20000000 /dev/zero; head -c 3000000 /dev/zero | tr '\\0' x >&2", 60, &err), 0);
    assert_int_equal(call.out.length, 20000000);
    assert_int_equal(call.said.length, 16 << 10);
    pl_call_release(&call);
}

/* A process that has ended may wait for its new parent to bury it. */
static bool is_at_work(pid_t pid)
{
    char path[40];
    struct pl_text text = {0};
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    for (int k = 0; k < 1000; k++) {
        bool gone = pl_file_read(path, 10000, &text, NULL) || strstr(pl_text(&text), ") Z") ||
                    strstr(pl_text(&text), ") X");
        if (gone || k == 999) {
            pl_text_release(&text);
            return !gone;
        }
        usleep(10000);
    }
    return true;
}

/* Its group ends with it, whether it was in time or not. */
static void nothing_is_left_behind(void **state)
{
    static const struct {
        const char *body;
        int status;
    } cases[] = {
        {"sleep 1000 & echo $!; exit 0", 0},
        {"sleep 1000 & echo $!; wait", PL_ETIMEOUT},
        {"trap '' TERM INT; sleep 1000 & echo $!; exec >&- 2>&-; sleep 1000", PL_ETIMEOUT},
        {"sleep 1000 & echo $!; yes >&2", PL_ETIMEOUT},
    };
    struct pl_call call = {0};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_error err = {0};
        double begun = pl_clock_steady();
        assert_int_equal(run(&call, cases[i].body, cases[i].status ? 0.4 : 20, &err), cases[i].status);
        assert_true(pl_clock_steady() - begun < 15);
        if (cases[i].status)
            assert_string_equal(err.text, "stub did not answer within 0.4 s");
        pid_t left = (pid_t)strtol(pl_text(&call.out), NULL, 10);
        assert_true(left > 1);
        assert_false(is_at_work(left));
    }
    pl_call_release(&call);
}

/* ---- what a user's environment says ---- */

static void an_environment_changes_no_answer(void **state)
{
    struct pl_call call = {0};
    struct pl_error err = {0};
    const char *const words[] = {"stub", NULL};
    (void)state;
    setenv("SQUEUE_STATES", "RUNNING", 1);
    setenv("SACCT_FORMAT", "user", 1);
    setenv("SLURM_TIME_FORMAT", "relative", 1);
    setenv("SLURM_CONF", "/etc/x.conf", 1);
    stub("stub", "echo \"$SQUEUE_STATES|$SACCT_FORMAT|$SLURM_TIME_FORMAT|$SLURM_CONF|$LC_ALL\"");
    assert_int_equal(pl_slurm_call(&call, words, &err), 0);
    assert_string_equal(pl_text(&call.out), "||%s|/etc/x.conf|C\n");
    pl_call_release(&call);
    unsetenv("SLURM_CONF");
}

static int submit(char id[PL_ARRAY_ID_SIZE], struct pl_error *err)
{
    static char partition[] = "long";
    char path[100];
    const struct pl_resources resources = {.partition = partition};
    const struct pl_array array = {
        .name = "poula-x", .folder = "/f", .home = "/h", .program = "/p", .count = 3, .resources = &resources};
    struct pl_text text = {0};
    id[0] = '\0';
    snprintf(path, sizeof path, "%s/script", folder);
    assert_int_equal(pl_batch_slurm.script(&array, &text, err), 0);
    assert_int_equal(pl_file_write(path, text.text, text.length, err), 0);
    pl_text_release(&text);
    return pl_batch_slurm.submit("poula-x", path, id, err);
}

/* sbatch believes its environment more than its script, and its job inherits it. */
static void sbatch_sees_what_the_script_says(void **state)
{
    char id[PL_ARRAY_ID_SIZE];
    struct pl_error err = {0};
    (void)state;
    setenv("SBATCH_ARRAY_INX", "0-9", 1);
    setenv("SBATCH_PARTITION", "short", 1);
    setenv("SBATCH_QOS", "high", 1);
    setenv("SLURM_JOB_ID", "5", 1); /* poula runs in a job */
    setenv("LC_ALL", "C.UTF-8", 1);
    stub("sbatch", "echo \"$SBATCH_ARRAY_INX|$SBATCH_PARTITION|$SBATCH_QOS|$SLURM_JOB_ID|$LC_ALL|$1\" >&2; exit 1");
    assert_int_equal(submit(id, &err), PL_EINPUT);
    assert_string_equal(err.text, "||high||C.UTF-8|--parsable");
    unsetenv("SBATCH_ARRAY_INX");
    unsetenv("SBATCH_PARTITION");
    unsetenv("SBATCH_QOS");
    unsetenv("SLURM_JOB_ID");
    unsetenv("LC_ALL");
}

/* ---- submitting ---- */

static void sbatch_may_do_anything(void **state)
{
    static const struct {
        const char *body;
        int status;
        const char *sentence;
    } cases[] = {
        {"echo 17", 0, ""},
        {"echo '17;cluster'; echo 'sbatch: warning: hm' >&2", 0, ""},
        {"echo 17; sleep 100", PL_ETIMEOUT, "sbatch did not answer within 0.5 s"},
        {"sleep 100", PL_ETIMEOUT, "sbatch did not answer within 0.5 s"},
        {"exit 0", PL_ETIMEOUT, "sbatch did not say which job it made: "},
        {"printf 1", PL_ETIMEOUT, "sbatch did not say which job it made: 1"},
        {"exit 1", PL_ETIMEOUT, "sbatch ended with exit code 1 and said nothing"},
        {"kill -9 $$", PL_ETIMEOUT, "sbatch was ended by signal 9 (Killed)"},
        {"echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2; exit 1",
         PL_ETIMEOUT, "Socket timed out"},
        {"echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2; exit 1", PL_ELIMIT, "QOSMaxSubmitJobPerUserLimit"},
        {"echo 'sbatch: error: Batch job submission failed: Invalid partition name specified' >&2; exit 1", PL_EINPUT,
         "sbatch: error: Batch job submission failed: Invalid partition name specified"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char id[PL_ARRAY_ID_SIZE];
        struct pl_error err = {0};
        setenv("POULA_SLURM_TIMEOUT", strstr(cases[i].body, "sleep") ? "0.5" : "20", 1);
        stub("sbatch", cases[i].body);
        int status = submit(id, &err);
        if (status != cases[i].status || !strstr(err.text, cases[i].sentence))
            fail_msg("%s: %d %s", cases[i].body, status, err.text);
        assert_string_equal(id, status ? "" : "17");
    }
}

static void an_array_is_found_by_its_name(void **state)
{
    char id[PL_ARRAY_ID_SIZE] = "";
    struct pl_error err = {0};
    (void)state;
    assert_int_equal(pl_batch_slurm.find("poula-x", id, &err), PL_EIO); /* scontrol has failed: that is no answer */
    stub("scontrol", "echo 'No jobs in the system'");
    assert_int_equal(pl_batch_slurm.find("poula-x", id, &err), 1);
    stub("sacct", "echo 'sacct: error: Connection refused' >&2; exit 1"); /* there are accounts, and nobody to ask */
    assert_int_equal(pl_batch_slurm.find("poula-x", id, &err), PL_EIO);
    assert_string_equal(err.text, "sacct: sacct: error: Connection refused");
    stub("sacct", "echo '21_0|poula-x'; echo '21_1|poula-x'");
    assert_int_equal(pl_batch_slurm.find("poula-x", id, &err), 0);
    assert_string_equal(id, "21");
    stub("scontrol", "echo 'JobId=15 ArrayJobId=12 ArrayTaskId=1 JobName=poula-x UserId=root(0) JobState=RUNNING'");
    assert_int_equal(pl_batch_slurm.find("poula-x", id, &err), 0);
    assert_string_equal(id, "12");
    stub("squeue", "echo '9|poula-x'");
    assert_int_equal(pl_batch_slurm.find("poula-x", id, &err), 0);
    assert_string_equal(id, "9");
    stub("squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1");
    assert_int_equal(pl_batch_slurm.find("poula-x", id, &err), PL_EIO);
    setenv("POULA_SLURM_TIMEOUT", "0.3", 1);
    stub("squeue", "sleep 100");
    assert_int_equal(pl_batch_slurm.find("poula-x", id, &err), PL_ETIMEOUT);
}

/* ---- looking ---- */

static void write_task(void *self, const struct pl_task_report *r)
{
    pl_text_addf(self, "%s_%lld %s %s '%s'\n", r->id, (long long)r->index, pl_task_state_name(r->state), r->word,
                 r->reason);
}

/* What is told of the arrays 12 and 13, or the error. */
static void looks_like(const char *wanted)
{
    static const char *const ids[] = {"12", "13"};
    struct pl_text out = {0};
    struct pl_error err = {0};
    if (pl_batch_slurm.look(ids, 2, write_task, &out, &err))
        pl_text_addf(&out, "! %d %s", err.code, err.text);
    assert_string_equal(pl_text(&out), wanted);
    pl_text_release(&out);
}

static void the_first_word_counts(void **state)
{
    (void)state;
    looks_like("");
    /* squeue of the living, then of everything, then sacct; what squeue calls preempted is on its way back. */
    stub("squeue", "case $* in\n"
                   "*' -t all'*) echo '12_0|COMPLETED|n1|1|2|1|None'; echo '12_3|PREEMPTED|n1|1|2|1|None';\n"
                   "    echo '12_4|PREEMPTED|n1|1|2|1|None' ;;\n"
                   "*) echo '12_1|RUNNING|n1|1|N/A|1|None'; echo '12_2|PENDING||1|N/A|1|BeginTime';\n"
                   "    echo '12_3|PREEMPTED|n1|1|N/A|1|None'; echo '99_3|PENDING||1|N/A|1|None' ;;\n"
                   "esac");
    stub("sacct",
         "echo '12_0|FAILED|n1|1|2|3|1:0'; echo '12_2|NODE_FAIL|n1|1|2|3|1:0'; echo '13_0|NODE_FAIL|n1|1|2|3|1:0'\n"
         "echo '13_0|OUT_OF_MEMORY|n1|4|5|6|0:125'; echo '13_1|FAILED|n1|4|5|6|2:0'");
    looks_like("12_0 ended COMPLETED ''\n12_1 running RUNNING ''\n12_2 pending PENDING 'BeginTime'\n"
               "12_3 returning PREEMPTED ''\n12_4 lost PREEMPTED ''\n"
               "13_0 out of memory OUT_OF_MEMORY ''\n13_1 failed FAILED 'exit code 2'\n");
}

static void everything_works_without_accounts(void **state)
{
    (void)state;
    stub("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    looks_like("");
    /* squeue says that there is no such job, and scontrol knows better. */
    stub("scontrol",
         "case $5 in 12) echo 'JobId=15 ArrayJobId=12 ArrayTaskId=1 JobName=x UserId=root(0) JobState=FAILED "
         "Reason=NonZeroExitCode ExitCode=3:0 EndTime=7 NodeList=n1' ;;\n"
         "*) echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1 ;; esac");
    looks_like("12_1 failed FAILED 'exit code 3'\n");
    stub("squeue", "exit 0"); /* it lies */
    looks_like("12_1 failed FAILED 'exit code 3'\n");
}

static void what_cannot_be_known_is_an_error(void **state)
{
    (void)state;
    stub("squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1");
    looks_like("! -2 squeue: slurm_load_jobs error: Unable to contact slurm controller (connect failure)");
    stub("squeue", "echo '12_0|RUNNING|n1|1|N/A|1|None'; printf 12_1");
    looks_like("! -2 squeue printed a line without an end: 12_1");
    stub("squeue", "echo '12_0|RUNNING|n1|1|N/A|1|None'; kill -9 $$");
    looks_like("! -2 squeue was ended by signal 9 (Killed)");
    stub("squeue", "echo 'your account expires soon'");
    looks_like("! -2 squeue printed a line that is not understood: your account expires soon");
    stub("squeue", "exit 0");
    stub("scontrol", "echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1");
    looks_like("! -2 scontrol: slurm_load_jobs error: Unable to contact slurm controller (connect failure)");
    setenv("POULA_SLURM_TIMEOUT", "0.3", 1);
    stub("squeue", "sleep 100");
    looks_like("! -9 squeue did not answer within 0.3 s");
}

/* sacct only adds: it may hang or print rubbish. */
static void sacct_may_do_anything(void **state)
{
    static const char *const bodies[] = {"sleep 100", "echo rubbish", "kill -9 $$", "printf '12_0|FAI'",
                                         "echo 'sacct: error: Connection refused' >&2; exit 1"};
    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        stub("squeue", "echo '12_0|RUNNING|n1|1|N/A|1|None'; echo '13_0|RUNNING|n1|1|N/A|1|None'");
        stub("sacct", bodies[i]);
        setenv("POULA_SLURM_TIMEOUT", i ? "20" : "0.5", 1);
        looks_like("12_0 running RUNNING ''\n13_0 running RUNNING ''\n");
    }
}

/* 300 arrays of 100 tasks in chunks. */
static void many_arrays_are_asked_for_together(void **state)
{
    enum { ARRAYS = 300 };
    const char *ids[ARRAYS];
    struct pl_pool pool = {0};
    struct pl_text out = {0};
    struct pl_error err = {0};
    int64_t lines = 0;
    (void)state;
    for (int i = 0; i < ARRAYS; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", 1000 + i);
        ids[i] = pl_pool_copy(&pool, id);
    }
    stub("squeue", "echo $* | grep -qe '-t all' && exit; echo x >>$0.calls\n"
                   "echo $* | sed 's/.*-j //; s/ .*//' | tr , '\\n' | while read id; do "
                   "seq -f \"${id}_%.0f|RUNNING|n1|1|N/A|1|None\" 0 99; done");
    assert_int_equal(pl_batch_slurm.look(ids, ARRAYS, write_task, &out, &err), 0);
    for (const char *c = pl_text(&out); *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 100 * ARRAYS);
    struct pl_text path = {0}, calls = {0};
    pl_text_addf(&path, "%s/squeue.calls", folder);
    assert_int_equal(pl_file_read(pl_text(&path), 1000, &calls, &err), 0);
    assert_string_equal(pl_text(&calls), "x\nx\nx\n");
    pl_text_release(&path);
    pl_text_release(&calls);
    pl_text_release(&out);
    pl_pool_release(&pool);
}

/* ---- limits, and on a node ---- */

static void a_task_knows_itself(void **state)
{
    char id[PL_ARRAY_ID_SIZE], node[64];
    int64_t index, restarts;
    struct pl_error err = {0};
    (void)state;
    assert_false(pl_batch_slurm.here(id, &index, &restarts, node));
    assert_int_equal(pl_batch_slurm.requeue(&err), PL_EINPUT);
    setenv("SLURM_ARRAY_JOB_ID", "12", 1);
    setenv("SLURM_ARRAY_TASK_ID", "3", 1);
    setenv("SLURMD_NODENAME", "n1", 1);
    assert_true(pl_batch_slurm.here(id, &index, &restarts, node));
    assert_string_equal(id, "12");
    assert_int_equal(index, 3);
    assert_int_equal(restarts, 0);
    assert_string_equal(node, "n1");
    setenv("SLURM_RESTART_COUNT", "2", 1);
    assert_true(pl_batch_slurm.here(id, &index, &restarts, node));
    assert_int_equal(restarts, 2);
    /* One that is told to end: its time is up, it was requeued (its state is then the same as that of one that was
     * cancelled, but it is counted as started again), or somebody cancelled it. */
    stub("scontrol", "[ \"$*\" = '-a -o show job 12_3' ] && echo 'JobId=15 JobName=a JobState=x UserId=me(0)"
                     " JobState=RUNNING Reason=None Restarts=2 BatchFlag=1'");
    assert_int_equal(pl_batch_slurm.fate("12", 3, 2), PL_FATE_TIME);
    stub("scontrol", "echo 'JobId=15 JobName=a UserId=me(0) JobState=COMPLETING Restarts=3 BatchFlag=1'");
    assert_int_equal(pl_batch_slurm.fate("12", 3, 2), PL_FATE_RETURNS);
    assert_int_equal(pl_batch_slurm.fate("12", 3, 3), PL_FATE_OVER);
    stub("scontrol", "echo 'JobId=15 JobName=a UserId=me(0) JobState=PREEMPTED Restarts=2 BatchFlag=1'");
    assert_int_equal(pl_batch_slurm.fate("12", 3, 2), PL_FATE_OVER);
    stub("scontrol", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    assert_int_equal(pl_batch_slurm.fate("12", 3, 2), PL_FATE_OVER);
    stub("scontrol", "[ \"$*\" = 'requeue 12_3' ] || { echo \"$*\" >&2; exit 1; }");
    assert_int_equal(pl_batch_slurm.requeue(&err), 0);
    stub("scontrol", "echo 'Requested operation is presently disabled for job 12_3' >&2; exit 1");
    assert_int_equal(pl_batch_slurm.requeue(&err), PL_EIO);
    unsetenv("SLURM_ARRAY_JOB_ID");
    unsetenv("SLURM_RESTART_COUNT");
}

static void what_is_gone_is_cancelled(void **state)
{
    struct pl_error err = {0};
    (void)state;
    stub("scancel", "[ \"$*\" = 12 ]");
    assert_int_equal(pl_batch_slurm.cancel("12", &err), 0);
    stub("scancel", "echo 'scancel: error: Kill job error on job id 12: Invalid job id specified' >&2; exit 1");
    assert_int_equal(pl_batch_slurm.cancel("12", &err), 0);
    stub("scancel", "echo 'scancel: error: Kill job error on job id 12: Access/permission denied' >&2; exit 1");
    assert_int_equal(pl_batch_slurm.cancel("12", &err), PL_EIO);
    stub("sbatch", "echo 'slurm-wlm 22.05.8'");
    assert_int_equal(pl_batch_slurm.check(&err), 0);
    setenv("PATH", "/nonexistent", 1);
    assert_int_equal(pl_batch_slurm.check(&err), PL_EMISSING);
    assert_string_equal(err.text, "there is no Slurm on this machine: the command sbatch is not in PATH");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(calls_are_read, each),
        cmocka_unit_test_setup(nothing_is_left_behind, each),
        cmocka_unit_test_setup(an_environment_changes_no_answer, each),
        cmocka_unit_test_setup(sbatch_sees_what_the_script_says, each),
        cmocka_unit_test_setup(sbatch_may_do_anything, each),
        cmocka_unit_test_setup(an_array_is_found_by_its_name, each),
        cmocka_unit_test_setup(the_first_word_counts, each),
        cmocka_unit_test_setup(everything_works_without_accounts, each),
        cmocka_unit_test_setup(what_cannot_be_known_is_an_error, each),
        cmocka_unit_test_setup(sacct_may_do_anything, each),
        cmocka_unit_test_setup(many_arrays_are_asked_for_together, each),
        cmocka_unit_test_setup(a_task_knows_itself, each),
        cmocka_unit_test_setup(what_is_gone_is_cancelled, each), /* the last one: it has no PATH */
    };
    return cmocka_run_group_tests(tests, begin, end);
}
