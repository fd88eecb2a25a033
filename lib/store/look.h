/* look: what pages ask of a database. Everything here only reads, in statements that end before the call returns: no
 * read transaction is left behind. Threading: as store.h. */
#ifndef PL_STORE_LOOK_H
#define PL_STORE_LOOK_H

#include "store/store.h"

/* ---- questions ---- */

/* Each has one argument, a number (id) or a text, and rows of the columns that are named here. Times are UTC texts,
 * counts and seconds numbers. */
enum pl_question {
    /* -: study, runs, configs, seeds, planned, queued, running, finished, diverged, failed, interrupted, path, created,
     * started; the newest sweep of each study, the newest first */
    PL_ASK_STUDIES,
    PL_ASK_STUDY_NAMES, /* -: study */
    /* -: id, host, process number, workers, started (seconds since 1970), seconds since its last beat, runs it holds
     * that train, that are queued, runs it has ended, of them failed, and ended within ten minutes; of each session
     * that has not ended */
    PL_ASK_SESSIONS,
    /* -: how many runs of the studies that open sessions work at are not done */
    PL_ASK_MISSING,
    /* -: run, study, config, seed, seconds, epoch so far, host; of up to 200 runs that train */
    PL_ASK_TRAINING,
    /* sweep: run, config, seed, status, reason, bad epoch, last lines of the log; of up to 200 runs that failed,
     * diverged or were interrupted, failed ones first */
    PL_ASK_TROUBLES,
    /* sweep: runs, host, cpu, instruction set, version, jobs, threads, compiler, libraries, data; what results were
     * made with */
    PL_ASK_PROVENANCE,
    /* sweep: runs, folder, file, files, commit, dirty; of the programs of others */
    PL_ASK_PROGRAMS,
    PL_ASK_ATTEMPTS, /* run: number, outcome, reason, exit code, signal, started, seconds, host, log */
    PL_ASK_VALUES,   /* run: metric, best, its epoch, last, its epoch, kind of a last one that is not finite */
    PL_ASK_PLACES,   /* run: the studies that hold it */
    PL_ASK_METRICS,  /* run: names of what it has recorded, and the axis: 0 epochs, 1 steps */
    PL_ASK_VIEWS,    /* -: name, columns */
    PL_ASK_CONFIG,   /* config: runs, finished, diverged, failed */
    PL_ASK_RUNS_OF,  /* config: run, seed, status */
    PL_QUESTION_COUNT
};

int pl_store_ask(struct pl_store *store, enum pl_question question, int64_t id,
                 int (*row)(void *self, const struct pl_cell *cells, size_t count), void *self, struct pl_error *err);

/* Changes whenever somebody else has written to the file since the last call with this connection. */
int pl_store_data_version(struct pl_store *store, int64_t *version, struct pl_error *err);

/* Is no statement of this connection under way, and no transaction open? */
bool pl_store_is_idle(const struct pl_store *store);

/* ---- SQL of others ---- */

#define PL_STORE_EXAMPLE "SELECT * FROM best LIMIT 20"

struct pl_query_guard {
    double seconds; /* it is stopped after so long: PL_EINPUT */
    size_t rows;    /* so many rows are given, of all statements together */
    size_t bytes;   /* and so many bytes of their texts */
    bool cut;       /* out: there were more */
};

/* As pl_store_query, for who is not trusted: SELECT and what it needs, and nothing that asks about the connection or
 * other files. */
int pl_store_query_guarded(struct pl_store *store, const char *sql, struct pl_query_guard *guard,
                           int (*head)(void *self, const char *const *names, size_t count),
                           int (*row)(void *self, const struct pl_cell *cells, size_t count), void *self,
                           struct pl_error *err);

/* ---- runs, page by page ---- */

struct pl_runs_query {
    const char *study;                /* only runs of its newest sweep, as it judges them; NULL: all */
    const struct pl_condition *where; /* on any column of the view runs, or a metric of the list below */
    size_t where_count;
    const char *const *metrics; /* a column each: its best value */
    size_t metric_count;
    const char *const *settings; /* a column each */
    size_t setting_count;
    const char *sort; /* a column or metric; NULL: run */
    bool down;
    int64_t first, most;
};

/* Gives the columns run, status, study, seed, seconds, started, the metrics, the settings, epoch so far, bad epoch,
 * reason, and in total how many runs meet the conditions. PL_EINPUT: there is no such column. A hundred thousand runs
 * take well under a second. */
int pl_store_list_runs(struct pl_store *store, const struct pl_runs_query *query,
                       int (*head)(void *self, const char *const *names, size_t count),
                       int (*row)(void *self, const struct pl_cell *cells, size_t count), void *self, int64_t *total,
                       struct pl_error *err);

/* The settings in which runs of a study (NULL: all) differ, and the metrics that are recorded, what a reader wants
 * first at the beginning; pl_names_release both. */
int pl_store_telling(struct pl_store *store, const char *study, struct pl_names *settings, struct pl_error *err);
int pl_store_recorded(struct pl_store *store, struct pl_names *metrics, struct pl_error *err);

/* ---- pieces of SQL, for those who write some ---- */

void pl_store_add_identifier(struct pl_text *sql, const char *name); /* in quotes */
void pl_store_add_string(struct pl_text *sql, const char *text);
/* One alternative of a condition (its values, then its ranges) on a column, which is SQL already. */
void pl_store_add_alternative(struct pl_text *sql, const char *column, const struct pl_condition *condition,
                              size_t which);

#endif
