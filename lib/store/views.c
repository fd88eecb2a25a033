/* The views: the public interface of a results database, for poula query and for any other program.
 *
 * What a study decides (which way a metric is better, what validates, which runs diverged) is looked up here in the
 * sweep that holds the run: in the newest of each study for the views study_*, in the newest of all for the others.
 * Names that begin with _ are parts of others and may change. */
#include "store/look.h"
#include "store_priv.h"

#include <string.h>

/* Of a series s, declared (d) or not, and its result v. */
/* clang-format off */
#define DIRECTION "coalesce(d.direction, s.direction)"
#define BEST "CASE " DIRECTION " WHEN 0 THEN v.last WHEN 1 THEN v.lowest WHEN 2 THEN v.highest END"
#define BEST_EPOCH                                                                                                     \
    "CASE " DIRECTION " WHEN 0 THEN CASE WHEN v.last IS NOT NULL THEN v.last_epoch END WHEN 1 THEN v.lowest_epoch"      \
    " WHEN 2 THEN v.highest_epoch END"
#define BETTER "CASE " DIRECTION " WHEN 0 THEN 'none' WHEN 1 THEN 'min' WHEN 2 THEN 'max' END"
#define STATUS "CASE WHEN x.stopped IS NULL THEN coalesce(x.outcome, r.status) ELSE 6 END"
#define STATUS_WORD                                                                                                    \
    "CASE " STATUS " WHEN 0 THEN 'planned' WHEN 1 THEN 'running' WHEN 2 THEN 'finished' WHEN 3 THEN 'diverged'"         \
    " WHEN 4 THEN 'failed' WHEN 6 THEN 'stopped' ELSE 'interrupted' END"

/* The declaration of series s in the sweep that x is a place in. */
#define DECLARED " LEFT JOIN sweep_metric AS d ON d.sweep = x.sweep AND d.name = s.name"

/* The point of series s at the best validation of run r, by the study that x is a place in. */
#define VALIDATION                                                                                                     \
    " LEFT JOIN metric AS m ON m.run = v.run AND m.series = v.series AND m.value IS NOT NULL AND m.epoch ="             \
    " (SELECT CASE coalesce(e.direction, z.direction) WHEN 1 THEN q.lowest_epoch WHEN 2 THEN q.highest_epoch END AS at" \
    " FROM series AS z CROSS JOIN result AS q ON q.series = z.id AND q.run = v.run"                                     \
    " LEFT JOIN sweep_metric AS e ON e.sweep = x.sweep AND e.name = z.name"                                             \
    " WHERE coalesce(e.validates, z.validates) > 0 AND z.axis = s.axis AND at IS NOT NULL"                              \
    " ORDER BY coalesce(e.validates, z.validates), z.id LIMIT 1)"

/* The newest sweep of each study, and the newest that holds a run. */
#define NEWEST_OF_STUDY                                                                                                \
    "NOT EXISTS (SELECT 1 FROM sweep AS n WHERE n.study = w.study AND (n.launch, n.id) > (w.launch, w.id))"
#define NEWEST_WITH(run)                                                                                               \
    "(SELECT y.sweep FROM sweep_run AS y JOIN sweep AS w ON w.id = y.sweep WHERE y.run = " run                          \
    " ORDER BY w.launch DESC, w.id DESC LIMIT 1)"

/* Does every study that has run r, by its newest sweep, have stopped it? */
#define IS_STOPPED                                                                                                     \
    "EXISTS (SELECT 1 FROM sweep_run AS x WHERE x.run = r.id AND x.stopped IS NOT NULL) AND NOT EXISTS (SELECT 1"      \
    " FROM sweep_run AS x JOIN sweep AS w ON w.id = x.sweep WHERE x.run = r.id AND x.stopped IS NULL"                  \
    " AND " NEWEST_OF_STUDY ")"

/* Statistics of the values b of a group, whose extremes lo and hi stand in every row. Equal values have no deviation at
 * all, and huge ones do not overflow: deviations are taken in units of the range, means of huge values in parts, and what is
 * larger than any number is the largest. lib/results/statistics.c computes the same. */
