/* The lines of a panel in a page, and the values they stand for. */
#include "plot/inline/inline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_POINTS = 17, NAMED_VALUES = 24, MOST_RUNS = 1000 };

/* A path of lines between places, which are kept in tenths so that relative steps do not drift. */
struct pen {
    struct pl_text *path;
    long x, y;
    bool down;
};

static void add_tenths(struct pl_text *path, long tenths, bool apart)
{
    if (tenths >= 0 && apart)
        pl_text_add_char(path, ' ');
    pl_text_add(path, tenths < 0 ? "-" : "");
    if (labs(tenths) >= 10 || tenths % 10 == 0)
        pl_text_addf(path, "%ld", labs(tenths) / 10);
    if (tenths % 10)
        pl_text_addf(path, ".%ld", labs(tenths) % 10);
}

static void go(struct pen *pen, double x, double y)
{
    long to_x = lround(10 * x), to_y = lround(10 * y);
    pl_text_add_char(pen->path, pen->down ? 'l' : 'M');
    add_tenths(pen->path, pen->down ? to_x - pen->x : to_x, false);
    add_tenths(pen->path, pen->down ? to_y - pen->y : to_y, true);
    *pen = (struct pen){pen->path, to_x, to_y, true};
}

static bool has_place(const struct pl_inline *s, const struct pl_point *p)
{
    return isfinite(p->y) && !isnan(pl_inline_y(s, p->y)) && !isnan(pl_inline_x(s, p->place));
}

static void add_path(struct pl_text *out, const char *class, const struct pl_text *path)
{
    if (path->length)
        pl_text_addf(out, "<path class=\"%s\" d=\"%s\"/>", class, path->text);
}

static void draw_line(const struct pl_inline *s, const struct pl_points *points, const char *class)
{
    struct pl_text path = {0};
    struct pen pen = {.path = &path};
    for (size_t i = 0; i < points->count; i++) {
        const struct pl_point *p = &points->list[i];
        pen.down = pen.down && !p->parted && has_place(s, p);
        if (pen.down && s->figure->kind == PL_FIGURE_PROFILE) /* a step: it holds until the next point */
            go(&pen, pl_inline_x(s, p->place), pl_inline_y(s, points->list[i - 1].y));
        if (has_place(s, p))
            go(&pen, pl_inline_x(s, p->place), pl_inline_y(s, p->y));
    }
    add_path(s->out, class, &path);
    pl_text_release(&path);
}

/* Every point where they are few, else those that stand alone between gaps. */
static void draw_shapes(const struct pl_inline *s, const struct pl_points *points, size_t style, bool all)
{
    struct pl_text path = {0};
    for (size_t i = 0; i < points->count; i++) {
        const struct pl_point *p = &points->list[i];
        bool before = i && !p->parted && has_place(s, p - 1);
        bool after = i + 1 < points->count && !p[1].parted && has_place(s, p + 1);
        if (has_place(s, p) && (all || (!before && !after)))
            pl_inline_shape(style, pl_inline_x(s, p->place), pl_inline_y(s, p->y), &path);
    }
    add_path(s->out, "dots", &path);
    pl_text_release(&path);
}

/* Points of a search, by the setting that colours them. */
static void draw_scattered(const struct pl_inline *s, const struct pl_plot_line *line)
{
    for (size_t i = 0; i < line->means.count; i++) {
        const struct pl_point *p = &line->means.list[i];
        struct pl_text path = {0};
        bool white;
        if (!has_place(s, p))
            continue;
        pl_inline_shape(line->style, pl_inline_x(s, p->place), pl_inline_y(s, p->y), &path);
        if (isnan(p->hue))
            pl_text_addf(s->out, "<path class=\"dots\" d=\"%s\"/>", pl_text(&path));
        else
            pl_text_addf(s->out, "<path class=\"toned\" fill=\"#%06X\" d=\"%s\"/>",
                         pl_colour_at(s->figure, pl_colour_place(s->panel, p->hue), &white), pl_text(&path));
        pl_text_release(&path);
    }
}

/* One deviation may plunge towards zero, where a logarithmic scale has no end. */
static double lower_end(const struct pl_inline *s, const struct pl_point *p)
{
    double low = s->panel->log_y ? fmax(p->low, p->least) : p->low;
    return pl_inline_end(s, low);
}

static bool has_ends(const struct pl_inline *s, const struct pl_point *p)
{
    return !isnan(pl_inline_x(s, p->place)) && !isnan(p->low) && !isnan(p->high);
}

