/* The specs that come with poula, by their short names: toy, paper/table-lambda. */
#ifndef PL_CMD_EXPERIMENTS_H
#define PL_CMD_EXPERIMENTS_H

#include "cmd.h"

/* Adds the names of all; names keeps their bytes, so list is good as long as it is. PL_EMISSING where poula is
 * installed without them and there is no ./experiments. */
int pl_cmd_experiments(struct pl_text *names, struct pl_candidates *list, struct pl_error *err);

#endif
