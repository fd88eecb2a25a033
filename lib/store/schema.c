/* The schema: numbered migrations, each in one transaction; views.c has the views, which are the public interface.
 *
 * The tables may change from version to version; the views keep their columns. A setting is kept twice:
 * as a typed row of `setting`, and as a column of `config` (s1, s2, ...; setting_key says which), because a
 * view over a million runs must find twelve settings with one look-up, not with twelve. For the same reason
 * sweep_run repeats a run's configuration and seed, and result its status: none of them ever changes, and a
 * report on a million runs then walks two tables side by side and never looks a run up. */
#include "store_priv.h"

#include <string.h>

/* A value is a finite number, or NULL with the kind of what it was. (IN would build a table for every row.) */
#define KIND_CHECK(kind, value)                                                                                        \
    " CHECK (CASE WHEN " kind " IS NULL THEN " value " IS NOT NULL ELSE " value " IS NULL AND (" kind                  \
    " = 'nan' OR " kind " = 'inf' OR " kind " = '-inf') END)"

/* A place along an axis: a whole number, or a fraction. */
#define POSITION(name)                                                                                                 \
    " " name " ANY CHECK (" name " IS NULL OR typeof(" name ") = 'integer' OR typeof(" name ") = 'real')"

/* The points of a result that is being migrated. */
#define OF_RESULT " FROM metric AS m WHERE m.run = v.run AND m.series = v.series"

/* A trigger that refuses to delete rows of a table. */
#define REFUSES(table, when, why)                                                                                      \
    "CREATE TRIGGER " table "_kept BEFORE DELETE ON " table " WHEN " when " BEGIN SELECT RAISE(ABORT, '" why "'); "    \
    "END;"

