/* scale: a study in another size. Overrides replace what the study, its cases and the defaults say, setting by setting;
 * a mapping replaces value by value, and may bring further settings along with a value. */
#ifndef PL_SPEC_SCALE_H
#define PL_SPEC_SCALE_H

#include "spec/grid/part.h"

enum { MOST_SCALES = 50 }; /* names of a scale block */

struct scale_defaults;
/* The names that a content's scale block has, as nodes, after complaining of what is not well formed. */
size_t pl_scale_names(struct reader *reader, const struct content *content, const struct node **names, size_t capacity);
/* Reads what the defaults say of one scale, for all studies of the file. */
struct scale_defaults *pl_scale_read_defaults(struct reader *reader, const struct content *defaults, const char *name);
/* The scale of one study; NULL after complaining that there is none of that name. */
struct scale *pl_scale_read(struct reader *reader, struct scale_defaults *shared, const struct content *defaults,
                            const struct content *study, const char *name);
/* A name with that of the reader's scale behind it; without a scale, the name itself. */
char *pl_scale_label(const struct reader *reader, const char *name, const char *before, const char *behind);
struct node *pl_scale_seeds(const struct scale *scale); /* or NULL */
struct node *pl_scale_cases(const struct scale *scale); /* those that it has in the place of the study's, or NULL */
/* An upper bound of the settings it can add to a part. */
size_t pl_scale_size(const struct scale *scale);
/* Replaces values of a part's fields by those of the reader's scale, and adds fields. */
void pl_scale_apply(struct reader *reader, struct part *part);
/* Does it put one value or list in the place of all that the study says of the key? */
bool pl_scale_replaces(const struct scale *scale, const char *key);
/* Notes that some run has the setting. */
void pl_scale_mark(const struct reader *reader, const char *key);
/* Complains of overrides that no run has a use for: the study's, and, at the end of the file, those of the defaults. */
void pl_scale_check(struct reader *reader);
void pl_scale_check_defaults(struct reader *reader, const struct scale_defaults *shared);

#endif
