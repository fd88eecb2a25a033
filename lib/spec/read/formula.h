/* Formulas of an optimizer as values. */
#ifndef PL_SPEC_FORMULA_H
#define PL_SPEC_FORMULA_H

#include "spec/read/value.h"

/* Reads a formula, or for `state` a mapping of several, in the canonical spelling, so that runs with one rule have one
 * key. Returns false after complaints. */
bool pl_formula_cell_read(struct reader *reader, const char *key, const struct node *node, struct cell *cell);

#endif
