#include "answer.h"
#include "sweep/sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

/* With what stands in the log beside it while it is in use. */
static int64_t file_bytes(const char *path)
{
    struct pl_text log = {0};
    struct stat info;
    pl_text_addf(&log, "%s-wal", path);
    int64_t bytes = stat(path, &info) ? 0 : (int64_t)info.st_size;
    bytes += stat(pl_text(&log), &info) ? 0 : (int64_t)info.st_size;
    pl_text_release(&log);
    return bytes;
}

static int run(const struct pl_args *args)
{
    struct pl_store *store = NULL;
    struct pl_error err = {0};
    struct pl_text folders = {0};
    const char *db = pl_args_db(args);
    uint64_t bytes = 0;
    size_t removed = 0;
    int code = pl_cmd_open(args, &store); /* says where there is none, instead of making one */
    pl_store_close(store);
    store = NULL;
    if (code)
        return code;
    pl_args_folders(args, &folders);
    int64_t before = file_bytes(db);
    int status = pl_store_open(&store, db, PL_STORE_WRITE, &err);
    if (!status)
        status = pl_sweep_clear(store, pl_text(&folders), pl_args_has(args, "attempts"), &removed, &bytes, &err);
    if (!status)
        status = pl_store_vacuum(store, &err);
    pl_store_close(store);
    pl_text_release(&folders);
    if (status)
        return pl_cmd_fail(args, &err);
    printf("%zu folder%s of %.1f MB removed; the database has %.1f MB, and had %.1f MB\n", removed,
           removed == 1 ? "" : "s", (double)bytes / 1e6, (double)file_bytes(db) / 1e6, (double)before / 1e6);
    return 0;
}

static const struct pl_option options[] = {
    {.name = "attempts", .help = "also remove the folders of superseded attempts (RUN.attempt-N)"},
};

const struct pl_command pl_cmd_vacuum = {
    .name = "vacuum",
    .summary = "give back the space of what was deleted, and remove folders of runs that are gone",
    .description =
        "Removes the folders (weights, checkpoints, files of programs) of runs that the database does not hold any "
        "more, forgets metrics of which no value is left, and makes the file as small as it can be. It needs as much "
        "free space as the database has. Folders without poula's mark are left alone.",
    .example = "poula vacuum --attempts",
    PL_OPTIONS(options),
    .run = run,
};
