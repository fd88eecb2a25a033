/* Conditions on settings, as exclude and the where of tables and figures have them. */
#ifndef PL_SPEC_CONDITION_H
#define PL_SPEC_CONDITION_H

#include "spec/grid/grid.h"

/* A condition of exclude or where (what says which): a key and its value or list of values. part is the only one it
 * acts on, or SIZE_MAX. lenient: settings are believed to exist. Returns false after a complaint. */
bool pl_condition_read(struct reader *reader, const struct pl_study_grid *grid, size_t part, bool lenient,
                       const char *what, struct node *key, struct node *value, struct pl_condition *condition);
/* Is it one of the values? (pl_condition_admits also looks at ranges and spellings.) */
bool pl_condition_holds(const struct pl_condition *condition, const struct pl_value *value);

#endif
