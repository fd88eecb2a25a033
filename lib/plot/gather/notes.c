/* What a figure leaves out or cannot show, in sentences. Marks say where; these say how much and of what. */
#include "plot/plot_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMED = 4, MOST_STEPS = 4 };

/* A sentence about some lines: its beginning, and then their names. */
struct sentence {
    struct pl_text names;
    size_t lines;
};

void pl_note_name_line(const struct pl_gather *g, size_t panel, const struct pl_plot_line *line, struct pl_text *out)
{
    size_t metrics = g->metric_count > 1 ? g->metric_count : 1;
    struct pl_text name = {0}, heading = {0};
    if (g->methods.count) {
        pl_text_add(out, g->methods.names[line->style]);
        return;
    }
    pl_label_heading(&name, g->results, &g->spec->labels, &g->panels, panel, true);
    pl_label_heading(&heading, g->results, &g->spec->labels, &g->lines, line->style / metrics, true);
    if (metrics > 1) {
        pl_text_add(&heading, heading.length ? ", " : "");
        pl_label_known(&heading, &g->spec->labels, g->metrics[line->style % metrics], true);
    }
    const char *parted = name.length && heading.length ? "; " : "";
    pl_text_addf(out, "%s%s%s", pl_text(&name), parted, pl_text(&heading));
    if (!name.length && !heading.length)
        pl_text_add(out, "the line");
    pl_text_release(&name);
    pl_text_release(&heading);
}

/* detail stands in brackets behind the name; "": none. */
static void add_line(struct sentence *s, const struct pl_gather *g, size_t panel, const struct pl_plot_line *line,
                     const char *detail)
{
    if (s->lines++ >= MOST_NAMED)
        return;
    pl_text_add(&s->names, s->lines > 1 ? ", " : "");
    pl_note_name_line(g, panel, line, &s->names);
    if (*detail)
        pl_text_addf(&s->names, " (%s)", detail);
}

static void add_count(struct sentence *s, const struct pl_gather *g, size_t panel, const struct pl_plot_line *line,
                      size_t points)
{
    char detail[60];
    snprintf(detail, sizeof detail, "%zu point%s", points, points > 1 ? "s" : "");
    if (points)
        add_line(s, g, panel, line, detail);
}

static void finish(struct sentence *s, const char *beginning, struct pl_text *notes)
{
    if (s->lines)
        pl_text_addf(notes, "%s: %s", beginning, pl_text(&s->names));
    if (s->lines > MOST_NAMED)
        pl_text_addf(notes, " and %zu more", s->lines - MOST_NAMED);
    if (s->lines)
        pl_text_add(notes, ".\n");
    pl_text_release(&s->names);
}

/* "3 runs, 2 from epoch 4 on, 1 from epoch 7 on"; "11 times, between 2 and 3 runs" */
static void describe_changes(const struct pl_figure *figure, const struct pl_plot_line *line, struct pl_text *out)
{
    if (line->changes > MOST_STEPS) {
        pl_text_addf(out, "%zu times, between %lld and %lld runs", line->changes, (long long)line->fewest,
                     (long long)line->most);
        return;
    }
    for (size_t i = 0; i < line->means.count; i++)
        if (line->means.list[i].n) {
            pl_text_addf(out, "%lld run%s", (long long)line->means.list[i].n, line->means.list[i].n > 1 ? "s" : "");
            break;
        }
    for (size_t i = 0; i < line->changed.count; i++) {
        pl_text_addf(out, ", %lld from %s ", (long long)line->changed.list[i].n, figure->x_label);
        pl_label_number(out, line->changed.list[i].x, true);
        pl_text_add(out, " on");
    }
}

static size_t count_beyond(const struct pl_panel *panel, const struct pl_points *points)
{
    struct pl_points found = {0};
    pl_range_beyond(panel, points, PL_MARK_ABOVE, 1, &found);
    pl_range_beyond(panel, points, PL_MARK_BELOW, 1, &found);
    size_t count = 0;
    for (size_t i = 0; i < found.count; i++)
        count += isfinite(found.list[i].y) && !(panel->log_y && found.list[i].y <= 0);
    free(found.list);
    return count;
}

enum topic {
    UNRECORDED,
    BLANK,
    GAPS,
    NOT_POSITIVE,
    BEYOND,
    NO_X,
    OUTSIDE_X,
    CHANGES,
    PARTIAL,
    PARTIAL_SEEDS,
    FEW,
    TOPICS
};

