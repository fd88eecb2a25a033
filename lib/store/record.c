/* Recording: metric series, points, and the end of an attempt with its results. */
#include "store_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- series ---- */

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

/* ---- points ---- */

const char *pl_store_value_kind(double value)
{
    return isnan(value) ? "nan" : isinf(value) ? value > 0 ? "inf" : "-inf" : NULL;
}

double pl_store_kind_value(const char *kind)
{
    return !kind || *kind == 'n' ? NAN : *kind == '-' ? -INFINITY : INFINITY;
}

static void bind_number(sqlite3_stmt *statement, int at, double value)
{
    if (isfinite(value))
        sqlite3_bind_double(statement, at, value);
    else
        sqlite3_bind_null(statement, at);
}

static void bind_kind(sqlite3_stmt *statement, int at, double value)
{
    const char *kind = pl_store_value_kind(value);
    if (kind)
        sqlite3_bind_text(statement, at, kind, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(statement, at);
}

/* 0 when the run is this claim's, 1 when it is not any more (it was given back, has ended, or was deleted). */
static int must_hold(struct pl_store *store, const struct pl_claim *claim, int64_t *session, int64_t *attempts,
                     struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_RUN_STATE, &row, "i", claim->run);
    if (status)
        return status;
    status = sqlite3_column_int(row, 0) != PL_RUN_RUNNING || sqlite3_column_int64(row, 3) != claim->token;
    *session = sqlite3_column_int64(row, 1);
    *attempts = sqlite3_column_int64(row, 2);
    sqlite3_reset(row);
    return status;
}

void pl_store_bind_position(sqlite3_stmt *statement, int at, double position)
{
    if (fabs(position) <= 0x1p53 && position == floor(position))
        sqlite3_bind_int64(statement, at, (int64_t)position);
    else
        sqlite3_bind_double(statement, at, position);
}

static int put_block(struct pl_store *store, int64_t run, int64_t series, const double *epochs, const double *values,
                     size_t count, struct pl_error *err)
{
    sqlite3_stmt *add;
    int status = pl_store_block_statement(store, count, &add, err);
    if (status)
        return status;
    sqlite3_bind_int64(add, 1, run);
    sqlite3_bind_int64(add, 2, series);
    for (int i = 0; i < (int)count; i++) {
        pl_store_bind_position(add, 3 * i + 3, epochs[i]);
        bind_number(add, 3 * i + 4, values[i]);
        bind_kind(add, 3 * i + 5, values[i]);
    }
    if (sqlite3_step(add) != SQLITE_DONE)
        status = pl_store_fail(store, "write to", err);
    sqlite3_reset(add);
    return status;
}

static int put_points(struct pl_store *store, const struct pl_claim *claim, int64_t series, const double *epochs,
                      const double *values, size_t count, struct pl_error *err)
{
    int64_t session = 0, attempts = 0;
    int status = must_hold(store, claim, &session, &attempts, err);
    for (size_t i = 0, rows; !status && i < count; i += rows) {
        rows = count - i < PL_STORE_BLOCK ? count - i : PL_STORE_BLOCK;
        status = put_block(store, claim->run, series, epochs + i, values + i, rows, err);
    }
    return status;
}

int pl_store_points(struct pl_store *store, const struct pl_claim *claim, int64_t series, const double *epochs,
                    const double *values, size_t count, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    return pl_store_write_leave(store, own, put_points(store, claim, series, epochs, values, count, err), err);
}

int pl_store_kept(struct pl_store *store, int64_t run, struct pl_kept *kept, struct pl_error *err)
{
    sqlite3_stmt *row;
    for (int axis = 0; axis < PL_AXIS_COUNT; axis++)
        kept[axis] = (struct pl_kept){NAN, NAN};
    int status = pl_store_first(store, err, PL_SQL_POINT_SPAN, &row, "i", run);
    for (; !status; status = pl_store_next(store, row, err))
        kept[sqlite3_column_int(row, 0) == PL_BY_STEP] = (struct pl_kept){sqlite3_column_double(row, 1),
                                                                          sqlite3_column_double(row, 2)};
    return status < 0 ? status : 0;
}

/* ---- results ---- */

static int read_points(struct pl_store *store, int64_t run, size_t *count, struct pl_error *err)
{
    sqlite3_stmt *row;
    *count = 0;
    int status = pl_store_first(store, err, PL_SQL_POINTS_OF_RUN, &row, "i", run);
    for (; !status; status = pl_store_next(store, row, err)) {
        void *list = store->points;
        pl_grow(&list, &store->point_capacity, *count + 1, sizeof *store->points);
        store->points = list;
        double value = sqlite3_column_double(row, 2);
        if (sqlite3_column_type(row, 2) == SQLITE_NULL)
            value = pl_store_kind_value((const char *)sqlite3_column_text(row, 3));
        store->points[(*count)++] = (struct pl_store_point){sqlite3_column_int64(row, 0), sqlite3_column_double(row, 1),
                                                            value};
    }
    return status < 0 ? status : 0;
}

