#ifndef GOLDEN_OPTIM_H
#define GOLDEN_OPTIM_H

#include "base/base.h"

/* Checks one golden file of optimizer steps. Returns 0, or a negative code with the first difference (or what is wrong
 * with the file) in err. *optimizer becomes the name of the one whose steps agreed, NULL where there is none. */
int golden_check_file(const char *path, const char **optimizer, struct pl_error *err);

#endif
