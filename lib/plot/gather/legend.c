/* What the legend and the titles of panels say of lines: what became of their runs, and which have nothing to show. */
#include "plot/plot_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    int64_t runs, diverged, working, waiting;
    bool drawn; /* some line has a finite value */
};

/* What became of a line's runs, where it is not that they all finished. */
static void add_fate(struct pl_text *out, int64_t runs, int64_t diverged, int64_t working, int64_t waiting)
{
    if (diverged)
        add_share(out, diverged, runs, "diverged");
    if (working)
        add_share(out, working, runs, "at work");
    if (waiting)
        add_share(out, waiting, runs, "interrupted");
}

/* Does every panel tell the same of this style, so that the legend can say it? */
static bool is_common(const struct fate *fate)
{
    return fate->diverged == fate->runs || fate->working == fate->runs || fate->waiting == fate->runs;
}

/* Where lines of one style fared differently from panel to panel, the panel's title says so. */
static void note_panel(struct pl_figure *figure, struct pl_panel *panel, const struct fate *fates)
{
    struct pl_text note = {0}, what = {0};
    size_t lines = 0;
    bool diverged = false, working = false;
    for (size_t l = 0; l < panel->line_count; l++) {
        const struct pl_plot_line *line = &panel->lines[l];
        if ((!line->diverged && !line->working && !line->waiting) || is_common(&fates[line->style]))
            continue;
        pl_text_clear(&note);
        pl_text_clear(&what);
        add_fate(&what, line->runs, line->diverged, line->working, line->waiting);
        if (figure->legend[line->style].label[0])
            pl_text_addf(&note, "%s%s ", figure->legend[line->style].label, strchr(pl_text(&what), '/') ? ":" : "");
        pl_text_add(&note, pl_text(&what));
        diverged |= line->diverged;
        working |= line->working || line->waiting;
        lines++;
    }
    if (lines > 1) {
        pl_text_clear(&note);
        pl_text_addf(&note, "runs of %zu lines %s", lines,
                     !working   ? "diverged"
                     : diverged ? "diverged or have not finished"
                                : "have not finished");
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

/* Of configurations runs may be behind a mean that is infinite. */
static bool shows_finite(const struct pl_figure *figure, const struct pl_plot_line *line)
{
    const struct pl_points *values = pl_figure_values(figure, line);
    if (!pl_figure_has_configs(figure->kind))
        return has_finite(&line->means);
    for (size_t i = 0; i < values->count; i++)
        if (isfinite(values->list[i].y))
            return true;
    return false;
}

static bool has_infinite(const struct pl_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        if (isinf(points->list[i].y))
            return true;
    return false;
}

static void find_marks(struct pl_figure *figure, const struct pl_panel *panel, const struct pl_plot_line *line)
{
    figure->marked[PL_MARK_LOST] |= line->lost.count > 0;
    figure->marked[PL_MARK_TURN] |= line->turn.count > 0;
    figure->marked[PL_MARK_OPEN] |= line->open.count > 0;
    figure->marked[PL_MARK_ENDED] |= line->ended.count > 0;
    figure->marked[PL_MARK_CHANGED] |= line->changed.count > 0;
    figure->marked[PL_MARK_ABOVE] |= figure->kind == PL_FIGURE_PARALLEL && line->outside.count;
    for (enum pl_mark side = PL_MARK_ABOVE; side <= PL_MARK_BELOW; side++) {
        struct pl_points beyond = {0};
        pl_range_beyond(panel, pl_figure_values(figure, line), side, 1, &beyond);
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
            bool finite = shows_finite(figure, line), curve = !pl_figure_has_configs(figure->kind);
            fates[line->style].runs += line->runs;
            fates[line->style].diverged += line->diverged;
            fates[line->style].working += line->working;
            fates[line->style].waiting += line->waiting;
            fates[line->style].drawn |= finite || line->lost.count;
            figure->legend[line->style].shown |= figure->kind != PL_FIGURE_RANKS &&
                                                 (finite || line->diverged || line->blank || line->outside.count ||
                                                  has_infinite(&line->means) || (curve && line->means.count));
            figure->beside |= line->beside.count > 0;
            any |= finite || has_finite(&line->beside);
            find_marks(figure, panel, line);
        }
    }
    return any;
}

bool pl_figure_finish_legend(struct pl_figure *figure)
{
    struct fate *fates = pl_new((figure->legend_count + 1) * sizeof *fates);
    bool any = judge_lines(figure, fates), crosses = pl_figure_has_configs(figure->kind);
    for (size_t p = 0; p < figure->panel_count && figure->panel_count > 1 && !crosses; p++)
        note_panel(figure, &figure->panels[p], fates);
    for (size_t i = 0; i < figure->legend_count; i++) {
        struct pl_text note = {0};
        if (!crosses && (figure->panel_count == 1 || is_common(&fates[i])))
            add_fate(&note, fates[i].runs, fates[i].diverged, fates[i].working, fates[i].waiting);
        if (figure->legend[i].shown && !fates[i].drawn)
            pl_text_addf(&note, "%sno finite value", note.length ? ", " : "");
        if (note.length)
            append(&figure->legend[i].label, &note);
        pl_text_release(&note);
    }
    free(fates);
    return any;
}
