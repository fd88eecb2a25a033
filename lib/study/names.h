/* names: a list of names, as the rows, columns, lines and panels of a declaration have it, and its text form "a,b". */
#ifndef PL_STUDY_NAMES_H
#define PL_STUDY_NAMES_H

#include "base/base.h"

struct pl_names {
    char **names;
    size_t count;
};

/* Studies and figures are named by what can be a file name: letters, digits, _, - and . (which is not the first), at
 * most 100 bytes. */
bool pl_name_is_legal(const char *name);

bool pl_names_have(const struct pl_names *names, const char *name);
/* Reads "a,b" (NULL gives none; empty names are left out) into *names, which pl_names_release frees. */
void pl_names_read(const char *list, struct pl_names *names);
/* Appends a copy of a name to a list that pl_names_release frees. */
void pl_names_add(struct pl_names *names, const char *name);
/* Only of a list that was made by the two functions above: those of a declaration belong to its spec. */
void pl_names_release(struct pl_names *names);

#endif