/* In order of version; a version may take several. */
/* clang-format off */
static const struct migration {
    int version;
    const char *sql;
} migrations[] = {
    {1, "CREATE TABLE setting_key (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,"
    " name TEXT UNIQUE COLLATE NOCASE) STRICT;" /* of its column in the views */
    "CREATE TABLE config (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),"
    " settings TEXT NOT NULL) STRICT;"
    "CREATE TABLE setting (config INTEGER NOT NULL REFERENCES config (id), key TEXT NOT NULL,"
    " type TEXT NOT NULL CHECK (type IN ('real', 'integer', 'boolean', 'string')), value ANY NOT NULL,"
    " PRIMARY KEY (config, key)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE session (id INTEGER PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, process TEXT NOT NULL,"
    " machine TEXT NOT NULL, cpu TEXT, isa TEXT, version TEXT, compiler TEXT, libraries TEXT, data TEXT,"
    " jobs INTEGER NOT NULL, threads INTEGER NOT NULL, started REAL NOT NULL, beat REAL NOT NULL, ended REAL) STRICT;"
    "CREATE INDEX session_open ON session (id) WHERE ended IS NULL;"
    "CREATE TABLE run (id INTEGER PRIMARY KEY, config INTEGER NOT NULL REFERENCES config (id),"
    " seed INTEGER NOT NULL, key BLOB NOT NULL UNIQUE CHECK (length(key) = 32),"
    " status INTEGER NOT NULL DEFAULT 0 CHECK (status BETWEEN 0 AND 5), session INTEGER REFERENCES session (id),"
    " bad_epoch INTEGER, attempts INTEGER NOT NULL DEFAULT 0,"
    " CHECK ((status = 1) = (session IS NOT NULL))) STRICT;"
    "CREATE INDEX run_config ON run (config);"
    "CREATE INDEX run_held ON run (session) WHERE session IS NOT NULL;"
    "CREATE TABLE sweep (id INTEGER PRIMARY KEY, study TEXT NOT NULL, path TEXT NOT NULL, spec TEXT NOT NULL,"
    " digest BLOB NOT NULL, seeds INTEGER NOT NULL, launch INTEGER NOT NULL, place INTEGER NOT NULL,"
    " created REAL NOT NULL, started REAL NOT NULL, UNIQUE (study, digest)) STRICT;"
    "CREATE TABLE sweep_run (sweep INTEGER NOT NULL REFERENCES sweep (id), position INTEGER NOT NULL,"
    " run INTEGER NOT NULL REFERENCES run (id), config INTEGER NOT NULL, seed INTEGER NOT NULL,"
    " PRIMARY KEY (sweep, position)) STRICT, WITHOUT ROWID;"
    "CREATE UNIQUE INDEX sweep_run_by_run ON sweep_run (run, sweep);"
    "CREATE TABLE attempt (run INTEGER NOT NULL REFERENCES run (id), number INTEGER NOT NULL,"
    " session INTEGER NOT NULL REFERENCES session (id), outcome INTEGER NOT NULL CHECK (outcome BETWEEN 2 AND 5),"
    " exit_code INTEGER, signal INTEGER, reason TEXT, log TEXT, started REAL, seconds REAL, threads INTEGER,"
    " worker INTEGER, PRIMARY KEY (run, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE series (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " direction INTEGER NOT NULL CHECK (direction BETWEEN 0 AND 2)) STRICT;"
    "CREATE TABLE metric (run INTEGER NOT NULL, series INTEGER NOT NULL,"
    " epoch INTEGER NOT NULL, value REAL, kind TEXT, PRIMARY KEY (run, series, epoch)," KIND_CHECK ("kind", "value")
    ") STRICT, WITHOUT ROWID;"
    "CREATE TABLE result (series INTEGER NOT NULL REFERENCES series (id), run INTEGER NOT NULL REFERENCES run (id),"
    " status INTEGER NOT NULL CHECK (status BETWEEN 2 AND 3), best REAL, best_epoch INTEGER, last REAL, last_epoch INTEGER NOT NULL,"
    " last_kind TEXT, valid REAL, valid_epoch INTEGER, PRIMARY KEY (series, run)," KIND_CHECK ("last_kind", "last")
    ") STRICT, WITHOUT ROWID;"},

    /* 2: a direction belongs to a study, never to the database or to a run, which studies share. Series are a metric along
     * an axis, positions may be fractions, results keep both extremes, and claims are numbered. */
    {2, "DROP VIEW IF EXISTS runs; DROP VIEW IF EXISTS curves; DROP VIEW IF EXISTS best; DROP VIEW IF EXISTS summary;"
    "DROP VIEW IF EXISTS study_runs; DROP VIEW IF EXISTS attempts; DROP VIEW IF EXISTS provenance;"
    "DROP VIEW IF EXISTS studies;"
    "CREATE TABLE series_2 (id INTEGER PRIMARY KEY, name TEXT NOT NULL, axis INTEGER NOT NULL CHECK (axis IN (0, 1)),"
    " direction INTEGER CHECK (direction BETWEEN 0 AND 2)," /* that the name tells; NULL: none */
    " validates INTEGER," /* rank among the metrics of validation; NULL: it is none */
    " loss INTEGER NOT NULL DEFAULT 0 CHECK (loss IN (0, 1))," /* a run in which it is not finite to the end has diverged */
    " UNIQUE (name, axis)) STRICT;"
    "INSERT INTO series_2 (id, name, axis) SELECT id, name, 0 FROM series;"
    "CREATE TABLE sweep_metric (sweep INTEGER NOT NULL REFERENCES sweep (id), name TEXT NOT NULL,"
    " direction INTEGER CHECK (direction BETWEEN 0 AND 2), loss INTEGER CHECK (loss IN (0, 1)),"
    " validates INTEGER," /* as in series; 0: it is none, whatever its name says */
    " origin TEXT NOT NULL CHECK (origin IN ('declared', 'migrated')), PRIMARY KEY (sweep, name)) STRICT, WITHOUT ROWID;"
    "INSERT INTO sweep_metric (sweep, name, direction, origin) SELECT w.id, s.name, s.direction, 'migrated'"
    " FROM sweep AS w CROSS JOIN series AS s WHERE EXISTS (SELECT 1 FROM sweep_run AS x CROSS JOIN result AS v"
    " ON v.series = s.id AND v.run = x.run WHERE x.sweep = w.id);"},
    {2, "CREATE TABLE metric_2 (run INTEGER NOT NULL, series INTEGER NOT NULL," POSITION ("epoch") " NOT NULL, value REAL,"
    " kind TEXT, PRIMARY KEY (run, series, epoch)," KIND_CHECK ("kind", "value") ") STRICT, WITHOUT ROWID;"
    "INSERT INTO metric_2 SELECT run, series, epoch, value, kind FROM metric;"
    "CREATE TABLE result_2 (series INTEGER NOT NULL REFERENCES series_2 (id), run INTEGER NOT NULL REFERENCES run (id),"
    " status INTEGER NOT NULL CHECK (status BETWEEN 2 AND 3), lowest REAL," POSITION ("lowest_epoch") ", highest REAL,"
    POSITION ("highest_epoch") ", last REAL," POSITION ("last_epoch") " NOT NULL, last_kind TEXT,"
    POSITION ("bad_epoch") "," /* from here on to the end it is not finite */
    " PRIMARY KEY (series, run)," KIND_CHECK ("last_kind", "last") ") STRICT, WITHOUT ROWID;"
    "INSERT INTO result_2 SELECT v.series, v.run, v.status,"
    " (SELECT value" OF_RESULT " AND m.value IS NOT NULL ORDER BY m.value, m.epoch LIMIT 1),"
    " (SELECT epoch" OF_RESULT " AND m.value IS NOT NULL ORDER BY m.value, m.epoch LIMIT 1),"
    " (SELECT value" OF_RESULT " AND m.value IS NOT NULL ORDER BY m.value DESC, m.epoch LIMIT 1),"
    " (SELECT epoch" OF_RESULT " AND m.value IS NOT NULL ORDER BY m.value DESC, m.epoch LIMIT 1),"
    " v.last, v.last_epoch, v.last_kind,"
    " (SELECT min(epoch)" OF_RESULT " AND m.epoch > coalesce((SELECT max(epoch)" OF_RESULT " AND m.value IS NOT NULL), -9e999))"
    " FROM result AS v;"},
    {2, "DROP TABLE result; DROP TABLE metric; DROP TABLE series;"
    "ALTER TABLE series_2 RENAME TO series; ALTER TABLE metric_2 RENAME TO metric; ALTER TABLE result_2 RENAME TO result;"
    "ALTER TABLE run ADD COLUMN" POSITION ("bad_at") "; UPDATE run SET bad_at = bad_epoch WHERE bad_epoch IS NOT NULL;"
    "ALTER TABLE run DROP COLUMN bad_epoch; ALTER TABLE run RENAME COLUMN bad_at TO bad_epoch;"
    "ALTER TABLE run ADD COLUMN token INTEGER NOT NULL DEFAULT 0;" /* of its newest claim */
    "ALTER TABLE run ADD COLUMN begun REAL;" /* when a worker began to train it; NULL: it waits for one */
    "ALTER TABLE sweep_run ADD COLUMN outcome INTEGER CHECK (outcome BETWEEN 2 AND 3);" /* NULL: the run's own */
    "ALTER TABLE sweep_run ADD COLUMN" POSITION ("bad_epoch") ";"
    "ALTER TABLE session ADD COLUMN beats INTEGER NOT NULL DEFAULT 0;"},
    {2, "CREATE TABLE program (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),"
    " folder TEXT NOT NULL, file TEXT, files TEXT NOT NULL," /* files: a JSON object of paths and their SHA-256 */
    " git_commit TEXT, dirty INTEGER) STRICT;"
    "ALTER TABLE attempt ADD COLUMN program INTEGER REFERENCES program (id);"
    "CREATE TABLE host (id INTEGER PRIMARY KEY, name TEXT NOT NULL, cpu TEXT NOT NULL, isa TEXT NOT NULL,"
    " version TEXT NOT NULL, compiler TEXT NOT NULL, libraries TEXT NOT NULL,"
    " UNIQUE (name, cpu, isa, version, compiler, libraries)) STRICT;"
    "ALTER TABLE attempt ADD COLUMN host INTEGER REFERENCES host (id);" /* what its worker ran on; NULL: as its session */
    "ALTER TABLE attempt ADD COLUMN reading TEXT;" /* how its output was read, a JSON object */
    "ALTER TABLE attempt ADD COLUMN unread INTEGER;" /* lines that looked like metrics and were not understood */
    "ALTER TABLE attempt ADD COLUMN unread_example TEXT;"
    "ALTER TABLE attempt ADD COLUMN unsaved INTEGER;" /* checkpoints and weights that could not be written */
    "ALTER TABLE attempt ADD COLUMN unsaved_example TEXT;"
    "CREATE TABLE attempt_result (run INTEGER NOT NULL, number INTEGER NOT NULL, series INTEGER NOT NULL REFERENCES series (id),"
    " lowest REAL," POSITION ("lowest_epoch") ", highest REAL," POSITION ("highest_epoch") ", last REAL,"
    POSITION ("last_epoch") " NOT NULL, last_kind TEXT, PRIMARY KEY (run, number, series),"
    " FOREIGN KEY (run, number) REFERENCES attempt (run, number)) STRICT, WITHOUT ROWID;" /* of superseded attempts */
    /* pairs of programs of which the results of the older one were accepted where the newer one was wanted */
    "CREATE TABLE accepted (older INTEGER NOT NULL REFERENCES program (id), newer INTEGER NOT NULL REFERENCES program (id),"
    " PRIMARY KEY (older, newer)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;"
    "INSERT INTO meta VALUES ('token', lower(hex(randomblob(16))));"}, /* of this database, for what belongs to it */

    /* 3: submissions to batch systems; the states are those of store/submission.h */
    {3, "CREATE TABLE submission (id INTEGER PRIMARY KEY, session INTEGER NOT NULL UNIQUE REFERENCES session (id),"
    " sweep INTEGER NOT NULL REFERENCES sweep (id), state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),"
    " tasks INTEGER NOT NULL DEFAULT 0, runs INTEGER NOT NULL DEFAULT 0, threads INTEGER NOT NULL, created REAL NOT NULL,"
    " name TEXT NOT NULL UNIQUE, system TEXT NOT NULL, folder TEXT NOT NULL, user TEXT NOT NULL, resources TEXT NOT NULL,"
    " reading TEXT) STRICT;"
    "CREATE TABLE submission_array (submission INTEGER NOT NULL REFERENCES submission (id), number INTEGER NOT NULL,"
    " first INTEGER NOT NULL, count INTEGER NOT NULL, state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),"
    " name TEXT NOT NULL UNIQUE, job TEXT, asker TEXT, space TEXT, reason TEXT, PRIMARY KEY (submission, number))"
    " STRICT, WITHOUT ROWID;"
    "CREATE TABLE submission_task (submission INTEGER NOT NULL REFERENCES submission (id), number INTEGER NOT NULL,"
    " over INTEGER NOT NULL DEFAULT 0 CHECK (over IN (0, 1)), state INTEGER, word TEXT, reason TEXT,"
    " node TEXT, since REAL, starts INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (submission, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE submission_run (submission INTEGER NOT NULL, task INTEGER NOT NULL,"
    " run INTEGER NOT NULL REFERENCES run (id), program INTEGER REFERENCES program (id),"
    " received INTEGER NOT NULL DEFAULT 0," /* values of the attempt at work */
    " forgotten INTEGER NOT NULL DEFAULT 0," /* axes along which it has replaced what was there: 1, 2 */
    " PRIMARY KEY (submission, task, run), FOREIGN KEY (submission, task) REFERENCES submission_task (submission, number))"
    " STRICT, WITHOUT ROWID;"
    "CREATE TABLE journal (submission INTEGER NOT NULL, task INTEGER NOT NULL, attempt INTEGER NOT NULL,"
    " bytes INTEGER NOT NULL, chain INTEGER NOT NULL, host INTEGER REFERENCES host (id),"
    " PRIMARY KEY (submission, task, attempt), FOREIGN KEY (submission, task) REFERENCES submission_task (submission, number))"
    " STRICT, WITHOUT ROWID;"},
    /* 4: tags and notes of runs, curves that were thinned, runs that went on from others; and whatever is deleted, by any
     * program, takes along what belongs to it, or is refused: foreign keys hold only where they are switched on. */
    {4, "CREATE TABLE tag (run INTEGER NOT NULL REFERENCES run (id), name TEXT NOT NULL, PRIMARY KEY (run, name)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX tag_by_name ON tag (name);"
    "CREATE TABLE note (run INTEGER PRIMARY KEY REFERENCES run (id), text TEXT NOT NULL) STRICT;"
    "ALTER TABLE run ADD COLUMN thinned INTEGER;" /* so many points of each curve were kept; NULL: all */
    "ALTER TABLE run ADD COLUMN source BLOB CHECK (source IS NULL OR length(source) = 32);" /* key of the run it went on from, */
    "ALTER TABLE run ADD COLUMN" POSITION ("source_epoch") ";" /* and from which epoch on */
    "CREATE INDEX submission_run_by_run ON submission_run (run);"
    "UPDATE OR IGNORE setting_key SET name = 'setting_' || name WHERE name IN ('tags', 'note', 'thinned', 'extends');"},
    {4, "CREATE TRIGGER run_at_work BEFORE DELETE ON run WHEN OLD.status = 1"
    " BEGIN SELECT RAISE(ABORT, 'a run that is at work cannot be deleted'); END;"
    "CREATE TRIGGER run_deleted AFTER DELETE ON run BEGIN DELETE FROM attempt_result WHERE run = OLD.id;"
    " DELETE FROM attempt WHERE run = OLD.id; DELETE FROM metric WHERE run = OLD.id;"
    " DELETE FROM result WHERE series IN (SELECT id FROM series) AND run = OLD.id; DELETE FROM sweep_run WHERE run = OLD.id;"
    " DELETE FROM submission_run WHERE run = OLD.id; DELETE FROM tag WHERE run = OLD.id; DELETE FROM note WHERE run = OLD.id;"
    /* A number is never given to another run: who still holds a claim of this one, or its folder, would take that for it. */
    " INSERT INTO meta VALUES ('last_run', OLD.id) ON CONFLICT DO UPDATE SET value = max(value, excluded.value); END;"
    REFUSES ("attempt", "EXISTS (SELECT 1 FROM run WHERE id = OLD.run)", "an attempt goes with its run: delete that")
    REFUSES ("sweep", "EXISTS (SELECT 1 FROM submission WHERE sweep = OLD.id AND state < 2)",
             "a sweep of which a cluster holds runs cannot be deleted")
    "CREATE TRIGGER sweep_deleted AFTER DELETE ON sweep BEGIN DELETE FROM sweep_run WHERE sweep = OLD.id;"
    " DELETE FROM sweep_metric WHERE sweep = OLD.id; DELETE FROM submission WHERE sweep = OLD.id; END;"
    REFUSES ("config", "EXISTS (SELECT 1 FROM run WHERE config = OLD.id)", "there are runs of this configuration: delete those first")
    "CREATE TRIGGER config_deleted AFTER DELETE ON config BEGIN DELETE FROM setting WHERE config = OLD.id; END;"
    REFUSES ("setting", "EXISTS (SELECT 1 FROM config WHERE id = OLD.config)", "a setting goes with its configuration")
    REFUSES ("setting_key", "1", "the columns of settings stay")
    REFUSES ("meta", "OLD.key = 'token'", "this is what tells the database from others")},
    {4, REFUSES ("session", "EXISTS (SELECT 1 FROM attempt WHERE session = OLD.id) OR EXISTS (SELECT 1 FROM run WHERE session = OLD.id)"
             " OR EXISTS (SELECT 1 FROM submission WHERE session = OLD.id)", "there are attempts of this session")
    REFUSES ("host", "EXISTS (SELECT 1 FROM attempt WHERE host = OLD.id) OR EXISTS (SELECT 1 FROM journal WHERE host = OLD.id)",
             "there are attempts on this host")
    REFUSES ("program", "EXISTS (SELECT 1 FROM attempt WHERE program = OLD.id) OR EXISTS (SELECT 1 FROM submission_run WHERE program = OLD.id)",
             "there are attempts of this program")
    "CREATE TRIGGER program_deleted AFTER DELETE ON program BEGIN DELETE FROM accepted WHERE older = OLD.id OR newer = OLD.id; END;"
    REFUSES ("series", "EXISTS (SELECT 1 FROM result WHERE series = OLD.id) OR EXISTS (SELECT 1 FROM attempt_result WHERE series = OLD.id)"
             " OR EXISTS (SELECT 1 FROM metric WHERE series = OLD.id)", "there are values of this metric")
    REFUSES ("submission", "OLD.state < 2", "a cluster holds runs of this submission")
    "CREATE TRIGGER submission_deleted AFTER DELETE ON submission BEGIN DELETE FROM submission_task WHERE submission = OLD.id;"
    " DELETE FROM submission_array WHERE submission = OLD.id; END;"
    "CREATE TRIGGER task_deleted AFTER DELETE ON submission_task BEGIN"
    " DELETE FROM submission_run WHERE submission = OLD.submission AND task = OLD.number;"
    " DELETE FROM journal WHERE submission = OLD.submission AND task = OLD.number; END;"},
    /* 4: studies that stop runs early, see store/bracket.h */
    {4, "ALTER TABLE run ADD COLUMN reached REAL;" /* the epoch that it was brought to, where more was not wanted */
    "ALTER TABLE sweep_run ADD COLUMN bracket INTEGER;" /* runs of one bracket compete; NULL: the sweep stops none */
    "ALTER TABLE sweep_run ADD COLUMN epochs REAL;" /* of the whole run, as far as that is known */
    "ALTER TABLE sweep_run ADD COLUMN until REAL;" /* how far the sweep wants it now; NULL: to its end */
    "ALTER TABLE sweep_run ADD COLUMN stopped REAL;" /* where the sweep has stopped it */
    "CREATE TABLE rung (run INTEGER NOT NULL REFERENCES run (id), series INTEGER NOT NULL REFERENCES series (id),"
    " best INTEGER NOT NULL CHECK (best IN (0, 1)), epoch REAL NOT NULL, value REAL, kind TEXT,"
    " PRIMARY KEY (run, series, best, epoch)," KIND_CHECK ("kind", "value") ") STRICT, WITHOUT ROWID;"
    "CREATE TRIGGER run_deleted_with_rungs AFTER DELETE ON run BEGIN DELETE FROM rung WHERE run = OLD.id; END;"
    "UPDATE OR IGNORE setting_key SET name = 'setting_' || name WHERE name = 'stopped_at';"},
};
/* clang-format on */
const int pl_store_version = 4;

