/* Values that are given twice along one dimension: they would be one run counted twice. */
#ifndef PL_SPEC_DISTINCT_H
#define PL_SPEC_DISTINCT_H

#include "spec/grid/part.h"

/* Complains of positions of a dimension that mean the same. */
void pl_variant_check_distinct(struct reader *reader, const struct part *part, const struct variant *variant,
                               int number);
/* The same for a dimension of choices, whose values belong to different variants. */
void pl_part_check_choices(struct reader *reader, struct part *part, int number);

#endif
