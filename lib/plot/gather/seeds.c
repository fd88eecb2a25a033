/* Box and strip: a metric in the categories of a setting, with what all seeds came to. */
#include "plot/gather/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_OF_A_BOX = 5 };
/* Of a category: what the lines take together, and what at most lies from one seed to the next. Of a line's part: what
 * its points take. */
static const double group = 0.8, widest_step = 0.07, share = 0.85;

const struct pl_points *pl_figure_values(const struct pl_figure *figure, const struct pl_plot_line *line)
{
    return pl_figure_traits[figure->kind].seeds ? &line->strands : &line->means;
}

/* Whiskers reach to the outermost values within 1.5 interquartile ranges of the box (Tukey, Exploratory Data Analysis,
 * 1977), and never end within it. */
static void set_whiskers(const struct pl_summary *s, struct pl_point *box)
{
    double reach = 1.5 * (box->high - box->low);
    box->ends[0] = box->low;
    box->ends[1] = box->high;
    for (int64_t i = 0; i < s->n; i++) {
        double value = s->values[i];
        box->ends[0] = value >= box->low - reach ? fmin(box->ends[0], value) : box->ends[0];
        box->ends[1] = value <= box->high + reach ? fmax(box->ends[1], value) : box->ends[1];
    }
}

/* The seeds one by one, beside each other in their order unless a box stands for them. Those that never reached a
 * target are infinite. */
static void add_seeds(const struct pl_figure *figure, const struct pl_summary *s, const struct pl_point *middle,
                      struct pl_plot_line *line)
{
    int64_t count = s->n + s->never;
    bool box = !isnan(middle->ends[0]);
    double step = box ? 0 : fmin(widest_step, share * figure->slot / (double)(count ? count : 1));
    for (int64_t i = 0; i < count; i++) {
        double value = i < s->n ? s->values[i] : INFINITY;
        struct pl_point point = {.x = middle->x,
                                 .y = value,
                                 .low = value,
                                 .high = value,
                                 .least = value,
                                 .n = 1,
                                 .place = middle->place + step * ((double)i - 0.5 * (double)(count - 1)),
                                 .parted = true,
                                 .ends = {NAN, NAN}};
        pl_points_add(&line->strands, point);
        if (figure->kind == PL_FIGURE_BOX && (!box || value < middle->ends[0] || value > middle->ends[1]))
            pl_points_add(&line->outside, point);
    }
}

static void add_config(struct pl_figure *figure, const struct pl_gather *g, const struct pl_axis *axis, size_t config)
{
    struct pl_panel *panel = &figure->panels[pl_headings_of(g->results, &g->panels, config)];
    struct pl_plot_line *line = pl_panel_line(panel, pl_headings_of(g->results, &g->lines, config));
    const struct pl_axis_value
        *value = &axis->values[pl_axis_index(axis, pl_results_rank(g->results, config, axis->key))];
    double aside = (double)line->style - 0.5 * (double)(figure->legend_count - 1);
    struct pl_summary s;
    pl_results_summary(g->results, config, &s);
    pl_line_add_config(line, g, config,
                       (struct pl_point){.x = axis->numeric ? value->number : value->at,
                                         .place = value->at + figure->slot * aside,
                                         .parted = true,
                                         .ends = {NAN, NAN}});
    struct pl_point *middle = &line->means.list[line->means.count - 1];
    if (!s.never && figure->kind == PL_FIGURE_BOX && s.n >= FEWEST_OF_A_BOX)
        set_whiskers(&s, middle);
    add_seeds(figure, &s, middle, line);
}

static int by_place(const void *a, const void *b)
{
    double x = ((const struct pl_point *)a)->place, y = ((const struct pl_point *)b)->place;
    return (x > y) - (x < y);
}

int pl_gather_seeds(struct pl_figure *figure, struct pl_gather *g, struct pl_error *err)
{
    (void)err;
    struct pl_axis axis;
    pl_axis_make(&axis, g->results, pl_results_key(g->results, g->spec->x), g->configs, g->config_count, PL_AXIS_GRID);
    figure->slot = group / (double)figure->legend_count;
    for (size_t i = 0; i < g->config_count; i++)
        add_config(figure, g, &axis, g->configs[i]);
    for (size_t p = 0; p < figure->panel_count; p++) {
        struct pl_panel *panel = &figure->panels[p];
        memcpy(panel->x_range, axis.range, sizeof axis.range);
        panel->words = !axis.numeric;
        pl_axis_ticks(&axis, g, figure->plain, &panel->x_ticks, &panel->x_tick_count);
        for (size_t l = 0; l < panel->line_count; l++)
            qsort(panel->lines[l].means.list, panel->lines[l].means.count, sizeof *panel->lines[l].means.list,
                  by_place);
    }
    pl_range_panels(figure, g->spec, false);
    pl_axis_release(&axis);
    return 0;
}
