/* Pieces of a line of the protocol: how they are written, and how a line is read from left to right. Both ends are
 * this program, so a line is read in the one order in which it is written, and anything else is refused. Values travel
 * as the hexadecimal bits of doubles, in one string for each series: exact, and cheap enough for thousands of runs a
 * second. */
#ifndef PL_SWEEP_CURSOR_H
#define PL_SWEEP_CURSOR_H

#include "sweep/protocol/protocol.h"

#include <string.h>

extern const char *const pl_axis_names[PL_AXIS_COUNT]; /* "epoch", "step" */

/* ---- writing ---- */

void pl_add_field(struct pl_text *out, const char *prefix, int64_t value);
/* Text from elsewhere, quoted: other encodings keep their ASCII. */
void pl_add_foreign(struct pl_text *out, const char *prefix, const char *text);

/* ---- reading ---- */

/* Where reading stands. */
struct pl_cursor {
    char *at, *end; /* *end is a NUL */
};

/* Goes past a literal; false, and stays, where something else stands. */
static inline bool pl_cursor_skip(struct pl_cursor *c, const char *literal)
{
    size_t length = strlen(literal);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, literal, length))
        return false;
    c->at += length;
    return true;
}

/* Read what stands there and go past it; false where it is not that. */
bool pl_cursor_integer(struct pl_cursor *c, int64_t *value);
bool pl_cursor_real(struct pl_cursor *c, double *value); /* a finite number */
char *pl_cursor_string(struct pl_cursor *c);             /* quoted, and decoded in place; or NULL */
/* One of the given words, in quotes. */
bool pl_cursor_word(struct pl_cursor *c, const char *const *words, int count, int *index);

#endif