#define BIG "1152921504606846976.0"
#define LARGEST "1.7976931348623157e308"
#define MEAN(b)                                                                                                        \
    "CASE WHEN min(" b ") = max(" b ") THEN min(" b ") ELSE max(min(" b "), min(max(" b "), CASE WHEN max(max(" b "),"  \
    " -min(" b ")) < 1e290 THEN avg(" b ") ELSE avg(" b " / " BIG ") * " BIG " END)) END"
#define UNIT "CASE WHEN hi - lo < 1e300 THEN (b - lo) / (hi - lo) ELSE (b / 4 - lo / 4) / (hi / 4 - lo / 4) END"
#define SPREAD "sqrt(max(0, sum(u * u) - sum(u) * sum(u) / count(u)) / (count(u) - 1))"
#define DEVIATION                                                                                                      \
    "CASE WHEN count(b) > 1 THEN CASE WHEN lo = hi THEN 0.0 WHEN hi - lo < 1e300 THEN (hi - lo) * " SPREAD              \
    " ELSE min((hi / 4 - lo / 4) * (4 * " SPREAD "), " LARGEST ") END END"

/* Configurations and metrics from rows of (part, config, series, axis-wise) runs: part is what parts them besides. */
#define SUMMARY(part, rows)                                                                                            \
    "SELECT " part "config, series, min(way) AS way, count(b) AS n, " MEAN ("b") " AS mean, " DEVIATION " AS std,"      \
    " min(b) AS least, max(b) AS most, " MEAN ("l") " AS mean_last, count(*) AS runs, sum(status = 2) AS finished,"     \
    " sum(status = 3) AS diverged, sum(status = 4) AS failed FROM (SELECT *, " UNIT " AS u FROM (SELECT *,"             \
    " min(b) OVER g AS lo, max(b) OVER g AS hi FROM (" rows ")"                                                         \
    " WINDOW g AS (PARTITION BY " part "config, series))) GROUP BY " part "config, series HAVING sum(has) > 0"
#define OF_RUN                                                                                                         \
    STATUS " AS status, CASE WHEN " STATUS " = 2 THEN " BEST " END AS b, CASE WHEN " STATUS " = 2 THEN v.last END AS l," \
    " " BETTER " AS way, v.run IS NOT NULL AS has"

