#include "cmd.h"

#include "sweep/batch/task.h"
#include "sweep/sweep.h"

#include <stdlib.h>

static void show_note(const char *sentence)
{
    pl_cmd_line(stderr, "poula worker: %s", sentence);
}

/* A task of a cluster: its workers are this program again. */
static int run_task(const struct pl_args *args)
{
    const char *program = getenv("POULA_WORKER");
    const char *const worker[] = {program && *program ? program : "/proc/self/exe", "worker", NULL};
    struct pl_error err = {0};
    int64_t task;
    if (args->count != 1 || !pl_count_read(args->arguments[0], &task))
        return pl_cmd_usage_error(args, "--orders FOLDER takes the number of a task");
    int status = pl_task_run(pl_args_get(args, "orders", ""), task, worker, show_note, &err);
    if (!status)
        return 0;
    pl_cmd_fail(args, &err);
    return 1;
}

static int run(const struct pl_args *args)
{
    struct pl_error err = {0};
    int in, out;
    if (pl_args_has(args, "orders"))
        return run_task(args);
    if (args->count)
        return pl_cmd_usage_error(args, "a number is that of a task in --orders FOLDER");
    if (pl_worker_enter(&in, &out, &err) || pl_worker_loop(in, out, &err))
        return pl_cmd_fail(args, &err);
    return 0;
}

static const struct pl_option options[] = {
    {.name = "orders", .argument = "FOLDER", .help = "train the runs of a task that 'poula sweep --on' wrote there"},
};

const struct pl_command pl_cmd_worker = {
    .name = "worker",
    .summary = "train the runs that a sweep sends (started by 'poula sweep')",
    .arguments = "[TASK]",
    .description = "Reads orders from standard input and writes events to standard output, a JSON object a line. "
                   "A sweep starts its workers itself; docs/sweeps.md describes the protocol. With --orders it is a "
                   "task of a cluster (docs/cluster.md): a crew of workers for the runs of one file.",
    .example = "poula worker --orders results/poula-jobs/toy-1f2e3d4c 0",
    PL_OPTIONS(options),
    .most = 1,
    .hidden = true,
    .run = run,
};
