/* The plot command and the data of a panel with lines. */
#include "plot/plot_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARKS_ON_A_LINE = 8 };

/* Keeps a value within reach of the axis: gnuplot's arithmetic is not made for 1e300, and a line that leaves the
 * panel points the same way wherever it goes. */
static double near_axis(double y, const double range[2], bool log)
{
    if (isnan(y) || (log && y < 0))
        return NAN;
    double span = log ? range[1] / range[0] : range[1] - range[0];
    double low = log ? range[0] / span / span : range[0] - 10 * span;
    double high = log ? range[1] * span * span : range[1] + 10 * span;
    return fmin(fmax(y, low), high);
}

/* The lower edge of a band or error bar. On a logarithmic axis one deviation may plunge towards zero or below it: there
 * it ends at the lowest run. */
static double foot(const struct pl_point *p, const double range[2], bool log)
{
    return near_axis(log ? fmax(p->low, p->least) : p->low, range, log);
}

static void add_block(const struct pl_panel *panel, const struct pl_points *points, const char *what,
                      struct pl_text *data)
{
    pl_text_addf(data, "# %s: x y low high runs\n", what);
    for (size_t i = 0; i < points->count; i++) {
        const struct pl_point *p = &points->list[i];
        double y = near_axis(p->y, panel->y_range, panel->log_y);
        if (isnan(y)) {
            pl_text_add_char(data, '\n');
            continue;
        }
        pl_text_addf(data, "%.12g %.12g %.12g %.12g %lld\n", p->x, y, foot(p, panel->y_range, panel->log_y),
                     near_axis(p->high, panel->y_range, panel->log_y), (long long)p->n);
    }
    pl_text_add(data, "\n\n");
}

static bool has_spread(const struct pl_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        if (points->list[i].high > points->list[i].low)
            return true;
    return false;
}

/* Runs that cannot be told from their mean are not drawn one by one: they would fill the gaps of its dashes. */
static bool shows_strands(const struct pl_panel *panel, const struct pl_line *line)
{
    double span = panel->y_range[1] - panel->y_range[0];
    for (size_t i = 0; i < line->means.count && line->strands.count; i++) {
        const struct pl_point *p = &line->means.list[i];
        if (panel->log_y ? p->high > 1.1 * p->low : p->high - p->low > 0.01 * span)
            return true;
    }
    return false;
}

/* What a line consists of, with the number of its block in the data file. */
struct drawn {
    const struct pl_line *line;
    size_t means, strands, lost, turn, fit; /* SIZE_MAX: none */
};

static void begin_item(struct pl_text *script, const char *base, size_t block, bool *first)
{
    pl_text_add(script, *first ? "plot '" : ", \\\n  '");
    pl_label_text(script, base, true);
    pl_text_addf(script, ".dat' index %zu ", block);
    *first = false;
}

/* Where every run diverged stands a cross at the top of the panel. */
static void add_lost_block(const struct pl_panel *panel, const struct pl_line *line, struct pl_text *data)
{
    const double *r = panel->y_range;
    double top = panel->log_y ? r[1] / pow(r[1] / r[0], 0.03) : r[1] - 0.03 * (r[1] - r[0]);
    pl_text_add(data, "# every run diverged: x y\n");
    for (size_t i = 0; i < line->lost.count; i++)
        pl_text_addf(data, "%.12g %.12g\n", line->lost.list[i].x, top);
    pl_text_add(data, "\n\n");
}

static void add_blocks(const struct pl_panel *panel, struct drawn *drawn, size_t *block, struct pl_text *data)
{
    const struct pl_line *line = drawn->line;
    drawn->means = drawn->strands = drawn->lost = drawn->turn = drawn->fit = SIZE_MAX;
    if (line->means.count) {
        drawn->means = (*block)++;
        add_block(panel, &line->means, "mean over the runs", data);
    }
    if (shows_strands(panel, line)) {
        drawn->strands = (*block)++;
        add_block(panel, &line->strands, "single runs", data);
    }
    if (line->fit.n) {
        drawn->fit = (*block)++;
        pl_text_addf(data, "# fitted slope %.6g +- %.2g (95%%, %zu points): x y\n%.12g %.12g\n%.12g %.12g\n\n\n",
                     line->fit.slope, line->fit.error, line->fit.n, line->fit.x[0], line->fit.y[0], line->fit.x[1],
                     line->fit.y[1]);
    }
    if (line->lost.count) {
        drawn->lost = (*block)++;
        add_lost_block(panel, line, data);
    }
    if (line->turn.count) {
        drawn->turn = (*block)++;
        add_block(panel, &line->turn, "averaging begins", data);
    }
}

