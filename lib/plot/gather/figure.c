/* A figure's declaration, worked out: which configurations make which line of which panel. */
#include "plot/plot_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pl_points_add(struct pl_points *points, struct pl_point point)
{
    void *list = points->list;
    pl_grow(&list, &points->capacity, points->count + 1, sizeof point);
    points->list = list;
    points->list[points->count++] = point;
}

static void release_ticks(struct pl_tick *ticks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(ticks[i].label);
        free(ticks[i].whole);
    }
    free(ticks);
}

static void release_panel(struct pl_panel *panel)
{
    for (size_t i = 0; i < panel->axis_count; i++) {
        free(panel->axes[i].label);
        release_ticks(panel->axes[i].ticks, panel->axes[i].tick_count);
    }
    free(panel->axes);
    for (size_t i = 0; i < panel->line_count; i++) {
        free(panel->lines[i].means.list);
        free(panel->lines[i].beside.list);
        free(panel->lines[i].measured.list);
        free(panel->lines[i].strands.list);
        free(panel->lines[i].outside.list);
        free(panel->lines[i].lost.list);
        free(panel->lines[i].turn.list);
        free(panel->lines[i].open.list);
        free(panel->lines[i].ended.list);
        free(panel->lines[i].changed.list);
    }
    for (size_t i = 0; i < panel->square_count; i++)
        free(panel->squares[i].text);
    release_ticks(panel->x_ticks, panel->x_tick_count);
    release_ticks(panel->y_ticks, panel->y_tick_count);
    release_ticks(panel->z_ticks, panel->z_tick_count);
    free(panel->lines);
    free(panel->squares);
    free(panel->title);
}

void pl_figure_release(struct pl_figure *figure)
{
    for (size_t i = 0; i < figure->panel_count; i++)
        release_panel(&figure->panels[i]);
    for (size_t i = 0; i < figure->legend_count; i++) {
        free(figure->legend[i].label);
        free(figure->legend[i].brief);
    }
    free(figure->panels);
    free(figure->legend);
    free(figure->alike);
    free(figure->name);
    free(figure->title);
    free(figure->x_label);
    free(figure->y_label);
    free(figure->z_label);
    free(figure->said);
    *figure = (struct pl_figure){0};
}

static char *name_label(const struct pl_gather *g, const char *name, bool plain)
{
    struct pl_text label = {0};
    pl_label_known(&label, &g->spec->labels, name, plain);
    return pl_text_take(&label);
}

/* "best test accuracy" where one value of a curve was picked. */
static char *value_label(const struct pl_gather *g, bool plain)
{
    struct pl_text label = {0};
    if (!pl_metric_is_to_target(g->metric) && !pl_labels_find(&g->spec->labels, g->metric))
        pl_text_addf(&label, "%s ", pl_select_names[g->spec->select]);
    pl_label_known(&label, &g->spec->labels, g->metric, plain);
    return pl_text_take(&label);
}

/* "best valid loss (median)": of the best of so many points. */
static char *tuning_label(const struct pl_gather *g, bool plain)
{
    char *value = value_label(g, plain);
    struct pl_text label = {0};
    pl_text_add(&label, value);
    if (g->spec->statistic != PL_STATISTIC_BOTH)
        pl_text_addf(&label, " (%s)", pl_statistic_names[g->spec->statistic]);
    free(value);
    return pl_text_take(&label);
}

static char *time_label(const struct pl_figure *figure, const struct pl_gather *g)
{
    const char *x = g->spec->x;
    bool problem = pl_results_key(g->results, "problem") != SIZE_MAX;
    if (pl_figure_tells_time(g->spec) && !pl_labels_find(&g->spec->labels, x))
        return pl_copy("seconds of training");
    return name_label(g, x && strcmp(x, "epoch") ? x : problem ? "iteration" : "epoch", figure->plain);
}

static char *metrics_label(const struct pl_gather *g, bool plain)
{
    struct pl_text label = {0};
    for (size_t m = 0; m < g->metric_count; m++) {
        pl_text_add(&label, m ? ", " : "");
        pl_label_known(&label, &g->spec->labels, g->metrics[m], plain);
    }
    return pl_text_take(&label);
}

