/* What can only be seen by visiting points: results of expressions, settings that do not go together, exclusions, and
 * points that two cases share. */
#ifndef PL_SPEC_CHECK_H
#define PL_SPEC_CHECK_H

#include "spec/grid/grid.h"

/* Visits the points as far as needed: expressions, pl_train_check, exclusions, repetitions; counts. */
void pl_grid_check(struct reader *reader, struct pl_study *study, const struct node *at);

#endif
