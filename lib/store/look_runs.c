/* Runs as a table, a page of it at a time. The numbers of the runs are found and sorted first, by what is asked of them
 * alone; the other columns are read for those that are shown. */
#include "store/look.h"
#include "store_priv.h"

#include <stdlib.h>
#include <string.h>

#define OF_STUDY                                                                                                       \
    "CASE WHEN s.status IN ('finished', 'diverged') THEN s.status ELSE v.status END" /* as the study judges the run */

struct list {
    struct pl_store *store;
    const struct pl_runs_query *query;
    struct pl_names columns; /* of the view runs */
    int64_t sweep;           /* of the study, or 0 */
};

static int take_name(void *self, const struct pl_cell *cells, size_t count)
{
    struct pl_names *names = self;
    (void)count;
    pl_names_add(names, cells[0].text);
    return 0;
}

static int read_names(struct pl_store *store, const char *sql, struct pl_names *names, struct pl_error *err)
{
    sqlite3_stmt *statement;
    int status = pl_store_prepare(store, sql, &statement, err);
    if (status)
        return status;
    status = pl_store_rows(store, statement, take_name, names, err);
    sqlite3_finalize(statement);
    return status;
}

static bool has(const struct pl_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->names[i], name))
            return true;
    return false;
}

static bool is_metric(const struct pl_runs_query *query, const char *name)
{
    for (size_t i = 0; i < query->metric_count; i++)
        if (!strcmp(query->metrics[i], name))
            return true;
    return false;
}

/* The value of a metric that a reader wants of a run: the best, or the last where none is better. */
static int add_metric(const struct list *list, const char *metric, struct pl_text *sql, struct pl_error *err)
{
    const struct pl_store_series *series;
    enum pl_direction direction = pl_train_direction(metric);
    bool migrated;
    int status = pl_store_need_series(list->store, metric, &series, err);
    if (status)
        return status == PL_EMISSING ? pl_fail(err, PL_EINPUT, "no run has recorded a metric \"%s\"", metric) : status;
    if (list->sweep && (status = pl_store_direction(list->store, list->sweep, metric, &direction, &migrated, err)))
        return status;
    pl_text_addf(sql, "(SELECT e.%s FROM result AS e WHERE e.series = %lld AND e.run = v.run)",
                 direction == PL_MAXIMIZE   ? "highest"
                 : direction == PL_MINIMIZE ? "lowest"
                                            : "last",
                 (long long)series->id);
    return 0;
}

/* A column of the table, by its name or by another spelling of the setting. */
static int add_column(const struct list *list, const char *name, struct pl_text *sql, struct pl_error *err)
{
    const char *column = has(&list->columns, name) ? name : NULL;
    if (!column && is_metric(list->query, name))
        return add_metric(list, name, sql, err);
    if (list->query->study && column && !strcmp(column, "status")) {
        pl_text_add(sql, OF_STUDY);
        return 0;
    }
    size_t at = 0;
    for (const char *key; !column && (key = pl_train_key_of(name, &at));)
        column = has(&list->columns, key) ? key : NULL;
    if (column) {
        pl_text_add(sql, "v.");
        pl_store_add_identifier(sql, column);
        return 0;
    }
    struct pl_candidates names = {0};
    for (size_t i = 0; i < list->columns.count; i++)
        pl_candidates_add(&names, list->columns.names[i]);
    int status = pl_candidates_fail(&names, "column of runs", name, err);
    pl_candidates_release(&names);
    return status;
}

static int add_conditions(const struct list *list, struct pl_text *sql, struct pl_error *err)
{
    for (size_t i = 0; i < list->query->where_count; i++) {
        const struct pl_condition *condition = &list->query->where[i];
        struct pl_text column = {0};
        int status = add_column(list, condition->key, &column, err);
        if (!status) {
            pl_text_addf(sql, " AND %s(", condition->negated ? "NOT " : "");
            for (size_t k = 0; k < condition->count + condition->range_count; k++) {
                pl_text_add(sql, k ? " OR " : "");
                pl_store_add_alternative(sql, pl_text(&column), condition, k);
            }
            pl_text_add(sql, ")");
        }
        pl_text_release(&column);
        if (status)
            return status;
    }
    return 0;
}

/* "FROM ... WHERE ..." */
static int add_source(const struct list *list, struct pl_text *sql, struct pl_error *err)
{
    if (list->query->study) {
        pl_text_add(sql, " FROM study_runs AS s CROSS JOIN runs AS v ON v.run = s.run WHERE s.study = ");
        pl_store_add_string(sql, list->query->study);
    } else {
        pl_text_add(sql, " FROM runs AS v WHERE 1");
    }
    return add_conditions(list, sql, err);
}

static int add_numbers(const struct list *list, const char *source, struct pl_text *sql, struct pl_error *err)
{
    const struct pl_runs_query *query = list->query;
    pl_text_addf(sql, "SELECT v.run AS number%s ORDER BY ", source);
    int status = add_column(list, query->sort ? query->sort : "run", sql, err);
    pl_text_addf(sql, "%s NULLS LAST, v.run%s LIMIT %lld OFFSET %lld", query->down ? " DESC" : "",
                 query->down ? " DESC" : "", (long long)query->most, (long long)query->first);
    return status;
}