static void add_band(const struct drawn *d, bool bars, const char *base, bool *first, struct pl_text *script)
{
    if (d->means == SIZE_MAX || !has_spread(&d->line->means) || d->strands != SIZE_MAX)
        return;
    begin_item(script, base, d->means, first);
    if (bars)
        /* The points are drawn with the line. A size of 0 would make an SVG that librsvg refuses. */
        pl_text_addf(script, "using 1:2:3:4 with yerrorbars ls %zu pt -1 notitle", d->line->style + 201);
    else
        pl_text_addf(script, "using 1:3:4 with filledcurves ls %zu fs transparent solid 0.18 noborder notitle",
                     d->line->style + 201);
}

/* With a fit, the means are marks and the fit is the line. */
static void add_fit(const struct drawn *d, const char *base, bool *first, struct pl_text *script)
{
    begin_item(script, base, d->means, first);
    pl_text_addf(script, "using 1:2 with points ls %zu notitle", d->line->style + 201);
    begin_item(script, base, d->fit, first);
    pl_text_addf(script, "using 1:2 with lines ls %zu notitle", d->line->style + 1);
}

static void add_line(const struct drawn *d, bool every_mark, const char *base, bool *first, struct pl_text *script)
{
    size_t style = d->line->style + 1, count = d->line->means.count;
    if (d->strands != SIZE_MAX) {
        begin_item(script, base, d->strands, first);
        pl_text_addf(script, "using 1:2 with lines ls %zu notitle", d->line->style + 101);
    }
    if (d->fit != SIZE_MAX) {
        add_fit(d, base, first, script);
    } else if (d->means != SIZE_MAX) {
        begin_item(script, base, d->means, first);
        if (every_mark || count < 2 * MARKS_ON_A_LINE) {
            pl_text_addf(script, "using 1:2 with linespoints ls %zu notitle", style);
        } else {
            /* Marks of different lines stand at different places, so that they do not hide each other. */
            size_t every = count / MARKS_ON_A_LINE;
            pl_text_addf(script, "using 1:2 with lines ls %zu notitle", style);
            begin_item(script, base, d->means, first);
            pl_text_addf(script, "every %zu::%zu using 1:2 with points ls %zu notitle", every,
                         (every / 2 + d->line->style * every / 5) % every, d->line->style + 201);
        }
    }
    if (d->lost != SIZE_MAX) {
        begin_item(script, base, d->lost, first);
        pl_text_addf(script, "using 1:2 with points ls %zu pt 2 ps 0.8 lw 1.5 notitle", d->line->style + 201);
    }
}

/* Above all lines, so that none hides it. */
static void add_turn(const struct drawn *d, const char *base, bool *first, struct pl_text *script)
{
    if (d->turn == SIZE_MAX)
        return;
    begin_item(script, base, d->turn, first);
    pl_text_addf(script, "using 1:2 with points ls %zu pt %d ps %g lw 1.8 notitle", d->line->style + 201, PL_TURN_MARK,
                 PL_TURN_SIZE);
}

static void add_plain_line(const struct pl_figure *figure, const struct drawn *d, const char *base, bool *first,
                           struct pl_text *script)
{
    const char *label = figure->legend[d->line->style].label;
    bool curve = figure->kind != PL_FIGURE_SENSITIVITY;
    if (d->means == SIZE_MAX)
        return;
    begin_item(script, base, d->means, first);
    pl_text_addf(script, "using 1:2 with %s lt %zu", curve ? "lines" : "linespoints", d->line->style + 1);
    if (label[0])
        pl_text_addf(script, " title '%s'", label);
    else
        pl_text_add(script, " notitle");
}

