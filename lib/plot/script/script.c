/* The gnuplot script of a figure. It places every panel itself, so that legends never cover data. */
#include "plot/plot_priv.h"

#include <math.h>
#include <stdio.h>
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

void pl_style_of(const struct pl_figure *figure, size_t style, size_t *colour, size_t *dash)
{
    size_t metrics = figure->metric_count;
    bool apart = metrics > 1 && figure->legend_count > metrics;
    *colour = apart ? style / metrics : style;
    *dash = apart ? style % metrics : style;
}

/* Style numbers of gnuplot: lines from 1, their strands and bands with the same colour from 101. */
static void write_styles(const struct pl_figure *figure, struct pl_text *script)
{
    for (size_t i = 0; i < figure->legend_count; i++) {
        size_t colour, dash;
        pl_style_of(figure, i, &colour, &dash);
        const char *rgb = colours[colour % COLOURS];
        pl_text_addf(script, "set style line %zu lc rgb '#%s' dt %s lw 1.6 pt %d ps 0.7\n", i + 1, rgb,
                     dashes[(dash + dash / COLOURS) % DASHES], marks[dash % MARKS]);
        pl_text_addf(script, "set style line %zu lc rgb '#B0%s' dt solid lw 0.6\n", i + 101, rgb);
        pl_text_addf(script, "set style line %zu lc rgb '#%s' dt solid lw 1.2 pt %d ps 0.7\n", i + 201, rgb,
                     marks[dash % MARKS]);
    }
}

static void write_terminal(const struct pl_figure *figure, const struct pl_layout_size *size,
                           const struct pl_plot_options *options, struct pl_text *script)
{
    const char *family = figure->type.family[0] ? figure->type.family : "DejaVu Sans";
    bool points = pl_layout_points(figure) > 0; /* and not gnuplot's own */
    switch (options->format) {
    case PL_PLOT_PNG: /* 200 dots an inch */
        pl_text_addf(script,
                     "set terminal pngcairo enhanced color font '%s,%g' fontscale %g size %.0f,%.0f "
                     "linewidth 2 pointscale 2\n",
                     family, figure->font, points ? 2.778 : 2, 200 * size->width, 200 * size->height);
        break;
    case PL_PLOT_SVG:
        pl_text_addf(script,
                     "set terminal svg enhanced font '%s,%g' size %.0f,%.0f background '#ffffff' "
                     "linewidth 1.1\n",
                     family, figure->font, 96 * size->width, 96 * size->height);
        break;
    case PL_PLOT_PDF:
        pl_text_addf(script,
                     "set terminal pdfcairo enhanced color font '%s,%g' fontscale %g "
                     "size %.3fin,%.3fin linewidth 1.4 dashlength 1.6\n",
                     family, figure->font, points ? 1 : 0.75, size->width, size->height);
        break;
    case PL_PLOT_TIKZ: /* their size and letters are the document's */
    case PL_PLOT_CAIROLATEX:
        pl_text_addf(script, "set terminal %s size %.3fin,%.3fin%s",
                     options->format == PL_PLOT_TIKZ ? "tikz" : "cairolatex pdf colortext", size->width, size->height,
                     options->format == PL_PLOT_TIKZ ? "" : " linewidth 1.4 dashlength 1.6");
        pl_text_addf(script, figure->type.size > 0 ? " font ',%g'\n" : "\n", figure->type.size);
        break;
    case PL_PLOT_DUMB:
        pl_text_addf(script, "set terminal dumb noenhanced mono size %d,%d\n", options->width, options->height);
        break;
    }
}

/* In this folder, whatever the name begins with: "<" and "|" would start programs. */
static void add_file(struct pl_text *script, const char *base, const char *suffix)
{
    struct pl_text path = {0};
    pl_text_addf(&path, "./%s%s", base, suffix);
    pl_label_quote(script, pl_text(&path));
    pl_text_release(&path);
}

size_t pl_script_block(struct pl_script *script, const char *label, const char *what)
{
    pl_text_addf(script->data, "# [%zu] ", ++script->blocks);
    pl_text_addf(script->data, *label ? "%s: %s\n" : "%s%s\n", label, what);
    return script->blocks;
}

void pl_script_end_block(struct pl_script *script)
{
    pl_text_add(script->data, "\n\n");
}

void pl_script_number(struct pl_text *out, double value)
{
    if (isnan(value))
        pl_text_add(out, "NaN");
    else
        pl_text_add_number(out, value);
}

void pl_script_source(struct pl_script *script, size_t block)
{
    add_file(script->text, script->base, ".dat");
    pl_text_addf(script->text, " index '[%zu]' ", block);
}