static bool figure_of_time(const struct pl_figure *figure)
{
    return figure->kind == PL_FIGURE_CURVES || figure->kind == PL_FIGURE_TRAJECTORIES;
}

static void judge_line(const struct pl_figure *figure, const struct pl_gather *g, size_t number,
                       const struct pl_plot_line *line, struct sentence *topics)
{
    const struct pl_panel *panel = &figure->panels[number];
    const struct pl_points *values = pl_figure_values(figure, line);
    bool seeds = pl_figure_traits[figure->kind].seeds;
    bool curve = !pl_figure_has_configs(figure->kind);
    size_t finite = 0, infinite = 0, gaps = 0, low = 0, no_x = 0, outside = 0, few = 0;
    struct pl_text detail = {0};
    for (size_t i = 0; i < line->means.count; i++) {
        const struct pl_point *p = &line->means.list[i];
        infinite += !curve && isinf(p->y);
        finite += p->n > 0 && (curve || isfinite(p->y));
        gaps += curve && !p->n;
        no_x += panel->log_x && p->place <= 0;
        outside += !(panel->log_x && p->place <= 0) && (p->place < panel->x_range[0] || p->place > panel->x_range[1]);
        few += figure->kind == PL_FIGURE_BOX && p->n && isnan(p->ends[0]);
    }
    for (size_t i = 0; i < values->count; i++)
        low += panel->log_y && values->list[i].n && values->list[i].y <= 0;
    gaps = curve ? gaps : (size_t)line->blank;
    if (figure_of_time(figure) && line->runs && !line->means.count)
        add_line(&topics[UNRECORDED], g, number, line, "");
    if (gaps && !finite && !infinite)
        add_line(&topics[BLANK], g, number, line, "");
    else if (gaps && curve)
        add_count(&topics[GAPS], g, number, line, gaps);
    add_count(&topics[NOT_POSITIVE], g, number, line, low);
    add_count(&topics[BEYOND], g, number, line, count_beyond(panel, values));
    add_count(&topics[NO_X], g, number, line, no_x);
    add_count(&topics[OUTSIDE_X], g, number, line, outside);
    if (curve && line->changed.count) {
        describe_changes(figure, line, &detail);
        add_line(&topics[CHANGES], g, number, line, pl_text(&detail));
    } else {
        add_count(&topics[seeds ? PARTIAL_SEEDS : PARTIAL], g, number, line, line->changed.count);
    }
    add_count(&topics[FEW], g, number, line, few);
    pl_text_release(&detail);
}

static void note_lines(struct pl_figure *figure, const struct pl_gather *g)
{
    static const char *const beginnings[] = {
        "No value was recorded along x, so nothing to draw",
        "No finite value, so nothing to draw",
        "Values that are not finite are gaps",
        "Zero and what is below it have no place on a logarithmic axis; marks say where",
        "Beyond the y axis, with marks at its end",
        "Not drawn because the x axis is logarithmic and x is not above zero",
        "Outside the range of x that was asked for",
        "The number of runs behind a mean changes",
        "Diverged runs are in no mean; marks say where some of several diverged",
        "Diverged runs are not drawn; bars at the top say where some of several diverged",
        "No box, but runs and their median: fewer than five values, or a target that some did not reach"};
    struct sentence topics[TOPICS] = {0};
    for (size_t p = 0; p < figure->panel_count; p++)
        for (size_t l = 0; l < figure->panels[p].line_count; l++)
            judge_line(figure, g, p, &figure->panels[p].lines[l], topics);
    for (size_t i = 0; i < TOPICS; i++)
        finish(&topics[i], beginnings[i], g->notes);
}

static void note_runs(const struct pl_gather *g, int64_t count, const char *one, const char *several)
{
    if (count)
        pl_text_addf(g->notes, "%lld %s.\n", (long long)count, count > 1 ? several : one);
}

