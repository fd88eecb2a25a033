/* Reading what reports and figures are made of. */
#include "store_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int pl_store_config_text(struct pl_store *store, int64_t config, struct pl_text *canonical, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_CONFIG_READ, &row, "i", config);
    if (status)
        return status < 0 ? status : pl_fail(err, PL_EMISSING, "there is no configuration %lld", (long long)config);
    const char *settings;
    status = pl_store_text(store, row, 0, "config", config, &settings, err);
    pl_text_clear(canonical);
    if (!status)
        pl_text_add(canonical, settings);
    sqlite3_reset(row);
    return status;
}

int pl_store_config(struct pl_store *store, int64_t config, struct pl_settings *settings, struct pl_error *err)
{
    struct pl_text canonical = {0};
    int status = pl_store_config_text(store, config, &canonical, err);
    struct pl_error problem = {0};
    if (!status && pl_settings_read(settings, pl_text(&canonical), &problem))
        status = pl_fail(err, PL_ECORRUPT, "%s is damaged: settings of row %lld of the table config: %s", store->path,
                         (long long)config, problem.text);
    pl_text_release(&canonical);
    return status;
}

int pl_store_counts(struct pl_store *store, int64_t sweep, int64_t *counts, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_COUNTS, &row, "i", sweep);
    if (status)
        return status < 0 ? status : 0;
    for (int i = 0; i < PL_STATUS_COUNT; i++)
        counts[i] = sqlite3_column_int64(row, i);
    sqlite3_reset(row);
    return 0;
}

int pl_store_counts_together(struct pl_store *store, const int64_t *sweeps, size_t sweep_count, int64_t *counts,
                             struct pl_error *err)
{
    struct pl_text sql = {0};
    sqlite3_stmt *row = NULL;
    pl_text_add(&sql, "SELECT status, count(*) FROM (SELECT CASE WHEN min(x.stopped IS NOT NULL) THEN 6 ELSE r.status"
                      " END AS status FROM sweep_run AS x CROSS JOIN run AS r ON r.id = x.run WHERE x.sweep IN (");
    for (size_t i = 0; i < sweep_count; i++)
        pl_text_addf(&sql, "%s%lld", i ? ", " : "", (long long)sweeps[i]);
    pl_text_add(&sql, ") GROUP BY x.run) GROUP BY status");
    int status = pl_store_prepare(store, pl_text(&sql), &row, err);
    for (int i = 0; i < PL_STATUS_COUNT; i++)
        counts[i] = 0;
    while (!status && !(status = pl_store_next(store, row, err))) {
        int64_t state;
        status = pl_store_number(store, row, 0, "run", 0, 0, PL_STATUS_COUNT - 1, &state, err);
        if (!status)
            counts[state] = sqlite3_column_int64(row, 1);
    }
    sqlite3_finalize(row);
    pl_text_release(&sql);
    return status < 0 ? status : 0;
}

static int read_sweep(struct pl_store *store, sqlite3_stmt *row, struct pl_sweep_info *info, struct pl_error *err)
{
    *info = (struct pl_sweep_info){.id = sqlite3_column_int64(row, 0),
                                   .seeds = sqlite3_column_int64(row, 4),
                                   .created = sqlite3_column_double(row, 5),
                                   .started = sqlite3_column_double(row, 6)};
    const char **texts[] = {&info->study, &info->path, &info->spec};
    int status = 0;
    for (int i = 0; i < 3 && !status; i++) {
        const char *text;
        status = pl_store_text(store, row, i + 1, "sweep", info->id, &text, err);
        if (!status)
            *texts[i] = pl_pool_copy(&store->texts, text);
    }
    return status;
}

/* Rows of somebody else's that have no name are none. */
static int each_name(struct pl_store *store, const char *sql, int (*each)(void *self, const char *name), void *self,
                     struct pl_error *err)
{
    sqlite3_stmt *row;
    int stop = 0, status = pl_store_prepare(store, sql, &row, err);
    if (status)
        return status;
    while (!stop && !(status = pl_store_next(store, row, err))) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        stop = name ? each(self, name) : 0;
    }
    sqlite3_finalize(row);
    return stop ? stop : status < 0 ? status : 0;
}

