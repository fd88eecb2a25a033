/* What the commands of Slurm print, as the one that was tried printed it and as its users report it elsewhere. */
#include "sweep/batch/slurm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- words ---- */

static void every_state_is_known(void **state)
{
    static const struct {
        const char *word;
        enum pl_task_state alive, past;
    } cases[] = {
        {"PENDING", PL_TASK_PENDING, PL_TASK_PENDING},
        {"RUNNING", PL_TASK_RUNNING, PL_TASK_RUNNING},
        {"SUSPENDED", PL_TASK_RUNNING, PL_TASK_RUNNING},
        {"COMPLETING", PL_TASK_RUNNING, PL_TASK_RUNNING},
        {"CONFIGURING", PL_TASK_PENDING, PL_TASK_PENDING},
        {"RESIZING", PL_TASK_RUNNING, PL_TASK_RUNNING},
        {"STOPPED", PL_TASK_RUNNING, PL_TASK_RUNNING},
        {"STAGE_OUT", PL_TASK_RUNNING, PL_TASK_RUNNING},
        {"SIGNALING", PL_TASK_RUNNING, PL_TASK_RUNNING},
        {"REQUEUED", PL_TASK_RETURNING, PL_TASK_RETURNING},
        {"REQUEUE_HOLD", PL_TASK_RETURNING, PL_TASK_RETURNING},
        {"REQUEUE_FED", PL_TASK_RETURNING, PL_TASK_RETURNING},
        {"SPECIAL_EXIT", PL_TASK_RETURNING, PL_TASK_RETURNING},
        {"RESV_DEL_HOLD", PL_TASK_PENDING, PL_TASK_PENDING},
        /* reframe 3608: preempted is no end while it is listed among the living. */
        {"PREEMPTED", PL_TASK_RETURNING, PL_TASK_LOST},
        {"NODE_FAIL", PL_TASK_RETURNING, PL_TASK_LOST},
        {"BOOT_FAIL", PL_TASK_RETURNING, PL_TASK_LOST},
        {"REVOKED", PL_TASK_RETURNING, PL_TASK_LOST},
        {"COMPLETED", PL_TASK_ENDED, PL_TASK_ENDED},
        {"FAILED", PL_TASK_FAILED, PL_TASK_FAILED},
        {"CANCELLED", PL_TASK_CANCELLED, PL_TASK_CANCELLED},
        {"CANCELLED by 1234", PL_TASK_CANCELLED, PL_TASK_CANCELLED},
        {"CANCELLED+", PL_TASK_CANCELLED, PL_TASK_CANCELLED},
        /* qiita 3521, cctools 2418: neither success nor something to wait for. */
        {"OUT_OF_MEMORY", PL_TASK_MEMORY, PL_TASK_MEMORY},
        {"OUT_OF_ME+", PL_TASK_MEMORY, PL_TASK_MEMORY},
        {"TIMEOUT", PL_TASK_TIME, PL_TASK_TIME},
        {"DEADLINE", PL_TASK_TIME, PL_TASK_TIME},
        {"REQUEUE_H+", PL_TASK_RETURNING, PL_TASK_RETURNING},
        {"NODE_FAI+", PL_TASK_RETURNING, PL_TASK_LOST},
        /* What a later Slurm may say: alive is alive, and of the past nothing is believed. */
        {"HIBERNATING", PL_TASK_RUNNING, PL_TASK_UNKNOWN},
        {"COMPLETE", PL_TASK_RUNNING, PL_TASK_UNKNOWN},
        {"", PL_TASK_RUNNING, PL_TASK_UNKNOWN},
        {"+", PL_TASK_RUNNING, PL_TASK_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (pl_slurm_state(cases[i].word, PL_SLURM_ALIVE) != cases[i].alive)
            fail_msg("%s among the living is %s", cases[i].word,
                     pl_task_state_name(pl_slurm_state(cases[i].word, PL_SLURM_ALIVE)));
        for (enum pl_slurm_source s = PL_SLURM_ENDED; s <= PL_SLURM_PAST; s++)
            if (pl_slurm_state(cases[i].word, s) != cases[i].past)
                fail_msg("%s is %s", cases[i].word, pl_task_state_name(pl_slurm_state(cases[i].word, s)));
    }
}

static void states_are_over_or_not(void **state)
{
    (void)state;
    for (int s = 0; s < PL_TASK_STATE_COUNT; s++) {
        bool going = s == PL_TASK_PENDING || s == PL_TASK_RUNNING || s == PL_TASK_RETURNING;
        assert_int_equal(pl_task_is_over((enum pl_task_state)s), !going);
        assert_true(strlen(pl_task_state_name((enum pl_task_state)s)) > 3);
    }
    assert_ptr_equal(pl_batch_find("slurm"), &pl_batch_slurm);
    assert_null(pl_batch_find("slur"));
}

static void refusals_are_told_apart(void **state)
{
    static const struct {
        const char *said;
        int code;
    } cases[] = {
        /* For now. */
        {"sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job violates "
         "accounting/QOS "
         "policy (job submit limit, user's size and/or time limits)",
         PL_ELIMIT},
        {"sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: Job violates "
         "accounting/QOS policy "
         "(job submit limit, user's size and/or time limits)",
         PL_ELIMIT},
        {"sbatch: error: AssocGrpSubmitJobsLimit\nsbatch: error: Batch job submission failed: Job violates "
         "accounting/QOS "
         "policy",
         PL_ELIMIT},
        {"sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's "
         "size "
         "and/or time limits)",
         PL_ELIMIT},
        {"sbatch: error: Batch job submission failed: Resource temporarily unavailable", PL_ELIMIT},
        {"sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying\nsbatch: error: Batch job "
         "submission "
         "failed: Slurm temporarily unable to accept job, sleeping and retrying",
         PL_ELIMIT},
        /* It may have been taken. */
        {"sbatch: error: Batch job submission failed: Socket timed out on send/recv operation", PL_ETIMEOUT},
        {"sbatch: error: Batch job submission failed: Zero Bytes were transmitted or received", PL_ETIMEOUT},
        {"sbatch: error: Batch job submission failed: Unexpected message received", PL_ETIMEOUT},
        {"", PL_ETIMEOUT},
        /* Nobody heard it. */
        {"sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)", PL_EIO},
        {"sbatch: error: If munged is up, restart with --num-threads=10\nsbatch: error: Munge encode failed: Failed to "
         "access "
         "\"/run/munge/munge.socket.2\": No such file or directory\nsbatch: error: Batch job submission failed: "
         "Protocol "
         "authentication error",
         PL_EIO},
        {"sbatch: error: s_p_parse_file: cannot stat file /nope: No such file or directory, retrying in 1sec up to "
         "60sec\n"
         "sbatch: error: ClusterName needs to be specified\nsbatch: fatal: Unable to process configuration file",
         PL_EIO},
        /* For ever. */
        {"sbatch: error: invalid partition specified: nope\nsbatch: error: Batch job submission failed: Invalid "
         "partition name "
         "specified",
         PL_EINPUT},
        {"sbatch: error: Batch job submission failed: Invalid job array specification", PL_EINPUT},
        {"sbatch: error: Memory specification can not be satisfied\nsbatch: error: Batch job submission failed: "
         "Requested node "
         "configuration is not available",
         PL_EINPUT},
        {"sbatch: error: QOSMaxWallDurationPerJobLimit\nsbatch: error: Batch job submission failed: Job violates "
         "accounting/QOS "
         "policy (job submit limit, user's size and/or time limits)",
         PL_EINPUT},
        {"sbatch: error: AssocMaxCpuPerJobLimit\nsbatch: error: Batch job submission failed: Job violates "
         "accounting/QOS policy "
         "(job submit limit, user's size and/or time limits)",
         PL_EINPUT},
        {"sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified",
         PL_EINPUT},
        {"sbatch: error: Batch job submission failed: Invalid feature specification", PL_EINPUT},
        {"sbatch: unrecognized option '--foo'\nTry \"sbatch --help\" for more information", PL_EINPUT},
        {"sbatch: error: Unable to open file nofile", PL_EINPUT},
        {"sbatch: error: Batch job submission failed: Requested time limit is invalid (missing or exceeds some limit)",
         PL_EINPUT},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (pl_slurm_refusal(cases[i].said) != cases[i].code)
            fail_msg("%d: %s", pl_slurm_refusal(cases[i].said), cases[i].said);
    assert_true(pl_slurm_says_gone("slurm_load_jobs error: Invalid job id specified"));
    assert_true(pl_slurm_says_gone("Job 12_7 not found"));
    assert_false(pl_slurm_says_gone("slurm_load_jobs error: Unable to contact slurm controller (connect failure)"));
    assert_true(pl_slurm_says_no_accounts("Slurm accounting storage is disabled"));
    assert_false(
        pl_slurm_says_no_accounts("sacct: error: slurm_persist_conn_open_without_init: failed to open persistent "
                                  "connection to host:localhost:6819: Connection refused"));
}

/* ---- tasks ---- */

static void write_task(void *self, const struct pl_task_report *r)
{
    pl_text_addf(self, "%s_%lld %s %s '%s' '%s' %.0f\n", r->id, (long long)r->index, pl_task_state_name(r->state),
                 r->word, r->reason, r->node, r->since);
}

/* What is told of a text, or the error. */
static void told(int (*read)(struct pl_text *text, const struct pl_slurm_hearer *hearer, struct pl_error *err),
                 const char *printed, const char *wanted)
{
    struct pl_text text = {0}, out = {0};
    struct pl_error err = {0};
    const struct pl_slurm_hearer hearer = {&out, write_task};
    pl_text_add(&text, printed);
    if (read(&text, &hearer, &err))
        pl_text_addf(&out, "! %s", err.text);
    assert_string_equal(pl_text(&out), wanted);
    pl_text_release(&text);
    pl_text_release(&out);
}

static int read_alive(struct pl_text *text, const struct pl_slurm_hearer *hearer, struct pl_error *err)
{
    return pl_slurm_read_squeue(text, PL_SLURM_ALIVE, hearer, err);
}

static int read_ended(struct pl_text *text, const struct pl_slurm_hearer *hearer, struct pl_error *err)
{
    return pl_slurm_read_squeue(text, PL_SLURM_ENDED, hearer, err);
}

static void squeue_is_read(void **state)
{
    (void)state;
    told(read_alive, "", "");
    told(read_alive,
         "12_1|PENDING||1795902175|NONE|1795902169|BeginTime\n"
         "12_0|RUNNING|n1|1795902167|1795912167|1795902166|None\n"
         "12_2|COMPLETING|n2|1795902167|1795902170|1795902166|TimeLimit\n",
         "12_1 pending PENDING 'BeginTime' '' 1795902169\n" /* requeued, and waits for its turn */
         "12_0 running RUNNING '' 'n1' 1795902167\n"
         "12_2 running COMPLETING 'TimeLimit' 'n2' 1795902167\n");
    /* Without -r, or where it is not heard. */
    told(read_alive, "1_[4-5,8%4]|PENDING||N/A|N/A|1795902166|Resources\n",
         "1_4 pending PENDING 'Resources' '' 1795902166\n1_5 pending PENDING 'Resources' '' 1795902166\n"
         "1_8 pending PENDING 'Resources' '' 1795902166\n");
    told(read_alive, "1_[0-6:3]|PENDING||N/A|N/A|1|Priority\n",
         "1_0 pending PENDING 'Priority' '' 1\n1_3 pending PENDING 'Priority' '' 1\n1_6 pending PENDING 'Priority' '' "
         "1\n");
    told(read_alive, "1_[1,3,...]|PENDING||N/A|N/A|1|Priority\n",
         "1_1 pending PENDING 'Priority' '' 1\n1_3 pending PENDING 'Priority' '' 1\n");
    /* Jobs that are no arrays, and a reason with a bar. */
    told(read_alive, "7|RUNNING|n1|1|N/A|1|None\n8+0|RUNNING|n1|1|N/A|1|None\n9_1|PENDING||1|N/A|5|a|b c\n",
         "9_1 pending PENDING 'a|b c' '' 5\n");
    told(read_ended,
         "11_0|CANCELLED|n2|1795902100|1795902112|1795902100|Resources\n"
         "13_1|FAILED|n2|1795902168|1795902169|1795902166|JobLaunchFailure\n"
         "13_2|PREEMPTED|n2|1795902168|1795902170|1795902166|None\n"
         "13_3|OUT_OF_ME+|n2|1795902168|1795902171|1795902166|OutOfMemory\n"
         "13_4|COMPLETED|n2|1795902168|1795902172|1795902166|None\n",
         "11_0 cancelled CANCELLED '' 'n2' 1795902112\n"
         "13_1 failed FAILED 'JobLaunchFailure' 'n2' 1795902169\n"
         "13_2 lost PREEMPTED '' 'n2' 1795902170\n"
         "13_3 out of memory OUT_OF_ME+ 'OutOfMemory' 'n2' 1795902171\n"
         "13_4 ended COMPLETED '' 'n2' 1795902172\n");
}

static void what_is_cut_or_strange_is_an_error(void **state)
{
    (void)state;
    told(read_alive, "12_1|PENDING||1|NONE|1|a\n12_1",
         "12_1 pending PENDING 'a' '' 1\n! squeue printed a line without an end: 12_1");
    told(read_alive, "12_1|PENDING||1|NONE|1|Begin",
         "! squeue printed a line without an end: 12_1|PENDING||1|NONE|1|Begin");
    told(read_alive, "12_1|PENDING\n", "! squeue printed a line that is not understood: 12_1|PENDING");
    told(read_alive, "\n", "! squeue printed a line that is not understood: ");
    told(read_alive, "slurm is down for maintenance\n",
         "! squeue printed a line that is not understood: slurm is down for maintenance");
    told(read_alive, "12_|PENDING||1|N|1|a\n", "! squeue printed a line that is not understood: 12_|PENDING||1|N|1|a");
    told(read_alive, "12_[|PENDING||1|N|1|a\n",
         "! squeue printed a line that is not understood: 12_[|PENDING||1|N|1|a");
    told(read_alive, "12_[1-|PENDING||1|N|1|a\n",
         "! squeue printed a line that is not understood: 12_[1-|PENDING||1|N|1|a");
    told(read_alive, "12_[3-1]|PENDING||1|N|1|a\n",
         "! squeue printed a line that is not understood: 12_[3-1]|PENDING||1|N|1|a");
    told(read_alive, "12_[0-999999999999]|PENDING||1|N|1|a\n",
         "! squeue printed a line that is not understood: 12_[0-999999999999]|PENDING||1|N|1|a");
    told(read_alive, "99999999999999999999999_1|PENDING||1|N|1|a\n",
         "! squeue printed a line that is not understood: 99999999999999999999999_1|PENDING||1|N|1|a");
}

#define JOB(array, task, name, rest)                                                                                   \
    "JobId=15 ArrayJobId=" array " ArrayTaskId=" task " JobName=" name                                                 \
    " UserId=root(0) GroupId=root(0) MCS_label=N/A "                                                                   \
    "Priority=4294901748 Nice=0 Account=(null) QOS=(null) " rest " Command=/tmp/t1.sh WorkDir=/tmp/a JobState=b c\n"

static void scontrol_is_read(void **state)
{
    (void)state;
    told(pl_slurm_read_jobs, "No jobs in the system\n", "");
    told(pl_slurm_read_jobs,
         JOB("12", "1", "poula-x",
             "JobState=PENDING Reason=BeginTime Dependency=(null) Requeue=1 Restarts=1 ExitCode=0:0 "
             "SubmitTime=1795902169 StartTime=1795902175 EndTime=Unknown NodeList="),
         "12_1 pending PENDING 'BeginTime' '' 1795902169\n");
    told(pl_slurm_read_jobs,
         JOB("12", "2", "a JobState=RUNNING b",
             "JobState=FAILED Reason=NonZeroExitCode ExitCode=3:0 SubmitTime=1 StartTime=2 "
             "EndTime=9 NodeList=n2"),
         "12_2 failed FAILED 'exit code 3' 'n2' 9\n");
    told(pl_slurm_read_jobs,
         JOB("12", "2", "x", "JobState=OUT_OF_MEMORY Reason=OutOfMemory ExitCode=0:125 EndTime=9 NodeList=n2"),
         "12_2 out of memory OUT_OF_MEMORY 'OutOfMemory' 'n2' 9\n");
    told(pl_slurm_read_jobs, JOB("12", "4-5%2", "x", "JobState=PENDING Reason=Resources SubmitTime=1 NodeList=(null)"),
         "12_4 pending PENDING 'Resources' '' 1\n12_5 pending PENDING 'Resources' '' 1\n");
    told(pl_slurm_read_jobs, "JobId=3 JobName=shell UserId=root(0) JobState=RUNNING Reason=None\n", "");
    told(pl_slurm_read_jobs, "JobId=3 ArrayJobId=3 ArrayTaskId=1 JobName=x UserId=root(0) Job",
         "! scontrol printed a line without an end: JobId=3 ArrayJobId=3 ArrayTaskId=1 JobName=x UserId=root(0) Job");
    told(pl_slurm_read_jobs, "JobId=3 ArrayJobId=3 ArrayTaskId=1 JobName=x UserId=root(0)\n",
         "! scontrol printed a line that is not understood: JobId=3 ArrayJobId=3 ArrayTaskId=1 JobName=x "
         "UserId=root(0)");
}

static void sacct_is_read(void **state)
{
    (void)state;
    told(pl_slurm_read_sacct,
         "12_0|COMPLETED|n1|1|2|3|0:0\n12_1|CANCELLED by 1234|n1|1|2|4|0:15\n12_2|FAILED|n1|1|2|5|3:0\n"
         "12_3|OUT_OF_MEMORY|n1|1|2|6|0:125\n12_4|NODE_FAIL|n1|1|2|7|1:0\n12_[5-6%2]|PENDING|None "
         "assigned|8|Unknown|Unknown|0:0\n"
         "12_7|TIMEOUT|n1|2026-11-28T21:42:46|2026-11-28T21:42:47|2026-11-28T21:42:48|0:0\n12_0.batch|FAILED|n1|1|2|3|"
         "1:0\n",
         "12_0 ended COMPLETED '' 'n1' 3\n12_1 cancelled CANCELLED by 1234 'signal 15' 'n1' 4\n"
         "12_2 failed FAILED 'exit code 3' 'n1' 5\n12_3 out of memory OUT_OF_MEMORY '' 'n1' 6\n"
         "12_4 lost NODE_FAIL 'exit code 1' 'n1' 7\n12_5 pending PENDING '' '' 8\n12_6 pending PENDING '' '' 8\n"
         "12_7 out of time TIMEOUT '' 'n1' 1795902168\n");
}

/* ---- ids and names ---- */

static void ids_are_read(void **state)
{
    static const struct {
        const char *printed, *id;
    } cases[] = {
        {"17\n", "17"},
        {"17;cluster\n", "17"},
        {"site: your project has 3 h left\n17\n", "17"},
        {"3 hours\n17\n", "17"},
        {"", ""},
        {"17", ""}, /* cut: it may go on */
        {"17;\n", ""},
        {"Submitted batch job 17\n", ""},
        {"-1\n", ""},
        {"17 \n", ""},
    };
    char id[PL_ARRAY_ID_SIZE];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        id[0] = '\0';
        assert_int_equal(pl_slurm_read_submitted(cases[i].printed, id), *cases[i].id != '\0');
        assert_string_equal(id, cases[i].id);
    }
}

static void names_are_found(void **state)
{
    char id[PL_ARRAY_ID_SIZE] = "";
    (void)state;
    assert_false(pl_slurm_read_name("", "poula-a", id));
    assert_false(pl_slurm_read_name("12|poula-ab\n13|poul\n", "poula-a", id));
    assert_false(pl_slurm_read_name("12|poula-a", "poula-a", id)); /* cut */
    assert_true(pl_slurm_read_name("9|x\n14|poula-a\n12|poula-a\n", "poula-a", id));
    assert_string_equal(id, "12");
    assert_true(pl_slurm_read_name("21_[3-4]|poula-a\n", "poula-a", id));
    assert_string_equal(id, "21");
    const char *jobs = JOB("30", "1", "poula-ab", "JobState=RUNNING") JOB("31", "1", "poula-a", "JobState=RUNNING")
        JOB("7", "1", "x JobName=poula-a", "JobState=RUNNING");
    assert_true(pl_slurm_read_job_name(jobs, "poula-a", id));
    assert_string_equal(id, "31");
    assert_false(pl_slurm_read_job_name(jobs, "poula", id));
}

static void values_are_read(void **state)
{
    static const char
        config[] = "Configuration data as of 2026\nMaxArraySize            = 101\nMaxJobCount             = 10000\n"
                   "SelectType = select/cons_tres\n";
    char value[40];
    (void)state;
    assert_true(pl_slurm_value(config, "MaxArraySize", value, sizeof value));
    assert_string_equal(value, "101");
    assert_false(pl_slurm_value(config, "MaxArray", value, sizeof value));
    assert_true(
        pl_slurm_value("PartitionName=main MaxTime=1-00:00:00 DefaultTime=NONE\n", "MaxTime", value, sizeof value));
    assert_string_equal(value, "1-00:00:00");
    assert_true(pl_slurm_value("A=1 B=12345678901234567890123456789012345678901234567890", "B", value, 5));
    assert_string_equal(value, "1234");
    assert_true(pl_slurm_read_time("1-00:00:00") == 86400);
    assert_true(pl_slurm_read_time("UNLIMITED") == 0);
    assert_true(pl_slurm_read_time("NONE") == 0);
    assert_int_equal(pl_slurm_smallest(""), 0);
    assert_int_equal(pl_slurm_smallest("\n|\n500|\n||20\n300\n"), 20);
    assert_int_equal(pl_slurm_smallest("101"), 101);
}

/* ---- the script ---- */

static void scripts_are_written(void **state)
{
    static char constraint[] = "--constraint=avx512", comment[] = "--comment=a \"b\" \\c #d",
                exclude[] = "--exclude n1 n2", module[] = "module load cuda", partition[] = "long,short",
                account[] = "me";
    char *own[] = {constraint, comment, exclude}, *setup[] = {module};
    struct pl_resources r = {.cpus = 4,
                             .memory = 8. * (1 << 30) + 1,
                             .time = 90061,
                             .gpus = 1,
                             .partition = partition,
                             .account = account,
                             .sbatch = {own, 3},
                             .setup = {setup, 1}};
    struct pl_array array = {.name = "poula-1",
                             .folder = "/data/a b%c\"d'e$f",
                             .home = "/home/x y",
                             .program = "/opt/po ula",
                             .first = 2000,
                             .count = 1000,
                             .at_once = 50,
                             .warning = 59.5,
                             .resources = &r};
    struct pl_text text = {0};
    struct pl_error err = {0};
    (void)state;
    assert_int_equal(pl_slurm_script(&array, &text, &err), 0);
    assert_string_equal(pl_text(&text), "#!/bin/bash\n"
                                        "#SBATCH --job-name=poula-1\n"
                                        "#SBATCH --array=0-999%50\n"
                                        "#SBATCH --chdir=\"/home/x y\"\n"
                                        "#SBATCH --output=\"/data/a b%%c\\\"d'e$f/task-2%3a.out\"\n"
                                        "#SBATCH --open-mode=append\n"
                                        "#SBATCH --requeue\n"
                                        "#SBATCH --signal=B:TERM@60\n"
                                        "#SBATCH --nodes=1\n"
                                        "#SBATCH --ntasks=1\n"
                                        "#SBATCH --cpus-per-task=4\n"
                                        "#SBATCH --mem=8193M\n"
                                        "#SBATCH --time=1-01:02:00\n"
                                        "#SBATCH --gpus=1\n"
                                        "#SBATCH --partition=long,short\n"
                                        "#SBATCH --account=me\n"
                                        "#SBATCH --constraint=avx512\n"
                                        "#SBATCH \"--comment=a \\\"b\\\" \\\\c #d\"\n"
                                        "#SBATCH --exclude \"n1 n2\"\n"
                                        "\n"
                                        "cd '/home/x y' || exit\n"
                                        "set -e\n"
                                        "trap 'echo \"poula: a line of setup failed: $BASH_COMMAND\" >&2' ERR\n"
                                        "module load cuda\n"
                                        "trap - ERR\n"
                                        "exec '/opt/po ula' worker --orders '/data/a b%c\"d'\\''e$f' "
                                        "$((2000 + SLURM_ARRAY_TASK_ID))\n");
    pl_text_clear(&text);
    array.folder = "/data/a\nb";
    assert_int_equal(pl_slurm_script(&array, &text, &err), PL_EINPUT);
    array.folder = "/data/a\\b";
    assert_int_equal(pl_slurm_script(&array, &text, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "backslash"));
    array.folder = "/data";
    array.program = "/opt/\x1b[1m";
    assert_int_equal(pl_slurm_script(&array, &text, &err), PL_EINPUT);
    assert_int_equal(text.length, 0);
    pl_text_release(&text);
}

static void little_is_said_where_little_is_asked_for(void **state)
{
    struct pl_array array = {.name = "n", .folder = "/f", .home = "/h", .program = "/p", .count = 1};
    struct pl_text text = {0};
    struct pl_error err = {0};
    (void)state;
    assert_int_equal(pl_slurm_script(&array, &text, &err), 0);
    assert_string_equal(pl_text(&text),
                        "#!/bin/sh\n#SBATCH --job-name=n\n#SBATCH --array=0-0\n#SBATCH --chdir=/h\n"
                        "#SBATCH --output=/f/task-0.out\n#SBATCH --open-mode=append\n#SBATCH --requeue\n"
                        "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n\ncd /h || exit\n"
                        "exec /p worker --orders /f $((0 + SLURM_ARRAY_TASK_ID))\n");
    pl_text_clear(&text);
    array.count = 101;
    pl_slurm_script(&array, &text, &err);
    assert_non_null(strstr(pl_text(&text), "/f/task-%a.out\n"));
    pl_text_clear(&text);
    array.first = 70; /* no power of ten fits: the file says how its number is made */
    array.count = 11;
    assert_int_equal(pl_slurm_script(&array, &text, &err), 0);
    assert_non_null(strstr(pl_text(&text), "/f/task-70+%a.out\n"));
    pl_text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_is_known),
        cmocka_unit_test(states_are_over_or_not),
        cmocka_unit_test(refusals_are_told_apart),
        cmocka_unit_test(squeue_is_read),
        cmocka_unit_test(what_is_cut_or_strange_is_an_error),
        cmocka_unit_test(scontrol_is_read),
        cmocka_unit_test(sacct_is_read),
        cmocka_unit_test(ids_are_read),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(values_are_read),
        cmocka_unit_test(scripts_are_written),
        cmocka_unit_test(little_is_said_where_little_is_asked_for),
    };
    setenv("TZ", "UTC", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
