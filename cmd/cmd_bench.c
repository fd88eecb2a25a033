/* Benchmarks are commands, never timed tests: they print what was measured and judge nothing. */
#include "cmd.h"

#include <string.h>

int pl_bench_optim(const struct pl_args *args);
int pl_bench_sweep(const struct pl_args *args);

static const struct {
    const char *name;
    int (*run)(const struct pl_args *args);
} benches[] = {
    {"optim", pl_bench_optim},
    {"sweep", pl_bench_sweep},
};

static int run(const struct pl_args *args)
{
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
        if (!strcmp(args->arguments[0], benches[i].name))
            return benches[i].run(args);
    return pl_cmd_usage_error(args, "'%s' is not one of: optim sweep", args->arguments[0]);
}

static const struct pl_option options[] = {
    {.name = "params", .argument = "N", .help = "optim: parameters of the arena (default 10M)"},
    {.name = "optimizer", .argument = "NAME", .help = "optim: which one (default theopoula; 'all' for every one)"},
    {.name = "set", .argument = "KEY=VALUE", .help = "optim: one of the optimizer's settings; repeatable"},
    {.name = "steps", .argument = "N", .help = "optim: timed steps (default 21)"},
    {.name = "threads", .argument = "N", .help = "optim: threads of a step (default 1)"},
    {.name = "jobs", .letter = 'j', .argument = "N", .help = "sweep: worker processes (default: allowed cores)"},
    {.name = "format", .argument = "FORMAT", .help = "how to print", .words = "text json"},
};

const struct pl_command pl_cmd_bench = {
    .name = "bench",
    .summary = "measure this machine and this program",
    .arguments = "optim|sweep",
    .description =
        "optim: nanoseconds per parameter of an optimizer step, beside the machine's own memory stream measured in "
        "the same run. sweep: runs per second of a small sweep from an empty folder, its database size, and the time "
        "of tables over 1,000,000 runs and over long curves. Medians; other load on the machine disturbs them.",
    .example = "poula bench optim --params 10M --optimizer theopoula --threads 2",
    PL_OPTIONS(options),
    .least = 1, .most = 1,
    .run = run,
};
