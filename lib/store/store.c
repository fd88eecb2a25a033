/* Opening, waiting and transactions. */
#include "store_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

static const double default_patience = 120;

/* SQLite calls this while another process holds the lock it needs. */
static int busy(void *self, int tries)
{
    struct pl_store *store = self;
    double now = pl_clock_steady();
    if (!tries)
        store->wait_start = store->wait_told = now;
    double waited = now - store->wait_start;
    if (waited >= store->patience)
        return 0;
    if (store->waiting && now - store->wait_told >= 1) {
        store->wait_told = now;
        if (!store->waiting(store->waiting_self, waited))
            return 0;
    }
    long milliseconds = tries < 5 ? 1L << tries : 25;
    nanosleep(&(struct timespec){0, milliseconds * 1000000}, NULL);
    return 1;
}

void pl_store_set_patience(struct pl_store *store, double seconds, bool (*waiting)(void *self, double waited),
                           void *self)
{
    store->patience = seconds;
    store->waiting = waiting;
    store->waiting_self = self;
}

/* ---- transactions ---- */

static void forget_marks(struct pl_store *store)
{
    store->series_known = store->views_stale = false;
    store->key_count = store->planned.count = store->claimed.count = 0;
}

int pl_store_begin(struct pl_store *store, struct pl_error *err)
{
    /* Into a file without a name SQLite writes on, and everything would be lost with exit code 0. It may have lost its
     * name while another process held the lock. */
    int moved = 0, status = pl_store_exec(store, err, PL_SQL_BEGIN, "");
    if (status)
        return status;
    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (!moved)
        return 0;
    pl_store_rollback(store);
    return pl_fail(err, PL_EDATABASE, "%s was moved or deleted while it was open", store->path);
}

int pl_store_commit(struct pl_store *store, struct pl_error *err)
{
    if (sqlite3_get_autocommit(store->db))
        return pl_fail(err, PL_EDATABASE, "the changes to %s were rolled back after an error", store->path);
    int status = store->views_stale ? pl_store_make_views(store, err) : 0;
    return status ? status : pl_store_exec(store, err, PL_SQL_COMMIT, "");
}

void pl_store_rollback(struct pl_store *store)
{
    /* What was numbered in this transaction may not exist any more. */
    forget_marks(store);
    if (!sqlite3_get_autocommit(store->db))
        pl_store_exec(store, NULL, PL_SQL_ROLLBACK, "");
}

int pl_store_write_enter(struct pl_store *store, bool *own, struct pl_error *err)
{
    *own = sqlite3_get_autocommit(store->db);
    return *own ? pl_store_begin(store, err) : 0;
}

int pl_store_write_leave(struct pl_store *store, bool own, int status, struct pl_error *err)
{
    if (!own)
        return status;
    int committed = status < 0 ? status : pl_store_commit(store, err);
    if (committed < 0)
        pl_store_rollback(store);
    return committed < 0 ? committed : status;
}

/* All but the names. */
static void release(struct pl_store *store)
{
    if (store->db && !sqlite3_get_autocommit(store->db))
        pl_store_rollback(store);
    for (size_t i = 0; i < PL_SQL_COUNT; i++)
        sqlite3_finalize(store->statements[i]);
    for (size_t i = 0; i <= PL_STORE_BLOCK; i++)
        sqlite3_finalize(store->blocks[i]);
    sqlite3_finalize(store->config_add);
    sqlite3_close(store->db);
    free(store->series);
    free(store->keys);
    free(store->config_sql);
    free(store->planned.marks);
    free(store->claimed.marks);
    free(store->points);
    free(store->pulses);
    free(store->sweeps);
    free(store->metrics);
    pl_pool_release(&store->key_pool);
    pl_pool_release(&store->series_pool);
    pl_pool_release(&store->texts);
}

/* ---- opening ---- */

/* File systems over which SQLite's shared memory, and so WAL, does not work. */
static bool network_file_system(const char *path)
{
    static const unsigned long types[] = {
        0x6969 /* NFS */,        0x517B /* SMB */,
        0xFF534D42 /* CIFS */,   0xFE534D42 /* SMB2 */,
        0x00C36400 /* Ceph */,   0x0BD00BD0 /* Lustre */,
        0x47504653 /* GPFS */,   0x5346414F /* AFS */,
        0x65735546 /* FUSE */,   0x01021997 /* 9p */,
        0x01161970 /* GFS2 */,   0x7461636F /* OCFS2 */,
        0x19830326 /* BeeGFS */, 0x786F4256 /* VirtualBox */,
        0xAAD7AAEA /* PanFS */,  0x73757245 /* Coda */,
    };
    struct statfs info;
    if (statfs(path, &info))
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if ((unsigned long)info.f_type == types[i])
            return true;
    return false;
}

