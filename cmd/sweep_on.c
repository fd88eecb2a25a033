/* poula sweep --on: what a sweep on a batch system is told, and its dry run. */
#include "sweep_parts.h"

#include "sweep/batch/batch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REQUEUES = 20 };

/* Options that hold only with --on, and those that do not hold with it. */
static const char *const only_on[] = {"detach", "cpus",  "memory",        "time",     "gpus",    "partition", "account",
                                      "sbatch", "setup", "runs-per-task", "requeues", "at-once", "program"};
static const char *const never_on[] = {"jobs", "threads"};

static int check_options(const struct pl_args *args)
{
    bool on = pl_args_has(args, "on");
    for (size_t i = 0; i < sizeof only_on / sizeof *only_on && !on; i++)
        if (pl_args_has(args, only_on[i]))
            return pl_cmd_usage_error(args, "--%s is about tasks of a cluster and needs --on", only_on[i]);
    for (size_t i = 0; i < sizeof never_on / sizeof *never_on && on; i++)
        if (pl_args_has(args, never_on[i]))
            return pl_cmd_usage_error(args, "--%s is about workers of this machine; --cpus N says what a task gets",
                                      never_on[i]);
    return 0;
}

static void read_list(const struct pl_args *args, const char *option, struct pl_texts *lines)
{
    const char *given;
    for (size_t i = 0; (given = pl_args_nth(args, option, i)); i++) {
        lines->items = pl_resize(lines->items, lines->count + 1, sizeof *lines->items);
        lines->items[lines->count++] = pl_copy(given);
    }
}

static int read_resources(const struct pl_args *args, struct pl_resources *r)
{
    struct pl_error err = {0};
    const char *memory = pl_args_get(args, "memory", NULL), *time = pl_args_get(args, "time", NULL);
    if (!pl_args_integer(args, "cpus", 1, 4096, 0, &r->cpus) || !pl_args_integer(args, "gpus", 0, 1024, 0, &r->gpus))
        return 2;
    if (memory && !pl_memory_read(memory, &r->memory))
        return pl_cmd_usage_error(args, "--memory is '%s', but must be like 8G or 500M", memory);
    if (time && !pl_duration_read(time, &r->time))
        return pl_cmd_usage_error(args, "--time is '%s', but must be like 4h, 90m or 1-12:00:00", time);
    if (pl_args_has(args, "partition"))
        r->partition = pl_copy(pl_args_get(args, "partition", ""));
    if (pl_args_has(args, "account"))
        r->account = pl_copy(pl_args_get(args, "account", ""));
    read_list(args, "sbatch", &r->sbatch);
    read_list(args, "setup", &r->setup);
    for (size_t i = 0; i < r->sbatch.count; i++)
        if (pl_resources_check_sbatch(r->sbatch.items[i], &err))
            return pl_cmd_usage_error(args, "%s", err.text);
    return 0;
}

/* A path from the root: tasks begin in the folder of the sweep, but their setup may leave it. */
static const char *absolute(const char *path, const char *home, struct pl_pool *pool)
{
    struct pl_text text = {0};
    if (*path != '/')
        pl_text_addf(&text, "%s/", home);
    pl_text_add(&text, path);
    const char *copy = pl_pool_copy(pool, pl_text(&text));
    pl_text_release(&text);
    return copy;
}

/* results/poula-jobs beside results/poula.db */
static void name_jobs(const struct pl_args *args, struct pl_text *path)
{
    pl_text_add(path, pl_args_db(args));
    if (path->length > 3 && !strcmp(path->text + path->length - 3, ".db"))
        pl_text_cut(path, path->length - 3);
    pl_text_add(path, "-jobs");
}

static int find_program(const struct pl_args *args, struct pl_sweep_on *on)
{
    char path[4096];
    const char *given = pl_args_get(args, "program", NULL);
    if (given) {
        on->batch.program = absolute(given, on->batch.home, &on->texts);
        return 0;
    }
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return pl_cmd_usage_error(args, "cannot tell where this program is; --program PATH says it");
    path[length] = '\0';
    on->batch.program = pl_pool_copy(&on->texts, path);
    return 0;
}

