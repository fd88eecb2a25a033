/* The prepared statements and how they are run. */
#include "store_priv.h"

#include <math.h>
#include <stdarg.h>

/* Of a place s in a sweep that may stop runs early, and its run r: is more of it wanted now? */
#define OF_REASON(text) " instr(lower(coalesce(a.reason, '')), lower(" text "))"
#define WANTED " AND s.stopped IS NULL AND (s.until IS NULL OR s.until > coalesce(r.reached, 0))"

/* clang-format off */
static const char *const texts[PL_SQL_COUNT] = {
    [PL_SQL_BEGIN] = "BEGIN IMMEDIATE",
    [PL_SQL_COMMIT] = "COMMIT",
    [PL_SQL_ROLLBACK] = "ROLLBACK",

    [PL_SQL_SWEEP_FIND] = "SELECT id FROM sweep WHERE study = ?1 AND digest = ?2",
    [PL_SQL_SWEEP_ADD] = "INSERT INTO sweep (study, path, spec, digest, seeds, launch, place, created, started)"
                         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)",
    [PL_SQL_SWEEP_TOUCH] = "UPDATE sweep SET path = ?2, seeds = ?3, launch = ?4, place = ?5, started = ?6"
                           " WHERE id = ?1",
    [PL_SQL_LAUNCH_LAST] = "SELECT coalesce(max(launch), 0) FROM sweep",
    [PL_SQL_LAUNCH_SIZE] = "SELECT count(*) FROM sweep WHERE launch = ?1",
    [PL_SQL_CONFIG_FIND] = "SELECT id FROM config WHERE digest = ?1",
    [PL_SQL_CONFIG_READ] = "SELECT settings FROM config WHERE id = ?1",
    [PL_SQL_SETTING_ADD] = "INSERT INTO setting (config, key, type, value) VALUES (?1, ?2, ?3, ?4)",
    [PL_SQL_KEY_ADD] = "INSERT INTO setting_key (key) VALUES (?1) ON CONFLICT DO NOTHING",
    [PL_SQL_RUN_FIND] = "SELECT id, status FROM run WHERE key = ?1",
    [PL_SQL_RUN_FORESEE] =
        "SELECT (SELECT stopped IS NOT NULL FROM sweep_run WHERE run = r.id AND sweep = ?2), r.status = 4 AND ?3 IS NOT NULL"
        " AND EXISTS (SELECT 1 FROM attempt AS a WHERE a.run = r.id AND a.number = r.attempts AND" OF_REASON("?3") "),"
        " CASE WHEN r.status IN (2, 3) THEN (SELECT outcome FROM sweep_run WHERE run = r.id AND sweep = ?4) END"
        " FROM run AS r WHERE r.id = ?1",
    [PL_SQL_RUN_ADD] = "INSERT INTO run (id, config, seed, key) VALUES (max(coalesce((SELECT max(id) FROM run), 0),"
                       " coalesce((SELECT value FROM meta WHERE key = 'last_run'), 0)) + 1, ?1, ?2, ?3)",
    [PL_SQL_PLACE_FIND] = "SELECT position FROM sweep_run WHERE run = ?1 AND sweep = ?2",
    [PL_SQL_PLACE_NEXT] = "SELECT coalesce(max(position) + 1, 0) FROM sweep_run WHERE sweep = ?1",
    [PL_SQL_PLACE_ADD] = "INSERT OR REPLACE INTO sweep_run (sweep, position, run, config, seed)"
                         " VALUES (?1, ?2, ?3, ?4, ?5)",
    [PL_SQL_PLACE_DROP] = "DELETE FROM sweep_run WHERE sweep = ?1 AND position = ?2",
    [PL_SQL_PLACE_TRIM] = "DELETE FROM sweep_run WHERE sweep = ?1 AND position >= ?2",

    [PL_SQL_SESSION_ADD] = "INSERT INTO session (host, pid, process, machine, cpu, isa, version, compiler, libraries,"
                           " data, jobs, threads, started, beat)"
                           " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13)",
    [PL_SQL_SESSION_BEAT] = "UPDATE session SET beat = ?2, beats = beats + 1, ended = NULL WHERE id = ?1",
    [PL_SQL_SESSION_REVIVE] = "UPDATE session SET ended = NULL, beats = beats + 1 WHERE id = ?1 AND ended IS NOT NULL",
    [PL_SQL_SESSION_END] = "UPDATE session SET ended = ?2 WHERE id = ?1",
    [PL_SQL_SESSION_HELD] = "SELECT id, token FROM run WHERE session = ?1 LIMIT 1",
    [PL_SQL_SESSION_OPEN] = "SELECT id, host, pid, process, machine, beats, ended IS NOT NULL FROM session AS s"
                            " WHERE (ended IS NULL OR id IN (SELECT session FROM run WHERE session IS NOT NULL))"
                            " AND id NOT IN (SELECT session FROM submission WHERE state = 1)",
    [PL_SQL_HOST_ADD] = "INSERT INTO host (name, cpu, isa, version, compiler, libraries) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
                        " ON CONFLICT DO NOTHING",
    [PL_SQL_HOST_FIND] = "SELECT id FROM host WHERE name = ?1 AND cpu = ?2 AND isa = ?3 AND version = ?4 AND compiler = ?5"
                         " AND libraries = ?6",
    [PL_SQL_CLAIM_FIND] =
        "SELECT s.position, r.id, r.config, r.seed, r.attempts, r.token, coalesce(s.until, 0) FROM sweep_run AS s CROSS JOIN run AS r ON r.id = s.run"
        " WHERE s.sweep = ?1 AND s.position >= ?2 AND s.position < ?3 AND (r.status IN (0, 5) OR (?4 IS NOT NULL AND r.status = 4"
        " AND NOT EXISTS (SELECT 1 FROM attempt AS a WHERE a.run = r.id AND a.session = ?5)"
        " AND EXISTS (SELECT 1 FROM attempt AS a WHERE a.run = r.id AND a.number = r.attempts AND" OF_REASON("?4") ")))" WANTED
        " ORDER BY s.position LIMIT ?6",
    [PL_SQL_CLAIM_TAKE] = "UPDATE run SET status = 1, session = ?2, token = ?3, begun = NULL WHERE id = ?1",
    [PL_SQL_CLAIM_DROP] = "UPDATE run SET status = ?2, session = NULL, begun = NULL WHERE id = ?1",
    [PL_SQL_RUN_STATE] = "SELECT status, session, attempts, token FROM run WHERE id = ?1",
    [PL_SQL_LAST_OUTCOME] = "SELECT outcome FROM attempt WHERE run = ?1 ORDER BY number DESC LIMIT 1",

    [PL_SQL_SERIES_ALL] = "SELECT id, name, axis FROM series ORDER BY id",
    [PL_SQL_SERIES_ADD] = "INSERT INTO series (name, axis) VALUES (?1, ?2)",
    [PL_SQL_DECLARE] = "INSERT INTO sweep_metric (sweep, name, direction, loss, validates, origin)"
                       " VALUES (?1, ?2, ?3, ?4, ?5, 'declared') ON CONFLICT DO UPDATE SET direction = excluded.direction,"
                       " loss = excluded.loss, validates = excluded.validates, origin = excluded.origin",
    [PL_SQL_DECLARED] = "SELECT direction, origin = 'migrated' FROM sweep_metric WHERE sweep = ?1 AND name = ?2",
    [PL_SQL_JUDGE_RUN] = pl_store_judge_run_sql,
    [PL_SQL_JUDGE_SWEEP] = pl_store_judge_sweep_sql,
    [PL_SQL_POINT_DROP] = "DELETE FROM metric WHERE run = ?1 AND epoch >= ?2"
                          " AND series IN (SELECT id FROM series WHERE axis = ?3)",
    [PL_SQL_POINT_SPAN] = "SELECT s.axis, min(m.epoch), max(m.epoch) FROM metric AS m JOIN series AS s ON s.id = m.series"
                          " WHERE m.run = ?1 GROUP BY s.axis",
    [PL_SQL_POINTS_OF_RUN] = "SELECT series, epoch, value, kind FROM metric WHERE run = ?1 ORDER BY series, epoch",
    [PL_SQL_RESULT_ADD] = "INSERT INTO result (series, run, status, lowest, lowest_epoch, highest, highest_epoch, last,"
                          " last_epoch, last_kind, bad_epoch) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [PL_SQL_SUPERSEDED_ADD] = "INSERT INTO attempt_result (series, run, number, lowest, lowest_epoch, highest,"
                              " highest_epoch, last, last_epoch, last_kind) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
                              " ON CONFLICT DO NOTHING",
    [PL_SQL_PROGRAM_FIND] = "SELECT id FROM program WHERE digest = ?1",
    [PL_SQL_PROGRAM_ADD] = "INSERT INTO program (digest, folder, file, files, git_commit, dirty)"
                           " VALUES (?1, ?2, ?3, ?4, ?5, nullif(?6, -1))",
    [PL_SQL_PROGRAM_READ] = "SELECT folder, file, files, git_commit, coalesce(dirty, -1), digest FROM program WHERE id = ?1",
    [PL_SQL_ORIGIN] = "SELECT r.id, r.status, coalesce(a.program, 0), coalesce(a.started, 0) FROM run AS r"
                      " LEFT JOIN attempt AS a ON a.run = r.id AND a.number = r.attempts WHERE r.key = ?1",
    [PL_SQL_ACCEPT] = "INSERT INTO accepted (older, newer) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
    [PL_SQL_ACCEPTED] = "SELECT 1 FROM accepted WHERE older = ?1 AND newer = (SELECT id FROM program WHERE digest = ?2)",
    [PL_SQL_FORGET_POINTS] = "DELETE FROM metric WHERE run = ?1",
    [PL_SQL_FORGET_RESULTS] = "DELETE FROM result WHERE run = ?1 AND series IN (SELECT id FROM series)",
    [PL_SQL_FORGET_RUN] = "UPDATE run SET status = 0, bad_epoch = NULL, thinned = NULL, source = NULL, source_epoch = NULL, reached = NULL WHERE id = ?1",
    [PL_SQL_FORGET_JUDGED] = "UPDATE sweep_run SET outcome = NULL, bad_epoch = NULL, stopped = NULL,"
                             " until = CASE WHEN bracket IS NULL THEN NULL ELSE 0 END WHERE run = ?1",
    [PL_SQL_BEGUN] = "UPDATE run SET begun = ?3 WHERE id = ?1 AND token = ?2 AND status = 1",
    [PL_SQL_ATTEMPT_ADD] = "INSERT INTO attempt (run, number, session, outcome, exit_code, signal, reason, log,"
                           " started, seconds, threads, worker, reading, unread, unread_example, program, host,"
                           " unsaved, unsaved_example) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
                           " ?15, ?16, ?17, ?18, ?19)",
    [PL_SQL_RUN_END] = "UPDATE run SET status = ?2, session = NULL, bad_epoch = ?3, attempts = ?4, begun = NULL,"
                       " reached = coalesce(?5, reached) WHERE id = ?1",
    [PL_SQL_COUNTS] = "SELECT total(s = 0), total(s = 1), total(s = 2), total(s = 3), total(s = 4), total(s = 5), total(s = 6)"
                      " FROM (SELECT CASE WHEN x.stopped IS NOT NULL THEN 6 ELSE coalesce(x.outcome, r.status) END AS s FROM sweep_run AS x CROSS JOIN run AS r"
                      " ON r.id = x.run WHERE x.sweep = ?1)",
    [PL_SQL_SWEEP_SPAN] = "SELECT min(run), max(run) FROM sweep_run WHERE sweep = ?1",
    [PL_SQL_SERIES_IN_FIRST] = "SELECT 1 FROM (SELECT run FROM sweep_run WHERE sweep = ?1 ORDER BY position LIMIT 1000)"
                               " AS s CROSS JOIN result AS r ON r.series = ?2 AND r.run = s.run LIMIT 1",
    [PL_SQL_SERIES_IN_SWEEP] = "SELECT 1 FROM result AS r WHERE r.series = ?2 AND r.run BETWEEN ?3 AND ?4"
                               " AND EXISTS (SELECT 1 FROM sweep_run AS s WHERE s.run = r.run AND s.sweep = ?1)"
                               " LIMIT 1",
    [PL_SQL_SERIES_AT_WORK] = "SELECT 1 FROM run AS r CROSS JOIN sweep_run AS s ON s.run = r.id AND s.sweep = ?1"
                              " WHERE r.session IS NOT NULL"
                              " AND EXISTS (SELECT 1 FROM metric AS m WHERE m.run = r.id AND m.series = ?2) LIMIT 1",

    [PL_SQL_SOURCE_SET] = "UPDATE run SET source = ?2, source_epoch = ?3 WHERE id = ?1",
    [PL_SQL_TAG_ADD] = "INSERT INTO tag (run, name) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
    [PL_SQL_TAG_DROP] = "DELETE FROM tag WHERE run = ?1 AND name = ?2",
    [PL_SQL_NOTE_SET] = "INSERT INTO note (run, text) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET text = excluded.text"
                        " WHERE text <> excluded.text",
    [PL_SQL_NOTE_DROP] = "DELETE FROM note WHERE run = ?1 AND ?2 = ''",
    [PL_SQL_COMPETE] = "UPDATE sweep_run SET bracket = ?3, epochs = ?4, until = CASE WHEN bracket IS NULL THEN ?5 ELSE until END"
                       " WHERE sweep = ?1 AND position = (SELECT position FROM sweep_run WHERE run = ?2 AND sweep = ?1)",
    [PL_SQL_COMPETITORS] = "SELECT x.run, x.bracket, x.epochs, x.until, x.stopped, r.key, coalesce(x.outcome, r.status),"
                           " coalesce(x.bad_epoch, r.bad_epoch), r.reached FROM sweep_run AS x CROSS JOIN run AS r ON r.id = x.run"
                           " WHERE x.sweep = ?1 AND x.bracket IS NOT NULL ORDER BY x.bracket, r.key",
    [PL_SQL_DECIDE] = "UPDATE sweep_run SET until = ?3, stopped = ?4 WHERE sweep = ?1"
                      " AND position = (SELECT position FROM sweep_run WHERE run = ?2 AND sweep = ?1)",
    [PL_SQL_REACHED_SET] = "UPDATE run SET reached = ?2 WHERE id = ?1",
    [PL_SQL_REACHED_DROP] = "UPDATE run SET reached = NULL WHERE id = ?1 AND reached >= ?2",
    [PL_SQL_RUNG_READ] = "SELECT value, kind FROM rung WHERE run = ?1 AND series = ?2 AND best = ?3 AND epoch = ?4",
    [PL_SQL_RUNG_ADD] = "INSERT INTO rung (run, series, best, epoch, value, kind) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
                        " ON CONFLICT DO NOTHING",
    [PL_SQL_RUNG_LAST] = "SELECT value, kind FROM metric WHERE run = ?1 AND series = ?2 AND epoch <= ?3 ORDER BY epoch DESC LIMIT 1",
    [PL_SQL_RUNG_LOWEST] = "SELECT value, kind FROM metric WHERE run = ?1 AND series = ?2 AND epoch <= ?3"
                           " ORDER BY value IS NULL, value, epoch LIMIT 1",
    [PL_SQL_RUNG_HIGHEST] = "SELECT value, kind FROM metric WHERE run = ?1 AND series = ?2 AND epoch <= ?3"
                            " ORDER BY value IS NULL, value DESC, epoch LIMIT 1",
    [PL_SQL_FORGET_RUNGS] = "DELETE FROM rung WHERE run = ?1",
    [PL_SQL_CLAIMABLE] = "SELECT count(*) FROM sweep_run AS s CROSS JOIN run AS r ON r.id = s.run WHERE s.sweep = ?1"
                         " AND (r.status IN (0, 5) OR (?2 AND r.status = 4))" WANTED,

    [PL_SQL_SUBMISSION_ADD] = "INSERT INTO submission (session, sweep, state, threads, created, name, system, folder, user,"
                              " resources, reading) VALUES (?1, ?2, 0, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [PL_SQL_SUBMISSION_OPEN] = "UPDATE submission SET state = 1, tasks = ?2, runs = ?3 WHERE id = ?1 AND state = 0",
    [PL_SQL_SUBMISSION_CLOSE] = "UPDATE submission SET state = 2 WHERE id = ?1",
    [PL_SQL_SUBMISSION_SESSION] = "SELECT session FROM submission WHERE id = ?1",
    [PL_SQL_SUBMISSION_DROP_OF] = "UPDATE submission SET state = 2 WHERE session = ?1",
    [PL_SQL_ARRAY_ADD] = "INSERT INTO submission_array (submission, number, first, count, state, name)"
                         " VALUES (?1, ?2, ?3, ?4, 0, ?5)",
    [PL_SQL_ARRAY_CHANGE] = "UPDATE submission_array SET state = ?5, job = ?6, asker = ?7, space = ?8, reason = ?9"
                            " WHERE submission = ?1 AND number = ?2 AND state = ?3 AND asker IS ?4",
    [PL_SQL_TASK_ADD] = "INSERT INTO submission_task (submission, number) VALUES (?1, ?2)",
    [PL_SQL_TASK_SET] = "UPDATE submission_task SET state = nullif(?3, -1), word = ?4, reason = ?5, node = coalesce(nullif(?6, ''), node),"
                        " since = nullif(?7, 0.0) WHERE submission = ?1 AND number = ?2",
    [PL_SQL_TASK_BEGUN] = "UPDATE submission_task SET node = ?3, starts = max(starts, ?4) WHERE submission = ?1 AND number = ?2",
    [PL_SQL_TASK_OVER] = "UPDATE submission_task SET over = 1, reason = ?3 WHERE submission = ?1 AND number = ?2",
    [PL_SQL_TASK_RUN_ADD] = "INSERT INTO submission_run (submission, task, run, program) VALUES (?1, ?2, ?3, nullif(?4, 0))",
    [PL_SQL_TASK_RUN] = "SELECT r.config, r.seed, r.attempts, r.token, r.status = 1 AND r.session = s.session, coalesce(r.begun, 0),"
                        " coalesce(x.program, 0), x.received, x.forgotten, r.status IN (0, 5), s.session FROM submission_run AS x"
                        " JOIN submission AS s ON s.id = x.submission JOIN run AS r ON r.id = x.run"
                        " WHERE x.submission = ?1 AND x.task = ?2 AND x.run = ?3",
    [PL_SQL_TASK_RUN_SET] = "UPDATE submission_run SET received = ?4, forgotten = ?5 WHERE submission = ?1 AND task = ?2 AND run = ?3",
    [PL_SQL_TASK_HELD] = "SELECT r.id, r.token, coalesce(r.begun, 0) FROM submission_run AS x JOIN submission AS s ON s.id = x.submission"
                         " JOIN run AS r ON r.id = x.run AND r.session = s.session WHERE x.submission = ?1 AND x.task = ?2 LIMIT 1",
    [PL_SQL_JOURNAL_READ] = "SELECT bytes, chain, coalesce(host, 0) FROM journal WHERE submission = ?1 AND task = ?2 AND attempt = ?3",
    [PL_SQL_JOURNAL_SET] = "INSERT INTO journal (submission, task, attempt, bytes, chain, host)"
                           " VALUES (?1, ?2, ?3, ?4, ?5, nullif(?6, 0)) ON CONFLICT DO UPDATE SET bytes = excluded.bytes,"
                           " chain = excluded.chain, host = excluded.host",
};
/* clang-format on */