int pl_store_each_study(struct pl_store *store, int (*each)(void *self, const char *study), void *self,
                        struct pl_error *err)
{
    return each_name(store, "SELECT study FROM sweep GROUP BY study ORDER BY max(started) DESC, study", each, self,
                     err);
}

struct naming {
    struct pl_store *store;
    struct pl_candidates names;
};

static int take_study(void *self, const char *study)
{
    struct naming *naming = self;
    pl_candidates_add(&naming->names, pl_pool_copy(&naming->store->texts, study));
    return 0;
}

static int no_study(struct pl_store *store, const char *study, struct pl_error *err)
{
    struct naming naming = {store, {0}};
    struct pl_text there = {0};
    if (err && !pl_store_each_study(store, take_study, &naming, NULL))
        pl_candidates_tell(&naming.names, study, "it has", &there);
    int status = pl_fail(err, PL_EINPUT, "%s holds no study named \"%.100s\"%s", store->path, study, pl_text(&there));
    pl_candidates_release(&naming.names);
    pl_text_release(&there);
    return status;
}

int pl_store_sweeps(struct pl_store *store, const char *study, const struct pl_sweep_info **sweeps, size_t *count,
                    struct pl_error *err)
{
    static const char newest[] = "SELECT id, study, path, spec, seeds, created, started FROM sweep WHERE study = ?1"
                                 " ORDER BY launch DESC, id DESC LIMIT 1";
    static const char launch[] = "SELECT id, study, path, spec, seeds, created, started FROM sweep"
                                 " WHERE launch = (SELECT max(launch) FROM sweep) ORDER BY place, id";
    sqlite3_stmt *row;
    *count = 0;
    int status = pl_store_prepare(store, study ? newest : launch, &row, err);
    if (status)
        return status;
    pl_pool_clear(&store->texts);
    if (study)
        sqlite3_bind_text(row, 1, study, -1, SQLITE_STATIC);
    while (!(status = pl_store_next(store, row, err))) {
        void *list = store->sweeps;
        pl_grow(&list, &store->sweep_capacity, *count + 1, sizeof *store->sweeps);
        store->sweeps = list;
        status = read_sweep(store, row, &store->sweeps[*count], err);
        if (status)
            break;
        ++*count;
    }
    sqlite3_finalize(row);
    *sweeps = store->sweeps;
    if (status < 0 || *count)
        return status < 0 ? status : 0;
    return study ? no_study(store, study, err) : pl_fail(err, PL_EMISSING, "%s holds no sweep yet", store->path);
}

int pl_store_each_tag(struct pl_store *store, int (*each)(void *self, const char *tag), void *self,
                      struct pl_error *err)
{
    return each_name(store, "SELECT DISTINCT name FROM tag ORDER BY name", each, self, err);
}

/* ---- results of a whole sweep ---- */

/* A walk over rows that are sorted by their first column, the run. Runs are mostly asked for in rising
 * order, where one of the next rows is nearly always the wanted one; anything else is a search. */
struct walk {
    sqlite3_stmt *rows;
    int64_t from, at; /* it stands on the row of run at, and no run in [from, at) has one */
    bool begun, over; /* over: there is no row from `from` on */
};

static const uint64_t near_by = 16; /* so many steps cost about as much as a search */

static int walk_step(struct pl_store *store, struct walk *walk, int64_t from, struct pl_error *err)
{
    int status = pl_store_next(store, walk->rows, err);
    walk->from = from;
    walk->begun = true;
    walk->over = status != 0;
    walk->at = walk->over ? INT64_MAX : sqlite3_column_int64(walk->rows, 0);
    return status < 0 ? status : 0;
}

/* 0 when walk stands on the run, 1 when there is no row for it. */
static int walk_to(struct pl_store *store, struct walk *walk, int64_t run, struct pl_error *err)
{
    int status = 0;
    if (walk->begun && run >= walk->from && (walk->over || run < walk->at))
        return 1;
    /* Numbers of somebody else's may be any: their difference need not be one that is signed. */
    if (!walk->begun || run < walk->at || (uint64_t)run - (uint64_t)walk->at > near_by) {
        sqlite3_reset(walk->rows);
        sqlite3_bind_int64(walk->rows, 1, run);
        status = walk_step(store, walk, run, err);
    }
    while (!status && walk->at < run)
        status = walk_step(store, walk, walk->at + 1, err);
    return status < 0 ? status : walk->over || walk->at != run;
}

