/* Which program the results of runs are of, and runs that are wanted anew. */
#include "store_priv.h"

#include <stdlib.h>
#include <string.h>

static int find_program(struct pl_store *store, const struct pl_program *program, int64_t *id, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_PROGRAM_FIND, &row, "b", program->digest);
    if (status)
        return status;
    *id = sqlite3_column_int64(row, 0);
    sqlite3_reset(row);
    return 0;
}

static int put_program(struct pl_store *store, const struct pl_program *p, int64_t *id, struct pl_error *err)
{
    int status = find_program(store, p, id, err);
    if (status <= 0)
        return status;
    status = pl_store_exec(store, err, PL_SQL_PROGRAM_ADD, "bssssi", p->digest, p->folder, p->file, p->files, p->commit,
                           (int64_t)p->dirty);
    *id = sqlite3_last_insert_rowid(store->db);
    return status;
}

int pl_store_put_program(struct pl_store *store, const struct pl_program *program, int64_t *id, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    return status ? status : pl_store_write_leave(store, own, put_program(store, program, id, err), err);
}

static char *text_of(sqlite3_stmt *row, int column)
{
    return pl_copy((const char *)sqlite3_column_text(row, column));
}

int pl_store_program(struct pl_store *store, int64_t id, struct pl_program *program, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_PROGRAM_READ, &row, "i", id);
    if (status)
        return status < 0
                   ? status
                   : pl_fail(err, PL_ECORRUPT, "%s is damaged: program %lld is gone", store->path, (long long)id);
    *program = (struct pl_program){.folder = text_of(row, 0),
                                   .file = text_of(row, 1),
                                   .files = text_of(row, 2),
                                   .commit = text_of(row, 3),
                                   .dirty = sqlite3_column_int(row, 4)};
    const void *digest = sqlite3_column_blob(row, 5);
    if (digest && sqlite3_column_bytes(row, 5) == PL_DIGEST_SIZE)
        memcpy(program->digest, digest, PL_DIGEST_SIZE);
    if (!program->folder || !program->files || !digest)
        status = pl_fail(err, PL_ECORRUPT, "%s is damaged: program %lld cannot be read", store->path, (long long)id);
    sqlite3_reset(row);
    if (status)
        pl_store_program_release(program);
    return status;
}

void pl_store_program_release(struct pl_program *program)
{
    free(program->folder);
    free(program->file);
    free(program->files);
    free(program->commit);
    *program = (struct pl_program){0};
}

int pl_store_origin(struct pl_store *store, const unsigned char key[PL_DIGEST_SIZE], struct pl_origin *origin,
                    struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_ORIGIN, &row, "b", key);
    if (status)
        return status;
    *origin = (struct pl_origin){.run = sqlite3_column_int64(row, 0),
                                 .status = (enum pl_status)sqlite3_column_int(row, 1),
                                 .program = sqlite3_column_int64(row, 2),
                                 .started = sqlite3_column_double(row, 3)};
    sqlite3_reset(row);
    return 0;
}

int pl_store_accept(struct pl_store *store, int64_t older, int64_t newer, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    return pl_store_write_leave(store, own, pl_store_exec(store, err, PL_SQL_ACCEPT, "ii", older, newer), err);
}

int pl_store_is_accepted(struct pl_store *store, int64_t older, const struct pl_program *newer, bool *accepted,
                         struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_ACCEPTED, &row, "ib", older, newer->digest);
    *accepted = !status;
    if (!status)
        sqlite3_reset(row);
    return status < 0 ? status : 0;
}

static int forget(struct pl_store *store, int64_t run, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_RUN_STATE, &row, "i", run);
    if (status)
        return status < 0 ? status : pl_fail(err, PL_EMISSING, "there is no run %lld", (long long)run);
    int state = sqlite3_column_int(row, 0);
    int64_t attempts = sqlite3_column_int64(row, 2);
    sqlite3_reset(row);
    if (state == PL_RUN_RUNNING || state == PL_RUN_PLANNED)
        return 1;
    status = pl_store_supersede(store, run, attempts, err);
    if (!status)
        status = pl_store_exec(store, err, PL_SQL_FORGET_POINTS, "i", run);
    if (!status)
        status = pl_store_exec(store, err, PL_SQL_FORGET_RESULTS, "i", run);
    if (!status)
        status = pl_store_exec(store, err, PL_SQL_FORGET_RUNGS, "i", run);
    if (!status)
        status = pl_store_exec(store, err, PL_SQL_FORGET_JUDGED, "i", run);
    return status ? status : pl_store_exec(store, err, PL_SQL_FORGET_RUN, "i", run);
}

int pl_store_forget(struct pl_store *store, int64_t run, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    return status ? status : pl_store_write_leave(store, own, forget(store, run, err), err);
}

int pl_store_each_length(struct pl_store *store, int (*each)(void *self, int64_t epochs), void *self,
                         struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_prepare(store,
                                  "SELECT DISTINCT value FROM setting WHERE key = 'epochs' AND type = 'integer'"
                                  " ORDER BY value DESC",
                                  &row, err);
    while (!status && !(status = pl_store_next(store, row, err)))
        status = each(self, sqlite3_column_int64(row, 0));
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

int pl_store_set_source(struct pl_store *store, int64_t run, const unsigned char source[PL_DIGEST_SIZE], double epoch,
                        struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_SOURCE_SET, "ibd", run, source, epoch);
    return pl_store_write_leave(store, own, status, err);
}

int pl_store_begun(struct pl_store *store, const struct pl_claim *claim, double time, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_BEGUN, "iid", claim->run, claim->token, time);
    return pl_store_write_leave(store, own, status, err);
}
