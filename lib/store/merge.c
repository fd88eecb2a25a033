/* Merging another database into this one, in one transaction of statements over whole tables: the other file is
 * attached for reading, and temporary tables say which number there is which here. */
#include "store_priv.h"

#include "base/leftover.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a run there is to ours of the same key. */
enum verdict {
    NEW,     /* we have none */
    EQUAL,   /* equal values, or nothing that we lack */
    TAKEN,   /* theirs counts: ours had not ended, or is older and other */
    KEPT,    /* ours counts: theirs is older and other */
    WORKING, /* ours is at work and is left alone */
};

/* clang-format off */
/* The last attempt of a run. */
#define LAST(what, db, run, attempts) "(SELECT " what " FROM " db ".attempt AS a WHERE a.run = " run " AND a.number = " attempts ")"
#define ENDED(db, run, attempts) "coalesce(" LAST ("a.started + coalesce(a.seconds, 0)", db, run, attempts) ", 0)"

/* Is attempt t of theirs one of ours already? */
#define KNOWN(run)                                                                                                     \
    "EXISTS (SELECT 1 FROM main.attempt AS a JOIN map_session AS q ON q.old = t.session WHERE a.run = " run            \
    " AND a.session = q.new AND a.outcome = t.outcome AND a.started IS t.started AND a.seconds IS t.seconds)"

#define SESSION_FACTS "host, pid, process, machine, cpu, isa, version, compiler, libraries, data, jobs, threads, started, beat"

/* What does not depend on runs. */
static const char names_sql[] =
    "CREATE TEMP TABLE map_series (old INTEGER PRIMARY KEY, new INTEGER, clock INTEGER NOT NULL DEFAULT 0);"
    "INSERT INTO main.series (name, axis) SELECT name, axis FROM other.series WHERE true ORDER BY id ON CONFLICT DO NOTHING;"
    "INSERT INTO map_series SELECT o.id, s.id, 0 FROM other.series AS o JOIN main.series AS s ON s.name = o.name AND s.axis = o.axis;"

    "CREATE TEMP TABLE map_program (old INTEGER PRIMARY KEY, new INTEGER);"
    "INSERT INTO main.program (digest, folder, file, files, git_commit, dirty) SELECT digest, folder, file, files, git_commit, dirty"
    " FROM other.program WHERE true ORDER BY id ON CONFLICT DO NOTHING;"
    "INSERT INTO map_program SELECT o.id, p.id FROM other.program AS o JOIN main.program AS p ON p.digest = o.digest;"
    "INSERT OR IGNORE INTO main.accepted SELECT a.new, b.new FROM other.accepted AS o JOIN map_program AS a ON a.old = o.older"
    " JOIN map_program AS b ON b.old = o.newer;"

    "CREATE TEMP TABLE map_host (old INTEGER PRIMARY KEY, new INTEGER);"
    "INSERT INTO main.host (name, cpu, isa, version, compiler, libraries) SELECT name, cpu, isa, version, compiler, libraries"
    " FROM other.host WHERE true ORDER BY id ON CONFLICT DO NOTHING;"
    "INSERT INTO map_host SELECT o.id, h.id FROM other.host AS o JOIN main.host AS h ON h.name = o.name AND h.cpu = o.cpu"
    " AND h.isa = o.isa AND h.version = o.version AND h.compiler = o.compiler AND h.libraries = o.libraries;"

    "CREATE TEMP TABLE map_session (old INTEGER PRIMARY KEY, new INTEGER);"
    "INSERT INTO main.session (" SESSION_FACTS ", ended, beats) SELECT " SESSION_FACTS ", coalesce(ended, beat), beats"
    " FROM other.session AS o WHERE id IN (SELECT session FROM other.attempt) AND NOT EXISTS (SELECT 1 FROM main.session AS s"
    " WHERE s.host = o.host AND s.pid = o.pid AND s.process = o.process AND s.machine = o.machine AND s.started = o.started)"
    " ORDER BY id;"
    "INSERT INTO map_session SELECT o.id, min(s.id) FROM other.session AS o JOIN main.session AS s ON s.host = o.host"
    " AND s.pid = o.pid AND s.process = o.process AND s.machine = o.machine AND s.started = o.started GROUP BY o.id;";