/* In a terminal the letter says what it is, below the first of a drawing. */
static void add_plain_turn(const struct drawn *d, const char *base, bool *first, bool *told, struct pl_text *script)
{
    if (d->turn == SIZE_MAX)
        return;
    begin_item(script, base, d->turn, first);
    pl_text_addf(script, "using 1:2 with points pt 'O' %s", *told ? "notitle" : "title 'averaging begins'");
    *told = true;
}

const char *pl_script_reference(size_t index)
{
    static const char *const styles[] = {"lc rgb '#555555' dt (12,6) lw 1.1", "lc rgb '#555555' dt (3,6) lw 1.1"};
    return styles[index % 2];
}

/* Grey lines of given slopes. */
static void add_references(const struct pl_figure *figure, const struct pl_panel *panel, const char *base, size_t *index,
                           bool *first, struct pl_text *script, struct pl_text *data)
{
    for (size_t i = 0; i < figure->slope_count && isfinite(panel->anchor[0]); i++) {
        double x[2], y[2];
        pl_fit_reference(panel, figure->slopes[i], x, y);
        pl_text_addf(data, "# slope %g: x y\n%.12g %.12g\n%.12g %.12g\n\n\n", figure->slopes[i], x[0], y[0], x[1], y[1]);
        begin_item(script, base, (*index)++, first);
        pl_text_addf(script, "using 1:2 with lines %s title 'slope %g'", figure->plain ? "" : pl_script_reference(i),
                     figure->slopes[i]);
    }
}

/* The fitted slopes, written into the corner that rising (falling) lines leave free. */
static void add_slopes(const struct pl_figure *figure, const struct pl_panel *panel, struct pl_text *script)
{
    double sum = 0;
    bool crosses = false; /* along the top */
    int row = 0;
    for (size_t l = 0; l < panel->line_count; l++)
        crosses |= panel->lines[l].lost.count > 0;
    for (size_t l = 0; l < panel->line_count; l++)
        sum += panel->lines[l].fit.n ? copysign(1, panel->lines[l].fit.slope) : 0;
    for (size_t l = 0; l < panel->line_count; l++) {
        const struct pl_fit *fit = &panel->lines[l].fit;
        if (!fit->n)
            continue;
        pl_text_addf(script, "set label '%.2f ± %.2f' at graph %s, graph %.3f %s tc ls %zu font ',%g'\n", fit->slope,
                     fit->error, sum < 0 ? "0.97" : "0.03", (crosses ? 0.89 : 0.95) - 0.065 * row++, sum < 0 ? "right" : "left",
                     panel->lines[l].style + 201, 0.8 * figure->font);
    }
}

static int by_style(const void *a, const void *b)
{
    size_t x = ((const struct drawn *)a)->line->style, y = ((const struct drawn *)b)->line->style;
    return (x > y) - (x < y);
}

void pl_script_lines(const struct pl_figure *figure, const struct pl_panel *panel, const char *base, size_t *index,
                     struct pl_text *script, struct pl_text *data)
{
    struct drawn *drawn = pl_new((panel->line_count + 1) * sizeof *drawn);
    bool first = true, told = false, bars = figure->kind == PL_FIGURE_SENSITIVITY;
    for (size_t i = 0; i < panel->line_count; i++)
        drawn[i].line = &panel->lines[i];
    qsort(drawn, panel->line_count, sizeof *drawn, by_style);
    for (size_t i = 0; i < panel->line_count; i++) {
        pl_text_addf(data, "# %s\n", figure->legend[drawn[i].line->style].label);
        add_blocks(panel, &drawn[i], index, data);
    }
    if (!figure->plain)
        add_slopes(figure, panel, script);
    add_references(figure, panel, base, index, &first, script, data);
    for (size_t i = 0; i < panel->line_count && !figure->plain; i++)
        add_band(&drawn[i], bars, base, &first, script);
    for (size_t i = 0; i < panel->line_count; i++) {
        if (figure->plain)
            add_plain_line(figure, &drawn[i], base, &first, script);
        else
            add_line(&drawn[i], bars, base, &first, script);
    }
    for (size_t i = 0; i < panel->line_count; i++) {
        if (figure->plain)
            add_plain_turn(&drawn[i], base, &first, &told, script);
        else
            add_turn(&drawn[i], base, &first, script);
    }
    pl_text_add(script, first ? "plot NaN notitle\n" : "\n");
    free(drawn);
}
