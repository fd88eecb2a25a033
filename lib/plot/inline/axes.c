/* The axes of a panel in a page. */
#include "plot/inline/inline.h"
#include "plot/ticks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double letter = 7; /* the width of one */

/* Points far beyond a panel keep so far away that lines to them still have their direction. */
static double place(double from, double to, double share)
{
    const double far = 30;
    return isnan(share) ? NAN : from + (to - from) * fmin(fmax(share, -far), far);
}

double pl_inline_x(const struct pl_inline *s, double x)
{
    return place(s->left, s->right, pl_ticks_share(s->panel->x_range, s->panel->log_x, x));
}

double pl_inline_y(const struct pl_inline *s, double y)
{
    return place(s->bottom, s->top, pl_ticks_share(s->panel->y_range, s->panel->log_y, y));
}

double pl_inline_end(const struct pl_inline *s, double value)
{
    double y = pl_inline_y(s, value);
    return isnan(y) && !isnan(value) ? s->bottom + 40 : y;
}

void pl_inline_length(struct pl_text *out, double length)
{
    long tenths = lround(10 * length);
    pl_text_addf(out, tenths % 10 ? "%s%ld.%ld" : "%s%ld", tenths < 0 ? "-" : "", labs(tenths) / 10, labs(tenths) % 10);
}

/* The ticks of an axis: of the setting's values where there are such, else round numbers. unit: what `at` counts. */
static void make_ticks(const struct pl_inline *s, bool x, double length, struct pl_ticks *ticks, double *unit)
{
    const struct pl_panel *panel = s->panel;
    const struct pl_tick *given = x ? panel->x_ticks : panel->y_ticks;
    size_t count = x ? panel->x_tick_count : panel->y_tick_count;
    const double *range = x ? panel->x_range : panel->y_range;
    struct pl_tick_axis axis = {.log = x ? panel->log_x : panel->log_y,
                                .whole = x && panel->whole,
                                .length = length,
                                .letter = x ? letter : 0,
                                .gap = x ? 12 : 20};
    axis.power = pl_scale_power(range, axis.log);
    *unit = pow(10, axis.power);
    for (int i = 0; i < 2; i++)
        axis.range[i] = range[i] / *unit;
    if (axis.log && !(axis.range[1] > axis.range[0] * (1 + 1e-6)))
        axis.log = false;
    *ticks = (struct pl_ticks){0};
    if (!given) {
        pl_ticks_make(&axis, ticks);
        return;
    }
    for (size_t i = 0; i < count; i++)
        pl_ticks_add(ticks, given[i].at / *unit, pl_copy(given[i].label));
    if (x && panel->words) { /* they stand slanted */
        axis.letter = 0;
        axis.gap = 20;
    }
    pl_ticks_thin(&axis, ticks->list, ticks->count);
}

static size_t longest_of(const struct pl_ticks *ticks)
{
    size_t longest = 0;
    for (size_t i = 0; i < ticks->count; i++) {
        size_t width = pl_ticks_width(ticks->list[i].label);
        longest = width > longest ? width : longest;
    }
    return longest > PL_LONGEST_TICK ? PL_LONGEST_TICK : longest;
}

static void add_place(struct pl_text *out, const char *name, double value)
{
    pl_text_addf(out, " %s=\"", name);
    pl_inline_length(out, value);
    pl_text_add_char(out, '"');
}

static void add_segment(struct pl_text *out, const char *class, double x0, double y0, double x1, double y1)
{
    pl_text_addf(out, "<path class=\"%s\" d=\"M", class);
    pl_inline_length(out, x0);
    pl_text_add_char(out, ' ');
    pl_inline_length(out, y0);
    pl_text_add_char(out, 'L');
    pl_inline_length(out, x1);
    pl_text_add_char(out, ' ');
    pl_inline_length(out, y1);
    pl_text_add(out, "\"/>");
}

