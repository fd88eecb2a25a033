/* Axis ranges. */
#include "plot/plot_priv.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values further from the median than this many times the middle 80% reach are left out of the scale. */
static const double reach_factor = 20;
/* A logarithmic scale shows at most this much below its top. */
static const double deepest = 1e30;

static double reach(const double *sorted, size_t count, double middle, double share)
{
    double low = gsl_stats_quantile_from_sorted_data(sorted, 1, count, share);
    double high = gsl_stats_quantile_from_sorted_data(sorted, 1, count, 1 - share);
    return fmax(middle - low, high - middle);
}

void pl_range_robust(double *values, size_t count, bool log, double range[2])
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]) && (!log || values[i] > 0))
            values[kept++] = log ? log10(values[i]) : values[i];
    range[0] = range[1] = NAN;
    if (!kept)
        return;
    gsl_sort(values, 1, kept);
    double middle = gsl_stats_median_from_sorted_data(values, 1, kept);
    double width = reach(values, kept, middle, 0.1);
    if (width == 0)
        width = reach(values, kept, middle, 0.02);
    size_t first = 0, last = kept - 1;
    while (width > 0 && values[first] < middle - reach_factor * width)
        first++;
    while (width > 0 && values[last] > middle + reach_factor * width)
        last--;
    range[0] = values[first];
    range[1] = values[last];
    if (log) {
        range[1] = pow(10, range[1]);
        range[0] = fmax(pow(10, range[0]), range[1] / deepest);
    }
}

/* Room around the data, and a width for data that has none. */
static void pad(double range[2], bool log)
{
    if (log) {
        double margin = pow(range[1] / range[0], 0.04);
        if (!(margin > 1.01))
            margin = 1.5;
        range[0] /= margin;
        range[1] *= margin;
        return;
    }
    double margin = 0.04 * (range[1] - range[0]);
    if (!(margin > 1e-9 * fmax(fabs(range[0]), fabs(range[1]))))
        margin = range[0] != 0 ? 0.1 * fabs(range[0]) : 1;
    range[0] -= margin;
    range[1] += margin;
}

static bool all_diverged(const struct pl_line *line)
{
    return line->diverged && line->diverged == line->runs;
}

/* The heights that a panel should show: of lines that did not diverge, where there are any. On a logarithmic scale the
 * lower edge of a band may be next to zero and does not count. */
static double *collect(const struct pl_panel *panel, size_t *count)
{
    size_t need = 0;
    bool steady = false;
    for (size_t l = 0; l < panel->line_count; l++) {
        need += 3 * panel->lines[l].means.count + panel->lines[l].strands.count;
        steady |= !all_diverged(&panel->lines[l]) && panel->lines[l].means.count;
    }
    double *values = pl_new((need + 1) * sizeof *values);
    *count = 0;
    for (size_t l = 0; l < panel->line_count; l++) {
        const struct pl_line *line = &panel->lines[l];
        if (steady && all_diverged(line))
            continue;
        for (size_t i = 0; i < line->means.count; i++) {
            const struct pl_point *p = &line->means.list[i];
            values[(*count)++] = p->y;
            values[(*count)++] = panel->log_y ? p->y : p->low;
            values[(*count)++] = p->high;
        }
        for (size_t i = 0; i < line->strands.count; i++)
            values[(*count)++] = line->strands.list[i].y;
    }
    return values;
}

/* A scale that spans more than three decades of positive means is drawn logarithmically unless the range is given. */
static bool wants_log(const struct pl_panel *panel)
{
    double least = INFINITY, most = 0;
    for (size_t l = 0; l < panel->line_count; l++) {
        const struct pl_line *line = &panel->lines[l];
        for (size_t i = 0; i < line->means.count && !all_diverged(line); i++) {
            double y = line->means.list[i].y;
            if (!isfinite(y) || y == 0)
                continue;
            if (y < 0)
                return false;
            least = fmin(least, y);
            most = fmax(most, y);
        }
    }
    return most > 1000 * least;
}

static void apply_declared(double range[2], const double declared[2], bool log)
{
    for (int i = 0; i < 2; i++)
        if (isfinite(declared[i]) && (!log || declared[i] > 0))
            range[i] = declared[i];
}

void pl_range_panel(struct pl_panel *panel, const struct pl_figure_spec *spec, bool log_x)
{
    size_t count;
    bool declared = isfinite(spec->y_range[0]) || isfinite(spec->y_range[1]);
    panel->log_x = log_x;
    panel->log_y = spec->log_y || (!declared && wants_log(panel));
    double *values = collect(panel, &count);
    pl_range_robust(values, count, panel->log_y, panel->y_range);
    free(values);
    if (isnan(panel->y_range[0]))
        panel->y_range[0] = panel->y_range[1] = panel->log_y ? 1 : 0;
    pad(panel->y_range, panel->log_y);
    apply_declared(panel->y_range, spec->y_range, panel->log_y);
    if (!(panel->y_range[0] < panel->y_range[1]))
        pad(panel->y_range, panel->log_y);
    double least = INFINITY, most = -INFINITY;
    for (size_t l = 0; l < panel->line_count; l++)
        for (size_t i = 0; i < panel->lines[l].means.count; i++) {
            double x = panel->lines[l].means.list[i].x;
            if (log_x && x <= 0)
                continue;
            least = fmin(least, x);
            most = fmax(most, x);
        }
    if (isnan(panel->x_range[0])) {
        panel->x_range[0] = least <= most ? least : log_x ? 1 : 0;
        panel->x_range[1] = least <= most ? most : log_x ? 10 : 1;
        if (!log_x && panel->x_range[0] > 0 && panel->x_range[0] <= 0.02 * panel->x_range[1])
            panel->x_range[0] = 0; /* time that is counted from 1 */
        if (!(panel->x_range[0] < panel->x_range[1])) {
            panel->x_range[0] = log_x ? panel->x_range[0] / 2 : panel->x_range[0] - 1;
            panel->x_range[1] = log_x ? panel->x_range[1] * 2 : panel->x_range[1] + 1;
        }
    }
    apply_declared(panel->x_range, spec->x_range, log_x);
}
