/* What runs at work have said so far, in files beside their folders, so that others can read it: RUN.log. */
#ifndef PL_SWEEP_WORKING_H
#define PL_SWEEP_WORKING_H

#include "sweep/claimed.h"

/* Writes the logs of the runs at work, from the first one on, that have grown since they were last written. What cannot
 * be written is left out: whoever looks sees an older log, and the whole one is in the database at the run's end. */
void pl_working_write(struct pl_claimed *first, const char *folders);
/* The run has ended: its log goes into the database. */
void pl_working_remove(struct pl_claimed *run, const char *folders);

#endif