/* A run without a result has its status only in its own row. */
static int read_status(struct pl_store *store, struct pl_result *result, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_RUN_STATE, &row, "i", result->run);
    if (status)
        return status < 0
                   ? status
                   : pl_fail(err, PL_ECORRUPT, "%s is damaged: run %lld is gone", store->path, (long long)result->run);
    int64_t state;
    status = pl_store_number(store, row, 0, "run", result->run, 0, PL_STATUS_COUNT - 1, &state, err);
    result->status = status ? PL_RUN_PLANNED : (enum pl_status)state;
    sqlite3_reset(row);
    return status;
}

static int each_result(struct pl_store *store, sqlite3_stmt *members, struct walk *values,
                       int (*row)(void *self, const struct pl_result *result), void *self, struct pl_error *err)
{
    int status;
    while (!(status = pl_store_next(store, members, err))) {
        struct pl_result result = {.run = sqlite3_column_int64(members, 0),
                                   .config = sqlite3_column_int64(members, 1),
                                   .seed = sqlite3_column_int64(members, 2)};
        status = walk_to(store, values, result.run, err);
        if (!status) {
            int64_t state;
            status = pl_store_number(store, values->rows, 1, "result", result.run, 0, PL_STATUS_COUNT - 1, &state, err);
            result.status = status ? PL_RUN_PLANNED : (enum pl_status)state;
            result.has_value = sqlite3_column_type(values->rows, 2) != SQLITE_NULL;
        } else if (status > 0) {
            status = read_status(store, &result, err);
        }
        if (status < 0)
            return status;
        bool recorded = !status;
        if (sqlite3_column_type(members, 4) != SQLITE_NULL) { /* this study has stopped it, whatever it came to */
            result.status = PL_RUN_STOPPED;
            result.stopped = sqlite3_column_double(members, 4);
        } else if (sqlite3_column_type(members, 3) != SQLITE_NULL) { /* this study has its own losses */
            int64_t state;
            status = pl_store_number(store, members, 3, "sweep_run", result.run, 0, PL_STATUS_COUNT - 1, &state, err);
            if (status)
                return status;
            result.status = (enum pl_status)state;
        }
        if (result.has_value)
            result.value = sqlite3_column_double(values->rows, 2);
        if (recorded)
            result.epoch = sqlite3_column_double(values->rows, 3);
        status = row(self, &result);
        if (status < 0)
            return status;
    }
    return status < 0 ? status : 0;
}

/* 0 when a run of the sweep has a result of the series, or is at work and has recorded something of it, else 1. One of
 * the first runs nearly always has; failing that, all results in the sweep's span of run numbers are looked through. */
static int has_series(struct pl_store *store, int64_t sweep, int64_t series, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_SERIES_IN_FIRST, &row, "ii", sweep, series);
    if (status == 1) {
        status = pl_store_first(store, err, PL_SQL_SWEEP_SPAN, &row, "i", sweep);
        if (status)
            return status;
        int64_t low = sqlite3_column_int64(row, 0), high = sqlite3_column_int64(row, 1);
        sqlite3_reset(row);
        status = pl_store_first(store, err, PL_SQL_SERIES_IN_SWEEP, &row, "iiii", sweep, series, low, high);
    }
    if (status == 1)
        status = pl_store_first(store, err, PL_SQL_SERIES_AT_WORK, &row, "ii", sweep, series);
    if (!status)
        sqlite3_reset(row);
    return status;
}

static const struct pl_store_series *find_number(const struct pl_store *store, int64_t series)
{
    for (size_t i = 0; i < store->series_count; i++)
        if (store->series[i].id == series)
            return &store->series[i];
    return NULL;
}

/* The columns that are the best of a metric in a sweep, with its position. */
static int best_columns(struct pl_store *store, int64_t sweep, const char *metric, const char **columns,
                        struct pl_error *err)
{
    static const char *const of[] = {
        [PL_NEUTRAL] = "r.last, r.last_epoch",
        [PL_MINIMIZE] = "r.lowest, r.lowest_epoch",
        [PL_MAXIMIZE] = "r.highest, r.highest_epoch",
        [PL_UNDECLARED] = "NULL, NULL",
    };
    enum pl_direction direction;
    bool migrated;
    int status = pl_store_direction(store, sweep, metric, &direction, &migrated, err);
    *columns = of[direction];
    return status;
}

