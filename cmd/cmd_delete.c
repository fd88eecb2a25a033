#include "pick.h"
#include "sweep/sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is to be deleted: runs, or a whole study; or points of their curves. */
struct doomed {
    int64_t *runs;
    size_t count;
    const char *study;
    int64_t keep; /* points of each curve; 0: the runs go */
};

/* A study and nothing else is the study itself, not only the runs of its newest sweep. */
static bool is_whole_study(const struct pl_args *args)
{
    return pl_args_has(args, "study") && !args->count && !pl_args_has(args, "where") && !pl_args_has(args, "tag") &&
           !pl_args_has(args, "since") && !pl_args_has(args, "status") && !pl_args_has(args, "keep-curves");
}

static int choose(const struct pl_args *args, struct pl_store *store, struct doomed *doomed)
{
    const struct pl_sweep_info *sweeps;
    struct pl_error err;
    size_t count;
    if (!pl_args_integer(args, "keep-curves", 2, INT64_MAX, 0, &doomed->keep))
        return 2;
    if (!is_whole_study(args))
        return pl_pick_runs(args, store, &doomed->runs, &doomed->count);
    doomed->study = pl_args_get(args, "study", NULL);
    return pl_store_sweeps(store, doomed->study, &sweeps, &count, &err) ? pl_cmd_fail(args, &err) : 0;
}

static void describe(const struct doomed *doomed, const struct pl_deleted *weight, struct pl_text *out)
{
    if (doomed->keep) {
        pl_text_addf(out, "about %lld values of each curve of %lld run%s that ended with a result would be kept",
                     (long long)doomed->keep, (long long)weight->ended, weight->ended == 1 ? "" : "s");
        return;
    }
    if (doomed->study)
        pl_text_addf(out, "the study %s and ", doomed->study);
    pl_text_addf(out, "%lld run%s", (long long)weight->runs, weight->runs == 1 ? "" : "s");
    pl_text_addf(out, "%s (%lld with a result) and %lld recorded values would be deleted",
                 doomed->study ? " that no other study holds" : "", (long long)weight->ended,
                 (long long)weight->values);
}

/* Says what and how much; asks, unless --yes has been given. */
static int ask(const struct pl_args *args, struct pl_store *store, const struct doomed *doomed)
{
    struct pl_deleted weight = {0};
    struct pl_text what = {0};
    struct pl_error err;
    char answer[16] = "";
    int code = 0;
    if (pl_store_weigh(store, doomed->runs, doomed->count, doomed->study, &weight, &err))
        return pl_cmd_fail(args, &err);
    describe(doomed, &weight, &what);
    if (pl_args_has(args, "yes")) {
        code = 0;
    } else if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        code = pl_cmd_usage_error(args, "%s; --yes does so", pl_text(&what));
    } else {
        pl_cmd_note("poula delete: %s.", pl_text(&what));
        fputs("Do so? It cannot be undone. [y/N] ", stderr);
        if (!fgets(answer, sizeof answer, stdin) || (*answer != 'y' && *answer != 'Y')) {
            pl_cmd_note("poula delete: nothing was deleted");
            code = 2;
        }
    }
    pl_text_release(&what);
    return code;
}

static int carry_out(const struct pl_args *args, struct pl_store *store, const struct doomed *doomed,
                     struct pl_error *err)
{
    struct pl_deleted deleted = {0};
    struct pl_text folders = {0};
    size_t removed = 0;
    int64_t recovered;
    pl_args_folders(args, &folders);
    int status = pl_store_recover(store, &recovered, err); /* runs of a sweep that died are not at work */
    if (!status && doomed->keep)
        status = pl_store_thin(store, doomed->runs, doomed->count, doomed->keep, &deleted, err);
    else if (!status)
        status = pl_sweep_delete(store, doomed->runs, doomed->count, doomed->study, pl_text(&folders), &deleted,
                                 &removed, err);
    pl_text_release(&folders);
    if (status)
        return status;
    if (doomed->keep)
        printf("%" PRId64 " values of %" PRId64 " run%s deleted\n", deleted.values, deleted.runs,
               deleted.runs == 1 ? "" : "s");
    else
        printf("%" PRId64 " run%s, %" PRId64 " values and %zu folder%s deleted\n", deleted.runs,
               deleted.runs == 1 ? "" : "s", deleted.values, removed, removed == 1 ? "" : "s");
    return 0;
}

static int run(const struct pl_args *args)
{
    struct pl_store *store = NULL;
    struct pl_error err = {0};
    struct doomed doomed = {0};
    int code = pl_cmd_open(args, &store);
    if (!code)
        code = choose(args, store, &doomed);
    pl_store_close(store);
    store = NULL;
    if (!code && pl_store_open(&store, pl_args_db(args), PL_STORE_WRITE, &err))
        code = pl_cmd_fail(args, &err);
    if (!code)
        code = ask(args, store, &doomed);
    if (!code && carry_out(args, store, &doomed, &err))
        code = pl_cmd_fail(args, &err);
    pl_store_close(store);
    free(doomed.runs);
    return code;
}

static const struct pl_option options[] = {
    PL_PICK_OPTIONS,
    {.name = "keep-curves", .argument = "N", .help = "keep the runs, and about N points of each of their curves"},
    {.name = "yes", .letter = 'y', .help = "do not ask"},
};

const struct pl_command pl_cmd_delete = {
    .name = "delete",
    .summary = "delete runs, studies or points of old curves",
    .arguments = "[RUN|CONDITION...]",
    .description = "Takes runs by number, by the beginning of their key, or all that meet every condition: what "
                   "--where takes, as an "
                   "argument, and the options. Says how much that is and asks first. Runs go with everything that "
                   "belongs to them, "
                   "their folders included, also from other studies that hold them; --study NAME alone deletes the "
                   "study, and those of "
                   "its runs that no other study holds. Runs at work are not deleted. All in one transaction.\n"
                   "--keep-curves N thins curves instead: evenly, but no value goes at which a metric of the run was "
                   "best or last, so "
                   "that tables stay what they are. 'poula vacuum' gives the space back to the disk.",
    .example = "poula delete --study toy-default optimizer=sgd --yes",
    PL_OPTIONS(options),
    .most = 100000,
    .run = run,
};