static void draw_bars(const struct pl_inline *s, const struct pl_points *points)
{
    struct pl_text path = {0};
    for (size_t i = 0; i < points->count; i++) {
        const struct pl_point *p = &points->list[i];
        if (!has_ends(s, p) || !(p->high > p->low))
            continue;
        double x = pl_inline_x(s, p->place), low = lower_end(s, p), high = pl_inline_end(s, p->high);
        struct pen pen = {.path = &path};
        go(&pen, x, low);
        go(&pen, x, high);
        for (int end = 0; end < 2; end++) {
            pen.down = false;
            go(&pen, x - 3, end ? high : low);
            go(&pen, x + 3, end ? high : low);
        }
    }
    add_path(s->out, "bars", &path);
    pl_text_release(&path);
}

/* The spread as an area for each stretch without a gap. */
static void draw_band(const struct pl_inline *s, const struct pl_points *points)
{
    struct pl_text path = {0};
    bool any = false;
    for (size_t first = 0, end; first < points->count; first = end) {
        struct pen pen = {.path = &path};
        for (end = first;
             end < points->count && has_ends(s, &points->list[end]) && (end == first || !points->list[end].parted);
             end++) {
            any |= points->list[end].high > points->list[end].low;
            go(&pen, pl_inline_x(s, points->list[end].place), pl_inline_end(s, points->list[end].high));
        }
        for (size_t i = end; i-- > first;)
            go(&pen, pl_inline_x(s, points->list[i].place), lower_end(s, &points->list[i]));
        pl_text_add(&path, end > first ? "z" : "");
        end += end == first;
    }
    if (any)
        add_path(s->out, "band", &path);
    pl_text_release(&path);
}

static void draw_fit(const struct pl_inline *s, const struct pl_fit *fit)
{
    struct pl_text path = {0};
    struct pen pen = {.path = &path};
    for (int i = 0; i < 2 && fit->n; i++)
        go(&pen, pl_inline_x(s, fit->x[i]), pl_inline_y(s, fit->y[i]));
    add_path(s->out, "mean", &path);
    pl_text_release(&path);
}

/* Crosses where every run diverged, rings where averaging begins, strokes where the number of runs changes. */
static void draw_marks(const struct pl_inline *s, const struct pl_plot_line *line)
{
    bool seeds = pl_figure_traits[s->figure->kind].seeds;
    const struct pl_points *values = pl_figure_values(s->figure, line);
    const struct pl_points *marked[] = {&line->lost, &line->turn, &line->open, &line->ended, &line->changed};
    static const char *const shapes[] = {"m-4-4l8 8m0-8l-8 8", "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0",
                                         "m-6 0l6-6l6 6l-6 6z", "m-4.5-4.5h9v9h-9z", "m0-6v12"};
    struct pl_text path = {0};
    for (int m = 0; m < 5; m++)
        for (size_t i = 0; i < marked[m]->count; i++) {
            const struct pl_point *p = &marked[m]->list[i];
            double x = pl_inline_x(s, p->place), y = m && !seeds ? pl_inline_y(s, p->y) : s->top + 8;
            if (isnan(x) || isnan(y))
                continue;
            struct pen pen = {.path = &path};
            go(&pen, x, y);
            pl_text_add(&path, shapes[m]);
        }
    for (enum pl_mark side = PL_MARK_ABOVE; side <= PL_MARK_BELOW; side++) {
        struct pl_points beyond = {0};
        pl_range_beyond(s->panel, values, side, seeds ? 1 : 1 + line->means.count / FEW_POINTS, &beyond);
        for (size_t i = 0; i < beyond.count; i++) {
            struct pen pen = {.path = &path};
            go(&pen, pl_inline_x(s, beyond.list[i].place), side == PL_MARK_ABOVE ? s->top + 2 : s->bottom - 2);
            pl_text_add(&path, side == PL_MARK_ABOVE ? "l-3 5m3-5l3 5m-3-5v10" : "l-3-5m3 5l3-5m-3 5v-10");
        }
        free(beyond.list);
    }
    add_path(s->out, "marks", &path);
    pl_text_release(&path);
}