/* Behind the configurations, whose columns have to be found first. */
static const char configs_sql[] =
    "CREATE TEMP TABLE map_config (old INTEGER PRIMARY KEY, new INTEGER, made INTEGER);"
    "INSERT INTO map_config SELECT o.id, c.id, NOT EXISTS (SELECT 1 FROM main.setting WHERE config = c.id)"
    " FROM other.config AS o JOIN main.config AS c ON c.digest = o.digest;"
    "INSERT INTO main.setting (config, key, type, value) SELECT m.new, s.key, s.type, s.value FROM map_config AS m"
    " CROSS JOIN other.setting AS s ON s.config = m.old WHERE m.made ORDER BY m.new, s.key;";

/* Which run is which, and what becomes of it. */
static const char runs_sql[] =
    "CREATE TEMP TABLE map_run (old INTEGER PRIMARY KEY, new INTEGER NOT NULL, verdict INTEGER NOT NULL, ours INTEGER, theirs INTEGER);"
    "INSERT INTO map_run SELECT o.id, r.id, 1, r.status, o.status FROM other.run AS o JOIN main.run AS r ON r.key = o.key;"
    /* Two that have ended differ in values (those of a clock aside; where curves were thinned, only what is left counts). */
    "UPDATE map_run AS m SET verdict = 9 WHERE ours IN (2, 3) AND theirs IN (2, 3) AND (ours <> theirs"
    " OR (SELECT bad_epoch FROM main.run WHERE id = m.new) IS NOT (SELECT bad_epoch FROM other.run WHERE id = m.old)"
    " OR EXISTS (SELECT 1 FROM map_series AS s CROSS JOIN other.metric AS o ON o.run = m.old AND o.series = s.old"
    " LEFT JOIN main.metric AS p ON p.run = m.new AND p.series = s.new AND p.epoch = o.epoch WHERE s.clock = 0 AND CASE"
    " WHEN p.run IS NULL THEN (SELECT thinned FROM main.run WHERE id = m.new) IS NULL ELSE p.value IS NOT o.value OR p.kind IS NOT o.kind END)"
    " OR ((SELECT thinned FROM main.run WHERE id = m.new) IS NULL AND (SELECT thinned FROM other.run WHERE id = m.old) IS NULL"
    " AND (SELECT count(*) FROM map_series AS s CROSS JOIN other.metric AS o ON o.run = m.old AND o.series = s.old WHERE s.clock = 0)"
    " <> (SELECT count(*) FROM main.metric AS p WHERE p.run = m.new AND p.series NOT IN (SELECT new FROM map_series WHERE clock = 1))));"
    "UPDATE map_run AS m SET verdict = CASE WHEN " ENDED ("other", "m.old", "(SELECT attempts FROM other.run WHERE id = m.old)")
    " > " ENDED ("main", "m.new", "(SELECT attempts FROM main.run WHERE id = m.new)") " THEN 2 ELSE 3 END WHERE verdict = 9;"
    /* One that has ended counts more than one that has not; of two that have not, ours, unless it was never begun. */
    "UPDATE map_run AS m SET verdict = 2 WHERE ours NOT IN (1, 2, 3) AND theirs IN (2, 3);"
    "UPDATE map_run AS m SET verdict = 2 WHERE ours = 0 AND theirs IN (4, 5) AND (SELECT attempts FROM main.run WHERE id = m.new) = 0;"
    /* What was merged before, or is superseded here for another reason. */
    "UPDATE map_run AS m SET verdict = 1 WHERE verdict IN (2, 3) AND EXISTS (SELECT 1 FROM other.run AS o JOIN other.attempt AS t"
    " ON t.run = o.id AND t.number = o.attempts WHERE o.id = m.old AND " KNOWN ("m.new") ");"
    "UPDATE map_run SET verdict = 4 WHERE ours = 1;"
    "INSERT INTO map_run SELECT o.id, (SELECT max(coalesce((SELECT max(id) FROM main.run), 0), coalesce((SELECT value FROM main.meta"
    " WHERE key = 'last_run'), 0))) + row_number() OVER (ORDER BY o.id), 0, NULL, CASE o.status WHEN 1 THEN coalesce("
    LAST ("CASE WHEN a.outcome IN (4, 5) THEN a.outcome ELSE 0 END", "other", "o.id", "o.attempts") ", 0) ELSE o.status END"
    " FROM other.run AS o WHERE NOT EXISTS (SELECT 1 FROM map_run WHERE old = o.id);"
    "INSERT INTO main.run (id, config, seed, key, status, bad_epoch, attempts, thinned, source, source_epoch, reached)"
    " SELECT m.new, c.new, o.seed, o.key, m.theirs, o.bad_epoch, o.attempts, o.thinned, o.source, o.source_epoch,"
    " o.reached FROM map_run AS m"
    " CROSS JOIN other.run AS o ON o.id = m.old JOIN map_config AS c ON c.old = o.config WHERE m.verdict = 0 ORDER BY m.old;";