static void label_axes(struct pl_figure *figure, const struct pl_gather *g)
{
    const struct pl_figure_spec *spec = g->spec;
    switch (spec->kind) {
    case PL_FIGURE_CURVES:
    case PL_FIGURE_TRAJECTORIES:
        figure->x_label = time_label(figure, g);
        figure->y_label = metrics_label(g, figure->plain);
        break;
    case PL_FIGURE_SENSITIVITY:
    case PL_FIGURE_BOX:
    case PL_FIGURE_STRIP:
        figure->x_label = name_label(g, spec->x, figure->plain);
        figure->y_label = value_label(g, figure->plain);
        break;
    case PL_FIGURE_HEATMAP:
        figure->x_label = name_label(g, spec->x, figure->plain);
        figure->y_label = name_label(g, spec->y, figure->plain);
        figure->z_label = value_label(g, figure->plain);
        break;
    case PL_FIGURE_SCATTER:
        figure->x_label = name_label(g, spec->x, figure->plain);
        figure->y_label = value_label(g, figure->plain);
        figure->z_label = g->coloured ? name_label(g, spec->z, figure->plain) : NULL;
        break;
    case PL_FIGURE_PARALLEL:
        figure->x_label = pl_copy("");
        figure->y_label = pl_copy("");
        figure->z_label = value_label(g, figure->plain);
        break;
    case PL_FIGURE_TUNING:
        figure->x_label = pl_copy(spec->x && !strcmp(spec->x, "epochs") ? "epochs spent on points" : "points tried");
        figure->y_label = tuning_label(g, figure->plain);
        break;
    default: /* methods over tasks have labels of their own */
        break;
    }
}

static void make_panels(struct pl_figure *figure, const struct pl_gather *g)
{
    figure->panel_count = g->panels.count;
    figure->panels = pl_new(g->panels.count * sizeof *figure->panels);
    for (size_t i = 0; i < g->panels.count; i++) {
        struct pl_text title = {0};
        pl_label_heading(&title, g->results, &g->spec->labels, &g->panels, i, figure->plain);
        figure->panels[i].title = pl_text_take(&title);
        figure->panels[i].x_breaks[0] = figure->panels[i].x_breaks[1] = NAN;
        figure->panels[i].x_range[0] = figure->panels[i].x_range[1] = NAN;
    }
    figure->metric_count = g->metric_count;
    figure->legend_count = g->lines.count * g->metric_count;
    figure->legend = pl_new(figure->legend_count * sizeof *figure->legend);
    for (size_t i = 0; i < figure->legend_count; i++) {
        struct pl_text label = {0};
        pl_label_heading(&label, g->results, &g->spec->labels, &g->lines, i / g->metric_count, figure->plain);
        if (g->metric_count > 1) {
            pl_text_add(&label, label.length ? ", " : "");
            pl_label_known(&label, &g->spec->labels, g->metrics[i % g->metric_count], figure->plain);
        }
        figure->legend[i].label = pl_text_take(&label);
    }
}

static int gather(struct pl_figure *figure, struct pl_gather *g, struct pl_error *err)
{
    switch (g->spec->kind) {
    case PL_FIGURE_SENSITIVITY:
        return pl_gather_sensitivity(figure, g, err);
    case PL_FIGURE_HEATMAP:
        return pl_gather_heatmap(figure, g, err);
    case PL_FIGURE_SCATTER:
        return pl_gather_scatter(figure, g, err);
    case PL_FIGURE_PARALLEL:
        return pl_gather_parallel(figure, g, err);
    case PL_FIGURE_BOX:
    case PL_FIGURE_STRIP:
        return pl_gather_seeds(figure, g, err);
    case PL_FIGURE_TUNING:
        return pl_gather_tuning(figure, g, err);
    default:
        return pl_gather_curves(figure, g, err);
    }
}

