/* Taking in journals: what tasks have reported, into the database. Idempotent: the database knows, in the transaction
 * that writes what a record says, up to where its journal was taken in, so any number of collectors may work at once,
 * be killed, and come back. A run ends as finished or diverged by its journal alone. */
#ifndef PL_SWEEP_BATCH_COLLECT_H
#define PL_SWEEP_BATCH_COLLECT_H

#include "store/submission.h"
#include "sweep/recorder.h"

/* What was taken in. */
struct pl_collected {
    int64_t records, ended; /* ended: runs */
    bool more;              /* there may be more to take in at once */
    int64_t broken;         /* tasks that could not work, and what the first of them said */
    char example[500];
};

/* Takes in what the journals of one submission hold, for about so many seconds (0: all there is). collected is added
 * to. Fails with the database's codes; a journal that cannot be read is left for the next time. */
int pl_batch_collect(struct pl_store *store, const struct pl_submission *submission, double seconds,
                     struct pl_collected *collected, struct pl_error *err);
/* Those of every open submission. */
int pl_batch_collect_all(struct pl_store *store, double seconds, struct pl_collected *collected, struct pl_error *err);

#endif
