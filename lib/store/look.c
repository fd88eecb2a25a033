/* The questions of pages. */
#include "store/look.h"
#include "store_priv.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define NEWEST "w.id = (SELECT n.id FROM sweep AS n WHERE n.study = w.study ORDER BY n.started DESC, n.id DESC LIMIT 1)"
#define OPEN "(SELECT id FROM session WHERE ended IS NULL)"
static const char *const questions[PL_QUESTION_COUNT] = {
    [PL_ASK_STUDIES] = "SELECT study, runs, configs, seeds, planned, queued, running, finished, diverged, failed, interrupted,"
                       " path, created, started FROM studies ORDER BY started DESC, study",
    [PL_ASK_STUDY_NAMES] = "SELECT DISTINCT study FROM sweep ORDER BY 1",
    [PL_ASK_SESSIONS] =
        "SELECT s.id, s.host, s.pid, s.jobs, s.started, (julianday('now') - 2440587.5) * 86400 - s.beat,"
        " (SELECT count(*) FROM run AS r WHERE r.session = s.id AND r.begun IS NOT NULL),"
        " (SELECT count(*) FROM run AS r WHERE r.session = s.id AND r.begun IS NULL),"
        " count(a.run), coalesce(sum(a.outcome = 4), 0),"
        " coalesce(sum(a.started + a.seconds > (julianday('now') - 2440587.5) * 86400 - 600), 0)"
        " FROM session AS s LEFT JOIN attempt AS a ON a.session = s.id AND a.outcome IN (2, 3, 4)"
        " WHERE s.ended IS NULL AND s.id NOT IN (SELECT session FROM submission) GROUP BY s.id ORDER BY s.id DESC LIMIT 50",
    [PL_ASK_MISSING] =
        "SELECT count(*) FROM run WHERE status IN (0, 1, 5) AND id IN (SELECT x.run FROM sweep_run AS x JOIN sweep AS w"
        " ON w.id = x.sweep WHERE " NEWEST " AND w.launch IN (SELECT v.launch FROM sweep AS v JOIN sweep_run AS y"
        " ON y.sweep = v.id JOIN run AS r ON r.id = y.run WHERE r.session IN " OPEN "))",
    [PL_ASK_TRAINING] = "SELECT run, study, config, seed, seconds, at_epoch, host FROM runs WHERE run IN"
                        " (SELECT id FROM run WHERE session IS NOT NULL AND begun IS NOT NULL LIMIT 200) ORDER BY run",
    [PL_ASK_TROUBLES] =
        "SELECT x.run, x.config, x.seed, CASE coalesce(x.outcome, r.status) WHEN 3 THEN 'diverged' WHEN 4 THEN 'failed'"
        " ELSE 'interrupted' END, a.reason, coalesce(x.bad_epoch, r.bad_epoch), CASE r.status WHEN 4 THEN a.log END"
        " FROM sweep_run AS x JOIN run AS r ON r.id = x.run LEFT JOIN attempt AS a ON a.run = r.id AND a.number = r.attempts"
        " WHERE x.sweep = ?1 AND coalesce(x.outcome, r.status) IN (3, 4, 5)"
        " ORDER BY coalesce(x.outcome, r.status) <> 4, coalesce(x.outcome, r.status), x.position LIMIT 200",
    [PL_ASK_PROVENANCE] =
        "SELECT count(*), p.host, p.cpu, p.isa, p.version, p.jobs, p.threads, p.compiler, p.libraries, p.data"
        " FROM sweep_run AS x JOIN provenance AS p ON p.run = x.run WHERE x.sweep = ?1"
        " GROUP BY 2, 3, 4, 5, 6, 7, 8, 9, 10 ORDER BY 1 DESC LIMIT 100",
    [PL_ASK_PROGRAMS] = "SELECT count(*), p.folder, p.program, p.files, p.git_commit, p.dirty FROM sweep_run AS x"
                        " JOIN provenance AS p ON p.run = x.run WHERE x.sweep = ?1 AND p.folder IS NOT NULL"
                        " GROUP BY 2, 3, 4, 5, 6 ORDER BY 1 DESC LIMIT 100",
    [PL_ASK_ATTEMPTS] = "SELECT number, outcome, reason, exit_code, signal, started, seconds, host, log FROM attempts"
                        " WHERE run = ?1 ORDER BY number DESC LIMIT 100",
    [PL_ASK_VALUES] = "SELECT metric, value, epoch, last, last_epoch, last_kind FROM best WHERE run = ?1 ORDER BY metric",
    [PL_ASK_PLACES] = "SELECT DISTINCT w.study FROM sweep_run AS x JOIN sweep AS w ON w.id = x.sweep WHERE x.run = ?1"
                      " ORDER BY 1",
    [PL_ASK_METRICS] = "SELECT s.name, s.axis FROM series AS s WHERE EXISTS (SELECT 1 FROM metric AS m WHERE m.run = ?1"
                       " AND m.series = s.id) ORDER BY s.id",
    [PL_ASK_VIEWS] = "SELECT m.name, (SELECT group_concat(name, ', ') FROM pragma_table_info(m.name)) FROM sqlite_schema AS m"
                     " WHERE m.type = 'view' AND m.name NOT LIKE '\\_%' ESCAPE '\\'"
                     " ORDER BY m.name NOT IN ('runs', 'best', 'summary', 'curves'), m.name",
    [PL_ASK_CONFIG] = "SELECT count(*), sum(status = 2), sum(status = 3), sum(status = 4) FROM run WHERE config = ?1",
    [PL_ASK_RUNS_OF] = "SELECT run, seed, status FROM runs WHERE config = ?1 ORDER BY seed LIMIT 200",
};
/* clang-format on */

int pl_store_rows(struct pl_store *store, sqlite3_stmt *statement,
                  int (*row)(void *self, const struct pl_cell *cells, size_t count), void *self, struct pl_error *err)
{
    size_t count = (size_t)sqlite3_column_count(statement);
    struct pl_cell *cells = pl_new((count + 1) * sizeof *cells);
    struct pl_text *blobs = pl_new((count + 1) * sizeof *blobs);
    int status;
    while (!(status = pl_store_next(store, statement, err))) {
        for (size_t i = 0; i < count; i++)
            cells[i] = pl_store_cell(statement, (int)i, &blobs[i]);
        if ((status = row(self, cells, count)) < 0)
            break;
    }
    for (size_t i = 0; i < count; i++)
        pl_text_release(&blobs[i]);
    free(cells);
    free(blobs);
    return status < 0 ? status : 0;
}

int pl_store_ask(struct pl_store *store, enum pl_question question, int64_t id,
                 int (*row)(void *self, const struct pl_cell *cells, size_t count), void *self, struct pl_error *err)
{
    sqlite3_stmt *statement;
    int status = pl_store_prepare(store, questions[question], &statement, err);
    if (status)
        return status;
    if (sqlite3_bind_parameter_count(statement))
        sqlite3_bind_int64(statement, 1, id);
    status = pl_store_rows(store, statement, row, self, err);
    sqlite3_finalize(statement);
    return status;
}

int pl_store_data_version(struct pl_store *store, int64_t *version, struct pl_error *err)
{
    return pl_store_integer(store, "PRAGMA data_version", version, err);
}

bool pl_store_is_idle(const struct pl_store *store)
{
    sqlite3_stmt *statement = NULL;
    while ((statement = sqlite3_next_stmt(store->db, statement)))
        if (sqlite3_stmt_busy(statement))
            return false;
    return sqlite3_txn_state(store->db, NULL) == SQLITE_TXN_NONE;
}
