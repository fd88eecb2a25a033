/* The plot command and the data of a panel with lines. The data are what was measured; everything that a drawing needs
 * beyond that (places side by side, ends of the axes, points too many) is left to the command. */
#include "plot/script/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARKS_ON_A_LINE = 8, MOST_POINTS = 1000 };

static void add_row(const struct pl_panel_script *s, const struct pl_point *p)
{
    struct pl_script *script = s->script;
    bool box = script->figure->kind == PL_FIGURE_BOX;
    const double values[] = {p->x, p->y, p->low, p->high};
    for (int i = 0; i < 4; i++) {
        pl_script_number(script->data, values[i]);
        pl_text_add_char(script->data, ' ');
    }
    pl_text_addf(script->data, "%lld ", (long long)p->n);
    pl_script_number(script->data, p->least);
    if (s->bars) {
        pl_text_add_char(script->data, ' ');
        pl_script_number(script->data, p->place);
    }
    for (int i = 0; i < 2 && (s->scatter || box); i++) {
        pl_text_add_char(script->data, ' ');
        pl_script_number(script->data, box ? p->ends[i] : i ? p->hue : p->z);
    }
    pl_text_add_char(script->data, '\n');
}

/* Every point has a row; a single empty row parts a line. Returns the block's number, 0 without points. */
static size_t add_block(struct pl_panel_script *s, const struct pl_plot_line *line, const struct pl_points *points,
                        const char *what)
{
    struct pl_text heading = {0};
    if (!points->count)
        return 0;
    bool box = s->script->figure->kind == PL_FIGURE_BOX;
    const char *more = s->scatter ? " place z z-place" : box ? " place whisker whisker" : s->bars ? " place" : "";
    pl_text_addf(&heading, "%s: x y low high runs least%s", what, more);
    size_t block = pl_script_block(s->script, s->script->figure->legend[line->style].label, pl_text(&heading));
    for (size_t i = 0; i < points->count; i++) {
        if (i && points->list[i].parted && !s->scatter && !s->seeds)
            pl_text_add_char(s->script->data, '\n');
        add_row(s, &points->list[i]);
    }
    pl_script_end_block(s->script);
    pl_text_release(&heading);
    return block;
}

static bool has_spread(const struct pl_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        if (points->list[i].high > points->list[i].low)
            return true;
    return false;
}

/* Runs that cannot be told from their mean are not drawn one by one: they would fill the gaps of its dashes. Where some
 * have gaps they can be told. */
static bool shows_strands(const struct pl_panel *panel, const struct pl_plot_line *line)
{
    double span = panel->y_range[1] - panel->y_range[0];
    for (size_t i = 0; i < line->means.count && line->strands.count; i++) {
        const struct pl_point *p = &line->means.list[i];
        if (panel->log_y ? p->high > 1.1 * p->low : p->high - p->low > 0.01 * span)
            return true;
    }
    return line->strands.count && line->changed.count;
}

static bool has_place(const struct pl_panel *panel, const struct pl_point *p)
{
    return isfinite(p->y) && !(panel->log_y && p->y <= 0) && !(panel->log_x && p->place <= 0);
}

/* Points between gaps, which a line without marks would not show. */
static void find_alone(const struct pl_panel *panel, const struct pl_points *points, struct pl_points *alone)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct pl_point *p = &points->list[i];
        bool before = i && !p->parted && has_place(panel, p - 1);
        bool after = i + 1 < points->count && !p[1].parted && has_place(panel, p + 1);
        if (has_place(panel, p) && !before && !after)
            pl_points_add(alone, *p);
    }
}

static size_t add_found(struct pl_panel_script *s, const struct pl_plot_line *line, struct pl_points *found,
                        const char *what)
{
    size_t block = add_block(s, line, found, what);
    free(found->list);
    return block;
}

