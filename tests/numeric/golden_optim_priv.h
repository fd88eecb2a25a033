#ifndef GOLDEN_OPTIM_PRIV_H
#define GOLDEN_OPTIM_PRIV_H

#include "golden_optim.h"

#include <jansson.h>

bool golden_number(const json_t *json, double *value);
int golden_malformed(struct pl_error *err, const char *what);

/* Adds the optimizer that a file is of, and its settings. */
int golden_optimizer(const json_t *root, const char **optimizer, struct pl_settings *settings, struct pl_error *err);

#endif
