#include "answer.h"

#include "plot/plot.h"
#include "theory/theory.h"
#include "theory_axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- printing ---- */

/* A number where a double holds exp(ln), else the text of a power of ten. */
static struct pl_cell magnitude_cell(long double ln, struct pl_text *text)
{
    double value = (double)expl(ln);
    pl_text_clear(text);
    if (isnan(ln))
        return (struct pl_cell){.kind = PL_CELL_NULL, .text = ""};
    if (isnormal(value) || ln == -INFINITY)
        return (struct pl_cell){.kind = PL_CELL_REAL, .real = value};
    pl_theory_write(ln, false, text);
    return pl_cell_text(pl_text(text));
}

void pl_theory_cells(long double ln, struct pl_cell cells[2], struct pl_text *value, struct pl_text *exponent)
{
    double log10 = (double)(ln / logl(10));
    cells[0] = magnitude_cell(ln, value);
    cells[1] = (struct pl_cell){.kind = isnan(log10) ? PL_CELL_NULL : PL_CELL_REAL, .real = log10, .text = ""};
    if (isinf(log10) && !isinf(ln)) {
        pl_text_addf(exponent, "%.17Lg", ln / logl(10));
        cells[1] = pl_cell_text(pl_text(exponent));
    }
}

/* Programs get the number and, because most are too large for one, its logarithm to base 10. */
static void print_records(const struct pl_theory_value *values, size_t count, struct pl_rows *rows)
{
    static const char *const names[] = {"name", "value", "log10", "source", "meaning"};
    struct pl_text value = {0};
    pl_rows_head(rows, names, sizeof names / sizeof *names);
    for (size_t i = 0; i < count; i++) {
        struct pl_text exponent = {0};
        struct pl_cell cells[5] = {pl_cell_text(values[i].name)};
        pl_theory_cells(values[i].ln, &cells[1], &value, &exponent);
        cells[3] = pl_cell_text(values[i].source);
        cells[4] = pl_cell_text(values[i].meaning);
        pl_rows_row(rows, cells, sizeof cells / sizeof *cells);
        pl_text_release(&exponent);
    }
    pl_text_release(&value);
}

/* Where formulas are set, a symbol says what a source would. */
static void print_table(const struct pl_theory_value *values, size_t count, bool formulas, struct pl_rows *rows)
{
    static const char *const names[] = {"name", "value", "source", "meaning"}, *const symbols[] = {"symbol", "value",
                                                                                                   "meaning"};
    struct pl_text value = {0}, formula = {0};
    pl_rows_head(rows, formulas ? symbols : names, formulas ? 3 : 4);
    for (size_t i = 0; i < count; i++) {
        pl_text_clear(&value);
        pl_text_clear(&formula);
        pl_theory_write(values[i].ln, false, &value);
        pl_theory_write(values[i].ln, true, &formula);
        struct pl_cell name = pl_cell_text(values[i].name), number = pl_cell_text(pl_text(&value));
        name.tex = values[i].tex;
        number.tex = pl_text(&formula);
        const struct pl_cell all[] = {name, number, pl_cell_text(values[i].source), pl_cell_text(values[i].meaning)};
        const struct pl_cell some[] = {name, number, all[3]};
        pl_rows_row(rows, formulas ? some : all, formulas ? 3 : 4);
    }
    pl_text_release(&value);
    pl_text_release(&formula);
}

static void print(const struct pl_args *args, const struct pl_theory_value *values, size_t count)
{
    const struct pl_format *format = pl_cmd_format(args, &pl_format_text);
    struct pl_rows *rows = pl_rows_new(stdout, format->rows);
    if (format->kind == PL_FORMAT_PEOPLE)
        print_table(values, count, format->rows->formulas, rows);
    else
        print_records(values, count, rows);
    pl_rows_end(rows);
}

/* ---- what is asked ---- */

enum { MOST_VALUES = 64 };

/* KEY=VALUE of --set, and the options that stand for one. */
static int set(const struct pl_args *args, const char *key, const char *spelling, struct pl_settings *settings,
               struct pl_theory_axes *axes)
{
    size_t count;
    const struct pl_setting *table = pl_theory_settings(&count), *setting = pl_setting_find(table, count, key);
    struct pl_value value;
    struct pl_error err;
    if (!setting) {
        struct pl_candidates keys = {0};
        for (size_t i = 0; i < count; i++)
            pl_candidates_add(&keys, table[i].key);
        int code = pl_cmd_unknown(args, "setting", key, &keys);
        pl_candidates_release(&keys);
        return code;
    }
    if (strchr(spelling, ','))
        return pl_theory_axes_add(args, axes, setting, spelling);
    if (pl_setting_read(setting, spelling, &value, &err))
        return pl_cmd_usage_error(args, "%s", err.text);
    pl_settings_set(settings, setting->key, value);
    return 0;
}

