/* What earlier attempts at a task have done, from their journals. */
#ifndef PL_SWEEP_BATCH_PAST_H
#define PL_SWEEP_BATCH_PAST_H

#include "sweep/batch/order_file.h"
#include "sweep/protocol/protocol.h"

struct pl_past_run {
    int64_t run;
    char *line;                         /* its order */
    bool ended;                         /* finished, diverged, failed or at its rung: nothing is left to do */
    bool begun;                         /* an earlier attempt at the task has begun it */
    struct pl_kept kept[PL_AXIS_COUNT]; /* what these have reported */
};

struct pl_past {
    struct pl_past_run *runs; /* in the order of the file */
    size_t count;
    struct pl_past_run **by_run; /* sorted */
    int64_t restarts;            /* of the task, as far as journals tell */
    bool given_back;             /* the last attempt has said that others are to train what is left */
};

/* Reads the journals of all attempts before `attempt`. The lines belong to the file. */
int pl_past_read(const char *folder, const struct pl_order_file *file, int64_t attempt, struct pl_past *past,
                 struct pl_error *err);
void pl_past_release(struct pl_past *past);

#endif
