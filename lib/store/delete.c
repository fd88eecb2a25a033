/* Deleting: runs with all that belongs to them (triggers of the schema see to that), studies, and values of old curves.
 */
#include "store_priv.h"

/* Runs that are meant stand in a temporary table, so that a million of them are no million statements. */
static int choose(struct pl_store *store, const int64_t *runs, size_t count, struct pl_error *err)
{
    sqlite3_stmt *add = NULL;
    int status = pl_store_script(store,
                                 "CREATE TEMP TABLE IF NOT EXISTS chosen (run INTEGER PRIMARY KEY);"
                                 "DELETE FROM temp.chosen",
                                 err);
    if (!status)
        status = pl_store_prepare(store, "INSERT OR IGNORE INTO temp.chosen VALUES (?1)", &add, err);
    for (size_t i = 0; i < count && !status; i++) {
        sqlite3_bind_int64(add, 1, runs[i]);
        if (sqlite3_step(add) != SQLITE_DONE)
            status = pl_store_fail(store, "use", err);
        sqlite3_reset(add);
    }
    sqlite3_finalize(add);
    return status;
}

/* The runs that no sweep of another study holds. */
static int choose_study(struct pl_store *store, const char *study, struct pl_error *err)
{
    static const char sql[] = "INSERT OR IGNORE INTO temp.chosen SELECT x.run FROM sweep AS w JOIN sweep_run AS x"
                              " ON x.sweep = w.id WHERE w.study = ?1 AND NOT EXISTS (SELECT 1 FROM sweep_run AS y"
                              " JOIN sweep AS v ON v.id = y.sweep WHERE y.run = x.run AND v.study <> ?1)";
    sqlite3_stmt *add = NULL;
    int status = choose(store, NULL, 0, err);
    if (!status)
        status = pl_store_prepare(store, sql, &add, err);
    if (status)
        return status;
    sqlite3_bind_text(add, 1, study, -1, SQLITE_STATIC);
    if (sqlite3_step(add) != SQLITE_DONE)
        status = pl_store_fail(store, "use", err);
    sqlite3_finalize(add);
    return status;
}

static int refuse_work(struct pl_store *store, struct pl_error *err)
{
    int64_t run = 0;
    int status = pl_store_integer(
        store, "SELECT id FROM run WHERE status = 1 AND id IN (SELECT run FROM temp.chosen) LIMIT 1", &run, err);
    if (!status && run)
        status = pl_fail(err, PL_EINPUT, "run %lld is at work, and nothing was deleted; stop its sweep first",
                         (long long)run);
    return status;
}

/* What is about to go. */
static int weigh(struct pl_store *store, struct pl_deleted *deleted, struct pl_error *err)
{
    int status = pl_store_integer(store, "SELECT count(*) FROM temp.chosen WHERE run IN (SELECT id FROM run)",
                                  &deleted->runs, err);
    if (!status)
        status = pl_store_integer(store,
                                  "SELECT count(*) FROM temp.chosen WHERE run IN (SELECT id FROM run"
                                  " WHERE status IN (2, 3))",
                                  &deleted->ended, err);
    if (!status)
        status = pl_store_integer(store,
                                  "SELECT count(*) FROM temp.chosen AS c CROSS JOIN metric AS m ON m.run = c.run",
                                  &deleted->values, err);
    return status;
}

static int drop_chosen(struct pl_store *store, struct pl_error *err)
{
    int status = refuse_work(store, err);
    /* Configurations and sweeps that nothing is left of go, too; the runs of a sweep are numbered by where they stand.
     */
    return status
               ? status
               : pl_store_script(store,
                                 "CREATE TEMP TABLE bare AS SELECT DISTINCT config FROM run WHERE id IN"
                                 " (SELECT run FROM temp.chosen);"
                                 "DELETE FROM run WHERE id IN (SELECT run FROM temp.chosen);"
                                 "DELETE FROM config WHERE id IN (SELECT config FROM temp.bare)"
                                 " AND NOT EXISTS (SELECT 1 FROM run WHERE config = config.id);"
                                 "DROP TABLE temp.bare;"
                                 "DELETE FROM sweep WHERE NOT EXISTS (SELECT 1 FROM sweep_run WHERE sweep = sweep.id)"
                                 " AND NOT EXISTS (SELECT 1 FROM submission WHERE sweep = sweep.id AND state < 2)",
                                 err);
}

static int delete_runs(struct pl_store *store, const int64_t *runs, size_t count, struct pl_deleted *deleted,
                       struct pl_error *err)
{
    int status = choose(store, runs, count, err);
    if (!status)
        status = weigh(store, deleted, err);
    return status ? status : drop_chosen(store, err);
}

int pl_store_delete_runs(struct pl_store *store, const int64_t *runs, size_t count, struct pl_deleted *deleted,
                         struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    return status ? status : pl_store_write_leave(store, own, delete_runs(store, runs, count, deleted, err), err);
}

static int drop_sweeps(struct pl_store *store, const char *study, struct pl_error *err)
{
    sqlite3_stmt *drop;
    int status = pl_store_prepare(store, "DELETE FROM sweep WHERE study = ?1", &drop, err);
    if (status)
        return status;
    sqlite3_bind_text(drop, 1, study, -1, SQLITE_STATIC);
    if (sqlite3_step(drop) != SQLITE_DONE)
        status = pl_store_fail(store, "write to", err);
    sqlite3_finalize(drop);
    return status;
}