static int read_settings(const struct pl_args *args, struct pl_settings *settings, struct pl_theory_axes *axes)
{
    size_t count;
    const struct pl_setting *table = pl_theory_settings(&count);
    const char *given;
    int code = 0;
    for (size_t i = 0; !code && (given = pl_args_nth(args, "set", i)); i++) {
        const char *equals = strchr(given, '=');
        if (!equals || equals == given)
            return pl_cmd_usage_error(args, "--set takes KEY=VALUE, not '%s'", given);
        char *key = pl_copy_bytes(given, (size_t)(equals - given));
        code = set(args, key, equals + 1, settings, axes);
        free(key);
    }
    if (!code && (given = pl_args_get(args, "eta", NULL)))
        code = set(args, "eta", given, settings, axes);
    if (!code && (given = pl_args_get(args, "r", NULL)))
        code = set(args, "r", given, settings, axes);
    pl_settings_fill(settings, table, count);
    return code;
}

/* The bound on the step size alone needs no more than eta and r, and these in no relation to the rest. */
static int lambda_max_alone(const struct pl_args *args, const struct pl_settings *settings)
{
    struct pl_theory_value value = pl_theory_at(NULL, 0);
    struct pl_error err;
    if (pl_theory_lambda_max(pl_settings_real(settings, "eta", 0), pl_settings_real(settings, "r", 0), &value.ln, &err))
        return pl_cmd_fail(args, &err);
    print(args, &value, 1);
    return 0;
}

static int recipe(const struct pl_args *args, const struct pl_theory *theory)
{
    struct pl_theory_value values[3];
    struct pl_error err;
    double delta;
    if (args->count)
        return pl_cmd_usage_error(args, "--delta prints beta, lambda and n; it takes no names");
    if (!pl_number_read(pl_args_get(args, "delta", ""), &delta))
        return pl_cmd_usage_error(args, "--delta is '%s', but must be a number above 0",
                                  pl_args_get(args, "delta", ""));
    if (pl_theory_recipe(theory, delta, values, &err))
        return pl_cmd_fail(args, &err);
    print(args, values, 3);
    return 0;
}

static int unknown_name(const struct pl_args *args, const char *name, const struct pl_theory_value *all, size_t count)
{
    struct pl_candidates names = {0};
    for (size_t i = 0; i < count; i++)
        pl_candidates_add(&names, all[i].name);
    int code = pl_cmd_unknown(args, "constant", name, &names);
    pl_candidates_release(&names);
    return code;
}

/* Which of all constants and bounds are named; all, if none is. */
static int choose(const struct pl_args *args, const struct pl_theory_value *all, size_t count, size_t *chosen,
                  size_t *chosen_count)
{
    *chosen_count = args->count ? args->count : count;
    for (size_t i = 0; i < *chosen_count; i++)
        chosen[i] = i;
    for (size_t i = 0; i < args->count; i++) {
        size_t k = 0;
        while (k < count && strcmp(all[k].name, args->arguments[i]))
            k++;
        if (k == count)
            return unknown_name(args, args->arguments[i], all, count);
        chosen[i] = k;
    }
    return 0;
}

static size_t list(const struct pl_theory *theory, struct pl_theory_value all[MOST_VALUES])
{
    size_t count = pl_theory_count();
    for (size_t i = 0; i < count; i++)
        all[i] = pl_theory_at(theory, i);
    return count + pl_theory_bounds(theory, &all[count]);
}

static int constants(const struct pl_args *args, const struct pl_theory *theory)
{
    struct pl_theory_value all[MOST_VALUES], some[MOST_VALUES];
    size_t chosen[MOST_VALUES], count;
    int code = choose(args, all, list(theory, all), chosen, &count);
    for (size_t i = 0; i < count && !code; i++)
        some[i] = all[chosen[i]];
    if (!code)
        print(args, some, count);
    return code;
}

