/* Sensitivity: a metric against one setting, with error bars over the seeds. */
#include "plot/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct pl_line *line_of_style(struct pl_panel *panel, size_t style)
{
    for (size_t i = 0; i < panel->line_count; i++)
        if (panel->lines[i].style == style)
            return &panel->lines[i];
    void *lines = panel->lines;
    pl_grow(&lines, &panel->line_capacity, panel->line_count + 1, sizeof *panel->lines);
    panel->lines = lines;
    panel->lines[panel->line_count] = (struct pl_line){.style = style};
    return &panel->lines[panel->line_count++];
}

/* Lines stand a little beside each other, so that their error bars can be told apart. */
static double dodge(const struct pl_axis *axis, double x, size_t style, size_t styles)
{
    double span = axis->log ? log(axis->range[1] / axis->range[0]) : axis->range[1] - axis->range[0];
    double step = fmin(0.012, 0.04 / (double)styles) * span;
    double shift = step * ((double)style - 0.5 * (double)(styles - 1));
    return axis->log ? x * exp(shift) : x + shift;
}

static void add_config(struct pl_figure *figure, const struct pl_gather *g, const struct pl_axis *axis, size_t config)
{
    struct pl_panel *panel = &figure->panels[pl_headings_of(g->results, &g->panels, config)];
    struct pl_line *line = line_of_style(panel, pl_headings_of(g->results, &g->lines, config));
    struct pl_summary s;
    pl_results_summary(g->results, config, &s);
    size_t index = pl_axis_index(axis, pl_results_rank(g->results, config, axis->key));
    double x = dodge(axis, axis->values[index].at, line->style, g->lines.count);
    double spread = isnan(s.deviation) ? 0 : s.deviation;
    line->runs += s.planned;
    line->diverged += s.diverged;
    if (s.n)
        pl_points_add(&line->means, (struct pl_point){x, s.mean, s.mean - spread, s.mean + spread, s.least, s.n,
                                                          axis->values[index].number});
    else if (s.diverged) {
        pl_points_add(&line->lost, (struct pl_point){x, NAN, NAN, NAN, NAN, 0, NAN});
        figure->any_lost = true;
    }
}

static int by_x(const void *a, const void *b)
{
    double x = ((const struct pl_point *)a)->x, y = ((const struct pl_point *)b)->x;
    return (x > y) - (x < y);
}

/* Parts a line where the axis is broken: what lies beyond is not on the same scale. */
static void break_lines(struct pl_panel *panel, const double breaks[2], bool connect)
{
    for (size_t l = 0; l < panel->line_count; l++) {
        struct pl_points *old = &panel->lines[l].means, parted = {0};
        if (old->count)
            qsort(old->list, old->count, sizeof *old->list, by_x);
        for (size_t i = 0; i < old->count; i++) {
            bool crossing = false;
            for (int b = 0; b < 2 && i; b++)
                crossing |= old->list[i - 1].x < breaks[b] && old->list[i].x > breaks[b];
            if (i && (crossing || !connect))
                pl_points_add(&parted, (struct pl_point){0, NAN, NAN, NAN, NAN, 0, NAN});
            pl_points_add(&parted, old->list[i]);
        }
        free(old->list);
        *old = parted;
    }
}

static double between(const struct pl_axis *axis, size_t left)
{
    double a = axis->values[left].at, b = axis->values[left + 1].at;
    return axis->log ? sqrt(a * b) : (a + b) / 2;
}

int pl_gather_sensitivity(struct pl_figure *figure, struct pl_gather *g, struct pl_error *err)
{
    (void)err;
    struct pl_axis axis;
    double breaks[2] = {NAN, NAN};
    pl_axis_make(&axis, g->results, pl_results_key(g->results, g->spec->x), g->configs, g->config_count,
                 g->spec->log_x ? PL_AXIS_LOG : PL_AXIS_AUTO);
    for (size_t i = 0; i < g->config_count; i++)
        add_config(figure, g, &axis, g->configs[i]);
    for (size_t i = 0; i + 1 < axis.count; i++)
        if (axis.values[i].apart != axis.values[i + 1].apart)
            breaks[axis.values[i].apart ? 0 : 1] = between(&axis, i);
    for (size_t p = 0; p < figure->panel_count; p++) {
        struct pl_panel *panel = &figure->panels[p];
        memcpy(panel->x_range, axis.range, sizeof axis.range);
        memcpy(panel->x_breaks, breaks, sizeof breaks);
        panel->slanted = !axis.numeric;
        size_t most = panel->slanted ? 40 : figure->panel_count > 2 ? 6 : 10;
        pl_axis_ticks(&axis, g->results, most, figure->plain, &panel->x_ticks, &panel->x_tick_count);
        pl_range_panel(panel, g->spec, axis.log);
        break_lines(panel, breaks, axis.numeric);
    }
    pl_axis_release(&axis);
    return 0;
}
