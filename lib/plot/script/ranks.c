/* The diagram of mean ranks (Demsar 2006): an axis of ranks, a line from each method's mean rank to its name, and thick
 * lines across those that cannot be told apart. In a terminal, which has no room for it, a row for each method. */
#include "plot/ticks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t levels_of(const struct pl_figure *figure)
{
    size_t levels = 0;
    for (size_t i = 0; i < figure->alike_count; i++)
        levels = figure->alike[i].level > levels ? figure->alike[i].level : levels;
    return levels;
}

double pl_layout_ranks_top(const struct pl_figure *figure)
{
    return 0.6 + 0.45 * (double)levels_of(figure);
}

/* The better half of the methods stands on the left, the best one uppermost; on the right the worst one is. */
static size_t row_of(const struct pl_figure *figure, size_t method, bool *left)
{
    size_t count = figure->legend_count, on_left = (count + 1) / 2;
    *left = method < on_left;
    return *left ? method : count - 1 - method;
}

double pl_layout_ranks_depth(const struct pl_figure *figure)
{
    return PL_RANK_HEAD + pl_layout_ranks_top(figure) + (double)((figure->legend_count + 1) / 2);
}

static size_t block_of(struct pl_script *s, const char *label, const char *what, const double (*points)[2],
                       size_t count)
{
    size_t block = pl_script_block(s, label, what);
    for (size_t i = 0; i < count; i++) {
        pl_script_number(s->data, points[i][0]);
        pl_text_add_char(s->data, ' ');
        pl_script_number(s->data, points[i][1]);
        pl_text_add_char(s->data, '\n');
    }
    pl_script_end_block(s);
    return block;
}

static void begin_item(struct pl_script *s, bool first, size_t block)
{
    pl_text_add(s->text, first ? "plot " : ", \\\n  ");
    pl_script_source(s, block);
    pl_text_add(s->text, "using 1:2 ");
}

/* The axis and its ticks, which stand within the panel. */
static void add_axis(struct pl_script *s, const struct pl_panel *panel)
{
    struct pl_tick_axis axis = {.range = {panel->x_range[0], panel->x_range[1]},
                                .whole = true,
                                .length = s->size.panel_width - s->size.left - s->size.right,
                                .letter = s->size.letter,
                                .gap = 0.15 * s->size.scale};
    struct pl_ticks ticks;
    struct pl_text *text = s->text;
    pl_ticks_make(&axis, &ticks);
    if (ticks.count && ticks.list[0].at > 1.5) { /* the best rank there can be */
        pl_ticks_add(&ticks, 0, NULL);
        memmove(ticks.list + 1, ticks.list, (ticks.count - 1) * sizeof *ticks.list);
        ticks.list[0] = (struct pl_tick){1, pl_copy("1"), NULL};
        pl_ticks_thin(&axis, ticks.list, ticks.count);
    }
    pl_text_addf(text, "set arrow from %.17g,0 to %.17g,0 nohead lc rgb '#444444' lw 1\n", panel->x_range[0],
                 panel->x_range[1]);
    for (size_t i = 0; i < ticks.count; i++) {
        pl_text_addf(text, "set arrow from %.17g,0 to %.17g,0.25 nohead lc rgb '#444444' lw 1\nset label ",
                     ticks.list[i].at, ticks.list[i].at);
        pl_script_quote(s->figure, text, ticks.list[i].label);
        pl_text_addf(text, " at %.17g,0.75 center tc rgb '#222222'\n", ticks.list[i].at);
    }
    pl_ticks_release(&ticks);
    pl_text_add(text, "set label ");
    pl_script_quote(s->figure, text, s->figure->x_label);
    pl_text_addf(text, " at %.17g,1.65 center tc rgb '#222222'\n", (panel->x_range[0] + panel->x_range[1]) / 2);
}

static void add_name(struct pl_script *s, const char *name, double x, double y, bool left)
{
    pl_text_add(s->text, "set label ");
    pl_script_quote(s->figure, s->text, name);
    pl_text_addf(s->text, " at %.17g,%.17g %s offset %s,0\n", x, y, left ? "right" : "left", left ? "-0.4" : "0.4");
}

/* From the axis down and to the name. */
static void add_methods(struct pl_script *s, const struct pl_panel *panel)
{
    const struct pl_figure *figure = s->figure;
    double top = pl_layout_ranks_top(figure);
    size_t *blocks = pl_new((panel->line_count + 1) * sizeof *blocks);
    for (size_t i = 0; i < panel->line_count; i++) {
        const struct pl_plot_line *line = &panel->lines[i];
        bool left;
        double y = -top - (double)row_of(figure, line->style, &left), rank = line->means.list[0].x;
        double side = panel->x_range[left ? 0 : 1];
        const double points[3][2] = {{rank, 0}, {rank, y}, {side, y}};
        const struct pl_legend_entry *entry = &figure->legend[line->style];
        blocks[i] = block_of(s, entry->label, "mean rank: x y", points, 3);
        add_name(s, entry->brief ? entry->brief : entry->label, side, y, left);
    }
    for (size_t i = 0; i < panel->line_count; i++) {
        begin_item(s, !i, blocks[i]);
        pl_text_add(s->text, "with lines lc rgb '#444444' lw 1.1 title ");
        pl_script_quote(s->figure, s->text, figure->legend[panel->lines[i].style].label);
    }
    free(blocks);
}

