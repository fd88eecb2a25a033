/* Planning: sweeps, configurations, runs and which sweep holds which run. */
#include "store_priv.h"

#include <stdlib.h>
#include <string.h>

static const char *const status_names[PL_STATUS_COUNT] = {"planned", "running",     "finished", "diverged",
                                                          "failed",  "interrupted", "stopped"};

const char *pl_status_name(enum pl_status status)
{
    return status_names[status];
}

struct pl_store_mark *pl_store_mark_find(struct pl_store_marks *marks, int64_t sweep)
{
    for (size_t i = 0; i < marks->count; i++)
        if (marks->marks[i].sweep == sweep)
            return &marks->marks[i];
    return NULL;
}

struct pl_store_mark *pl_store_mark_set(struct pl_store_marks *marks, int64_t sweep, int64_t position)
{
    struct pl_store_mark *mark = pl_store_mark_find(marks, sweep);
    if (!mark) {
        void *list = marks->marks;
        pl_grow(&list, &marks->capacity, marks->count + 1, sizeof *marks->marks);
        marks->marks = list;
        mark = &marks->marks[marks->count++];
        mark->sweep = sweep;
    }
    mark->position = position;
    return mark;
}

/* One number from a statement that always answers. */
static int ask(struct pl_store *store, enum pl_sql sql, int64_t argument, int64_t *answer, struct pl_error *err)
{
    sqlite3_stmt *statement;
    int status = pl_store_first(store, err, sql, &statement, sql == PL_SQL_LAUNCH_LAST ? "" : "i", argument);
    if (status)
        return status < 0 ? status : pl_fail(err, PL_EDATABASE, "%s gave no answer", store->path);
    *answer = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return 0;
}

static int put_sweep(struct pl_store *store, const struct pl_sweep_info *info, int64_t *launch, int64_t *sweep,
                     struct pl_error *err)
{
    unsigned char digest[PL_DIGEST_SIZE];
    int64_t place = 0;
    sqlite3_stmt *found;
    pl_digest(info->spec, strlen(info->spec), digest);
    int status = 0;
    if (!*launch) {
        status = ask(store, PL_SQL_LAUNCH_LAST, 0, launch, err);
        ++*launch;
    } else {
        status = ask(store, PL_SQL_LAUNCH_SIZE, *launch, &place, err);
    }
    if (status)
        return status;
    status = pl_store_first(store, err, PL_SQL_SWEEP_FIND, &found, "sb", info->study, digest);
    if (status < 0)
        return status;
    if (!status) {
        *sweep = sqlite3_column_int64(found, 0);
        sqlite3_reset(found);
        return pl_store_exec(store, err, PL_SQL_SWEEP_TOUCH, "isiiid", *sweep, info->path, info->seeds, *launch, place,
                             info->started);
    }
    status = pl_store_exec(store, err, PL_SQL_SWEEP_ADD, "sssbiiid", info->study, info->path, info->spec, digest,
                           info->seeds, *launch, place, info->started);
    *sweep = sqlite3_last_insert_rowid(store->db);
    return status;
}

int pl_store_put_sweep(struct pl_store *store, const struct pl_sweep_info *info, int64_t *launch, int64_t *sweep,
                       struct pl_error *err)
{
    bool own;
    struct pl_sweep_info now = *info;
    if (now.started <= 0)
        now.started = now.created > 0 ? now.created : pl_clock();
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    int64_t group = *launch, id = 0;
    status = pl_store_write_leave(store, own, put_sweep(store, &now, &group, &id, err), err);
    if (!status) {
        *launch = group;
        *sweep = id;
        pl_store_mark_set(&store->planned, id, 0);
    }
    return status;
}

static void bind_value(sqlite3_stmt *statement, int at, const struct pl_value *value)
{
    switch (value->type) {
    case PL_REAL:
        sqlite3_bind_double(statement, at, value->real);
        break;
    case PL_INTEGER:
        sqlite3_bind_int64(statement, at, value->integer);
        break;
    case PL_BOOLEAN:
        sqlite3_bind_int(statement, at, value->boolean);
        break;
    case PL_STRING:
        sqlite3_bind_text(statement, at, value->string, -1, SQLITE_STATIC);
        break;
    }
}

/* A setting's column, or 0: a silent value has none, as it is no part of the canonical text. */
static int find_column(struct pl_store *store, const struct pl_entry *entry, int64_t *column, struct pl_error *err)
{
    *column = 0;
    return entry->value.silent ? 0 : pl_store_column(store, entry->key, column, err);
}