#define ATTEMPT_FACTS "outcome, exit_code, signal, reason, log, started, seconds, threads, worker, reading, unread, unread_example, unsaved, unsaved_example"
#define ATTEMPT_COPY(run, number)                                                                                      \
    "INSERT INTO main.attempt (run, number, session, program, host, " ATTEMPT_FACTS ") SELECT " run ", " number            \
    ", q.new, p.new, h.new, t.outcome, t.exit_code, t.signal, t.reason, t.log, t.started, t.seconds, t.threads, t.worker,"  \
    " t.reading, t.unread, t.unread_example, t.unsaved, t.unsaved_example FROM "
#define ATTEMPT_MAPS " JOIN map_session AS q ON q.old = t.session LEFT JOIN map_program AS p ON p.old = t.program LEFT JOIN map_host AS h ON h.old = t.host"
#define EXTREMES "lowest, lowest_epoch, highest, highest_epoch, last, last_epoch, last_kind"

/* The attempts of both, in the order of time; the one that counts is the last. What ours came to was kept before. */
static const char attempts_sql[] =
    "CREATE TEMP TABLE both (run INTEGER, theirs INTEGER, was INTEGER, now INTEGER, PRIMARY KEY (run, theirs, was)) WITHOUT ROWID;"
    "INSERT INTO both SELECT run, side, number, row_number() OVER (PARTITION BY run ORDER BY final, started, side, number) FROM ("
    "SELECT a.run, 0 AS side, a.number, a.started, m.verdict = 3 AND a.number = r.attempts AS final FROM map_run AS m"
    " CROSS JOIN main.run AS r ON r.id = m.new CROSS JOIN main.attempt AS a ON a.run = m.new WHERE m.verdict IN (2, 3)"
    " UNION ALL SELECT m.new, 1, t.number, t.started, m.verdict = 2 AND t.number = o.attempts FROM map_run AS m"
    " CROSS JOIN other.run AS o ON o.id = m.old CROSS JOIN other.attempt AS t ON t.run = m.old WHERE m.verdict IN (2, 3)"
    " AND NOT " KNOWN ("m.new") ");"
    "UPDATE main.attempt AS a SET number = -(SELECT now FROM both AS b WHERE b.run = a.run AND b.theirs = 0 AND b.was = a.number)"
    " WHERE run IN (SELECT new FROM map_run WHERE verdict IN (2, 3));"
    "UPDATE main.attempt_result AS a SET number = -(SELECT now FROM both AS b WHERE b.run = a.run AND b.theirs = 0 AND b.was = a.number)"
    " WHERE run IN (SELECT new FROM map_run WHERE verdict IN (2, 3));"
    "UPDATE main.attempt SET number = -number WHERE run IN (SELECT new FROM map_run WHERE verdict IN (2, 3));"
    "UPDATE main.attempt_result SET number = -number WHERE run IN (SELECT new FROM map_run WHERE verdict IN (2, 3));"
    ATTEMPT_COPY ("b.run", "b.now") "both AS b JOIN map_run AS m ON m.new = b.run AND m.verdict IN (2, 3)"
    " JOIN other.attempt AS t ON t.run = m.old AND t.number = b.was" ATTEMPT_MAPS " WHERE b.theirs = 1;"
    "INSERT OR IGNORE INTO main.attempt_result (run, number, series, " EXTREMES ") SELECT b.run, b.now, s.new, v.lowest, v.lowest_epoch,"
    " v.highest, v.highest_epoch, v.last, v.last_epoch, v.last_kind FROM both AS b JOIN map_run AS m ON m.new = b.run AND m.verdict IN (2, 3)"
    " JOIN other.attempt_result AS v ON v.run = m.old AND v.number = b.was JOIN map_series AS s ON s.old = v.series WHERE b.theirs = 1;"
    "INSERT OR IGNORE INTO main.attempt_result (run, number, series, " EXTREMES ") SELECT b.run, b.now, s.new, v.lowest, v.lowest_epoch,"
    " v.highest, v.highest_epoch, v.last, v.last_epoch, v.last_kind FROM map_run AS m JOIN other.run AS o ON o.id = m.old"
    " JOIN both AS b ON b.run = m.new AND b.theirs = 1 AND b.was = o.attempts CROSS JOIN map_series AS s"
    " CROSS JOIN other.result AS v ON v.series = s.old AND v.run = m.old WHERE m.verdict = 3;"
    "DELETE FROM main.metric WHERE run IN (SELECT new FROM map_run WHERE verdict = 2);"
    "DELETE FROM main.rung WHERE run IN (SELECT new FROM map_run WHERE verdict = 2);"
    "DELETE FROM main.result WHERE series IN (SELECT id FROM main.series) AND run IN (SELECT new FROM map_run WHERE verdict = 2);"
    "UPDATE main.sweep_run SET outcome = NULL, bad_epoch = NULL WHERE run IN (SELECT new FROM map_run WHERE verdict = 2);"
    "UPDATE main.run AS r SET (status, bad_epoch, thinned, source, source_epoch, reached) = (SELECT o.status, o.bad_epoch, o.thinned, o.source,"
    " o.source_epoch, o.reached FROM map_run AS m JOIN other.run AS o ON o.id = m.old WHERE m.new = r.id AND m.verdict = 2)"
    " WHERE id IN (SELECT new FROM map_run WHERE verdict = 2);"
    "UPDATE main.run AS r SET attempts = (SELECT count(*) FROM main.attempt WHERE run = r.id)"
    " WHERE id IN (SELECT new FROM map_run WHERE verdict IN (2, 3));";

