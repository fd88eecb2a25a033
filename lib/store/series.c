/* Metric series: which there are, and what their names say of them. */
#include "store_priv.h"

#include <string.h>

int pl_store_load_series(struct pl_store *store, struct pl_error *err)
{
    sqlite3_stmt *row;
    store->series_count = 0;
    pl_pool_clear(&store->series_pool);
    int status = pl_store_first(store, err, PL_SQL_SERIES_ALL, &row, "");
    for (; !status; status = pl_store_next(store, row, err)) {
        void *list = store->series;
        pl_grow(&list, &store->series_capacity, store->series_count + 1, sizeof *store->series);
        store->series = list;
        int64_t id = sqlite3_column_int64(row, 0), axis;
        const char *name;
        status = pl_store_text(store, row, 1, "series", id, &name, err);
        if (!status)
            status = pl_store_number(store, row, 2, "series", id, PL_BY_EPOCH, PL_BY_STEP, &axis, err);
        if (status) {
            sqlite3_reset(row);
            break;
        }
        store->series[store->series_count++] = (struct pl_store_series){id, pl_pool_copy(&store->series_pool, name),
                                                                        (enum pl_series_axis)axis};
    }
    store->series_known = status == 1;
    return status < 0 ? status : 0;
}

const struct pl_store_series *pl_store_find_series(const struct pl_store *store, const char *name,
                                                   enum pl_series_axis axis)
{
    for (size_t i = 0; i < store->series_count; i++)
        if (store->series[i].axis == axis && !strcmp(store->series[i].name, name))
            return &store->series[i];
    return NULL;
}

int pl_store_need_series(struct pl_store *store, const char *metric, const struct pl_store_series **series,
                         struct pl_error *err)
{
    int status = pl_store_load_series(store, err);
    if (status)
        return status;
    *series = pl_store_find_series(store, metric, PL_BY_EPOCH);
    if (!*series)
        *series = pl_store_find_series(store, metric, PL_BY_STEP);
    if (*series)
        return 0;
    if (!store->series_count)
        return pl_fail(err, PL_EMISSING, "no run in %s has recorded a metric yet", store->path);
    struct pl_text names = {0};
    for (size_t i = 0; i < store->series_count; i++)
        pl_text_addf(&names, "%s%s", i ? ", " : "", store->series[i].name);
    status = pl_fail(err, PL_EMISSING, "no run has recorded the metric %s; there are: %s", metric, pl_text(&names));
    pl_text_release(&names);
    return status;
}

/* ---- what their names say ---- */

/* What views know of a series; NULL where it is -1. */
struct description {
    int direction, validates, loss;
};

static struct description describe(const char *name)
{
    enum { BEHIND_DECLARED = 1000 };
    struct pl_metric metric = pl_metric_judge(name);
    bool validates = metric.set == PL_SET_VALID && pl_direction_is_choice(metric.direction);
    return (struct description){metric.direction == PL_UNDECLARED ? -1 : (int)metric.direction,
                                validates ? BEHIND_DECLARED + (int)metric.rank : -1, metric.loss};
}

static void bind_description(sqlite3_stmt *statement, int at, int value)
{
    if (value >= 0)
        sqlite3_bind_int(statement, at, value);
    else
        sqlite3_bind_null(statement, at);
}

/* One series, or all (0): judging a name takes as long as writing many rows, so a new one does not have the others
 * judged again. */
static int describe_series(struct pl_store *store, int64_t only, struct pl_error *err)
{
    sqlite3_stmt *update;
    int status = pl_store_prepare(store, "UPDATE series SET direction = ?2, validates = ?3, loss = ?4 WHERE id = ?1",
                                  &update, err);
    for (size_t i = 0; i < store->series_count && !status; i++) {
        if (only && store->series[i].id != only)
            continue;
        struct description d = describe(store->series[i].name);
        sqlite3_bind_int64(update, 1, store->series[i].id);
        bind_description(update, 2, d.direction);
        bind_description(update, 3, d.validates);
        bind_description(update, 4, d.loss);
        if (sqlite3_step(update) != SQLITE_DONE)
            status = pl_store_fail(store, "write to", err);
        sqlite3_reset(update);
    }
    sqlite3_finalize(update);
    return status;
}

int pl_store_describe_series(struct pl_store *store, struct pl_error *err)
{
    return describe_series(store, 0, err);
}

static int put_series(struct pl_store *store, const char *metric, enum pl_series_axis axis, int64_t *series,
                      struct pl_error *err)
{
    int status = pl_store_load_series(store, err);
    if (status)
        return status;
    const struct pl_store_series *known = pl_store_find_series(store, metric, axis);
    if (known) {
        *series = known->id;
        return 0;
    }
    status = pl_store_exec(store, err, PL_SQL_SERIES_ADD, "si", metric, (int64_t)axis);
    *series = sqlite3_last_insert_rowid(store->db);
    if (!status)
        status = pl_store_load_series(store, err);
    return status ? status : describe_series(store, *series, err);
}

int pl_store_series(struct pl_store *store, const char *metric, enum pl_series_axis axis, int64_t *series,
                    struct pl_error *err)
{
    const struct pl_store_series *known = store->series_known ? pl_store_find_series(store, metric, axis) : NULL;
    if (known) {
        *series = known->id;
        return 0;
    }
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    return status ? status : pl_store_write_leave(store, own, put_series(store, metric, axis, series, err), err);
}

int pl_store_series_described(struct pl_store *store, bool *described, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_prepare(
        store, "SELECT name, coalesce(direction, -1), coalesce(validates, -1), loss FROM series", &row, err);
    *described = true;
    while (!status && !(status = pl_store_next(store, row, err))) {
        const char *name;
        status = pl_store_text(store, row, 0, "series", 0, &name, err);
        if (status)
            break;
        struct description d = describe(name);
        *described = *described && d.direction == sqlite3_column_int(row, 1) &&
                     d.validates == sqlite3_column_int(row, 2) && d.loss == sqlite3_column_int(row, 3);
    }
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}
