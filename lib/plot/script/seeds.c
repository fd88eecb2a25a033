/* The boxes and points of figures that show all seeds. */
#include "plot/script/lines.h"

#include <stdio.h>

/* How wide a box is, and the stroke at a median, of the part of a category that a line has. */
static const double box_share = 0.8, most = 0.5;

enum { MANY = 15 }; /* runs in a category, which have smaller points */

static double box_width(const struct pl_figure *figure)
{
    double width = box_share * figure->slot;
    return width < most ? width : most;
}

/* A single run is its own median. */
static void add_medians(struct pl_panel_script *s, const struct pl_drawn_line *d, const char *colour)
{
    char values[60];
    snprintf(values, sizeof values, "($5 == 1 ? NaN : y_at($2)):(%.6g)", box_width(s->script->figure) / 2);
    pl_script_item(s, d->line, d->means, "", values);
    pl_text_addf(s->script->text, "with xerrorbars ls %zu pt -1%s lw 2.4", d->line->style + 201, colour);
}

static void add_points(struct pl_panel_script *s, const struct pl_drawn_line *d, size_t block)
{
    pl_script_item(s, d->line, block, "", "(y_at($2))");
    if (s->script->figure->plain)
        pl_text_addf(s->script->text, "with points lt %zu", d->line->style + 1);
    else
        pl_text_addf(s->script->text, "with points ls %zu%s", d->line->style + 201,
                     d->line->strands.count > MANY * d->line->means.count ? " ps 0.45" : "");
}

static void add_boxes(struct pl_panel_script *s, const struct pl_drawn_line *d)
{
    const struct pl_figure *figure = s->script->figure;
    struct pl_text *text = s->script->text;
    char values[120];
    snprintf(values, sizeof values, "($8 == $8 ? band_at($3) : NaN):(band_at($8)):(band_at($9)):(band_at($4)):(%.6g)",
             box_width(figure));
    pl_script_item(s, d->line, d->means, "", values);
    if (figure->plain) {
        pl_text_addf(text, "with candlesticks lt %zu", d->line->style + 1);
        pl_script_title(s, d->line);
        pl_text_add(text, " whiskerbars 0.5");
    } else { /* its dashes tell a line without colour */
        pl_text_addf(text, "with candlesticks ls %zu lw 1.2 fs transparent solid 0.25 border notitle whiskerbars 0.5",
                     d->line->style + 1);
    }
}

void pl_script_seeds(struct pl_panel_script *s, const struct pl_drawn_line *d)
{
    const struct pl_figure *figure = s->script->figure;
    struct pl_text *text = s->script->text;
    bool box = figure->kind == PL_FIGURE_BOX;
    size_t points = box ? d->outside : d->strands;
    if (box && d->means)
        add_boxes(s, d);
    if (points) {
        add_points(s, d, points);
        if (box)
            pl_text_add(text, " notitle");
        else
            pl_script_title(s, d->line);
    }
    if (d->means && !figure->plain) {
        add_medians(s, d, box ? "" : " lc rgb '#222222'");
        if (box)
            pl_script_title(s, d->line);
        else
            pl_text_add(text, " notitle");
    }
}