/* What is kept of a series: its extreme finite points, the first of equals, and the point from which on it is not
 * finite to its end; NULL where there is none. */
struct summary {
    const struct pl_store_point *lowest, *highest, *last, *bad;
};

static struct summary summarize(const struct pl_store_point *points, size_t count)
{
    struct summary s = {.last = &points[count - 1]};
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(points[i].value)) {
            s.bad = s.bad ? s.bad : &points[i];
            continue;
        }
        s.bad = NULL;
        if (!s.lowest || points[i].value < s.lowest->value)
            s.lowest = &points[i];
        if (!s.highest || points[i].value > s.highest->value)
            s.highest = &points[i];
    }
    return s;
}

static void bind_point(sqlite3_stmt *statement, int at, const struct pl_store_point *point)
{
    if (!point)
        return;
    bind_number(statement, at, point->value);
    pl_store_bind_position(statement, at + 1, point->epoch);
}

/* sql: of a run's result (number is its status) or of an attempt that is superseded (number is the attempt's). */
static int write_result(struct pl_store *store, enum pl_sql sql, int64_t run, int64_t number,
                        const struct pl_store_point *points, size_t count, struct pl_error *err)
{
    sqlite3_stmt *add;
    int status = pl_store_statement(store, sql, &add, err);
    if (status)
        return status;
    struct summary summary = summarize(points, count);
    sqlite3_clear_bindings(add);
    sqlite3_bind_int64(add, 1, points->series);
    sqlite3_bind_int64(add, 2, run);
    sqlite3_bind_int64(add, 3, number);
    bind_point(add, 4, summary.lowest);
    bind_point(add, 6, summary.highest);
    bind_point(add, 8, summary.last);
    bind_kind(add, 10, summary.last->value);
    if (summary.bad && sql == PL_SQL_RESULT_ADD)
        pl_store_bind_position(add, 11, summary.bad->epoch);
    if (sqlite3_step(add) != SQLITE_DONE)
        status = pl_store_fail(store, "write to", err);
    sqlite3_reset(add);
    return status;
}

static int write_results(struct pl_store *store, enum pl_sql sql, int64_t run, int64_t number, struct pl_error *err)
{
    size_t count, length;
    int status = read_points(store, run, &count, err);
    for (size_t i = 0; !status && i < count; i += length) {
        for (length = 1; i + length < count && store->points[i + length].series == store->points[i].series;)
            length++;
        status = write_result(store, sql, run, number, store->points + i, length, err);
    }
    return status;
}

int pl_store_write_results(struct pl_store *store, int64_t run, enum pl_status ended, struct pl_error *err)
{
    return write_results(store, PL_SQL_RESULT_ADD, run, (int64_t)ended, err);
}

int pl_store_supersede(struct pl_store *store, int64_t run, int64_t attempt, struct pl_error *err)
{
    return attempt ? write_results(store, PL_SQL_SUPERSEDED_ADD, run, attempt, err) : 0;
}

static int forget_points(struct pl_store *store, const struct pl_claim *claim, enum pl_series_axis axis, double from,
                         struct pl_error *err)
{
    int64_t session = 0, attempts = 0;
    int status = must_hold(store, claim, &session, &attempts, err);
    if (!status)
        status = pl_store_supersede(store, claim->run, attempts, err);
    if (!status && axis == PL_BY_EPOCH)
        status = pl_store_exec(store, err, PL_SQL_REACHED_DROP, "id", claim->run, from);
    return status ? status : pl_store_exec(store, err, PL_SQL_POINT_DROP, "idi", claim->run, from, (int64_t)axis);
}

int pl_store_forget_points(struct pl_store *store, const struct pl_claim *claim, enum pl_series_axis axis, double from,
                           struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    return status ? status : pl_store_write_leave(store, own, forget_points(store, claim, axis, from, err), err);
}

/* ---- the end of an attempt ---- */

static enum pl_status status_after(enum pl_outcome outcome)
{
    switch (outcome) {
    case PL_FINISHED:
        return PL_RUN_FINISHED;
    case PL_DIVERGED:
        return PL_RUN_DIVERGED;
    case PL_FAILED:
        return PL_RUN_FAILED;
    case PL_INTERRUPTED:
        return PL_RUN_INTERRUPTED;
    }
    return PL_RUN_FAILED;
}

