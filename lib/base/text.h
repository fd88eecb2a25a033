/* A growing string. Zero-initialise it ({0}); text is NULL until something was added, so use
 * pl_text() to read it. Always NUL-terminated; length excludes the NUL. */
#ifndef PL_BASE_TEXT_H
#define PL_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_text {
    char *text;
    size_t length, capacity;
};

const char *pl_text(const struct pl_text *t); /* never NULL */
void pl_text_add(struct pl_text *t, const char *more);
void pl_text_add_bytes(struct pl_text *t, const char *bytes, size_t count);
void pl_text_add_char(struct pl_text *t, char c);
void pl_text_addf(struct pl_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pl_text_addv(struct pl_text *t, const char *format, va_list args);
void pl_text_add_number(struct pl_text *t, double value);   /* shortest spelling that reads back */
void pl_text_add_word(struct pl_text *t, const char *word); /* as a shell takes it for one word */
void pl_text_add_json(struct pl_text *t, const char *text); /* a quoted, escaped JSON string */
void pl_text_cut(struct pl_text *t, size_t length);
void pl_text_clear(struct pl_text *t); /* keeps the memory */
char *pl_text_take(struct pl_text *t); /* hands over the string (free it) and empties t */
void pl_text_release(struct pl_text *t);

/* Is word one of the space-separated words of list? list may be NULL. */
bool pl_has_word(const char *list, const char *word);
/* Calls for each word: for (const char *w = list; (w = pl_next_word(w, &length)); w += length). */
const char *pl_next_word(const char *list, size_t *length);

/* Damerau-Levenshtein distance without regard to case, for "did you mean". */
size_t pl_edit_distance(const char *a, const char *b);
/* The candidate nearest to word if it is near enough to suggest, else NULL. */
const char *pl_nearest(const char *word, const char *const *candidates, size_t count);

/* Reads the character that left bytes begin with: its length, or 0 where they begin with no legal UTF-8. */
size_t pl_utf8_read(const char *bytes, size_t left, uint32_t *code);
bool pl_utf8_valid(const char *bytes, size_t length, size_t *bad_offset);
/* Columns that a UTF-8 string takes on a terminal (wide and combining characters counted). */
size_t pl_text_width(const char *text);

#endif
