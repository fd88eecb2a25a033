/* Inside of the results database. Every prepared statement is one entry of the list in statement.c and
 * is kept for the life of the connection, so that the hot calls (claim, points, end) only bind and step. */
#ifndef PL_STORE_PRIV_H
#define PL_STORE_PRIV_H

#include "store/store.h"

#include <sqlite3.h>
#include <sys/stat.h>

enum { PL_STORE_APPLICATION = 0x504C4442 /* "PLDB" */ };

/* Statements by name; the texts stand in statement.c. */
/* clang-format off */
enum pl_sql {
    PL_SQL_BEGIN, PL_SQL_COMMIT, PL_SQL_ROLLBACK,
    PL_SQL_SWEEP_FIND, PL_SQL_SWEEP_ADD, PL_SQL_SWEEP_TOUCH, PL_SQL_LAUNCH_LAST, PL_SQL_LAUNCH_SIZE,
    PL_SQL_CONFIG_FIND, PL_SQL_CONFIG_READ, PL_SQL_SETTING_ADD, PL_SQL_KEY_ADD,
    PL_SQL_RUN_FIND, PL_SQL_RUN_FORESEE, PL_SQL_RUN_ADD, PL_SQL_PLACE_FIND, PL_SQL_PLACE_NEXT, PL_SQL_PLACE_ADD, PL_SQL_PLACE_DROP,
    PL_SQL_PLACE_TRIM,
    PL_SQL_SESSION_ADD, PL_SQL_SESSION_BEAT, PL_SQL_SESSION_REVIVE, PL_SQL_SESSION_END, PL_SQL_SESSION_HELD, PL_SQL_SESSION_OPEN,
    PL_SQL_HOST_ADD, PL_SQL_HOST_FIND, PL_SQL_CLAIM_FIND, PL_SQL_CLAIM_TAKE, PL_SQL_CLAIM_DROP, PL_SQL_RUN_STATE, PL_SQL_LAST_OUTCOME,
    PL_SQL_SERIES_ALL, PL_SQL_SERIES_ADD, PL_SQL_DECLARE, PL_SQL_DECLARED, PL_SQL_JUDGE_RUN, PL_SQL_JUDGE_SWEEP,
    PL_SQL_POINT_DROP, PL_SQL_POINT_SPAN, PL_SQL_POINTS_OF_RUN, PL_SQL_RESULT_ADD, PL_SQL_SUPERSEDED_ADD,
    PL_SQL_ATTEMPT_ADD, PL_SQL_PROGRAM_FIND, PL_SQL_PROGRAM_ADD, PL_SQL_PROGRAM_READ, PL_SQL_ORIGIN, PL_SQL_ACCEPT,
    PL_SQL_ACCEPTED, PL_SQL_FORGET_POINTS, PL_SQL_FORGET_RESULTS, PL_SQL_FORGET_RUN, PL_SQL_FORGET_JUDGED, PL_SQL_BEGUN, PL_SQL_RUN_END, PL_SQL_COUNTS, PL_SQL_SWEEP_SPAN, PL_SQL_SERIES_IN_FIRST, PL_SQL_SERIES_IN_SWEEP,
    PL_SQL_SERIES_AT_WORK, PL_SQL_SOURCE_SET, PL_SQL_TAG_ADD, PL_SQL_TAG_DROP, PL_SQL_NOTE_SET, PL_SQL_NOTE_DROP,
    PL_SQL_COMPETE, PL_SQL_COMPETITORS, PL_SQL_DECIDE, PL_SQL_REACHED_SET, PL_SQL_REACHED_DROP, PL_SQL_RUNG_READ, PL_SQL_RUNG_ADD,
    PL_SQL_RUNG_LAST, PL_SQL_RUNG_LOWEST, PL_SQL_RUNG_HIGHEST, PL_SQL_FORGET_RUNGS, PL_SQL_CLAIMABLE,
    PL_SQL_SUBMISSION_ADD, PL_SQL_SUBMISSION_OPEN, PL_SQL_SUBMISSION_CLOSE, PL_SQL_SUBMISSION_SESSION, PL_SQL_SUBMISSION_DROP_OF,
    PL_SQL_ARRAY_ADD, PL_SQL_ARRAY_CHANGE, PL_SQL_TASK_ADD, PL_SQL_TASK_SET, PL_SQL_TASK_BEGUN, PL_SQL_TASK_OVER, PL_SQL_TASK_RUN_ADD, PL_SQL_TASK_RUN,
    PL_SQL_TASK_RUN_SET, PL_SQL_TASK_HELD, PL_SQL_JOURNAL_READ, PL_SQL_JOURNAL_SET, PL_SQL_COUNT
};
/* clang-format on */

