/* A task of a submission, on its node: the crew of a local sweep over the runs of one order file, whose words go into a
 * journal instead of a database. */
#ifndef PL_SWEEP_BATCH_TASK_H
#define PL_SWEEP_BATCH_TASK_H

#include "sweep/sweep.h"

/* Works off task `task` of the submission in folder with workers (an argument vector ended by NULL), goes on where
 * earlier attempts at it stopped, and leaves the rest to a later one when it is told to end (SIGTERM) and the batch
 * system may start it again. note is told what whoever reads the task's output should know. Returns 0 however the runs
 * end; a code when the task could not work. */
int pl_task_run(const char *folder, int64_t task, const char *const *worker, void (*note)(const char *sentence),
                struct pl_error *err);

#endif
