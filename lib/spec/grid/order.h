/* Expressions of a variant: which settings they read, and in which order they can be evaluated. */
#ifndef PL_SPEC_ORDER_H
#define PL_SPEC_ORDER_H

#include "spec/grid/part.h"

/* Orders the fields with expressions so that each stands behind those it needs. */
void pl_variant_order(struct reader *reader, const struct part *part, struct variant *variant);

#endif
