/* Heat maps: a metric over two settings. */
#include "plot/gather/axis.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How the numbers of all squares are written, so that they can be compared at a glance. */
struct style {
    int decimals;    /* where all numbers of the figure can share them; else -1 */
    bool scientific; /* and then whether all are powers of ten */
    bool roomy;      /* for two lines of text */
};

/* Positional where no number is too long or too small for it. */
static bool wants_powers(const double *values, size_t count)
{
    bool powers = false;
    for (size_t i = 0; i < count; i++) {
        double size = fabs(values[i]);
        powers |= isfinite(size) && size > 0 && (size < 1e-3 || size >= 1e6);
    }
    return powers;
}

/* Two or three digits are what a square has room for; whole digits are never rounded away. */
static void add_short(double value, bool scientific, struct pl_text *text)
{
    char digits[64];
    double size = fabs(value);
    if (size == 0) {
        pl_text_add_char(text, '0');
        return;
    }
    if (!scientific) {
        int decimals = 2 - (int)floor(log10(size));
        snprintf(digits, sizeof digits, "%.*f", decimals > 0 ? decimals : 0, value);
        if (strchr(digits, '.')) {
            digits[strspn(digits, "-0123456789.")] = '\0';
            size_t end = strlen(digits);
            while (digits[end - 1] == '0')
                digits[--end] = '\0';
            if (digits[end - 1] == '.')
                digits[end - 1] = '\0';
        }
        pl_text_add(text, digits);
        return;
    }
    snprintf(digits, sizeof digits, "%.1e", value);
    char *exponent = strchr(digits, 'e');
    pl_text_addf(text, "%.*se%ld", (int)(exponent - digits), digits, strtol(exponent + 1, NULL, 10));
}

static void add_number(double value, const struct style *style, struct pl_text *text)
{
    if (style->decimals < 0)
        add_short(value, style->scientific, text);
    else
        pl_report_number(value, style->decimals, text);
}

/* A square's text: the mean, and below it the spread or how many runs diverged, or never reached the target, where
 * there is room. */
static char *square_text(const struct pl_summary *s, const struct style *style)
{
    struct pl_text text = {0};
    if (s->n && s->never) { /* the mean is infinite */
        pl_text_add(&text, "∞");
        if (style->roomy)
            pl_text_addf(&text, "\nnever %lld/%lld", (long long)s->never, (long long)s->planned);
        return pl_text_take(&text);
    }
    if (isnan(s->mean)) {
        pl_text_add(&text, s->never ? "never" : s->diverged ? "div" : "–");
        return pl_text_take(&text);
    }
    add_number(s->mean, style, &text);
    if (style->roomy && s->diverged) {
        pl_text_addf(&text, "\ndiv %lld/%lld", (long long)s->diverged, (long long)s->planned);
    } else if (style->roomy && s->n > 1 && style->decimals >= 0) {
        pl_text_add(&text, "\n±");
        add_number(s->deviation, style, &text);
    }
    return pl_text_take(&text);
}

static void mark_best(struct pl_panel *panel, enum pl_direction direction)
{
    double best = NAN;
    for (size_t i = 0; i < panel->square_count && (direction == PL_MINIMIZE || direction == PL_MAXIMIZE); i++) {
        const struct pl_square *square = &panel->squares[i];
        if (!square->diverged && isfinite(square->value))
            best = direction == PL_MAXIMIZE ? fmax(best, square->value) : fmin(best, square->value);
    }
    for (size_t i = 0; i < panel->square_count; i++) { /* all of those that are equally good, as in tables */
        struct pl_square *square = &panel->squares[i];
        square->best = !square->diverged && isfinite(square->value) && pl_report_ties(square->value, best);
    }
}