static void add_fit_block(struct pl_panel_script *s, struct pl_drawn_line *drawn)
{
    const struct pl_fit *fit = &drawn->line->fit;
    struct pl_text heading = {0};
    if (!fit->n)
        return;
    pl_text_addf(&heading, "fitted slope %.6g +- %.2g (95%%, %zu points): x y", fit->slope, fit->error, fit->n);
    drawn->fit = pl_script_block(s->script, s->script->figure->legend[drawn->line->style].label, pl_text(&heading));
    for (int i = 0; i < 2; i++) {
        pl_script_number(s->script->data, fit->x[i]);
        pl_text_add_char(s->script->data, ' ');
        pl_script_number(s->script->data, fit->y[i]);
        pl_text_add_char(s->script->data, '\n');
    }
    pl_script_end_block(s->script);
    pl_text_release(&heading);
}

/* Where they are too many to be drawn, the block that is drawn follows that of all. */
static size_t add_thinned(struct pl_panel_script *s, const struct pl_plot_line *line, const struct pl_points *points,
                          size_t most, const char *what, struct pl_points *shown)
{
    struct pl_text heading = {0};
    size_t block = add_block(s, line, points, what);
    pl_points_thin(points, most, shown);
    if (shown->count < points->count) {
        pl_text_addf(&heading, "%s, as drawn", what);
        block = add_block(s, line, shown, pl_text(&heading));
    }
    pl_text_release(&heading);
    return block;
}

static const char *name_means(const struct pl_figure *figure)
{
    return figure->kind == PL_FIGURE_TUNING        ? "the best of so many points"
           : figure->kind == PL_FIGURE_PROFILE     ? "share of tasks"
           : figure->numbers                       ? "values"
           : figure->around == PL_AROUND_QUARTILES ? "median over the runs"
                                                   : "mean over the runs";
}

static void add_blocks(struct pl_panel_script *s, struct pl_drawn_line *drawn)
{
    const struct pl_plot_line *line = drawn->line;
    struct pl_points shown = {0}, alone = {0}, above = {0}, below = {0}, strands = {0};
    size_t most = s->scatter || s->seeds ? SIZE_MAX : MOST_POINTS;
    const struct pl_points *values = pl_figure_values(s->script->figure, line);
    drawn->means = add_thinned(s, line, &line->means, most, name_means(s->script->figure), &shown);
    add_block(s, line, &line->measured, "not smoothed: mean over the runs");
    drawn->beside = add_block(s, line, &line->beside, "mean of the best");
    drawn->mean_count = shown.count;
    if (!s->seeds)
        find_alone(s->panel, &shown, &alone);
    drawn->alone = add_found(s, line, &alone, "between gaps");
    if (s->seeds || shows_strands(s->panel, line))
        drawn->strands = add_thinned(s, line, &line->strands, MOST_POINTS * 10, "single runs", &strands);
    drawn->outside = add_block(s, line, &line->outside, "single runs beyond the whiskers, or without a box");
    add_fit_block(s, drawn);
    drawn->marks[PL_MARK_LOST] = add_block(s, line, &line->lost, "every run diverged");
    drawn->marks[PL_MARK_TURN] = add_block(s, line, &line->turn, "averaging begins");
    drawn->marks[PL_MARK_OPEN] = add_block(s, line, &line->open, "not finished yet");
    drawn->marks[PL_MARK_ENDED] = add_block(s, line, &line->ended, "stopped early");
    drawn->marks[PL_MARK_CHANGED] = add_block(s, line, &line->changed, "another number of runs");
    size_t every = s->bars ? 1 : 1 + line->means.count / (2 * MARKS_ON_A_LINE);
    pl_range_beyond(s->panel, values, PL_MARK_ABOVE, every, &above);
    drawn->marks[PL_MARK_ABOVE] = add_found(s, line, &above, "above the axis");
    pl_range_beyond(s->panel, values, PL_MARK_BELOW, every, &below);
    drawn->marks[PL_MARK_BELOW] = add_found(s, line, &below, "below the axis");
    free(shown.list);
    free(strands.list);
}