/* Runs that finished without a finite value: those that never reached a target count as infinite. */
static void note_blank(const struct pl_figure *figure, const struct pl_gather *g)
{
    bool seeds = pl_figure_traits[figure->kind].seeds;
    int64_t blank = 0, never = 0;
    for (size_t i = 0; i < g->config_count; i++) {
        struct pl_summary s;
        pl_results_summary(g->results, g->configs[i], &s);
        blank += s.finished - s.n - s.never;
        never += s.never;
    }
    if (seeds)
        note_runs(g, never, "run never reached the target and is an arrow at the top",
                  "runs never reached the target and are arrows at the top");
    else if (figure->kind == PL_FIGURE_HEATMAP)
        note_runs(g, never, "run never reached the target: the mean of its square is infinite",
                  "runs never reached the target: means of their squares are infinite");
    else if (figure->around == PL_AROUND_QUARTILES)
        note_runs(g, never, "run never reached the target and counts as infinite; medians that are have arrows",
                  "runs never reached the target and count as infinite; medians that are have arrows");
    else
        note_runs(g, never, "run never reached the target: its mean is infinite, and an arrow at the top",
                  "runs never reached the target: their means are infinite, and arrows at the top");
    note_runs(g, blank,
              seeds ? "run has finished without a finite value and is not drawn"
                    : "run has finished without a finite value and is in no mean",
              seeds ? "runs have finished without a finite value and are not drawn"
                    : "runs have finished without a finite value and are in no mean");
}

/* Runs without a result, and squares that stand for fewer runs than they should. */
static void note_missing(const struct pl_figure *figure, const struct pl_gather *g)
{
    bool seeds = pl_figure_traits[figure->kind].seeds;
    int64_t missing = 0, failed = 0, working = 0, stopped = 0, drawn = 0, waiting = 0;
    for (size_t i = 0; i < g->config_count; i++) {
        struct pl_summary s;
        pl_results_summary(g->results, g->configs[i], &s);
        missing += s.missing;
        failed += s.failed;
        stopped += s.stopped;
    }
    for (size_t p = 0; p < figure->panel_count; p++)
        for (size_t l = 0; l < figure->panels[p].line_count; l++) {
            if (figure->metric_count > 1 && figure->panels[p].lines[l].style % figure->metric_count)
                continue; /* the same runs again */
            working += figure->panels[p].lines[l].working;
            waiting += figure->panels[p].lines[l].waiting;
            drawn += figure->panels[p].lines[l].stopped;
        }
    note_runs(g, working, "run is still at work and drawn as far as it has come",
              "runs are still at work and drawn as far as they have come");
    note_runs(g, waiting, "run was interrupted and is drawn as far as it has come",
              "runs were interrupted and are drawn as far as they have come");
    note_runs(g, missing - working - waiting, "run is not drawn because it has not finished",
              "runs are not drawn because they have not finished");
    note_runs(g, drawn, "run was stopped early and is drawn until there",
              "runs were stopped early and are drawn until there");
    if (seeds)
        note_runs(g, stopped, "run was stopped early and is not drawn", "runs were stopped early and are not drawn");
    else
        note_runs(g, stopped - drawn, "run was stopped early and is in no mean",
                  "runs were stopped early and are in no mean");
    note_runs(g, failed, "run is not drawn because it failed", "runs are not drawn because they failed");
    if (figure->kind == PL_FIGURE_HEATMAP || pl_figure_has_configs(figure->kind))
        note_blank(figure, g);
}

/* Ends of ranges that were asked for and have no place on the scale. */
static void note_ranges(const struct pl_figure *figure, const struct pl_gather *g)
{
    bool log[2] = {false, false};
    const double *asked[] = {g->spec->x_range, g->spec->y_range};
    for (size_t p = 0; p < figure->panel_count; p++) {
        log[0] |= figure->panels[p].log_x;
        log[1] |= figure->panels[p].log_y;
    }
    for (int axis = 0; axis < 2; axis++)
        for (int end = 0; end < 2; end++)
            if (log[axis] && isfinite(asked[axis][end]) && asked[axis][end] <= 0)
                pl_text_addf(g->notes, "The %c axis is logarithmic and cannot %s at %g: it %s where its values do.\n",
                             axis ? 'y' : 'x', end ? "end" : "begin", asked[axis][end], end ? "ends" : "begins");
}

void pl_note_left_out(struct pl_figure *figure, const struct pl_gather *g)
{
    if (figure->kind != PL_FIGURE_TUNING) /* which says it of points */
        note_missing(figure, g);
    if (figure->kind != PL_FIGURE_RANKS)
        note_lines(figure, g);
    note_ranges(figure, g);
}
