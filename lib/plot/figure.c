/* A figure's declaration, worked out: which configurations make which line of which panel. */
#include "plot/plot_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 64, MOST_PANELS = 12, MOST_LINES = 24, KEPT_LINES = 12 };

void pl_points_add(struct pl_points *points, struct pl_point point)
{
    void *list = points->list;
    pl_grow(&list, &points->capacity, points->count + 1, sizeof point);
    points->list = list;
    points->list[points->count++] = point;
}

static void release_ticks(struct pl_tick *ticks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(ticks[i].label);
    free(ticks);
}

static void release_panel(struct pl_panel *panel)
{
    for (size_t i = 0; i < panel->line_count; i++) {
        free(panel->lines[i].means.list);
        free(panel->lines[i].strands.list);
        free(panel->lines[i].lost.list);
        free(panel->lines[i].turn.list);
        free(panel->lines[i].changed.list);
    }
    for (size_t i = 0; i < panel->square_count; i++)
        free(panel->squares[i].text);
    release_ticks(panel->x_ticks, panel->x_tick_count);
    release_ticks(panel->y_ticks, panel->y_tick_count);
    free(panel->lines);
    free(panel->squares);
    free(panel->title);
}

void pl_figure_release(struct pl_figure *figure)
{
    for (size_t i = 0; i < figure->panel_count; i++)
        release_panel(&figure->panels[i]);
    for (size_t i = 0; i < figure->legend_count; i++)
        free(figure->legend[i].label);
    free(figure->panels);
    free(figure->legend);
    free(figure->name);
    free(figure->title);
    free(figure->x_label);
    free(figure->y_label);
    free(figure->z_label);
    *figure = (struct pl_figure){0};
}

/* The metric that a figure shows. */
static const char *metric_of(const struct pl_results *results, const struct pl_figure_spec *spec)
{
    const char *named = spec->kind == PL_FIGURE_HEATMAP ? spec->z : spec->y;
    if (named)
        return named;
    if (spec->kind == PL_FIGURE_TRAJECTORIES && pl_results_has_metric(results, "theta"))
        return "theta";
    return pl_results_main_metric(results);
}

bool pl_figure_tells_time(const struct pl_figure_spec *spec)
{
    return (spec->kind == PL_FIGURE_CURVES || spec->kind == PL_FIGURE_TRAJECTORIES) && spec->x &&
           !strcmp(spec->x, PL_METRIC_SECONDS);
}

static int check_spec(const struct pl_results *results, const struct pl_figure_spec *spec, struct pl_error *err)
{
    const char *kind = pl_figure_kind_names[spec->kind];
    bool over_time = spec->kind == PL_FIGURE_CURVES || spec->kind == PL_FIGURE_TRAJECTORIES;
    if (over_time && spec->x && !pl_has_word(PL_FIGURE_TIME_WORDS, spec->x))
        return pl_fail(err, PL_EINPUT,
                       "the x of a figure of kind %s is '%s', but must be one of: " PL_FIGURE_TIME_WORDS, kind,
                       spec->x);
    if (pl_figure_tells_time(spec) && !pl_results_has_metric(results, PL_METRIC_SECONDS))
        return pl_fail(err, PL_EINPUT, "study %s has not recorded the seconds that its epochs took",
                       pl_results_name(results));
    if (!over_time && !spec->x)
        return pl_fail(err, PL_EINPUT, "a figure of kind %s needs x, a setting", kind);
    if (spec->kind == PL_FIGURE_HEATMAP && !spec->y)
        return pl_fail(err, PL_EINPUT, "a figure of kind heatmap needs y, a second setting");
    if (spec->kind == PL_FIGURE_HEATMAP && (spec->fit || spec->slope_count))
        return pl_fail(err, PL_EINPUT, "a figure of kind heatmap has no lines to fit, and no slopes");
    if (spec->panels.count + spec->lines.count > MOST_KEYS / 2)
        return pl_fail(err, PL_EINPUT, "a figure takes at most %d panels and lines together", MOST_KEYS / 2);
    int status = pl_results_need_metric(results, metric_of(results, spec), err);
    if (!status && over_time && pl_metric_is_to_target(metric_of(results, spec)))
        return pl_fail(err, PL_EINPUT, "a figure over time shows what was recorded, and %s is not",
                       metric_of(results, spec));
    if (status)
        return status;
    if (!over_time && spec->select == PL_SELECT_BEST &&
        pl_results_direction(results, metric_of(results, spec)) == PL_UNDECLARED)
        return pl_fail(err, PL_EINPUT,
                       "nothing says whether a higher or a lower %s is better: declare it in the spec, as in "
                       "metrics: {%s: max}, or show its last value",
                       metric_of(results, spec), metric_of(results, spec));
    return 0;
}

