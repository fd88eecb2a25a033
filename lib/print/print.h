/* print: rows and sheets of texts as a format writes them. It knows lines, widths and escapes; which formats there are,
 * and what a table is, stands in lib/report.
 *
 * A sheet is small and whole. Rows come one after the other, as a query finds them, and may be millions: only so
 * many are kept as a format must see before it can write the first. Texts of others are escaped here or by the
 * caller, and never twice. Threading: a sheet or rows belong to their owner. */
#ifndef PL_PRINT_H
#define PL_PRINT_H

#include "base/base.h"
#include "base/cell.h"

#include <stdio.h>

/* ---- lines of texts that stand under each other ---- */

struct pl_style {
    const char *open, *between, *close; /* around the texts of a line; blanks at the end of a line are cut */
    size_t least;                       /* width of a column */
    bool colons;                        /* the rule below the headings marks columns that are flush right */
    bool one_heading;                   /* there is only one line of headings */
    const char *strong[2];              /* around a caption */
    const char *best[2];                /* around the best number; others keep the place of the second free */
    const char *alike[2];               /* around a number that cannot be told from the best */
    const char *item;                   /* before a note */
    void (*escape)(struct pl_text *out, const char *text); /* always there */
};
/* A text of a style; NULL is empty. */
static inline const char *pl_style_part(const char *text)
{
    return text ? text : "";
}
/* A line, and the rule below headings. widths are on the screen; a text that is wider pushes the rest out. NULL is
 * empty. */
void pl_print_line(const struct pl_style *style, const char *const *texts, const size_t *widths, const bool *right,
                   size_t count, struct pl_text *out);
void pl_print_rule(const struct pl_style *style, const size_t *widths, const bool *right, size_t count,
                   struct pl_text *out);
/* A caption with an empty line below, and notes, a sentence a line; both are escaped here. */
void pl_print_caption(const struct pl_style *style, const char *caption, struct pl_text *out);
void pl_print_notes(const struct pl_style *style, const struct pl_text *notes, struct pl_text *out);

/* ---- sheets ---- */

/* A block of texts, row by row, each owned and written as it is; NULL is empty. */
struct pl_sheet {
    const struct pl_style *style;
    char **texts;
    size_t rows, columns, heads; /* heads: how many of the rows are headings */
    size_t left;                 /* columns that are aligned left: the row labels */
};
void pl_sheet_init(struct pl_sheet *sheet, const struct pl_style *style, size_t heads, size_t rows, size_t columns,
                   size_t left);
char **pl_sheet_at(const struct pl_sheet *sheet, size_t row, size_t column);
/* Sets a text, escaped: whatever is not made by this program. */
void pl_sheet_put(const struct pl_sheet *sheet, size_t row, size_t column, const char *text);
void pl_sheet_release(struct pl_sheet *sheet);
/* Columns stand under each other by their width on the screen. */
void pl_sheet_write(const struct pl_sheet *sheet, struct pl_text *out);

/* ---- rows ---- */

/* Columns of an answer: names and cells are texts as the format spells them. */
struct pl_row_columns {
    size_t count;
    char **names;
    size_t *widths;    /* of the names and of the rows that were kept, and at least the style's */
    bool *right;       /* all kept values are numbers or absent */
    bool formulas;     /* a kept cell is a formula */
    char *const *kept; /* row by row */
    size_t kept_rows;
};

/* How a format writes rows. Each function appends to out. */
struct pl_rows_type {
    const struct pl_style *style; /* of lines that are aligned, else NULL */
    size_t keeps;                 /* so many rows are kept before head is called; SIZE_MAX: all of them */
    bool formulas;                /* cells are spelled by their tex where they have one */
    void (*cell)(const struct pl_cell *cell, struct pl_text *out);
    void (*head)(const struct pl_row_columns *columns, struct pl_text *out);
    void (*row)(const struct pl_row_columns *columns, const char *const *cells, size_t index, struct pl_text *out);
    void (*tail)(const struct pl_row_columns *columns, size_t rows, struct pl_text *out);
    bool keyed; /* a row maps names to cells, so names that are alike are told apart */
};
/* Widths of aligned columns are taken from so many rows. */
enum { PL_ROWS_MEASURED = 2000 };

/* A cell for people: NULL where it is absent, numbers in their shortest exact spelling, other texts by escape. */
void pl_print_cell(const struct pl_cell *cell, void (*escape)(struct pl_text *, const char *), struct pl_text *out);
struct pl_cell pl_cell_text(const char *text); /* which must stay */

struct pl_rows;
struct pl_rows *pl_rows_new(FILE *out, const struct pl_rows_type *type);
/* For pl_store_query: self is a struct pl_rows. Answers are parted by an empty line. A negative return (PL_EIO) says
 * that out cannot be written. */
int pl_rows_head(void *self, const char *const *names, size_t count);
int pl_rows_row(void *self, const struct pl_cell *cells, size_t count);
int pl_rows_problem(const struct pl_rows *rows); /* 0, or why out cannot be written: an errno */
/* Writes what is left of the last answer, and frees the rows. */
void pl_rows_end(struct pl_rows *rows);

#endif
