/* Snapshots, and the check that a database is whole. */
#include "store_priv.h"

#include "base/leftover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A log beside path belongs to a database that is open or was not closed; SQLite would apply it to
 * whatever file gets that name. */
static int check_target(struct pl_store *store, const char *path, struct pl_error *err)
{
    struct stat ours, theirs;
    if (!stat(store->path, &ours) && !stat(path, &theirs) && ours.st_dev == theirs.st_dev &&
        ours.st_ino == theirs.st_ino)
        return pl_fail(err, PL_EINPUT, "%s is the database itself", path);
    static const char *const endings[] = {"-wal", "-journal"};
    int status = 0;
    struct pl_text name = {0};
    for (size_t i = 0; !status && i < 2; i++) {
        pl_text_clear(&name);
        pl_text_addf(&name, "%s%s", path, endings[i]);
        if (!stat(pl_text(&name), &theirs) && theirs.st_size)
            status = pl_fail(err, PL_EINPUT, "%s is a database in use (%s is there)", path, pl_text(&name));
    }
    pl_text_release(&name);
    return status;
}

int pl_store_copy_pages(struct pl_store *store, struct pl_store *copy, struct pl_error *err)
{
    sqlite3_backup *backup = sqlite3_backup_init(copy->db, "main", store->db, "main");
    if (!backup)
        return pl_store_fail(copy, "write to", err);
    int code;
    for (int tries = 0;; tries++) {
        code = sqlite3_backup_step(backup, -1);
        if (code != SQLITE_BUSY && code != SQLITE_LOCKED)
            break;
        if (tries >= store->patience * 20)
            break;
        sqlite3_sleep(50);
    }
    sqlite3_backup_finish(backup);
    if (code == SQLITE_DONE)
        return 0;
    return (sqlite3_errcode(store->db) & 0xFF) == (code & 0xFF) && code != SQLITE_FULL
               ? pl_store_fail(store, "read", err)
               : pl_store_fail(copy, "write to", err);
}