/* A line with its spread. Of many points only those that have room. */
static void draw_means(const struct pl_inline *s, const struct pl_plot_line *line, const struct pl_points *shown,
                       const struct pl_points *strands)
{
    bool bars = s->figure->kind == PL_FIGURE_SENSITIVITY, scattered = s->figure->kind == PL_FIGURE_SCATTER;
    bool steps = s->figure->kind == PL_FIGURE_PROFILE;
    if (strands->count)
        draw_line(s, strands, "strand");
    else if (bars)
        draw_bars(s, shown);
    else
        draw_band(s, shown);
    draw_line(s, &line->beside, "strand");
    if (line->fit.n)
        draw_fit(s, &line->fit);
    else if (!scattered)
        draw_line(s, shown, "mean");
    if (scattered)
        draw_scattered(s, line);
    else if (!steps)
        draw_shapes(s, shown, line->style, line->fit.n || bars || shown->count < FEW_POINTS);
}

static void draw_one(const struct pl_inline *s, const struct pl_plot_line *line)
{
    struct pl_text classes = {0};
    struct pl_points shown = {0}, strands = {0};
    pl_points_thin(&line->means, s->most, &shown);
    pl_points_thin(&line->strands, pl_figure_traits[s->figure->kind].seeds ? MOST_RUNS : s->most, &strands);
    pl_inline_classes(s->figure, line->style, &classes);
    pl_text_addf(s->out, "<g class=\"line %s\" data-line=\"%zu\">", pl_text(&classes), line->style);
    if (pl_figure_traits[s->figure->kind].seeds)
        pl_inline_seeds(s, line, &strands);
    else
        draw_means(s, line, &shown, &strands);
    draw_marks(s, line);
    pl_text_add(s->out, "</g>\n");
    pl_text_release(&classes);
    free(shown.list);
    free(strands.list);
}

static int by_style(const void *a, const void *b)
{
    const struct pl_plot_line *x = *(const struct pl_plot_line *const *)a, *y = *(const struct pl_plot_line *const *)b;
    return (x->style > y->style) - (x->style < y->style);
}

static const struct pl_plot_line **in_order(const struct pl_panel *panel)
{
    const struct pl_plot_line **lines = pl_new((panel->line_count + 1) * sizeof *lines);
    for (size_t i = 0; i < panel->line_count; i++)
        lines[i] = &panel->lines[i];
    qsort(lines, panel->line_count, sizeof *lines, by_style);
    return lines;
}

void pl_inline_lines(const struct pl_inline *s)
{
    const struct pl_figure *figure = s->figure;
    const struct pl_plot_line **lines = in_order(s->panel);
    for (size_t i = 0; i < figure->slope_count && isfinite(s->panel->anchor[0]); i++) {
        double x[2], y[2];
        if (!pl_fit_reference(s->panel, figure->slopes[i], x, y))
            continue;
        struct pl_text path = {0};
        struct pen pen = {.path = &path};
        for (int k = 0; k < 2; k++)
            go(&pen, pl_inline_x(s, x[k]), pl_inline_y(s, y[k]));
        add_path(s->out, "slope", &path);
        pl_text_release(&path);
    }
    for (size_t i = 0; i < s->panel->line_count; i++)
        draw_one(s, lines[i]);
    free(lines);
}

/* ---- values ---- */

/* As a tooltip shows it: JSON has no infinities. */
static void add_value(struct pl_text *json, double value)
{
    if (isnan(value))
        pl_text_add(json, "null");
    else if (isinf(value))
        pl_text_add(json, value > 0 ? "\"∞\"" : "\"−∞\"");
    else
        pl_text_addf(json, "%.7g", value);
}

enum column { X, PLACE, MEAN, LOW, HIGH, RUNS };

static void add_word(const struct pl_panel *panel, double place, struct pl_text *json)
{
    for (size_t i = 0; i < panel->x_tick_count; i++)
        if (panel->x_ticks[i].at == place) {
            struct pl_text word = {0};
            pl_inline_label(panel->x_ticks[i].label, &word);
            pl_escape_json(json, pl_text(&word));
            pl_text_release(&word);
            return;
        }
    pl_text_add(json, "null");
}

static void add_column(const struct pl_inline *s, const struct pl_points *points, enum column column, const char *name,
                       struct pl_text *json)
{
    pl_text_addf(json, ",\"%s\":[", name);
    for (size_t i = 0; i < points->count; i++) {
        const struct pl_point *p = &points->list[i];
        pl_text_add(json, i ? "," : "");
        if (column == X && s->panel->words)
            add_word(s->panel, p->place, json);
        else if (column == RUNS)
            pl_text_addf(json, "%lld", (long long)p->n);
        else if (column == PLACE)
            pl_inline_length(json, fmin(fmax(pl_inline_x(s, p->place), -9999), 9999));
        else
            add_value(json, column == X ? p->x : column == MEAN ? p->y : column == LOW ? p->low : p->high);
    }
    pl_text_add_char(json, ']');
}