int pl_store_prepare(struct pl_store *store, const char *sql, sqlite3_stmt **statement, struct pl_error *err)
{
    if (sqlite3_prepare_v3(store->db, sql, -1, 0, statement, NULL) != SQLITE_OK)
        return pl_store_fail(store, "use", err);
    return 0;
}

int pl_store_statement(struct pl_store *store, enum pl_sql sql, sqlite3_stmt **statement, struct pl_error *err)
{
    if (!store->statements[sql] && sqlite3_prepare_v3(store->db, texts[sql], -1, SQLITE_PREPARE_PERSISTENT,
                                                      &store->statements[sql], NULL) != SQLITE_OK)
        return pl_store_fail(store, "use", err);
    *statement = store->statements[sql];
    return 0;
}

int pl_store_block_statement(struct pl_store *store, size_t rows, sqlite3_stmt **statement, struct pl_error *err)
{
    sqlite3_stmt **kept = &store->blocks[rows];
    if (!*kept) {
        struct pl_text sql = {0};
        pl_text_add(&sql, "INSERT INTO metric (run, series, epoch, value, kind) VALUES ");
        for (size_t i = 0; i < rows; i++)
            pl_text_addf(&sql, "%s(?1, ?2, ?%zu, ?%zu, ?%zu)", i ? ", " : "", 3 * i + 3, 3 * i + 4, 3 * i + 5);
        pl_text_add(&sql, " ON CONFLICT DO UPDATE SET value = excluded.value, kind = excluded.kind");
        int code = sqlite3_prepare_v3(store->db, pl_text(&sql), -1, SQLITE_PREPARE_PERSISTENT, kept, NULL);
        pl_text_release(&sql);
        if (code != SQLITE_OK)
            return pl_store_fail(store, "use", err);
    }
    *statement = *kept;
    return 0;
}