static void add_text(const struct pl_inline *s, const char *class, double x, double y, int turned, const char *label)
{
    struct pl_text text = {0};
    pl_inline_label(label, &text);
    pl_text_addf(s->out, "<text class=\"%s\"", class);
    if (turned) {
        pl_text_add(s->out, " transform=\"translate(");
        pl_inline_length(s->out, x);
        pl_text_add_char(s->out, ' ');
        pl_inline_length(s->out, y);
        pl_text_addf(s->out, ") rotate(%d)\"", turned);
    } else {
        add_place(s->out, "x", x);
        add_place(s->out, "y", y);
    }
    pl_html(s->out, ">", pl_text(&text), "</text>");
    pl_text_release(&text);
}

static void draw_x(const struct pl_inline *s, const struct pl_ticks *ticks, double unit, bool grid)
{
    for (size_t i = 0; i < ticks->count; i++) {
        double x = pl_inline_x(s, ticks->list[i].at * unit);
        if (isnan(x) || x < s->left - 0.5 || x > s->right + 0.5)
            continue;
        if (grid)
            add_segment(s->out, "grid", x, s->top, x, s->bottom);
        if (ticks->list[i].label[0])
            add_text(s, s->panel->words ? "tick end" : "tick mid", x, s->bottom + (s->panel->words ? 12 : 17),
                     s->panel->words ? -35 : 0, ticks->list[i].label);
    }
}

static void draw_y(const struct pl_inline *s, const struct pl_ticks *ticks, double unit, bool grid)
{
    for (size_t i = 0; i < ticks->count; i++) {
        double y = pl_inline_y(s, ticks->list[i].at * unit);
        if (isnan(y) || y < s->top - 0.5 || y > s->bottom + 0.5)
            continue;
        if (grid)
            add_segment(s->out, "grid", s->left, y, s->right, y);
        if (ticks->list[i].label[0])
            add_text(s, "tick end", s->left - 6, y + 4, 0, ticks->list[i].label);
    }
}

void pl_inline_axes(struct pl_inline *s)
{
    const struct pl_figure *figure = s->figure;
    struct pl_ticks x, y;
    double x_unit, y_unit = 1;
    bool parallel = figure->kind == PL_FIGURE_PARALLEL, grid = figure->kind != PL_FIGURE_HEATMAP && !parallel;
    if (parallel)
        pl_ticks_of_parallel(&s->panel->axes[0], s->bottom - s->top, 20, false, &y);
    else
        make_ticks(s, false, s->bottom - s->top, &y, &y_unit);
    s->left = fmin((figure->y_label[0] ? 34 : 16) + letter * (double)longest_of(&y), 0.45 * s->width);
    make_ticks(s, true, s->right - s->left, &x, &x_unit);
    if (s->panel->words) {
        double more = fmin(0.5 * letter * (double)longest_of(&x), 0.3 * s->height);
        s->height += more; /* the picture grows and the plot keeps its place */
    }
    draw_x(s, &x, x_unit, grid);
    if (!parallel) /* whose axes are drawn with the lines */
        draw_y(s, &y, y_unit, grid);
    for (int b = 0; b < 2; b++)
        if (isfinite(s->panel->x_breaks[b]))
            add_segment(s->out, "break", pl_inline_x(s, s->panel->x_breaks[b]), s->top,
                        pl_inline_x(s, s->panel->x_breaks[b]), s->bottom);
    if (grid) {
        add_segment(s->out, "axis", s->left, s->bottom, s->right, s->bottom);
        add_segment(s->out, "axis", s->left, s->top, s->left, s->bottom);
    }
    if (figure->x_label[0])
        add_text(s, "label mid", (s->left + s->right) / 2, s->height - 5, 0, figure->x_label);
    if (figure->y_label[0])
        add_text(s, "label mid", 14, (s->top + s->bottom) / 2, -90, figure->y_label);
    pl_ticks_release(&x);
    pl_ticks_release(&y);
}
