/* Straight lines through the means of a line, on the scales of its panel, and lines of given slopes beside them. */
#include "plot/plot_priv.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_POINTS = 3 }; /* with two, a line fits exactly and says nothing of its error */

/* A point as it counts: the logarithms on logarithmic scales. False: it does not. */
static bool place(const struct pl_figure_spec *spec, const struct pl_panel *panel, const struct pl_point *p, double *x,
                  double *y)
{
    double at = p->x;
    const double *only = spec->fit_range, *breaks = panel->x_breaks;
    if (!isfinite(at) || !isfinite(p->y) || p->place < breaks[0] || p->place > breaks[1])
        return false;
    if ((panel->log_x && at <= 0) || (panel->log_y && p->y <= 0))
        return false;
    if (only[0] < only[1] && (at < only[0] * (1 - 1e-12) || at > only[1] * (1 + 1e-12)))
        return false;
    *x = panel->log_x ? log(at) : at;
    *y = panel->log_y ? log(p->y) : p->y;
    return true;
}

/* Brings values to a size whose squares are numbers. Returns their unit, a power of two, so that no bit is lost. */
static double scale(double *values, size_t n)
{
    double most = 0;
    int power;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(values[i]));
    frexp(most, &power);
    power = power > 1023 ? 1023 : power > 400 || power < -400 ? power : 0;
    for (size_t i = 0; i < n; i++)
        values[i] = ldexp(values[i], -power);
    return ldexp(1, power);
}

/* Least squares; the interval is Student's with n - 2 degrees of freedom. */
static void fit_line(const struct pl_figure_spec *spec, const struct pl_panel *panel, struct pl_plot_line *line)
{
    double *x = pl_new((line->means.count + 1) * sizeof *x), *y = pl_new((line->means.count + 1) * sizeof *y);
    double from = INFINITY, to = -INFINITY;
    size_t n = 0;
    for (size_t i = 0; i < line->means.count; i++)
        if (place(spec, panel, &line->means.list[i], &x[n], &y[n])) {
            from = fmin(from, x[n]);
            to = fmax(to, x[n]);
            n++;
        }
    if (n >= LEAST_POINTS && from < to) {
        double c0, c1, cov00, cov01, cov11, squares, unit_x = scale(x, n), unit_y = scale(y, n);
        gsl_fit_linear(x, 1, y, 1, n, &c0, &c1, &cov00, &cov01, &cov11, &squares);
        line->fit = (struct pl_fit){.n = n,
                                    .slope = c1 * (unit_y / unit_x),
                                    .error = gsl_cdf_tdist_Qinv(0.025, (double)n - 2) * sqrt(cov11) * (unit_y / unit_x),
                                    .x = {from, to},
                                    .y = {(c0 + c1 * (from / unit_x)) * unit_y, (c0 + c1 * (to / unit_x)) * unit_y}};
        for (int i = 0; i < 2; i++) {
            line->fit.x[i] = panel->log_x ? exp(line->fit.x[i]) : line->fit.x[i];
            line->fit.y[i] = panel->log_y ? exp(line->fit.y[i]) : line->fit.y[i];
        }
    }
    free(x);
    free(y);
}

static void note_fit(const struct pl_gather *g, size_t panel, const struct pl_plot_line *line)
{
    struct pl_text name = {0};
    pl_note_name_line(g, panel, line, &name);
    pl_text_addf(g->notes, "%s %s against %s, %s: ",
                 g->spec->kind == PL_FIGURE_SENSITIVITY ? pl_select_names[g->spec->select] : "mean", g->metric,
                 g->spec->x ? g->spec->x : "epoch", pl_text(&name));
    const struct pl_fit *fit = &line->fit;
    double size = fmax(fabs(fit->slope), fit->error);
    bool usual = size == 0 || (size >= 0.01 && size < 1e6);
    if (fit->n)
        pl_text_addf(g->notes,
                     usual ? "slope %.3f, 95%% interval [%.3f, %.3f], %zu points.\n"
                           : "slope %.4g, 95%% interval [%.4g, %.4g], %zu points.\n",
                     fit->slope, fit->slope - fit->error, fit->slope + fit->error, fit->n);
    else
        pl_text_addf(g->notes, "fewer than %d points, no slope.\n", LEAST_POINTS);
    pl_text_release(&name);
}

/* Lines of given slopes all start at the lowest of the leftmost points. */
static void anchor(const struct pl_figure_spec *spec, struct pl_panel *panel)
{
    double best[2] = {INFINITY, INFINITY}, x, y;
    for (size_t l = 0; l < panel->line_count; l++)
        for (size_t i = 0; i < panel->lines[l].means.count; i++)
            if (place(spec, panel, &panel->lines[l].means.list[i], &x, &y) &&
                (x < best[0] || (x == best[0] && y < best[1]))) {
                best[0] = x;
                best[1] = y;
            }
    panel->anchor[0] = best[0];
    panel->anchor[1] = best[1];
}

void pl_fit_panels(struct pl_figure *figure, const struct pl_gather *g)
{
    const struct pl_figure_spec *spec = g->spec;
    figure->slopes = spec->slopes;
    figure->slope_count = spec->slope_count;
    for (size_t p = 0; p < figure->panel_count; p++) {
        struct pl_panel *panel = &figure->panels[p];
        anchor(spec, panel);
        for (size_t l = 0; l < panel->line_count && spec->fit; l++) {
            fit_line(spec, panel, &panel->lines[l]);
            note_fit(g, p, &panel->lines[l]);
        }
    }
}

bool pl_fit_reference(const struct pl_panel *panel, double slope, double x[2], double y[2])
{
    double right = panel->log_x ? log(panel->x_range[1]) : panel->x_range[1], ends[2], limits[2];
    double away[2] = {0, right - panel->anchor[0]};
    for (int i = 0; i < 2; i++)
        limits[i] = panel->log_y ? log(panel->y_range[i]) : panel->y_range[i];
    for (int i = 0; i < 2; i++)
        ends[i] = (limits[slope < 0 ? 1 - i : i] - panel->anchor[1]) / slope;
    if (slope == 0 && (panel->anchor[1] < limits[0] || panel->anchor[1] > limits[1]))
        return false;
    bool cut = slope != 0 && ends[1] < away[1], late = slope != 0 && ends[0] > 0;
    away[0] = late ? ends[0] : 0;
    away[1] = cut ? ends[1] : away[1];
    if (!(away[0] <= away[1]))
        return false;
    for (int i = 0; i < 2; i++) {
        bool limited = i ? cut : late;
        x[i] = panel->anchor[0] + away[i];
        x[i] = i && !cut ? panel->x_range[1] : panel->log_x ? exp(x[i]) : x[i];
        y[i] = limited ? limits[(slope > 0) == (i == 1)] : panel->anchor[1] + slope * away[i];
        y[i] = panel->log_y ? exp(y[i]) : y[i];
    }
    return true;
}