/* Lines stand a little beside each other where they have error bars, so that those can be told apart. Where lines are
 * fitted, points stand where the fit was made. */
static void add_place(const struct pl_panel_script *s, const struct pl_plot_line *line, struct pl_text *out)
{
    const struct pl_figure *figure = s->script->figure;
    const double *r = s->panel->x_range;
    size_t styles = figure->legend_count;
    if (!s->bars || s->scatter || s->seeds || figure->fitted || styles < 2) {
        pl_text_addf(out, "(x_at($%d))", s->bars ? 7 : 1);
        return;
    }
    double span = s->panel->log_x ? log(r[1]) - log(r[0]) : r[1] - r[0];
    double shift = fmin(0.012, 0.04 / (double)styles) * span * ((double)line->style - 0.5 * (double)(styles - 1));
    if (s->panel->log_x)
        pl_text_addf(out, "(x_at($7 * %.12g))", exp(shift));
    else
        pl_text_addf(out, "(x_at($7 + %.12g))", shift);
}

void pl_script_item(struct pl_panel_script *s, const struct pl_plot_line *line, size_t block, const char *more,
                    const char *values)
{
    struct pl_text *text = s->script->text;
    pl_text_add(text, s->first ? "plot " : ", \\\n  ");
    s->first = false;
    pl_script_source(s->script, block);
    pl_text_addf(text, "%susing ", more);
    add_place(s, line, text);
    pl_text_addf(text, ":%s ", values);
}

/* The figure's key is switched off and its legend written by itself; titles say what is what to who reads the script.
 */
void pl_script_title(struct pl_panel_script *s, const struct pl_plot_line *line)
{
    const char *label = s->script->figure->legend[line->style].label;
    pl_text_add(s->script->text, *label ? " title " : " notitle");
    if (*label)
        pl_script_quote(s->script->figure, s->script->text, label);
}

static void add_band(struct pl_panel_script *s, const struct pl_drawn_line *d)
{
    if (!d->means || !has_spread(&d->line->means) || d->strands || s->scatter || s->seeds)
        return;
    if (s->bars) {
        pl_script_item(s, d->line, d->means, "", "(y_at($2)):(low_at($3, $6)):(band_at($4))");
        /* The points are drawn with the line. A size of 0 would make an SVG that librsvg refuses. */
        pl_text_addf(s->script->text, "with yerrorbars ls %zu pt -1 notitle", d->line->style + 201);
    } else {
        bool confidence = s->script->figure->kind == PL_FIGURE_TUNING; /* of a band, which no run is the lowest of */
        pl_script_item(s, d->line, d->means, "",
                       confidence ? "(band_at($3)):(band_at($4))" : "(low_at($3, $6)):(band_at($4))");
        pl_text_addf(s->script->text, "with filledcurves ls %zu fs transparent solid 0.18 noborder notitle",
                     d->line->style + 201);
    }
}

/* Points alone. Those without the setting that colours are grey. */
static void add_scatter(struct pl_panel_script *s, const struct pl_drawn_line *d)
{
    struct pl_text *text = s->script->text;
    size_t style = d->line->style + 201, grey = 0;
    bool coloured = s->script->figure->z_label;
    for (size_t i = 0; i < d->line->means.count && coloured; i++)
        grey += isnan(d->line->means.list[i].hue);
    pl_script_item(s, d->line, d->means, "", coloured ? "(y_at($2)):(z_at($9))" : "(y_at($2))");
    pl_text_addf(text, "with points ls %zu%s", style, coloured ? " lc palette ps 1 lw 1.6" : "");
    pl_script_title(s, d->line);
    if (!grey)
        return;
    /* A number that is not one makes all of its row undefined: as a text it can be compared. */
    pl_script_item(s, d->line, d->means, "", "(strcol(9) eq 'NaN' ? y_at($2) : NaN)");
    pl_text_addf(text, "with points ls %zu lc rgb '#AAAAAA' notitle", style);
}

