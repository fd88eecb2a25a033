#include "rows.h"

#include "sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

/* Widths of text columns are taken from so many rows; later ones that are wider push theirs out. */
enum { MEASURED = 2000 };

struct pl_rows {
    FILE *out;
    enum pl_rows_format format;
    size_t columns, answers;
    char **names;
    size_t *widths;
    bool *numeric;       /* all measured values are numbers: set flush right */
    char **kept;         /* measured rows, row by row */
    size_t rows;
    bool measured;
    struct pl_text line, cell;
    int problem;         /* why out cannot be written (errno) */
};

struct pl_rows *pl_rows_new(FILE *out, enum pl_rows_format format)
{
    struct pl_rows *rows = pl_new(sizeof *rows);
    rows->out = out;
    rows->format = format;
    return rows;
}

enum pl_rows_format pl_rows_format(const struct pl_args *args, const char *fallback)
{
    static const char *const names[] = {"text", "markdown", "csv", "json"};
    const char *given = pl_args_get(args, "format", fallback);
    for (int i = 0; i < 4; i++)
        if (!strcmp(names[i], given))
            return (enum pl_rows_format)i;
    return PL_ROWS_TEXT;
}

static int put_line(struct pl_rows *rows)
{
    size_t written = fwrite(pl_text(&rows->line), 1, rows->line.length, rows->out);
    if (written != rows->line.length && !rows->problem)
        rows->problem = errno;
    pl_text_clear(&rows->line);
    return rows->problem ? PL_EIO : 0;
}

/* ---- cells ---- */

static void add_text(struct pl_text *out, const char *text, enum pl_rows_format format)
{
    static void (*const escape[])(struct pl_text *, const char *) = {
        [PL_ROWS_TEXT] = pl_escape_terminal, [PL_ROWS_MARKDOWN] = pl_escape_markdown, [PL_ROWS_JSON] = pl_escape_json};
    if (format != PL_ROWS_CSV)
        escape[format](out, text);
    else if (*text)
        pl_escape_csv(out, text);
    else
        pl_text_add(out, "\"\""); /* no text, which is not NULL */
}

static void add_cell(struct pl_text *out, const struct pl_cell *cell, enum pl_rows_format format)
{
    bool person = format == PL_ROWS_TEXT || format == PL_ROWS_MARKDOWN;
    switch (cell->kind) {
    case PL_CELL_NULL:
        pl_text_add(out, person ? "NULL" : format == PL_ROWS_JSON ? "null" : "");
        break;
    case PL_CELL_INTEGER:
        pl_text_addf(out, "%lld", (long long)cell->integer);
        break;
    case PL_CELL_REAL:
        if (format == PL_ROWS_JSON && !isfinite(cell->real))
            pl_text_add(out, cell->real > 0 ? "\"inf\"" : "\"-inf\"");
        else
            pl_text_add_number(out, cell->real);
        break;
    case PL_CELL_TEXT:
    case PL_CELL_BLOB:
        add_text(out, cell->text, format);
        break;
    }
}

/* ---- aligned columns ---- */

static void add_padded(struct pl_text *line, const char *text, size_t width, bool right)
{
    size_t taken = pl_text_width(text), pad = width > taken ? width - taken : 0;
    if (right)
        pl_text_addf(line, "%*s", (int)pad, "");
    pl_text_add(line, text);
    if (!right)
        pl_text_addf(line, "%*s", (int)pad, "");
}

static int put_aligned(struct pl_rows *rows, char *const *cells)
{
    bool markdown = rows->format == PL_ROWS_MARKDOWN;
    for (size_t i = 0; i < rows->columns; i++) {
        pl_text_add(&rows->line, markdown ? i ? " | " : "| " : i ? "  " : "");
        add_padded(&rows->line, cells[i], rows->widths[i], rows->numeric[i]);
    }
    if (markdown)
        pl_text_add(&rows->line, " |");
    while (!markdown && rows->line.length && rows->line.text[rows->line.length - 1] == ' ')
        pl_text_cut(&rows->line, rows->line.length - 1);
    pl_text_add_char(&rows->line, '\n');
    return put_line(rows);
}

static void put_rule(struct pl_rows *rows)
{
    bool markdown = rows->format == PL_ROWS_MARKDOWN;
    for (size_t i = 0; i < rows->columns; i++) {
        pl_text_add(&rows->line, markdown ? i ? " | " : "| " : i ? "  " : "");
        for (size_t dashes = rows->widths[i]; dashes > (markdown && rows->numeric[i] ? 1 : 0); dashes--)
            pl_text_add_char(&rows->line, '-');
        if (markdown && rows->numeric[i])
            pl_text_add_char(&rows->line, ':');
    }
    pl_text_add(&rows->line, markdown ? " |\n" : "\n");
    put_line(rows);
}

/* Writes the heading and the rows that were kept to measure them. */
static int put_measured(struct pl_rows *rows)
{
    rows->measured = true;
    int status = put_aligned(rows, rows->names);
    put_rule(rows);
    for (size_t r = 0; r < rows->rows; r++) {
        char **cells = rows->kept + r * rows->columns;
        status = status ? status : put_aligned(rows, cells);
        for (size_t i = 0; i < rows->columns; i++)
            free(cells[i]);
    }
    free(rows->kept);
    rows->kept = NULL;
    return status;
}