static void scale_colours(struct pl_panel *panel)
{
    double *values = pl_new((panel->square_count + 1) * sizeof *values);
    double lowest = INFINITY, least = INFINITY, most = -INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < panel->square_count; i++) {
        double value = panel->squares[i].value;
        if (!isfinite(value))
            continue;
        values[count++] = value;
        lowest = fmin(lowest, value);
        least = value > 0 ? fmin(least, value) : least;
        most = fmax(most, value);
    }
    panel->log_z = count && lowest >= 0 && most > 1000 * least;
    pl_range_robust(values, count, panel->log_z, panel->z_range);
    if (count && panel->z_range[0] == panel->z_range[1]) {
        double margin = panel->z_range[0] != 0 ? 0.005 * fabs(panel->z_range[0]) : 0.5;
        panel->z_range[0] = fmax(panel->z_range[0] - margin, -DBL_MAX);
        panel->z_range[1] = fmin(panel->z_range[1] + margin, DBL_MAX);
    }
    free(values);
}

/* Counted from 0, from the left or from below. */
static size_t place_of(const struct pl_gather *g, const struct pl_axis *axis, size_t config)
{
    size_t index = pl_axis_index(axis, pl_results_rank(g->results, config, axis->key));
    return (size_t)axis->values[index].at - 1;
}

static void add_square(struct pl_figure *figure, const struct pl_gather *g, const struct pl_axis axes[2], size_t config,
                       const struct style *style)
{
    struct pl_panel *panel = &figure->panels[pl_headings_of(g->results, &g->panels, config)];
    struct pl_summary s;
    pl_results_summary(g->results, config, &s);
    void *squares = panel->squares;
    pl_grow(&squares, &panel->square_capacity, panel->square_count + 1, sizeof *panel->squares);
    panel->squares = squares;
    panel->squares[panel->square_count++] = (struct pl_square){.column = place_of(g, &axes[0], config),
                                                               .row = place_of(g, &axes[1], config),
                                                               .value = s.never ? INFINITY : s.mean,
                                                               .deviation = s.deviation,
                                                               .n = s.never || isfinite(s.mean) ? s.n + s.never : 0,
                                                               .diverged = s.diverged,
                                                               .text = square_text(&s, style)};
}

int pl_gather_heatmap(struct pl_figure *figure, struct pl_gather *g, struct pl_error *err)
{
    (void)err;
    struct pl_axis axes[2];
    const char *names[2] = {g->spec->x, g->spec->y};
    double *means = pl_new((g->config_count + 1) * sizeof *means);
    bool any = false;
    for (int i = 0; i < 2; i++)
        pl_axis_make(&axes[i], g->results, pl_results_key(g->results, names[i]), g->configs, g->config_count,
                     PL_AXIS_STEPS);
    pl_axis_flip(&axes[1]);
    for (size_t i = 0; i < g->config_count; i++) {
        struct pl_summary s;
        pl_results_summary(g->results, g->configs[i], &s);
        means[i] = s.mean;
        any |= s.n > 0;
    }
    struct style style = {pl_report_decimals(means, g->config_count), wants_powers(means, g->config_count),
                          axes[0].count <= 8 && axes[1].count <= 8};
    for (size_t i = 0; i < g->config_count && any; i++)
        add_square(figure, g, axes, g->configs[i], &style);
    for (size_t p = 0; p < figure->panel_count; p++) {
        struct pl_panel *panel = &figure->panels[p];
        memcpy(panel->x_range, axes[0].range, sizeof panel->x_range);
        memcpy(panel->y_range, axes[1].range, sizeof panel->y_range);
        panel->words = !axes[0].numeric;
        pl_axis_ticks(&axes[0], g, figure->plain, &panel->x_ticks, &panel->x_tick_count);
        pl_axis_ticks(&axes[1], g, figure->plain, &panel->y_ticks, &panel->y_tick_count);
        mark_best(panel, figure->direction);
        scale_colours(panel);
    }
    pl_axis_release(&axes[0]);
    pl_axis_release(&axes[1]);
    free(means);
    return 0;
}
