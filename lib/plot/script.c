/* The gnuplot script of a figure. It places every panel itself, so that legends never cover data. */
#include "plot/plot_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Okabe and Ito's colours, which colour-blind readers can tell apart, darkest first. */
static const char *const colours[] = {"0072B2", "D55E00", "009E73", "CC79A7", "E69F00", "56B4E9", "000000", "7F7F7F"};
static const char *const dashes[] = {"solid", "(22,8)", "(5,6)", "(22,6,5,6)", "(11,6)", "(30,6,5,6,5,6)", "(3,10)"};
static const int marks[] = {7, 5, 9, 13, 11, 6, 4, 8, 12, 10};
enum {
    COLOURS = sizeof colours / sizeof *colours,
    DASHES = sizeof dashes / sizeof *dashes,
    MARKS = sizeof marks / sizeof *marks
};

/* Style numbers of gnuplot: lines from 1, their strands and bands with the same colour from 101. */
static void write_styles(const struct pl_figure *figure, struct pl_text *script)
{
    for (size_t i = 0; i < figure->legend_count; i++) {
        pl_text_addf(script, "set style line %zu lc rgb '#%s' dt %s lw 1.6 pt %d ps 0.7\n", i + 1,
                     colours[i % COLOURS], dashes[(i + i / COLOURS) % DASHES], marks[i % MARKS]);
        pl_text_addf(script, "set style line %zu lc rgb '#B0%s' dt solid lw 0.6\n", i + 101, colours[i % COLOURS]);
        pl_text_addf(script, "set style line %zu lc rgb '#%s' dt solid lw 1.2 pt %d ps 0.7\n", i + 201,
                     colours[i % COLOURS], marks[i % MARKS]);
    }
}

static void write_terminal(const struct pl_figure *figure, const struct pl_layout_size *size,
                           const struct pl_plot_options *options, struct pl_text *script)
{
    switch (options->format) {
    case PL_PLOT_PNG: /* 200 dots an inch */
        pl_text_addf(script, "set terminal pngcairo enhanced color font 'DejaVu Sans,%g' fontscale 2 size %.0f,%.0f "
                     "linewidth 2 pointscale 2\n", figure->font, 200 * size->width, 200 * size->height);
        break;
    case PL_PLOT_SVG:
        pl_text_addf(script, "set terminal svg enhanced font 'DejaVu Sans,%g' size %.0f,%.0f background '#ffffff' "
                     "linewidth 1.1\n", figure->font, 96 * size->width, 96 * size->height);
        break;
    case PL_PLOT_PDF:
        pl_text_addf(script, "set terminal pdfcairo enhanced color font 'DejaVu Sans,%g' fontscale 0.75 "
                     "size %.3fin,%.3fin linewidth 1.4 dashlength 1.6\n", figure->font, size->width, size->height);
        break;
    case PL_PLOT_DUMB:
        pl_text_addf(script, "set terminal dumb noenhanced mono size %d,%d\n", options->width, options->height);
        break;
    }
}

static const char *ending(enum pl_plot_format format)
{
    static const char *const endings[] = {"png", "svg", "pdf", "txt"};
    return endings[format];
}

/* File names stand in single quotes, where only the quote itself is special. */
static void add_file(struct pl_text *script, const char *base, const char *suffix)
{
    pl_text_add_char(script, '\'');
    pl_label_text(script, base, true);
    pl_text_addf(script, ".%s'", suffix);
}

static void write_ticks(struct pl_text *script, char axis, const struct pl_tick *ticks, size_t count)
{
    pl_text_addf(script, "unset m%ctics\nset %ctics (", axis, axis);
    for (size_t i = 0; i < count; i++) {
        pl_text_add(script, i ? ", '" : "'");
        /* gnuplot formats the labels of ticks: a percent sign is written twice. */
        for (const char *c = ticks[i].label; *c; c++) {
            pl_text_add_char(script, *c);
            if (*c == '%')
                pl_text_add_char(script, '%');
        }
        pl_text_addf(script, "' %.17g", ticks[i].at);
    }
    pl_text_add(script, ")\n");
}

