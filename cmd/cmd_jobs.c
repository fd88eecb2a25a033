#include "answer.h"

#include "sweep/batch/batch.h"
#include "sweep/batch/collect.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double patience = 1; /* seconds that a look waits for a writer */

static const char
    by_state[] = "SELECT submission, state, count(*) AS tasks, sum(runs) AS runs, sum(ended) AS ended,"
                 " CASE WHEN count(DISTINCT node) > 3 THEN count(DISTINCT node) || ' nodes'"
                 " ELSE coalesce(group_concat(DISTINCT node), '') END AS node, coalesce(min(since), '') AS since,"
                 " coalesce(min(reason), '') AS reason"
                 " FROM tasks WHERE submission IN (SELECT submission FROM submissions WHERE state = 'open')"
                 " GROUP BY submission, state, reason ORDER BY submission, state";
static const char
    each_task[] = "SELECT submission, task, coalesce(job, '') AS job, state, runs, ended, coalesce(node, '') AS node,"
                  " coalesce(since, '') AS since, starts, coalesce(reason, '') AS reason FROM tasks"
                  " WHERE submission IN (SELECT submission FROM submissions WHERE state = 'open')"
                  " ORDER BY submission, task";
static const char closed_too[] = "SELECT submission, state, tasks, over, runs, ended, user, created, resources, folder"
                                 " FROM submissions ORDER BY created";

/* Takes in what has arrived, and asks the batch systems; where neither can be done, what is known is shown. */
static void look(struct pl_store *store, struct pl_submissions *open)
{
    struct pl_collected collected = {0};
    struct pl_error err = {0};
    struct pl_sweep_view view = {0};
    int status = pl_batch_collect_all(store, 0, &collected, &err);
    for (size_t i = 0; i < open->count && !status; i++) {
        const struct pl_batch_system *system = pl_batch_find(open->all[i].system);
        struct pl_batch_view seen = {0};
        status = system ? pl_batch_look(store, &open->all[i], system, NULL, &seen, &view, &err) : 0;
        if (!status)
            status = pl_batch_close(store, &open->all[i], &err);
        status = status > 0 ? 0 : status;
    }
    if (status)
        pl_cmd_note("poula jobs: what is shown may be old: %s", err.text);
}

static int show(const struct pl_args *args)
{
    struct pl_store *store = NULL;
    struct pl_submissions open = {0};
    struct pl_error err = {0};
    int code = pl_cmd_open(args, &store);
    if (!code && pl_submissions_read(&open, store, true, &err))
        code = pl_cmd_fail(args, &err);
    pl_store_close(store);
    store = NULL;
    if (!code && open.count && !pl_store_open(&store, pl_args_db(args), PL_STORE_WRITE, &err)) {
        pl_store_set_patience(store, patience, NULL, NULL);
        look(store, &open);
    }
    pl_store_close(store);
    store = NULL;
    if (!code)
        code = pl_cmd_open(args, &store);
    const char *sql = pl_args_has(args, "closed") ? closed_too : pl_args_has(args, "tasks") ? each_task : by_state;
    if (!code)
        code = pl_cmd_answer(args, store, sql, stdout, pl_cmd_format(args, &pl_format_text));
    pl_store_close(store);
    pl_submissions_release(&open);
    return code;
}

/* ---- cancelling ---- */

static bool is_meant(const struct pl_submission *submission, const char *name)
{
    return !name || !strcmp(submission->study, name) || !strcmp(submission->name, name);
}

static bool confirm(const struct pl_args *args, size_t count)
{
    char answer[16] = "";
    if (pl_args_has(args, "yes"))
        return true;
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        pl_cmd_usage_error(args, "these are %zu submissions; --yes says that all are meant", count);
        return false;
    }
    fprintf(stderr, "poula jobs: cancel %zu submission%s? [y/N] ", count, count == 1 ? "" : "s");
    if (fgets(answer, sizeof answer, stdin) && (*answer == 'y' || *answer == 'Y'))
        return true;
    pl_cmd_note("poula jobs: nothing was cancelled");
    return false;
}

static int cancel_each(const struct pl_args *args, struct pl_store *store, const struct pl_submissions *open,
                       const char *name)
{
    struct pl_error err = {0};
    int code = 0;
    for (size_t i = 0; i < open->count; i++) {
        const struct pl_submission *submission = &open->all[i];
        const struct pl_batch_system *system = pl_batch_find(submission->system);
        if (!is_meant(submission, name))
            continue;
        struct pl_collected collected = {0};
        if (!system) {
            code = pl_cmd_usage_error(args, "%s is on %s, which this poula does not know", submission->name,
                                      submission->system);
        } else if (pl_batch_collect(store, submission, 0, &collected, &err) ||
                   pl_batch_cancel(store, submission, system, &err)) {
            code = pl_cmd_fail(args, &err);
        } else {
            pl_cmd_note("poula jobs: %s is cancelled", submission->name);
        }
    }
    return code;
}

static int cancel(const struct pl_args *args, const char *name)
{
    struct pl_store *store = NULL;
    struct pl_submissions open = {0};
    struct pl_error err = {0};
    size_t meant = 0;
    int code = 0;
    if (pl_store_open(&store, pl_args_db(args), PL_STORE_READ, &err) || pl_submissions_read(&open, store, true, &err))
        code = pl_cmd_fail(args, &err);
    pl_store_close(store);
    store = NULL;
    for (size_t i = 0; i < open.count; i++)
        meant += is_meant(&open.all[i], name);
    if (!code && name && !meant)
        code = pl_cmd_usage_error(args, "no submission of \"%s\" is open", name);
    if (!code && !name && meant && !confirm(args, meant))
        code = 2;
    if (!code && !name && !meant)
        pl_cmd_note("poula jobs: no submission is open");
    if (!code && meant) {
        code = pl_store_open(&store, pl_args_db(args), PL_STORE_WRITE, &err) ? pl_cmd_fail(args, &err)
                                                                             : cancel_each(args, store, &open, name);
        pl_store_close(store);
    }
    pl_submissions_release(&open);
    return code;
}

static int run(const struct pl_args *args)
{
    const char *name = pl_args_get(args, "cancel", NULL);
    bool all = pl_args_has(args, "cancel-all");
    if (name && all)
        return pl_cmd_usage_error(args, "give --cancel or --cancel-all, not both");
    return name || all ? cancel(args, name) : show(args);
}

static const struct pl_option options[] = {
    {.name = "tasks", .help = "a line for each task"},
    {.name = "closed", .help = "a line for each submission, also for those that are over"},
    {.name = "cancel",
     .argument = "STUDY",
     .help = "end the tasks of a study (or of one submission); what is done is kept"},
    {.name = "cancel-all", .help = "end the tasks of all submissions"},
    {.name = "yes", .letter = 'y', .help = "so many submissions are meant"},
    {.name = "format", .argument = "FORMAT", .help = "how to print", .words = PL_FORMAT_WORDS},
};

const struct pl_command pl_cmd_jobs = {
    .name = "jobs",
    .summary = "show and cancel what is submitted to a cluster",
    .arguments = "",
    .description =
        "Shows the submissions of 'poula sweep --on' that are open: their tasks by state, on which nodes, since "
        "when, and why they wait or ended. What tasks have reported is taken in first.",
    .example = "poula jobs --tasks",
    PL_OPTIONS(options),
    .run = run,
};
