/* Commands that read a database first take in what tasks of a cluster have reported since. */
#include "collect.h"

#include "sweep/batch/batch.h"
#include "sweep/batch/collect.h"

static const double patience = 1; /* seconds that a reader waits for a writer */

static bool has_open(const char *db)
{
    struct pl_submissions open = {0};
    struct pl_store *store = NULL;
    struct pl_error err = {0};
    bool any = !pl_store_open(&store, db, PL_STORE_READ, &err) && !pl_submissions_read(&open, store, true, &err) &&
               open.count;
    pl_submissions_release(&open);
    pl_store_close(store);
    return any;
}

void pl_cmd_collect(const struct pl_args *args)
{
    struct pl_store *store = NULL;
    struct pl_collected collected = {0};
    struct pl_error err = {0};
    if (pl_args_has(args, PL_NO_COLLECT_NAME) || !has_open(pl_args_db(args)))
        return;
    int status = pl_store_open(&store, pl_args_db(args), PL_STORE_WRITE, &err);
    if (!status) {
        pl_store_set_patience(store, patience, NULL, NULL);
        status = pl_batch_collect_all(store, 0, &collected, &err);
    }
    pl_store_close(store);
    if (status)
        pl_cmd_note("poula %s: what tasks have reported since is not in this: %s", args->command->name, err.text);
}