/* Dropped and made again whenever a setting appears, and when a text below has changed. */
static const char *const views[] = {
    "DROP VIEW IF EXISTS runs; DROP VIEW IF EXISTS curves; DROP VIEW IF EXISTS best; DROP VIEW IF EXISTS summary;",
    "DROP VIEW IF EXISTS study_runs; DROP VIEW IF EXISTS attempts; DROP VIEW IF EXISTS provenance;",
    "DROP VIEW IF EXISTS studies; DROP VIEW IF EXISTS study_best; DROP VIEW IF EXISTS study_summary;",
    "DROP VIEW IF EXISTS superseded; DROP VIEW IF EXISTS judged; DROP VIEW IF EXISTS _summary; DROP VIEW IF EXISTS _study_summary;",
    "DROP VIEW IF EXISTS tasks; DROP VIEW IF EXISTS submissions; DROP VIEW IF EXISTS rungs;",

    "CREATE VIEW study_runs AS SELECT w.study, x.position, x.run, x.config, " STATUS_WORD " AS status,"
    " coalesce(x.bad_epoch, r.bad_epoch) AS bad_epoch, x.bracket, CAST(x.stopped AS NUMERIC) AS stopped_at FROM sweep AS w JOIN sweep_run AS x ON x.sweep = w.id"
    " JOIN run AS r ON r.id = x.run WHERE " NEWEST_OF_STUDY ";",

    "CREATE VIEW studies AS SELECT w.study, count(*) AS runs, count(DISTINCT r.config) AS configs, w.seeds,"
    " sum(" STATUS " = 0) AS planned, sum(" STATUS " = 1 AND r.begun IS NULL) AS queued,"
    " sum(" STATUS " = 1 AND r.begun IS NOT NULL) AS running, sum(" STATUS " = 2) AS finished,"
    " sum(" STATUS " = 3) AS diverged, sum(" STATUS " = 4) AS failed, sum(" STATUS " = 5) AS interrupted,"
    " sum(" STATUS " = 6) AS stopped, w.path,"
    " datetime(w.created, 'unixepoch') AS created, datetime(w.started, 'unixepoch') AS started"
    " FROM sweep AS w JOIN sweep_run AS x ON x.sweep = w.id JOIN run AS r ON r.id = x.run"
    " WHERE " NEWEST_OF_STUDY " GROUP BY w.id;",

    "CREATE VIEW runs AS SELECT r.id AS run, lower(hex(r.key)) AS key, $status AS status,"
    " (SELECT group_concat(study, ', ') FROM (SELECT DISTINCT w.study FROM sweep_run AS x JOIN sweep AS w"
    " ON w.id = x.sweep WHERE x.run = r.id ORDER BY w.id)) AS study, r.config, r.seed, r.attempts, r.bad_epoch,"
    " coalesce(a.reason, a.unsaved_example) AS reason, a.unsaved, CASE r.status WHEN 1 THEN (julianday('now') - 2440587.5) * 86400 - r.begun ELSE a.seconds END AS seconds,"
    " datetime(CASE r.status WHEN 1 THEN r.begun ELSE a.started END, 'unixepoch') AS started,"
    " coalesce(k.name, h.host) AS host,"
    " CASE r.status WHEN 1 THEN (SELECT max(m.epoch) FROM metric AS m JOIN series AS e"
    " ON e.id = m.series WHERE m.run = r.id AND e.axis = 0) END AS at_epoch, CASE WHEN r.status = 5 AND " IS_STOPPED
    " THEN (SELECT CAST(max(x.stopped) AS NUMERIC) FROM sweep_run AS x WHERE x.run = r.id) END AS stopped_at,"
    " (SELECT group_concat(name, ', ') FROM (SELECT name FROM tag WHERE run = r.id ORDER BY name)) AS tags,"
    " (SELECT text FROM note WHERE run = r.id) AS note, r.thinned, nullif(lower(hex(r.source)), '') AS extends$settings"
    " FROM run AS r JOIN config AS c ON c.id = r.config" /* of a run at work, or wanted anew, the last attempt is not it */
    " LEFT JOIN attempt AS a ON a.run = r.id AND a.number = r.attempts AND r.status > 1"
    " LEFT JOIN session AS h ON h.id = coalesce(r.session, a.session) LEFT JOIN host AS k ON k.id = a.host;",

    "CREATE VIEW curves AS SELECT m.run, s.name AS metric, CAST(m.epoch AS NUMERIC) AS epoch, m.value, m.kind,"
    " CASE s.axis WHEN 1 THEN 'step' ELSE 'epoch' END AS axis FROM metric AS m JOIN series AS s ON s.id = m.series;",

    "CREATE VIEW best AS SELECT v.run, s.name AS metric, " BEST " AS value, " BEST_EPOCH " AS epoch, v.last,"
    " v.last_epoch, v.last_kind, m.value AS at_best_valid, m.epoch AS valid_epoch, " STATUS_WORD " AS status, r.config,"
    " r.seed, " BETTER " AS better$settings FROM result AS v JOIN series AS s ON s.id = v.series"
    " JOIN run AS r ON r.id = v.run JOIN config AS c ON c.id = r.config LEFT JOIN sweep_run AS x ON x.run = v.run"
    " AND x.sweep = " NEWEST_WITH ("v.run") DECLARED VALIDATION ";",

    "CREATE VIEW study_best AS SELECT w.study, v.run, s.name AS metric, " BEST " AS value, " BEST_EPOCH " AS epoch,"
    " v.last, v.last_epoch, v.last_kind, m.value AS at_best_valid, m.epoch AS valid_epoch, " STATUS_WORD " AS status,"
    " r.config, r.seed, " BETTER " AS better$settings FROM sweep AS w JOIN sweep_run AS x ON x.sweep = w.id"
    " CROSS JOIN series AS s CROSS JOIN result AS v ON v.series = s.id AND v.run = x.run JOIN run AS r ON r.id = x.run"
    " JOIN config AS c ON c.id = r.config" DECLARED VALIDATION " WHERE " NEWEST_OF_STUDY ";",

    /* A configuration without any result has one row, without a metric. */
    "CREATE VIEW summary AS SELECT g.config, s.name AS metric, g.n, g.mean, g.std, g.least AS min, g.most AS max,"
    " g.mean_last, g.runs, g.finished, g.diverged, g.failed, g.way AS better$settings FROM ("
    SUMMARY ("", "SELECT k.id AS config, s.id AS series, " OF_RUN " FROM config AS k CROSS JOIN series AS s"
             " CROSS JOIN run AS r ON r.config = k.id LEFT JOIN sweep_run AS x ON x.run = r.id AND x.sweep = "
             NEWEST_WITH ("r.id") DECLARED " LEFT JOIN result AS v ON v.series = s.id AND v.run = r.id")
    " UNION ALL SELECT k.id, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, count(*), sum(r.status = 2),"
    " sum(r.status = 3), sum(r.status = 4) FROM config AS k CROSS JOIN run AS r ON r.config = k.id"
    " WHERE NOT EXISTS (SELECT 1 FROM run AS q CROSS JOIN series AS e CROSS JOIN result AS v ON v.series = e.id"
    " AND v.run = q.id WHERE q.config = k.id) GROUP BY k.id) AS g"
    " JOIN config AS c ON c.id = g.config LEFT JOIN series AS s ON s.id = g.series;",

    "CREATE VIEW study_summary AS SELECT w.study, g.config, s.name AS metric, g.n, g.mean, g.std, g.least AS min,"
    " g.most AS max, g.mean_last, g.runs, g.finished, g.diverged, g.failed, g.way AS better$settings FROM ("
    SUMMARY ("sweep, ", "SELECT x.sweep, x.config, s.id AS series, " OF_RUN " FROM sweep AS w"
             " JOIN sweep_run AS x ON x.sweep = w.id JOIN run AS r ON r.id = x.run CROSS JOIN series AS s" DECLARED
             " LEFT JOIN result AS v ON v.series = s.id AND v.run = x.run WHERE " NEWEST_OF_STUDY)
    " UNION ALL SELECT x.sweep, x.config, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, count(*), sum(" STATUS " = 2),"
    " sum(" STATUS " = 3), sum(" STATUS " = 4) FROM sweep AS w JOIN sweep_run AS x ON x.sweep = w.id"
    " JOIN run AS r ON r.id = x.run WHERE " NEWEST_OF_STUDY " GROUP BY x.sweep, x.config"
    " HAVING max(EXISTS (SELECT 1 FROM series AS e CROSS JOIN result AS v ON v.series = e.id AND v.run = x.run)) = 0"
    ") AS g JOIN sweep AS w ON w.id = g.sweep JOIN config AS c ON c.id = g.config LEFT JOIN series AS s ON s.id = g.series;",

    "CREATE VIEW attempts AS SELECT a.run, a.number,"
    " CASE a.outcome WHEN 2 THEN 'finished' WHEN 3 THEN 'diverged' WHEN 4 THEN 'failed' ELSE 'interrupted' END"
    " AS outcome, a.reason, a.exit_code, a.signal, datetime(a.started, 'unixepoch') AS started, a.seconds, a.threads,"
    " a.worker, a.session, coalesce(k.name, h.host) AS host, a.log, a.reading, a.unread, a.unread_example,"
    " a.unsaved, a.unsaved_example, p.folder, p.file AS program, p.files, p.git_commit, p.dirty"
    " FROM attempt AS a JOIN session AS h ON h.id = a.session LEFT JOIN program AS p ON p.id = a.program"
    " LEFT JOIN host AS k ON k.id = a.host;",

    /* What attempts came to whose values others have taken the place of. */
    "CREATE VIEW superseded AS SELECT v.run, v.number AS attempt, s.name AS metric, v.lowest, v.lowest_epoch, v.highest,"
    " v.highest_epoch, v.last, v.last_epoch, v.last_kind, CASE s.axis WHEN 1 THEN 'step' ELSE 'epoch' END AS axis"
    " FROM attempt_result AS v JOIN series AS s ON s.id = v.series;",

    "CREATE VIEW provenance AS SELECT r.id AS run, a.number AS attempt, coalesce(k.name, h.host) AS host,"
    " coalesce(k.cpu, h.cpu) AS cpu, coalesce(k.isa, h.isa) AS isa, a.threads, h.jobs,"
    " coalesce(k.version, h.version) AS version, coalesce(k.compiler, h.compiler) AS compiler,"
    " coalesce(k.libraries, h.libraries) AS libraries, h.data, datetime(h.started, 'unixepoch') AS session_started, h.id AS session,"
    " p.folder, p.file AS program, p.files, p.git_commit, p.dirty"
    " FROM run AS r JOIN attempt AS a ON a.run = r.id AND a.number = r.attempts JOIN session AS h"
    " ON h.id = a.session LEFT JOIN program AS p ON p.id = a.program LEFT JOIN host AS k ON k.id = a.host;",

    /* By what runs that compete were ranked. */
    "CREATE VIEW rungs AS SELECT v.run, s.name AS metric, CAST(v.epoch AS NUMERIC) AS epoch, v.value, v.kind,"
    " CASE v.best WHEN 1 THEN 'best' ELSE 'last' END AS which FROM rung AS v JOIN series AS s ON s.id = v.series;",

    /* What batch systems have been given. */
    "CREATE VIEW tasks AS SELECT s.name AS submission, w.study, t.number AS task, CASE WHEN a.job IS NOT NULL"
    " THEN a.job || '_' || (t.number - a.first) END AS job, CASE WHEN s.state = 2 OR t.over THEN 'over' WHEN a.state = 3"
    " THEN 'refused' WHEN a.job IS NULL THEN 'not submitted' ELSE lower(coalesce(nullif(t.word, ''),"
    " CASE WHEN t.state IS NULL THEN 'submitted' ELSE 'unknown' END)) END AS state,"
    " (SELECT count(*) FROM submission_run AS x WHERE x.submission = s.id AND x.task = t.number) AS runs,"
    " (SELECT count(*) FROM submission_run AS x JOIN run AS r ON r.id = x.run WHERE x.submission = s.id"
    " AND x.task = t.number AND r.session IS NOT s.session) AS ended, t.node,"
    " datetime(t.since, 'unixepoch') AS since, t.starts, coalesce(t.reason, a.reason) AS reason FROM submission AS s"
    " JOIN sweep AS w ON w.id = s.sweep JOIN submission_task AS t ON t.submission = s.id LEFT JOIN submission_array AS a"
    " ON a.submission = s.id AND t.number >= a.first AND t.number < a.first + a.count;",
    "CREATE VIEW submissions AS SELECT s.name AS submission, w.study, s.system, s.user, CASE s.state WHEN 0 THEN"
    " 'being written' WHEN 1 THEN 'open' ELSE 'closed' END AS state, s.tasks, (SELECT count(*) FROM submission_task AS t"
    " WHERE t.submission = s.id AND (t.over OR s.state = 2)) AS over, s.runs, (SELECT count(*) FROM submission_run AS x"
    " JOIN run AS r ON r.id = x.run WHERE x.submission = s.id AND r.session IS NOT s.session) AS ended, s.resources,"
    " datetime(s.created, 'unixepoch') AS created, s.folder FROM submission AS s JOIN sweep AS w ON w.id = s.sweep;",
};
/* clang-format on */