/* The metrics that validate the runs of a sweep, the first of which a run has decides: those that the study declares,
 * in its order, then those that their names tell. Each comes with the column that has its best position. */
static int each_validation(struct pl_store *store, int64_t sweep, enum pl_series_axis axis,
                           void (*found)(void *self, const struct pl_store_series *series, const char *column),
                           void *self, struct pl_error *err)
{
    static const char text[] =
        "SELECT s.id, coalesce(d.direction, s.direction) FROM series AS s LEFT JOIN sweep_metric AS d ON d.sweep = ?1"
        " AND d.name = s.name WHERE coalesce(d.validates, s.validates) > 0 AND s.axis = ?2"
        " AND coalesce(d.direction, s.direction) IN (1, 2) ORDER BY coalesce(d.validates, s.validates), s.id";
    sqlite3_stmt *row;
    int status = pl_store_prepare(store, text, &row, err);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, sweep);
    sqlite3_bind_int(row, 2, (int)axis);
    while (!(status = pl_store_next(store, row, err))) {
        const struct pl_store_series *series = find_number(store, sqlite3_column_int64(row, 0));
        int missing = series ? has_series(store, sweep, series->id, err) : 1;
        if (missing < 0) {
            status = missing;
            break;
        }
        if (!missing)
            found(self, series, sqlite3_column_int(row, 1) == PL_MAXIMIZE ? "highest_epoch" : "lowest_epoch");
    }
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

struct validations {
    struct pl_text *sql;
    const char *first; /* its name */
};

static void add_validation(void *self, const struct pl_store_series *series, const char *column)
{
    struct validations *v = self;
    v->first = v->first ? v->first : series->name;
    pl_text_addf(v->sql, ", (SELECT v.%s FROM result AS v WHERE v.series = %lld AND v.run = r.run)", column,
                 (long long)series->id);
}

static void name_validation(void *self, const struct pl_store_series *series, const char *column)
{
    struct validations *v = self;
    (void)column;
    v->first = v->first ? v->first : series->name;
}

/* Appends the position at which validation was best, as an expression over a result r. */
static int add_validations(struct pl_store *store, int64_t sweep, enum pl_series_axis axis, struct pl_text *sql,
                           struct pl_error *err)
{
    struct validations v = {sql, NULL};
    pl_text_add(sql, "coalesce(NULL");
    int status = each_validation(store, sweep, axis, add_validation, &v, err);
    pl_text_add(sql, ", NULL)");
    if (status || v.first)
        return status;
    status = each_validation(store, sweep, axis == PL_BY_STEP ? PL_BY_EPOCH : PL_BY_STEP, name_validation, &v, err);
    if (status)
        return status;
    if (v.first)
        return pl_fail(err, PL_EMISSING,
                       "best-valid looks where %s is best, which was recorded by %s and this metric by %s", v.first,
                       axis == PL_BY_STEP ? "epoch" : "step", axis == PL_BY_STEP ? "step" : "epoch");
    return pl_fail(err, PL_EMISSING,
                   "best-valid goes by a metric of validation, such as valid_accuracy, val_loss or "
                   "eval_f1, and no run of the study has recorded one; another can be declared in the "
                   "spec, as in metrics: {NAME: {direction: max, validation: true}}");
}

int pl_store_validation(struct pl_store *store, int64_t sweep, const char **metric, struct pl_error *err)
{
    struct pl_text sql = {0};
    struct validations v = {&sql, NULL};
    int status = pl_store_load_series(store, err);
    for (enum pl_series_axis axis = PL_BY_EPOCH; axis <= PL_BY_STEP && !status && !v.first; axis++)
        status = each_validation(store, sweep, axis, add_validation, &v, err);
    pl_text_release(&sql);
    *metric = v.first;
    return status;
}

/* The series of a metric: along epochs where the sweep has any value by them, else along steps. other: that along steps
 * as well, for runs without the first; NULL: there is none. */
