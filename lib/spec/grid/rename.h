/* What became of values in a scale: for those who read results, and for conditions on the old ones. */
#ifndef PL_SPEC_RENAME_H
#define PL_SPEC_RENAME_H

#include "spec/read/reader.h"
#include "study/study.h"

/* Lists for the study what the scale replaces value by value. */
void pl_scale_rename(struct reader *reader, struct pl_study *study);
/* Conditions (of where, exclude) on values that the scale replaces, as conditions on the new ones. drop: a condition
 * that no value of the scale can meet is left out. */
struct node *pl_scale_conditions(struct reader *reader, struct node *map, bool drop);

#endif
