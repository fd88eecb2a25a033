/* A heat map in a page. */
#include "plot/inline/inline.h"
#include "plot/ticks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *tick_of(const struct pl_tick *ticks, size_t count, size_t number)
{
    for (size_t i = 0; i < count; i++)
        if (ticks[i].at == (double)number + 1)
            return ticks[i].label;
    return "";
}

/* What the pointer shows: "lambda 0.1, epsilon 1: 92.5 ± 0.2, 3 runs" */
static void add_title(const struct pl_inline *s, const struct pl_square *q)
{
    const struct pl_panel *panel = s->panel;
    struct pl_text title = {0};
    pl_inline_label(s->figure->x_label, &title);
    pl_text_add_char(&title, ' ');
    pl_inline_label(tick_of(panel->x_ticks, panel->x_tick_count, q->column), &title);
    pl_text_add(&title, ", ");
    pl_inline_label(s->figure->y_label, &title);
    pl_text_add_char(&title, ' ');
    pl_inline_label(tick_of(panel->y_ticks, panel->y_tick_count, q->row), &title);
    if (isfinite(q->value))
        pl_text_addf(&title, ": %.7g", q->value);
    else if (isinf(q->value))
        pl_text_add(&title, ": infinite");
    if (isfinite(q->value) && isfinite(q->deviation))
        pl_text_addf(&title, " ± %.3g", q->deviation);
    pl_text_addf(&title, ", %lld run%s", (long long)q->n, q->n == 1 ? "" : "s");
    if (q->diverged)
        pl_text_addf(&title, ", %lld diverged", (long long)q->diverged);
    pl_text_add(&title, q->best ? ", the best" : "");
    pl_html(s->out, "<title>", pl_text(&title), "</title>");
    pl_text_release(&title);
}

static void add_number(struct pl_text *out, const char *name, double value)
{
    pl_text_addf(out, " %s=\"", name);
    pl_inline_length(out, value);
    pl_text_add_char(out, '"');
}

static void draw_square(const struct pl_inline *s, const struct pl_square *q)
{
    const double *xr = s->panel->x_range, *yr = s->panel->y_range;
    double w = (s->right - s->left) / (xr[1] - xr[0]), h = (s->bottom - s->top) / (yr[1] - yr[0]);
    double x = pl_inline_x(s, (double)q->column + 1), y = pl_inline_y(s, (double)q->row + 1);
    bool white = false, drawn = isfinite(q->value);
    unsigned colour = 0;
    if (drawn)
        colour = pl_colour_at(s->figure, pl_colour_place(s->panel, q->value), &white);
    pl_text_addf(s->out, "<g class=\"square%s%s\"><rect", q->best ? " best" : "", white ? " white" : "");
    add_number(s->out, "x", x - w / 2 + 1);
    add_number(s->out, "y", y - h / 2 + 1);
    add_number(s->out, "width", fmax(w - 2, 0.5));
    add_number(s->out, "height", fmax(h - 2, 0.5));
    if (drawn)
        pl_text_addf(s->out, " fill=\"#%06X\">", colour);
    else
        pl_text_addf(s->out, " fill=\"%s\">", q->diverged ? "#D0D0D0" : "#F4F4F4");
    add_title(s, q);
    pl_text_add(s->out, "</rect>");
    size_t length = strcspn(q->text, "\n");
    if (6.2 * (double)length < w && h > 14) {
        char *first = pl_copy_bytes(q->text, length);
        bool two = q->text[length] && h > 30;
        pl_text_add(s->out, "<text class=\"in mid\"");
        add_number(s->out, "x", x);
        add_number(s->out, "y", y + (two ? -1 : 4));
        pl_html(s->out, ">", first, "</text>");
        if (two) {
            pl_text_add(s->out, "<text class=\"in small mid\"");
            add_number(s->out, "x", x);
            add_number(s->out, "y", y + 12);
            pl_html(s->out, ">", q->text + length + 1, "</text>");
        }
        free(first);
    }
    pl_text_add(s->out, "</g>\n");
}

static void make_scale(const struct pl_inline *s, struct pl_ticks *ticks, double *unit)
{
    const struct pl_panel *panel = s->panel;
    int power = pl_scale_power(panel->z_range, panel->log_z);
    *unit = pow(10, power);
    struct pl_tick_axis axis = {.range = {panel->z_range[0] / *unit, panel->z_range[1] / *unit},
                                .log = panel->log_z,
                                .power = power,
                                .gap = 24,
                                .length = s->bottom - s->top};
    pl_ticks_of_scale(panel, &axis, ticks);
}

double pl_inline_scale_width(const struct pl_inline *s)
{
    const double least = 78, bar = 34, letter = 7;
    struct pl_ticks ticks = {0};
    size_t longest = 0;
    double unit;
    if (!(s->panel->z_range[0] < s->panel->z_range[1]))
        return least;
    make_scale(s, &ticks, &unit);
    for (size_t i = 0; i < ticks.count; i++) {
        size_t width = pl_ticks_width(ticks.list[i].label);
        longest = width > longest ? width : longest;
    }
    pl_ticks_release(&ticks);
    return fmin(fmax(least, bar + letter * (double)longest), 0.45 * s->width);
}

/* The scale of colours at the right. */
void pl_inline_scale(const struct pl_inline *s)
{
    const struct pl_panel *panel = s->panel;
    enum { STEPS = 32 };
    bool heat = s->figure->kind == PL_FIGURE_HEATMAP;
    double x = s->right + (s->figure->kind == PL_FIGURE_PARALLEL ? 0 : 12), h = (s->bottom - s->top) / STEPS;
    pl_text_add(s->out, heat ? "<g>" : "<g class=\"toned\">");
    for (int i = 0; i < STEPS; i++) {
        bool white;
        unsigned colour = pl_colour_at(s->figure, (i + 0.5) / STEPS, &white);
        pl_text_add(s->out, "<rect");
        add_number(s->out, "x", x);
        add_number(s->out, "y", s->bottom - (i + 1) * h);
        add_number(s->out, "width", 12);
        add_number(s->out, "height", h + 0.4);
        pl_text_addf(s->out, " fill=\"#%06X\"/>", colour);
    }
    pl_text_add(s->out, "</g>");
    struct pl_ticks ticks = {0};
    double unit;
    make_scale(s, &ticks, &unit);
    for (size_t i = 0; i < ticks.count; i++) {
        struct pl_text label = {0};
        double at = pl_colour_place(panel, ticks.list[i].at * unit);
        pl_inline_label(ticks.list[i].label, &label);
        pl_text_add(s->out, "<text class=\"tick\"");
        add_number(s->out, "x", x + 16);
        add_number(s->out, "y", s->bottom - at * (s->bottom - s->top) + 4);
        pl_html(s->out, ">", pl_text(&label), "</text>");
        pl_text_release(&label);
    }
    pl_ticks_release(&ticks);
}

void pl_inline_squares(struct pl_inline *s)
{
    bool any = false;
    for (size_t i = 0; i < s->panel->square_count; i++) {
        draw_square(s, &s->panel->squares[i]);
        any |= isfinite(s->panel->squares[i].value);
    }
    if (any)
        pl_inline_scale(s);
}