/* The values of runs that are new or taken. */
static const char values_sql[] =
    ATTEMPT_COPY ("m.new", "t.number") "map_run AS m CROSS JOIN other.attempt AS t ON t.run = m.old" ATTEMPT_MAPS
    " WHERE m.verdict = 0 ORDER BY m.old;"
    "INSERT INTO main.attempt_result (run, number, series, " EXTREMES ") SELECT m.new, v.number, s.new, v.lowest, v.lowest_epoch,"
    " v.highest, v.highest_epoch, v.last, v.last_epoch, v.last_kind FROM other.attempt_result AS v JOIN map_run AS m ON m.old = v.run"
    " AND m.verdict = 0 JOIN map_series AS s ON s.old = v.series;"
    "INSERT INTO main.metric (run, series, epoch, value, kind) SELECT m.new, s.new, o.epoch, o.value, o.kind FROM map_run AS m"
    " CROSS JOIN other.metric AS o ON o.run = m.old CROSS JOIN map_series AS s ON s.old = o.series WHERE m.verdict IN (0, 2) ORDER BY m.old;"
    "INSERT INTO main.result (series, run, status, " EXTREMES ", bad_epoch) SELECT s.new, m.new, v.status, v.lowest, v.lowest_epoch,"
    " v.highest, v.highest_epoch, v.last, v.last_epoch, v.last_kind, v.bad_epoch FROM map_series AS s CROSS JOIN other.result AS v"
    " ON v.series = s.old CROSS JOIN map_run AS m ON m.old = v.run WHERE m.verdict IN (0, 2);"
    "INSERT INTO main.rung (run, series, best, epoch, value, kind) SELECT m.new, s.new, o.best, o.epoch, o.value, o.kind FROM map_run AS m"
    " CROSS JOIN other.rung AS o ON o.run = m.old JOIN map_series AS s ON s.old = o.series WHERE m.verdict IN (0, 2);"
    "INSERT OR IGNORE INTO main.tag (run, name) SELECT m.new, t.name FROM other.tag AS t JOIN map_run AS m ON m.old = t.run;"
    "INSERT OR IGNORE INTO main.note (run, text) SELECT m.new, t.text FROM other.note AS t JOIN map_run AS m ON m.old = t.run;";