static const char status_case[] =
    "CASE r.status WHEN 0 THEN 'planned' WHEN 1 THEN CASE WHEN r.begun IS NULL THEN 'queued' ELSE 'running' END"
    " WHEN 2 THEN 'finished' WHEN 3 THEN 'diverged' WHEN 4 THEN 'failed' ELSE CASE WHEN " IS_STOPPED
    " THEN 'stopped' ELSE 'interrupted' END END";

/* Names that Python, R, DuckDB or SQL itself reserve: a column that has one gets a second name with _ behind it. */
static const char words[] =
    "all analyse analyze and any array as asc assert async await between break by case cast check class collate column "
    "constraint continue create cross current def default deferrable del desc distinct do drop elif else end except "
    "exec exists false finally for foreign from full function global grant group having if import in index initially "
    "inner insert intersect into is join lambda lateral leading left like limit match natural next none nonlocal not "
    "null offset on only or order outer partition pass placing pivot primary qualify raise references repeat return "
    "returning right select set some symmetric table then to trailing true try union unique unpivot update user using "
    "values variadic when where while window with yield";

static bool is_reserved(const char *name)
{
    char lower[32];
    size_t n = strlen(name);
    for (size_t i = 0; i <= n && n < sizeof lower; i++)
        lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
    return n < sizeof lower && pl_has_word(words, lower);
}