/* The columns of the views that also show settings: a setting with such a name is shown as setting_NAME. */
static const char reserved[] =
    "run key status at_epoch stopped_at study config seed attempts bad_epoch reason unsaved seconds started host tags "
    "note "
    "thinned "
    "extends metric value "
    "epoch last"
    " last_epoch last_kind at_best_valid valid_epoch n mean std min max mean_last runs finished diverged failed better";

/* Views have at most 2,000 columns in SQLite; settings beyond this many have only their rows. */
enum { COLUMN_MOST = 1500 };

static bool reserved_name(const char *name)
{
    char lower[64];
    size_t n = strlen(name);
    if (n >= sizeof lower)
        return false;
    for (size_t i = 0; i <= n; i++)
        lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
    return pl_has_word(reserved, lower);
}

/* Gives a setting that was just entered in setting_key its column, under a name that is free. */
static int add_column(struct pl_store *store, const char *key, int64_t id, struct pl_error *err)
{
    struct pl_text name = {0}, sql = {0};
    sqlite3_stmt *update = NULL;
    int status = pl_store_prepare(store, "UPDATE OR IGNORE setting_key SET name = ?2 WHERE id = ?1", &update, err);
    for (int attempt = reserved_name(key) ? 1 : 0; !status; attempt++) {
        pl_text_clear(&name);
        pl_text_addf(&name, "%s%s", attempt ? "setting_" : "", key);
        if (attempt > 1)
            pl_text_addf(&name, "_%d", attempt);
        sqlite3_bind_int64(update, 1, id);
        sqlite3_bind_text(update, 2, pl_text(&name), -1, SQLITE_STATIC);
        status = pl_store_next(store, update, err);
        if (status == 1 && sqlite3_changes(store->db))
            break;
        status = status < 0 ? status : 0;
    }
    sqlite3_finalize(update);
    if (status == 1) {
        pl_text_addf(&sql, "ALTER TABLE config ADD COLUMN s%lld ANY", (long long)id);
        status = pl_store_script(store, pl_text(&sql), err);
    }
    pl_text_release(&name);
    pl_text_release(&sql);
    return status;
}

