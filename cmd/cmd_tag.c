#include "pick.h"

#include <stdio.h>
#include <stdlib.h>

/* What the options say of one run. */
static int change_run(const struct pl_args *args, struct pl_store *store, int64_t run, bool *changed,
                      struct pl_error *err)
{
    const char *given;
    int status = 0;
    bool one = false;
    *changed = false;
    for (size_t i = 0; !status && (given = pl_args_nth(args, "add", i)); i++) {
        status = pl_store_tag(store, run, given, &one, err);
        *changed = *changed || one;
    }
    for (size_t i = 0; !status && (given = pl_args_nth(args, "remove", i)); i++) {
        status = pl_store_untag(store, run, given, &one, err);
        *changed = *changed || one;
    }
    if (!status && (given = pl_args_get(args, "note", NULL))) {
        status = pl_store_note(store, run, given, &one, err);
        *changed = *changed || one;
    }
    return status;
}

static int change_runs(const struct pl_args *args, struct pl_store *store, const int64_t *runs, size_t count,
                       struct pl_error *err)
{
    size_t changed = 0;
    int status = pl_store_begin(store, err);
    for (size_t i = 0; i < count && !status; i++) {
        bool one;
        status = change_run(args, store, runs[i], &one, err);
        changed += !status && one;
    }
    if (!status)
        status = pl_store_commit(store, err);
    if (status)
        pl_store_rollback(store);
    else
        printf("%zu of %zu run%s changed\n", changed, count, count == 1 ? "" : "s");
    return status;
}

static int run(const struct pl_args *args)
{
    struct pl_store *store = NULL;
    struct pl_error err = {0};
    int64_t *runs = NULL;
    size_t count = 0;
    if (!pl_args_has(args, "add") && !pl_args_has(args, "remove") && !pl_args_has(args, "note"))
        return pl_cmd_usage_error(args, "say what: --add NAME, --remove NAME or --note TEXT");
    int code = pl_cmd_open(args, &store);
    if (!code)
        code = pl_pick_runs(args, store, &runs, &count);
    pl_store_close(store);
    store = NULL;
    if (!code &&
        (pl_store_open(&store, pl_args_db(args), PL_STORE_WRITE, &err) || change_runs(args, store, runs, count, &err)))
        code = pl_cmd_fail(args, &err);
    pl_store_close(store);
    free(runs);
    return code;
}

static const struct pl_option options[] = {
    {.name = "add", .argument = "NAME", .help = "give the runs this tag", .repeats = true},
    {.name = "remove", .argument = "NAME", .help = "take this tag away", .repeats = true},
    {.name = "note",
     .argument = "TEXT",
     .help = "give the runs this note instead of the one they have; an empty one removes it"},
    PL_PICK_OPTIONS,
};

const struct pl_command pl_cmd_tag = {
    .name = "tag",
    .summary = "give runs tags and notes",
    .arguments = "[RUN|CONDITION...]",
    .description =
        "Takes runs by number, by the beginning of their key, or all that meet every condition: what --where takes, "
        "as an argument, and the options. Tags are words by which 'poula runs --tag' and others pick runs; tags "
        "and notes are columns of the view runs. A run keeps them when it is run again.",
    .example = "poula tag optimizer=sgd --study toy-default --add baseline --note \"plain steps\"",
    PL_OPTIONS(options),
    .most = 100000,
    .run = run,
};
