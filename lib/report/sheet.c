/* Sheets: aligned blocks of texts for a terminal and for Markdown, by their width on the screen. */
#include "report/report_priv.h"

#include <stdlib.h>
#include <string.h>

void pl_person_add(struct pl_text *out, const char *text, bool markdown)
{
    if (markdown)
        pl_escape_markdown(out, text);
    else
        pl_escape_terminal(out, text);
}

void pl_sheet_init(struct pl_sheet *sheet, bool markdown, size_t heads, size_t rows, size_t columns, size_t left)
{
    *sheet = (struct pl_sheet){.markdown = markdown, .rows = heads + rows, .columns = columns, .heads = heads, .left = left};
    sheet->texts = pl_new((sheet->rows * columns + 1) * sizeof *sheet->texts);
}

char **pl_sheet_at(const struct pl_sheet *sheet, size_t row, size_t column)
{
    return &sheet->texts[row * sheet->columns + column];
}

void pl_sheet_put(const struct pl_sheet *sheet, size_t row, size_t column, const char *text)
{
    struct pl_text escaped = {0};
    pl_person_add(&escaped, text, sheet->markdown);
    free(*pl_sheet_at(sheet, row, column));
    *pl_sheet_at(sheet, row, column) = pl_text_take(&escaped);
}

void pl_sheet_release(struct pl_sheet *sheet)
{
    for (size_t i = 0; i < sheet->rows * sheet->columns; i++)
        free(sheet->texts[i]);
    free(sheet->texts);
}

static size_t *measure(const struct pl_sheet *sheet, size_t least)
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

static void trim_line(struct pl_text *out)
{
    while (out->length && out->text[out->length - 1] == ' ')
        pl_text_cut(out, out->length - 1);
    pl_text_add_char(out, '\n');
}

static void write_text(const struct pl_sheet *sheet, struct pl_text *out)
{
    size_t *widths = measure(sheet, 0);
    for (size_t r = 0; r < sheet->rows; r++) {
        for (size_t c = 0; c < sheet->columns; c++) {
            const char *text = *pl_sheet_at(sheet, r, c);
            pl_text_add(out, c ? "  " : "");
            add_padded(out, text ? text : "", widths[c], c < sheet->left);
        }
        trim_line(out);
        if (r + 1 != sheet->heads)
            continue;
        for (size_t c = 0; c < sheet->columns; c++) {
            pl_text_add(out, c ? "  " : "");
            add_repeated(out, '-', widths[c]);
        }
        pl_text_add_char(out, '\n');
    }
    free(widths);
}

static void write_markdown(const struct pl_sheet *sheet, struct pl_text *out)
{
    size_t *widths = measure(sheet, 3);
    for (size_t r = 0; r < sheet->rows; r++) {
        for (size_t c = 0; c < sheet->columns; c++) {
            pl_text_add(out, c ? " | " : "| ");
            const char *text = *pl_sheet_at(sheet, r, c);
            add_padded(out, text ? text : "", widths[c], c < sheet->left);
        }
        pl_text_add(out, " |\n");
        for (size_t c = 0; c < sheet->columns && !r; c++) {
            pl_text_add(out, c ? " | " : "| ");
            add_repeated(out, '-', widths[c] - (c >= sheet->left));
            pl_text_add(out, c >= sheet->left ? ":" : "");
        }
        pl_text_add(out, r ? "" : " |\n");
    }
    free(widths);
}

void pl_sheet_write(const struct pl_sheet *sheet, struct pl_text *out)
{
    if (sheet->markdown)
        write_markdown(sheet, out);
    else
        write_text(sheet, out);
}
