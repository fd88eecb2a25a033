/* Slurm, by its commands. */
#include "sweep/batch/slurm.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* ---- calling ---- */

double pl_slurm_patience(void)
{
    double seconds;
    const char *text = getenv("POULA_SLURM_TIMEOUT");
    return text && pl_number_read(text, &seconds) && seconds > 0 ? seconds : 30;
}

static bool begins(const char *text, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (!strncmp(text, *beginnings, strlen(*beginnings)))
            return true;
    return false;
}

/* Is a variable kept from a command? Filters and formats that a user has set for squeue and the others; what Slurm says
 * to a job, where poula runs in one; and, of those that sbatch puts above its script, what the script says. */
static bool is_kept_away(const char *entry, const char *script)
{
    static const char *const ours[] = {"SLURM_CONF=", "SLURM_CONF_SERVER=", "SLURM_CLUSTERS=", "SLURM_JWT=", NULL};
    static const char *const printing[] = {"SLURM_", "SQUEUE_", "SACCT_", "SCONTROL_", "SCANCEL_", "SINFO_", NULL};
    static const char *const always[] = {
        "SBATCH_ARRAY_INX=",  "SBATCH_JOB_NAME=",  "SBATCH_SIGNAL=", "SBATCH_REQUEUE=",
        "SBATCH_NO_REQUEUE=", "SBATCH_OPEN_MODE=", "SBATCH_OUTPUT=", "SBATCH_ERROR=",
        "SBATCH_INPUT=",      "SBATCH_CHDIR=",     "SBATCH_WAIT=",   "SBATCH_TEST_ONLY=",
        "SBATCH_CLUSTERS=",   "SBATCH_NTASKS",     "SBATCH_NODES=",  NULL};
    static const struct {
        const char *variable, *directive;
    } said[] = {{"SBATCH_TIMELIMIT=", "\n#SBATCH --time="},
                {"SBATCH_MEM_PER_", "\n#SBATCH --mem="},
                {"SBATCH_CPUS_PER_TASK=", "\n#SBATCH --cpus-per-task="},
                {"SBATCH_GPUS=", "\n#SBATCH --gpus="},
                {"SBATCH_PARTITION=", "\n#SBATCH --partition="},
                {"SBATCH_ACCOUNT=", "\n#SBATCH --account="}};
    if (begins(entry, ours))
        return false;
    if (begins(entry, printing) || begins(entry, always))
        return true;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (script && !strncmp(entry, said[i].variable, strlen(said[i].variable)) && strstr(script, said[i].directive))
            return true;
    return false;
}