/* Points are most of what is written; many rows to a statement halve the cost of each. */
enum { PL_STORE_BLOCK = 32 };

struct pl_store_series {
    int64_t id;
    const char *name;
    enum pl_series_axis axis;
};

/* A setting's column in the views. */
struct pl_store_key {
    const char *key;
    int64_t id;
};

/* How far planning or claiming has come in a sweep. */
struct pl_store_mark {
    int64_t sweep, position;
};
struct pl_store_marks {
    struct pl_store_mark *marks;
    size_t count, capacity;
};

/* A recorded value as pl_store_end reads it back. */
struct pl_store_point {
    int64_t series;
    double epoch, value;
};

/* What was seen of the beats of a session. */
struct pl_store_pulse {
    int64_t session, beats;
    double looked, quiet; /* when, by the steady clock; how long its beats did not change meanwhile */
};

struct pl_store {
    sqlite3 *db;
    char *path, *name; /* as the user and as SQLite spell it */
    enum pl_store_mode mode;
    bool made, made_folder; /* the file was made when it was opened, and so was its folder */
    bool frozen, copied;    /* what is read is the file as it stood, or a copy of it: it does not follow the file */
    struct stat seen;       /* the file when it was opened for reading */
    sqlite3_stmt *statements[PL_SQL_COUNT];
    sqlite3_stmt *blocks[PL_STORE_BLOCK + 1]; /* that insert so many points */

    double patience;
    bool (*waiting)(void *self, double waited);
    void *waiting_self;
    double wait_start, wait_told;

    bool views_stale; /* a setting's name appeared that the views have no column for yet */
    struct pl_store_series *series;
    size_t series_count, series_capacity;
    bool series_known;
    struct pl_store_key *keys; /* the columns of settings */
    size_t key_count, key_capacity;
    struct pl_pool key_pool, series_pool;
    char *config_sql; /* the statement that added the last configuration; most have the same settings */
    sqlite3_stmt *config_add;
    struct pl_store_marks planned, claimed;
    double silence; /* 0: the usual */
    struct pl_store_pulse *pulses;
    size_t pulse_count, pulse_capacity;
    struct pl_store_point *points; /* scratch of pl_store_end */
    size_t point_capacity;

    struct pl_pool texts; /* what pl_store_sweeps and pl_store_metrics returned last */
    struct pl_sweep_info *sweeps;
    size_t sweep_capacity;
    struct pl_metric_info *metrics;
    size_t metric_capacity;
};

/* Turns the connection's last error into a sentence about its file. doing completes "cannot ...". */
int pl_store_fail(struct pl_store *store, const char *doing, struct pl_error *err);
/* PL_ECORRUPT for a run that its row gives to a session, but that is not at work: whoever ends what a session
 * holds, one after the other, would meet it again and again. */
int pl_store_fail_held(struct pl_store *store, int64_t run, struct pl_error *err);

/* The statement, ready to bind. */
int pl_store_statement(struct pl_store *store, enum pl_sql sql, sqlite3_stmt **statement, struct pl_error *err);
int pl_store_block_statement(struct pl_store *store, size_t rows, sqlite3_stmt **statement, struct pl_error *err);
/* Binds the arguments that kinds spells: i int64_t, d double, s text or NULL, b a digest. */
int pl_store_exec(struct pl_store *store, struct pl_error *err, enum pl_sql sql, const char *kinds, ...);
/* The same, for a statement that answers: 0 when statement stands on its first row, 1 when there is none.
 * On 0 the caller resets the statement when it has read it. */