int pl_sweep_read_on(const struct pl_args *args, struct pl_sweep_on *on, struct pl_sweep_options *options)
{
    struct pl_batch_options *batch = &on->batch;
    struct pl_error err = {0};
    struct pl_text path = {0};
    char home[4096];
    int code = check_options(args);
    if (code || !pl_args_has(args, "on"))
        return code;
    batch->system = pl_batch_find(pl_args_get(args, "on", ""));
    if (!batch->system)
        return pl_cmd_usage_error(args, "there is no batch system \"%s\"", pl_args_get(args, "on", ""));
    if (!getcwd(home, sizeof home))
        return pl_cmd_usage_error(args, "cannot tell the working folder: %s", strerror(errno));
    batch->home = pl_pool_copy(&on->texts, home);
    batch->over = &on->resources;
    batch->detach = pl_args_has(args, "detach");
    name_jobs(args, &path);
    batch->folders = absolute(pl_text(&path), home, &on->texts);
    pl_text_release(&path);
    if (!pl_args_integer(args, "runs-per-task", 1, 1000000, 0, &batch->runs_per_task) ||
        !pl_args_integer(args, "requeues", 0, 1000000, REQUEUES, &batch->requeues) ||
        !pl_args_integer(args, "at-once", 1, 1000000, 0, &batch->at_once))
        return 2;
    code = read_resources(args, &on->resources);
    if (!code)
        code = find_program(args, on);
    if (!code && !pl_args_has(args, "dry-run") && batch->system->check(&err))
        code = pl_cmd_fail(args, &err);
    options->batch = batch;
    return code;
}

void pl_sweep_make_absolute(const struct pl_sweep_on *on, struct pl_sweep_options *options, struct pl_pool *texts)
{
    if (!options->batch)
        return;
    options->folders = absolute(options->folders, on->batch.home, texts);
    options->data_folder = absolute(options->data_folder, on->batch.home, texts);
}

void pl_sweep_release_on(struct pl_sweep_on *on)
{
    pl_resources_release(&on->resources);
    pl_pool_release(&on->texts);
}

/* ---- the dry run ---- */

/* What would be submitted of a study, and the script of its first array: the others differ in their numbers. */
static int show_study(const struct pl_args *args, struct pl_store *store, const struct pl_sweep_study *study,
                      const struct pl_sweep_on *on)
{
    struct pl_sweep_study known = *study;
    const struct pl_sweep_info *sweeps;
    struct pl_batch_request request;
    struct pl_batch_limits limits = {0};
    struct pl_error err = {0}, unknown = {0};
    struct pl_text text = {0}, folder = {0};
    size_t count;
    int64_t missing = pl_sweep_study_missing(study, false);
    if (!missing || study->study->waiting)
        return 0;
    known.sweep = store && !pl_store_sweeps(store, study->study->name, &sweeps, &count, &unknown) ? sweeps[0].id : 0;
    if (pl_batch_plan(&request, store, &known, missing, &on->batch, &err))
        return pl_cmd_fail(args, &err);
    on->batch.system->limits(&request.resources, &limits, &unknown);
    int64_t tasks = (missing + request.runs - 1) / request.runs;
    int64_t allowed = pl_batch_array_most(&limits), most = allowed ? allowed : tasks,
            arrays = (tasks + most - 1) / most;
    pl_batch_request_describe(&request, &text);
    pl_cmd_line(stdout, "%s: %lld runs in %lld tasks, %lld at a time in each, %lld array%s; each task: %s",
                study->study->name, (long long)missing, (long long)tasks, (long long)request.workers, (long long)arrays,
                arrays == 1 ? "" : "s", pl_text(&text));
    pl_text_clear(&text);
    pl_text_addf(&folder, "%s/%s-00000000", on->batch.folders, study->study->name);
    const struct pl_submission submission = {.name = study->study->name, .folder = pl_text(&folder)};
    const struct pl_array_info array = {.name = study->study->name, .count = tasks < most ? tasks : most};
    int code = pl_batch_script(&submission, &request, &on->batch, &array, &text, &err) ? pl_cmd_fail(args, &err) : 0;
    pl_cmd_lines(stdout, pl_text(&text));
    pl_text_release(&text);
    pl_text_release(&folder);
    pl_batch_request_release(&request);
    return code;
}

int pl_sweep_dry_on(const struct pl_args *args, struct pl_store *store, const struct pl_sweep_plan *plan,
                    const struct pl_sweep_on *on)
{
    int code = 0;
    for (size_t i = 0; i < plan->count && !code; i++)
        code = show_study(args, store, &plan->studies[i], on);
    return code;
}
