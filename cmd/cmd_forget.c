#include "pick.h"
#include "sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>

static int run(const struct pl_args *args)
{
    struct pl_store *store = NULL;
    struct pl_error err = {0};
    struct pl_text folders = {0};
    int64_t *runs = NULL;
    size_t count = 0, forgotten = 0;
    int code = pl_cmd_open(args, &store);
    if (!code)
        code = pl_pick_runs(args, store, &runs, &count);
    pl_store_close(store);
    store = NULL;
    pl_args_folders(args, &folders);
    if (!code && (pl_store_open(&store, pl_args_db(args), PL_STORE_WRITE, &err) ||
                  pl_sweep_forget_runs(store, runs, count, pl_text(&folders), &forgotten, &err)))
        code = pl_cmd_fail(args, &err);
    if (!code)
        printf("%zu run%s forgotten\n", forgotten, forgotten == 1 ? "" : "s");
    if (!code && forgotten < count)
        pl_cmd_note("poula forget: %zu are missing anyway or at work, and were left alone", count - forgotten);
    pl_store_close(store);
    pl_text_release(&folders);
    free(runs);
    return code;
}

static const struct pl_option options[] = {
    PL_PICK_OPTIONS,
};

const struct pl_command pl_cmd_forget = {
    .name = "forget",
    .summary = "mark runs as missing, so that the next sweep runs them again",
    .arguments = "[RUN|CONDITION...]",
    .description =
        "Takes runs by number, by the beginning of their key, or all that meet every condition: what --where takes, as "
        "an "
        "argument, and the options. What an attempt came to stays (its outcome, log and program, and the lowest, "
        "highest "
        "and last value of each metric: the view superseded); its curves do not. The folder of a run is renamed to "
        "RUN.attempt-N. 'poula sweep --rerun' does the same and runs them at once.",
    .example = "poula forget optimizer=adam lambda=0.1 --study toy-steps",
    PL_OPTIONS(options),
    .most = 100000,
    .run = run,
};
