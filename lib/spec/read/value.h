/* Scalars of the file as typed values. */
#ifndef PL_SPEC_VALUE_H
#define PL_SPEC_VALUE_H

#include "spec/read/reader.h"

/* A value that a setting is given: a constant, an expression over other settings, or drawn. */
struct cell {
    struct pl_value value;
    const char *expression;       /* NULL: none */
    const struct pick *pick;      /* NULL: none */
    const struct pl_prior *range; /* it is drawn from this; NULL: it is not */
    const struct node *at;
};
bool pl_cell_is_constant(const struct cell *cell);

/* Reads a scalar (or, for a list setting, a list) for a descriptor; NULL: a free setting, whose type is
 * that of the value. Returns false after a complaint. */
bool pl_cell_read(struct reader *reader, const char *key, const struct pl_setting *setting, const struct node *node,
                  struct cell *cell);

#endif
