/* Tuning curves: the score of the best of k points of a search against k, or against the epochs they have taken. */
#include "plot/plot_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An infinite score is one that more than half of the samples of so many points have: beyond the axis. */
static struct pl_point point_at(double x, double y, double low, double high, size_t n)
{
    return (struct pl_point){.x = x,
                             .place = x,
                             .y = y,
                             .low = low,
                             .high = high,
                             .least = NAN,
                             .n = isfinite(y) ? (int64_t)n : 0,
                             .z = NAN,
                             .hue = NAN};
}

static void add_curve(struct pl_plot_line *line, const struct pl_gather *g, const struct pl_tuning_curve *curve)
{
    enum pl_statistic statistic = g->spec->statistic;
    bool epochs = g->spec->x && !strcmp(g->spec->x, "epochs");
    for (size_t i = 0; i < curve->count; i++) {
        const struct pl_tuning_point *p = &curve->points[i];
        double x = (double)p->k * (epochs ? curve->epochs : 1);
        struct pl_point mean = point_at(x, p->mean, NAN, NAN, curve->n);
        if (statistic == PL_STATISTIC_MEAN)
            pl_points_add(&line->means, mean);
        else
            pl_points_add(&line->means, point_at(x, p->median, p->low, p->high, curve->n));
        if (statistic == PL_STATISTIC_BOTH)
            pl_points_add(&line->beside, mean);
    }
}

/* The settings that part panels and lines, together. */
static char **group_names(const struct pl_gather *g, size_t *count)
{
    char **names = pl_new((g->panels.width + g->lines.width + 1) * sizeof *names);
    *count = 0;
    for (size_t i = 0; i < g->panels.width; i++)
        names[(*count)++] = (char *)pl_results_key_name(g->results, g->panels.keys[i]);
    for (size_t i = 0; i < g->lines.width; i++)
        names[(*count)++] = (char *)pl_results_key_name(g->results, g->lines.keys[i]);
    return names;
}

int pl_gather_tuning(struct pl_figure *figure, struct pl_gather *g, struct pl_error *err)
{
    struct pl_tuning_curves curves;
    struct pl_tuning_spec spec = {.metric = g->metric,
                                  .select = g->spec->select,
                                  .where = g->spec->where,
                                  .where_count = g->spec->where_count,
                                  .band = g->spec->band,
                                  .confidence = g->spec->confidence};
    spec.groups.names = group_names(g, &spec.groups.count);
    int status = pl_results_tuning(g->results, &spec, &curves, err);
    free(spec.groups.names);
    if (status)
        return status;
    bool *kept = pl_new(pl_results_count(g->results) + 1); /* lines that are too many have gone */
    for (size_t i = 0; i < g->config_count; i++)
        kept[g->configs[i]] = true;
    for (size_t i = 0; i < curves.count; i++) {
        size_t config = curves.list[i].config;
        if (!kept[config])
            continue;
        struct pl_panel *panel = &figure->panels[pl_headings_of(g->results, &g->panels, config)];
        add_curve(pl_panel_line(panel, pl_headings_of(g->results, &g->lines, config)), g, &curves.list[i]);
    }
    pl_range_panels(figure, g->spec, g->spec->log_x);
    if (g->spec->statistic != PL_STATISTIC_MEAN && curves.independent)
        pl_text_addf(g->notes,
                     "Bands are the %s band of the median, which holds at all numbers of points at once (%.4g%%).\n",
                     pl_band_names[spec.band], 100 * spec.confidence);
    pl_text_add(g->notes, pl_text(&curves.notes));
    free(kept);
    pl_tuning_curves_release(&curves);
    return 0;
}
