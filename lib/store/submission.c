#include "store/submission.h"
#include "store_priv.h"

#include <math.h>
#include <stdlib.h>

static const int64_t tasks_most = 100000000, array_most = 4000001; /* of a submission, and of an array of Slurm's */

/* ---- submissions ---- */

int pl_store_submission_add(struct pl_store *store, const struct pl_submission *s, int64_t *id, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_SUBMISSION_ADD, "iiidssssss", s->session, s->sweep, s->threads,
                           s->created, s->name, s->system, s->folder, s->user, s->resources, s->reading);
    *id = sqlite3_last_insert_rowid(store->db);
    return pl_store_write_leave(store, own, status, err);
}

int pl_store_submission_open(struct pl_store *store, int64_t id, int64_t tasks, int64_t runs, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_SUBMISSION_OPEN, "iii", id, tasks, runs);
    if (!status && !sqlite3_changes(store->db))
        status = pl_fail(err, PL_EDATABASE, "the submission %lld was taken for dead while it was written",
                         (long long)id);
    return pl_store_write_leave(store, own, status, err);
}

static int session_of(struct pl_store *store, int64_t submission, int64_t *session, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_SUBMISSION_SESSION, &row, "i", submission);
    if (status)
        return status < 0 ? status : pl_fail(err, PL_EMISSING, "there is no submission %lld", (long long)submission);
    *session = sqlite3_column_int64(row, 0);
    sqlite3_reset(row);
    return 0;
}

static const char *column(sqlite3_stmt *row, int at)
{
    return (const char *)sqlite3_column_text(row, at);
}

/* A column that has to have a text: what else stands there is shown as nothing. */
static const char *said(sqlite3_stmt *row, int at)
{
    const char *text = column(row, at);
    return text ? text : "";
}

int pl_store_each_submission(struct pl_store *store, bool open_only,
                             int (*take)(void *self, const struct pl_submission *submission), void *self,
                             struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_prepare(store,
                                  "SELECT s.id, s.session, s.sweep, s.state, s.tasks, s.runs, s.threads, s.created,"
                                  " s.name, w.study, s.system, s.folder, s.user, s.resources, s.reading"
                                  " FROM submission AS s JOIN sweep AS w ON w.id = s.sweep WHERE NOT ?1 OR s.state = 1"
                                  " ORDER BY s.id",
                                  &row, err);
    if (status)
        return status;
    sqlite3_bind_int(row, 1, open_only);
    while (!(status = pl_store_next(store, row, err))) {
        const struct pl_submission s = {.id = sqlite3_column_int64(row, 0),
                                        .session = sqlite3_column_int64(row, 1),
                                        .sweep = sqlite3_column_int64(row, 2),
                                        .state = (enum pl_submission_state)sqlite3_column_int(row, 3),
                                        .tasks = sqlite3_column_int64(row, 4),
                                        .runs = sqlite3_column_int64(row, 5),
                                        .threads = sqlite3_column_int64(row, 6),
                                        .created = sqlite3_column_double(row, 7),
                                        .name = said(row, 8),
                                        .study = said(row, 9),
                                        .system = said(row, 10),
                                        .folder = said(row, 11),
                                        .user = said(row, 12),
                                        .resources = said(row, 13),
                                        .reading = column(row, 14)};
        status = take(self, &s);
        if (status < 0)
            break;
    }
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

/* ---- arrays ---- */

int pl_store_array_add(struct pl_store *store, const struct pl_array_info *a, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_ARRAY_ADD, "iiiis", a->submission, a->number, a->first, a->count,
                           a->name);
    return pl_store_write_leave(store, own, status, err);
}

int pl_store_array_change(struct pl_store *store, const struct pl_array_info *before, const struct pl_array_info *after,
                          struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_ARRAY_CHANGE, "iiisissss", before->submission, before->number,
                           (int64_t)before->state, before->asker, (int64_t)after->state, after->job, after->asker,
                           after->space, after->reason);
    if (!status && !sqlite3_changes(store->db))
        status = 1;
    return pl_store_write_leave(store, own, status, err);
}

