/* Files that are installed beside the program. */
#ifndef PL_BASE_SHARE_H
#define PL_BASE_SHARE_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

/* Finds an installed file, such as experiments/toy.yaml: in the folder $POULA_SHARE, in ../share/poula beside the
 * program's own folder, where it was configured to be, or here. PL_EMISSING if nowhere. */
int pl_share_find(const char *name, struct pl_text *path, struct pl_error *err);

#define PL_SHARE_SPECS "experiments" /* the folder of installed specs */
/* The installed spec that experiments/NAME stands for where nothing of that name is here; the ending .yaml may be left
 * out, and then experiments/ too: toy, paper/table-lambda. Such short names also mean specs of ./experiments. */
bool pl_share_instead(const char *name, struct pl_text *path);
/* The names of the YAML files below the installed experiments/ (or those here), without folder and ending, a line each:
 * those of a folder in alphabetical order before those of its folders. PL_EMISSING if there is no such folder. */
int pl_share_specs(struct pl_text *names, struct pl_error *err);
/* The folder that holds experiments/ when path is an installed spec, or NULL; free() it. What such a spec says of
 * folders and programs is meant from there. */
char *pl_share_home(const char *path);

#endif