/* The least of 1, 2, 5 times a power of ten that is not below wanted. */
static double round_step(double wanted)
{
    double step = pow(10, floor(log10(wanted)));
    return step * (wanted <= step ? 1 : wanted <= 2 * step ? 2 : wanted <= 5 * step ? 5 : 10);
}

/* Three to six ticks at equal distances, where a logarithmic axis is hardly bent. */
static void write_multiples(struct pl_text *script, char axis, const double range[2])
{
    double step = round_step((range[1] - range[0]) / 6);
    if (!(step > 0) || !isfinite(step))
        return;
    pl_text_addf(script, "set %ctics (", axis);
    for (double k = ceil(range[0] / step), first = k; k * step <= range[1]; k++)
        pl_text_addf(script, "%s%.6g", k > first ? ", " : "", k * step);
    pl_text_add(script, ")\n");
}

/* 1, 2 and 5 (or, where those are too few, every digit) times powers of ten: gnuplot by itself would label the decades
 * only, of which a narrow axis may have one. */
static void write_digits(struct pl_text *script, char axis, const double range[2])
{
    static const struct {
        size_t count;
        double digits[9];
    } sets[] = {{3, {1, 2, 5}}, {9, {1, 2, 3, 4, 5, 6, 7, 8, 9}}};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        struct pl_text list = {0};
        size_t ticks = 0;
        for (double power = pow(10, floor(log10(range[0]))); power <= range[1]; power *= 10)
            for (size_t i = 0; i < sets[s].count; i++) {
                double at = power * sets[s].digits[i];
                if (at >= range[0] && at <= range[1])
                    pl_text_addf(&list, "%s%.6g", ticks++ ? ", " : "", at);
            }
        if (ticks >= 3)
            pl_text_addf(script, "set %ctics (%s)\n", axis, pl_text(&list));
        pl_text_release(&list);
        if (ticks >= 3)
            return;
    }
    write_multiples(script, axis, range);
}

/* Labels of thousands need more room than gnuplot thinks. */
static void write_step(const struct pl_figure *figure, const struct pl_panel *panel, struct pl_text *script)
{
    struct pl_layout_size size;
    double most = fmax(fabs(panel->x_range[0]), fabs(panel->x_range[1]));
    if (panel->log_x || panel->x_tick_count || most < 1000 || most >= 1e6)
        return;
    pl_layout_measure(figure, &size);
    double room = (size.panel_width - size.left - size.right) / (0.07 * (floor(log10(most)) + 1) + 0.15);
    double step = round_step((panel->x_range[1] - panel->x_range[0]) / fmax(floor(room), 2));
    pl_text_addf(script, "set xtics %.6g\n", step);
}

/* Decades as powers of ten; a narrower logarithmic axis keeps plain numbers. */
static void write_scale(struct pl_text *script, char axis, bool log, const double range[2], bool plain)
{
    pl_text_addf(script, "set %crange [%.17g:%.17g]\nset %ctics autofreq\n", axis, range[0], range[1], axis);
    if (!log)
        pl_text_addf(script, "unset logscale %c\nset format %c '%%h'\n", axis, axis);
    else if (range[1] / range[0] >= 100 && !plain)
        pl_text_addf(script, "set logscale %c\nset format %c '10^{%%T}'\nunset m%ctics\n", axis, axis, axis);
    else
        pl_text_addf(script, "set logscale %c\nset format %c '%s'\n", axis, axis, plain ? "%.0e" : "%h");
    if (log && range[1] / range[0] < 100 && !plain)
        write_digits(script, axis, range);
}

static void write_breaks(const struct pl_panel *panel, struct pl_text *script)
{
    for (int b = 0; b < 2; b++)
        if (isfinite(panel->x_breaks[b]))
            pl_text_addf(script, "set arrow from %.17g, graph 0 to %.17g, graph 1 nohead lc rgb '#999999' dt (2,3)\n",
                         panel->x_breaks[b], panel->x_breaks[b]);
}