int pl_store_each_array(struct pl_store *store, int64_t submission,
                        int (*take)(void *self, const struct pl_array_info *array), void *self, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_prepare(store,
                                  "SELECT number, first, count, state, name, job, asker, space, reason"
                                  " FROM submission_array WHERE submission = ?1 ORDER BY number",
                                  &row, err);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, submission);
    while (!(status = pl_store_next(store, row, err))) {
        int64_t first, count, state;
        status = pl_store_number(store, row, 1, "submission_array", submission, 0, tasks_most, &first, err);
        if (!status)
            status = pl_store_number(store, row, 2, "submission_array", submission, 0, array_most, &count, err);
        if (!status)
            status = pl_store_number(store, row, 3, "submission_array", submission, PL_ARRAY_PLANNED, PL_ARRAY_REFUSED,
                                     &state, err);
        if (status)
            break;
        const struct pl_array_info a = {.submission = submission,
                                        .number = sqlite3_column_int64(row, 0),
                                        .first = first,
                                        .count = count,
                                        .state = (enum pl_array_state)state,
                                        .name = said(row, 4),
                                        .job = column(row, 5),
                                        .asker = column(row, 6),
                                        .space = column(row, 7),
                                        .reason = column(row, 8)};
        status = take(self, &a);
        if (status < 0)
            break;
    }
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

/* ---- tasks ---- */

int pl_store_task_add(struct pl_store *store, int64_t submission, int64_t task, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_TASK_ADD, "ii", submission, task);
    return pl_store_write_leave(store, own, status, err);
}

int pl_store_task_set(struct pl_store *store, const struct pl_task_info *t, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_TASK_SET, "iiisssd", t->submission, t->number, t->state, t->word,
                           t->reason, t->node, t->since);
    return pl_store_write_leave(store, own, status, err);
}

int pl_store_task_begun(struct pl_store *store, int64_t submission, int64_t task, const char *node, int64_t starts,
                        struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_TASK_BEGUN, "iisi", submission, task, node, starts);
    return pl_store_write_leave(store, own, status, err);
}

int pl_store_task_over(struct pl_store *store, int64_t submission, int64_t task, const char *reason,
                       struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_TASK_OVER, "iis", submission, task, reason);
    return pl_store_write_leave(store, own, status, err);
}

int pl_store_each_task(struct pl_store *store, int64_t submission,
                       int (*take)(void *self, const struct pl_task_info *task), void *self, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_prepare(
        store,
        "SELECT t.number, count(x.run), t.over, coalesce(t.state, -1), t.word, t.reason, t.node, coalesce(t.since, 0),"
        " t.starts, coalesce(sum(r.session IS NOT s.session), 0) FROM submission_task AS t JOIN submission AS s"
        " ON s.id = t.submission LEFT JOIN submission_run AS x ON x.submission = t.submission AND x.task = t.number"
        " LEFT JOIN run AS r ON r.id = x.run WHERE t.submission = ?1 GROUP BY t.number ORDER BY t.number",
        &row, err);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, submission);
    for (int64_t next = 0, number; !(status = pl_store_next(store, row, err)); next++) {
        status = pl_store_number(store, row, 0, "submission_task", submission, next, next, &number, err);
        if (status)
            break;
        const struct pl_task_info t = {.submission = submission,
                                       .number = number,
                                       .runs = sqlite3_column_int64(row, 1),
                                       .over = sqlite3_column_int(row, 2) != 0,
                                       .state = sqlite3_column_int64(row, 3),
                                       .word = column(row, 4),
                                       .reason = column(row, 5),
                                       .node = column(row, 6),
                                       .since = sqlite3_column_double(row, 7),
                                       .starts = sqlite3_column_int64(row, 8),
                                       .ended = sqlite3_column_int64(row, 9)};
        status = take(self, &t);
        if (status < 0)
            break;
    }
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