static int over_axes(const struct pl_args *args, const struct pl_theory_axes *axes, const struct pl_settings *settings)
{
    struct pl_theory_value all[MOST_VALUES];
    size_t chosen[MOST_VALUES], count;
    if (pl_args_has(args, "delta"))
        return pl_cmd_usage_error(args, "--delta takes one value of each setting");
    int code = choose(args, all, list(NULL, all), chosen, &count);
    return code ? code : pl_theory_axes_print(args, axes, settings, chosen, count);
}

static int check_plot(const struct pl_args *args, const struct pl_theory_axes *axes)
{
    bool plot = pl_args_has(args, "plot");
    if (plot && !axes->count)
        return pl_cmd_usage_error(args, "--plot draws over several values of a setting, as in --set beta=1e2,1e3,1e4");
    if (plot && pl_args_has(args, "format"))
        return pl_cmd_usage_error(args, "--format says how to print, and --plot draws instead; give one of them");
    if (!plot && (pl_args_has(args, "out") || pl_args_has(args, "keep")))
        return pl_cmd_usage_error(args, "--out and --keep are of figures, which --plot draws");
    return 0;
}

static int run(const struct pl_args *args)
{
    struct pl_settings settings = {0};
    struct pl_theory_axes axes = {0};
    struct pl_theory *theory = NULL;
    struct pl_error err;
    int code = read_settings(args, &settings, &axes);
    bool has_delta = pl_args_has(args, "delta");
    if (!code)
        code = check_plot(args, &axes);
    if (!code && axes.count)
        code = over_axes(args, &axes, &settings);
    else if (!code && !has_delta && args->count == 1 && !strcmp(args->arguments[0], "lambda_max"))
        code = lambda_max_alone(args, &settings);
    else if (!code && pl_theory_new(&theory, &settings, &err))
        code = pl_cmd_fail(args, &err);
    else if (!code)
        code = has_delta ? recipe(args, theory) : constants(args, theory);
    pl_theory_free(theory);
    pl_theory_axes_release(&axes);
    pl_settings_release(&settings);
    return code;
}

static const struct pl_option options[] = {
    {.name = "set",
     .letter = 's',
     .argument = "KEY=VALUE",
     .help = "what the constants are for (see settings); VALUE,VALUE,...: a table over them",
     .repeats = true},
    {.name = "eta", .argument = "ETA", .help = "the same as --set eta=ETA"},
    {.name = "r", .argument = "R", .help = "the same as --set r=R"},
    {.name = "delta", .argument = "DELTA", .help = "print the recipe for an expected excess risk below DELTA"},
    {.name = "format", .argument = "FORMAT", .help = "how to print (default text)", .words = PL_FORMAT_WORDS},
    {.name = "plot",
     .argument = "FORMAT",
     .help = "draw log10 of the constants over the first of several values instead of printing",
     .words = PL_PLOT_FILE_WORDS},
    {.name = "out", .argument = "DIR", .help = "folder of --plot (default plots)"},
    {.name = "keep", .help = "with --plot: write the gnuplot script and its data beside the figure"},
};

const struct pl_command pl_cmd_theory = {
    .name = "theory",
    .summary = "print what the convergence proof of TheoPouLa gives in numbers",
    .arguments = "[NAME...]",
    .description =
        "Prints the constants of the paper's proof for given dimension, growth of the gradient, regularisation and "
        "moments, and its bounds on the Wasserstein distances W_1 and W_2 to pi_beta and on the expected excess risk "
        "after n steps of size lambda. Names choose some of them: lambda_max, C_1, W_2, risk.\n"
        "Without settings they are those of the paper's toy example. A number that no double holds is printed as a "
        "power "
        "of ten; csv and json have its logarithm to base 10 as well. docs/theory.md has every formula.\n"
        "With several values of a setting (--set beta=1e2,1e3,1e4) it prints the constants at each, how they grow at "
        "the end "
        "(order: d log value / d log setting), and, for d and beta, what the paper's table of dependence says. --plot "
        "png "
        "draws that: log10 of each constant in a panel, over the first of these settings, a line for each combination "
        "of "
        "the others.\n"
        "--delta prints the inverse temperature, step size and number of steps by which the proof reaches that excess "
        "risk.",
    .example = "poula theory lambda_max --eta 5e-4 --r 10",
    PL_OPTIONS(options),
    .settings = pl_theory_settings,
    .most = MOST_VALUES,
    .run = run,
};
