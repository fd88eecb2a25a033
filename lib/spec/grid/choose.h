/* Choices: the problem, the optimizer and whatever else says which settings a variant has. */
#ifndef PL_SPEC_CHOOSE_H
#define PL_SPEC_CHOOSE_H

#include "spec/grid/part.h"

/* A run has one task; false after complaining of two. */
bool pl_part_has_one_task(struct reader *reader, const struct part *part);
/* Reads the choices of a variant and asks for its schema; false after complaints, at the choices or (where it is none
 * of them) at the given node. */
bool pl_variant_choose(struct reader *reader, const struct part *part, size_t number, const struct node *at);
/* Complains of settings whose schema cannot be had, as far as the descriptors of all owners tell. */
void pl_part_read_loosely(struct reader *reader, struct part *part);

#endif
