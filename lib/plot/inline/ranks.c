/* The diagram of mean ranks in a page (Demsar 2006): what script/ranks.c draws, with the values under the pointer. */
#include "plot/inline/inline.h"
#include "plot/ticks.h"

#include <math.h>

enum { WIDTH = 440, AXIS = 74, ROW = 19, LEVEL = 7, LONGEST = 24 };
static const double letter = 7.6; /* the width of one */

struct ranks {
    const struct pl_figure *figure;
    const struct pl_panel *panel;
    double left, right; /* ends of the axis */
    double top;         /* of the first row */
    struct pl_text *out;
};

static double place(const struct ranks *r, double rank)
{
    const double *range = r->panel->x_range;
    return r->left + (rank - range[0]) / (range[1] - range[0]) * (r->right - r->left);
}

static void name_of(const struct ranks *r, size_t line, size_t longest, struct pl_text *name)
{
    struct pl_text cut = {0};
    const char *label = r->figure->legend[r->panel->lines[line].style].label;
    pl_label_cut(&cut, label, longest);
    pl_inline_label(pl_text(&cut), name);
    pl_text_release(&cut);
}

static double rank_of(const struct ranks *r, size_t line)
{
    return r->panel->lines[line].means.list[0].x;
}

/* The better half stands on the left, the best one uppermost; on the right the worst one is. */
static bool on_left(const struct ranks *r, size_t line, size_t *row)
{
    size_t count = r->panel->line_count, left = (count + 1) / 2;
    *row = line < left ? line : count - 1 - line;
    return line < left;
}

static void measure(struct ranks *r)
{
    double side[2] = {0, 0};
    size_t levels = 0;
    for (size_t i = 0; i < r->panel->line_count; i++) {
        struct pl_text name = {0};
        size_t row;
        name_of(r, i, LONGEST, &name);
        double *of = &side[!on_left(r, i, &row)];
        *of = fmax(*of, letter * (double)pl_text_width(pl_text(&name)));
        pl_text_release(&name);
    }
    for (size_t i = 0; i < r->figure->alike_count; i++)
        levels = r->figure->alike[i].level > levels ? r->figure->alike[i].level : levels;
    r->left = side[0] + 14;
    r->right = WIDTH - side[1] - 14;
    r->top = AXIS + 18 + LEVEL * (double)levels;
}