/* The second names of the columns, behind all others, as far as no setting has them. */
static int second_names(struct pl_store *store, struct pl_text *out, struct pl_error *err)
{
    sqlite3_stmt *keys;
    struct pl_text second = {0};
    int status = pl_store_prepare(store,
                                  "SELECT id, name FROM setting_key AS k WHERE name IS NOT NULL AND NOT EXISTS"
                                  " (SELECT 1 FROM setting_key AS o WHERE o.name = k.name || '_') ORDER BY id",
                                  &keys, err);
    while (!status && !(status = pl_store_next(store, keys, err))) {
        const char *name;
        status = pl_store_text(store, keys, 1, "setting_key", sqlite3_column_int64(keys, 0), &name, err);
        if (status)
            break;
        if (!is_reserved(name))
            continue;
        pl_text_clear(&second);
        pl_text_addf(&second, "%s_", name);
        pl_text_addf(out, ", c.s%lld AS ", (long long)sqlite3_column_int64(keys, 0));
        pl_store_add_identifier(out, pl_text(&second));
    }
    sqlite3_finalize(keys);
    pl_text_release(&second);
    return status < 0 ? status : 0;
}

static int settings_columns(struct pl_store *store, struct pl_text *out, struct pl_error *err)
{
    sqlite3_stmt *keys;
    int status = pl_store_prepare(store, "SELECT id, name FROM setting_key WHERE name IS NOT NULL ORDER BY id", &keys,
                                  err);
    if (status)
        return status;
    while (!(status = pl_store_next(store, keys, err))) {
        const char *name;
        status = pl_store_text(store, keys, 1, "setting_key", sqlite3_column_int64(keys, 0), &name, err);
        if (status)
            break;
        pl_text_addf(out, ", c.s%lld AS ", (long long)sqlite3_column_int64(keys, 0));
        pl_store_add_identifier(out, name);
    }
    sqlite3_finalize(keys);
    return status < 0 ? status : 0;
}

