/* What runs at work have said so far, in files that others can read: RUN.log beside the runs' folders, or, of a task of
 * a cluster, in a folder of its submission. */
#ifndef PL_SWEEP_WORKING_H
#define PL_SWEEP_WORKING_H

#include "sweep/claimed.h"

/* Writes the log of a run at work, if it has grown since it was last written. What cannot be written is left out:
 * whoever looks sees an older log, and the whole one is in the database at the run's end. */
void pl_working_write(struct pl_claimed *run, const char *folders);
/* The run has ended: its log goes into the database. */
void pl_working_remove(struct pl_claimed *run, const char *folders);
/* The folder for them in that of a submission. */
void pl_working_folder(const char *submission, struct pl_text *path);

#endif