static int add_aligned(struct pl_rows *rows, const struct pl_cell *cells)
{
    char **texts = pl_new((rows->columns + 1) * sizeof *texts);
    for (size_t i = 0; i < rows->columns; i++) {
        pl_text_clear(&rows->cell);
        add_cell(&rows->cell, &cells[i], rows->format);
        texts[i] = pl_copy(pl_text(&rows->cell));
    }
    if (rows->measured) {
        int status = put_aligned(rows, texts);
        for (size_t i = 0; i < rows->columns; i++)
            free(texts[i]);
        free(texts);
        return status;
    }
    if (!rows->kept)
        rows->kept = pl_new(MEASURED * (rows->columns + 1) * sizeof *rows->kept);
    for (size_t i = 0; i < rows->columns; i++) {
        size_t width = pl_text_width(texts[i]);
        rows->widths[i] = width > rows->widths[i] ? width : rows->widths[i];
        rows->numeric[i] &= cells[i].kind == PL_CELL_INTEGER || cells[i].kind == PL_CELL_REAL ||
                            cells[i].kind == PL_CELL_NULL;
        rows->kept[rows->rows * rows->columns + i] = texts[i];
    }
    free(texts);
    return ++rows->rows == MEASURED ? put_measured(rows) : 0;
}

/* ---- answers ---- */

static void end_answer(struct pl_rows *rows)
{
    if (!rows->answers)
        return;
    if (rows->format == PL_ROWS_JSON)
        fputs(rows->rows ? "\n]\n" : "[]\n", rows->out);
    else if (rows->format != PL_ROWS_CSV && !rows->measured)
        put_measured(rows);
    for (size_t i = 0; i < rows->columns; i++)
        free(rows->names[i]);
    free(rows->names);
    free(rows->widths);
    free(rows->numeric);
}

void pl_rows_end(struct pl_rows *rows)
{
    end_answer(rows);
    pl_text_release(&rows->line);
    pl_text_release(&rows->cell);
    free(rows);
}

int pl_rows_head(void *self, const char *const *names, size_t count)
{
    struct pl_rows *rows = self;
    end_answer(rows);
    if (rows->answers++)
        fputc('\n', rows->out);
    rows->columns = count;
    rows->rows = 0;
    rows->measured = false;
    rows->names = pl_new((count + 1) * sizeof *rows->names);
    rows->widths = pl_new((count + 1) * sizeof *rows->widths);
    rows->numeric = pl_new((count + 1) * sizeof *rows->numeric);
    for (size_t i = 0; i < count; i++) {
        pl_text_clear(&rows->cell);
        add_text(&rows->cell, names[i], rows->format);
        rows->names[i] = pl_copy(pl_text(&rows->cell));
        rows->widths[i] = pl_text_width(rows->names[i]);
        rows->widths[i] = rows->format == PL_ROWS_MARKDOWN && rows->widths[i] < 3 ? 3 : rows->widths[i];
        rows->numeric[i] = true;
    }
    if (rows->format != PL_ROWS_CSV)
        return 0;
    for (size_t i = 0; i < count; i++) {
        pl_text_add(&rows->line, i ? "," : "");
        pl_text_add(&rows->line, rows->names[i]);
    }
    pl_text_add_char(&rows->line, '\n');
    return put_line(rows);
}

int pl_rows_row(void *self, const struct pl_cell *cells, size_t count)
{
    struct pl_rows *rows = self;
    if (rows->format == PL_ROWS_TEXT || rows->format == PL_ROWS_MARKDOWN)
        return add_aligned(rows, cells);
    bool json = rows->format == PL_ROWS_JSON;
    if (json)
        pl_text_add(&rows->line, rows->rows ? ",\n  {" : "[\n  {");
    for (size_t i = 0; i < count; i++) {
        pl_text_add(&rows->line, i ? json ? ", " : "," : "");
        if (json) {
            pl_text_addf(&rows->line, "%s: ", rows->names[i]);
        }
        add_cell(&rows->line, &cells[i], rows->format);
    }
    pl_text_add(&rows->line, json ? "}" : "\n");
    rows->rows++;
    return put_line(rows);
}

/* ---- what the commands share ---- */

int pl_cmd_run_folder(const struct pl_args *args, struct pl_store *store, const struct pl_run_info *info,
                      struct pl_text *folder, struct pl_error *err)
{
    char token[PL_STORE_TOKEN_SIZE];
    struct pl_text folders = {0};
    int status = pl_store_token(store, token, err);
    pl_args_folders(args, &folders);
    if (!status)
        pl_run_folder(pl_text(&folders), token, info->run, info->key, info->attempts > 0, folder);
    pl_text_release(&folders);
    return status;
}

int pl_cmd_open(const struct pl_args *args, struct pl_store **store)
{
    struct pl_error err;
    return pl_store_open(store, pl_args_db(args), PL_STORE_READ, &err) ? pl_cmd_fail(args, &err) : 0;
}

int pl_cmd_answer(const struct pl_args *args, struct pl_store *store, const char *sql, FILE *out,
                 enum pl_rows_format format)
{
    struct pl_error err = {0};
    struct pl_rows *rows = pl_rows_new(out, format);
    int status = pl_store_query(store, sql, pl_rows_head, pl_rows_row, rows, &err);
    int problem = rows->problem;
    pl_rows_end(rows);
    if (!status)
        return 0;
    if (!problem)
        return pl_cmd_fail(args, &err);
    if (out != stdout) /* its owner says so */
        return 1;
    if (problem != EPIPE) /* the reader of a pipe may leave early */
        fprintf(stderr, "poula %s: cannot write the output: %s\n", args->command->name, strerror(problem));
    __fpurge(stdout); /* it has been said */
    clearerr(stdout);
    return 1;
}

void pl_cmd_add_sql_text(struct pl_text *sql, const char *text)
{
    pl_text_add_char(sql, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            pl_text_add_char(sql, '\'');
        pl_text_add_char(sql, *text);
    }
    pl_text_add_char(sql, '\'');
}