static void expand(struct pl_text *sql, const char *text, const char *settings)
{
    while (*text) {
        size_t plain = strcspn(text, "$");
        pl_text_add_bytes(sql, text, plain);
        text += plain;
        if (!strncmp(text, "$status", 7)) {
            pl_text_add(sql, status_case);
            text += 7;
        } else if (*text) {
            pl_text_add(sql, settings);
            text += strlen("$settings");
        }
    }
}

/* What the texts are known by: a database that was made with others gets these. */
static void digest_views(char hex[2 * PL_DIGEST_SIZE + 1])
{
    struct pl_text all = {0};
    unsigned char digest[PL_DIGEST_SIZE];
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        pl_text_add(&all, views[i]);
    pl_text_add(&all, status_case);
    pl_text_add(&all, words);
    pl_digest(pl_text(&all), all.length, digest);
    pl_digest_hex(digest, PL_DIGEST_SIZE, hex);
    pl_text_release(&all);
}

static int make_each(struct pl_store *store, bool temporary, struct pl_error *err)
{
    struct pl_text columns = {0}, sql = {0};
    int status = settings_columns(store, &columns, err);
    if (!status)
        status = second_names(store, &columns, err);
    for (size_t i = 0; !status && i < sizeof views / sizeof *views; i++) {
        static const char create[] = "CREATE ";
        const char *text = views[i];
        bool makes = !strncmp(text, create, strlen(create));
        if (temporary && !makes)
            continue;
        pl_text_clear(&sql);
        if (temporary) {
            pl_text_add(&sql, "CREATE TEMP ");
            text += strlen(create);
        }
        expand(&sql, text, pl_text(&columns));
        status = pl_store_script(store, pl_text(&sql), err);
    }
    pl_text_release(&columns);
    pl_text_release(&sql);
    return status;
}

