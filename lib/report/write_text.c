/* Tables for a terminal and for Markdown: columns aligned by their width on the screen. */
#include "report/report_priv.h"

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
    pl_text_addf(&text, "%s %s", pl_select_names[table->select], table->metric);
    pl_sheet_put(sheet, row, column, pl_text(&text));
    pl_text_release(&text);
}

static bool has_best(const struct pl_table *table, size_t column)
{
    for (size_t r = 0; r < table->row_count; r++)
        if (table->cells[r * table->column_count + column].best)
            return true;
    return false;
}

/* The best cell is bold in Markdown and starred in text, where the others of its column keep the star's place free. */
static char *cell_text(const struct pl_table *table, const struct pl_table_cell *cell, bool starred, bool markdown)
{
    struct pl_text text = {0}, notes = {0};
    const char *mark = cell->best ? (markdown ? "**" : "*") : !markdown && starred ? " " : "";
    if (cell->best && markdown)
        pl_text_add(&text, mark);
    pl_cell_number(table, cell, &text);
    pl_cell_notes(cell, &notes);
    if (text.length && (cell->best || !notes.length))
        pl_text_add(&text, mark);
    if (notes.length)
        pl_text_addf(&text, "%s%s", text.length ? " " : "", notes.text);
    pl_text_release(&notes);
    return pl_text_take(&text);
}

/* Markdown allows one heading row, so there the labels of several column settings are joined. */
static void fill_headings(const struct pl_table *table, struct pl_sheet *sheet)
{
    size_t labels = table->row_key_count, last = sheet->heads - 1;
    for (size_t k = 0; k < labels; k++)
        pl_sheet_put(sheet, last, k, table->row_keys[k]);
    if (!table->column_key_count)
        put_value_heading(table, sheet, last, labels);
    for (size_t c = 0; c < table->column_count && table->column_key_count; c++) {
        struct pl_text joined = {0};
        for (size_t k = 0; k < table->column_key_count; k++) {
            const struct pl_label *label = &table->columns[c * table->column_key_count + k];
            pl_text_addf(&joined, "%s%s=", joined.length ? ", " : "", table->column_keys[k]);
            pl_label_write(label, &joined);
            if (sheet->markdown && k + 1 < table->column_key_count)
                continue;
            pl_sheet_put(sheet, sheet->markdown ? 0 : k, labels + c, pl_text(&joined));
            pl_text_clear(&joined);
        }
        pl_text_release(&joined);
    }
}

static void make_sheet(const struct pl_table *table, bool markdown, struct pl_sheet *sheet)
{
    pl_sheet_init(sheet, markdown, markdown || !table->column_key_count ? 1 : table->column_key_count, table->row_count,
                  table->row_key_count + table->column_count, table->row_key_count);
    fill_headings(table, sheet);
    for (size_t r = 0; r < table->row_count; r++)
        for (size_t k = 0; k < table->row_key_count; k++)
            put_label(sheet, sheet->heads + r, k, &table->rows[r * table->row_key_count + k]);
    for (size_t c = 0; c < table->column_count; c++) {
        bool starred = has_best(table, c);
        for (size_t r = 0; r < table->row_count; r++)
            *pl_sheet_at(sheet, sheet->heads + r, table->row_key_count + c) =
                cell_text(table, &table->cells[r * table->column_count + c], starred, markdown);
    }
}

void pl_notes_add(const struct pl_text *notes, bool markdown, struct pl_text *out)
{
    for (const char *line = pl_text(notes); *line;) {
        size_t length = strcspn(line, "\n");
        char *note = pl_copy_bytes(line, length);
        pl_text_add(out, markdown ? "- " : "");
        pl_person_add(out, note, markdown);
        pl_text_add_char(out, '\n');
        free(note);
        line += length + (line[length] == '\n');
    }
}

static void write_table(const struct pl_table *table, bool markdown, struct pl_text *out)
{
    struct pl_sheet sheet;
    struct pl_text caption = {0};
    make_sheet(table, markdown, &sheet);
    pl_table_caption(table, &caption);
    pl_text_add(out, markdown ? "**" : "");
    pl_person_add(out, pl_text(&caption), markdown);
    pl_text_add(out, markdown ? "**\n\n" : "\n\n");
    pl_sheet_write(&sheet, out);
    if (table->notes.length)
        pl_text_add_char(out, '\n');
    pl_notes_add(&table->notes, markdown, out);
    pl_text_release(&caption);
    pl_sheet_release(&sheet);
}

void pl_table_write_text(const struct pl_table *table, struct pl_text *out)
{
    write_table(table, false, out);
}

void pl_table_write_markdown(const struct pl_table *table, struct pl_text *out)
{
    write_table(table, true, out);
}
