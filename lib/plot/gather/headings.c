/* Which settings part the panels and the lines of a figure, and which lines are too many. */
#include "plot/gather/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 12, MOST_LINES = 24, KEPT_LINES = 12 };

/* Settings as they are found: those of panels, of lines, then those along the axes. */
struct found {
    size_t keys[2 * PL_FIGURE_KEYS];
    size_t panels, lines, axes;
};

static int find_keys(struct pl_gather *g, struct found *found, struct pl_error *err)
{
    const struct pl_figure_spec *spec = g->spec;
    const struct pl_figure_traits *has = &pl_figure_traits[spec->kind];
    char *along[3 + PL_FIGURE_AXES];
    struct pl_names names = {along, 0};
    found->panels = spec->panels.count;
    found->lines = spec->lines.count;
    if (has->x == PL_OF_SETTING)
        along[names.count++] = spec->x;
    if (has->y == PL_OF_SETTING)
        along[names.count++] = spec->y;
    if (has->z == PL_OF_SETTING && spec->z)
        along[names.count++] = spec->z;
    for (size_t i = 0; i < spec->axes.count; i++)
        along[names.count++] = spec->axes.names[i];
    found->axes = names.count;
    int status = pl_results_keys(g->results, &spec->panels, found->keys, err);
    if (!status)
        status = pl_results_keys(g->results, &spec->lines, found->keys + found->panels, err);
    if (!status)
        status = pl_results_keys(g->results, &names, found->keys + found->panels + found->lines, err);
    if (status || spec->kind != PL_FIGURE_PARALLEL)
        return status;
    size_t *axes = found->keys + found->panels + found->lines;
    if (!found->axes)
        found->axes = pl_parallel_keys(g, axes, PL_FIGURE_AXES);
    if (found->axes > PL_FIGURE_AXES) {
        pl_text_addf(g->notes, "Of %zu settings the first %d have an axis; choose with x.\n", found->axes,
                     PL_FIGURE_AXES);
        found->axes = PL_FIGURE_AXES;
    }
    if (!found->axes)
        return pl_fail(err, PL_EINPUT,
                       "study %s draws no setting, and none varies: name what a figure of kind parallel is to have "
                       "along x",
                       pl_results_name(g->results));
    g->axis_count = found->axes;
    memcpy(g->axis_keys, axes, found->axes * sizeof *axes);
    return 0;
}

/* Words have no place on a scale of colours: such a setting parts the lines. */
static void place_colour(struct pl_gather *g, struct found *found)
{
    struct pl_axis axis;
    size_t key = pl_results_key(g->results, g->spec->z);
    pl_axis_make_present(&axis, g->results, key, g->configs, g->config_count, PL_AXIS_AUTO);
    g->coloured = axis.numeric;
    pl_axis_release(&axis);
    bool known = g->coloured;
    for (size_t i = 0; i < found->panels + found->lines && !known; i++)
        known = found->keys[i] == key;
    if (known)
        return;
    size_t *end = found->keys + found->panels + found->lines;
    memmove(end + 1, end, found->axes * sizeof *end);
    *end = key;
    found->lines++;
}

/* Settings that vary but are not named would be pooled: they part the lines (of a heat map: the panels). Points of a
 * search are not pooled; of them those that solve another task, or with another optimizer, are told apart. */
int pl_figure_choose_headings(struct pl_gather *g, struct pl_error *err)
{
    enum pl_figure_kind kind = g->spec->kind;
    bool heat = kind == PL_FIGURE_HEATMAP, parallel = kind == PL_FIGURE_PARALLEL;
    bool searched = kind == PL_FIGURE_SCATTER || kind == PL_FIGURE_TUNING || parallel;
    struct found found;
    int status = find_keys(g, &found, err);
    if (status)
        return status;
    if (kind == PL_FIGURE_SCATTER && g->spec->z)
        place_colour(g, &found);
    size_t panels = found.panels, lines = found.lines, count = panels + lines, all = count + found.axes;
    size_t *extra = found.keys + all;
    if (searched)
        all = pl_results_extend_search(g->results, g->configs, g->config_count, found.keys, all, PL_FIGURE_KEYS);
    else
        all = pl_results_extend(g->results, g->configs, g->config_count, found.keys, all, PL_FIGURE_KEYS);
    size_t added = all - count - found.axes;
    for (size_t i = 0; i < added && count && kind != PL_FIGURE_TUNING; i++)
        pl_text_addf(g->notes, "%s are split by %s, which varies but was not asked for.\n",
                     heat                        ? "Panels"
                     : kind == PL_FIGURE_SCATTER ? "Points"
                                                 : "Lines",
                     pl_results_key_name(g->results, extra[i]));
    size_t panel_keys[2 * PL_FIGURE_KEYS], line_keys[2 * PL_FIGURE_KEYS];
    memcpy(panel_keys, found.keys, panels * sizeof *panel_keys);
    memcpy(line_keys, found.keys + panels, lines * sizeof *line_keys);
    memcpy(heat ? panel_keys + panels : line_keys + lines, extra, added * sizeof *extra);
    pl_headings_find(g->results, g->configs, g->config_count, panel_keys, panels + (heat ? added : 0), &g->panels);
    pl_headings_find(g->results, g->configs, g->config_count, line_keys, lines + (heat ? 0 : added), &g->lines);
    if (g->panels.count > MOST_PANELS)
        return pl_fail(err, PL_EINPUT, "the figure would have %zu panels, more than %d; choose among them with where",
                       g->panels.count, MOST_PANELS);
    return 0;
}

struct score {
    double value;
    size_t line;
};

static int by_score(const void *a, const void *b)
{
    const struct score *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Nobody can read hundreds of lines: the best are kept, and the figure says so. */
void pl_figure_keep_best_lines(struct pl_gather *g)
{
    size_t lines = g->lines.count;
    enum pl_direction direction = pl_results_direction(g->results, g->metric);
    bool judged = direction == PL_MINIMIZE || direction == PL_MAXIMIZE;
    size_t most = KEPT_LINES / g->metric_count;
    if (lines * g->metric_count <= MOST_LINES)
        return;
    struct score *scores = pl_new(lines * sizeof *scores);
    bool *kept = pl_new(lines);
    for (size_t i = 0; i < lines; i++)
        scores[i] = (struct score){-INFINITY, i};
    for (size_t i = 0; i < g->config_count && judged; i++) {
        struct pl_summary summary;
        struct score *score = &scores[pl_headings_of(g->results, &g->lines, g->configs[i])];
        pl_results_summary(g->results, g->configs[i], &summary);
        double value = direction == PL_MAXIMIZE ? summary.mean : -summary.mean;
        if (!summary.diverged && value > score->value)
            score->value = value;
    }
    qsort(scores, lines, sizeof *scores, by_score);
    for (size_t i = 0; i < most; i++)
        kept[scores[i].line] = true;
    size_t left = 0;
    for (size_t i = 0; i < g->config_count; i++)
        if (kept[pl_headings_of(g->results, &g->lines, g->configs[i])])
            g->configs[left++] = g->configs[i];
    g->config_count = left;
    pl_text_addf(g->notes, "Of %zu lines the %s %zu are drawn; choose with lines or where.\n", lines * g->metric_count,
                 judged ? "best" : "first", most * g->metric_count);
    struct pl_headings all = g->lines;
    pl_headings_find(g->results, g->configs, g->config_count, all.keys, all.width, &g->lines);
    pl_headings_release(&all);
    free(scores);
    free(kept);
}
