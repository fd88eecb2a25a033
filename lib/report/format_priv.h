/* What the files of formats share. A format is format_NAME.c, which ends with PL_FORMAT or PL_SHEET_FORMAT, and its
 * name in meson.build; whatever is left out of these does not compile. */
#ifndef PL_FORMAT_PRIV_H
#define PL_FORMAT_PRIV_H

#include "print/print.h"
#include "report/format.h"
#include "report/report_priv.h"

/* The kind of each, from the list. */
#define PL_FORMAT_KIND_OF(name, kind) PL_KIND_OF_##name = PL_FORMAT_##kind,
enum { PL_FORMATS(PL_FORMAT_KIND_OF) };
#undef PL_FORMAT_KIND_OF

#define PL_FRAME(begin, between, end)                                                                                  \
    {                                                                                                                  \
        begin, between, end                                                                                            \
    }
/* How it writes rows, every part of a struct pl_rows_type. */
#define PL_ROWS(style, keeps, formulas, cell, head, row, tail)                                                         \
    {                                                                                                                  \
        style, keeps, formulas, cell, head, row, tail, false                                                           \
    }
/* Defines the format of that name. */
#define PL_FORMAT(name, rows, table, comparison, listing, around_tables, around_comparisons)                           \
    const struct pl_format pl_format_##name = {#name,         (enum pl_format_kind)PL_KIND_OF_##name,                  \
                                               rows,          table,                                                   \
                                               comparison,    listing,                                                 \
                                               around_tables, around_comparisons}

/* Defines one whose tables, comparisons and rows are lines in a style. */
#define PL_SHEET_FORMAT(name, style)                                                                                   \
    static void write_table(const struct pl_table *table, struct pl_text *out)                                         \
    {                                                                                                                  \
        pl_sheet_table(table, &(style), out);                                                                          \
    }                                                                                                                  \
    static void write_comparison(const struct pl_comparison *comparison, struct pl_text *out)                          \
    {                                                                                                                  \
        pl_sheet_comparison(comparison, &(style), out);                                                                \
    }                                                                                                                  \
    static void write_listing(const struct pl_listing *listing, struct pl_text *out)                                   \
    {                                                                                                                  \
        pl_sheet_listing(listing, &(style), out);                                                                      \
    }                                                                                                                  \
    static void add_cell(const struct pl_cell *cell, struct pl_text *out)                                              \
    {                                                                                                                  \
        pl_print_cell(cell, (style).escape, out);                                                                      \
    }                                                                                                                  \
    static void add_head(const struct pl_row_columns *c, struct pl_text *out)                                          \
    {                                                                                                                  \
        pl_print_line(&(style), (const char *const *)c->names, c->widths, c->right, c->count, out);                    \
        pl_print_rule(&(style), c->widths, c->right, c->count, out);                                                   \
    }                                                                                                                  \
    static void add_row(const struct pl_row_columns *c, const char *const *cells, size_t index, struct pl_text *out)   \
    {                                                                                                                  \
        (void)index;                                                                                                   \
        pl_print_line(&(style), cells, c->widths, c->right, c->count, out);                                            \
    }                                                                                                                  \
    static void add_tail(const struct pl_row_columns *c, size_t rows, struct pl_text *out)                             \
    {                                                                                                                  \
        (void)c, (void)rows, (void)out;                                                                                \
    }                                                                                                                  \
    static const struct pl_rows_type rows = PL_ROWS(&(style), PL_ROWS_MEASURED, false, add_cell, add_head, add_row,    \
                                                    add_tail);                                                         \
    PL_FORMAT(name, &rows, write_table, write_comparison, write_listing, PL_FRAME("", "\n", ""),                       \
              PL_FRAME("", "\n", ""));

/* A table and a comparison as lines in a style. */
void pl_sheet_table(const struct pl_table *table, const struct pl_style *style, struct pl_text *out);
void pl_sheet_comparison(const struct pl_comparison *c, const struct pl_style *style, struct pl_text *out);
void pl_sheet_listing(const struct pl_listing *l, const struct pl_style *style, struct pl_text *out);

#endif
