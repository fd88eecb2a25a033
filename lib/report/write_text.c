/* Tables for a terminal and for Markdown: columns aligned by their width on the screen. */
#include "report/report_priv.h"

#include <stdlib.h>
#include <string.h>

/* A block of strings, row by row. */
struct sheet {
    char **texts;
    size_t rows, columns, heads; /* heads: how many of the rows are headings */
    size_t left;                 /* columns that are aligned left: the row labels */
};

static char *label_text(const struct pl_label *label)
{
    struct pl_text text = {0};
    pl_label_write(label, &text);
    return pl_text_take(&text);
}

static char *value_heading(const struct pl_table *table)
{
    struct pl_text text = {0};
    pl_text_addf(&text, "%s %s", pl_select_name(table->select), table->metric);
    return pl_text_take(&text);
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

static char **at(const struct sheet *sheet, size_t row, size_t column)
{
    return &sheet->texts[row * sheet->columns + column];
}

/* Markdown allows one heading row, so there the labels of several column settings are joined. */
static void fill_headings(const struct pl_table *table, bool markdown, struct sheet *sheet)
{
    size_t labels = table->row_key_count, last = sheet->heads - 1;
    for (size_t k = 0; k < labels; k++)
        *at(sheet, last, k) = pl_copy(table->row_keys[k]);
    if (!table->column_key_count)
        *at(sheet, last, labels) = value_heading(table);
    for (size_t c = 0; c < table->column_count && table->column_key_count; c++) {
        struct pl_text joined = {0};
        for (size_t k = 0; k < table->column_key_count; k++) {
            const struct pl_label *label = &table->columns[c * table->column_key_count + k];
            pl_text_addf(&joined, "%s%s=", joined.length ? ", " : "", table->column_keys[k]);
            pl_label_write(label, &joined);
            if (!markdown)
                *at(sheet, k, labels + c) = pl_text_take(&joined);
        }
        if (markdown)
            *at(sheet, 0, labels + c) = pl_text_take(&joined);
    }
}

static void make_sheet(const struct pl_table *table, bool markdown, struct sheet *sheet)
{
    sheet->left = table->row_key_count;
    sheet->columns = table->row_key_count + table->column_count;
    sheet->heads = markdown || !table->column_key_count ? 1 : table->column_key_count;
    sheet->rows = sheet->heads + table->row_count;
    sheet->texts = pl_new(sheet->rows * sheet->columns * sizeof *sheet->texts);
    fill_headings(table, markdown, sheet);
    for (size_t r = 0; r < table->row_count; r++)
        for (size_t k = 0; k < table->row_key_count; k++)
            *at(sheet, sheet->heads + r, k) = label_text(&table->rows[r * table->row_key_count + k]);
    for (size_t c = 0; c < table->column_count; c++) {
        bool starred = has_best(table, c);
        for (size_t r = 0; r < table->row_count; r++)
            *at(sheet, sheet->heads + r, table->row_key_count + c) =
                cell_text(table, &table->cells[r * table->column_count + c], starred, markdown);
    }
}

static void release_sheet(struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->rows * sheet->columns; i++)
        free(sheet->texts[i]);
    free(sheet->texts);
}

static size_t *measure(const struct sheet *sheet, size_t least)
{
    size_t *widths = pl_new(sheet->columns * sizeof *widths);
    for (size_t c = 0; c < sheet->columns; c++)
        widths[c] = least;
    for (size_t i = 0; i < sheet->rows * sheet->columns; i++) {
        size_t width = sheet->texts[i] ? pl_text_width(sheet->texts[i]) : 0;
        if (width > widths[i % sheet->columns])
            widths[i % sheet->columns] = width;
    }
    return widths;
}

static void add_repeated(struct pl_text *out, char c, size_t count)
{
    while (count--)
        pl_text_add_char(out, c);
}

static void add_padded(struct pl_text *out, const char *text, size_t width, bool left)
{
    size_t space = width - pl_text_width(text);
    if (!left)
        add_repeated(out, ' ', space);
    pl_text_add(out, text);
    if (left)
        add_repeated(out, ' ', space);
}

static void add_notes(const struct pl_table *table, const char *before, struct pl_text *out)
{
    for (const char *line = pl_text(&table->notes); *line;) {
        size_t length = strcspn(line, "\n");
        pl_text_add(out, before);
        pl_text_add_bytes(out, line, length);
        pl_text_add_char(out, '\n');
        line += length + (line[length] == '\n');
    }
}

static void trim_line(struct pl_text *out)
{
    while (out->length && out->text[out->length - 1] == ' ')
        pl_text_cut(out, out->length - 1);
    pl_text_add_char(out, '\n');
}

void pl_table_write_text(const struct pl_table *table, struct pl_text *out)
{
    struct sheet sheet;
    make_sheet(table, false, &sheet);
    size_t *widths = measure(&sheet, 0);
    pl_table_caption(table, out);
    pl_text_add(out, "\n\n");
    for (size_t r = 0; r < sheet.rows; r++) {
        for (size_t c = 0; c < sheet.columns; c++) {
            const char *text = *at(&sheet, r, c);
            pl_text_add(out, c ? "  " : "");
            add_padded(out, text ? text : "", widths[c], c < sheet.left);
        }
        trim_line(out);
        if (r + 1 != sheet.heads)
            continue;
        for (size_t c = 0; c < sheet.columns; c++) {
            pl_text_add(out, c ? "  " : "");
            add_repeated(out, '-', widths[c]);
        }
        pl_text_add_char(out, '\n');
    }
    if (table->notes.length)
        pl_text_add_char(out, '\n');
    add_notes(table, "", out);
    free(widths);
    release_sheet(&sheet);
}

/* Text within a Markdown table or line: what would be read as markup is escaped. */
static void add_markdown(struct pl_text *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("|\\`_[]<>", *text))
            pl_text_add_char(out, '\\');
        pl_text_add_char(out, *text == '\n' ? ' ' : *text);
    }
}

static void escape_sheet(struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->rows * sheet->columns; i++) {
        struct pl_text escaped = {0};
        add_markdown(&escaped, sheet->texts[i] ? sheet->texts[i] : "");
        free(sheet->texts[i]);
        sheet->texts[i] = pl_text_take(&escaped);
    }
}

void pl_table_write_markdown(const struct pl_table *table, struct pl_text *out)
{
    struct sheet sheet;
    struct pl_text caption = {0};
    make_sheet(table, true, &sheet);
    escape_sheet(&sheet);
    size_t *widths = measure(&sheet, 3);
    pl_table_caption(table, &caption);
    pl_text_add(out, "**");
    add_markdown(out, pl_text(&caption));
    pl_text_add(out, "**\n\n");
    for (size_t r = 0; r < sheet.rows; r++) {
        for (size_t c = 0; c < sheet.columns; c++) {
            pl_text_add(out, c ? " | " : "| ");
            add_padded(out, *at(&sheet, r, c), widths[c], c < sheet.left);
        }
        pl_text_add(out, " |\n");
        for (size_t c = 0; c < sheet.columns && !r; c++) {
            pl_text_add(out, c ? " | " : "| ");
            add_repeated(out, '-', widths[c] - (c >= sheet.left));
            pl_text_add(out, c >= sheet.left ? ":" : "");
        }
        pl_text_add(out, r ? "" : " |\n");
    }
    if (table->notes.length)
        pl_text_add_char(out, '\n');
    add_notes(table, "- ", out);
    pl_text_release(&caption);
    free(widths);
    release_sheet(&sheet);
}
