/* Sheets: aligned blocks of texts. */
#include "print/print.h"

#include <stdlib.h>
#include <string.h>

void pl_sheet_init(struct pl_sheet *sheet, const struct pl_style *style, size_t heads, size_t rows, size_t columns,
                   size_t left)
{
    *sheet = (struct pl_sheet){.style = style, .rows = heads + rows, .columns = columns, .heads = heads, .left = left};
    sheet->texts = pl_new((sheet->rows * columns + 1) * sizeof *sheet->texts);
}

char **pl_sheet_at(const struct pl_sheet *sheet, size_t row, size_t column)
{
    return &sheet->texts[row * sheet->columns + column];
}

void pl_sheet_put(const struct pl_sheet *sheet, size_t row, size_t column, const char *text)
{
    struct pl_text escaped = {0};
    sheet->style->escape(&escaped, text);
    free(*pl_sheet_at(sheet, row, column));
    *pl_sheet_at(sheet, row, column) = pl_text_take(&escaped);
}

void pl_sheet_release(struct pl_sheet *sheet)
{
    for (size_t i = 0; i < sheet->rows * sheet->columns; i++)
        free(sheet->texts[i]);
    free(sheet->texts);
}

void pl_sheet_write(const struct pl_sheet *sheet, struct pl_text *out)
{
    size_t *widths = pl_new((sheet->columns + 1) * sizeof *widths);
    bool *right = pl_new((sheet->columns + 1) * sizeof *right);
    for (size_t c = 0; c < sheet->columns; c++) {
        widths[c] = sheet->style->least;
        right[c] = c >= sheet->left;
    }
    for (size_t i = 0; i < sheet->rows * sheet->columns; i++) {
        size_t width = sheet->texts[i] ? pl_text_width(sheet->texts[i]) : 0;
        if (width > widths[i % sheet->columns])
            widths[i % sheet->columns] = width;
    }
    for (size_t r = 0; r < sheet->rows; r++) {
        pl_print_line(sheet->style, (const char *const *)pl_sheet_at(sheet, r, 0), widths, right, sheet->columns, out);
        if (r + 1 == sheet->heads)
            pl_print_rule(sheet->style, widths, right, sheet->columns, out);
    }
    free(widths);
    free(right);
}