/* What sbatch sees, its job sees too; only others are told how to print. */
static char **make_environment(const char *script, bool prints)
{
    static const char *const printed[] = {"LC_ALL=C", "SLURM_TIME_FORMAT=%s", "SLURM_BITSTR_LEN=0"};
    const size_t more = prints ? sizeof printed / sizeof *printed : 0;
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **list = pl_new((count + more + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        if (!is_kept_away(environ[i], script) && !(prints && !strncmp(environ[i], "LC_ALL=", 7)))
            list[kept++] = environ[i];
    for (size_t i = 0; i < more; i++)
        list[kept++] = (char *)printed[i];
    return list;
}

int pl_slurm_call(struct pl_call *call, const char *const *words, struct pl_error *err)
{
    char **environment = make_environment(NULL, true);
    int status = pl_call_run(call, words, environment, pl_slurm_patience(), err);
    free(environment);
    return status;
}

/* The same of a command that has to succeed. */
static int call_well(struct pl_call *call, const char *const *words, struct pl_error *err)
{
    int status = pl_slurm_call(call, words, err);
    return !status && call->exit_code ? pl_call_fail(call, words[0], err) : status;
}

static int slurm_check(struct pl_error *err)
{
    struct pl_call call = {0};
    const char *const words[] = {"sbatch", "--version", NULL};
    int status = call_well(&call, words, err);
    if (status == PL_EMISSING)
        pl_fail(err, PL_EMISSING, "there is no Slurm on this machine: the command sbatch is not in PATH");
    pl_call_release(&call);
    return status;
}

/* ---- limits ---- */

/* Lines that a command prints. */
static int64_t count_lines(const char *text)
{
    int64_t count = 0;
    for (; (text = strchr(text, '\n')); text++)
        count++;
    return count;
}

static void user_name(char *name, size_t size)
{
    char block[4096];
    struct passwd entry, *found = NULL;
    snprintf(name, size, "%lld", (long long)geteuid());
    if (!getpwuid_r(geteuid(), &entry, block, sizeof block, &found) && found)
        snprintf(name, size, "%s", found->pw_name);
}

/* Adds the names in a list of them, with commas or lines between; what Slurm prints for none is none. */
static void add_names(struct pl_text *names, const char *more)
{
    for (size_t length; *more; more += length + (more[length] != '\0')) {
        length = strcspn(more, ",| \t\n");
        bool none = !length || !strncmp(more, "N/A", 3) || *more == '(';
        if (none || names->length > 1000)
            continue;
        if (names->length)
            pl_text_add_char(names, ',');
        pl_text_add_bytes(names, more, length);
    }
}

/* What partition a task goes to: the one that is named, of several the first, else the default one. */
static void read_partition(const char *printed, const struct pl_resources *resources, struct pl_batch_limits *limits,
                           struct pl_text *qos)
{
    char name[200], wanted[200], value[64];
    const char *named = resources && resources->partition ? resources->partition : NULL;
    if (named)
        snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(named, ","), named);
    for (const char *line = printed; *line; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
        char *copy = pl_copy_bytes(line, strcspn(line, "\n"));
        bool right = pl_slurm_value(copy, "PartitionName", name, sizeof name) &&
                     (named ? !strcmp(name, wanted)
                            : pl_slurm_value(copy, "Default", value, sizeof value) && !strcmp(value, "YES"));
        if (right && pl_slurm_value(copy, "MaxTime", value, sizeof value))
            limits->time = pl_slurm_read_time(value);
        if (right && pl_slurm_value(copy, "DefaultTime", value, sizeof value))
            limits->time_default = pl_slurm_read_time(value);
        if (right && pl_slurm_value(copy, "QoS", value, sizeof value))
            add_names(qos, value);
        free(copy);
    }
}

/* The QOS that a study names among its options of sbatch. */
static const char *named_qos(const struct pl_resources *resources)
{
    const char *qos = NULL;
    for (size_t i = 0; resources && i < resources->sbatch.count; i++) {
        const char *option = resources->sbatch.items[i];
        if (!strncmp(option, "--qos", 5) && option[5])
            qos = option + 6;
        else if (!strncmp(option, "-q", 2))
            qos = option + 2 + strspn(option + 2, " ");
    }
    return qos;
}

static void lower_to(int64_t limit, struct pl_batch_limits *limits)
{
    if (limit > 0 && (!limits->submitted || limit < limits->submitted))
        limits->submitted = limit;
}

/* Limits on what may be submitted: of the user's associations, and of the QOS that his tasks get (qos has that of the
 * partition); nothing without accounts. */
static void read_accounts(struct pl_call *call, const struct pl_resources *resources, struct pl_text *qos,
                          struct pl_batch_limits *limits)
{
    char user[200], where[220];
    user_name(user, sizeof user);
    snprintf(where, sizeof where, "user=%s", user);
    const char *const associations[] = {"sacctmgr", "-n", "-P", "-r", "show", "assoc", where, "format=MaxSubmitJobs",
                                        NULL};
    const char *const own_qos[] = {"sacctmgr", "-n", "-P", "-r", "show", "assoc", where, "format=DefaultQOS", NULL};
    if (pl_slurm_call(call, associations, NULL) || call->exit_code)
        return;
    lower_to(pl_slurm_smallest(pl_text(&call->out)), limits);
    const char *named = named_qos(resources);
    if (named)
        add_names(qos, named);
    else if (!pl_slurm_call(call, own_qos, NULL) && !call->exit_code)
        add_names(qos, pl_text(&call->out));
    struct pl_text which = {0};
    pl_text_addf(&which, "name=%s", pl_text(qos));
    const char *const limits_of[] = {"sacctmgr",
                                     "-n",
                                     "-P",
                                     "-r",
                                     "show",
                                     "qos",
                                     "where",
                                     pl_text(&which),
                                     "format=MaxSubmitJobsPerUser,GrpSubmitJobs",
                                     NULL};
    if (qos->length && !pl_slurm_call(call, limits_of, NULL) && !call->exit_code)
        lower_to(pl_slurm_smallest(pl_text(&call->out)), limits);
    pl_text_release(&which);
}

static int slurm_limits(const struct pl_resources *resources, struct pl_batch_limits *limits, struct pl_error *err)
{
    struct pl_call call = {0};
    struct pl_text qos = {0};
    char value[64], user[24];
    const char *const config[] = {"scontrol", "show", "config", NULL};
    const char *const partition[] = {"scontrol", "-a", "-o", "show", "partition", NULL};
    const char *const queue[] = {"squeue", "-h", "-r", "-a", "-u", user, "-o", "%i", NULL};
    *limits = (struct pl_batch_limits){0};
    snprintf(user, sizeof user, "%lld", (long long)geteuid());
    int status = call_well(&call, config, err);
    if (!status && pl_slurm_value(pl_text(&call.out), "MaxArraySize", value, sizeof value))
        limits->array = pl_slurm_smallest(value);
    if (!status)
        status = call_well(&call, partition, err);
    if (!status)
        read_partition(pl_text(&call.out), resources, limits, &qos);
    if (!status)
        status = call_well(&call, queue, err);
    if (!status) {
        limits->waiting = count_lines(pl_text(&call.out));
        read_accounts(&call, resources, &qos, limits);
    }
    pl_text_release(&qos);
    pl_call_release(&call);
    return status;
}

/* ---- submitting ---- */

static int refuse(const struct pl_call *call, struct pl_error *err)
{
    const char *said = pl_text(&call->said);
    if (call->signal)
        return pl_fail(err, PL_ETIMEOUT, "sbatch was ended by signal %d (%s)", call->signal, strsignal(call->signal));
    if (!*said)
        return pl_fail(err, PL_ETIMEOUT, "sbatch ended with exit code %d and said nothing", call->exit_code);
    return pl_fail(err, pl_slurm_refusal(said), "%s", said);
}

static int slurm_submit(const char *name, const char *script, char id[PL_ARRAY_ID_SIZE], struct pl_error *err)
{
    enum { SCRIPT_MOST = 1 << 22 };
    struct pl_call call = {0};
    struct pl_text text = {0};
    const char *const words[] = {"sbatch", "--parsable", script, NULL};
    (void)name; /* the script has it */
    int status = pl_file_read(script, SCRIPT_MOST, &text, err);
    if (status)
        return status;
    char **environment = make_environment(pl_text(&text), false);
    status = pl_call_run(&call, words, environment, pl_slurm_patience(), err);
    free(environment);
    pl_text_release(&text);
    if (!status && (call.exit_code || call.signal))
        status = refuse(&call, err);
    else if (!status && !pl_slurm_read_submitted(pl_text(&call.out), id))
        status = pl_fail(err, PL_ETIMEOUT, "sbatch did not say which job it made: %.200s", pl_text(&call.out));
    pl_call_release(&call);
    return status;
}

static int slurm_find(const char *name, char id[PL_ARRAY_ID_SIZE], struct pl_error *err)
{
    struct pl_call call = {0};
    char user[24];
    const char *const queue[] = {"squeue", "-h", "-a", "-t", "all", "-u", user, "-n", name, "-o", "%F|%j", NULL};
    const char *const jobs[] = {"scontrol", "-a", "-o", "show", "jobs", NULL};
    const char *const past[] = {"sacct",         "-n", "-P", "-X", "-S", "2000-01-01", "-u", user, "--name", name, "-o",
                                "JobID,JobName", NULL};
    snprintf(user, sizeof user, "%lld", (long long)geteuid());
    int status = call_well(&call, queue, err);
    bool found = !status && pl_slurm_read_name(pl_text(&call.out), name, id);
    if (!status && !found && !(status = call_well(&call, jobs, err)))
        found = pl_slurm_read_job_name(pl_text(&call.out), name, id);
    if (!status && !found && !(status = pl_slurm_call(&call, past, err))) {
        if (call.exit_code && !pl_slurm_says_no_accounts(pl_text(&call.said)))
            status = pl_call_fail(&call, "sacct", err);
        else if (!call.exit_code)
            found = pl_slurm_read_name(pl_text(&call.out), name, id);
    }
    pl_call_release(&call);
    return status ? status : found ? 0 : 1;
}

static int slurm_cancel(const char *id, struct pl_error *err)
{
    struct pl_call call = {0};
    const char *const words[] = {"scancel", id, NULL};
    int status = pl_slurm_call(&call, words, err);
    if (!status && call.exit_code && !pl_slurm_says_gone(pl_text(&call.said)))
        status = pl_call_fail(&call, "scancel", err);
    pl_call_release(&call);
    return status;
}

/* ---- on a node ---- */

static bool read_count(const char *name, int64_t *value)
{
    const char *text = getenv(name);
    return text && pl_integer_read(text, value) && *value >= 0;
}

static bool slurm_here(char id[PL_ARRAY_ID_SIZE], int64_t *index, int64_t *restarts, char node[64])
{
    int64_t number;
    const char *host = getenv("SLURMD_NODENAME");
    if (!read_count("SLURM_ARRAY_JOB_ID", &number) || !read_count("SLURM_ARRAY_TASK_ID", index))
        return false;
    snprintf(id, PL_ARRAY_ID_SIZE, "%lld", (long long)number);
    if (!read_count("SLURM_RESTART_COUNT", restarts)) /* unset the first time */
        *restarts = 0;
    snprintf(node, 64, "%s", host ? host : "");
    return true;
}

/* Whoever cancels or requeues a job has its state changed before its processes are told; a warning comes while it runs.
 * Both are then completing, but one that is started again is counted as that already. */
static enum pl_fate slurm_fate(const char *id, int64_t index, int64_t restarts)
{
    struct pl_call call = {0};
    char job[PL_ARRAY_ID_SIZE + 24], state[40] = "", count[24] = "";
    int64_t counted = 0;
    const char *const words[] = {"scontrol", "-a", "-o", "show", "job", job, NULL};
    snprintf(job, sizeof job, "%s_%lld", id, (long long)index);
    const char *rest = call_well(&call, words, NULL) ? NULL : strstr(pl_text(&call.out), " UserId=");
    bool known = rest && pl_slurm_value(rest, "JobState", state, sizeof state);
    bool again = known && pl_slurm_value(rest, "Restarts", count, sizeof count) && pl_integer_read(count, &counted) &&
                 counted > restarts;
    pl_call_release(&call);
    return again || !strcmp(state, "PENDING") ? PL_FATE_RETURNS
           : !strncmp(state, "RUNNING", 7)    ? PL_FATE_TIME
                                              : PL_FATE_OVER;
}

static int slurm_requeue(struct pl_error *err)
{
    struct pl_call call = {0};
    char id[PL_ARRAY_ID_SIZE], job[PL_ARRAY_ID_SIZE + 24], node[64];
    int64_t index, restarts;
    const char *const words[] = {"scontrol", "requeue", job, NULL};
    if (!slurm_here(id, &index, &restarts, node))
        return pl_fail(err, PL_EINPUT, "this is no task of Slurm");
    snprintf(job, sizeof job, "%s_%lld", id, (long long)index);
    int status = call_well(&call, words, err);
    pl_call_release(&call);
    return status;
}

const struct pl_batch_system pl_batch_slurm = {
    .name = "slurm",
    .help = "array tasks of Slurm, by sbatch",
    .check = slurm_check,
    .limits = slurm_limits,
    .script = pl_slurm_script,
    .submit = slurm_submit,
    .find = slurm_find,
    .look = pl_slurm_look,
    .cancel = slurm_cancel,
    .fate = slurm_fate,
    .requeue = slurm_requeue,
    .here = slurm_here,
};
