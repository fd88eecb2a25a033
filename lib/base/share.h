/* Files that are installed beside the program. */
#ifndef PL_BASE_SHARE_H
#define PL_BASE_SHARE_H

#include "base/error.h"
#include "base/text.h"

/* Finds an installed file, such as experiments/toy.yaml: in the folder $POULA_SHARE, in ../share/poula beside the
 * program's own folder, where it was configured to be, or here. PL_EMISSING if nowhere. */
int pl_share_find(const char *name, struct pl_text *path, struct pl_error *err);

#endif
