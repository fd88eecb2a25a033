#include "answer.h"

#include <string.h>

/* Reads the copy back and looks for anything wrong in it. */
static int check_copy(const struct pl_args *args, const char *path)
{
    struct pl_store *copy;
    struct pl_text problems = {0};
    struct pl_error err;
    int code = 0;
    if (pl_store_open(&copy, path, PL_STORE_READ, &err) || pl_store_check(copy, &problems, &err)) {
        code = pl_cmd_fail(args, &err);
    } else if (problems.length) {
        pl_cmd_note("poula backup: the copy %s shows what is wrong with the database:\n%s", path, pl_text(&problems));
        code = 1;
    }
    pl_text_release(&problems);
    pl_store_close(copy);
    return code;
}

static int run(const struct pl_args *args)
{
    const char *path = args->arguments[0];
    struct pl_store *store;
    struct pl_error err;
    int code = pl_cmd_open(args, &store);
    if (code)
        return code;
    bool in_place = pl_output_in_place(path);
    if (in_place && pl_args_has(args, "check"))
        code = pl_cmd_usage_error(args, "--check reads the copy back, which cannot be done of %s", path);
    else if (!in_place && pl_file_exists(path) && !pl_args_has(args, "force"))
        code = pl_cmd_usage_error(args, "%s exists; --force replaces it", path);
    else if (pl_store_backup(store, path, &err))
        code = pl_cmd_fail(args, &err);
    pl_store_close(store);
    if (!code && pl_args_has(args, "check"))
        code = check_copy(args, path);
    return code;
}

static const struct pl_option options[] = {
    {.name = "force", .help = "replace FILE if it exists"},
    {.name = "check", .help = "read the copy back and check it"},
};

const struct pl_command pl_cmd_backup = {
    .name = "backup",
    .summary = "copy the results database, also while a sweep writes to it",
    .arguments = "FILE",
    .description =
        "Writes a consistent copy of the database as one file, which can be moved, archived and used with "
        "--db like the original. FILE appears only when it is complete. A FIFO or /dev/stdout gets the copy's bytes.",
    .example = "poula backup results/2026-05-01.db --check",
    PL_OPTIONS(options),
    .least = 1,
    .most = 1,
    .run = run,
};