int pl_store_drop_views(struct pl_store *store, struct pl_error *err)
{
    int status = 0;
    for (size_t i = 0; i < sizeof views / sizeof *views && !status; i++)
        if (!strncmp(views[i], "DROP", 4))
            status = pl_store_script(store, views[i], err);
    return status;
}

int pl_store_make_views(struct pl_store *store, struct pl_error *err)
{
    struct pl_text sql = {0};
    char digest[2 * PL_DIGEST_SIZE + 1];
    int status = make_each(store, false, err);
    digest_views(digest);
    pl_text_addf(&sql, "INSERT OR REPLACE INTO meta VALUES ('views', '%s')", digest);
    if (!status)
        status = pl_store_script(store, pl_text(&sql), err);
    if (!status)
        store->views_stale = false;
    pl_text_release(&sql);
    return status;
}

static int are_current(struct pl_store *store, bool *current, struct pl_error *err)
{
    char digest[2 * PL_DIGEST_SIZE + 1];
    struct pl_text sql = {0};
    int64_t same = 0;
    digest_views(digest);
    pl_text_addf(&sql, "SELECT count(*) FROM meta WHERE key = 'views' AND value = '%s'", digest);
    int status = pl_store_integer(store, pl_text(&sql), &same, err);
    pl_text_release(&sql);
    *current = same;
    return status;
}

/* Views and what they know of series are those of this program. */
static int find_stale(struct pl_store *store, bool *stale, struct pl_error *err)
{
    bool current = false, described = false;
    int status = are_current(store, &current, err);
    if (!status)
        status = pl_store_load_series(store, err);
    if (!status)
        status = pl_store_series_described(store, &described, err);
    *stale = !current || !described;
    return status;
}

static int renew(struct pl_store *store, struct pl_error *err)
{
    int status = pl_store_load_series(store, err);
    if (!status)
        status = pl_store_describe_series(store, err);
    store->views_stale = true;
    return status;
}

/* Names without a schema mean temporary tables and views first, here and in the statements of a store: those of the
 * file are as if they were not there. */
static const char temporary_series[] =
    "CREATE TEMP TABLE series (id INTEGER PRIMARY KEY, name TEXT NOT NULL, axis INTEGER NOT NULL, direction INTEGER,"
    " validates INTEGER, loss INTEGER NOT NULL, UNIQUE (name, axis));"
    "INSERT INTO temp.series SELECT id, name, axis, direction, validates, loss FROM main.series";

static int renew_temporary(struct pl_store *store, struct pl_error *err)
{
    int status = pl_store_script(store, temporary_series, err);
    if (!status)
        status = pl_store_describe_series(store, err);
    return status ? status : make_each(store, true, err);
}

int pl_store_renew_views(struct pl_store *store, struct pl_error *err)
{
    bool own, stale;
    int status = find_stale(store, &stale, err);
    if (status || !stale)
        return status;
    if (store->mode == PL_STORE_WRITE) {
        status = pl_store_write_enter(store, &own, err);
        return status ? status : pl_store_write_leave(store, own, renew(store, err), err);
    }
    return renew_temporary(store, err);
}
