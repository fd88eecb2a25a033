/* How far runs are from each other, and how curves are smoothed: what bands and bars show, and what is said of it. */
#include "plot/plot_priv.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *pl_spread_middle(enum pl_around around)
{
    return around == PL_AROUND_QUARTILES ? "median" : "mean";
}

/* How far to each side of the mean. */
static double reach(enum pl_around around, size_t n, double deviation)
{
    double error = deviation / sqrt((double)n);
    return around == PL_AROUND_STD   ? deviation
           : around == PL_AROUND_SEM ? error
                                     : gsl_cdf_tdist_Pinv(0.975, (double)(n - 1)) * error;
}

void pl_spread_set(enum pl_around around, const double *values, size_t n, double mean, double deviation,
                   struct pl_point *point)
{
    double *sorted = pl_new((n + 1) * sizeof *sorted);
    memcpy(sorted, values, n * sizeof *sorted);
    gsl_sort(sorted, 1, n);
    point->y = point->low = point->high = mean;
    point->least = sorted[0];
    if (around == PL_AROUND_QUARTILES) {
        point->y = gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.5); /* the sum of two may overflow */
        point->low = gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.25);
        point->high = gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.75);
    } else if (around == PL_AROUND_MINMAX) {
        point->low = sorted[0];
        point->high = sorted[n - 1];
    } else if (n > 1 && !isnan(deviation)) {
        double away = reach(around, n, deviation);
        point->low = mean - away;
        point->high = mean + away;
    }
    free(sorted);
}

/* Linear between order statistics, as GSL's; whatever lies between a value and infinity is infinite. */
static double quantile(const double *sorted, size_t n, size_t never, double share)
{
    double place = share * (double)(n + never - 1);
    size_t below = (size_t)place;
    double part = place - (double)below;
    if (below >= n || (part > 0 && below + 1 >= n))
        return INFINITY;
    return part > 0 ? (1 - part) * sorted[below] + part * sorted[below + 1] : sorted[below];
}

void pl_spread_never(enum pl_around around, const double *values, size_t n, size_t never, struct pl_point *point)
{
    double *sorted = pl_new((n + 1) * sizeof *sorted);
    if (n)
        memcpy(sorted, values, n * sizeof *sorted);
    gsl_sort(sorted, 1, n);
    bool quartiles = around == PL_AROUND_QUARTILES;
    point->y = quartiles ? quantile(sorted, n, never, 0.5) : INFINITY;
    point->low = quartiles ? quantile(sorted, n, never, 0.25) : INFINITY;
    point->high = quartiles ? quantile(sorted, n, never, 0.75) : INFINITY;
    point->least = n ? sorted[0] : INFINITY;
    point->n = (int64_t)(n + never);
    free(sorted);
}

static bool has_box(const struct pl_figure *figure)
{
    for (size_t p = 0; p < figure->panel_count && figure->kind == PL_FIGURE_BOX; p++)
        for (size_t l = 0; l < figure->panels[p].line_count; l++)
            for (size_t i = 0; i < figure->panels[p].lines[l].means.count; i++)
                if (!isnan(figure->panels[p].lines[l].means.list[i].ends[0]))
                    return true;
    return false;
}

void pl_spread_say(const struct pl_figure *figure, const struct pl_gather *g, struct pl_text *out)
{
    static const char *const bands[PL_AROUND_COUNT] = {
        "", "the standard error of the mean", "the 95% confidence interval of the mean",
        "from the lowest to the highest run", "from quartile to quartile, around the median"};
    const struct pl_smooth *smooth = &g->spec->smooth;
    bool bars = figure->kind == PL_FIGURE_SENSITIVITY;
    if (pl_figure_traits[figure->kind].spread && figure->around != PL_AROUND_STD)
        pl_text_addf(out, "%s: %s.", bars ? "Bars" : "Bands", bands[figure->around]);
    bool box = has_box(figure);
    if (box)
        pl_text_add(out, "Boxes: quartiles and median; whiskers: to the outermost runs within 1.5 interquartile ranges "
                         "of the box; points: runs beyond them.");
    if (pl_figure_traits[figure->kind].seeds && !box)
        pl_text_add(out, "Points: single runs, in the order of their seeds; lines: medians.");
    if (smooth->epochs)
        pl_text_addf(out, "%sEvery run is smoothed: running %s over %d %ss.", out->length ? " " : "",
                     smooth->median ? "median" : "mean", smooth->epochs,
                     g->axis == PL_BY_STEP                               ? "step"
                     : pl_results_key(g->results, "problem") != SIZE_MAX ? "iteration"
                                                                         : "epoch");
}