/* Where a panel stands, as fractions of the picture. */
static void write_place(const struct pl_figure *figure, const struct pl_layout_size *size, size_t index,
                        struct pl_text *script)
{
    double column = (double)(index % size->columns), columns = (double)size->columns;
    double top = size->height - size->title - (double)(index / size->columns) * size->pitch;
    double panels = fmin(size->width, columns * size->panel_width), beside = (size->width - panels) / 2;
    double width = (panels - size->left - (columns - 1) * size->inner - columns * size->right) / columns;
    double left = beside + size->left + column * (width + size->right + size->inner);
    double x0 = left / size->width, x1 = (left + width) / size->width;
    double y0 = (top - size->panel_height + size->bottom) / size->height, y1 = (top - size->heading) / size->height;
    pl_text_addf(script,
                 "set lmargin at screen %.5f\nset rmargin at screen %.5f\nset bmargin at screen %.5f\n"
                 "set tmargin at screen %.5f\n",
                 x0, x1, y0, y1);
    if (figure->z_label)
        pl_text_addf(script, "set colorbox user origin screen %.5f,%.5f size screen %.5f,%.5f\n",
                     x1 + (figure->kind == PL_FIGURE_PARALLEL ? 0 : 0.12) / size->width, y0, 0.14 / size->width,
                     y1 - y0);
}

void pl_script_text(const struct pl_figure *figure, struct pl_text *out, const char *label)
{
    if (figure->latex) {
        pl_label_latex(out, label);
        return;
    }
    for (const char *end; !figure->plain && (end = strstr(label, "]]>")); label = end + 3) {
        pl_text_add_bytes(out, label, (size_t)(end - label));
        pl_text_add(out, "]]{>}");
    }
    pl_text_add(out, label);
}

void pl_script_quote(const struct pl_figure *figure, struct pl_text *script, const char *label)
{
    struct pl_text text = {0};
    pl_script_text(figure, &text, label);
    pl_label_quote(script, pl_text(&text));
    pl_text_release(&text);
}

static void set_text(const struct pl_figure *figure, struct pl_text *script, const char *what, const char *text,
                     const char *how)
{
    pl_text_addf(script, "set %s ", what);
    pl_script_quote(figure, script, text);
    pl_text_addf(script, "%s\n", how);
}

void pl_script_name(const struct pl_figure *figure, const struct pl_layout_size *size, struct pl_text *script,
                    const char *what, char which, const char *how)
{
    struct pl_text name = {0}, whole = {0};
    bool cut;
    double letters = pl_layout_name(figure, size, which, &name, &cut);
    pl_text_add(&whole, how);
    if (letters < 1)
        pl_text_addf(&whole, " font ',%.4g'", letters * figure->font);
    set_text(figure, script, what, pl_text(&name), pl_text(&whole));
    pl_text_release(&name);
    pl_text_release(&whole);
}

static void write_labels(const struct pl_figure *figure, size_t index, const struct pl_layout_size *size,
                         size_t columns, struct pl_text *script)
{
    struct pl_text title = {0};
    bool last_row = index + columns >= figure->panel_count;
    bool short_label = pl_text_width(figure->y_label) <= 3; /* a single letter reads better upright */
    pl_layout_wrap(figure->panels[index].title, figure->plain ? 1000 : size->panel_width - 0.6 * size->scale,
                   size->scale, &title);
    set_text(figure, script, "title", pl_text(&title), " offset 0,-0.4");
    pl_text_release(&title);
    bool x_label = last_row || figure->plain, y_label = index % columns == 0 || figure->plain;
    bool slanted = size->slant && !figure->plain; /* gnuplot would put it as far below as it thinks such labels reach */
    if (x_label && !slanted)
        pl_script_name(figure, size, script, "xlabel", 'x', figure->plain ? "" : " offset 0,0.2");
    else
        set_text(figure, script, "xlabel", "", "");
    if (slanted && x_label && figure->x_label[0]) {
        char how[80];
        double bottom = size->height - size->title - (double)(index / size->columns) * size->pitch - size->panel_height;
        double half = 0.5 * (double)(size->x_lines - 1) * size->line;
        snprintf(how, sizeof how, " at graph 0.5, screen %.5f center",
                 (bottom + 0.6 * size->line + half) / size->height);
        pl_script_name(figure, size, script, "label 1002", 'x', how);
    }
    if (y_label) {
        char how[60]; /* gnuplot sets several lines closer to the labels of ticks */
        double aside = figure->plain ? 0.4 : 0.4 + 0.5 * (double)(size->y_lines - 1);
        snprintf(how, sizeof how, " offset -%.3g,0 %s", aside, short_label ? "norotate" : "rotate");
        pl_script_name(figure, size, script, "ylabel", 'y', how);
    } else {
        set_text(figure, script, "ylabel", "", "");
    }
}

