/* Axis ranges. */
#include "plot/plot_priv.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include <float.h>
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
        range[1] = fmin(pow(10, range[1]), DBL_MAX);
        range[0] = fmax(fmax(pow(10, range[0]), range[1] / deepest), DBL_MIN);
        range[1] = fmax(range[0], range[1]);
    }
}

/* Room around the data, and a width for data that has none. Shares (accuracies) end at 1: an axis that went on to 1.1
 * would promise what cannot be. */
static void pad(double range[2], bool log)
{
    double low = range[0], high = range[1];
    if (log) {
        double decades = log10(high) - log10(low), margin = pow(10, 0.04 * decades);
        if (!(margin > 1.01))
            margin = 1.5;
        range[0] = fmax(low / margin, DBL_MIN);
        range[1] = fmin(high * margin, DBL_MAX);
        return;
    }
    double margin = 2 * 0.04 * (high / 2 - low / 2);
    if (!(margin > 1e-9 * fmax(fabs(low), fabs(high))))
        margin = low != 0 ? 0.1 * fabs(low) : 1;
    range[0] = fmax(low - margin, -DBL_MAX);
    range[1] = fmin(high + margin, DBL_MAX);
    if (low > 0 && high <= 1 && range[1] > 1)
        range[1] = 1 + 0.02 * (1 - range[0]);
}

static bool all_diverged(const struct pl_plot_line *line)
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
        const struct pl_plot_line *line = &panel->lines[l];
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
        const struct pl_plot_line *line = &panel->lines[l];
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

/* Where all data lie beyond the one end that was declared, the other end goes there. */
static void unfold(double range[2], const double declared[2], bool log)
{
    if (range[0] < range[1])
        return;
    double step = fmax(1, 0.1 * fabs(range[isfinite(declared[0]) ? 0 : 1]));
    if (isfinite(declared[0]))
        range[1] = fmin(log ? range[0] * 10 : range[0] + step, DBL_MAX);
    else
        range[0] = fmax(log ? range[1] / 10 : range[1] - step, log ? DBL_MIN : -DBL_MAX);
}

/* More decades than a double has below its unit (pl_scale_power) and above it: the lower ones are left out. */
static void limit_decades(double range[2], bool log)
{
    const double most = 450;
    if (log && log10(range[1]) - log10(range[0]) > most)
        range[0] = pow(10, log10(range[1]) - most);
}

/* Along x everything is shown that has a place. A sensitivity figure has its range from the setting's values. */
static void range_x(struct pl_panel *panel, bool log)
{
    double least = INFINITY, most = -INFINITY, *range = panel->x_range;
    if (!isnan(range[0]))
        return;
    panel->whole = true;
    for (size_t l = 0; l < panel->line_count; l++)
        for (size_t i = 0; i < panel->lines[l].means.count; i++) {
            double x = panel->lines[l].means.list[i].place;
            panel->whole &= x == floor(x);
            if (!isfinite(x) || (log && x <= 0))
                continue;
            least = fmin(least, x);
            most = fmax(most, x);
        }
    range[0] = least <= most ? least : log ? 1 : 0;
    range[1] = least <= most ? most : log ? 10 : 1;
    if (!log && range[0] > 0 && range[0] <= 0.02 * range[1])
        range[0] = 0; /* time that is counted from 1 */
    if (range[0] < range[1])
        return;
    double more = fmax(1, 1e-9 * fabs(range[1]));
    range[0] = log ? fmax(range[0] / 2, DBL_MIN) : fmax(range[0] - more, -DBL_MAX);
    range[1] = log ? fmin(range[1] * 2, DBL_MAX) : fmin(range[1] + more, DBL_MAX);
}

void pl_range_beyond(const struct pl_panel *panel, const struct pl_points *points, enum pl_mark side, size_t every,
                     struct pl_points *beyond)
{
    size_t since = 0; /* points since the last that was taken */
    for (size_t i = 0; i < points->count; i++) {
        const struct pl_point *p = &points->list[i];
        bool out = side == PL_MARK_ABOVE ? p->y > panel->y_range[1] : p->y < panel->y_range[0];
        bool seen = p->place >= panel->x_range[0] && p->place <= panel->x_range[1];
        since = !out || !seen || since == every ? 0 : since;
        if (!out || !seen)
            continue;
        if (!since)
            pl_points_add(beyond, *p);
        since++;
    }
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
    unfold(panel->y_range, spec->y_range, panel->log_y);
    range_x(panel, log_x);
    apply_declared(panel->x_range, spec->x_range, log_x);
    unfold(panel->x_range, spec->x_range, log_x);
    limit_decades(panel->x_range, log_x);
    limit_decades(panel->y_range, panel->log_y);
}

/* As one panel with the lines of all. */
static void range_together(const struct pl_figure *figure, const struct pl_figure_spec *spec, bool log_x,
                           struct pl_panel *all)
{
    *all = figure->panels[0];
    all->line_count = 0;
    for (size_t p = 0; p < figure->panel_count; p++)
        all->line_count += figure->panels[p].line_count;
    all->lines = pl_new((all->line_count + 1) * sizeof *all->lines);
    all->line_count = 0;
    for (size_t p = 0; p < figure->panel_count; p++)
        for (size_t l = 0; l < figure->panels[p].line_count; l++)
            all->lines[all->line_count++] = figure->panels[p].lines[l];
    pl_range_panel(all, spec, log_x);
    free(all->lines);
}

void pl_range_panels(struct pl_figure *figure, const struct pl_figure_spec *spec, bool log_x)
{
    struct pl_panel all;
    if (!figure->panel_count)
        return;
    range_together(figure, spec, log_x, &all);
    for (size_t p = 0; p < figure->panel_count; p++) {
        struct pl_panel *panel = &figure->panels[p];
        pl_range_panel(panel, spec, log_x);
        if (spec->share_x) {
            memcpy(panel->x_range, all.x_range, sizeof panel->x_range);
            panel->whole = all.whole;
        }
        if (spec->share_y) {
            memcpy(panel->y_range, all.y_range, sizeof panel->y_range);
            panel->log_y = all.log_y;
        }
    }
}
