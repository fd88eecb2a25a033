/* Metrics, tables and figures of a study. */
#ifndef PL_SPEC_DECLARE_H
#define PL_SPEC_DECLARE_H

#include "spec/read/content.h"
#include "study/study.h"

/* After the grid and its axes. lenient: the spec is read back, and names of settings are believed. */
void pl_declarations_read(struct reader *reader, const struct content *defaults, const struct content *content,
                          struct pl_study *study, bool lenient);

#endif
