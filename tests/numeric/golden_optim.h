#ifndef GOLDEN_OPTIM_H
#define GOLDEN_OPTIM_H

#include "base/base.h"

/* Checks one golden file of optimizer steps. Returns 0, or a negative code with the first difference (or what is wrong
 * with the file) in err. settings, which is empty, receives those that agreed (`optimizer` among them), to be released.
 */
int golden_check_file(const char *path, struct pl_settings *settings, struct pl_error *err);

#endif
