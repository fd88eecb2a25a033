/* Figures of numbers that are of no study. */
#include "plot/plot_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room beside values that reach from low to high. */
static double margin_of(double low, double high)
{
    double margin = 0.05 * (high / 2 - low / 2) * 2;
    return margin > 0 ? margin : fmax(1, 0.1 * fabs(high));
}

static void place_x(struct pl_panel *panel, const struct pl_plot_numbers *numbers, bool plain)
{
    double low = numbers->x[0], high = numbers->x[numbers->count - 1];
    panel->log_x = low > 0 && high >= 10 * low;
    if (panel->log_x) {
        double factor = exp(0.05 * (log(high) - log(low)));
        panel->x_range[0] = low / factor;
        panel->x_range[1] = high * factor;
    } else {
        panel->x_range[0] = low - margin_of(low, high);
        panel->x_range[1] = high + margin_of(low, high);
    }
    panel->x_breaks[0] = panel->x_breaks[1] = NAN;
    panel->x_ticks = pl_new(numbers->count * sizeof *panel->x_ticks);
    panel->x_tick_count = numbers->count;
    for (size_t i = 0; i < numbers->count; i++) {
        struct pl_text label = {0};
        pl_label_number(&label, numbers->x[i], plain);
        panel->x_ticks[i] = (struct pl_tick){numbers->x[i], pl_text_take(&label), NULL};
    }
}

static void add_lines(struct pl_panel *panel, const struct pl_plot_numbers *numbers, size_t p, size_t *gaps)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t l = 0; l < numbers->line_count; l++) {
        struct pl_plot_line *line = pl_panel_line(panel, l);
        for (size_t i = 0; i < numbers->count; i++) {
            double y = numbers->y[(p * numbers->line_count + l) * numbers->count + i];
            bool finite = isfinite(y);
            y = finite ? y : NAN;
            low = finite ? fmin(low, y) : low;
            high = finite ? fmax(high, y) : high;
            *gaps += !finite;
            pl_points_add(
                &line->means,
                (struct pl_point){
                    .x = numbers->x[i], .place = numbers->x[i], .y = y, .low = y, .high = y, .least = y, .n = finite});
        }
    }
    panel->y_range[0] = low <= high ? low - margin_of(low, high) : 0;
    panel->y_range[1] = low <= high ? high + margin_of(low, high) : 1;
}

int pl_figure_of_numbers(struct pl_figure *figure, const struct pl_plot_numbers *numbers, bool plain,
                         struct pl_text *notes, struct pl_error *err)
{
    size_t gaps = 0;
    struct pl_text label = {0};
    *figure = (struct pl_figure){.kind = PL_FIGURE_SENSITIVITY, .plain = plain, .fitted = true, .numbers = true};
    figure->name = pl_copy(numbers->name);
    figure->title = pl_copy("");
    figure->said = pl_copy("");
    pl_label_name(&label, numbers->x_name, plain);
    figure->x_label = pl_text_take(&label);
    pl_label_text(&label, numbers->y_label, plain);
    figure->y_label = pl_text_take(&label);
    figure->metric_count = 1;
    figure->legend_count = numbers->line_count;
    figure->legend = pl_new(numbers->line_count * sizeof *figure->legend);
    for (size_t l = 0; l < numbers->line_count; l++) {
        pl_label_text(&label, numbers->lines[l], plain);
        figure->legend[l].label = pl_text_take(&label);
    }
    figure->panel_count = numbers->panel_count;
    figure->panels = pl_new(numbers->panel_count * sizeof *figure->panels);
    for (size_t p = 0; p < numbers->panel_count; p++) {
        pl_label_text(&label, numbers->panels[p], plain);
        figure->panels[p].title = pl_text_take(&label);
        place_x(&figure->panels[p], numbers, plain);
        add_lines(&figure->panels[p], numbers, p, &gaps);
    }
    if (!pl_figure_finish_legend(figure)) {
        pl_figure_release(figure);
        return pl_fail(err, PL_EMISSING, "nothing to draw for figure %s: no value is finite", numbers->name);
    }
    if (gaps)
        pl_text_addf(notes, "%zu of %zu values are not finite and leave gaps.\n", gaps,
                     numbers->panel_count * numbers->line_count * numbers->count);
    return 0;
}