int pl_store_first(struct pl_store *store, struct pl_error *err, enum pl_sql sql, sqlite3_stmt **statement,
                   const char *kinds, ...);
/* Next row: 0, or 1 at the end (then reset), or negative (then reset). */
int pl_store_next(struct pl_store *store, sqlite3_stmt *statement, struct pl_error *err);
/* The text of a column that every row of that table has to have, or an error that names the row. It lives as
 * sqlite3_column_text's does. Somebody else may have made the file: what a column is declared as does not bind it. */
int pl_store_text(struct pl_store *store, sqlite3_stmt *row, int column, const char *table, int64_t id,
                  const char **text, struct pl_error *err);
/* The same for a whole number from low to high. */
int pl_store_number(struct pl_store *store, sqlite3_stmt *row, int column, const char *table, int64_t id, int64_t low,
                    int64_t high, int64_t *number, struct pl_error *err);
/* The same for the bytes of a digest. */
int pl_store_digest(struct pl_store *store, sqlite3_stmt *row, int column, const char *table, int64_t id,
                    const unsigned char **digest, struct pl_error *err);
/* query.c: a column of the current row. Its text lives until the next step; that of a blob is made in hex. */
struct pl_cell pl_store_cell(sqlite3_stmt *row, int column, struct pl_text *hex);
/* look.c: gives all rows of a statement. */
int pl_store_rows(struct pl_store *store, sqlite3_stmt *statement,
                  int (*row)(void *self, const struct pl_cell *cells, size_t count), void *self, struct pl_error *err);
/* Runs SQL text without arguments. */
int pl_store_script(struct pl_store *store, const char *sql, struct pl_error *err);
/* Prepares SQL text outside the list; the caller finalizes. */
int pl_store_prepare(struct pl_store *store, const char *sql, sqlite3_stmt **statement, struct pl_error *err);
/* The first column of the first row of a statement without arguments. */
int pl_store_integer(struct pl_store *store, const char *sql, int64_t *value, struct pl_error *err);

/* Every writing call stands between these: they make a transaction unless the caller has one open.
 * leave commits when status is not negative, and returns it or the error of the commit. */
int pl_store_write_enter(struct pl_store *store, bool *own, struct pl_error *err);
int pl_store_write_leave(struct pl_store *store, bool own, int status, struct pl_error *err);

/* schema.c */
extern const int pl_store_version; /* of the newest schema */
int pl_store_migrate(struct pl_store *store, struct pl_error *err);
/* Brings the tables from a version (0: there are none) to the newest one. */
int pl_store_make_tables(struct pl_store *store, int64_t version, struct pl_error *err);

/* shape.c: PL_ECORRUPT, and what is wrong, where tables, columns, keys or unique indexes are not those of the newest
 * schema. */
int pl_store_check_shape(struct pl_store *store, struct pl_error *err);

/* The number of the column of config that holds a setting (0: it has none); made when new. */
int pl_store_column(struct pl_store *store, const char *key, int64_t *column, struct pl_error *err);

/* judge.c */
extern const char pl_store_judge_run_sql[], pl_store_judge_sweep_sql[];
/* Which way a metric is better in a sweep: what its name says (pl_train_direction), unless the sweep declares something
 * else. migrated: it is what an older database took for granted, and the name says otherwise. */
int pl_store_direction(struct pl_store *store, int64_t sweep, const char *metric, enum pl_direction *direction,
                       bool *migrated, struct pl_error *err);
/* Whether a run that has ended has diverged in each study that says what its losses are. */
int pl_store_judge_run(struct pl_store *store, int64_t run, struct pl_error *err);

/* views.c */
/* Within a transaction whose commit makes them again: SQLite reads all of them after each column that is added. */
int pl_store_drop_views(struct pl_store *store, struct pl_error *err);
int pl_store_make_views(struct pl_store *store, struct pl_error *err);
/* Makes the views anew where another version of poula made them. A store for reading leaves the file as it is and makes
 * temporary ones, of which nobody else knows. */
