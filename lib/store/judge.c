/* What a study decides of runs that it may share with others: which way its metrics are better, and which of them
 * diverge. */
#include "store_priv.h"

/* Where the first loss of a run is not finite to the end, by the declarations of the study that x is a place in. */
#define BAD                                                                                                            \
    "(SELECT v.bad_epoch FROM series AS s CROSS JOIN result AS v ON v.series = s.id AND v.run = x.run"                 \
    " LEFT JOIN sweep_metric AS d ON d.sweep = x.sweep AND d.name = s.name WHERE v.bad_epoch IS NOT NULL"              \
    " AND coalesce(d.loss, s.loss) = 1 ORDER BY s.axis, v.bad_epoch LIMIT 1)"

/* Only programs that came to their end can be judged another way: poula's own tasks end where they diverge. */
#define JUDGE(which)                                                                                                   \
    "UPDATE sweep_run AS x SET outcome = (SELECT CASE WHEN r.status = 2 AND " BAD " IS NOT NULL THEN 3"                \
    " WHEN r.status = 3 AND " BAD " IS NULL THEN 2 END FROM run AS r WHERE r.id = x.run),"                             \
    " bad_epoch = (SELECT CASE WHEN r.status = 2 THEN " BAD " END FROM run AS r WHERE r.id = x.run)"                   \
    " WHERE " which " AND EXISTS (SELECT 1 FROM sweep_metric AS d WHERE d.sweep = x.sweep AND d.loss IS NOT NULL)"     \
    " AND EXISTS (SELECT 1 FROM run AS r JOIN attempt AS a ON a.run = r.id AND a.number = r.attempts"                  \
    " WHERE r.id = x.run AND r.status IN (2, 3) AND a.exit_code = 0)"

const char pl_store_judge_run_sql[] = JUDGE("x.run = ?1"), pl_store_judge_sweep_sql[] = JUDGE("x.sweep = ?1");

int pl_store_judge_run(struct pl_store *store, int64_t run, struct pl_error *err)
{
    return pl_store_exec(store, err, PL_SQL_JUDGE_RUN, "i", run);
}

int pl_store_judge_sweep(struct pl_store *store, int64_t sweep, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    return pl_store_write_leave(store, own, pl_store_exec(store, err, PL_SQL_JUDGE_SWEEP, "i", sweep), err);
}

static void bind_said(sqlite3_stmt *statement, int at, bool said, int value)
{
    if (said)
        sqlite3_bind_int(statement, at, value);
    else
        sqlite3_bind_null(statement, at);
}

static int declare(struct pl_store *store, int64_t sweep, const struct pl_metric_spec *metric, int place,
                   struct pl_error *err)
{
    sqlite3_stmt *add;
    int status = pl_store_statement(store, PL_SQL_DECLARE, &add, err);
    if (status)
        return status;
    sqlite3_bind_int64(add, 1, sweep);
    sqlite3_bind_text(add, 2, metric->name, -1, SQLITE_STATIC);
    bind_said(add, 3, metric->direction != PL_UNDECLARED, (int)metric->direction);
    bind_said(add, 4, metric->loss != PL_UNSAID, metric->loss == PL_SAID_YES);
    bind_said(add, 5, metric->validation != PL_UNSAID, metric->validation == PL_SAID_YES ? place : 0);
    if (sqlite3_step(add) != SQLITE_DONE)
        status = pl_store_fail(store, "write to", err);
    sqlite3_reset(add);
    return status;
}

int pl_store_declare(struct pl_store *store, int64_t sweep, const struct pl_metric_spec *metrics, size_t count,
                     struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    for (size_t i = 0; i < count && !status; i++)
        status = declare(store, sweep, &metrics[i], (int)i + 1, err);
    return pl_store_write_leave(store, own, status, err);
}

int pl_store_direction(struct pl_store *store, int64_t sweep, const char *metric, enum pl_direction *direction,
                       bool *migrated, struct pl_error *err)
{
    sqlite3_stmt *row;
    *direction = pl_train_direction(metric);
    *migrated = false;
    int status = pl_store_first(store, err, PL_SQL_DECLARED, &row, "is", sweep, metric);
    if (status)
        return status < 0 ? status : 0;
    if (sqlite3_column_type(row, 0) != SQLITE_NULL) {
        int64_t declared;
        status = pl_store_number(store, row, 0, "sweep_metric", sweep, PL_NEUTRAL, PL_MAXIMIZE, &declared, err);
        *migrated = !status && sqlite3_column_int(row, 1) && declared != (int64_t)*direction;
        *direction = status ? *direction : (enum pl_direction)declared;
    }
    sqlite3_reset(row);
    return status < 0 ? status : 0;
}
