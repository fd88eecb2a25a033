/* From picks to the tables they name, once all studies of a file are read. */
#ifndef PL_SPEC_LINK_H
#define PL_SPEC_LINK_H

#include "spec/read/reader.h"
#include "study/study.h"

/* Finds the tables of all picks, and complains of those that there are not, of circles, and of runs for which the study
 * that chooses has no configuration. */
void pl_picks_link(struct reader *reader, struct pl_study *studies, size_t count);

#endif
