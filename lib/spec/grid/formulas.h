/* What the formulas of a variant use. */
#ifndef PL_SPEC_FORMULAS_H
#define PL_SPEC_FORMULAS_H

#include "spec/grid/part.h"

/* Complains of names in formulas that mean nothing, and of parameters that no formula uses. */
bool pl_variant_check_formulas(struct reader *reader, const struct part *part, const struct variant *variant);

#endif
