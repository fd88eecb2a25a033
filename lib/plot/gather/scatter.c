/* Scatter: a metric against a setting that was drawn, a point a configuration, coloured by a second setting. */
#include "plot/gather/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_drawn(const struct pl_results *results, const char *name, const struct pl_prior **prior)
{
    const struct pl_study *study = pl_results_study(results);
    size_t key = pl_results_key(results, name);
    *prior = study && key != SIZE_MAX ? pl_search_prior(study->search, pl_results_key_name(results, key)) : NULL;
    return *prior && (*prior)->kind != PL_PRIOR_CHOICE;
}

/* As it was drawn: the scale of its prior. */
static void make_axis(struct pl_axis *axis, const struct pl_gather *g, const char *name, bool log)
{
    const struct pl_prior *prior;
    is_drawn(g->results, name, &prior);
    pl_axis_make_present(axis, g->results, pl_results_key(g->results, name), g->configs, g->config_count,
                         log ? PL_AXIS_LOG : pl_axis_scale_of(prior));
}

/* What was drawn from a range has round ticks; each value of a list has one. */
static void make_ticks(const struct pl_axis *axis, const struct pl_gather *g, const char *name, bool plain,
                       struct pl_tick **ticks, size_t *count)
{
    const struct pl_prior *prior;
    *ticks = NULL;
    *count = 0;
    if (axis->mirrored)
        pl_axis_mirrored_ticks(axis, plain, ticks, count);
    else if (!axis->numeric || !is_drawn(g->results, name, &prior))
        pl_axis_ticks(axis, g, plain, ticks, count);
}

static const struct pl_axis_value *value_of(const struct pl_gather *g, const struct pl_axis *axis, size_t config)
{
    uint32_t rank = pl_results_rank(g->results, config, axis->key);
    return rank ? &axis->values[pl_axis_index(axis, rank)] : NULL;
}

static double number_at(const struct pl_axis *axis, const struct pl_axis_value *value)
{
    return !axis->numeric ? value->at : axis->mirrored ? 1 - 1 / value->number : value->number;
}

/* Returns whether the configuration has the setting along x. */
static bool add_config(struct pl_figure *figure, const struct pl_gather *g, const struct pl_axis *x,
                       const struct pl_axis *z, size_t config)
{
    struct pl_panel *panel = &figure->panels[pl_headings_of(g->results, &g->panels, config)];
    const struct pl_axis_value *at = value_of(g, x, config), *hue = g->coloured ? value_of(g, z, config) : NULL;
    if (!at)
        return false;
    struct pl_plot_line *line = pl_panel_line(panel, pl_headings_of(g->results, &g->lines, config));
    pl_line_add_config(line, g, config,
                       (struct pl_point){.x = number_at(x, at),
                                         .place = at->at,
                                         .z = hue ? number_at(z, hue) : NAN,
                                         .hue = hue ? hue->at : NAN,
                                         .parted = true});
    return true;
}

static void finish_panel(struct pl_figure *figure, const struct pl_gather *g, const struct pl_axis *x,
                         const struct pl_axis *z, struct pl_panel *panel)
{
    memcpy(panel->x_range, x->range, sizeof x->range);
    panel->words = !x->numeric;
    make_ticks(x, g, g->spec->x, figure->plain, &panel->x_ticks, &panel->x_tick_count);
    if (!g->coloured)
        return;
    memcpy(panel->z_range, z->range, sizeof z->range);
    panel->log_z = z->log;
    make_ticks(z, g, g->spec->z, figure->plain, &panel->z_ticks, &panel->z_tick_count);
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
    make_axis(&x, g, g->spec->x, g->spec->log_x);
    if (g->coloured)
        make_axis(&z, g, g->spec->z, false);
    for (size_t i = 0; i < g->config_count; i++)
        without += !add_config(figure, g, &x, &z, g->configs[i]);
    if (without)
        pl_text_addf(g->notes, "%zu configuration%s no %s and %s not drawn.\n", without,
                     without == 1 ? " has" : "s have", g->spec->x, without == 1 ? "is" : "are");
    note_grey(figure, g);
    for (size_t p = 0; p < figure->panel_count; p++)
        finish_panel(figure, g, &x, &z, &figure->panels[p]);
    pl_range_panels(figure, g->spec, x.log);
    pl_axis_release(&x);
    pl_axis_release(&z);
    return 0;
}