static void add_means(struct pl_panel_script *s, const struct pl_drawn_line *d)
{
    struct pl_text *text = s->script->text;
    size_t style = d->line->style + 1, count = d->mean_count;
    if (s->scatter) {
        add_scatter(s, d);
        return;
    }
    pl_script_item(s, d->line, d->means, "", "(y_at($2))");
    if (d->fit) { /* the means are marks and the fit is the line */
        pl_text_addf(text, "with points ls %zu", style + 200);
        pl_script_title(s, d->line);
        pl_text_add(text, ", \\\n  ");
        pl_script_source(s->script, d->fit);
        pl_text_addf(text, "using (x_at($1)):(y_at($2)) with lines ls %zu notitle", style);
        return;
    }
    bool steps = s->script->figure->kind == PL_FIGURE_PROFILE;
    bool every_mark = s->bars || count < 2 * MARKS_ON_A_LINE;
    pl_text_addf(text, "with %s ls %zu", steps ? "steps" : every_mark ? "linespoints" : "lines", style);
    pl_script_title(s, d->line);
    if (every_mark || steps)
        return;
    /* Marks of different lines stand at different places, so that they do not hide each other. */
    size_t every = count / MARKS_ON_A_LINE;
    char which[60];
    snprintf(which, sizeof which, "every %zu::%zu ", every, (every / 2 + d->line->style * every / 5) % every);
    pl_script_item(s, d->line, d->means, which, "(y_at($2))");
    pl_text_addf(text, "with points ls %zu notitle", style + 200);
    if (d->alone) {
        pl_script_item(s, d->line, d->alone, "", "(y_at($2))");
        pl_text_addf(text, "with points ls %zu notitle", style + 200);
    }
}

static void add_line(struct pl_panel_script *s, const struct pl_drawn_line *d)
{
    if (d->strands) {
        pl_script_item(s, d->line, d->strands, "", "(y_at($2))");
        pl_text_addf(s->script->text, "with lines ls %zu notitle", d->line->style + 101);
    }
    if (d->means)
        add_means(s, d);
    if (d->beside) {
        pl_script_item(s, d->line, d->beside, "", "(y_at($2))");
        pl_text_addf(s->script->text, "with lines ls %zu %s notitle", d->line->style + 1, pl_script_beside);
    }
}

static void add_plain_line(struct pl_panel_script *s, const struct pl_drawn_line *d)
{
    size_t style = d->line->style + 1;
    if (!d->means)
        return;
    pl_script_item(s, d->line, d->means, "", "(y_at($2))");
    bool steps = s->script->figure->kind == PL_FIGURE_PROFILE;
    pl_text_addf(s->script->text, "with %s lt %zu",
                 s->scatter ? "points"
                 : s->bars  ? "linespoints"
                 : steps    ? "steps"
                            : "lines",
                 style);
    pl_script_title(s, d->line);
    if (d->alone && !s->bars) {
        pl_script_item(s, d->line, d->alone, "", "(y_at($2))");
        pl_text_addf(s->script->text, "with points lt %zu notitle", style);
    }
}

/* Above all lines, so that none hides them. Where every run diverged stands a cross at the top of the panel. */
static void add_marks(struct pl_panel_script *s, const struct pl_drawn_line *d)
{
    bool plain = s->script->figure->plain;
    for (int m = 0; m < PL_MARK_COUNT; m++) {
        bool edge = m == PL_MARK_ABOVE || m == PL_MARK_BELOW;
        bool top = m == PL_MARK_LOST || (m == PL_MARK_CHANGED && s->seeds); /* not among points and boxes */
        if (!d->marks[m])
            continue;
        bool bar = m == PL_MARK_CHANGED && s->bars; /* at a mean, which may be infinite */
        pl_script_item(s, d->line, d->marks[m], "",
                       top    ? "(top)"
                       : edge ? "(edge_at($2))"
                       : bar  ? "($2 - $2 == 0 ? y_at($2) : top)"
                              : "(y_at($2))");
        pl_text_add(s->script->text, "with points ");
        if (!plain)
            pl_text_addf(s->script->text, "ls %zu ", d->line->style + 201);
        pl_script_mark(s->script->text, s->script->figure, (enum pl_mark)m);
        if (plain && !s->told[m])
            pl_text_addf(s->script->text, " title '%s'",
                         pl_script_mark_title((enum pl_mark)m, s->script->figure->kind));
        else
            pl_text_add(s->script->text, " notitle");
        s->told[m] = true;
    }
}

