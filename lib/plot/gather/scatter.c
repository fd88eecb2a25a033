/* Scatter: a metric against a setting that was drawn, a point a configuration, coloured by a second setting. */
#include "plot/gather/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the configuration has the setting along x. */
static bool add_config(struct pl_figure *figure, const struct pl_gather *g, const struct pl_axis *x,
                       const struct pl_axis *z, size_t config)
{
    struct pl_panel *panel = &figure->panels[pl_headings_of(g->results, &g->panels, config)];
    const struct pl_axis_value *at = pl_axis_value_of(g, x, config),
                               *hue = g->coloured ? pl_axis_value_of(g, z, config) : NULL;
    if (!at)
        return false;
    struct pl_plot_line *line = pl_panel_line(panel, pl_headings_of(g->results, &g->lines, config));
    pl_line_add_config(line, g, config,
                       (struct pl_point){.x = pl_axis_number(x, at),
                                         .place = at->at,
                                         .z = hue ? pl_axis_number(z, hue) : NAN,
                                         .hue = hue ? hue->at : NAN,
                                         .parted = true});
    return true;
}

static void finish_panel(struct pl_figure *figure, const struct pl_gather *g, const struct pl_axis *x,
                         const struct pl_axis *z, struct pl_panel *panel)
{
    memcpy(panel->x_range, x->range, sizeof x->range);
    pl_axis_breaks(x, panel->x_breaks);
    panel->words = !x->numeric;
    pl_axis_drawn_ticks(x, g, figure->plain, &panel->x_ticks, &panel->x_tick_count);
    if (!g->coloured)
        return;
    memcpy(panel->z_range, z->range, sizeof z->range);
    panel->log_z = z->log;
    pl_axis_drawn_ticks(z, g, figure->plain, &panel->z_ticks, &panel->z_tick_count);
}

static void note_grey(const struct pl_figure *figure, const struct pl_gather *g)
{
    size_t grey = 0;
    for (size_t p = 0; p < figure->panel_count && g->coloured; p++)
        for (size_t l = 0; l < figure->panels[p].line_count; l++)
            for (size_t i = 0; i < figure->panels[p].lines[l].means.count; i++)
                grey += isnan(figure->panels[p].lines[l].means.list[i].hue);
    if (grey)
        pl_text_addf(g->notes, "%zu point%s no %s and %s grey.\n", grey, grey == 1 ? " has" : "s have", g->spec->z,
                     grey == 1 ? "is" : "are");
}

int pl_gather_scatter(struct pl_figure *figure, struct pl_gather *g, struct pl_error *err)
{
    (void)err;
    struct pl_axis x, z = {0};
    size_t without = 0;
    pl_axis_make_drawn(&x, g, pl_results_key(g->results, g->spec->x), g->spec->log_x);
    if (g->coloured)
        pl_axis_make_drawn(&z, g, pl_results_key(g->results, g->spec->z), false);
    for (size_t i = 0; i < g->config_count; i++)
        without += !add_config(figure, g, &x, &z, g->configs[i]);
    if (without)
        pl_text_addf(g->notes, "%zu configuration%s no %s and %s not drawn.\n", without,
                     without == 1 ? " has" : "s have", g->spec->x, without == 1 ? "is" : "are");
    pl_axis_note_negative(&x, g);
    note_grey(figure, g);
    for (size_t p = 0; p < figure->panel_count; p++)
        finish_panel(figure, g, &x, &z, &figure->panels[p]);
    pl_range_panels(figure, g->spec, x.log);
    pl_axis_release(&x);
    pl_axis_release(&z);
    return 0;
}