static void add_alike(struct pl_script *s, const struct pl_panel *panel)
{
    const struct pl_figure *figure = s->figure;
    double reach = 0.008 * (panel->x_range[1] - panel->x_range[0]);
    for (size_t i = 0; i < figure->alike_count; i++) {
        const struct pl_alike *a = &figure->alike[i];
        double y = -0.45 * (double)a->level;
        double from = panel->lines[a->first].means.list[0].x, to = panel->lines[a->last].means.list[0].x;
        const double points[2][2] = {{from, y}, {to, y}};
        struct pl_text label = {0};
        pl_text_addf(&label, "%s to %s", figure->legend[a->first].label, figure->legend[a->last].label);
        block_of(s, pl_text(&label), "cannot be told apart: x y", points, 2);
        pl_text_addf(s->text, "set arrow from %.17g,%.17g to %.17g,%.17g nohead lc rgb '#0072B2' lw 4\n", from - reach,
                     y, to + reach, y);
        pl_text_release(&label);
    }
}

/* How long the critical difference is; where it is longer than the axis, as far as there is room. */
static void add_critical(struct pl_script *s, const struct pl_panel *panel)
{
    double from = panel->x_range[0], to = from + s->figure->critical;
    bool beyond = to > panel->x_range[1];
    const double points[2][2] = {{from, 2.6}, {beyond ? panel->x_range[1] : to, 2.6}};
    begin_item(s, false,
               block_of(s, "", beyond ? "critical difference, cut: x y" : "critical difference: x y", points, 2));
    pl_text_add(s->text, "with lines lc rgb '#0072B2' lw 1.6 notitle");
}

static void label_critical(struct pl_script *s, const struct pl_panel *panel)
{
    double from = panel->x_range[0], to = from + s->figure->critical;
    bool beyond = to > panel->x_range[1];
    to = beyond ? panel->x_range[1] : to;
    pl_text_addf(s->text, "set label 'critical difference %.2f%s' at %.17g,3.15 %s tc rgb '#222222'\n",
                 s->figure->critical, beyond ? ", longer than the axis" : "", beyond ? (from + to) / 2 : from,
                 beyond ? "center" : "left");
    for (int end = 0; end < 2; end++)
        if (!end || !beyond)
            pl_text_addf(s->text, "set arrow from %.17g,2.45 to %.17g,2.75 nohead lc rgb '#0072B2' lw 1.6\n",
                         end ? to : from, end ? to : from);
}

/* A row for each method, with its name at the axis. */
static void write_plain(struct pl_script *s, const struct pl_panel *panel)
{
    double count = (double)panel->line_count;
    pl_text_addf(s->text, "set xrange [%.17g:%.17g]\nset yrange [%.17g:0.5] \nset ytics (", panel->x_range[0],
                 panel->x_range[1], count + 0.5);
    for (size_t i = 0; i < panel->line_count; i++) {
        const struct pl_legend_entry *entry = &s->figure->legend[panel->lines[i].style];
        pl_text_add(s->text, i ? ", " : "");
        pl_script_tick(s->figure, s->text, entry->brief ? entry->brief : entry->label);
        pl_text_addf(s->text, " %zu", i + 1);
    }
    pl_text_add(s->text, ")\nunset key\n");
    for (size_t i = 0; i < panel->line_count; i++) {
        const double point[1][2] = {{panel->lines[i].means.list[0].x, (double)i + 1}};
        begin_item(s, !i, block_of(s, s->figure->legend[panel->lines[i].style].label, "mean rank: x row", point, 1));
        pl_text_add(s->text, "with points pt '*' title ");
        pl_script_quote(s->figure, s->text, s->figure->legend[panel->lines[i].style].label);
    }
    pl_text_add_char(s->text, '\n');
}

void pl_script_ranks(struct pl_script *s, const struct pl_panel *panel)
{
    if (s->figure->plain) {
        write_plain(s, panel);
        return;
    }
    pl_text_addf(s->text,
                 "set border 0\nunset tics\nunset grid\nset xlabel ''\nunset logscale\nset xrange [%.17g:%.17g]\n"
                 "set yrange [%.17g:%d]\n",
                 panel->x_range[0], panel->x_range[1], PL_RANK_HEAD - pl_layout_ranks_depth(s->figure), PL_RANK_HEAD);
    add_axis(s, panel);
    label_critical(s, panel);
    add_alike(s, panel);
    add_methods(s, panel);
    add_critical(s, panel);
    pl_text_add_char(s->text, '\n');
}