/* The configuration's own row, with a column for each setting. */
static int add_config(struct pl_store *store, const struct pl_settings *settings, const char *canonical,
                      const unsigned char *digest, int64_t *config, struct pl_error *err)
{
    struct pl_text sql = {0};
    int status = 0;
    pl_text_add(&sql, "INSERT INTO config (digest, settings");
    for (size_t i = 0; !status && i < settings->count; i++) {
        int64_t column;
        status = find_column(store, &settings->entries[i], &column, err);
        if (column)
            pl_text_addf(&sql, ", s%lld", (long long)column);
    }
    pl_text_add(&sql, ") VALUES (?1, ?2");
    int arguments = 2;
    for (size_t i = 0; !status && i < settings->count; i++) {
        int64_t column;
        status = find_column(store, &settings->entries[i], &column, err);
        if (column)
            pl_text_addf(&sql, ", ?%d", ++arguments);
    }
    pl_text_add(&sql, ")");
    if (!status && (!store->config_sql || strcmp(store->config_sql, pl_text(&sql)))) {
        sqlite3_finalize(store->config_add);
        store->config_add = NULL;
        free(store->config_sql);
        store->config_sql = pl_copy(pl_text(&sql));
        status = pl_store_prepare(store, store->config_sql, &store->config_add, err);
    }
    pl_text_release(&sql);
    if (status)
        return status;
    sqlite3_bind_blob(store->config_add, 1, digest, PL_DIGEST_SIZE, SQLITE_STATIC);
    sqlite3_bind_text(store->config_add, 2, canonical, -1, SQLITE_STATIC);
    arguments = 2;
    for (size_t i = 0; i < settings->count; i++) {
        int64_t column;
        find_column(store, &settings->entries[i], &column, err);
        if (column)
            bind_value(store->config_add, ++arguments, &settings->entries[i].value);
    }
    if (sqlite3_step(store->config_add) != SQLITE_DONE)
        status = pl_store_fail(store, "write to", err);
    *config = sqlite3_last_insert_rowid(store->db);
    sqlite3_reset(store->config_add);
    return status;
}

static int add_settings(struct pl_store *store, const struct pl_settings *settings, int64_t config,
                        struct pl_error *err)
{
    static const char *const types[] = {
        [PL_REAL] = "real", [PL_INTEGER] = "integer", [PL_BOOLEAN] = "boolean", [PL_STRING] = "string"};
    sqlite3_stmt *add;
    int status = pl_store_statement(store, PL_SQL_SETTING_ADD, &add, err);
    for (size_t i = 0; !status && i < settings->count; i++) {
        const struct pl_entry *entry = &settings->entries[i];
        if (entry->value.silent)
            continue;
        sqlite3_bind_int64(add, 1, config);
        sqlite3_bind_text(add, 2, entry->key, -1, SQLITE_STATIC);
        sqlite3_bind_text(add, 3, types[entry->value.type], -1, SQLITE_STATIC);
        bind_value(add, 4, &entry->value);
        if (sqlite3_step(add) != SQLITE_DONE)
            status = pl_store_fail(store, "write to", err);
        sqlite3_reset(add);
    }
    return status;
}

static int put_config(struct pl_store *store, const struct pl_settings *settings, const char *canonical,
                      int64_t *config, struct pl_error *err)
{
    unsigned char digest[PL_DIGEST_SIZE];
    sqlite3_stmt *found;
    pl_digest(canonical, strlen(canonical), digest);
    int status = pl_store_first(store, err, PL_SQL_CONFIG_FIND, &found, "b", digest);
    if (!status) {
        *config = sqlite3_column_int64(found, 0);
        sqlite3_reset(found);
        return 0;
    }
    if (status < 0)
        return status;
    status = add_config(store, settings, canonical, digest, config, err);
    return status ? status : add_settings(store, settings, *config, err);
}

int pl_store_put_config(struct pl_store *store, const struct pl_settings *settings, const char *canonical,
                        int64_t *config, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    return pl_store_write_leave(store, own, put_config(store, settings, canonical, config, err), err);
}

/* Puts a run at the sweep's next position. Planning the same spec again finds every run where it was;
 * a run that the grid holds twice keeps its first place. */