/* ---- their runs ---- */

int pl_store_task_run_add(struct pl_store *store, int64_t submission, int64_t task, const struct pl_claim *claim,
                          int64_t program, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_TASK_RUN_ADD, "iiii", submission, task, claim->run, program);
    return pl_store_write_leave(store, own, status, err);
}

/* open: is it anybody's to claim? */
static int read_run(struct pl_store *store, int64_t submission, int64_t task, int64_t run, struct pl_task_run *found,
                    bool *open, int64_t *session, struct pl_error *err)
{
    sqlite3_stmt *row;
    int status = pl_store_first(store, err, PL_SQL_TASK_RUN, &row, "iii", submission, task, run);
    if (status)
        return status;
    *found = (struct pl_task_run){.claim = {.run = run,
                                            .config = sqlite3_column_int64(row, 0),
                                            .seed = sqlite3_column_int64(row, 1),
                                            .attempt = sqlite3_column_int64(row, 2) + 1,
                                            .token = sqlite3_column_int64(row, 3)},
                                  .held = sqlite3_column_int(row, 4) != 0,
                                  .begun = sqlite3_column_double(row, 5),
                                  .program = sqlite3_column_int64(row, 6),
                                  .received = sqlite3_column_int64(row, 7),
                                  .forgotten = sqlite3_column_int64(row, 8)};
    *open = sqlite3_column_int(row, 9) != 0;
    *session = sqlite3_column_int64(row, 10);
    sqlite3_reset(row);
    return 0;
}

int pl_store_task_run(struct pl_store *store, int64_t submission, int64_t task, int64_t run, struct pl_task_run *found,
                      struct pl_error *err)
{
    bool open;
    int64_t session = 0;
    return read_run(store, submission, task, run, found, &open, &session, err);
}

int pl_store_task_run_set(struct pl_store *store, int64_t submission, int64_t task, const struct pl_task_run *run,
                          struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_TASK_RUN_SET, "iiiii", submission, task, run->claim.run, run->received,
                           run->forgotten);
    return pl_store_write_leave(store, own, status, err);
}

static int take_again(struct pl_store *store, int64_t submission, int64_t task, int64_t run, struct pl_task_run *found,
                      struct pl_error *err)
{
    bool open;
    int64_t session = 0;
    int status = read_run(store, submission, task, run, found, &open, &session, err);
    if (status || !open)
        return status ? status : 1;
    found->claim.token++;
    found->held = true;
    found->begun = 0;
    found->received = found->forgotten = 0;
    status = pl_store_exec(store, err, PL_SQL_CLAIM_TAKE, "iii", run, session, found->claim.token);
    return status
               ? status
               : pl_store_exec(store, err, PL_SQL_TASK_RUN_SET, "iiiii", submission, task, run, (int64_t)0, (int64_t)0);
}

int pl_store_task_run_again(struct pl_store *store, int64_t submission, int64_t task, int64_t run,
                            struct pl_task_run *found, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    return status ? status
                  : pl_store_write_leave(store, own, take_again(store, submission, task, run, found, err), err);
}

static int drop(struct pl_store *store, int64_t submission, int64_t task, enum pl_outcome outcome, const char *reason,
                int64_t *failed, int64_t *returned, struct pl_error *err)
{
    sqlite3_stmt *row;
    int64_t session = 0;
    int status = session_of(store, submission, &session, err);
    while (!status && !(status = pl_store_first(store, err, PL_SQL_TASK_HELD, &row, "ii", submission, task))) {
        struct pl_claim claim = {.run = sqlite3_column_int64(row, 0), .token = sqlite3_column_int64(row, 1)};
        double begun = sqlite3_column_double(row, 2);
        sqlite3_reset(row);
        struct pl_ending ending = {.session = session,
                                   .outcome = outcome,
                                   .bad_epoch = -1,
                                   .exit_code = -1,
                                   .reason = reason,
                                   .started = begun};
        bool holds;
        status = pl_store_holds(store, &claim, &holds, err);
        if (!status && !holds)
            status = pl_store_fail_held(store, claim.run, err);
        if (!status)
            status = begun > 0 ? pl_store_end(store, &claim, &ending, err) : pl_store_put_back(store, &claim, err);
        *(begun > 0 && outcome == PL_FAILED ? failed : returned) += 1;
    }
    return status < 0 ? status : 0;
}