static void write_panel(struct pl_script *script, size_t index)
{
    const struct pl_panel *panel = &script->figure->panels[index];
    if (script->figure->panel_count > 1)
        pl_text_addf(script->data, "# panel %zu: %s\n", index + 1, panel->title);
    if (script->figure->kind == PL_FIGURE_RANKS) {
        pl_script_ranks(script, panel);
    } else {
        const struct pl_figure *figure = script->figure;
        bool first = index % script->size.columns == 0, last = index + script->size.columns >= figure->panel_count;
        pl_script_axes(script, panel, figure->plain || last || !figure->share_x,
                       figure->plain || first || !figure->share_y);
        if (script->figure->kind == PL_FIGURE_HEATMAP)
            pl_script_squares(script, panel);
        else if (script->figure->kind == PL_FIGURE_PARALLEL)
            pl_script_parallel(script, panel);
        else
            pl_script_lines(script, panel);
    }
    pl_text_add(script->text, "unset arrow\nunset label\nunset object\n\n");
}

void pl_script_mark(struct pl_text *script, const struct pl_figure *figure, enum pl_mark mark)
{
    static const char *const drawn[] = {
        "pt 2 ps 0.8 lw 1.5", "pt 6 ps 1.6 lw 1.8", "pt 12 ps 2 lw 1.5", "pt 4 ps 1.7 lw 1.5",
        "pt \"|\"",           "pt \"↑\"",           "pt \"↓\""};
    static const char *const letters[] = {"pt 'X'", "pt 'O'", "pt '>'", "pt '#'", "pt '|'", "pt '^'", "pt 'v'"};
    static const char *const latex[] = {"pt 1 ps 1.8 lw 1.8", "pt 8 ps 1.4 lw 1.5", "pt 10 ps 1.4 lw 1.5"};
    if (figure->latex && mark >= PL_MARK_CHANGED) { /* where characters are no marks */
        pl_text_add(script, latex[mark - PL_MARK_CHANGED]);
        return;
    }
    pl_text_add(script, figure->plain ? letters[mark] : drawn[mark]);
    if (!figure->plain && mark >= PL_MARK_CHANGED)
        pl_text_addf(script, " font ',%g'", pl_layout_points(figure) > 0 ? 1.4 * figure->font : 14);
}

const char *pl_script_mark_title(enum pl_mark mark, enum pl_figure_kind kind)
{
    static const char *const titles[] = {"every run diverged", "averaging begins",           "not finished yet",
                                         "stopped early",      "the number of runs changes", "above the axis",
                                         "below the axis"};
    return mark == PL_MARK_CHANGED && pl_figure_has_configs(kind) ? "some runs diverged" : titles[mark];
}

const char pl_script_beside[] = "dt (2,4) lw 1.4", pl_script_beside_title[] = "the mean";

static void write_mark_entry(const struct pl_figure *figure, enum pl_mark mark, struct pl_text *script)
{
    pl_text_add(script, ", \\\n  keyentry with points ");
    pl_script_mark(script, figure, mark);
    pl_text_addf(script, " %s rgb '#333333' title '%s'", mark < PL_MARK_CHANGED || figure->latex ? "lc" : "tc",
                 pl_script_mark_title(mark, figure->kind));
}

static void write_line_entry(const struct pl_figure *figure, size_t style, size_t most, struct pl_text *script)
{
    const char *how = figure->kind == PL_FIGURE_SCATTER || figure->kind == PL_FIGURE_STRIP      ? "points"
                      : figure->kind == PL_FIGURE_PROFILE || figure->kind == PL_FIGURE_PARALLEL ? "lines"
                                                                                                : "linespoints";
    struct pl_text cut = {0};
    pl_label_cut(&cut, figure->legend[style].label, most);
    pl_text_addf(script, ", \\\n  keyentry with %s ls %zu%s title ", how, style + 1,
                 figure->z_label ? " lc rgb '#333333'" : "");
    pl_script_quote(figure, script, pl_text(&cut));
    pl_text_release(&cut);
}

/* The legend is a plot of its own without axes, in a strip below the panels. */
static void write_legend(const struct pl_figure *figure, const struct pl_layout_size *size, struct pl_text *script)
{
    if (!size->legend_columns)
        return;
    pl_text_add(script, "unset border\nunset tics\nunset grid\nunset title\nunset xlabel\nunset ylabel\n"
                        "unset logscale\nset lmargin at screen 0\nset rmargin at screen 1\n");
    pl_text_addf(script, "set bmargin at screen %.5f\nset tmargin at screen %.5f\n", size->said / size->height,
                 (size->said + size->legend) / size->height);
    pl_text_addf(script,
                 "set key inside center center horizontal Left reverse samplen 3.5 width 1 maxcols %zu font ',%g'\n",
                 size->legend_columns, 0.9 * figure->font);
    pl_text_add(script, "plot [0:1] [0:1] NaN notitle");
    size_t most = pl_layout_entry(figure, size);
    for (size_t i = 0; i < figure->legend_count; i++)
        if (figure->legend[i].shown && figure->legend[i].label[0])
            write_line_entry(figure, i, most, script);
    if (figure->beside)
        pl_text_addf(script, ", \\\n  keyentry with lines lc rgb '#333333' %s title '%s'", pl_script_beside,
                     pl_script_beside_title);
    for (size_t i = 0; i < figure->slope_count; i++)
        pl_text_addf(script, ", \\\n  keyentry with lines %s title 'slope %g'", pl_script_reference(i),
                     figure->slopes[i]);
    for (int i = 0; i < PL_MARK_COUNT; i++)
        if (figure->marked[i])
            write_mark_entry(figure, (enum pl_mark)i, script);
    pl_text_add_char(script, '\n');
}