static int add_columns(const struct list *list, struct pl_text *sql, struct pl_error *err)
{
    const struct pl_runs_query *query = list->query;
    static const char *const behind[] = {"at_epoch", "bad_epoch", "reason", "tags", "note"};
    int status = 0;
    pl_text_addf(sql, "SELECT v.run, %s AS status, v.study, v.seed, v.seconds, v.started",
                 query->study ? OF_STUDY : "v.status");
    for (size_t i = 0; i < query->metric_count + query->setting_count && !status; i++) {
        const char *name = i < query->metric_count ? query->metrics[i] : query->settings[i - query->metric_count];
        pl_text_add(sql, ", ");
        status = i < query->metric_count ? add_metric(list, name, sql, err) : add_column(list, name, sql, err);
        pl_text_add(sql, " AS ");
        pl_store_add_identifier(sql, name);
    }
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
        if (has(&list->columns, behind[i]))
            pl_text_addf(sql, ", v.%s", behind[i]);
    return status;
}

static int give_rows(const struct list *list, const char *sql,
                     int (*head)(void *self, const char *const *names, size_t count),
                     int (*row)(void *self, const struct pl_cell *cells, size_t count), void *self,
                     struct pl_error *err)
{
    sqlite3_stmt *statement;
    int status = pl_store_prepare(list->store, sql, &statement, err);
    if (status)
        return status;
    size_t count = (size_t)sqlite3_column_count(statement);
    const char **names = pl_new((count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = sqlite3_column_name(statement, (int)i);
    status = head(self, names, count);
    if (!status)
        status = pl_store_rows(list->store, statement, row, self, err);
    free(names);
    sqlite3_finalize(statement);
    return status;
}

static int find_sweep(struct list *list, struct pl_error *err)
{
    const struct pl_sweep_info *sweeps;
    size_t count;
    if (!list->query->study)
        return 0;
    int status = pl_store_sweeps(list->store, list->query->study, &sweeps, &count, err);
    list->sweep = status ? 0 : sweeps[0].id;
    return status;
}

int pl_store_list_runs(struct pl_store *store, const struct pl_runs_query *query,
                       int (*head)(void *self, const char *const *names, size_t count),
                       int (*row)(void *self, const struct pl_cell *cells, size_t count), void *self, int64_t *total,
                       struct pl_error *err)
{
    struct list list = {.store = store, .query = query};
    struct pl_text source = {0}, sql = {0}, number = {0};
    int status = find_sweep(&list, err);
    if (!status)
        status = read_names(store, "SELECT name FROM pragma_table_info('runs')", &list.columns, err);
    if (!status)
        status = add_source(&list, &source, err);
    pl_text_addf(&sql, "SELECT count(*)%s", pl_text(&source));
    if (!status)
        status = pl_store_integer(store, pl_text(&sql), total, err);
    if (!status)
        status = add_numbers(&list, pl_text(&source), &number, err);
    pl_text_clear(&sql);
    if (!status)
        status = add_columns(&list, &sql, err);
    /* row_number keeps their order */
    pl_text_addf(&sql,
                 " FROM (SELECT number, row_number() OVER () AS place FROM (%s)) AS p CROSS JOIN runs AS v ON v.run"
                 " = p.number",
                 pl_text(&number));
    if (query->study) {
        pl_text_add(&sql, " CROSS JOIN study_runs AS s ON s.run = v.run AND s.study = ");
        pl_store_add_string(&sql, query->study);
    }
    pl_text_add(&sql, " ORDER BY p.place");
    if (!status)
        status = give_rows(&list, pl_text(&sql), head, row, self, err);
    pl_names_release(&list.columns);
    pl_text_release(&source);
    pl_text_release(&sql);
    pl_text_release(&number);
    return status;
}

/* ---- what there is ---- */

struct telling {
    struct pl_names *all, *settings;
};

static int take_telling(void *self, const struct pl_cell *cells, size_t count)
{
    struct telling *telling = self;
    for (size_t i = 0; i < count; i++)
        if (cells[i].integer) {
            struct pl_cell name = {.text = telling->all->names[i]};
            take_name(telling->settings, &name, 1);
        }
    return 0;
}

int pl_store_telling(struct pl_store *store, const char *study, struct pl_names *settings, struct pl_error *err)
{
    struct pl_names all = {0}, columns = {0};
    struct telling telling = {&all, settings};
    struct pl_text sql = {0};
    sqlite3_stmt *statement = NULL;
    int status = read_names(store, "SELECT name FROM setting_key WHERE name IS NOT NULL ORDER BY id", &all, err);
    if (!status)
        status = read_names(store, "SELECT 's' || id FROM setting_key WHERE name IS NOT NULL ORDER BY id", &columns,
                            err);
    pl_text_add(&sql, "SELECT ");
    for (size_t i = 0; i < columns.count; i++)
        pl_text_addf(&sql, "%smin(c.%s) IS NOT max(c.%s) OR count(c.%s) NOT IN (0, count(*))", i ? ", " : "",
                     columns.names[i], columns.names[i], columns.names[i]);
    pl_text_add(&sql, " FROM config AS c");
    if (study) {
        pl_text_add(&sql, " WHERE c.id IN (SELECT s.config FROM study_runs AS s WHERE s.study = ");
        pl_store_add_string(&sql, study);
        pl_text_add(&sql, ")");
    }
    if (!status && columns.count)
        status = pl_store_prepare(store, pl_text(&sql), &statement, err);
    if (!status && statement)
        status = pl_store_rows(store, statement, take_telling, &telling, err);
    sqlite3_finalize(statement);
    pl_names_release(&all);
    pl_names_release(&columns);
    pl_text_release(&sql);
    return status;
}

static int by_rank(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    size_t one = pl_train_metric_rank(x), other = pl_train_metric_rank(y);
    return one != other ? (one > other) - (one < other) : strcmp(x, y);
}

int pl_store_recorded(struct pl_store *store, struct pl_names *metrics, struct pl_error *err)
{
    int status = read_names(store, "SELECT DISTINCT name FROM series", metrics, err);
    if (metrics->count)
        qsort(metrics->names, metrics->count, sizeof *metrics->names, by_rank);
    return status;
}
