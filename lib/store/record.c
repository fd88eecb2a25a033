/* Recording: points, and the end of an attempt with its results. */
#include "store_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
