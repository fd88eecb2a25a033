/* Files that exist only until a program has done its work: should a signal end it before, they are removed. */
#ifndef PL_BASE_LEFTOVER_H
#define PL_BASE_LEFTOVER_H

#include "base/text.h"

#include <stdbool.h>
#include <sys/types.h>

/* From now on path, a file or a folder that will be empty by then, is such a one. What finds no room in the list (32
 * at a time) would stay behind. From any thread. */
void pl_leftover_add(const char *path);
/* It is not any more: it was removed or has got its name. */
void pl_leftover_drop(const char *path);
/* Makes such a one of a name that nobody has, path and six letters more, which are added to path; it is in the list
 * before it exists, so that no signal finds it outside. The file is open for reading and writing: its descriptor, or
 * -1 with errno. */
int pl_leftover_file(struct pl_text *path, mode_t mode);
/* A folder for this user alone; false with errno. */
bool pl_leftover_folder(struct pl_text *path);
/* Removes them all, files first. May be called in a signal handler. */
void pl_leftover_remove_all(void);

#endif