static void bind_optional(sqlite3_stmt *statement, int at, int64_t value, bool present)
{
    if (present)
        sqlite3_bind_int64(statement, at, value);
    else
        sqlite3_bind_null(statement, at);
}

static int add_attempt(struct pl_store *store, int64_t run, int64_t number, const struct pl_ending *e,
                       struct pl_error *err)
{
    sqlite3_stmt *add;
    int status = pl_store_statement(store, PL_SQL_ATTEMPT_ADD, &add, err);
    if (status)
        return status;
    sqlite3_bind_int64(add, 1, run);
    sqlite3_bind_int64(add, 2, number);
    sqlite3_bind_int64(add, 3, e->session);
    sqlite3_bind_int(add, 4, status_after(e->outcome));
    bind_optional(add, 5, e->exit_code, e->exit_code >= 0);
    bind_optional(add, 6, e->signal, e->signal > 0);
    sqlite3_bind_text(add, 7, e->reason && *e->reason ? e->reason : NULL, -1, SQLITE_STATIC);
    sqlite3_bind_text(add, 8, e->log && *e->log ? e->log : NULL, -1, SQLITE_STATIC);
    if (e->started > 0)
        sqlite3_bind_double(add, 9, e->started);
    else
        sqlite3_bind_null(add, 9);
    if (e->started > 0)
        sqlite3_bind_double(add, 10, e->seconds);
    else
        sqlite3_bind_null(add, 10);
    bind_optional(add, 11, e->threads, e->threads > 0);
    bind_optional(add, 12, e->worker, e->worker > 0);
    sqlite3_bind_text(add, 13, e->reading, -1, SQLITE_STATIC);
    bind_optional(add, 14, e->unread, e->unread > 0);
    sqlite3_bind_text(add, 15, e->unread > 0 ? e->unread_example : NULL, -1, SQLITE_STATIC);
    bind_optional(add, 16, e->program, e->program > 0);
    bind_optional(add, 17, e->host, e->host > 0);
    bind_optional(add, 18, e->unsaved, e->unsaved > 0);
    sqlite3_bind_text(add, 19, e->unsaved > 0 ? e->unsaved_example : NULL, -1, SQLITE_STATIC);
    if (sqlite3_step(add) != SQLITE_DONE)
        status = pl_store_fail(store, "write to", err);
    sqlite3_reset(add);
    return status;
}

static int end_run(struct pl_store *store, const struct pl_claim *claim, const struct pl_ending *ending,
                   struct pl_error *err)
{
    int64_t run = claim->run, session = 0, attempts = 0;
    sqlite3_stmt *update;
    int status = must_hold(store, claim, &session, &attempts, err);
    if (status)
        return status;
    if (session != ending->session)
        return 1;
    status = add_attempt(store, run, attempts + 1, ending, err);
    if (!status && (ending->outcome == PL_FINISHED || ending->outcome == PL_DIVERGED))
        status = pl_store_write_results(store, run, status_after(ending->outcome), err);
    if (!status)
        status = pl_store_statement(store, PL_SQL_RUN_END, &update, err);
    if (status)
        return status;
    sqlite3_bind_int64(update, 1, run);
    sqlite3_bind_int(update, 2, status_after(ending->outcome));
    if (ending->outcome == PL_DIVERGED && ending->bad_epoch >= 0)
        pl_store_bind_position(update, 3, ending->bad_epoch);
    else
        sqlite3_bind_null(update, 3);
    sqlite3_bind_int64(update, 4, attempts + 1);
    if (ending->reached > 0)
        sqlite3_bind_double(update, 5, ending->reached);
    else
        sqlite3_bind_null(update, 5);
    if (sqlite3_step(update) != SQLITE_DONE)
        status = pl_store_fail(store, "write to", err);
    sqlite3_reset(update);
    return status ? status : pl_store_judge_run(store, run, err);
}

int pl_store_end(struct pl_store *store, const struct pl_claim *claim, const struct pl_ending *ending,
                 struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    return status ? status : pl_store_write_leave(store, own, end_run(store, claim, ending, err), err);
}

int pl_store_interrupt(struct pl_store *store, const struct pl_claim *claim, int64_t session, const char *reason,
                       struct pl_error *err)
{
    struct pl_ending ending = {
        .session = session, .outcome = PL_INTERRUPTED, .bad_epoch = -1, .exit_code = -1, .reason = reason};
    int status = end_run(store, claim, &ending, err);
    return status > 0 ? pl_store_fail_held(store, claim->run, err) : status;
}