/* Changing the journal mode needs the file alone, and SQLite does not wait for that by itself. */
static int choose_journal(struct pl_store *store, struct pl_error *err)
{
    bool wal = !network_file_system(store->path);
    for (int tries = 0;; tries++) {
        sqlite3_stmt *statement;
        int status = pl_store_prepare(store, wal ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE",
                                      &statement, err);
        if (status)
            return status;
        int code = sqlite3_step(statement);
        bool done = code == SQLITE_ROW;
        if (done)
            wal = !strcmp((const char *)sqlite3_column_text(statement, 0), "wal");
        sqlite3_finalize(statement);
        if (done)
            break;
        if ((code & 0xFF) != SQLITE_BUSY || !busy(store, tries))
            return pl_store_fail(store, "use", err);
    }
    /* With WAL a crash of the machine loses at most the newest commits at NORMAL; a rollback journal needs FULL. */
    return pl_store_script(store, wal ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL", err);
}

/* Is this a database of ours, and of which version? An empty file is version 0. */
static int recognise(struct pl_store *store, int64_t *version, struct pl_error *err)
{
    int64_t application = 0, objects = 0;
    int status = pl_store_integer(store, "PRAGMA application_id", &application, err);
    if (!status)
        status = pl_store_integer(store, "PRAGMA user_version", version, err);
    if (!status)
        status = pl_store_integer(store, "SELECT count(*) FROM sqlite_schema", &objects, err);
    if (status)
        return status;
    if (application != PL_STORE_APPLICATION && (application || *version || objects))
        return pl_fail(err, PL_ECORRUPT, "%s is an SQLite database, but not one of poula's", store->path);
    if (*version < 0)
        return pl_fail(err, PL_ECORRUPT, "%s is damaged, or was not made by poula: its schema has the version %lld",
                       store->path, (long long)*version);
    if (*version > pl_store_version)
        return pl_fail(err, PL_EVERSION,
                       "%s was written by a newer poula (schema %lld; this one knows up to %d): use that version",
                       store->path, (long long)*version, pl_store_version);
    return 0;
}

int pl_store_check_name(const char *path, struct pl_error *err)
{
    if (!*path)
        return pl_fail(err, PL_EINPUT, "the name of a database is empty");
    if (!strcmp(path, ":memory:") || !strncmp(path, "file:", 5))
        return pl_fail(err, PL_EINPUT,
                       "%s is not the name of a file, and a database has to be one; if a file has that name, "
                       "write ./%s",
                       path, path);
    return 0;
}

void pl_store_plain_name(const char *path, struct pl_text *name)
{
    pl_text_clear(name);
    pl_text_addf(name, "%s%s", *path == '/' ? "" : "./", path);
}

int pl_store_connect(struct pl_store *store, const char *name, int flags, struct pl_error *err)
{
    sqlite3_close(store->db);
    store->db = NULL;
    if (sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL) != SQLITE_OK)
        return pl_store_fail(store, "open", err);
    sqlite3_busy_handler(store->db, busy, store);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return pl_store_script(store,
                           "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = OFF;"
                           "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY",
                           err);
}

/* What is no file would be waited for, or written to. */
static int check_kind(const struct pl_store *store, struct pl_error *err)
{
    struct stat info;
    if (stat(store->path, &info) || S_ISREG(info.st_mode))
        return 0;
    return pl_fail(err, PL_EDATABASE, "%s cannot be a database: it is %s", store->path, pl_file_kind(info.st_mode));
}

