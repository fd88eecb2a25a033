/* Which runs of a study compete when some are stopped early. */
#ifndef PL_SPEC_COMPETE_H
#define PL_SPEC_COMPETE_H

#include "spec/grid/grid.h"
#include "study/names.h"

/* Marks the dimensions along which runs compete: those of the settings in over, or, where over is NULL, those that are
 * drawn; where nothing is drawn, those whose settings neither choose others nor say what the task is. Returns how many
 * configurations compete at most. */
uint64_t pl_compete(struct pl_study_grid *grid, const struct pl_names *over);

#endif
