/* Between deleting, forgetting and merging: folders of runs that go out of the way. */
#ifndef PL_SWEEP_MERGE_H
#define PL_SWEEP_MERGE_H

#include "sweep/sweep.h"

/* Renames the folder of a run to RUN.attempt-N, N its newest attempt; what is in it is kept. */
int pl_sweep_put_folder_aside(struct pl_store *store, const char *folders, const char *owner, int64_t run,
                              struct pl_error *err);

#endif