static bool has_spread(const struct pl_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        if (points->list[i].high > points->list[i].low)
            return true;
    return false;
}

void pl_inline_data(const struct pl_inline *s, struct pl_text *json)
{
    const double box[] = {s->left, s->top, s->right, s->bottom};
    const struct pl_plot_line **lines = in_order(s->panel);
    pl_text_add(json, "{\"box\":[");
    for (int i = 0; i < 4; i++) {
        pl_text_add(json, i ? "," : "");
        pl_inline_length(json, box[i]);
    }
    pl_text_addf(json, "],\"log\":%d,\"y\":[", s->panel->log_y);
    add_value(json, s->panel->y_range[0]);
    pl_text_add_char(json, ',');
    add_value(json, s->panel->y_range[1]);
    pl_text_add(json, "],\"lines\":[");
    for (size_t i = 0; i < s->panel->line_count; i++) {
        struct pl_points shown = {0};
        pl_points_thin(&lines[i]->means, s->most, &shown);
        pl_text_addf(json, "%s{\"line\":%zu", i ? "," : "", lines[i]->style);
        add_column(s, &shown, X, "x", json);
        add_column(s, &shown, PLACE, "p", json);
        add_column(s, &shown, MEAN, "m", json);
        bool seeds = pl_figure_traits[s->figure->kind].seeds, spread = has_spread(&shown);
        if (spread) { /* quartiles are not as far to both sides */
            add_column(s, &shown, LOW, seeds ? "q1" : "lo", json);
            add_column(s, &shown, HIGH, seeds ? "q3" : "hi", json);
        }
        if (spread || seeds)
            add_column(s, &shown, RUNS, "n", json);
        pl_text_add_char(json, '}');
        free(shown.list);
    }
    pl_text_add(json, "]}");
    free(lines);
}

static void describe_point(const struct pl_inline *s, const struct pl_point *p, struct pl_text *text)
{
    if (s->panel->words) {
        struct pl_text word = {0};
        add_word(s->panel, p->place, &word);
        pl_text_addf(text, "%.6g at %s", p->y, pl_text(&word));
        pl_text_release(&word);
    } else {
        pl_text_addf(text, "%.6g at %.6g", p->y, p->x);
    }
}

/* "lambda = 0.1: 0.92 at 1, 0.97 at 8." Of long lines first, least, greatest and last value. */
static void describe_line(const struct pl_inline *s, const struct pl_plot_line *line, struct pl_text *text)
{
    const struct pl_point *list = line->means.list, *chosen[4] = {NULL};
    size_t finite = 0, said = 0;
    for (size_t i = 0; i < line->means.count; i++) {
        if (!isfinite(list[i].y))
            continue;
        finite++;
        chosen[0] = chosen[0] ? chosen[0] : &list[i];
        chosen[1] = !chosen[1] || list[i].y < chosen[1]->y ? &list[i] : chosen[1];
        chosen[2] = !chosen[2] || list[i].y > chosen[2]->y ? &list[i] : chosen[2];
        chosen[3] = &list[i];
    }
    pl_inline_label(s->figure->legend[line->style].label, text);
    pl_text_add(text, s->figure->legend[line->style].label[0] ? ": " : "");
    if (!finite)
        pl_text_add(text, "no finite value");
    for (size_t i = 0; i < line->means.count && finite <= NAMED_VALUES / 3; i++)
        if (isfinite(list[i].y)) {
            pl_text_add(text, said++ ? ", " : "");
            describe_point(s, &list[i], text);
        }
    static const char *const words[] = {"first ", ", least ", ", greatest ", ", last "};
    for (int i = 0; i < 4 && finite > NAMED_VALUES / 3; i++) {
        pl_text_add(text, words[i]);
        describe_point(s, chosen[i], text);
    }
    pl_text_add(text, ". ");
}

void pl_inline_describe(const struct pl_inline *s, struct pl_text *text)
{
    const struct pl_plot_line **lines = in_order(s->panel);
    pl_inline_label(s->figure->y_label[0] ? s->figure->y_label : s->panel->title, text);
    pl_text_add(text, " by ");
    pl_inline_label(s->figure->x_label, text);
    pl_text_add(text, pl_figure_traits[s->figure->kind].seeds ? ", medians over the runs. " : ". ");
    for (size_t i = 0; i < s->panel->line_count && i < NAMED_VALUES; i++)
        describe_line(s, lines[i], text);
    free(lines);
}
