#include "cmd.h"

#include "sweep/sweep.h"

static int run(const struct pl_args *args)
{
    struct pl_error err = {0};
    int in, out;
    if (pl_worker_enter(&in, &out, &err) || pl_worker_loop(in, out, &err))
        return pl_cmd_fail(args, &err);
    return 0;
}

const struct pl_command pl_cmd_worker = {
    .name = "worker",
    .summary = "train the runs that a sweep sends (started by 'poula sweep')",
    .arguments = "",
    .description = "Reads orders from standard input and writes events to standard output, a JSON object a line. "
                   "A sweep starts its workers itself; docs/sweeps.md describes the protocol.",
    .example = "poula sweep experiments/toy.yaml --jobs 2",
    .hidden = true,
    .run = run,
};