static void name_figure(struct pl_figure *figure, const struct pl_results *results, const struct pl_figure_spec *spec)
{
    struct pl_text name = {0}, title = {0}, heading = {0};
    if (spec->name)
        pl_text_add(&name, spec->name);
    else
        pl_text_addf(&name, "%s-%s", pl_results_name(results), pl_figure_kind_names[spec->kind]);
    for (char *c = name.text; *c; c++)
        if (*c == '/' || (unsigned char)*c < ' ' || (c == name.text && *c == '.'))
            *c = '-';
    for (const char *c = spec->title ? spec->title : ""; *c; c++)
        pl_text_add_char(&heading, *c == '\n' || *c == '\t' ? ' ' : *c);
    if (heading.length && heading.text[heading.length - 1] == ' ')
        pl_text_cut(&heading, heading.length - 1);
    pl_label_text(&title, pl_text(&heading), figure->plain);
    pl_text_release(&heading);
    figure->name = pl_text_take(&name);
    figure->title = pl_text_take(&title);
}

/* Everything but the methods over tasks: lines and squares of configurations. */
static int make_of_configs(struct pl_figure *figure, struct pl_gather *g, struct pl_error *err)
{
    const struct pl_figure_spec *spec = g->spec;
    int status = pl_results_load(g->results, g->metric, spec->select, err);
    if (!status)
        status = pl_results_where(g->results, spec->where, spec->where_count, &g->configs, &g->config_count, err);
    if (!status && !g->config_count)
        status = pl_fail(err, PL_EMISSING, "no configuration of study %s meets the conditions",
                         pl_results_name(g->results));
    if (!status && spec->choose.best)
        status = pl_gather_choose(g, err);
    if (!status)
        status = pl_figure_choose_headings(g, err);
    if (status)
        return status;
    pl_figure_keep_best_lines(g);
    make_panels(figure, g);
    label_axes(figure, g);
    status = gather(figure, g, err);
    if (!status && (spec->fit || spec->slope_count))
        pl_fit_panels(figure, g);
    return status;
}

int pl_figure_make(struct pl_figure *figure, struct pl_results *results, const struct pl_figure_spec *spec, bool plain,
                   struct pl_text *notes, struct pl_error *err)
{
    struct pl_gather g = {.results = results,
                          .spec = spec,
                          .notes = notes,
                          .averages = pl_results_has_metric(results, PL_METRIC_AVERAGED)};
    *figure = (struct pl_figure){.kind = spec->kind,
                                 .plain = plain,
                                 .fitted = spec->fit,
                                 .width = spec->width,
                                 .height = spec->height,
                                 .type = spec->font,
                                 .around = pl_figure_traits[spec->kind].seeds ? PL_AROUND_QUARTILES : spec->around,
                                 .share_x = spec->share_x,
                                 .share_y = spec->share_y};
    int status = pl_figure_check(results, spec, err);
    if (status)
        return status;
    g.metric = g.metrics[0] = pl_figure_metric(results, spec);
    g.metric_count = 1;
    for (; g.metric_count < spec->metrics.count; g.metric_count++)
        g.metrics[g.metric_count] = spec->metrics.names[g.metric_count];
    figure->direction = pl_results_direction(results, g.metric);
    name_figure(figure, results, spec);
    status = pl_figure_traits[spec->kind].tasks ? pl_gather_methods(figure, &g, err) : make_of_configs(figure, &g, err);
    if (!status) {
        struct pl_text said = {0};
        pl_note_left_out(figure, &g);
        pl_spread_say(figure, &g, &said);
        figure->said = pl_text_take(&said);
        if (!pl_figure_finish_legend(figure))
            status = pl_fail(err, PL_EMISSING,
                             "nothing to draw for figure %s: no finished run of study %s has a value "
                             "of %s",
                             figure->name, pl_results_name(results), g.metric);
    }
    if (spec->choose.best && !pl_figure_traits[spec->kind].tasks)
        pl_results_drop_places(results);
    free(g.configs);
    pl_headings_release(&g.panels);
    pl_headings_release(&g.lines);
    pl_names_release(&g.methods);
    if (status)
        pl_figure_release(figure);
    return status;
}
