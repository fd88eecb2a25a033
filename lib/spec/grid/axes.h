/* Which settings of a study vary. */
#ifndef PL_SPEC_AXES_H
#define PL_SPEC_AXES_H

#include "spec/read/reader.h"
#include "study/study.h"

/* Lists the settings that vary, after the grid. */
void pl_axes_read(struct reader *reader, struct pl_study *study);

#endif
