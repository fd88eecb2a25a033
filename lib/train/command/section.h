/* Headings above lines of one set. Their state is in struct pl_line_table. */
#ifndef PL_TRAIN_SECTION_H
#define PL_TRAIN_SECTION_H

#include "train/command/vocabulary.h"

/* Does nothing but the name of a set stand beside the position, which goes from position to after: "Epoch 1 -
 * validation"? set gets it, of no length for the one that is trained on. */
bool pl_section_beside(const char *before, const char *position, const char *after, const char *end,
                       struct pl_word *set);
/* Begins or ends what is below a heading without a position. Returns whether the line is "val:", and nothing else. */
bool pl_section_read(const char *text, struct pl_line_table *table);
/* Does a line, whose positions are still among its pairs, end the section? */
bool pl_section_ends(const struct pl_line_table *table, const struct pl_line *line);
/* Keeps what a settled line means for those that follow. */
void pl_section_note(const struct pl_line *line, struct pl_line_table *table);

#endif
