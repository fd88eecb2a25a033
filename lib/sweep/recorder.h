/* Recording: what became of claimed runs, into the database, wherever they were trained: by workers whose words come
 * through a channel (the ledger) or by tasks whose words come in journals (batch/collect.c). Every function writes in
 * the transaction of its caller, carries the token of the run's claim, and returns 1, having written nothing, when the
 * run is not this claim's any more; a negative code is a failure of the database. */
#ifndef PL_SWEEP_RECORDER_H
#define PL_SWEEP_RECORDER_H

#include "sweep/claimed.h"

struct pl_recorder {
    struct pl_store *store;
    int64_t session; /* that the claims belong to */
    int threads;     /* of each run */
    struct pl_series_number {
        char metric[PL_METRIC_SIZE];
        enum pl_series_axis axis;
        int64_t number;
    } * numbers;
    size_t number_count, number_capacity;
};

/* That the run is at work, unless the database knows it. */
int pl_recorder_begun(struct pl_recorder *recorder, struct pl_claimed *run, struct pl_error *err);
/* The values that have arrived; they are dropped from the run. */
int pl_recorder_points(struct pl_recorder *recorder, struct pl_claimed *run, struct pl_error *err);
/* The values that are left, and how it ended. */
int pl_recorder_end(struct pl_recorder *recorder, struct pl_claimed *run, struct pl_error *err);
/* What was numbered in a transaction that was rolled back may not exist, or be something else by now. */
void pl_recorder_forget(struct pl_recorder *recorder);
void pl_recorder_release(struct pl_recorder *recorder);

#endif