/* The keys of panels and lines. Settings that vary but are not named would be pooled: they part the lines (of a heat
 * map: the panels). */
static int choose_headings(struct pl_gather *g, struct pl_error *err)
{
    const struct pl_figure_spec *spec = g->spec;
    size_t keys[MOST_KEYS], panels = spec->panels.count, lines = spec->lines.count, count = panels + lines;
    bool heat = spec->kind == PL_FIGURE_HEATMAP;
    const char *axes[] = {spec->x, spec->y};
    size_t axis_count = heat ? 2 : spec->kind == PL_FIGURE_SENSITIVITY ? 1 : 0;
    int status = pl_results_keys(g->results, &spec->panels, keys, err);
    if (!status)
        status = pl_results_keys(g->results, &spec->lines, keys + panels, err);
    struct pl_names names = {(char **)axes, axis_count};
    if (!status)
        status = pl_results_keys(g->results, &names, keys + count, err);
    if (status)
        return status;
    size_t all = pl_results_extend(g->results, g->configs, g->config_count, keys, count + axis_count, MOST_KEYS);
    size_t added = all - count - axis_count, *extra = keys + count + axis_count;
    for (size_t i = 0; i < added && count; i++)
        pl_text_addf(g->notes, "%s are split by %s, which varies but was not asked for.\n", heat ? "Panels" : "Lines",
                     pl_results_key_name(g->results, extra[i]));
    size_t panel_keys[2 * MOST_KEYS], line_keys[2 * MOST_KEYS];
    memcpy(panel_keys, keys, panels * sizeof *keys);
    memcpy(line_keys, keys + panels, lines * sizeof *keys);
    memcpy(heat ? panel_keys + panels : line_keys + lines, extra, added * sizeof *keys);
    pl_headings_find(g->results, g->configs, g->config_count, panel_keys, panels + (heat ? added : 0), &g->panels);
    pl_headings_find(g->results, g->configs, g->config_count, line_keys, lines + (heat ? 0 : added), &g->lines);
    if (g->panels.count > MOST_PANELS)
        return pl_fail(err, PL_EINPUT, "the figure would have %zu panels, more than %d; choose among them with where",
                       g->panels.count, MOST_PANELS);
    return 0;
}

struct score {
    double value;
    size_t line;
};