/* Runs that never began go back as they were, without an attempt. */
static int close_tasks(struct pl_store *store, int64_t id, const char *reason, struct pl_error *err)
{
    struct pl_text sql = {0};
    int64_t tasks = 0, failed = 0, returned = 0;
    pl_text_addf(&sql, "SELECT count(*) FROM submission_task WHERE submission = %lld", (long long)id);
    int status = pl_store_integer(store, pl_text(&sql), &tasks, err);
    for (int64_t task = 0; task < tasks && !status; task++) /* they are numbered from 0 */
        status = drop(store, id, task, PL_INTERRUPTED, reason, &failed, &returned, err);
    pl_text_release(&sql);
    return status;
}

int pl_store_submission_close(struct pl_store *store, int64_t id, const char *reason, struct pl_error *err)
{
    bool own;
    int64_t session = 0, given = 0;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = session_of(store, id, &session, err);
    if (!status)
        status = close_tasks(store, id, reason, err);
    if (!status)
        status = pl_store_close_session(store, session, reason, &given, err);
    return pl_store_write_leave(store, own, status, err);
}

int pl_store_task_drop(struct pl_store *store, int64_t submission, int64_t task, enum pl_outcome outcome,
                       const char *reason, int64_t *failed, int64_t *returned, struct pl_error *err)
{
    bool own;
    *failed = *returned = 0;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = drop(store, submission, task, outcome, reason, failed, returned, err);
    return pl_store_write_leave(store, own, status, err);
}

int pl_store_seconds(struct pl_store *store, int64_t sweep, double *mean, int64_t *count, struct pl_error *err)
{
    sqlite3_stmt *row;
    *mean = NAN;
    *count = 0;
    int status = pl_store_prepare(
        store,
        "SELECT avg(seconds), count(*) FROM (SELECT a.seconds FROM sweep_run AS x CROSS JOIN run"
        " AS r ON r.id = x.run CROSS JOIN attempt AS a ON a.run = r.id AND a.number = r.attempts"
        " WHERE x.sweep = ?1 AND r.status IN (2, 3) AND a.seconds IS NOT NULL LIMIT 4000)",
        &row, err);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, sweep);
    status = pl_store_next(store, row, err);
    if (!status && sqlite3_column_int64(row, 1)) {
        *mean = sqlite3_column_double(row, 0);
        *count = sqlite3_column_int64(row, 1);
    }
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

/* ---- journals ---- */

int pl_store_journal(struct pl_store *store, struct pl_journal_info *j, struct pl_error *err)
{
    sqlite3_stmt *row;
    j->bytes = j->chain = j->host = 0;
    int status = pl_store_first(store, err, PL_SQL_JOURNAL_READ, &row, "iii", j->submission, j->task, j->attempt);
    if (status)
        return status < 0 ? status : 0;
    j->bytes = sqlite3_column_int64(row, 0);
    j->chain = sqlite3_column_int64(row, 1);
    j->host = sqlite3_column_int64(row, 2);
    sqlite3_reset(row);
    return 0;
}

int pl_store_journal_set(struct pl_store *store, const struct pl_journal_info *j, struct pl_error *err)
{
    bool own;
    int status = pl_store_write_enter(store, &own, err);
    if (status)
        return status;
    status = pl_store_exec(store, err, PL_SQL_JOURNAL_SET, "iiiiii", j->submission, j->task, j->attempt, j->bytes,
                           j->chain, j->host);
    return pl_store_write_leave(store, own, status, err);
}
