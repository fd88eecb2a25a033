/* Submissions: what was handed to a batch system, as the database knows it. A submission is a session whose runs are
 * held by tasks on other machines instead of by a process of this one: they are given back when journals or the batch
 * system say so, and never because a process is gone.
 *
 * A submission goes writing -> open -> closed. While it is written, its session is that of the process that writes it,
 * and dies with it. Its arrays go planned -> asked -> submitted (or refused), each recorded before the next begins, so
 * that whoever comes after a death knows what may have happened. Its journals are taken in as far as the database says,
 * in the transaction in which what they say is written.
 *
 * Like store.h: one store per thread, every change in an immediate transaction. */
#ifndef PL_STORE_SUBMISSION_H
#define PL_STORE_SUBMISSION_H

#include "store/store.h"

enum pl_submission_state { PL_SUBMISSION_WRITING, PL_SUBMISSION_OPEN, PL_SUBMISSION_CLOSED };

struct pl_submission {
    int64_t id, session, sweep;
    enum pl_submission_state state;
    int64_t tasks, runs;
    int64_t threads;       /* of each run */
    double created;        /* seconds since 1970, by its writer's clock */
    const char *name;      /* that no other submission has */
    const char *study;     /* when it is read */
    const char *system;    /* "slurm" */
    const char *folder;    /* absolute */
    const char *user;      /* who submitted it */
    const char *resources; /* for people */
    const char *reading;   /* of its runs' output, see pl_ending; or NULL */
};

/* Enters it, with its session (pl_store_join), in the state writing; *id is its number. */
int pl_store_submission_add(struct pl_store *store, const struct pl_submission *submission, int64_t *id,
                            struct pl_error *err);
/* Its folder is complete: from now on only journals and the batch system end its runs. */
int pl_store_submission_open(struct pl_store *store, int64_t id, int64_t tasks, int64_t runs, struct pl_error *err);
/* It is over: gives back, as interrupted for that reason, what it still holds, and ends its session. */
int pl_store_submission_close(struct pl_store *store, int64_t id, const char *reason, struct pl_error *err);
/* Tells of all, the oldest first, or of those that are open. The texts live during the call. A negative return of take
 * stops. */
int pl_store_each_submission(struct pl_store *store, bool open_only,
                             int (*take)(void *self, const struct pl_submission *submission), void *self,
                             struct pl_error *err);

/* ---- arrays ---- */

enum pl_array_state { PL_ARRAY_PLANNED, PL_ARRAY_ASKED, PL_ARRAY_SUBMITTED, PL_ARRAY_REFUSED };

struct pl_array_info {
    int64_t submission, number;
    int64_t first, count; /* tasks */
    enum pl_array_state state;
    const char *name;  /* as the batch system knows it */
    const char *job;   /* its id there; NULL before it is submitted */
    const char *asker; /* the process that asks: "PID IDENTITY" in SPACE, see pl_process_life; or NULL */
    const char *space;
    const char *reason; /* of a refusal, or why it waits; or NULL */
};

int pl_store_array_add(struct pl_store *store, const struct pl_array_info *array, struct pl_error *err);
/* Changes an array whose state and asker are still those of before; returns 1, having changed nothing, when somebody
 * else was faster. */
int pl_store_array_change(struct pl_store *store, const struct pl_array_info *before, const struct pl_array_info *after,
                          struct pl_error *err);
int pl_store_each_array(struct pl_store *store, int64_t submission,
                        int (*take)(void *self, const struct pl_array_info *array), void *self, struct pl_error *err);

/* ---- tasks ---- */

struct pl_task_info {
    int64_t submission, number;
    int64_t runs, ended; /* that it was given, and those of them that it does not hold any more */
    bool over;           /* nothing more comes of it */
    int64_t state;       /* of the batch system, as lib/sweep/batch counts them; -1: nothing was said yet */
    const char *word, *reason, *node; /* as the batch system said; NULL: nothing */
    double since;
    int64_t starts; /* how often it was begun */
};

int pl_store_task_add(struct pl_store *store, int64_t submission, int64_t task, struct pl_error *err);
/* Keeps what the batch system says of it: state, word, reason, node and since. */
int pl_store_task_set(struct pl_store *store, const struct pl_task_info *task, struct pl_error *err);
/* It was begun on a node, for the starts-th time. */
int pl_store_task_begun(struct pl_store *store, int64_t submission, int64_t task, const char *node, int64_t starts,
                        struct pl_error *err);
/* Nothing more comes of it; reason says why, and is NULL where it has ended as it should. */
int pl_store_task_over(struct pl_store *store, int64_t submission, int64_t task, const char *reason,
                       struct pl_error *err);
/* In the order of their numbers, which count from 0. */
int pl_store_each_task(struct pl_store *store, int64_t submission,
                       int (*take)(void *self, const struct pl_task_info *task), void *self, struct pl_error *err);

/* ---- their runs ---- */

/* A run of a task, and how far its attempt there has been taken in. */
struct pl_task_run {
    struct pl_claim claim;
    bool held;         /* does the submission still hold it? */
    double begun;      /* seconds since 1970; 0: it has not begun */
    int64_t program;   /* of its command, or 0 */
    int64_t received;  /* values of the attempt at work */
    int64_t forgotten; /* a bit for each axis along which what earlier attempts have left was dropped */
};

/* A claimed run is the task's. */
int pl_store_task_run_add(struct pl_store *store, int64_t submission, int64_t task, const struct pl_claim *claim,
                          int64_t program, struct pl_error *err);
/* Reads it. Returns 1 when the task has no such run. */
int pl_store_task_run(struct pl_store *store, int64_t submission, int64_t task, int64_t run, struct pl_task_run *found,
                      struct pl_error *err);
/* Keeps how far it has come. */
int pl_store_task_run_set(struct pl_store *store, int64_t submission, int64_t task, const struct pl_task_run *run,
                          struct pl_error *err);
/* The submission takes up a run again that it has just given back: its task goes on with it. Returns 1 when somebody
 * else has it. */
int pl_store_task_run_again(struct pl_store *store, int64_t submission, int64_t task, int64_t run,
                            struct pl_task_run *found, struct pl_error *err);
/* Ends what a task holds that is over: runs at work with that outcome (PL_FAILED or PL_INTERRUPTED) and reason, the
 * others are given back as they were. failed and returned get how many. */
int pl_store_task_drop(struct pl_store *store, int64_t submission, int64_t task, enum pl_outcome outcome,
                       const char *reason, int64_t *failed, int64_t *returned, struct pl_error *err);

/* How long runs of a sweep have taken that came to an end: the mean of at most some thousand, and of how many; NaN and
 * 0 where there are none. */
int pl_store_seconds(struct pl_store *store, int64_t sweep, double *mean, int64_t *count, struct pl_error *err);

/* ---- journals ---- */

struct pl_journal_info {
    int64_t submission, task, attempt;
    int64_t bytes, chain; /* up to where it was taken in */
    int64_t host;         /* that its workers run on, or 0 */
};
/* Reads it; all zero where nothing was taken in. */
int pl_store_journal(struct pl_store *store, struct pl_journal_info *journal, struct pl_error *err);
int pl_store_journal_set(struct pl_store *store, const struct pl_journal_info *journal, struct pl_error *err);

#endif
