/* The plot command and the data of parallel coordinates. The scale of colours at the right is the axis of the metric.
 */
#include "plot/ticks.h"

#include <stdlib.h>

static void add_number(struct pl_text *data, double value, char end)
{
    pl_script_number(data, value);
    pl_text_add_char(data, end);
}

/* What is drawn of the lines of a heading; 0: nothing. */
struct blocks {
    size_t means, strands, bridges, lost_bridges;
};

/* A row for each axis of each configuration; a single empty row parts one from the next. Returns the block's number, 0
 * without points. */
static size_t add_block(struct pl_script *s, const struct pl_plot_line *line, const struct pl_points *points,
                        const char *what)
{
    struct pl_text heading = {0};
    if (!points->count)
        return 0;
    pl_text_addf(&heading, "%s: axis place value metric runs", what);
    size_t block = pl_script_block(s, s->figure->legend[line->style].label, pl_text(&heading));
    for (size_t i = 0; i < points->count; i++) {
        const struct pl_point *p = &points->list[i];
        pl_text_add(s->data, i && p->parted ? "\n" : "");
        add_number(s->data, p->x, ' ');
        add_number(s->data, p->y, ' ');
        add_number(s->data, p->z, ' ');
        add_number(s->data, p->hue, ' ');
        pl_text_addf(s->data, "%lld\n", (long long)p->n);
    }
    pl_script_end_block(s);
    pl_text_release(&heading);
    return block;
}

static void begin_item(struct pl_script *s, bool *first, size_t block)
{
    pl_text_add(s->text, *first ? "plot " : ", \\\n  ");
    *first = false;
    pl_script_source(s, block);
}

/* Ticks of the first axis stand at its left, those of the others at their right, before the lines that go there. */
static void add_axes(struct pl_script *s, const struct pl_panel *panel)
{
    const struct pl_figure *figure = s->figure;
    double length = s->size.panel_height - s->size.bottom - s->size.heading;
    for (size_t a = 0; a < panel->axis_count; a++) {
        struct pl_ticks ticks;
        if (figure->plain)
            pl_ticks_of_parallel(&panel->axes[a], s->options->height - 8, 1, true, &ticks);
        else
            pl_ticks_of_parallel(&panel->axes[a], length, 1.3 * s->size.line, false, &ticks);
        pl_text_addf(s->text, "set arrow from %zu,0 to %zu,1 nohead front lc rgb '#444444' lw 1\n", a, a);
        for (size_t i = 0; i < ticks.count; i++) {
            pl_text_add(s->text, "set label ");
            pl_script_quote(figure, s->text, ticks.list[i].label);
            pl_text_addf(s->text, " at %zu,%.6g %s front", a, ticks.list[i].at,
                         a ? "left offset 0.5,0" : "right offset -0.7,0");
            if (!figure->plain)
                pl_text_addf(s->text, "%s tc rgb '#222222'", a && !figure->latex ? " boxed" : "");
            pl_text_add_char(s->text, '\n');
        }
        pl_ticks_release(&ticks);
    }
}

static size_t add_bridges(struct pl_script *s, const struct pl_plot_line *line, const struct pl_points *points)
{
    struct pl_points bridges = {0};
    pl_parallel_bridges(points, &bridges);
    size_t block = add_block(s, line, &bridges, "across axes of settings that it does not have");
    free(bridges.list);
    return block;
}

static void add_item(struct pl_script *s, const struct pl_plot_line *line, size_t block, bool grey, bool dotted,
                     bool *first)
{
    size_t style = line->style + 1;
    begin_item(s, first, block);
    if (s->figure->plain)
        pl_text_addf(s->text, "using 1:2 with lines lt %zu", style);
    else if (grey)
        pl_text_addf(s->text, "using 1:2 with lines ls %zu lc rgb '#BBBBBB' lw 0.8", style);
    else
        pl_text_addf(s->text, "using 1:2:(z_at($4)) with lines ls %zu lc palette lw %g", style, dotted ? 0.8 : 1.4);
    pl_text_add(s->text, dotted && !s->figure->plain ? " dt (2,5)" : "");
}

static void add_lines(struct pl_script *s, const struct pl_plot_line *line, const struct blocks *blocks, bool *first)
{
    const char *label = s->figure->legend[line->style].label;
    const size_t before[] = {blocks->strands, blocks->lost_bridges, blocks->bridges};
    for (size_t i = 0; i < 3; i++) {
        bool grey = i != 2, dotted = i != 0;
        if (!before[i])
            continue;
        add_item(s, line, before[i], grey, dotted, first);
        pl_text_add(s->text, " notitle");
    }
    if (!blocks->means)
        return;
    add_item(s, line, blocks->means, false, false, first);
    pl_text_add(s->text, *label ? " title " : " notitle");
    if (*label)
        pl_script_quote(s->figure, s->text, label);
}

/* Crosses at the top of the metric's axis, arrows where a run never reached its target, and bars where some diverged.
 */
static void add_marks(struct pl_script *s, const struct pl_plot_line *line, bool *first)
{
    const struct pl_points *marked[] = {
        [PL_MARK_LOST] = &line->lost, [PL_MARK_CHANGED] = &line->changed, [PL_MARK_ABOVE] = &line->outside};
    static const enum pl_mark marks[] = {PL_MARK_LOST, PL_MARK_CHANGED, PL_MARK_ABOVE};
    for (size_t m = 0; m < 3; m++) {
        size_t block = add_block(s, line, marked[marks[m]], pl_script_mark_title(marks[m], s->figure->kind));
        if (!block)
            continue;
        begin_item(s, first, block);
        pl_text_addf(s->text, "using 1:%s with points ", marks[m] == PL_MARK_CHANGED ? "2" : "(1)");
        pl_script_mark(s->text, s->figure, marks[m]);
        if (!s->figure->plain)
            pl_text_addf(s->text, " %s rgb '#333333'", marks[m] < PL_MARK_CHANGED || s->figure->latex ? "lc" : "tc");
        pl_text_add(s->text, " notitle");
    }
}

void pl_script_parallel(struct pl_script *s, const struct pl_panel *panel)
{
    struct blocks *blocks = pl_new((panel->line_count + 1) * sizeof *blocks);
    bool first = true;
    for (size_t l = 0; l < panel->line_count; l++) {
        const struct pl_plot_line *line = &panel->lines[l];
        blocks[l].means = add_block(s, line, &line->means, "a line for each configuration");
        blocks[l].bridges = add_bridges(s, line, &line->means);
        blocks[l].strands = add_block(s, line, &line->strands, "every run diverged, or one never reached the target");
        blocks[l].lost_bridges = add_bridges(s, line, &line->strands);
    }
    if (!s->figure->plain)
        pl_script_colour_scale(s, panel);
    pl_text_add(s->text, "unset ytics\nunset grid\nunset border\nset style textbox opaque noborder margins 0.3,0.3\n");
    add_axes(s, panel);
    for (size_t l = 0; l < panel->line_count; l++)
        add_lines(s, &panel->lines[l], &blocks[l], &first);
    for (size_t l = 0; l < panel->line_count; l++)
        add_marks(s, &panel->lines[l], &first);
    pl_text_add(s->text, first ? "plot NaN notitle\n" : "\n");
    free(blocks);
}
