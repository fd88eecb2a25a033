/* Boxes and single runs in a page. */
#include "plot/inline/inline.h"

#include <math.h>

static void add_at(struct pl_text *path, char command, double a, double b)
{
    pl_text_add_char(path, command);
    pl_inline_length(path, a);
    pl_text_add_char(path, ' ');
    pl_inline_length(path, b);
}

static double half_width(const struct pl_inline *s)
{
    double slot = fmin(0.8 * s->figure->slot, 0.5);
    return (pl_inline_x(s, 1 + slot) - pl_inline_x(s, 1)) / 2;
}

/* The box from quartile to quartile, and its whiskers. */
static void draw_box(const struct pl_inline *s, const struct pl_point *p)
{
    double x = pl_inline_x(s, p->place), half = half_width(s), low = pl_inline_end(s, p->low),
           high = pl_inline_end(s, p->high);
    double ends[2] = {pl_inline_end(s, p->ends[0]), pl_inline_end(s, p->ends[1])};
    struct pl_text box = {0}, whiskers = {0};
    add_at(&box, 'M', x - half, low);
    add_at(&box, 'L', x + half, low);
    add_at(&box, 'L', x + half, high);
    add_at(&box, 'L', x - half, high);
    pl_text_add_char(&box, 'z');
    for (int end = 0; end < 2; end++) {
        add_at(&whiskers, 'M', x, end ? high : low);
        add_at(&whiskers, 'L', x, ends[end]);
        add_at(&whiskers, 'M', x - half / 2, ends[end]);
        add_at(&whiskers, 'L', x + half / 2, ends[end]);
    }
    pl_text_addf(s->out, "<path class=\"band\" d=\"%s\"/><path class=\"box\" d=\"%s%s\"/>", pl_text(&box),
                 pl_text(&box), pl_text(&whiskers));
    pl_text_release(&box);
    pl_text_release(&whiskers);
}

static void draw_points(const struct pl_inline *s, const struct pl_points *points, size_t style)
{
    struct pl_text path = {0};
    for (size_t i = 0; i < points->count; i++) {
        double y = pl_inline_y(s, points->list[i].y);
        if (isfinite(points->list[i].y) && !isnan(y))
            pl_inline_shape(style, pl_inline_x(s, points->list[i].place), y, &path);
    }
    if (path.length)
        pl_text_addf(s->out, "<path class=\"dots\" d=\"%s\"/>", pl_text(&path));
    pl_text_release(&path);
}

void pl_inline_seeds(const struct pl_inline *s, const struct pl_plot_line *line, const struct pl_points *runs)
{
    struct pl_text medians = {0};
    bool box = s->figure->kind == PL_FIGURE_BOX;
    for (size_t i = 0; i < line->means.count; i++) {
        const struct pl_point *p = &line->means.list[i];
        double x = pl_inline_x(s, p->place), y = pl_inline_y(s, p->y), half = half_width(s);
        if (box && !isnan(p->ends[0]))
            draw_box(s, p);
        if (!isfinite(p->y) || isnan(y) || p->n == 1) /* a single run is its own median */
            continue;
        add_at(&medians, 'M', x - half, y);
        add_at(&medians, 'L', x + half, y);
    }
    draw_points(s, box ? &line->outside : runs, line->style);
    if (medians.length)
        pl_text_addf(s->out, "<path class=\"middle\" d=\"%s\"/>", pl_text(&medians));
    pl_text_release(&medians);
}
