#include "rows.h"

#include "theory/theory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- printing ---- */

/* A number where a double holds exp(ln), else the text of a power of ten. */
static struct pl_cell magnitude_cell(long double ln, struct pl_text *text)
{
    double value = (double)expl(ln);
    pl_text_clear(text);
    if (isnormal(value) || ln == -INFINITY)
        return (struct pl_cell){.kind = PL_CELL_REAL, .real = value};
    pl_theory_write(ln, false, text);
    return (struct pl_cell){.kind = PL_CELL_TEXT, .text = pl_text(text), .length = text->length};
}

static struct pl_cell text_cell(const char *text)
{
    return (struct pl_cell){.kind = PL_CELL_TEXT, .text = text, .length = strlen(text)};
}

/* Programs get the number and, because most are too large for one, its logarithm to base 10. */
static void print_records(const struct pl_theory_value *values, size_t count, enum pl_rows_format format)
{
    static const char *const names[] = {"name", "value", "log10", "source", "meaning"};
    struct pl_rows *rows = pl_rows_new(stdout, format);
    struct pl_text value = {0};
    pl_rows_head(rows, names, sizeof names / sizeof *names);
    for (size_t i = 0; i < count; i++) {
        double log10 = (double)(values[i].ln / logl(10));
        struct pl_text exponent = {0};
        struct pl_cell cells[] = {text_cell(values[i].name), magnitude_cell(values[i].ln, &value),
                                  {.kind = PL_CELL_REAL, .real = log10}, text_cell(values[i].source),
                                  text_cell(values[i].meaning)};
        if (isinf(log10) && !isinf(values[i].ln)) {
            pl_text_addf(&exponent, "%.17Lg", values[i].ln / logl(10));
            cells[2] = text_cell(pl_text(&exponent));
        }
        pl_rows_row(rows, cells, sizeof cells / sizeof *cells);
        pl_text_release(&exponent);
    }
    pl_rows_end(rows);
    pl_text_release(&value);
}

static void print_table(const struct pl_theory_value *values, size_t count, enum pl_rows_format format)
{
    static const char *const names[] = {"name", "value", "source", "meaning"};
    struct pl_rows *rows = pl_rows_new(stdout, format);
    struct pl_text value = {0};
    pl_rows_head(rows, names, sizeof names / sizeof *names);
    for (size_t i = 0; i < count; i++) {
        pl_text_clear(&value);
        pl_theory_write(values[i].ln, false, &value);
        struct pl_cell cells[] = {text_cell(values[i].name), text_cell(pl_text(&value)), text_cell(values[i].source),
                                  text_cell(values[i].meaning)};
        pl_rows_row(rows, cells, sizeof cells / sizeof *cells);
    }
    pl_rows_end(rows);
    pl_text_release(&value);
}

static void print_latex(const struct pl_theory_value *values, size_t count)
{
    struct pl_text value = {0};
    puts("\\begin{tabular}{lll}\n\\toprule\nsymbol & value & meaning \\\\\n\\midrule");
    for (size_t i = 0; i < count; i++) {
        pl_text_clear(&value);
        pl_theory_write(values[i].ln, true, &value);
        printf("$%s$ & $%s$ & %s \\\\\n", values[i].tex, pl_text(&value), values[i].meaning);
    }
    puts("\\bottomrule\n\\end{tabular}");
    pl_text_release(&value);
}

static void print(const struct pl_args *args, const struct pl_theory_value *values, size_t count)
{
    const char *format = pl_args_get(args, "format", "text");
    if (!strcmp(format, "latex"))
        print_latex(values, count);
    else if (!strcmp(format, "csv") || !strcmp(format, "json"))
        print_records(values, count, pl_rows_format(args, "text"));
    else
        print_table(values, count, pl_rows_format(args, "text"));
}

static int run(const struct pl_args *args)
{
    struct pl_theory_value value = {.name = "lambda_max", .tex = "\\lambda_{\\max}", .source = "eq:lambda_max",
                                    .meaning = "largest step size that the proof covers"};
    double eta, r;
    struct pl_error err;
    if (strcmp(args->arguments[0], "lambda_max"))
        return pl_cmd_usage_error(args, "'%s' is not one of: lambda_max", args->arguments[0]);
    if (!pl_args_real(args, "eta", 0, 1e300, 5e-4, &eta) || !pl_args_real(args, "r", 0, 1000, 0, &r))
        return 2;
    if (pl_theory_lambda_max(eta, r, &value.ln, &err))
        return pl_cmd_fail(args, &err);
    print(args, &value, 1);
    return 0;
}

static const struct pl_option options[] = {
    {.name = "eta", .argument = "ETA", .help = "strength of the regularisation (default 5e-4)"},
    {.name = "r", .argument = "R", .help = "exponent of the regularisation (default 0)"},
    {.name = "format", .argument = "FORMAT", .help = "how to print (default text)", .words = "text markdown latex csv json"},
};

const struct pl_command pl_cmd_theory = {
    .name = "theory",
    .summary = "print what the convergence proof of TheoPouLa gives in numbers",
    .arguments = "lambda_max",
    .description =
        "lambda_max is the largest step size that the proof covers, for a regularisation of strength eta and exponent r. "
        "docs/theory.md has the formulas.",
    .example = "poula theory lambda_max --eta 5e-4 --r 10",
    PL_OPTIONS(options),
    .least = 1, .most = 1,
    .run = run,
};
