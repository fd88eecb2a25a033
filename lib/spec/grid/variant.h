/* Variants of a grid: for each combination of choices (problem, optimizer, ...) the schema says what every other
 * setting may be, so only here values get their types. */
#ifndef PL_SPEC_VARIANT_H
#define PL_SPEC_VARIANT_H

#include "spec/grid/part.h"

/* Variants of a part: schemas, typed values, complete settings. at: where to complain of what is missing. */
void pl_part_read_variants(struct reader *reader, struct part *part, const struct node *at);

#endif
