/* How a study stops runs early: stop: {by: valid_loss, keep: 1/3, at: [1, 3, 9, 27]} or {..., median: true}. It belongs
 * to the study and never to the keys of its runs, which another study may want whole. */
#ifndef PL_STUDY_STOP_H
#define PL_STUDY_STOP_H

#include "study/select.h"

#include <stdbool.h>
#include <stddef.h>

enum { PL_STOP_RUNGS = 20 };

struct pl_stop {
    char *metric;
    bool best;   /* the best value until the rung decides; else the last one there */
    double keep; /* share of the runs at a rung that go on */
    bool median; /* instead: what is worse than the median of the others that have come to a rung is stopped there at
                    once */
    int startup; /* of these there must be so many */
    double at[PL_STOP_RUNGS];
    size_t count;     /* of rungs, by epoch, rising */
    bool hyperband;   /* there is a bracket from each rung on, and one without any */
    bool failed_last; /* a failed run ranks last; else it holds its rung until it was tried again */
    bool restart;     /* commands begin anew each time */
    bool repeats;     /* what a run has done is done again when it goes on */
};

#endif
