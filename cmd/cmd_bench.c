/* Benchmarks are commands, never timed tests: they print what lib/bench measured and judge nothing. */
#include "bench_parts.h"

#include <string.h>

struct pl_bench_given pl_bench_given_of(const struct pl_args *args)
{
    const char **words = pl_new((args->option_count + 1) * sizeof *words);
    struct pl_bench_given given = {.words = words};
    while ((words[given.count] = pl_args_nth(args, "set", given.count)))
        given.count++;
    return given;
}

static const struct {
    const char *name;
    int (*run)(const struct pl_args *args);
} benches[] = {
    {"optim", pl_bench_optim_command},
    {"sweep", pl_bench_sweep_command},
    {"cluster", pl_bench_cluster_command},
    {"train", pl_bench_train_command},
};

static int run(const struct pl_args *args)
{
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
        if (!strcmp(args->arguments[0], benches[i].name))
            return benches[i].run(args);
    return pl_cmd_usage_error(args, "'%s' is not one of: optim sweep cluster train", args->arguments[0]);
}

static const struct pl_option options[] = {
    {.name = "params", .argument = "N", .help = "optim: parameters of the arena (default 10M)"},
    {.name = "optimizer", .argument = "NAME", .help = "optim, train: which one (default theopoula), or 'all' (optim)"},
    {.name = "model", .argument = "NAME", .help = "train: which one (default vgg11; layers: a small one)"},
    {.name = "batch", .argument = "N", .help = "train: images of a step (default 128), or columns of text (20)"},
    {.name = "bptt", .argument = "N", .help = "train: steps of text in a window (default 70)"},
    {.name = "layers", .argument = "N", .help = "train: of a model of text (default 3)"},
    {.name = "words", .argument = "N", .help = "train: vocabulary of a model of text (default 10000)"},
    {.name = "precision", .argument = "KIND", .help = "train: of convolutions (default fast)", .words = "fast exact"},
    {.name = "profile", .help = "train: add the time of every operator"},
    {.name = "set",
     .argument = "KEY=VALUE",
     .help = "optim, train: a setting of the optimizer or model",
     .repeats = true},
    {.name = "steps", .argument = "N", .help = "optim, train: timed steps (default 21, 5), of a round with --busy"},
    {.name = "busy",
     .argument = "N",
     .help = "optim, train: measure beside N processes that compute, and in quiet, in turns"},
    {.name = "rounds", .argument = "N", .help = "optim, train: turns with --busy (default 5)"},
    {.name = "threads", .argument = "N", .help = "optim, train: threads of a step (default 1)"},
    {.name = "jobs", .letter = 'j', .argument = "N", .help = "sweep: worker processes (default: allowed cores)"},
    {.name = "runs", .argument = "N", .help = "cluster: runs to submit and take in (default 1M)"},
    {.name = "tasks", .argument = "N", .help = "cluster: tasks that share them (default 1000)"},
    {.name = "format", .argument = "FORMAT", .help = "how to print", .words = PL_FORMAT_TEXT_OR_TREE_WORDS},
};

const struct pl_command pl_cmd_bench = {
    .name = "bench",
    .summary = "measure this machine and this program",
    .arguments = "optim|sweep|cluster|train",
    .description =
        "optim: nanoseconds per parameter of an optimizer step, beside the machine's own memory stream measured in "
        "the same run, by the clock and in processor time; all of them in groups. sweep: runs per second of a small "
        "sweep from an empty folder, its database size, and the time "
        "of tables over 1,000,000 runs and over long curves. cluster: the same of a submission to stubs of Slurm, and "
        "of "
        "taking in its journals. train: images per second of whole training steps on "
        "made-up images of 3x32x32, or tokens per second on made-up text, beside the multiply-adds that this machine "
        "reaches in registers. Medians; other load on the machine disturbs them, and --busy measures by how much, "
        "on average.",
    .example = "poula bench optim --params 10M --optimizer theopoula --threads 2",
    PL_OPTIONS(options),
    .least = 1,
    .most = 1,
    .run = run,
};