/* Sweeps, by study and spec. Launches are in the order of time: where theirs lie between ours, all get new numbers. */
static const char sweeps_sql[] =
    "CREATE TEMP TABLE map_sweep (old INTEGER PRIMARY KEY, new INTEGER, made INTEGER);"
    "INSERT INTO map_sweep SELECT o.id, w.id, 0 FROM other.sweep AS o JOIN main.sweep AS w ON w.study = o.study AND w.digest = o.digest;"
    "CREATE TEMP TABLE launches (theirs INTEGER, launch INTEGER, number INTEGER, PRIMARY KEY (theirs, launch)) WITHOUT ROWID;"
    "INSERT INTO launches SELECT side, launch, row_number() OVER (ORDER BY max(started), side, launch) FROM ("
    "SELECT 0 AS side, launch, started FROM main.sweep UNION ALL SELECT 1, launch, started FROM other.sweep"
    " WHERE id NOT IN (SELECT old FROM map_sweep)) GROUP BY side, launch;"
    "UPDATE launches SET number = number + (SELECT coalesce(max(launch), 0) FROM main.sweep) - (SELECT count(*) FROM launches WHERE theirs = 0)"
    " WHERE NOT EXISTS (SELECT 1 FROM launches AS a JOIN launches AS b ON b.theirs = 1 AND b.number < a.number WHERE a.theirs = 0);"
    "UPDATE main.sweep AS w SET launch = (SELECT number FROM launches AS l WHERE l.theirs = 0 AND l.launch = w.launch)"
    " WHERE EXISTS (SELECT 1 FROM launches AS a JOIN launches AS b ON b.theirs = 1 AND b.number < a.number WHERE a.theirs = 0);"
    "INSERT INTO main.sweep (study, path, spec, digest, seeds, launch, place, created, started) SELECT o.study, o.path, o.spec, o.digest,"
    " o.seeds, l.number, o.place, o.created, o.started FROM other.sweep AS o JOIN launches AS l ON l.theirs = 1 AND l.launch = o.launch"
    " WHERE o.id NOT IN (SELECT old FROM map_sweep) ORDER BY o.id;"
    "INSERT INTO map_sweep SELECT o.id, w.id, 1 FROM other.sweep AS o JOIN main.sweep AS w ON w.study = o.study AND w.digest = o.digest"
    " WHERE o.id NOT IN (SELECT old FROM map_sweep);"
    "INSERT OR IGNORE INTO main.sweep_metric (sweep, name, direction, loss, validates, origin) SELECT m.new, d.name, d.direction, d.loss,"
    " d.validates, d.origin FROM other.sweep_metric AS d JOIN map_sweep AS m ON m.old = d.sweep;"
    "INSERT INTO main.sweep_run (sweep, position, run, config, seed, outcome, bad_epoch, bracket, epochs, until, stopped) SELECT m.new, x.position, r.new, c.new, x.seed,"
    " x.outcome, x.bad_epoch, x.bracket, x.epochs, x.until, x.stopped FROM map_sweep AS m CROSS JOIN other.sweep_run AS x ON x.sweep = m.old JOIN map_run AS r ON r.old = x.run"
    " JOIN map_config AS c ON c.old = x.config WHERE m.made ORDER BY m.new, x.position;"
    "INSERT INTO main.sweep_run (sweep, position, run, config, seed, outcome, bad_epoch, bracket, epochs, until, stopped) SELECT m.new, (SELECT coalesce(max(position), -1)"
    " FROM main.sweep_run WHERE sweep = m.new) + row_number() OVER (PARTITION BY m.new ORDER BY x.position), r.new, c.new, x.seed,"
    " x.outcome, x.bad_epoch, x.bracket, x.epochs, x.until, x.stopped FROM map_sweep AS m CROSS JOIN other.sweep_run AS x ON x.sweep = m.old JOIN map_run AS r ON r.old = x.run"
    " JOIN map_config AS c ON c.old = x.config WHERE NOT m.made AND NOT EXISTS (SELECT 1 FROM main.sweep_run AS y WHERE y.run = r.new"
    " AND y.sweep = m.new);";