static int delete_study(struct pl_store *store, const char *study, struct pl_deleted *deleted, struct pl_error *err)
{
    int status = choose_study(store, study, err);
    if (!status)
        status = weigh(store, deleted, err);
    if (!status)
        status = drop_chosen(store, err);
    return status ? status : drop_sweeps(store, study, err);
}

int pl_store_delete_study(struct pl_store *store, const char *study, struct pl_deleted *deleted, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    return status ? status : pl_store_write_leave(store, own, delete_study(store, study, deleted, err), err);
}

int pl_store_weigh(struct pl_store *store, const int64_t *runs, size_t count, const char *study,
                   struct pl_deleted *deleted, struct pl_error *err)
{
    int status = study ? choose_study(store, study, err) : choose(store, runs, count, err);
    return status ? status : weigh(store, deleted, err);
}

/* ---- curves ---- */

/* Points of a curve of n that go: all but the first, the last, and those where i (N - 1) / (n - 1) steps on, and none
 * at which a metric of the run was lowest, highest or last, or stopped being finite: tables go by these. */
static const char thin_sql[] =
    "DELETE FROM metric WHERE run = ?1 AND (series, epoch) IN (SELECT series, epoch FROM (SELECT m.series, m.epoch, "
    "s.axis,"
    " row_number() OVER (PARTITION BY m.series ORDER BY m.epoch) AS i, count(*) OVER (PARTITION BY m.series) AS n"
    " FROM metric AS m JOIN series AS s ON s.id = m.series WHERE m.run = ?1) AS p WHERE n > ?2 AND i > 1 AND i < n"
    " AND (i - 1) * (?2 - 1) / (n - 1) = (i - 2) * (?2 - 1) / (n - 1) AND NOT EXISTS (SELECT 1 FROM series AS z"
    " CROSS JOIN result AS v ON v.series = z.id AND v.run = ?1 WHERE z.axis = p.axis AND p.epoch IN (v.lowest_epoch,"
    " v.highest_epoch, v.last_epoch, v.bad_epoch)))";

static int thin_run(struct pl_store *store, sqlite3_stmt *drop, sqlite3_stmt *mark, int64_t run, int64_t points,
                    struct pl_deleted *deleted, struct pl_error *err)
{
    sqlite3_bind_int64(drop, 1, run);
    sqlite3_bind_int64(drop, 2, points);
    sqlite3_bind_int64(mark, 1, run);
    sqlite3_bind_int64(mark, 2, points);
    int status = sqlite3_step(drop) == SQLITE_DONE ? 0 : pl_store_fail(store, "write to", err);
    int64_t gone = status ? 0 : sqlite3_changes(store->db);
    if (gone && sqlite3_step(mark) != SQLITE_DONE)
        status = pl_store_fail(store, "write to", err);
    sqlite3_reset(drop);
    sqlite3_reset(mark);
    deleted->values += gone;
    deleted->runs += gone > 0;
    return status;
}

static int thin(struct pl_store *store, const int64_t *runs, size_t count, int64_t points, struct pl_deleted *deleted,
                struct pl_error *err)
{
    sqlite3_stmt *drop = NULL, *mark = NULL;
    int status = pl_store_prepare(store, thin_sql, &drop, err);
    if (!status)
        status = pl_store_prepare(store, "UPDATE run SET thinned = ?2 WHERE id = ?1", &mark, err);
    for (size_t i = 0; i < count && !status; i++) {
        sqlite3_stmt *row;
        status = pl_store_first(store, err, PL_SQL_RUN_STATE, &row, "i", runs[i]);
        int state = status ? PL_RUN_PLANNED : sqlite3_column_int(row, 0);
        if (!status)
            sqlite3_reset(row);
        status = status < 0 ? status : 0;
        if (!status && (state == PL_RUN_FINISHED || state == PL_RUN_DIVERGED))
            status = thin_run(store, drop, mark, runs[i], points, deleted, err);
    }
    sqlite3_finalize(drop);
    sqlite3_finalize(mark);
    return status;
}

int pl_store_thin(struct pl_store *store, const int64_t *runs, size_t count, int64_t points, struct pl_deleted *deleted,
                  struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    return status ? status : pl_store_write_leave(store, own, thin(store, runs, count, points, deleted, err), err);
}

/* ---- what is left over ---- */

int pl_store_vacuum(struct pl_store *store, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_script(
        store,
        "DELETE FROM config WHERE NOT EXISTS (SELECT 1 FROM run WHERE config = config.id);"
        "CREATE TEMP TABLE used AS SELECT DISTINCT series FROM metric UNION SELECT series FROM result"
        " UNION SELECT series FROM attempt_result;"
        "DELETE FROM series WHERE id NOT IN (SELECT series FROM temp.used);"
        "DROP TABLE temp.used",
        err);
    status = pl_store_write_leave(store, own, status, err);
    pl_store_rollback(store); /* numbers of metrics may be others' now */
    return status ? status : pl_store_script(store, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)", err);
}