static int series_in_sweep(struct pl_store *store, int64_t sweep, const char *metric,
                           const struct pl_store_series **series, const struct pl_store_series **other,
                           struct pl_error *err)
{
    *other = NULL;
    int status = pl_store_need_series(store, metric, series, err);
    const struct pl_store_series *steps = status ? NULL : pl_store_find_series(store, metric, PL_BY_STEP);
    if (!steps || steps == *series)
        return status;
    status = has_series(store, sweep, (*series)->id, err);
    if (status == 1)
        *series = steps;
    else if (!status && !(status = has_series(store, sweep, steps->id, err)))
        *other = steps;
    return status < 0 ? status : 0;
}

/* The query for run, status, value and position of a series, by run. */
static int select_values(struct pl_store *store, int64_t sweep, const char *metric, enum pl_select select,
                         struct pl_text *sql, struct pl_error *err)
{
    const struct pl_store_series *series, *other;
    const char *columns = select == PL_SELECT_LAST ? "r.last, r.last_epoch" : "m.value, m.epoch";
    int status = series_in_sweep(store, sweep, metric, &series, &other, err);
    if (!status && select == PL_SELECT_BEST)
        status = best_columns(store, sweep, metric, &columns, err);
    if (status)
        return status;
    pl_text_addf(sql, "SELECT r.run, r.status, %s FROM result AS r", columns);
    if (select == PL_SELECT_BEST_VALID) {
        pl_text_add(sql, " LEFT JOIN metric AS m ON m.run = r.run AND m.series = r.series AND m.epoch = ");
        status = add_validations(store, sweep, series->axis, sql, err);
    }
    pl_text_addf(sql, " WHERE (r.series = %lld", (long long)series->id);
    if (other && select != PL_SELECT_BEST_VALID) /* which goes by positions along one axis */
        pl_text_addf(sql,
                     " OR (r.series = %lld AND NOT EXISTS (SELECT 1 FROM result AS o WHERE o.series = %lld AND o.run = "
                     "r.run))",
                     (long long)other->id, (long long)series->id);
    pl_text_add(sql, ") AND r.run >= ?1 ORDER BY r.run");
    return status;
}

int pl_store_each_result(struct pl_store *store, int64_t sweep, const char *metric, enum pl_select select,
                         int (*row)(void *self, const struct pl_result *result), void *self, struct pl_error *err)
{
    struct walk values = {0};
    sqlite3_stmt *members = NULL;
    struct pl_text sql = {0};
    int status = select_values(store, sweep, metric, select, &sql, err);
    if (!status)
        status = pl_store_prepare(store, pl_text(&sql), &values.rows, err);
    if (!status)
        status = pl_store_prepare(store,
                                  "SELECT run, config, seed, outcome, stopped FROM sweep_run WHERE sweep = ?1"
                                  " ORDER BY position",
                                  &members, err);
    if (!status) {
        sqlite3_bind_int64(members, 1, sweep);
        status = each_result(store, members, &values, row, self, err);
    }
    sqlite3_finalize(members);
    sqlite3_finalize(values.rows);
    pl_text_release(&sql);
    return status;
}

int pl_store_metrics(struct pl_store *store, int64_t sweep, const struct pl_metric_info **metrics, size_t *count,
                     struct pl_error *err)
{
    *count = 0;
    int status = pl_store_load_series(store, err);
    if (status)
        return status;
    pl_pool_clear(&store->texts);
    for (size_t i = 0; i < store->series_count; i++) {
        status = has_series(store, sweep, store->series[i].id, err);
        if (status < 0)
            return status;
        if (status)
            continue;
        const char *name = store->series[i].name;
        enum pl_direction direction;
        bool migrated;
        bool named = false; /* along the other axis */
        for (size_t k = 0; k < *count && !named; k++)
            named = !strcmp(store->metrics[k].name, name);
        if (named)
            continue;
        status = pl_store_direction(store, sweep, name, &direction, &migrated, err);
        if (status)
            return status;
        void *list = store->metrics;
        pl_grow(&list, &store->metric_capacity, *count + 1, sizeof *store->metrics);
        store->metrics = list;
        store->metrics[(*count)++] = (struct pl_metric_info){pl_pool_copy(&store->texts, name), direction, migrated};
    }
    *metrics = store->metrics;
    return 0;
}