static int place_run(struct pl_store *store, int64_t sweep, int64_t run, int64_t config, int64_t seed, bool known,
                     struct pl_error *err)
{
    struct pl_store_mark *mark = pl_store_mark_find(&store->planned, sweep);
    int status = 0;
    if (!mark) {
        int64_t next = 0;
        status = ask(store, PL_SQL_PLACE_NEXT, sweep, &next, err);
        if (status)
            return status;
        mark = pl_store_mark_set(&store->planned, sweep, next);
    }
    sqlite3_stmt *found;
    if (known && !(status = pl_store_first(store, err, PL_SQL_PLACE_FIND, &found, "ii", run, sweep))) {
        int64_t at = sqlite3_column_int64(found, 0);
        sqlite3_reset(found);
        if (at < mark->position)
            return 0;
        if (at == mark->position) {
            mark->position++;
            return 0;
        }
        status = pl_store_exec(store, err, PL_SQL_PLACE_DROP, "ii", sweep, at);
    }
    if (status < 0)
        return status;
    status = pl_store_exec(store, err, PL_SQL_PLACE_ADD, "iiiii", sweep, mark->position, run, config, seed);
    mark->position += !status;
    return status;
}

int pl_store_trim_sweep(struct pl_store *store, int64_t sweep, struct pl_error *err)
{
    bool own;
    const struct pl_store_mark *mark = pl_store_mark_find(&store->planned, sweep);
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = mark ? pl_store_exec(store, err, PL_SQL_PLACE_TRIM, "ii", sweep, mark->position) : 0;
    return pl_store_write_leave(store, own, status, err);
}

static int put_run(struct pl_store *store, int64_t sweep, int64_t config, int64_t seed, const unsigned char *key,
                   int64_t *run, enum pl_status *state, struct pl_error *err)
{
    int status = pl_store_find_run(store, key, run, state, err);
    if (status < 0)
        return status;
    bool known = !status;
    if (!known) {
        status = pl_store_exec(store, err, PL_SQL_RUN_ADD, "iib", config, seed, key);
        if (status)
            return status;
        *run = sqlite3_last_insert_rowid(store->db);
        *state = PL_RUN_PLANNED;
    }
    return place_run(store, sweep, *run, config, seed, known, err);
}

int pl_store_put_run(struct pl_store *store, int64_t sweep, int64_t config, int64_t seed,
                     const unsigned char key[PL_DIGEST_SIZE], int64_t *run, enum pl_status *status,
                     struct pl_error *err)
{
    bool own;
    int64_t id = 0;
    enum pl_status state = PL_RUN_PLANNED;
    int outcome = pl_store_write_enter(store, &own, err);
    if (outcome)
        return outcome;
    outcome = pl_store_write_leave(store, own, put_run(store, sweep, config, seed, key, &id, &state, err), err);
    if (!outcome && run)
        *run = id;
    if (!outcome && status)
        *status = state;
    return outcome;
}

int pl_store_find_run(struct pl_store *store, const unsigned char key[PL_DIGEST_SIZE], int64_t *run,
                      enum pl_status *status, struct pl_error *err)
{
    sqlite3_stmt *found;
    int outcome = pl_store_first(store, err, PL_SQL_RUN_FIND, &found, "b", key);
    if (outcome)
        return outcome;
    if (run)
        *run = sqlite3_column_int64(found, 0);
    int64_t state;
    outcome = pl_store_number(store, found, 1, "run", sqlite3_column_int64(found, 0), 0, PL_STATUS_COUNT - 1, &state,
                              err);
    if (status && !outcome)
        *status = (enum pl_status)state;
    sqlite3_reset(found);
    return outcome;
}

int pl_store_foresee_run(struct pl_store *store, int64_t run, int64_t sweep, int64_t judge, const char *retry,
                         enum pl_status *status, struct pl_error *err)
{
    sqlite3_stmt *found;
    int outcome = pl_store_first(store, err, PL_SQL_RUN_FORESEE, &found, "iisi", run, sweep, retry, judge);
    if (outcome)
        return outcome < 0 ? outcome : 0;
    int64_t judged = sqlite3_column_int64(found, 2);
    if (sqlite3_column_int(found, 0))
        *status = PL_RUN_STOPPED;
    else if (sqlite3_column_int(found, 1))
        *status = PL_RUN_PLANNED;
    else if (judged == PL_RUN_FINISHED || judged == PL_RUN_DIVERGED)
        *status = (enum pl_status)judged;
    sqlite3_reset(found);
    return 0;
}