static void text_at(const struct ranks *r, const char *class, double x, double y, const char *text)
{
    pl_text_addf(r->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    pl_html(r->out, "", text, "</text>\n");
}

static void draw_axis(const struct ranks *r)
{
    struct pl_tick_axis axis = {.range = {r->panel->x_range[0], r->panel->x_range[1]},
                                .whole = true,
                                .length = r->right - r->left,
                                .letter = letter,
                                .gap = 8};
    struct pl_ticks ticks = {0};
    struct pl_text label = {0};
    pl_ticks_make(&axis, &ticks);
    pl_text_addf(r->out, "<path class=\"axis\" d=\"M%.1f %dH%.1f", r->left, AXIS, r->right);
    for (size_t i = 0; i < ticks.count; i++)
        pl_text_addf(r->out, "M%.1f %dv-5", place(r, ticks.list[i].at), AXIS);
    pl_text_add(r->out, "\"/>\n");
    for (size_t i = 0; i < ticks.count; i++) {
        pl_text_clear(&label);
        pl_inline_label(ticks.list[i].label, &label);
        text_at(r, "mid", place(r, ticks.list[i].at), AXIS - 9, pl_text(&label));
    }
    pl_text_clear(&label);
    pl_inline_label(r->figure->x_label, &label);
    text_at(r, "mid", WIDTH / 2.0, AXIS - 27, pl_text(&label));
    pl_text_release(&label);
    pl_ticks_release(&ticks);
}

/* How long the critical difference is, as far as the axis is. */
static void draw_critical(const struct ranks *r)
{
    double to = r->panel->x_range[0] + r->figure->critical;
    bool beyond = to > r->panel->x_range[1];
    struct pl_text said = {0};
    pl_text_addf(&said, "critical difference %.2f%s", r->figure->critical, beyond ? ", longer than the axis" : "");
    double end = place(r, beyond ? r->panel->x_range[1] : to);
    pl_text_addf(r->out, "<path class=\"axis c0 stroked\" stroke-width=\"1.6\" d=\"M%.1f 20v6m0-3H%.1f%s\"/>\n",
                 r->left, end, beyond ? "" : "m0-3v6");
    text_at(r, "mid", WIDTH / 2.0, 13, pl_text(&said));
    pl_text_release(&said);
}

/* From the axis down and to the name; the pointer need not hit the thin line. */
static void draw_method(const struct ranks *r, size_t line)
{
    struct pl_text name = {0}, whole = {0};
    size_t row;
    bool left = on_left(r, line, &row);
    double x = place(r, rank_of(r, line)), y = r->top + ROW * (double)row, side = left ? r->left : r->right;
    name_of(r, line, LONGEST, &name);
    pl_inline_label(r->figure->legend[r->panel->lines[line].style].label, &whole);
    pl_text_addf(&whole, ": mean rank %.7g", rank_of(r, line));
    pl_html(r->out, "<g class=\"rank\"><title>", pl_text(&whole), "</title>");
    for (int wide = 0; wide < 2; wide++)
        pl_text_addf(r->out, "<path %s d=\"M%.1f %dV%.1fH%.1f\"/>",
                     wide ? "fill=\"none\" stroke=\"transparent\" stroke-width=\"11\"" : "class=\"axis\" fill=\"none\"",
                     x, AXIS, y, side);
    text_at(r, left ? "end" : "start", side + (left ? -5 : 5), y + 4, pl_text(&name));
    pl_text_add(r->out, "</g>\n");
    pl_text_release(&name);
    pl_text_release(&whole);
}

static void draw_alike(const struct ranks *r, const struct pl_alike *alike)
{
    struct pl_text said = {0};
    double y = AXIS + 3 + LEVEL * (double)alike->level;
    name_of(r, alike->first, PL_LONGEST_NAME, &said);
    pl_text_add(&said, " to ");
    name_of(r, alike->last, PL_LONGEST_NAME, &said);
    pl_text_add(&said, " cannot be told apart");
    pl_text_addf(r->out, "<path class=\"c0 stroked\" stroke-width=\"4\" d=\"M%.1f %.1fH%.1f\">",
                 place(r, rank_of(r, alike->first)) - 3, y, place(r, rank_of(r, alike->last)) + 3);
    pl_html(r->out, "<title>", pl_text(&said), "</title></path>\n");
    pl_text_release(&said);
}

void pl_inline_ranks(const struct pl_figure *figure, const char *id, struct pl_text *out)
{
    struct ranks r = {.figure = figure, .panel = &figure->panels[0], .out = out};
    struct pl_text text = {0};
    measure(&r);
    double height = r.top + ROW * (double)((r.panel->line_count + 1) / 2);
    pl_text_addf(out,
                 "<div class=\"panel\"><svg viewBox=\"0 0 %d %.0f\" role=\"img\" tabindex=\"0\" "
                 "aria-labelledby=\"%s-t %s-d\">\n<title id=\"%s-t\">",
                 WIDTH, height, id, id, id);
    pl_html(out, "", figure->name, "</title>");
    for (size_t i = 0; i < r.panel->line_count; i++) {
        pl_text_add(&text, i ? ", " : "Mean ranks: ");
        name_of(&r, i, PL_LONGEST_NAME, &text);
        pl_text_addf(&text, " %.4g", rank_of(&r, i));
    }
    pl_text_addf(&text, ". The critical difference is %.4g.", figure->critical);
    pl_text_addf(out, "<desc id=\"%s-d\">", id);
    pl_html(out, "", pl_text(&text), "</desc>\n");
    draw_axis(&r);
    draw_critical(&r);
    for (size_t i = 0; i < r.panel->line_count; i++)
        draw_method(&r, i);
    for (size_t i = 0; i < figure->alike_count; i++)
        draw_alike(&r, &figure->alike[i]);
    pl_text_add(out, "</svg></div>\n");
    pl_text_release(&text);
}
