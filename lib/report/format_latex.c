/* LaTeX, for a paper: a tabular with booktabs rules. */
#include "report/format_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Names that the field writes as symbols. */
static const char *symbol(const char *text)
{
    static const char *const symbols[][2] = {
        {"lambda", "$\\lambda$"},
        {"epsilon", "$\\varepsilon$"},
        {"beta", "$\\beta$"},
        {"beta1", "$\\beta_1$"},
        {"beta2", "$\\beta_2$"},
        {"eta", "$\\eta$"},
        {"r", "$r$"},
        {"theta", "$\\theta$"},
        {"gamma", "$\\gamma$"},
        {"alpha", "$\\alpha$"},
        {"inf", "$\\infty$"},
        {"-inf", "$-\\infty$"},
        {"delta", "$\\delta$"},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (!strcmp(symbols[i][0], text))
            return symbols[i][1];
    return NULL;
}

/* The length of a number in scientific notation at text ("-1.2e-08"), or 0. */
static size_t scientific(const char *text, size_t *mantissa)
{
    size_t sign = text[0] == '-', n = sign + strspn(text + sign, "0123456789.");
    *mantissa = n;
    if (n == sign || text[n] != 'e')
        return 0;
    size_t exponent = n + 1 + (text[n + 1] == '-' || text[n + 1] == '+');
    size_t digits = strspn(text + exponent, "0123456789");
    return digits ? exponent + digits : 0;
}

static void add_power(struct pl_text *out, const char *text, size_t length, size_t mantissa)
{
    char *copy = pl_copy_bytes(text, length);
    long power = strtol(copy + mantissa + 1, NULL, 10);
    copy[mantissa] = '\0';
    if (strcmp(copy, "1"))
        pl_text_addf(out, "%s{\\cdot}", copy);
    pl_text_addf(out, "10^{%ld}", power);
    free(copy);
}

/* A label: a symbol, a number, or text. */
static void add_label(struct pl_text *out, const char *text)
{
    const char *known = symbol(text);
    size_t mantissa, length = scientific(text, &mantissa);
    if (known) {
        pl_text_add(out, known);
    } else if (length && !text[length]) {
        pl_text_add_char(out, '$');
        add_power(out, text, length, mantissa);
        pl_text_add_char(out, '$');
    } else if (text[0] == '-' && text[1] && strspn(text + 1, "0123456789.") == strlen(text + 1)) {
        pl_text_addf(out, "$%s$", text);
    } else {
        pl_escape_latex(out, text);
    }
}

/* What stands at the head of a row or column; a dash where the setting is absent. */
static void add_value(struct pl_text *out, const struct pl_label *label)
{
    struct pl_text text = {0};
    pl_label_write(label, &text);
    if (label->named)
        pl_escape_latex(out, pl_text(&text));
    else if (label->present)
        add_label(out, pl_text(&text));
    else
        pl_text_add(out, "--");
    pl_text_release(&text);
}

/* The name of a setting or metric: the text that the table has for it, a symbol, or the name. */
static void add_name(struct pl_text *out, const struct pl_table *table, const char *name)
{
    const char *text = pl_labels_find(&table->labels, name);
    if (text)
        pl_escape_latex(out, text);
    else
        add_label(out, name);
}

/* A heading above cells: "$\lambda=0.1$"; words stand without their key. */
static void add_heading(struct pl_text *out, const struct pl_table *table, const char *key,
                        const struct pl_label *label)
{
    struct pl_text value = {0};
    pl_label_write(label, &value);
    const char *named = pl_labels_find(&table->labels, key);
    const char *text = pl_text(&value), *known = named ? NULL : symbol(key);
    if (label->named && label->value.type != PL_STRING) {
        add_name(out, table, key);
        pl_text_add_char(out, '=');
    }
    if (!label->present || label->named || label->value.type == PL_STRING) {
        add_value(out, label);
        pl_text_release(&value);
        return;
    }
    if (known) {
        pl_text_add_bytes(out, known, strlen(known) - 1); /* its math mode goes on */
    } else {
        pl_text_add(out, "$\\text{");
        pl_escape_latex(out, named ? named : key);
        pl_text_add_char(out, '}');
    }
    size_t mantissa, length = scientific(text, &mantissa);
    pl_text_add_char(out, '=');
    if (length && !text[length])
        add_power(out, text, length, mantissa);
    else if (label->value.type == PL_REAL && isinf(label->value.real))
        pl_text_add(out, label->value.real > 0 ? "\\infty" : "-\\infty");
    else if (label->value.type == PL_BOOLEAN)
        pl_text_addf(out, "\\text{%s}", text);
    else
        pl_text_add(out, text);
    pl_text_add_char(out, '$');
    pl_text_release(&value);
}

/* A cell's number in math mode, so that minus signs and powers come out right. */
static void add_number(struct pl_text *out, const char *text)
{
    static const char beside[] = " \u00b1 ";
    pl_text_add_char(out, '$');
    while (*text) {
        size_t mantissa, length = scientific(text, &mantissa);
        if (length) {
            add_power(out, text, length, mantissa);
            text += length;
        } else if (!strncmp(text, beside, strlen(beside))) {
            text += strlen(beside);
            bool none = text[0] == '-' && !text[1];
            pl_text_add(out, none ? " \\pm \\text{--}" : " \\pm ");
            text += none;
        } else if (*text == '(' && text[1] == '-' && text[2] == ')') {
            pl_text_add(out, "(\\text{--})");
            text += 3;
        } else if (*text >= '0' && *text <= '9') {
            size_t digits = strspn(text, "0123456789.");
            pl_text_add_bytes(out, text, digits);
            text += digits;
        } else {
            pl_text_add_char(out, *text++);
        }
    }
    pl_text_add_char(out, '$');
}

static void add_cell(const struct pl_table *table, const struct pl_table_cell *cell, struct pl_text *out)
{
    struct pl_text number = {0}, notes = {0};
    pl_table_cell_number(table, cell, &number);
    pl_table_cell_notes(cell, &notes);
    if (cell->best)
        pl_text_add(out, "\\textbf{\\boldmath ");
    else if (cell->alike)
        pl_text_add(out, "\\underline{");
    if (number.length)
        add_number(out, number.text);
    if (cell->best || cell->alike)
        pl_text_add_char(out, '}');
    if (notes.length)
        pl_text_addf(out, "%s{\\footnotesize %s}", number.length ? " " : "", notes.text);
    pl_text_release(&number);
    pl_text_release(&notes);
}

/* One heading row for each column setting; equal neighbours share a heading and a rule. */
static void add_heading_row(const struct pl_table *table, size_t key, struct pl_text *out)
{
    struct pl_text rules = {0};
    bool last = key + 1 == table->column_key_count;
    for (size_t k = 0; k < table->row_key_count; k++) {
        pl_text_add(out, k ? " & " : "");
        if (last)
            add_name(out, table, table->row_keys[k]);
    }
    for (size_t c = 0; c < table->column_count;) {
        size_t span = 1;
        while (!last && c + span < table->column_count && pl_table_same_above(table, c, c + span, key))
            span++;
        pl_text_add(out, c || table->row_key_count ? " & " : "");
        pl_text_addf(out, "\\multicolumn{%zu}{c}{", span);
        add_heading(out, table, table->column_keys[key], &table->columns[c * table->column_key_count + key]);
        pl_text_add_char(out, '}');
        if (!last)
            pl_text_addf(&rules, "\\cmidrule(lr){%zu-%zu}", table->row_key_count + c + 1,
                         table->row_key_count + c + span);
        c += span;
    }
    pl_text_addf(out, " \\\\\n%s%s", pl_text(&rules), rules.length ? "\n" : "");
    pl_text_release(&rules);
}

static void add_value_heading(const struct pl_table *table, struct pl_text *out)
{
    for (size_t k = 0; k < table->row_key_count; k++) {
        add_name(out, table, table->row_keys[k]);
        pl_text_add(out, " & ");
    }
    pl_text_addf(out, "\\multicolumn{1}{c}{%s%s", table->timed ? "" : pl_select_names[table->select],
                 table->timed ? "" : " ");
    add_name(out, table, table->metric);
    if (pl_unit_is_to_be_said(table->unit, pl_table_shown(table, table->metric)))
        pl_text_add(out, " (\\%)");
    pl_text_add(out, "} \\\\\n");
}

static void add_rows(const struct pl_table *table, struct pl_text *out)
{
    for (size_t r = 0; r < table->row_count; r++) {
        for (size_t k = 0; k < table->row_key_count; k++) {
            pl_text_add(out, k ? " & " : "");
            add_value(out, &table->rows[r * table->row_key_count + k]);
        }
        for (size_t c = 0; c < table->column_count; c++) {
            pl_text_add(out, c || table->row_key_count ? " & " : "");
            add_cell(table, &table->cells[r * table->column_count + c], out);
        }
        pl_text_add(out, " \\\\\n");
    }
}

/* What stands around the lines of a floating table. */
struct around {
    const char *caption, *label; /* label: or NULL */
    const struct pl_text *notes;
    bool own; /* the caption is the user's: notes are comments then */
};

/* A floating table: caption and notes, the columns as tabular takes them, and the lines between the outer rules. */
static void write_float(const struct around *around, const char *columns, const char *lines, struct pl_text *out)
{
    struct pl_text above = {0}, label = {0};
    pl_text_add(out, "% Needs \\usepackage{amsmath,booktabs}.\n");
    pl_escape_latex(&above, around->caption);
    for (const char *line = pl_text(around->notes); *line;) {
        size_t length = strcspn(line, "\n");
        char *note = pl_copy_bytes(line, length);
        pl_text_add(around->own ? out : &above, around->own ? "% " : line == pl_text(around->notes) ? ". " : " ");
        pl_escape_latex(around->own ? out : &above, note);
        pl_text_add(out, around->own ? "\n" : "");
        free(note);
        line += length + (line[length] == '\n');
    }
    if (around->label)
        pl_text_addf(&label, "\\label{%s}\n", around->label);
    if (pl_latex_has_characters(pl_text(&above)) || pl_latex_has_characters(lines))
        pl_text_add(out, PL_LATEX_CHARACTERS);
    pl_text_addf(out,
                 "\\begin{table}[htbp]\n\\centering\n\\caption{%s}\n%s\\begin{tabular}{%s}\n\\toprule\n%s"
                 "\\bottomrule\n\\end{tabular}\n\\end{table}\n",
                 pl_text(&above), pl_text(&label), columns, lines);
    pl_text_release(&above);
    pl_text_release(&label);
}

static void write_table(const struct pl_table *table, struct pl_text *out)
{
    struct pl_text caption = {0}, columns = {0}, lines = {0};
    pl_table_caption(table, &caption);
    for (size_t k = 0; k < table->row_key_count; k++)
        pl_text_add_char(&columns, 'l');
    for (size_t c = 0; c < table->column_count; c++)
        pl_text_add_char(&columns, 'r');
    for (size_t k = 0; k < table->column_key_count; k++)
        add_heading_row(table, k, &lines);
    if (!table->column_key_count)
        add_value_heading(table, &lines);
    pl_text_add(&lines, "\\midrule\n");
    add_rows(table, &lines);
    const struct around around = {pl_text(&caption), table->label, &table->notes, table->caption};
    write_float(&around, pl_text(&columns), pl_text(&lines), out);
    pl_text_release(&caption);
    pl_text_release(&columns);
    pl_text_release(&lines);
}

static void write_comparison(const struct pl_comparison *c, struct pl_text *out)
{
    struct pl_text caption = {0}, notes = {0}, lines = {0};
    pl_compared_caption(c, &caption);
    pl_compared_notes(c, &notes);
    for (size_t i = 0; i < PL_COMPARED_COLUMNS; i++)
        pl_text_addf(&lines, "%s%s", i ? " & " : "", pl_compared_headings[i]);
    pl_text_add(&lines, " \\\\\n\\midrule\n");
    for (size_t i = 0; i < pl_compared_count(c); i++) {
        char *texts[PL_COMPARED_COLUMNS];
        pl_compared_line(c, i, texts);
        for (size_t k = 0; k < PL_COMPARED_COLUMNS; k++) {
            pl_text_add(&lines, k ? " & " : "");
            if (texts[k] && k >= 3 && k <= 5)
                add_number(&lines, texts[k]);
            else if (texts[k])
                pl_escape_latex(&lines, texts[k]);
            free(texts[k]);
        }
        pl_text_add(&lines, " \\\\\n");
    }
    const struct around around = {pl_text(&caption), NULL, &notes, false};
    write_float(&around, "llrrrrl", pl_text(&lines), out);
    pl_text_release(&caption);
    pl_text_release(&notes);
    pl_text_release(&lines);
}

static void write_listing(const struct pl_listing *l, struct pl_text *out)
{
    struct pl_text columns = {0}, lines = {0};
    for (size_t k = 0; k < l->shown; k++) {
        pl_text_add_char(&columns, k < l->left ? 'l' : 'r');
        pl_text_add(&lines, k ? " & " : "");
        pl_escape_latex(&lines, l->names[k]);
    }
    pl_text_add(&lines, " \\\\\n\\midrule\n");
    for (size_t i = 0; i < l->count; i++) {
        const struct pl_listed *cell = &l->cells[i];
        if (i % l->columns >= l->shown)
            continue;
        bool number = cell->cell.kind == PL_CELL_INTEGER ||
                      (cell->cell.kind == PL_CELL_REAL && isfinite(cell->cell.real));
        pl_text_add(&lines, i % l->columns ? " & " : "");
        if (number)
            add_number(&lines, cell->shown);
        else
            pl_escape_latex(&lines, cell->shown);
        pl_text_add(&lines, i % l->columns + 1 == l->shown ? " \\\\\n" : "");
    }
    const struct around around = {pl_text(&l->caption), NULL, &l->notes, false};
    write_float(&around, pl_text(&columns), pl_text(&lines), out);
    pl_text_release(&columns);
    pl_text_release(&lines);
}

/* ---- rows ---- */

static void add_row_cell(const struct pl_cell *cell, struct pl_text *out)
{
    struct pl_text number = {0};
    if (cell->kind == PL_CELL_NULL) {
        pl_text_add(out, "--");
    } else if (cell->kind == PL_CELL_REAL && isinf(cell->real)) {
        pl_text_add(out, cell->real > 0 ? "$\\infty$" : "$-\\infty$");
    } else if (cell->kind == PL_CELL_REAL || cell->kind == PL_CELL_INTEGER) {
        pl_print_cell(cell, NULL, &number);
        add_number(out, pl_text(&number));
    } else {
        pl_escape_latex(out, cell->text);
    }
    pl_text_release(&number);
}

static bool has_characters(const struct pl_row_columns *c)
{
    bool found = false;
    for (size_t i = 0; i < c->count && !found; i++)
        found = pl_latex_has_characters(c->names[i]);
    for (size_t i = 0; i < c->kept_rows * c->count && !found; i++)
        found = pl_latex_has_characters(c->kept[i]);
    return found;
}

static void add_row(const struct pl_row_columns *c, const char *const *cells, size_t index, struct pl_text *out)
{
    (void)index;
    for (size_t i = 0; i < c->count; i++)
        pl_text_addf(out, "%s%s", i ? " & " : "", cells[i]);
    pl_text_add(out, " \\\\\n");
}

static void add_head(const struct pl_row_columns *c, struct pl_text *out)
{
    pl_text_addf(out, "%% Needs \\usepackage{%sbooktabs}.\n%s\\begin{tabular}{", c->formulas ? "amsfonts," : "",
                 has_characters(c) ? PL_LATEX_CHARACTERS : "");
    for (size_t i = 0; i < c->count; i++)
        pl_text_add_char(out, c->right[i] ? 'r' : 'l');
    pl_text_add(out, "}\n\\toprule\n");
    add_row(c, (const char *const *)c->names, 0, out);
    pl_text_add(out, "\\midrule\n");
}

static void add_tail(const struct pl_row_columns *c, size_t rows, struct pl_text *out)
{
    (void)c;
    (void)rows;
    pl_text_add(out, "\\bottomrule\n\\end{tabular}\n");
}

static const struct pl_rows_type rows = PL_ROWS(NULL, SIZE_MAX, true, add_row_cell, add_head, add_row, add_tail);

PL_FORMAT(latex, &rows, write_table, write_comparison, write_listing, PL_FRAME("", "\n", ""), PL_FRAME("", "\n", ""));