static void write_axes(const struct pl_figure *figure, const struct pl_panel *panel, struct pl_text *script)
{
    write_scale(script, 'x', panel->log_x, panel->x_range, figure->plain);
    if (panel->x_tick_count)
        write_ticks(script, 'x', panel->x_ticks, panel->x_tick_count);
    else if (!figure->plain)
        write_step(figure, panel, script);
    pl_text_addf(script, "set xtics %s\n", panel->slanted && !figure->plain ? "rotate by 35 right" : "norotate");
    write_scale(script, 'y', panel->log_y, panel->y_range, figure->plain);
    if (panel->y_tick_count)
        write_ticks(script, 'y', panel->y_ticks, panel->y_tick_count);
    write_breaks(panel, script);
}

/* Where a panel stands, as fractions of the picture. */
static void write_place(const struct pl_figure *figure, const struct pl_layout_size *size, size_t index,
                        struct pl_text *script)
{
    bool heat = figure->kind == PL_FIGURE_HEATMAP;
    const struct pl_panel *panel = &figure->panels[index];
    double left = (double)(index % size->columns) * size->panel_width;
    double top = size->height - size->title - (double)(index / size->columns) * size->panel_height;
    double x0 = (left + size->left) / size->width, x1 = (left + size->panel_width - size->right) / size->width;
    double y0 = (top - size->panel_height + size->bottom) / size->height;
    double y1 = (top - (panel->title[0] ? 0.35 : 0.15)) / size->height;
    pl_text_addf(script, "set lmargin at screen %.5f\nset rmargin at screen %.5f\nset bmargin at screen %.5f\n"
                 "set tmargin at screen %.5f\n", x0, x1, y0, y1);
    if (heat)
        pl_text_addf(script, "set colorbox user origin screen %.5f,%.5f size screen %.5f,%.5f\n",
                     x1 + 0.12 / size->width, y0, 0.14 / size->width, y1 - y0);
}

static void write_labels(const struct pl_figure *figure, size_t index, size_t columns, struct pl_text *script)
{
    bool last_row = index + columns >= figure->panel_count;
    pl_text_addf(script, "set title '%s' offset 0,-0.4\n", figure->panels[index].title);
    pl_text_addf(script, "set xlabel '%s'%s\n", last_row || figure->plain ? figure->x_label : "",
                 figure->plain ? "" : " offset 0,0.2");
    bool short_label = pl_text_width(figure->y_label) <= 3; /* a single letter reads better upright */
    pl_text_addf(script, "set ylabel '%s' offset -0.4,0 %s\n",
                 index % columns == 0 || figure->plain ? figure->y_label : "", short_label ? "norotate" : "rotate");
}

static void write_panel(const struct pl_figure *figure, const struct pl_panel *panel, const char *base, size_t *block,
                        struct pl_text *script, struct pl_text *data)
{
    write_axes(figure, panel, script);
    if (figure->kind == PL_FIGURE_HEATMAP)
        pl_script_squares(figure, panel, base, block, script, data);
    else
        pl_script_lines(figure, panel, base, block, script, data);
    pl_text_add(script, "unset arrow\nunset label\nunset object\n\n");
}

