/* Parallel coordinates in a page. */
#include "plot/inline/inline.h"
#include "plot/ticks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_LINES = 40 };

static void add_axis(const struct pl_inline *s, size_t index)
{
    struct pl_ticks ticks;
    double x = pl_inline_x(s, (double)index);
    pl_text_addf(s->out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1f\"/>", x, s->top, s->bottom);
    pl_ticks_of_parallel(&s->panel->axes[index], s->bottom - s->top, 20, false, &ticks);
    for (size_t i = 0; i < ticks.count; i++) {
        struct pl_text label = {0};
        pl_inline_label(ticks.list[i].label, &label);
        pl_text_addf(s->out, "<text class=\"tick %s\" x=\"%.1f\" y=\"%.1f\">", index ? "over" : "end",
                     index ? x + 4 : x - 6, s->bottom - ticks.list[i].at * (s->bottom - s->top) + 4);
        pl_html(s->out, "", label.length ? pl_text(&label) : "", "</text>");
        pl_text_release(&label);
    }
    pl_text_add_char(s->out, '\n');
    pl_ticks_release(&ticks);
}

/* Words stand at the places of their ticks. */
static void add_value(const struct pl_parallel_axis *axis, double value, struct pl_text *out)
{
    for (size_t i = 0; i < axis->tick_count; i++)
        if (axis->ticks[i].at == value) {
            pl_inline_label(axis->ticks[i].label, out);
            return;
        }
    pl_text_addf(out, "%.7g", value);
}

/* "λ 0.1, β1 0.9": points are those of one configuration. */
static void add_settings(const struct pl_panel *panel, const struct pl_point *points, struct pl_text *out)
{
    for (size_t a = 0; a < panel->axis_count; a++) {
        if (isnan(points[a].y))
            continue;
        pl_text_add(out, out->length ? ", " : "");
        pl_inline_label(panel->axes[a].label, out);
        pl_text_add_char(out, ' ');
        add_value(&panel->axes[a], points[a].z, out);
    }
}

static void add_outcome(const struct pl_inline *s, const struct pl_point *end, struct pl_text *out)
{
    pl_text_add(out, ": ");
    pl_inline_label(s->figure->z_label, out);
    pl_text_addf(out, " %.7g", end->z);
}

static void draw_path(const struct pl_inline *s, const struct pl_points *points, const char *how, bool dotted)
{
    bool down = false;
    if (!points->count)
        return;
    pl_text_addf(s->out, "<path %s%s d=\"", how, dotted ? " class=\"dotted\"" : "");
    for (size_t i = 0; i < points->count; i++) {
        const struct pl_point *p = &points->list[i];
        if (!isnan(p->y)) {
            pl_text_add_char(s->out, down && !p->parted ? 'L' : 'M');
            pl_inline_length(s->out, pl_inline_x(s, p->place));
            pl_text_add_char(s->out, ' ');
            pl_inline_length(s->out, s->bottom - p->y * (s->bottom - s->top));
        }
        down = !isnan(p->y);
    }
    pl_text_add(s->out, "\"/>");
}

static void draw_config(const struct pl_inline *s, const struct pl_point *points, size_t count, const char *how)
{
    struct pl_text title = {0};
    add_settings(s->panel, points, &title);
    if (count > s->panel->axis_count)
        add_outcome(s, &points[s->panel->axis_count], &title);
    else
        pl_text_add(&title, isinf(points[0].hue) ? ": a run never reached the target" : ": every run diverged");
    pl_html(s->out, "<g fill=\"none\"><title>", pl_text(&title), "</title>");
    for (int dotted = 0; dotted < 2; dotted++) {
        struct pl_points whole = {(struct pl_point *)points, count, count}, bridges = {0};
        if (dotted)
            pl_parallel_bridges(&whole, &bridges);
        draw_path(s, dotted ? &bridges : &whole, how, dotted);
        free(bridges.list);
    }
    pl_text_add(s->out, "</g>\n");
    pl_text_release(&title);
}

