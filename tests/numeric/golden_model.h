#ifndef GOLDEN_MODEL_H
#define GOLDEN_MODEL_H

#include "base/base.h"

/* Checks one golden file (a model's outputs and gradients, the counts, the number formula). Returns 0, or a
 * negative code with the first difference in err. */
int golden_model_file(const char *path, struct pl_error *err);

#endif
