/* labels: what readers of a table or figure are shown in place of names: labels: {theopoula: TheoPouLa, lambda: step
 * size, 0.1: a tenth}. A name is that of a setting, of a metric or of a setting's value. */
#ifndef PL_STUDY_LABELS_H
#define PL_STUDY_LABELS_H

#include "base/base.h"

struct pl_labels {
    char **names, **texts;
    size_t count;
};

/* Is a name the one that a label has? Numbers are the same however they are spelled (1e-1, 0.1). */
bool pl_label_is_of(const char *label, const char *name);
/* The text for a name, or NULL where nothing is said of it. */
const char *pl_labels_find(const struct pl_labels *labels, const char *name);
/* The same, but the name itself where nothing is said. */
const char *pl_labels_show(const struct pl_labels *labels, const char *name);
/* Adds a name with its text; false, and nothing is added, where it has one. */
bool pl_labels_add(struct pl_labels *labels, const char *name, const char *text);
/* Adds what "theopoula=TheoPouLa,0.1=a tenth" says, to be freed with pl_labels_release. Where it does not say so,
 * *wrong is the part that does not, as far as the next comma, and the result false. */
bool pl_labels_read(const char *list, struct pl_labels *labels, const char **wrong);
/* All of the first, and of the second those for other names; freed with pl_labels_release. */
struct pl_labels pl_labels_join(const struct pl_labels *first, const struct pl_labels *second);
/* Only of labels made by the functions above: those of a declaration belong to its spec. */
void pl_labels_release(struct pl_labels *labels);

#endif
