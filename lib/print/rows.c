/* Rows of an answer, written while they come. */
#include "print/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct pl_rows {
    FILE *out;
    const struct pl_rows_type *type;
    struct pl_row_columns columns;
    size_t answers, rows;
    bool begun;  /* the head is written */
    char **kept; /* until then: the cells of the rows so far */
    size_t kept_capacity;
    struct pl_text *cells, line; /* scratch: a row as the format spells it */
    const char **texts;
    int problem; /* why out cannot be written (errno) */
};

struct pl_rows *pl_rows_new(FILE *out, const struct pl_rows_type *type)
{
    struct pl_rows *rows = pl_new(sizeof *rows);
    rows->out = out;
    rows->type = type;
    return rows;
}

void pl_print_cell(const struct pl_cell *cell, void (*escape)(struct pl_text *, const char *), struct pl_text *out)
{
    switch (cell->kind) {
    case PL_CELL_NULL:
        pl_text_add(out, "NULL");
        break;
    case PL_CELL_INTEGER:
        pl_text_addf(out, "%lld", (long long)cell->integer);
        break;
    case PL_CELL_REAL:
        pl_text_add_number(out, cell->real);
        break;
    case PL_CELL_TEXT:
    case PL_CELL_BLOB:
        escape(out, cell->text);
        break;
    }
}

struct pl_cell pl_cell_text(const char *text)
{
    return (struct pl_cell){.kind = PL_CELL_TEXT, .text = text, .length = strlen(text)};
}

static int put_line(struct pl_rows *rows)
{
    size_t written = fwrite(pl_text(&rows->line), 1, rows->line.length, rows->out);
    if (written != rows->line.length && !rows->problem)
        rows->problem = errno;
    pl_text_clear(&rows->line);
    return rows->problem ? PL_EIO : 0;
}

static int put_row(struct pl_rows *rows, const char *const *cells, size_t index)
{
    rows->type->row(&rows->columns, cells, index, &rows->line);
    return put_line(rows);
}

/* Writes the head and the rows that were kept. */
static int begin(struct pl_rows *rows)
{
    size_t width = rows->columns.count;
    rows->begun = true;
    rows->columns.kept = rows->kept;
    rows->columns.kept_rows = rows->kept ? rows->rows : 0;
    rows->type->head(&rows->columns, &rows->line);
    int status = put_line(rows);
    for (size_t r = 0; rows->kept && r < rows->rows && !status; r++)
        status = put_row(rows, (const char *const *)rows->kept + r * width, r);
    for (size_t i = 0; rows->kept && i < rows->rows * width; i++)
        free(rows->kept[i]);
    free(rows->kept);
    rows->kept = NULL;
    rows->columns.kept = NULL;
    rows->columns.kept_rows = rows->kept_capacity = 0;
    return status;
}

/* Keeps the row at hand, and looks at how wide it is. */
static int keep(struct pl_rows *rows, const struct pl_cell *cells)
{
    struct pl_row_columns *c = &rows->columns;
    void *kept = rows->kept;
    pl_grow(&kept, &rows->kept_capacity, (rows->rows + 1) * c->count + 1, sizeof *rows->kept);
    rows->kept = kept;
    for (size_t i = 0; i < c->count; i++) {
        size_t width = pl_text_width(rows->texts[i]);
        c->widths[i] = width > c->widths[i] ? width : c->widths[i];
        c->right[i] &= cells[i].kind == PL_CELL_INTEGER || cells[i].kind == PL_CELL_REAL ||
                       cells[i].kind == PL_CELL_NULL;
        c->formulas |= rows->type->formulas && cells[i].tex;
        rows->kept[rows->rows * c->count + i] = pl_copy(rows->texts[i]);
    }
    return ++rows->rows == rows->type->keeps ? begin(rows) : 0;
}

static void end_answer(struct pl_rows *rows)
{
    struct pl_row_columns *c = &rows->columns;
    if (!rows->answers)
        return;
    if (!rows->begun)
        begin(rows);
    rows->type->tail(c, rows->rows, &rows->line);
    put_line(rows);
    for (size_t i = 0; i < c->count; i++) {
        free(c->names[i]);
        pl_text_release(&rows->cells[i]);
    }
    free(c->names);
    free(c->widths);
    free(c->right);
    free(rows->cells);
    free(rows->texts);
}

int pl_rows_problem(const struct pl_rows *rows)
{
    return rows->problem;
}

void pl_rows_end(struct pl_rows *rows)
{
    end_answer(rows);
    pl_text_release(&rows->line);
    free(rows);
}

/* Spells the name of a column; of several a the second is a:1. */
static void spell_name(const struct pl_rows *rows, const char *const *names, size_t at, struct pl_text *out)
{
    struct pl_text raw = {0};
    bool taken = true;
    for (int number = 0; taken; number++) {
        pl_text_clear(&raw);
        pl_text_clear(out);
        pl_text_add(&raw, names[at]);
        if (number)
            pl_text_addf(&raw, ":%d", number);
        struct pl_cell cell = pl_cell_text(pl_text(&raw));
        rows->type->cell(&cell, out);
        taken = false;
        for (size_t i = 0; i < rows->columns.count && rows->type->keyed && !taken; i++)
            taken = i < at ? !strcmp(rows->columns.names[i], pl_text(out)) : number && !strcmp(names[i], pl_text(&raw));
    }
    pl_text_release(&raw);
}

int pl_rows_head(void *self, const char *const *names, size_t count)
{
    struct pl_rows *rows = self;
    struct pl_row_columns *c = &rows->columns;
    size_t least = rows->type->style ? rows->type->style->least : 0;
    end_answer(rows);
    if (rows->answers++)
        fputc('\n', rows->out);
    rows->rows = 0;
    rows->begun = false;
    *c = (struct pl_row_columns){.count = count};
    c->names = pl_new((count + 1) * sizeof *c->names);
    c->widths = pl_new((count + 1) * sizeof *c->widths);
    c->right = pl_new((count + 1) * sizeof *c->right);
    rows->cells = pl_new((count + 1) * sizeof *rows->cells);
    rows->texts = pl_new((count + 1) * sizeof *rows->texts);
    for (size_t i = 0; i < count; i++) {
        struct pl_text name = {0};
        spell_name(rows, names, i, &name);
        c->names[i] = pl_text_take(&name);
        c->widths[i] = pl_text_width(c->names[i]);
        c->widths[i] = c->widths[i] < least ? least : c->widths[i];
        c->right[i] = true;
    }
    return rows->type->keeps ? 0 : begin(rows);
}

int pl_rows_row(void *self, const struct pl_cell *cells, size_t count)
{
    struct pl_rows *rows = self;
    for (size_t i = 0; i < count; i++) {
        pl_text_clear(&rows->cells[i]);
        if (cells[i].tex && rows->type->formulas)
            pl_text_addf(&rows->cells[i], "$%s$", cells[i].tex);
        else
            rows->type->cell(&cells[i], &rows->cells[i]);
        rows->texts[i] = pl_text(&rows->cells[i]);
    }
    return rows->begun ? put_row(rows, rows->texts, rows->rows++) : keep(rows, cells);
}