static void bind(sqlite3_stmt *statement, const char *kinds, va_list args)
{
    for (int i = 1; *kinds; kinds++, i++) {
        double real;
        switch (*kinds) {
        case 'i':
            sqlite3_bind_int64(statement, i, va_arg(args, int64_t));
            break;
        case 'd':
            real = va_arg(args, double);
            sqlite3_bind_double(statement, i, real); /* SQLite keeps NaN as NULL */
            break;
        case 's':
            sqlite3_bind_text(statement, i, va_arg(args, const char *), -1, SQLITE_STATIC);
            break;
        case 'b':
            sqlite3_bind_blob(statement, i, va_arg(args, const void *), PL_DIGEST_SIZE, SQLITE_STATIC);
            break;
        }
    }
}

int pl_store_next(struct pl_store *store, sqlite3_stmt *statement, struct pl_error *err)
{
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        return 0;
    int status = code == SQLITE_DONE ? pl_store_check_frozen(store, err)
                                     : pl_store_fail(store, store->mode == PL_STORE_READ ? "read" : "use", err);
    status = status ? status : 1;
    sqlite3_reset(statement);
    return status;
}

int pl_store_exec(struct pl_store *store, struct pl_error *err, enum pl_sql sql, const char *kinds, ...)
{
    sqlite3_stmt *statement = NULL;
    int status = pl_store_statement(store, sql, &statement, err);
    if (status)
        return status;
    va_list args;
    va_start(args, kinds);
    bind(statement, kinds, args);
    va_end(args);
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = pl_store_fail(store, "write to", err);
    sqlite3_reset(statement);
    return status;
}