/* The copy is one file without a log, so that it can be moved and read from anywhere. */
static int write_copy(struct pl_store *store, const char *name, struct pl_error *err)
{
    struct pl_store copy = {.path = pl_copy(name), .mode = PL_STORE_WRITE, .patience = store->patience};
    int status = 0;
    struct pl_text plain = {0};
    pl_store_plain_name(name, &plain);
    int code = sqlite3_open_v2(pl_text(&plain), &copy.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    pl_text_release(&plain);
    if (code != SQLITE_OK)
        status = pl_store_fail(&copy, "open", err);
    if (!status)
        status = pl_store_script(&copy, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF", err);
    if (!status)
        status = pl_store_copy_pages(store, &copy, err);
    if (!status)
        status = pl_store_script(&copy, "PRAGMA journal_mode = DELETE", err);
    sqlite3_close(copy.db);
    free(copy.path);
    return status;
}

/* SQLite writes into a file by name. What cannot be replaced gets the bytes of one in $TMPDIR. */
static int write_through(struct pl_store *store, const struct pl_output *output, int *problem, struct pl_error *err)
{
    const char *folder = getenv("TMPDIR");
    struct pl_text name = {0};
    char block[65536];
    ssize_t n = 0;
    pl_text_addf(&name, "%s/poula-backup.", folder && *folder ? folder : "/tmp");
    int file = pl_leftover_file(&name, 0600);
    if (file < 0) {
        int status = pl_fail(err, PL_EIO, "cannot write %s: %s", pl_text(&name), strerror(errno));
        pl_text_release(&name);
        return status;
    }
    int status = write_copy(store, pl_text(&name), err);
    while (!status && !*problem && (n = read(file, block, sizeof block)) > 0)
        *problem = pl_output_write(output, block, (size_t)n);
    if (n < 0)
        *problem = errno;
    close(file);
    unlink(pl_text(&name));
    pl_leftover_drop(pl_text(&name));
    pl_text_release(&name);
    return status;
}

int pl_store_backup(struct pl_store *store, const char *path, struct pl_error *err)
{
    struct pl_output output;
    struct pl_error trouble = {0};
    int status = pl_store_check_name(path, err), problem = 0;
    if (!status)
        status = check_target(store, path, err);
    if (!status)
        status = pl_store_examine(store, err); /* a copy of what is damaged would take the place of a good one */
    if (!status)
        status = pl_output_open(&output, path, PL_OUTPUT_DATABASE, err);
    if (status)
        return status;
    status = output.temporary ? write_copy(store, output.temporary, &trouble)
                              : write_through(store, &output, &problem, &trouble);
    if (!status)
        return pl_output_close(&output, true, problem, err);
    pl_output_close(&output, false, 0, NULL);
    return pl_fail(err, status, "cannot write %s: %s", path, trouble.text);
}

/* ---- the check ---- */

int pl_store_examine(struct pl_store *store, struct pl_error *err)
{
    enum { MOST = 200 << 20 }; /* bytes: 119 MB of curves take 0.6 s of processor time */
    struct stat info;
    sqlite3_stmt *row;
    if (stat(store->path, &info) || info.st_size > MOST)
        return 0;
    /* Pages and rows are looked at. The tables' constraints, which take eight times as long, are not: a value that
     * breaks one is met where it is read. */
    int status = pl_store_script(store, "PRAGMA ignore_check_constraints = ON", err);
    if (!status)
        status = pl_store_prepare(store, "PRAGMA quick_check(1)", &row, err);
    if (status)
        return status;
    status = pl_store_next(store, row, err);
    if (!status) {
        const char *text = (const char *)sqlite3_column_text(row, 0);
        if (!text || strcmp(text, "ok"))
            status = pl_fail(err, PL_ECORRUPT,
                             "%s is damaged (%.200s), and nothing was written; restore it from a backup or "
                             "move it away",
                             store->path, text ? text : "it cannot be checked");
    }
    sqlite3_finalize(row);
    if (sqlite3_exec(store->db, "PRAGMA ignore_check_constraints = OFF", NULL, NULL, NULL) != SQLITE_OK && status >= 0)
        status = pl_store_fail(store, "use", err);
    return status;
}

/* Adds a line for each row of a statement's answer. */
static int list_rows(struct pl_store *store, const char *sql, const char *what, struct pl_text *problems,
                     struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_prepare(store, sql, &row, err);
    if (status)
        return status;
    while (!(status = pl_store_next(store, row, err))) {
        const char *text = (const char *)sqlite3_column_text(row, 0);
        if (!text || strcmp(text, "ok"))
            pl_text_addf(problems, "%s%s\n", what, text ? text : "?");
    }
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

int pl_store_check(struct pl_store *store, struct pl_text *problems, struct pl_error *err)
{
    static const struct {
        const char *what, *sql;
    } rules[] = {
        {"", "PRAGMA integrity_check(100)"},
        {"a reference leads nowhere in table ",
         "SELECT \"table\" || ', row ' || coalesce(rowid, '?') || ', to ' || parent"
         " FROM pragma_foreign_key_check LIMIT 100"},
        {"recorded values belong to no run: ", "SELECT DISTINCT run FROM metric WHERE run NOT IN (SELECT id FROM run)"
                                               " LIMIT 100"},
        {"recorded values belong to no metric: ", "SELECT DISTINCT series FROM metric WHERE series NOT IN"
                                                  " (SELECT id FROM series) LIMIT 100"},
        {"a closed sweep still holds run ", "SELECT r.id FROM run AS r JOIN session AS s ON s.id = r.session"
                                            " WHERE s.ended IS NOT NULL LIMIT 100"},
        {"the attempts are miscounted of run ", "SELECT id FROM run WHERE attempts <> (SELECT count(*) FROM attempt"
                                                " WHERE run = id) LIMIT 100"},
        {"the status is not that of the last attempt of run ",
         "SELECT r.id FROM run AS r LEFT JOIN attempt AS a ON a.run = r.id AND a.number = r.attempts"
         " WHERE r.status IN (2, 3, 4, 5) AND a.outcome IS NOT r.status LIMIT 100"},
        {"there are results of another status for run ",
         "SELECT DISTINCT v.run FROM result AS v JOIN run AS r ON r.id = v.run WHERE v.status <> r.status LIMIT 100"},
        {"a sweep has another configuration or seed for run ",
         "SELECT x.run FROM sweep_run AS x JOIN run AS r ON r.id = x.run WHERE x.config <> r.config OR x.seed <> r.seed"
         " LIMIT 100"},
        {"settings and columns differ of configuration ",
         "SELECT id FROM config WHERE NOT EXISTS (SELECT 1 FROM setting WHERE config = id) AND settings <> '{}'"
         " LIMIT 100"},
    };
    int status = 0;
    for (size_t i = 0; !status && i < sizeof rules / sizeof *rules; i++)
        status = list_rows(store, rules[i].sql, rules[i].what, problems, err);
    return status;
}
