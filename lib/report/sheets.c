/* Tables and comparisons as sheets, whose columns stand under each other, in the style of a format. */
#include "report/format_priv.h"

#include <stdlib.h>
#include <string.h>

static void put_label(const struct pl_sheet *sheet, size_t row, size_t column, const struct pl_label *label)
{
    struct pl_text text = {0};
    pl_label_write(label, &text);
    pl_sheet_put(sheet, row, column, pl_text(&text));
    pl_text_release(&text);
}

static void put_value_heading(const struct pl_table *table, const struct pl_sheet *sheet, size_t row, size_t column)
{
    struct pl_text text = {0};
    pl_table_value_heading(table, &text);
    pl_sheet_put(sheet, row, column, pl_text(&text));
    pl_text_release(&text);
}

static bool has_marks(const struct pl_table *table, size_t column)
{
    for (size_t r = 0; r < table->row_count; r++) {
        const struct pl_table_cell *cell = &table->cells[r * table->column_count + column];
        if (cell->best || cell->alike)
            return true;
    }
    return false;
}

/* The best cell is marked, and what cannot be told from it. A mark that stands behind it alone takes a place, which the
 * others of its column keep free. */
static char *cell_text(const struct pl_table *table, const struct pl_table_cell *cell, bool marked,
                       const struct pl_style *style)
{
    struct pl_text text = {0}, notes = {0};
    const char *before = pl_style_part(style->best[0]), *behind = pl_style_part(style->best[1]);
    const char *const *mark = cell->best ? style->best : style->alike;
    bool kept_free = marked && !*before, has_mark = cell->best || cell->alike;
    pl_text_add(&text, has_mark ? pl_style_part(mark[0]) : "");
    pl_table_cell_number(table, cell, &text);
    pl_table_cell_notes(cell, &notes);
    if (text.length && has_mark)
        pl_text_add(&text, pl_style_part(mark[1]));
    else if (text.length && !notes.length && kept_free)
        pl_text_addf(&text, "%*s", (int)pl_text_width(behind), "");
    if (notes.length)
        pl_text_addf(&text, "%s%s", text.length ? " " : "", notes.text);
    pl_text_release(&notes);
    return pl_text_take(&text);
}

/* Where a style allows one heading row, the labels of several column settings are joined. */
static void fill_headings(const struct pl_table *table, struct pl_sheet *sheet)
{
    size_t labels = table->row_key_count, last = sheet->heads - 1;
    for (size_t k = 0; k < labels; k++)
        pl_sheet_put(sheet, last, k, pl_table_shown(table, table->row_keys[k]));
    if (!table->column_key_count)
        put_value_heading(table, sheet, last, labels);
    for (size_t c = 0; c < table->column_count && table->column_key_count; c++) {
        struct pl_text joined = {0};
        for (size_t k = 0; k < table->column_key_count; k++) {
            const struct pl_label *label = &table->columns[c * table->column_key_count + k];
            pl_text_addf(&joined, "%s%s=", joined.length ? ", " : "", pl_table_shown(table, table->column_keys[k]));
            pl_label_write(label, &joined);
            if (sheet->style->one_heading && k + 1 < table->column_key_count)
                continue;
            pl_sheet_put(sheet, sheet->style->one_heading ? 0 : k, labels + c, pl_text(&joined));
            pl_text_clear(&joined);
        }
        pl_text_release(&joined);
    }
}

static void make_sheet(const struct pl_table *table, const struct pl_style *style, struct pl_sheet *sheet)
{
    pl_sheet_init(sheet, style, style->one_heading || !table->column_key_count ? 1 : table->column_key_count,
                  table->row_count, table->row_key_count + table->column_count, table->row_key_count);
    fill_headings(table, sheet);
    for (size_t r = 0; r < table->row_count; r++)
        for (size_t k = 0; k < table->row_key_count; k++)
            put_label(sheet, sheet->heads + r, k, &table->rows[r * table->row_key_count + k]);
    for (size_t c = 0; c < table->column_count; c++) {
        bool marked = has_marks(table, c);
        for (size_t r = 0; r < table->row_count; r++)
            *pl_sheet_at(sheet, sheet->heads + r, table->row_key_count + c) = cell_text(
                table, &table->cells[r * table->column_count + c], marked, style);
    }
}

void pl_sheet_table(const struct pl_table *table, const struct pl_style *style, struct pl_text *out)
{
    struct pl_sheet sheet;
    struct pl_text caption = {0};
    make_sheet(table, style, &sheet);
    pl_table_caption(table, &caption);
    pl_print_caption(style, pl_text(&caption), out);
    pl_sheet_write(&sheet, out);
    if (table->notes.length)
        pl_text_add_char(out, '\n');
    pl_print_notes(style, &table->notes, out);
    pl_text_release(&caption);
    pl_sheet_release(&sheet);
}

void pl_sheet_listing(const struct pl_listing *l, const struct pl_style *style, struct pl_text *out)
{
    struct pl_sheet sheet;
    pl_sheet_init(&sheet, style, 1, pl_listing_rows(l), l->shown, l->left);
    for (size_t k = 0; k < l->shown; k++)
        pl_sheet_put(&sheet, 0, k, l->names[k]);
    for (size_t i = 0; i < l->count; i++)
        if (i % l->columns < l->shown)
            pl_sheet_put(&sheet, 1 + i / l->columns, i % l->columns, l->cells[i].shown);
    pl_print_caption(style, pl_text(&l->caption), out);
    pl_sheet_write(&sheet, out);
    if (l->notes.length)
        pl_text_add_char(out, '\n');
    pl_print_notes(style, &l->notes, out);
    pl_sheet_release(&sheet);
}

void pl_sheet_comparison(const struct pl_comparison *c, const struct pl_style *style, struct pl_text *out)
{
    struct pl_sheet sheet;
    struct pl_text caption = {0}, notes = {0};
    pl_sheet_init(&sheet, style, 1, pl_compared_count(c), PL_COMPARED_COLUMNS, 2);
    for (size_t i = 0; i < PL_COMPARED_COLUMNS; i++)
        pl_sheet_put(&sheet, 0, i, pl_compared_headings[i]);
    for (size_t i = 0; i < pl_compared_count(c); i++) {
        char *texts[PL_COMPARED_COLUMNS];
        pl_compared_line(c, i, texts);
        for (size_t k = 0; k < PL_COMPARED_COLUMNS; k++) {
            pl_sheet_put(&sheet, i + 1, k, texts[k] ? texts[k] : "");
            free(texts[k]);
        }
    }
    pl_compared_caption(c, &caption);
    pl_compared_notes(c, &notes);
    pl_print_caption(style, pl_text(&caption), out);
    pl_sheet_write(&sheet, out);
    pl_text_add_char(out, '\n');
    pl_print_notes(style, &notes, out);
    pl_sheet_release(&sheet);
    pl_text_release(&caption);
    pl_text_release(&notes);
}
