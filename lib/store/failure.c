/* SQLite's error codes as sentences for a person. */
#include "store_priv.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether this process may make files where path is. */
static bool folder_writable(const char *path)
{
    char *copy = pl_copy(path);
    bool writable = !access(dirname(copy), W_OK);
    free(copy);
    return writable;
}

static int full(const struct pl_store *store, int number, struct pl_error *err)
{
    return pl_fail(err, PL_EDATABASE, "cannot write to %s: %s; everything committed so far is kept", store->path,
                   number ? strerror(number) : "the disk is full");
}

static int input_output(struct pl_store *store, const char *doing, struct pl_error *err)
{
    int number = sqlite3_system_errno(store->db);
    if (number == ENOSPC || number == EFBIG || number == EDQUOT)
        return full(store, number, err);
    /* A commit is rolled back before it is reported, and the system's reason is forgotten on the way. */
    if (!number && sqlite3_extended_errcode(store->db) == SQLITE_IOERR_WRITE)
        return pl_fail(err, PL_EDATABASE,
                       "cannot write to %s: %s, most likely because the disk is full; everything "
                       "committed so far is kept",
                       store->path, sqlite3_errmsg(store->db));
    return pl_fail(err, PL_EDATABASE, "cannot %s %s: %s", doing, store->path,
                   number ? strerror(number) : sqlite3_errmsg(store->db));
}

/* Where writing is not allowed SQLite tries to open the file for reading, and then tells that there is none. */
static int cannot_open(struct pl_store *store, struct pl_error *err)
{
    int number = sqlite3_system_errno(store->db);
    if (number == ENOENT && store->mode == PL_STORE_WRITE && !folder_writable(store->path))
        number = EACCES;
    struct stat info;
    if (stat(store->path, &info) && errno == ELOOP)
        number = ELOOP;
    return pl_fail(err, PL_EDATABASE, "cannot open %s: %s", store->path,
                   number ? strerror(number) : "it is not a file that can be opened");
}

/* A file beside the database that is somebody else's: who read it with another program left it. */
static bool find_foreign(const struct pl_store *store, struct pl_text *name)
{
    static const char *const endings[] = {"-wal", "-shm"};
    bool found = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !found && !access(store->path, W_OK); i++) {
        pl_text_clear(name);
        pl_text_addf(name, "%s%s", store->path, endings[i]);
        found = access(pl_text(name), W_OK) && errno == EACCES;
    }
    return found;
}

static int read_only(const struct pl_store *store, int code, struct pl_error *err)
{
    struct pl_text beside = {0};
    if (store->mode == PL_STORE_READ && code == SQLITE_READONLY)
        return pl_fail(err, PL_EDATABASE, "%s was opened for reading only", store->path);
    if (code == SQLITE_READONLY_DBMOVED)
        return pl_fail(err, PL_EDATABASE, "%s was moved or deleted while it was open", store->path);
    bool foreign = find_foreign(store, &beside);
    int status = foreign ? pl_fail(err, PL_EDATABASE,
                                   "cannot write to %s: %s beside it may not be written; when nobody has the database "
                                   "open, that file can be removed",
                                   store->path, pl_text(&beside))
                         : pl_fail(err, PL_EDATABASE, "cannot write to %s: the file or its folder is read-only",
                                   store->path);
    pl_text_release(&beside);
    return status;
}

int pl_store_fail(struct pl_store *store, const char *doing, struct pl_error *err)
{
    int code = sqlite3_extended_errcode(store->db), changed = pl_store_check_frozen(store, err);
    if (changed)
        return changed;
    switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return pl_fail(err, PL_EDATABASE, "%s is locked by another process; gave up after %g s", store->path,
                       store->patience);
    case SQLITE_FULL:
        return full(store, sqlite3_system_errno(store->db), err);
    case SQLITE_IOERR:
        return input_output(store, doing, err);
    case SQLITE_READONLY:
        return read_only(store, code, err);
    case SQLITE_CANTOPEN:
        return cannot_open(store, err);
    case SQLITE_NOTADB:
        return pl_fail(err, PL_ECORRUPT, "%s is not a database", store->path);
    case SQLITE_CORRUPT:
        return pl_fail(err, PL_ECORRUPT, "%s is damaged (%s); restore it from a backup or move it away", store->path,
                       sqlite3_errmsg(store->db));
    case SQLITE_NOMEM:
        return pl_fail(err, PL_EMEMORY, "cannot %s %s: out of memory", doing, store->path);
    }
    return pl_fail(err, PL_EDATABASE, "cannot %s %s: %s", doing, store->path, sqlite3_errmsg(store->db));
}

int pl_store_fail_held(struct pl_store *store, int64_t run, struct pl_error *err)
{
    return pl_fail(err, PL_ECORRUPT, "%s is damaged: run %lld belongs to a sweep, and is not at work", store->path,
                   (long long)run);
}
