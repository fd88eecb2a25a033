/* Sweeps on a batch system: what is missing of a plan is handed to tasks on other machines, and what these report is
 * taken in. The database of the machine where the user types plans and records; a folder beside it carries orders there
 * and journals back; the batch system starts tasks and limits them.
 *
 * What holds at any moment: each step is recorded before the next begins, so that a kill anywhere leaves a state that
 * the next one who attaches understands; a run ends as finished or diverged by its journal alone; whatever a batch
 * system says of a task only decides what becomes of runs that no journal has ended.
 *
 * Threading: everything belongs to the calling thread. */
#ifndef PL_SWEEP_BATCH_H
#define PL_SWEEP_BATCH_H

#include "store/submission.h"
#include "sweep/batch/system.h"
#include "sweep/sweep.h"

/* Submissions that were read, with their texts. Zero-initialise. */
struct pl_submissions {
    struct pl_submission *all;
    size_t count, capacity;
    struct pl_pool pool;
};
int pl_submissions_read(struct pl_submissions *list, struct pl_store *store, bool open_only, struct pl_error *err);
void pl_submissions_release(struct pl_submissions *list);

/* How a sweep is run on a batch system; beside pl_sweep_options, of which worker, jobs and threads are not its. */
struct pl_batch_options {
    const struct pl_batch_system *system;
    const struct pl_resources *over; /* what the user says besides the studies; or NULL */
    int64_t runs_per_task;           /* 0: chosen by how long runs take */
    int64_t requeues;                /* times that a task may be started again */
    int64_t at_once;                 /* tasks at a time; 0: as many as there are */
    bool detach;                     /* submit, and leave */
    const char *program;             /* absolute: this program as nodes find it */
    const char *home;                /* absolute: the working folder of tasks */
    const char *folders;             /* absolute: of submissions, results/poula-jobs */
    uint64_t memory;                 /* bytes that a run of poula's own needs; 0: not known */
};

/* What tasks of a study ask for: what the study and the user say, and estimates where they say nothing. */
struct pl_batch_request {
    struct pl_resources resources;
    int64_t workers, threads; /* of a task */
    int64_t runs;             /* of a task */
    int64_t array_most;       /* tasks of an array; 0: any */
    double seconds;           /* that a run takes, by those in the database; NaN: not known */
    int64_t measured;         /* runs that this was taken from */
    bool memory_guessed, time_guessed;
};
/* runs: missing ones. */
int pl_batch_plan(struct pl_batch_request *request, struct pl_store *store, const struct pl_sweep_study *study,
                  int64_t runs, const struct pl_batch_options *options, struct pl_error *err);
/* Tasks that an array may have: one that is larger than what a user may submit would wait for ever. 0: any. */
int64_t pl_batch_array_most(const struct pl_batch_limits *limits);
/* Seconds before the end of its time at which a task is told. */
double pl_batch_warning(const struct pl_resources *resources);
void pl_batch_request_release(struct pl_batch_request *request);
/* One line: "4 cpus, 2.1G (estimated), 30m (estimated from 12 runs), 40 runs to a task". */
void pl_batch_request_describe(const struct pl_batch_request *request, struct pl_text *out);

/* Claims what is missing of a study and writes it into a folder, as a submission whose arrays are planned. Returns 1
 * when nothing is missing. */
int pl_batch_write(struct pl_store *store, struct pl_sweep_plan *plan, size_t study,
                   const struct pl_sweep_options *options, const struct pl_batch_request *request,
                   struct pl_submission *submission, struct pl_pool *pool, struct pl_error *err);
/* "FOLDER/array-NUMBER.sh", and what stands there. */
void pl_batch_script_path(const char *folder, int64_t number, struct pl_text *path);
int pl_batch_script(const struct pl_submission *submission, const struct pl_batch_request *request,
                    const struct pl_batch_options *options, const struct pl_array_info *info, struct pl_text *out,
                    struct pl_error *err);

/* What this process has seen stand still, by its own clock: those of other machines say nothing. Zero-initialise. */
struct pl_batch_memory {
    struct pl_batch_sight {
        int64_t submission, number;
        uint64_t signature;
        double since;
    } * all;
    size_t count, capacity;
};
/* For how many seconds has this been seen with the same signature? */
double pl_batch_still(struct pl_batch_memory *memory, int64_t submission, int64_t number, uint64_t signature);
void pl_batch_memory_release(struct pl_batch_memory *memory);

/* Takes each array of a submission one step further: planned ones are submitted, those of which nobody knows whether
 * they were are looked for. Returns 1 when some have to wait, PL_EINPUT when the batch system will never take one: its
 * runs are given back. */
int pl_batch_submit(struct pl_store *store, const struct pl_submission *submission,
                    const struct pl_batch_system *system, struct pl_batch_memory *memory,
                    const struct pl_sweep_view *view, struct pl_error *err);

/* What a batch system says of the tasks of open submissions, by state. */
struct pl_batch_view {
    int64_t tasks, over, states[PL_TASK_STATE_COUNT];
    int64_t unsubmitted; /* tasks that were not submitted yet */
    int64_t fruitless;   /* tasks that ended before they began anything, */
    char example[500];   /* and why the first of them did */
    char why[120];       /* the first that waits does so for this reason */
};
/* Asks the batch system and records what is new. With memory it also ends what tasks held that are gone. seen is added
 * to. */
int pl_batch_look(struct pl_store *store, const struct pl_submission *submission, const struct pl_batch_system *system,
                  struct pl_batch_memory *memory, struct pl_batch_view *seen, const struct pl_sweep_view *view,
                  struct pl_error *err);
/* Closes it when all its tasks are over: then it returns 1. Its folder is removed unless something is to be read in
 * it, or the submission's orders are not there, so that it is somebody else's. */
int pl_batch_close(struct pl_store *store, const struct pl_submission *submission, struct pl_error *err);

/* Cancels what a submission has in the batch system, gives its runs back and closes it. */
int pl_batch_cancel(struct pl_store *store, const struct pl_submission *submission,
                    const struct pl_batch_system *system, struct pl_error *err);

/* Runs what is missing of a plan, as pl_sweep_run does: submits, attaches, takes in, until nothing is missing, the user
 * detaches, or nothing can go on. */
int pl_batch_run(struct pl_store *store, struct pl_sweep_plan *plan, const struct pl_sweep_options *options,
                 int *stopped_by, struct pl_error *err);

#endif
