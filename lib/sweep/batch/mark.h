/* Marks in a submission's folder, by which tasks know what was decided elsewhere: which job a task belongs to, and that
 * all of it was cancelled. Need of a file system only what journals need. */
#ifndef PL_SWEEP_BATCH_MARK_H
#define PL_SWEEP_BATCH_MARK_H

#include "base/base.h"

/* A task belongs to the job that came first: should it have been submitted twice, the second one has nothing to do.
 * owner gets that job. Returns 1 when it is another one than job. Where tells apart two that ask at the same time. */
int pl_mark_own(const char *folder, int64_t task, const char *job, const char *where, struct pl_text *owner,
                struct pl_error *err);

void pl_mark_cancelled(const char *folder, const char *reason);
bool pl_mark_is_cancelled(const char *folder);

#endif