/* SQLite would give a new file no more than 0644, whatever the umask grants a group. */
static void create_file(struct pl_store *store)
{
    int file = open(store->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    store->made = file >= 0;
    if (file >= 0)
        close(file);
}

static int make_folder(struct pl_store *store, struct pl_error *err)
{
    struct pl_text folder = {0};
    const char *slash = strrchr(store->path, '/');
    pl_text_add_bytes(&folder, store->path, slash ? (size_t)(slash - store->path) : 0);
    bool there = !folder.length || pl_file_exists(pl_text(&folder));
    int status = pl_folder_make_parent(store->path, err);
    store->made_folder = !status && !there;
    pl_text_release(&folder);
    return status;
}

static int open_write(struct pl_store *store, struct pl_error *err)
{
    int64_t version = 0;
    int status = check_kind(store, err);
    if (!status)
        status = make_folder(store, err);
    if (!status)
        create_file(store);
    if (!status)
        status = pl_store_connect(store, store->name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);
    if (!status)
        status = recognise(store, &version, err);
    if (!status)
        status = pl_store_examine(store, err);
    if (!status && version == pl_store_version)
        status = pl_store_check_shape(store, err);
    if (!status)
        status = choose_journal(store, err);
    if (!status && version < pl_store_version)
        status = pl_store_migrate(store, err);
    return status ? status : pl_store_renew_views(store, err);
}

/* An older schema lacks what is asked for below. Who only reads does not change the file, so it gets a copy, which
 * SQLite keeps in memory and, when it is large, in a temporary file without a name. */
static int read_migrated(struct pl_store *store, struct pl_error *err)
{
    struct pl_store copy = {.path = store->path, .mode = PL_STORE_WRITE, .patience = store->patience};
    int status = pl_store_examine(store, err);
    if (!status)
        status = pl_store_connect(&copy, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);
    if (!status)
        status = pl_store_copy_pages(store, &copy, err);
    if (!status)
        status = pl_store_migrate(&copy, err);
    if (!status)
        status = pl_store_script(&copy, "PRAGMA query_only = ON", err);
    if (!status) {
        sqlite3_close(store->db);
        store->db = copy.db;
        sqlite3_busy_handler(store->db, busy, store);
        copy.db = NULL;
        store->copied = true;
    }
    release(&copy);
    return status;
}

/* There is nothing in it, not even tables. */
static int fail_empty(const struct pl_store *store, struct pl_error *err)
{
    if (!store->seen.st_size)
        return pl_fail(err, PL_EMISSING, "%s is empty: 'poula sweep SPEC' fills it", store->path);
    return pl_fail(err, PL_EMISSING,
                   "%s holds nothing: if it is a copy of a database that was in use, what it lacks stands in the file "
                   "-wal beside the original, and 'poula backup' makes a whole copy",
                   store->path);
}

static int open_read(struct pl_store *store, struct pl_error *err)
{
    int64_t version = 0;
    int problem = stat(store->path, &store->seen) ? errno : 0;
    if (problem == ENOENT || problem == ENOTDIR)
        return pl_fail(err, PL_EMISSING, "there is no database %s: 'poula sweep SPEC' makes one", store->path);
    if (problem)
        return pl_fail(err, PL_EDATABASE, "cannot open %s: %s", store->path, strerror(problem));
    int status = check_kind(store, err);
    if (status)
        return status;
    status = pl_store_would_disturb(store) ? pl_store_connect_frozen(store, err)
                                           : pl_store_connect(store, store->name, SQLITE_OPEN_READONLY, err);
    if (!status)
        status = recognise(store, &version, err);
    int code = sqlite3_errcode(store->db) & 0xFF;
    if (status == PL_EDATABASE && !store->frozen && (code == SQLITE_CANTOPEN || code == SQLITE_READONLY) &&
        !pl_store_connect_frozen(store, err))
        status = recognise(store, &version, err);
    if (!status && !version)
        return fail_empty(store, err);
    if (!status && version < pl_store_version)
        status = read_migrated(store, err);
    return status ? status : pl_store_renew_views(store, err);
}

/* SQLite counts its memory under a lock of the whole process, for statistics that nobody here asks for. A database that
 * is merged is attached by a name that says that it is only read; files that users name never look like such names. */
static void configure(void)
{
    sqlite3_config(SQLITE_CONFIG_URI, 1);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

int pl_store_open(struct pl_store **store, const char *path, enum pl_store_mode mode, struct pl_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, configure);
    *store = NULL;
    int status = pl_store_check_name(path, err);
    if (status)
        return status;
    struct pl_store *made = pl_new(sizeof *made);
    struct pl_text name = {0};
    pl_store_plain_name(path, &name);
    made->path = pl_copy(path);
    made->name = pl_text_take(&name);
    made->mode = mode;
    made->patience = default_patience;
    const char *wish = getenv("POULA_PATIENCE"); /* seconds; for tests and for batch systems */
    if (wish && !(pl_number_read(wish, &made->patience) && made->patience >= 0))
        made->patience = default_patience;
    status = mode == PL_STORE_WRITE ? open_write(made, err) : open_read(made, err);
    if (status) {
        pl_store_discard(made);
        made = NULL;
    }
    *store = made;
    return status;
}

void pl_store_close(struct pl_store *store)
{
    if (!store)
        return;
    release(store);
    if (store->mode == PL_STORE_READ && !store->frozen)
        pl_store_tidy(store);
    free(store->path);
    free(store->name);
    free(store);
}

/* Nobody else has begun to use it: its lock is ours, and no study or run is in it. */
static bool holds_nothing(struct pl_store *store)
{
    int64_t rows = 0;
    if (!store->db)
        return true;
    pl_store_rollback(store);
    store->patience = 0;
    if (pl_store_exec(store, NULL, PL_SQL_BEGIN, ""))
        return (sqlite3_errcode(store->db) & 0xFF) != SQLITE_BUSY;
    return pl_store_integer(store, "SELECT (SELECT count(*) FROM sweep) + (SELECT count(*) FROM run)", &rows, NULL) ||
           !rows;
}

void pl_store_discard(struct pl_store *store)
{
    static const char *const endings[] = {"-wal", "-shm", "-journal", ""};
    struct pl_text name = {0};
    if (store && store->made && holds_nothing(store)) {
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
            pl_text_clear(&name);
            pl_text_addf(&name, "%s%s", store->path, endings[i]);
            unlink(pl_text(&name));
        }
        char *slash = strrchr(name.text, '/');
        if (store->made_folder && slash) {
            *slash = '\0';
            rmdir(pl_text(&name));
        }
    }
    pl_text_release(&name);
    pl_store_close(store);
}