int pl_store_renew_views(struct pl_store *store, struct pl_error *err);

/* Opens the file, or name, in place of what is open. */
int pl_store_connect(struct pl_store *store, const char *name, int flags, struct pl_error *err);

/* reader.c */
/* Would reading make files beside the database that its owner, who is somebody else, could not write? SQLite's log and
 * shared memory belong to whoever is first. */
bool pl_store_would_disturb(const struct pl_store *store);
/* Opens the file as it stands, without locks and without anything beside it: where its folder is closed to us, and
 * where reading it would disturb. */
int pl_store_connect_frozen(struct pl_store *store, struct pl_error *err);
/* PL_EDATABASE when a file that is read as it stands does not stand so any more: what was read may be of two states. */
int pl_store_check_frozen(const struct pl_store *store, struct pl_error *err);
/* Takes away the empty log and the shared memory that the last connection leaves when it only read; behind its end. */
void pl_store_tidy(const struct pl_store *store);

/* Refuses names that SQLite takes for something else than a file (PL_EINPUT). */
int pl_store_check_name(const char *path, struct pl_error *err);
/* The name of the same file that SQLite takes for nothing else. */
void pl_store_plain_name(const char *path, struct pl_text *name);
/* Makes the open database copy one with the pages of store, while others write to that. */
int pl_store_copy_pages(struct pl_store *store, struct pl_store *copy, struct pl_error *err);
/* Looks through the pages of a file of at most 200 MB: PL_ECORRUPT when one is damaged. */
int pl_store_examine(struct pl_store *store, struct pl_error *err);

/* record.c: ends the attempt of a run whose session gave it up. */
int pl_store_interrupt(struct pl_store *store, const struct pl_claim *claim, int64_t session, const char *reason,
                       struct pl_error *err);

/* session.c: gives back every run that a session holds and closes it. given counts on. */
int pl_store_close_session(struct pl_store *store, int64_t session, const char *reason, int64_t *given,
                           struct pl_error *err);
/* session.c: puts a claimed run back to what it was before. */
int pl_store_put_back(struct pl_store *store, const struct pl_claim *claim, struct pl_error *err);

/* series.c */
int pl_store_load_series(struct pl_store *store, struct pl_error *err);
const struct pl_store_series *pl_store_find_series(const struct pl_store *store, const char *name,
                                                   enum pl_series_axis axis);
/* The series of a metric: along epochs where there is one, else along steps. Fails with PL_EMISSING and the names that
 * there are. */
int pl_store_need_series(struct pl_store *store, const char *metric, const struct pl_store_series **series,
                         struct pl_error *err);
/* Fills what views know of the loaded series: the direction that its name tells, and its place among metrics of
 * validation (behind those that a study declares, which count from 1). */
int pl_store_describe_series(struct pl_store *store, struct pl_error *err);
/* Is that what the database has of each of them? */
int pl_store_series_described(struct pl_store *store, bool *described, struct pl_error *err);

/* record.c */
double pl_store_kind_value(const char *kind);  /* the non-finite value that a kind names */
const char *pl_store_value_kind(double value); /* NULL: it is finite */
/* Computes lowest, highest and last of every series of a finished or diverged run from its values. */
int pl_store_write_results(struct pl_store *store, int64_t run, enum pl_status status, struct pl_error *err);

/* Keeps what an attempt has come to, from the values that are there, unless that was done before. */
int pl_store_supersede(struct pl_store *store, int64_t run, int64_t attempt, struct pl_error *err);

/* A position as a column: whole numbers as such. */
void pl_store_bind_position(sqlite3_stmt *statement, int at, double position);

/* The mark of a sweep, or NULL. */
struct pl_store_mark *pl_store_mark_find(struct pl_store_marks *marks, int64_t sweep);
struct pl_store_mark *pl_store_mark_set(struct pl_store_marks *marks, int64_t sweep, int64_t position);

#endif