/* The legend is a plot of its own without axes, in a strip below the panels. */
static void write_legend(const struct pl_figure *figure, const struct pl_layout_size *size, struct pl_text *script)
{
    if (!size->legend_columns)
        return;
    pl_text_add(script, "unset border\nunset tics\nunset grid\nunset title\nunset xlabel\nunset ylabel\n"
                        "unset logscale\nset lmargin at screen 0\nset rmargin at screen 1\nset bmargin at screen 0\n");
    pl_text_addf(script, "set tmargin at screen %.5f\n", size->legend / size->height);
    pl_text_addf(script, "set key inside center center horizontal Left reverse samplen 3.5 maxcols %zu font ',%g'\n",
                 size->legend_columns, 0.9 * figure->font);
    pl_text_add(script, "plot [0:1] [0:1] NaN notitle");
    for (size_t i = 0; i < figure->legend_count; i++)
        if (figure->legend[i].shown && figure->legend[i].label[0])
            pl_text_addf(script, ", \\\n  keyentry with linespoints ls %zu title '%s'", i + 1, figure->legend[i].label);
    for (size_t i = 0; i < figure->slope_count; i++)
        pl_text_addf(script, ", \\\n  keyentry with lines %s title 'slope %g'", pl_script_reference(i), figure->slopes[i]);
    if (figure->any_lost)
        pl_text_add(script, ", \\\n  keyentry with points pt 2 ps 0.8 lw 1.5 lc rgb '#333333' "
                            "title 'every run diverged'");
    if (figure->any_turn)
        pl_text_addf(script, ", \\\n  keyentry with points pt %d ps %g lw 1.5 lc rgb '#333333' title 'averaging begins'",
                     PL_TURN_MARK, PL_TURN_SIZE);
    pl_text_add_char(script, '\n');
}

static void write_picture(const struct pl_figure *figure, const char *base, const struct pl_layout_size *size,
                          struct pl_text *script, struct pl_text *data)
{
    size_t block = 0;
    write_styles(figure, script);
    if (figure->kind == PL_FIGURE_HEATMAP)
        pl_heat_palette(script, figure->direction == PL_MINIMIZE);
    pl_text_add(script, "unset key\nset border 3 lc rgb '#444444' lw 0.8\n"
                        "set tics nomirror out scale 0.6 tc rgb '#222222'\n"
                        "set grid lc rgb '#E4E4E4' lt 1 dt solid lw 0.6\nset minussign\n");
    if (figure->kind == PL_FIGURE_HEATMAP)
        pl_text_add(script, "unset grid\nset border 0\nset tics scale 0\n");
    pl_text_add(script, "set multiplot\n");
    if (figure->title[0])
        pl_text_addf(script, "set label 1000 '%s' at screen 0.5, screen %.5f center font ',%g'\n", figure->title,
                     1 - 0.5 * size->title / size->height, 1.2 * figure->font);
    for (size_t i = 0; i < figure->panel_count; i++) {
        pl_text_addf(script, "\n# panel %zu\n", i + 1);
        write_place(figure, size, i, script);
        write_labels(figure, i, size->columns, script);
        write_panel(figure, &figure->panels[i], base, &block, script, data);
    }
    write_legend(figure, size, script);
    pl_text_add(script, "unset multiplot\n");
}

/* In a terminal every panel is a drawing of its own, with its legend below. */
static void write_drawings(const struct pl_figure *figure, const char *base, struct pl_text *script,
                           struct pl_text *data)
{
    size_t block = 0;
    pl_text_add(script, "set key below\nset tics nomirror\n");
    for (size_t i = 0; i < figure->panel_count; i++) {
        struct pl_text title = {0};
        pl_text_addf(&title, "%s%s%s", figure->title, figure->title[0] && figure->panels[i].title[0] ? ": " : "",
                     figure->panels[i].title);
        write_labels(figure, i, 1, script);
        pl_text_addf(script, "set title '%s'\n", pl_text(&title));
        write_panel(figure, &figure->panels[i], base, &block, script, data);
        pl_text_release(&title);
    }
}

void pl_script_write(const struct pl_figure *figure, const char *base, const struct pl_plot_options *options,
                     struct pl_text *script, struct pl_text *data)
{
    struct pl_layout_size size;
    pl_layout_measure(figure, &size);
    pl_text_addf(script, "# Made by poula %s. Draw it again in this folder: gnuplot -d ", PL_VERSION);
    add_file(script, base, "gp");
    pl_text_add(script, "\nset encoding utf8\n");
    write_terminal(figure, &size, options, script);
    pl_text_add(script, "set output ");
    add_file(script, base, ending(options->format));
    pl_text_add_char(script, '\n');
    if (figure->plain)
        write_drawings(figure, base, script, data);
    else
        write_picture(figure, base, &size, script, data);
    pl_text_add(script, "unset output\n");
}