static int load_keys(struct pl_store *store, struct pl_error *err)
{
    sqlite3_stmt *keys;
    int status = pl_store_prepare(store, "SELECT key, id FROM setting_key", &keys, err);
    if (status)
        return status;
    store->key_count = 0;
    pl_pool_clear(&store->key_pool);
    while (!(status = pl_store_next(store, keys, err))) {
        void *list = store->keys;
        pl_grow(&list, &store->key_capacity, store->key_count + 1, sizeof *store->keys);
        store->keys = list;
        const char *key;
        status = pl_store_text(store, keys, 0, "setting_key", sqlite3_column_int64(keys, 1), &key, err);
        if (status)
            break;
        store->keys[store->key_count++] = (struct pl_store_key){pl_pool_copy(&store->key_pool, key),
                                                                sqlite3_column_int64(keys, 1)};
    }
    sqlite3_finalize(keys);
    return status < 0 ? status : 0;
}

static int64_t known_key(const struct pl_store *store, const char *key)
{
    for (size_t i = 0; i < store->key_count; i++)
        if (!strcmp(store->keys[i].key, key))
            return store->keys[i].id;
    return 0;
}

/* While a statement runs SQLite adds columns, but drops nothing. */
static bool is_reading(struct pl_store *store)
{
    for (sqlite3_stmt *s = sqlite3_next_stmt(store->db, NULL); s; s = sqlite3_next_stmt(store->db, s))
        if (sqlite3_stmt_busy(s))
            return true;
    return false;
}