static int by_score(const void *a, const void *b)
{
    const struct score *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Nobody can read hundreds of lines: the best are kept, and the figure says so. */
static void keep_best_lines(struct pl_gather *g)
{
    size_t lines = g->lines.count;
    enum pl_direction direction = pl_results_direction(g->results, g->metric);
    bool judged = direction == PL_MINIMIZE || direction == PL_MAXIMIZE;
    if (lines <= MOST_LINES)
        return;
    struct score *scores = pl_new(lines * sizeof *scores);
    bool *kept = pl_new(lines);
    for (size_t i = 0; i < lines; i++)
        scores[i] = (struct score){-INFINITY, i};
    for (size_t i = 0; i < g->config_count && judged; i++) {
        struct pl_summary summary;
        struct score *score = &scores[pl_headings_of(g->results, &g->lines, g->configs[i])];
        pl_results_summary(g->results, g->configs[i], &summary);
        double value = direction == PL_MAXIMIZE ? summary.mean : -summary.mean;
        if (!summary.diverged && value > score->value)
            score->value = value;
    }
    qsort(scores, lines, sizeof *scores, by_score);
    for (size_t i = 0; i < KEPT_LINES; i++)
        kept[scores[i].line] = true;
    size_t left = 0;
    for (size_t i = 0; i < g->config_count; i++)
        if (kept[pl_headings_of(g->results, &g->lines, g->configs[i])])
            g->configs[left++] = g->configs[i];
    g->config_count = left;
    pl_text_addf(g->notes, "Of %zu lines the %s %d are drawn; choose with lines or where.\n", lines,
                 judged ? "best" : "first", KEPT_LINES);
    struct pl_headings all = g->lines;
    pl_headings_find(g->results, g->configs, g->config_count, all.keys, all.width, &g->lines);
    pl_headings_release(&all);
    free(scores);
    free(kept);
}

static char *name_label(const char *name, bool plain)
{
    struct pl_text label = {0};
    pl_label_name(&label, name, plain);
    return pl_text_take(&label);
}

/* "best test accuracy" where one value of a curve was picked. */
static char *value_label(const struct pl_gather *g, bool plain)
{
    struct pl_text label = {0};
    pl_text_addf(&label, "%s ", pl_select_names[g->spec->select]);
    pl_label_name(&label, g->metric, plain);
    return pl_text_take(&label);
}

static void label_axes(struct pl_figure *figure, const struct pl_gather *g)
{
    const struct pl_figure_spec *spec = g->spec;
    bool problem = pl_results_key(g->results, "problem") != SIZE_MAX;
    switch (spec->kind) {
    case PL_FIGURE_CURVES:
    case PL_FIGURE_TRAJECTORIES:
        figure->x_label = pl_copy(pl_figure_tells_time(spec)            ? "seconds of training"
                                  : spec->x && strcmp(spec->x, "epoch") ? spec->x
                                  : problem                             ? "iteration"
                                                                        : "epoch");
        figure->y_label = name_label(g->metric, figure->plain);
        break;
    case PL_FIGURE_SENSITIVITY:
        figure->x_label = name_label(spec->x, figure->plain);
        figure->y_label = value_label(g, figure->plain);
        break;
    case PL_FIGURE_HEATMAP:
        figure->x_label = name_label(spec->x, figure->plain);
        figure->y_label = name_label(spec->y, figure->plain);
        figure->z_label = value_label(g, figure->plain);
        break;
    }
}

static void make_panels(struct pl_figure *figure, const struct pl_gather *g)
{
    figure->panel_count = g->panels.count;
    figure->panels = pl_new(g->panels.count * sizeof *figure->panels);
    for (size_t i = 0; i < g->panels.count; i++) {
        struct pl_text title = {0};
        pl_label_heading(&title, g->results, &g->panels, i, figure->plain);
        figure->panels[i].title = pl_text_take(&title);
        figure->panels[i].x_breaks[0] = figure->panels[i].x_breaks[1] = NAN;
        figure->panels[i].x_range[0] = figure->panels[i].x_range[1] = NAN;
    }
    figure->legend_count = g->lines.count;
    figure->legend = pl_new(g->lines.count * sizeof *figure->legend);
    for (size_t i = 0; i < g->lines.count; i++) {
        struct pl_text label = {0};
        pl_label_heading(&label, g->results, &g->lines, i, figure->plain);
        figure->legend[i].label = pl_text_take(&label);
    }
}

/* "diverged", "2/5 diverged" */
static void add_share(struct pl_text *out, int64_t part, int64_t runs, const char *what)
{
    pl_text_add(out, out->length ? ", " : "");
    if (part < runs)
        pl_text_addf(out, "%lld/%lld ", (long long)part, (long long)runs);
    pl_text_add(out, what);
}

static void append(char **label, const struct pl_text *addition)
{
    struct pl_text whole = {0};
    pl_text_addf(&whole, (*label)[0] ? "%s (%s)" : "%s%s", *label, pl_text(addition));
    free(*label);
    *label = pl_text_take(&whole);
}

/* What became of one style's lines in all panels. */
struct fate {
    int64_t runs, diverged, working;
    bool drawn; /* some line has a finite value */
};

/* What became of a line's runs, where it is not that they all finished. */
static void add_fate(struct pl_text *out, int64_t runs, int64_t diverged, int64_t working)
{
    if (diverged)
        add_share(out, diverged, runs, "diverged");
    if (working)
        add_share(out, working, runs, "at work");
}

/* Does every panel tell the same of this style, so that the legend can say it? */
static bool is_common(const struct fate *fate)
{
    return fate->diverged == fate->runs || fate->working == fate->runs;
}

/* Where lines of one style fared differently from panel to panel, the panel's title says so. */
static void note_panel(struct pl_figure *figure, struct pl_panel *panel, const struct fate *fates)
{
    struct pl_text note = {0}, what = {0};
    size_t lines = 0;
    bool diverged = false, working = false;
    for (size_t l = 0; l < panel->line_count; l++) {
        const struct pl_plot_line *line = &panel->lines[l];
        if ((!line->diverged && !line->working) || is_common(&fates[line->style]))
            continue;
        pl_text_clear(&note);
        pl_text_clear(&what);
        add_fate(&what, line->runs, line->diverged, line->working);
        if (figure->legend[line->style].label[0])
            pl_text_addf(&note, "%s%s ", figure->legend[line->style].label, strchr(pl_text(&what), '/') ? ":" : "");
        pl_text_add(&note, pl_text(&what));
        diverged |= line->diverged;
        working |= line->working;
        lines++;
    }
    if (lines > 1) {
        pl_text_clear(&note);
        pl_text_addf(&note, "runs of %zu lines %s", lines,
                     !working   ? "diverged"
                     : diverged ? "diverged or are at work"
                                : "are at work");
    }
    if (lines)
        append(&panel->title, &note);
    pl_text_release(&note);
    pl_text_release(&what);
}

static bool has_finite(const struct pl_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        if (points->list[i].n)
            return true;
    return false;
}

static void find_marks(struct pl_figure *figure, const struct pl_panel *panel, const struct pl_plot_line *line)
{
    figure->marked[PL_MARK_LOST] |= line->lost.count > 0;
    figure->marked[PL_MARK_TURN] |= line->turn.count > 0;
    figure->marked[PL_MARK_CHANGED] |= line->changed.count > 0;
    for (enum pl_mark side = PL_MARK_ABOVE; side <= PL_MARK_BELOW; side++) {
        struct pl_points beyond = {0};
        pl_range_beyond(panel, &line->means, side, 1, &beyond);
        figure->marked[side] |= beyond.count > 0;
        free(beyond.list);
    }
}

/* What became of the lines, their marks, and whether there is anything to see. */
static bool judge_lines(struct pl_figure *figure, struct fate *fates)
{
    bool any = false;
    for (size_t p = 0; p < figure->panel_count; p++) {
        const struct pl_panel *panel = &figure->panels[p];
        any |= panel->square_count > 0;
        for (size_t l = 0; l < panel->line_count; l++) {
            const struct pl_plot_line *line = &panel->lines[l];
            bool finite = has_finite(&line->means), curve = figure->kind != PL_FIGURE_SENSITIVITY;
            fates[line->style].runs += line->runs;
            fates[line->style].diverged += line->diverged;
            fates[line->style].working += line->working;
            fates[line->style].drawn |= finite || line->lost.count;
            figure->legend[line->style].shown |= finite || line->diverged || line->blank ||
                                                 (curve && line->means.count);
            any |= finite;
            find_marks(figure, panel, line);
        }
    }
    return any;
}

/* Says which lines diverged or are at work, in the legend or above the panel, and finds out whether there is anything
 * to see. */
static bool finish_legend(struct pl_figure *figure)
{
    struct fate *fates = pl_new((figure->legend_count + 1) * sizeof *fates);
    bool any = judge_lines(figure, fates), crosses = figure->kind == PL_FIGURE_SENSITIVITY;
    for (size_t p = 0; p < figure->panel_count && figure->panel_count > 1 && !crosses; p++)
        note_panel(figure, &figure->panels[p], fates);
    for (size_t i = 0; i < figure->legend_count; i++) {
        struct pl_text note = {0};
        if (!crosses && (figure->panel_count == 1 || is_common(&fates[i])))
            add_fate(&note, fates[i].runs, fates[i].diverged, fates[i].working);
        if (figure->legend[i].shown && !fates[i].drawn)
            pl_text_addf(&note, "%sno finite value", note.length ? ", " : "");
        if (note.length)
            append(&figure->legend[i].label, &note);
        pl_text_release(&note);
    }
    free(fates);
    return any;
}

static int gather(struct pl_figure *figure, struct pl_gather *g, struct pl_error *err)
{
    switch (g->spec->kind) {
    case PL_FIGURE_SENSITIVITY:
        return pl_gather_sensitivity(figure, g, err);
    case PL_FIGURE_HEATMAP:
        return pl_gather_heatmap(figure, g, err);
    default:
        return pl_gather_curves(figure, g, err);
    }
}

static void name_figure(struct pl_figure *figure, const struct pl_results *results, const struct pl_figure_spec *spec)
{
    struct pl_text name = {0}, title = {0}, heading = {0};
    if (spec->name)
        pl_text_add(&name, spec->name);
    else
        pl_text_addf(&name, "%s-%s", pl_results_name(results), pl_figure_kind_names[spec->kind]);
    for (char *c = name.text; *c; c++)
        if (*c == '/' || (unsigned char)*c < ' ' || (c == name.text && *c == '.'))
            *c = '-';
    for (const char *c = spec->title ? spec->title : ""; *c; c++)
        pl_text_add_char(&heading, *c == '\n' || *c == '\t' ? ' ' : *c);
    if (heading.length && heading.text[heading.length - 1] == ' ')
        pl_text_cut(&heading, heading.length - 1);
    pl_label_text(&title, pl_text(&heading), figure->plain);
    pl_text_release(&heading);
    figure->name = pl_text_take(&name);
    figure->title = pl_text_take(&title);
}

int pl_figure_make(struct pl_figure *figure, struct pl_results *results, const struct pl_figure_spec *spec, bool plain,
                   struct pl_text *notes, struct pl_error *err)
{
    struct pl_gather g = {.results = results,
                          .spec = spec,
                          .notes = notes,
                          .averages = pl_results_has_metric(results, PL_METRIC_AVERAGED)};
    *figure = (struct pl_figure){.kind = spec->kind, .plain = plain, .fitted = spec->fit};
    int status = check_spec(results, spec, err);
    if (status)
        return status;
    const char *metric = g.metric = metric_of(results, spec);
    figure->direction = pl_results_direction(results, metric);
    if ((status = pl_results_load(results, metric, spec->select, err)) ||
        (status = pl_results_where(results, spec->where, spec->where_count, &g.configs, &g.config_count, err)))
        goto done;
    if (!g.config_count) {
        status = pl_fail(err, PL_EMISSING, "no configuration of study %s meets the conditions",
                         pl_results_name(results));
        goto done;
    }
    if (spec->choose.best && (status = pl_gather_choose(&g, err)))
        goto done;
    if ((status = choose_headings(&g, err)))
        goto done;
    keep_best_lines(&g);
    name_figure(figure, results, spec);
    make_panels(figure, &g);
    label_axes(figure, &g);
    if ((status = gather(figure, &g, err)))
        goto done;
    if (spec->fit || spec->slope_count)
        pl_fit_panels(figure, &g);
    pl_note_left_out(figure, &g);
    if (!finish_legend(figure))
        status = pl_fail(err, PL_EMISSING,
                         "nothing to draw for figure %s: no finished run of study %s has a value "
                         "of %s",
                         figure->name, pl_results_name(results), metric);
done:
    if (spec->choose.best)
        pl_results_drop_places(results);
    free(g.configs);
    pl_headings_release(&g.panels);
    pl_headings_release(&g.lines);
    if (status)
        pl_figure_release(figure);
    return status;
}