int pl_store_first(struct pl_store *store, struct pl_error *err, enum pl_sql sql, sqlite3_stmt **statement,
                   const char *kinds, ...)
{
    int status = pl_store_statement(store, sql, statement, err);
    if (status)
        return status;
    va_list args;
    va_start(args, kinds);
    bind(*statement, kinds, args);
    va_end(args);
    return pl_store_next(store, *statement, err);
}

static int fail_row(struct pl_store *store, sqlite3_stmt *row, int column, const char *table, int64_t id,
                    const char *what, struct pl_error *err)
{
    const char *name = sqlite3_column_name(row, column);
    return pl_fail(err, PL_ECORRUPT,
                   "%s is damaged, or was not made by poula: %s of row %lld of the table %s is %s; "
                   "'poula verify --database' looks for more",
                   store->path, name ? name : "a column", (long long)id, table, what);
}

int pl_store_text(struct pl_store *store, sqlite3_stmt *row, int column, const char *table, int64_t id,
                  const char **text, struct pl_error *err)
{
    *text = (const char *)sqlite3_column_text(row, column);
    return *text ? 0 : fail_row(store, row, column, table, id, "missing", err);
}

int pl_store_number(struct pl_store *store, sqlite3_stmt *row, int column, const char *table, int64_t id, int64_t low,
                    int64_t high, int64_t *number, struct pl_error *err)
{
    *number = sqlite3_column_int64(row, column);
    if (sqlite3_column_type(row, column) != SQLITE_INTEGER || *number < low || *number > high)
        return fail_row(store, row, column, table, id, "no such number as it may be", err);
    return 0;
}

int pl_store_digest(struct pl_store *store, sqlite3_stmt *row, int column, const char *table, int64_t id,
                    const unsigned char **digest, struct pl_error *err)
{
    *digest = sqlite3_column_blob(row, column);
    if (!*digest || sqlite3_column_bytes(row, column) != PL_DIGEST_SIZE)
        return fail_row(store, row, column, table, id, "no SHA-256", err);
    return 0;
}

int pl_store_script(struct pl_store *store, const char *sql, struct pl_error *err)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : pl_store_fail(store, "use", err);
}

int pl_store_integer(struct pl_store *store, const char *sql, int64_t *value, struct pl_error *err)
{
    sqlite3_stmt *statement;
    int status = pl_store_prepare(store, sql, &statement, err);
    if (status)
        return status;
    status = pl_store_next(store, statement, err);
    if (!status)
        *value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status < 0 ? status : 0;
}
