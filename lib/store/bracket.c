#include "store/bracket.h"

#include "store_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- competitors ---- */

int pl_store_compete(struct pl_store *store, int64_t sweep, int64_t run, int64_t bracket, double epochs, double until,
                     struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_COMPETE, "iiidd", sweep, run, bracket, epochs > 0 ? epochs : NAN, until);
    return pl_store_write_leave(store, own, status, err);
}

static double optional(sqlite3_stmt *row, int column, double missing)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? missing : sqlite3_column_double(row, column);
}

static int read_competitor(struct pl_store *store, sqlite3_stmt *row, struct pl_competitor *c, struct pl_error *err)
{
    int64_t state;
    const unsigned char *key;
    *c = (struct pl_competitor){.run = sqlite3_column_int64(row, 0),
                                .bracket = sqlite3_column_int64(row, 1),
                                .epochs = optional(row, 2, 0),
                                .until = optional(row, 3, INFINITY),
                                .stopped = optional(row, 4, 0),
                                .bad_epoch = optional(row, 7, -1),
                                .reached = optional(row, 8, 0)};
    int status = pl_store_digest(store, row, 5, "run", c->run, &key, err);
    if (!status)
        status = pl_store_number(store, row, 6, "run", c->run, 0, PL_RUN_INTERRUPTED, &state, err);
    if (status)
        return status;
    memcpy(c->key, key, sizeof c->key);
    c->status = (enum pl_status)state;
    return 0;
}

int pl_store_competitors(struct pl_store *store, int64_t sweep, struct pl_competitor **list, size_t *count,
                         struct pl_error *err)
{
    sqlite3_stmt *row;
    size_t capacity = 0;
    *list = NULL;
    *count = 0;
    int status = pl_store_first(store, err, PL_SQL_COMPETITORS, &row, "i", sweep);
    for (; !status; status = pl_store_next(store, row, err)) {
        void *grown = *list;
        pl_grow(&grown, &capacity, *count + 1, sizeof **list);
        *list = grown;
        status = read_competitor(store, row, &(*list)[(*count)++], err);
        if (status) {
            sqlite3_reset(row);
            break;
        }
    }
    if (status > 0)
        return 0;
    free(*list);
    *list = NULL;
    return status;
}

int pl_store_decide(struct pl_store *store, int64_t sweep, const struct pl_competitor *c, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_DECIDE, "iidd", sweep, c->run, isinf(c->until) ? NAN : c->until,
                           c->stopped > 0 ? c->stopped : NAN);
    return pl_store_write_leave(store, own, status, err);
}

/* ---- values at rungs ---- */

/* How far the curve of a run goes, and whether it counts from 0. */
static int read_span(struct pl_store *store, const struct pl_competitor *c, double *end, bool *from_zero,
                     struct pl_error *err)
{
    struct pl_kept kept[PL_AXIS_COUNT];
    int status = pl_store_kept(store, c->run, kept, err);
    *from_zero = kept[PL_BY_EPOCH].first == 0;
    *end = isnan(kept[PL_BY_EPOCH].last) ? 0 : kept[PL_BY_EPOCH].last + *from_zero;
    return status;
}

/* The value in the curve until a position; any stays false where there is none. */
static int find_value(struct pl_store *store, int64_t run, int64_t series, const struct pl_rung_query *q, double until,
                      struct pl_rung_value *value, struct pl_error *err)
{
    enum pl_sql sql = !q->best                      ? PL_SQL_RUNG_LAST
                      : q->direction == PL_MAXIMIZE ? PL_SQL_RUNG_HIGHEST
                                                    : PL_SQL_RUNG_LOWEST;
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, sql, &row, "iid", run, series, until);
    if (status)
        return status < 0 ? status : 0;
    value->any = true;
    value->value = sqlite3_column_double(row, 0);
    if (sqlite3_column_type(row, 0) == SQLITE_NULL)
        value->value = pl_store_kind_value((const char *)sqlite3_column_text(row, 1));
    sqlite3_reset(row);
    return 0;
}

static int read_kept(struct pl_store *store, int64_t run, int64_t series, const struct pl_rung_query *q,
                     struct pl_rung_value *value, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_RUNG_READ, &row, "iiid", run, series, (int64_t)q->best, q->epoch);
    if (status)
        return status;
    *value = (struct pl_rung_value){true, true, sqlite3_column_double(row, 0)};
    if (sqlite3_column_type(row, 0) == SQLITE_NULL)
        value->value = pl_store_kind_value((const char *)sqlite3_column_text(row, 1));
    sqlite3_reset(row);
    return 0;
}

static int keep(struct pl_store *store, int64_t run, int64_t series, const struct pl_rung_query *q, double value,
                struct pl_error *err)
{
    return pl_store_exec(store, err, PL_SQL_RUNG_ADD, "iiidds", run, series, (int64_t)q->best, q->epoch,
                         isfinite(value) ? value : NAN, pl_store_value_kind(value));
}

static int find_rung(struct pl_store *store, const struct pl_competitor *c, const struct pl_rung_query *q,
                     struct pl_rung_value *value, struct pl_error *err)
{
    double end;
    bool from_zero;
    int status = pl_store_load_series(store, err);
    const struct pl_store_series *series = status ? NULL : pl_store_find_series(store, q->metric, PL_BY_EPOCH);
    int64_t number = series ? series->id : 0;
    if (status)
        return status;
    status = number ? read_kept(store, c->run, number, q, value, err) : 1;
    if (status <= 0)
        return status;
    status = read_span(store, c, &end, &from_zero, err);
    if (status)
        return status;
    bool over = c->status == PL_RUN_FINISHED || c->status == PL_RUN_DIVERGED;
    value->reached = over || c->reached >= q->epoch || end >= q->epoch;
    if (!value->reached)
        return 0;
    if (!over && c->reached < q->epoch) /* no leg to there is wanted any more */
        status = pl_store_exec(store, err, PL_SQL_REACHED_SET, "id", c->run, q->epoch);
    if (!status && number)
        status = find_value(store, c->run, number, q, q->epoch - from_zero, value, err);
    return status || !value->any ? status : keep(store, c->run, number, q, value->value, err);
}

int pl_store_rung(struct pl_store *store, const struct pl_competitor *competitor, const struct pl_rung_query *query,
                  struct pl_rung_value *value, struct pl_error *err)
{
    bool own;
    *value = (struct pl_rung_value){.value = NAN};
    int status = pl_store_write_enter(store, &own, err);
    return status ? status : pl_store_write_leave(store, own, find_rung(store, competitor, query, value, err), err);
}
