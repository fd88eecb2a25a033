#include "answer.h"
#include "cmd_results.h"
#include "plot/plot.h"
#include "plot_look.h"
#include "theory_axes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 12, MOST_LINES = 24 };

static bool is_number(const struct pl_setting *setting)
{
    return setting->type == PL_REAL || setting->type == PL_INTEGER;
}

struct place {
    double x;
    size_t index; /* among the values of the first axis */
};

static int by_x(const void *a, const void *b)
{
    double x = ((const struct place *)a)->x, y = ((const struct place *)b)->x;
    return (x > y) - (x < y);
}

static void find_places(const struct pl_theory_axis *axis, struct place *places)
{
    for (size_t i = 0; i < axis->count; i++) {
        const struct pl_value *v = &axis->values[i];
        places[i] = (struct place){v->type == PL_REAL ? v->real : (double)v->integer, i};
    }
    qsort(places, axis->count, sizeof *places, by_x);
}

/* "d = 10, eta = 0.5": what a combination of all axes but the first is. */
static char *name_line(const struct pl_theory_axes *axes, size_t point)
{
    struct pl_text text = {0};
    for (size_t i = 1; i < axes->count; i++) {
        pl_text_addf(&text, "%s%s = ", i > 1 ? ", " : "", axes->list[i].setting->key);
        pl_theory_axes_write(axes, i, point, &text);
    }
    return pl_text_take(&text);
}

/* "c_hat (paper: exp(poly(d)))" */
static char *name_panel(const struct pl_theory_matrix *m, size_t name)
{
    struct pl_text text = {0};
    const char *of = m->axes->list[0].setting->key;
    bool d = !strcmp(of, "d");
    const char *paper = d || !strcmp(of, "beta") ? pl_theory_dependence(m->names[name].name, d) : "";
    pl_text_addf(&text, *paper ? "%s (paper: %s)" : "%s%s", m->names[name].name, paper);
    return pl_text_take(&text);
}

static int check(const struct pl_args *args, const struct pl_theory_matrix *m, size_t lines)
{
    const struct pl_setting *first = m->axes->list[0].setting;
    if (!is_number(first))
        return pl_cmd_usage_error(
            args, "%s has words and no numbers to stand along an axis: give another setting first", first->key);
    if (m->axes->list[0].count < 2)
        return pl_cmd_usage_error(args, "%s has one value, and a figure needs two of the first setting", first->key);
    if (m->name_count > MOST_PANELS)
        return pl_cmd_usage_error(args,
                                  "a figure has a panel for each constant, at most %d: name them, as in "
                                  "'poula theory c_hat C_0'",
                                  MOST_PANELS);
    if (lines > MOST_LINES)
        return pl_cmd_usage_error(args, "a figure has at most %d lines, and the other settings have %zu combinations",
                                  MOST_LINES, lines);
    return 0;
}

static int draw(const struct pl_args *args, const struct pl_plot_numbers *numbers)
{
    struct pl_plot_options options = {.keep = pl_args_has(args, "keep")};
    struct pl_text output = {0}, notes = {0};
    struct pl_error err;
    options.format = (enum pl_plot_format)pl_cmd_word_of(pl_args_get(args, "plot", "png"), pl_plot_file_names,
                                                         PL_PLOT_FILE_COUNT);
    int code = 0;
    if (!pl_plot_read_folder(args, &options.folder))
        code = 2;
    else if (pl_plot_draw_numbers(numbers, &options, &output, &notes, &err))
        code = pl_cmd_fail(args, &err);
    else
        printf("%s\n", pl_text(&output));
    fflush(stdout);
    pl_cmd_lines(stderr, pl_text(&notes));
    pl_text_release(&output);
    pl_text_release(&notes);
    return code;
}

int pl_theory_axes_draw(const struct pl_args *args, const struct pl_theory_matrix *m)
{
    size_t count = m->axes->list[0].count, lines = m->points / count;
    int code = check(args, m, lines);
    if (code)
        return code;
    struct place *places = pl_new(count * sizeof *places);
    double *x = pl_new(count * sizeof *x), *y = pl_new(m->points * m->name_count * sizeof *y);
    char **line_names = pl_new(lines * sizeof *line_names), **panels = pl_new(m->name_count * sizeof *panels);
    struct pl_text name = {0};
    find_places(&m->axes->list[0], places);
    for (size_t i = 0; i < count; i++)
        x[i] = places[i].x;
    for (size_t l = 0; l < lines; l++)
        line_names[l] = name_line(m->axes, l);
    for (size_t p = 0; p < m->name_count; p++) {
        panels[p] = name_panel(m, p);
        for (size_t l = 0; l < lines; l++)
            for (size_t i = 0; i < count; i++)
                y[(p * lines + l) * count + i] = (double)(m->ln[(places[i].index * lines + l) * m->name_count + p] /
                                                          logl(10));
    }
    pl_text_addf(&name, "theory-%s", m->axes->list[0].setting->key);
    const struct pl_plot_numbers numbers = {.name = pl_text(&name),
                                            .x_name = m->axes->list[0].setting->key,
                                            .y_label = "log10 of the constant",
                                            .x = x,
                                            .count = count,
                                            .panels = (const char *const *)panels,
                                            .panel_count = m->name_count,
                                            .lines = (const char *const *)line_names,
                                            .line_count = lines,
                                            .y = y};
    code = draw(args, &numbers);
    pl_text_release(&name);
    for (size_t l = 0; l < lines; l++)
        free(line_names[l]);
    for (size_t p = 0; p < m->name_count; p++)
        free(panels[p]);
    free(line_names);
    free(panels);
    free(places);
    free(x);
    free(y);
    return code;
}