static const char clean_sql[] =
    "DROP TABLE IF EXISTS temp.map_series; DROP TABLE IF EXISTS temp.map_program; DROP TABLE IF EXISTS temp.map_host;"
    "DROP TABLE IF EXISTS temp.map_session; DROP TABLE IF EXISTS temp.map_config; DROP TABLE IF EXISTS temp.map_run;"
    "DROP TABLE IF EXISTS temp.both; DROP TABLE IF EXISTS temp.map_sweep; DROP TABLE IF EXISTS temp.launches;";
/* clang-format on */

/* ---- the parts that need more than statements ---- */

/* Values of a clock never agree. */
static int mark_clocks(struct pl_store *store, struct pl_error *err)
{
    sqlite3_stmt *row, *mark = NULL;
    int status = pl_store_prepare(store, "SELECT o.id, o.name FROM other.series AS o", &row, err);
    if (!status)
        status = pl_store_prepare(store, "UPDATE map_series SET clock = 1 WHERE old = ?1", &mark, err);
    while (!status && !(status = pl_store_next(store, row, err))) {
        const char *name = (const char *)sqlite3_column_text(row, 1);
        if (!name || pl_train_is_repeatable(name))
            continue;
        sqlite3_bind_int64(mark, 1, sqlite3_column_int64(row, 0));
        if (sqlite3_step(mark) != SQLITE_DONE)
            status = pl_store_fail(store, "use", err);
        sqlite3_reset(mark);
    }
    sqlite3_finalize(row);
    sqlite3_finalize(mark);
    return status < 0 ? status : 0;
}

/* Configurations with their columns, which have other numbers there. */
static int copy_configs(struct pl_store *store, struct pl_error *err)
{
    struct pl_text ours = {0}, theirs = {0}, sql = {0};
    sqlite3_stmt *row;
    int status = pl_store_prepare(store, "SELECT id, key FROM other.setting_key WHERE name IS NOT NULL ORDER BY id",
                                  &row, err);
    while (!status && !(status = pl_store_next(store, row, err))) {
        const char *key;
        int64_t column;
        status = pl_store_text(store, row, 1, "setting_key", sqlite3_column_int64(row, 0), &key, err);
        if (!status)
            status = pl_store_column(store, key, &column, err);
        if (status || !column)
            continue;
        pl_text_addf(&ours, ", s%lld", (long long)column);
        pl_text_addf(&theirs, ", o.s%lld", (long long)sqlite3_column_int64(row, 0));
    }
    sqlite3_finalize(row);
    pl_text_addf(&sql,
                 "INSERT INTO main.config (digest, settings%s) SELECT o.digest, o.settings%s FROM other.config AS o"
                 " WHERE NOT EXISTS (SELECT 1 FROM main.config AS c WHERE c.digest = o.digest) ORDER BY o.id",
                 pl_text(&ours), pl_text(&theirs));
    if (status >= 0)
        status = pl_store_script(store, pl_text(&sql), err);
    pl_text_release(&ours);
    pl_text_release(&theirs);
    pl_text_release(&sql);
    return status ? status : pl_store_script(store, configs_sql, err);
}

/* Calls each with the number and attempts here of every run of a verdict. */
static int each_run(struct pl_store *store, const char *verdicts,
                    int (*each)(void *self, int64_t run, int64_t attempts, enum verdict verdict), void *self,
                    struct pl_error *err)
{
    struct pl_text sql = {0};
    sqlite3_stmt *row;
    pl_text_addf(&sql,
                 "SELECT m.new, r.attempts, m.verdict FROM map_run AS m JOIN main.run AS r ON r.id = m.new"
                 " WHERE m.verdict IN (%s) ORDER BY m.new",
                 verdicts);
    int status = pl_store_prepare(store, pl_text(&sql), &row, err);
    pl_text_release(&sql);
    while (!status && !(status = pl_store_next(store, row, err)))
        status = each(self, sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1),
                      (enum verdict)sqlite3_column_int(row, 2));
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