/* In small letters at the foot. */
static void write_said(struct pl_script *s)
{
    struct pl_text said = {0};
    pl_layout_wrap(s->figure->said, s->size.width - 0.2, PL_LAYOUT_SAID * s->size.scale, &said);
    pl_text_add(s->text, "set label 1001 ");
    pl_script_quote(s->figure, s->text, pl_text(&said));
    pl_text_addf(s->text, " at screen 0.5, screen %.5f center font ',%g' tc rgb '#444444'\n",
                 (s->size.said - 0.7 * PL_LAYOUT_SAID * s->size.line) / s->size.height,
                 PL_LAYOUT_SAID * s->figure->font);
    pl_text_release(&said);
}

static void write_picture(struct pl_script *s)
{
    const struct pl_figure *figure = s->figure;
    struct pl_text *script = s->text;
    write_styles(figure, script);
    if (figure->z_label)
        pl_colour_palette(figure, script);
    pl_text_add(script, "unset key\nset border 3 lc rgb '#444444' lw 0.8\n"
                        "set tics nomirror out scale 0.6 tc rgb '#222222'\n"
                        "set grid lc rgb '#E4E4E4' lt 1 dt solid lw 0.6\n");
    if (figure->kind == PL_FIGURE_HEATMAP)
        pl_text_add(script, "unset grid\nset border 0\nset tics scale 0\n");
    pl_text_add(script, "set multiplot\n");
    if (figure->title[0]) {
        struct pl_text title = {0};
        pl_layout_wrap(figure->title, s->size.width, 1.2 * s->size.scale, &title);
        pl_text_add(script, "set label 1000 ");
        pl_script_quote(figure, script, pl_text(&title));
        pl_text_release(&title);
        pl_text_addf(script, " at screen 0.5, screen %.5f center font ',%g'\n",
                     1 - 0.5 * s->size.title / s->size.height, 1.2 * figure->font);
    }
    if (figure->said[0])
        write_said(s);
    for (size_t i = 0; i < figure->panel_count; i++) {
        pl_text_addf(script, "\n# panel %zu\n", i + 1);
        write_place(figure, &s->size, i, script);
        write_labels(figure, i, &s->size, s->size.columns, script);
        write_panel(s, i);
    }
    write_legend(figure, &s->size, script);
    pl_text_add(script, "unset multiplot\n");
}

/* In a terminal every panel is a drawing of its own, with its legend below. */
static void write_drawings(struct pl_script *s)
{
    const struct pl_figure *figure = s->figure;
    pl_text_add(s->text, "set key below\nset tics nomirror\n");
    for (size_t i = 0; i < figure->panel_count; i++) {
        struct pl_text title = {0};
        pl_text_addf(&title, "%s%s%s%s%s", figure->title, figure->title[0] && figure->panels[i].title[0] ? ": " : "",
                     figure->panels[i].title,
                     figure->said[0] && (figure->title[0] || figure->panels[i].title[0]) ? ". " : "", figure->said);
        write_labels(figure, i, &s->size, 1, s->text);
        set_text(figure, s->text, "title", pl_text(&title), "");
        write_panel(s, i);
        pl_text_release(&title);
    }
}

void pl_script_write(const struct pl_figure *figure, const char *base, const struct pl_plot_options *options,
                     struct pl_text *text, struct pl_text *data)
{
    struct pl_script script = {.figure = figure, .options = options, .base = base, .text = text, .data = data};
    pl_layout_measure(figure, options, &script.size);
    pl_text_addf(text, "# Made by poula %s. Draw it again in this folder: gnuplot -d ", PL_VERSION);
    add_file(text, base, ".gp");
    pl_text_add(text, "\nset encoding utf8\n");
    write_terminal(figure, &script.size, options, text);
    pl_text_add(text, "set output ");
    add_file(text, base, pl_plot_endings[options->format]);
    pl_text_add_char(text, '\n');
    if (figure->plain)
        write_drawings(&script);
    else
        write_picture(&script);
    pl_text_add(text, "unset output\n");
}
