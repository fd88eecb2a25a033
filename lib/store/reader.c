/* Who only reads leaves no trace: nothing stands beside the file afterwards, and nobody is kept from writing to it. */
#include "store_priv.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOG_VERSION = 2, AT_READ_VERSION = 19 }; /* of SQLite's header: its file is read with a log */

static bool look_at_log(const char *path, struct stat *log)
{
    struct pl_text name = {0};
    pl_text_addf(&name, "%s-wal", path);
    bool there = !stat(pl_text(&name), log);
    pl_text_release(&name);
    return there;
}

static bool may_write(const char *path)
{
    return !faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
}

/* ---- files that are read as they stand ---- */

bool pl_store_would_disturb(const struct pl_store *store)
{
    struct stat log;
    unsigned char version = 0;
    sqlite3 *db = NULL;
    sqlite3_file *file = NULL;
    if (may_write(store->path) || look_at_log(store->path, &log))
        return false;
    /* Through SQLite: closing a descriptor of our own would drop the locks of other connections of this process. */
    if (sqlite3_open_v2(store->name, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
        sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK && file && file->pMethods &&
        file->pMethods->xRead(file, &version, 1, AT_READ_VERSION) != SQLITE_OK)
        version = 0;
    sqlite3_close(db);
    return version == LOG_VERSION;
}

int pl_store_connect_frozen(struct pl_store *store, struct pl_error *err)
{
    struct pl_text name = {0};
    struct stat log;
    int status;
    pl_text_add(&name, "file:");
    for (const char *c = store->name; *c; c++)
        pl_text_addf(&name, strchr("?#%", *c) ? "%%%02X" : "%c", (unsigned char)*c);
    pl_text_add(&name, "?immutable=1");
    store->frozen = !look_at_log(store->path, &log) || !log.st_size; /* a log that is left over tells of a writer */
    if (store->frozen)
        status = pl_store_connect(store, pl_text(&name), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
    else
        status = pl_fail(err, PL_EDATABASE, "cannot read %s: its folder is read-only and a sweep did not close it",
                         store->path);
    pl_text_release(&name);
    return status;
}

static bool is_as_it_was(const struct pl_store *store)
{
    const struct stat *was = &store->seen;
    struct stat now;
    return !stat(store->path, &now) && now.st_dev == was->st_dev && now.st_ino == was->st_ino &&
           now.st_size == was->st_size && now.st_mtim.tv_sec == was->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

int pl_store_check_frozen(const struct pl_store *store, struct pl_error *err)
{
    if (!store->frozen || is_as_it_was(store))
        return 0;
    return pl_fail(err, PL_EDATABASE,
                   "%s was written to while it was read, and nothing can keep it as it is where it may only be read; "
                   "try again",
                   store->path);
}

bool pl_store_is_stale(const struct pl_store *store)
{
    struct stat now, log;
    if (stat(store->path, &now) || now.st_dev != store->seen.st_dev || now.st_ino != store->seen.st_ino)
        return true;
    return (store->frozen || store->copied) &&
           (!is_as_it_was(store) || (look_at_log(store->path, &log) && log.st_size));
}

/* ---- what is left beside a file ---- */

void pl_store_tidy(const struct pl_store *store)
{
    struct stat log;
    sqlite3 *db = NULL;
    if (!look_at_log(store->path, &log) || log.st_size || !may_write(store->path))
        return;
    if (sqlite3_open_v2(store->name, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK)
        sqlite3_exec(db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
    sqlite3_close(db);
}
