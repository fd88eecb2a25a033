/* Sensitivity: a metric against one setting, with error bars over the seeds. */
#include "plot/gather/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pl_plot_line *pl_panel_line(struct pl_panel *panel, size_t style)
{
    for (size_t i = 0; i < panel->line_count; i++)
        if (panel->lines[i].style == style)
            return &panel->lines[i];
    void *lines = panel->lines;
    pl_grow(&lines, &panel->line_capacity, panel->line_count + 1, sizeof *panel->lines);
    panel->lines = lines;
    panel->lines[panel->line_count] = (struct pl_plot_line){.style = style};
    return &panel->lines[panel->line_count++];
}

void pl_line_add_config(struct pl_plot_line *line, const struct pl_gather *g, size_t config, struct pl_point point)
{
    struct pl_summary s;
    pl_results_summary(g->results, config, &s);
    point.y = point.low = point.high = point.least = NAN;
    point.n = s.n;
    point.planned = s.planned;
    line->runs += s.planned;
    line->diverged += s.diverged;
    line->blank += s.finished - s.n - s.never;
    enum pl_around around = pl_figure_traits[g->spec->kind].seeds    ? PL_AROUND_QUARTILES
                            : g->spec->kind == PL_FIGURE_SENSITIVITY ? g->spec->around
                                                                     : PL_AROUND_STD;
    if (s.never)
        pl_spread_never(around, s.values, (size_t)s.n, (size_t)s.never, &point);
    else if (isfinite(s.mean))
        pl_spread_set(around, s.values, (size_t)s.n, s.mean, s.deviation, &point);
    pl_points_add(&line->means, point);
    if (point.n && s.diverged)
        pl_points_add(&line->changed, point);
    if (!point.n && s.diverged)
        pl_points_add(&line->lost, point);
}

static void add_config(struct pl_figure *figure, const struct pl_gather *g, const struct pl_axis *axis, size_t config)
{
    struct pl_panel *panel = &figure->panels[pl_headings_of(g->results, &g->panels, config)];
    struct pl_plot_line *line = pl_panel_line(panel, pl_headings_of(g->results, &g->lines, config));
    const struct pl_axis_value
        *value = &axis->values[pl_axis_index(axis, pl_results_rank(g->results, config, axis->key))];
    pl_line_add_config(line, g, config,
                       (struct pl_point){.x = axis->numeric ? value->number : value->at, .place = value->at});
}

static int by_place(const void *a, const void *b)
{
    double x = ((const struct pl_point *)a)->place, y = ((const struct pl_point *)b)->place;
    return (x > y) - (x < y);
}

/* Parts a line where the axis is broken: what lies beyond is not on the same scale. */
static void break_lines(struct pl_panel *panel, const double breaks[2], bool connect)
{
    for (size_t l = 0; l < panel->line_count; l++) {
        struct pl_points *means = &panel->lines[l].means;
        if (means->count)
            qsort(means->list, means->count, sizeof *means->list, by_place);
        for (size_t i = 1; i < means->count; i++) {
            means->list[i].parted = !connect;
            means->list[i].parted |= means->list[i - 1].place < breaks[0] || means->list[i].place > breaks[1];
        }
    }
}

int pl_gather_sensitivity(struct pl_figure *figure, struct pl_gather *g, struct pl_error *err)
{
    (void)err;
    struct pl_axis axis;
    double breaks[2];
    pl_axis_make(&axis, g->results, pl_results_key(g->results, g->spec->x), g->configs, g->config_count,
                 g->spec->log_x ? PL_AXIS_LOG : PL_AXIS_AUTO);
    for (size_t i = 0; i < g->config_count; i++)
        add_config(figure, g, &axis, g->configs[i]);
    pl_axis_breaks(&axis, breaks);
    pl_axis_note_negative(&axis, g);
    for (size_t p = 0; p < figure->panel_count; p++) {
        struct pl_panel *panel = &figure->panels[p];
        memcpy(panel->x_range, axis.range, sizeof axis.range);
        memcpy(panel->x_breaks, breaks, sizeof breaks);
        panel->words = !axis.numeric;
        pl_axis_ticks(&axis, g, figure->plain, &panel->x_ticks, &panel->x_tick_count);
        break_lines(panel, breaks, axis.numeric);
    }
    pl_range_panels(figure, g->spec, axis.log);
    pl_axis_release(&axis);
    return 0;
}
