/* Rules over blocks, in the precision of a build. */
#ifndef PL_OPTIM_RULE_PASS_H
#define PL_OPTIM_RULE_PASS_H

#include "optim/kernel.h"
#include "optim/rule.h"

/* Takes the steps of a rule over n <= PL_BLOCK elements. places holds the vectors that the rule reads and leaves
 * results in, up to PL_PLACE_BUFFER of them; numbers is of pl_rule_numbers. */
void KERNEL(pl_rule_run)(const struct pl_rule *rule, const double *numbers, real *const *places, size_t n);

#endif