int pl_store_column(struct pl_store *store, const char *key, int64_t *column, struct pl_error *err)
{
    int64_t id = known_key(store, key);
    if (!id) {
        int status = pl_store_exec(store, err, PL_SQL_KEY_ADD, "s", key);
        if (!status && sqlite3_changes(store->db)) {
            int64_t added = sqlite3_last_insert_rowid(store->db);
            if (!store->views_stale && !is_reading(store))
                status = pl_store_drop_views(store, err);
            if (!status && added <= COLUMN_MOST)
                status = add_column(store, key, added, err);
            store->views_stale = true;
        }
        if (!status)
            status = load_keys(store, err);
        if (status)
            return status;
        id = known_key(store, key);
    }
    *column = id <= COLUMN_MOST ? id : 0;
    return 0;
}

/* Tells views what the names of series tell, and keeps for older studies what their database thought otherwise. */
static int direct_series(struct pl_store *store, struct pl_error *err)
{
    int status = pl_store_load_series(store, err);
    if (!status)
        status = pl_store_describe_series(store, err);
    return status ? status
                  : pl_store_script(store,
                                    "DELETE FROM sweep_metric WHERE direction = (SELECT s.direction FROM series"
                                    " AS s WHERE s.name = sweep_metric.name AND s.axis = 0)",
                                    err);
}

int pl_store_make_tables(struct pl_store *store, int64_t version, struct pl_error *err)
{
    int status = 0;
    for (size_t i = 0; !status && i < sizeof migrations / sizeof *migrations; i++)
        if (migrations[i].version > version)
            status = pl_store_script(store, migrations[i].sql, err);
    return status;
}

int pl_store_migrate(struct pl_store *store, struct pl_error *err)
{
    int64_t version = 0;
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_integer(store, "PRAGMA user_version", &version, err); /* another process may have been faster */
    if (!status)
        status = pl_store_make_tables(store, version, err);
    if (!status && version)
        status = pl_store_check_shape(store,
                                      err); /* migrations take the tables of earlier versions for what they were */
    if (!status && version < 2)
        status = direct_series(store, err);
    if (!status && version < pl_store_version) {
        struct pl_text sql = {0};
        pl_text_addf(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d", PL_STORE_APPLICATION,
                     pl_store_version);
        status = pl_store_script(store, pl_text(&sql), err);
        pl_text_release(&sql);
        store->views_stale = true;
    }
    return pl_store_write_leave(store, own, status, err);
}