static void draw_lines(const struct pl_inline *s, const struct pl_plot_line *line, size_t most, struct pl_text *note)
{
    size_t axes = s->panel->axis_count, each = axes + 1, count = line->means.count / each;
    size_t first = count > most ? count - most : 0, lost = line->strands.count / axes;
    struct pl_text classes = {0};
    pl_inline_classes(s->figure, line->style, &classes);
    pl_text_addf(s->out, "<g class=\"line toned dashed %s\" data-line=\"%zu\">", pl_text(&classes), line->style);
    for (size_t i = lost > most ? lost - most : 0; i < lost; i++)
        draw_config(s, &line->strands.list[i * axes], axes, "stroke=\"#BBBBBB\" stroke-width=\".8\"");
    for (size_t i = first; i < count; i++) {
        const struct pl_point *points = &line->means.list[i * each];
        char how[60];
        bool white;
        snprintf(how, sizeof how, "stroke=\"#%06X\" stroke-width=\"1.4\"",
                 pl_colour_at(s->figure, pl_colour_place(s->panel, points[0].hue), &white));
        draw_config(s, points, each, how);
    }
    pl_text_add(s->out, "</g>\n");
    struct pl_text name = {0};
    pl_inline_label(s->panel->line_count > 1 ? s->figure->legend[line->style].label : "", &name);
    if (first || lost > most)
        pl_text_addf(note, "Of %zu configurations%s%s the best %zu are drawn on this page. ", count + lost,
                     name.length ? " of " : "", pl_text(&name),
                     (count > most ? most : count) + (lost > most ? most : lost));
    pl_text_release(&name);
    pl_text_release(&classes);
}

/* Crosses and arrows at the top of the metric's axis, where a line has no end, and strokes where some runs diverged. */
static void draw_marks(const struct pl_inline *s, const struct pl_plot_line *line)
{
    double x = s->right;
    if (line->outside.count)
        pl_text_addf(s->out, "<path class=\"axis\" fill=\"none\" d=\"M%.1f %.1fl-3 5m3-5l3 5m-3-5v10\"/>", x, s->top);
    if (line->lost.count)
        pl_text_addf(s->out, "<path class=\"axis\" fill=\"none\" d=\"M%.1f %.1fm-4-4l8 8m0-8l-8 8\"/>", x, s->top);
    for (size_t i = 0; i < line->changed.count; i++)
        pl_text_addf(s->out, "<path class=\"axis\" fill=\"none\" d=\"M%.1f %.1fm0-6v12\"/>", x,
                     s->bottom - line->changed.list[i].y * (s->bottom - s->top));
}

void pl_inline_parallel(const struct pl_inline *s, struct pl_text *note)
{
    const struct pl_panel *panel = s->panel;
    size_t most = s->most / (panel->axis_count + 1);
    most = most < LEAST_LINES ? LEAST_LINES : most;
    for (size_t l = 0; l < panel->line_count; l++)
        draw_lines(s, &panel->lines[l], most, note);
    for (size_t a = 0; a < panel->axis_count; a++)
        add_axis(s, a);
    pl_inline_scale(s);
    for (size_t l = 0; l < panel->line_count; l++)
        draw_marks(s, &panel->lines[l]);
}

void pl_inline_parallel_describe(const struct pl_inline *s, struct pl_text *text)
{
    size_t axes = s->panel->axis_count;
    for (size_t l = 0; l < s->panel->line_count; l++) {
        const struct pl_plot_line *line = &s->panel->lines[l];
        const char *label = s->figure->legend[line->style].label;
        size_t count = line->means.count / (axes + 1), lost = line->strands.count / axes;
        struct pl_text best = {0};
        if (*label) {
            pl_inline_label(label, text);
            pl_text_add(text, ": ");
        }
        pl_text_addf(text, "%zu configurations", count + lost);
        if (line->lost.count)
            pl_text_addf(text, ", %zu of them diverged", line->lost.count);
        if (line->outside.count)
            pl_text_addf(text, ", %zu never reached the target", line->outside.count);
        if (count) {
            const struct pl_point *points = &line->means.list[(count - 1) * (axes + 1)];
            add_settings(s->panel, points, &best);
            add_outcome(s, &points[axes], &best);
            pl_text_addf(text, "; the best has %s", pl_text(&best));
        }
        pl_text_add(text, ". ");
        pl_text_release(&best);
    }
}