struct merge {
    struct pl_store *store;
    const struct pl_merge_view *view;
    struct pl_error *err;
};

static int supersede(void *self, int64_t run, int64_t attempts, enum verdict verdict)
{
    struct merge *m = self;
    (void)verdict;
    return pl_store_supersede(m->store, run, attempts, m->err);
}

static int judge(void *self, int64_t run, int64_t attempts, enum verdict verdict)
{
    struct merge *m = self;
    (void)attempts;
    (void)verdict;
    return pl_store_judge_run(m->store, run, m->err);
}

static int tell(void *self, int64_t run, int64_t attempts, enum verdict verdict)
{
    struct merge *m = self;
    (void)attempts;
    return m->view && m->view->differs ? m->view->differs(m->view->self, run, verdict == TAKEN) : 0;
}

/* Studies that have got another definition beside the one that they had. */
static int tell_redefined(struct merge *m)
{
    sqlite3_stmt *row;
    const char *name;
    if (!m->view || !m->view->redefined)
        return 0;
    int status = pl_store_prepare(m->store,
                                  "SELECT DISTINCT w.study FROM map_sweep AS x JOIN main.sweep AS w ON w.id = x.new"
                                  " JOIN main.sweep AS y ON y.study = w.study AND y.digest <> w.digest"
                                  " WHERE x.made AND y.id NOT IN (SELECT new FROM map_sweep WHERE made) ORDER BY 1",
                                  &row, m->err);
    while (!status && !(status = pl_store_next(m->store, row, m->err))) {
        status = pl_store_text(m->store, row, 0, "sweep", 0, &name, m->err);
        if (!status)
            status = m->view->redefined(m->view->self, name);
    }
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

static int count(struct pl_store *store, struct pl_merged *merged, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_prepare(
        store,
        "SELECT total(verdict = 0), total(verdict = 1 AND ours IN (2, 3) AND theirs IN (2, 3)),"
        " total(verdict = 2 AND ours IN (2, 3)), total(verdict = 3), total(verdict = 2"
        " AND ours NOT IN (2, 3)), total(verdict = 4), (SELECT count(*) FROM map_sweep"
        " WHERE made), (SELECT count(*) FROM other.run WHERE status = 1),"
        " (SELECT count(*) FROM other.submission), (SELECT count(*) FROM other.submission WHERE state < 2)"
        " FROM map_run",
        &row, err);
    if (status)
        return status;
    status = pl_store_next(store, row, err);
    if (!status)
        *merged = (struct pl_merged){.added = sqlite3_column_int64(row, 0),
                                     .equal = sqlite3_column_int64(row, 1),
                                     .replaced = sqlite3_column_int64(row, 2),
                                     .kept = sqlite3_column_int64(row, 3),
                                     .ended = sqlite3_column_int64(row, 4),
                                     .working = sqlite3_column_int64(row, 5),
                                     .sweeps = sqlite3_column_int64(row, 6),
                                     .working_there = sqlite3_column_int64(row, 7),
                                     .submissions = sqlite3_column_int64(row, 8),
                                     .open_submissions = sqlite3_column_int64(row, 9)};
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

static int merge_tables(struct merge *m, struct pl_merged *merged)
{
    struct pl_store *store = m->store;
    struct pl_error *err = m->err;
    int status = pl_store_script(store, "PRAGMA defer_foreign_keys = ON", err);
    if (!status)
        status = pl_store_script(store, names_sql, err);
    if (!status)
        status = mark_clocks(store, err);
    if (!status)
        status = copy_configs(store, err);
    if (!status)
        status = pl_store_script(store, runs_sql, err);
    if (!status)
        status = each_run(store, "2", supersede, m, err);
    if (!status)
        status = each_run(store, "2, 3", tell, m, err);
    if (!status)
        status = pl_store_script(store, attempts_sql, err);
    if (!status)
        status = pl_store_script(store, values_sql, err);
    if (!status)
        status = pl_store_script(store, sweeps_sql, err);
    if (!status)
        status = each_run(store, "2", judge, m, err);
    if (!status)
        status = count(store, merged, err);
    if (!status)
        status = tell_redefined(m);
    if (!status)
        status = pl_store_load_series(store, err);
    return status ? status : pl_store_describe_series(store, err);
}

/* ---- the other file ---- */

static int attach(struct pl_store *store, const char *path, bool frozen, struct pl_error *err)
{
    struct pl_text name = {0};
    sqlite3_stmt *statement;
    int64_t ignored;
    pl_text_add(&name, "file:");
    if (*path != '/')
        pl_text_add(&name, "./");
    for (const char *c = path; *c; c++)
        pl_text_addf(&name, strchr("?#%", *c) ? "%%%02X" : "%c", (unsigned char)*c);
    pl_text_add(&name, frozen ? "?immutable=1" : "?mode=ro");
    int status = pl_store_prepare(store, "ATTACH ?1 AS other", &statement, err);
    if (!status) {
        sqlite3_bind_text(statement, 1, pl_text(&name), -1, SQLITE_STATIC);
        status = sqlite3_step(statement) == SQLITE_DONE ? 0 : pl_store_fail(store, "attach a database to", err);
        sqlite3_finalize(statement);
    }
    if (!status)
        status = pl_store_integer(store, "SELECT count(*) FROM other.meta", &ignored, err);
    pl_text_release(&name);
    return status;
}

/* An older schema has been migrated in a copy without a name, which is given one. */
static int attach_other(struct pl_store *store, struct pl_store *other, struct pl_text *copy, struct pl_error *err)
{
    const char *name = sqlite3_db_filename(other->db, "main");
    if (name && *name) {
        struct pl_error first = {0};
        int status = pl_store_check_shape(other, err);
        if (status || !attach(store, other->path, other->frozen, &first))
            return status;
        pl_store_script(store, "DETACH other", NULL);
        return attach(store, other->path, true, err); /* in a folder that cannot be written */
    }
    int status = pl_folder_make_temporary(copy, err);
    struct pl_text path = {0};
    pl_text_addf(&path, "%s/other.db", pl_text(copy));
    if (!status)
        pl_leftover_add(pl_text(&path));
    if (!status)
        status = pl_store_backup(other, pl_text(&path), err);
    if (!status)
        status = attach(store, pl_text(&path), false, err);
    pl_text_release(&path);
    return status;
}

static void release_copy(struct pl_text *folder)
{
    struct pl_text path = {0};
    if (folder->length) {
        pl_folder_remove(pl_text(folder));
        pl_text_addf(&path, "%s/other.db", pl_text(folder));
        pl_leftover_drop(pl_text(&path));
    }
    pl_text_release(&path);
    pl_text_release(folder);
}

static int check_distinct(const struct pl_store *store, const char *path, struct pl_error *err)
{
    struct stat ours, theirs;
    if (!stat(store->path, &ours) && !stat(path, &theirs) && ours.st_dev == theirs.st_dev &&
        ours.st_ino == theirs.st_ino)
        return pl_fail(err, PL_EINPUT, "%s is the database itself", path);
    return 0;
}

int pl_store_merge(struct pl_store *store, const char *path, const struct pl_merge_view *view, struct pl_merged *merged,
                   struct pl_error *err)
{
    struct merge m = {store, view, err};
    struct pl_store *other = NULL;
    struct pl_text copy = {0};
    int status = check_distinct(store, path, err);
    if (!status)
        status = pl_store_open(&other, path, PL_STORE_READ, err);
    if (!status)
        status = attach_other(store, other, &copy, err);
    if (!status)
        status = pl_store_begin(store, err);
    if (!status) {
        status = merge_tables(&m, merged);
        if (!status)
            status = pl_store_check_frozen(other, err);
        if (!status)
            status = pl_store_commit(store, err);
    }
    pl_store_rollback(store); /* what was numbered here is not known to caches */
    pl_store_script(store, clean_sql, NULL);
    if (sqlite3_db_filename(store->db, "other"))
        pl_store_script(store, "DETACH other", NULL);
    pl_store_close(other);
    release_copy(&copy);
    return status;
}
