#include "answer.h"
#include "collect.h"

static const char
    sql[] = "SELECT study, configs, seeds, runs, finished, diverged, failed, stopped, planned + interrupted AS missing,"
            " queued + running AS running, started, path FROM studies ORDER BY studies.started, study";

static int run(const struct pl_args *args)
{
    struct pl_store *store;
    pl_cmd_collect(args);
    int code = pl_cmd_open(args, &store);
    if (!code)
        code = pl_cmd_answer(args, store, sql, stdout, pl_cmd_format(args, &pl_format_text));
    pl_store_close(store);
    return code;
}

static const struct pl_option options[] = {
    {.name = "format", .argument = "FORMAT", .help = "how to print", .words = PL_FORMAT_WORDS},
    PL_NO_COLLECT,
};

const struct pl_command pl_cmd_studies = {
    .name = "studies",
    .summary = "list the studies, how many runs they have and how these ended",
    .description =
        "Lists the newest sweep of each study in the database, the one that was swept last at the end: its "
        "configurations, seeds of each, runs and how they ended, when it was swept (UTC) and from which spec.",
    .example = "poula studies",
    PL_OPTIONS(options),
    .run = run,
};