const char *pl_script_reference(size_t index)
{
    static const char *const styles[] = {"lc rgb '#555555' dt (12,6) lw 1.1", "lc rgb '#555555' dt (3,6) lw 1.1"};
    return styles[index % 2];
}

/* Grey lines of given slopes. */
static void add_references(struct pl_panel_script *s)
{
    const struct pl_figure *figure = s->script->figure;
    for (size_t i = 0; i < figure->slope_count && isfinite(s->panel->anchor[0]); i++) {
        double x[2], y[2];
        char heading[60];
        if (!pl_fit_reference(s->panel, figure->slopes[i], x, y))
            continue;
        snprintf(heading, sizeof heading, "slope %g: x y", figure->slopes[i]);
        size_t block = pl_script_block(s->script, "", heading);
        pl_text_addf(s->script->data, "%.12g %.12g\n%.12g %.12g\n", x[0], y[0], x[1], y[1]);
        pl_script_end_block(s->script);
        pl_text_add(s->script->text, s->first ? "plot " : ", \\\n  ");
        s->first = false;
        pl_script_source(s->script, block);
        pl_text_addf(s->script->text, "using (x_at($1)):(y_at($2)) with lines %s title 'slope %g'",
                     figure->plain ? "" : pl_script_reference(i), figure->slopes[i]);
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
                     fit->error, sum < 0 ? "0.97" : "0.03", (crosses ? 0.89 : 0.95) - 0.065 * row++,
                     sum < 0 ? "right" : "left", panel->lines[l].style + 201, 0.8 * figure->font);
    }
}

static int by_style(const void *a, const void *b)
{
    size_t x = ((const struct pl_drawn_line *)a)->line->style, y = ((const struct pl_drawn_line *)b)->line->style;
    return (x > y) - (x < y);
}

void pl_script_lines(struct pl_script *script, const struct pl_panel *panel)
{
    const struct pl_figure *figure = script->figure;
    struct pl_panel_script s = {.script = script,
                                .panel = panel,
                                .first = true,
                                .bars = pl_figure_has_configs(figure->kind),
                                .scatter = figure->kind == PL_FIGURE_SCATTER,
                                .seeds = pl_figure_traits[figure->kind].seeds};
    if (figure->z_label && !figure->plain)
        pl_script_colour_scale(script, panel);
    struct pl_drawn_line *drawn = pl_new((panel->line_count + 1) * sizeof *drawn);
    for (size_t i = 0; i < panel->line_count; i++)
        drawn[i].line = &panel->lines[i];
    qsort(drawn, panel->line_count, sizeof *drawn, by_style);
    for (size_t i = 0; i < panel->line_count; i++)
        add_blocks(&s, &drawn[i]);
    if (s.seeds)
        pl_text_add(script->text, "set errorbars 0\n"); /* medians are strokes without ends */
    if (!figure->plain)
        add_slopes(figure, panel, script->text);
    add_references(&s);
    for (size_t i = 0; i < panel->line_count && !figure->plain; i++)
        add_band(&s, &drawn[i]);
    for (size_t i = 0; i < panel->line_count; i++) {
        if (s.seeds)
            pl_script_seeds(&s, &drawn[i]);
        else if (figure->plain)
            add_plain_line(&s, &drawn[i]);
        else
            add_line(&s, &drawn[i]);
    }
    for (size_t i = 0; i < panel->line_count; i++)
        add_marks(&s, &drawn[i]);
    pl_text_add(script->text, s.first ? "plot NaN notitle\n" : "\n");
    free(drawn);
}
