/* Parallel coordinates (Inselberg 1985): an axis for each setting of a search and one for the metric, and a line
 * through them for each configuration. */
#include "plot/gather/axis.h"
#include "plot/ticks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Positive values that span more than so much are drawn logarithmically, as in other figures. */
static const double wide = 1000;

static bool is_among(size_t key, const size_t *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (keys[i] == key)
            return true;
    return false;
}

/* What parts panels and lines needs no axis. */
static bool is_named(const struct pl_gather *g, size_t key)
{
    const struct pl_names *names[] = {&g->spec->panels, &g->spec->lines};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < names[k]->count; i++)
            if (pl_results_key(g->results, names[k]->names[i]) == key)
                return true;
    return false;
}

static bool has_setting(const struct pl_gather *g, size_t key)
{
    for (size_t i = 0; i < g->config_count; i++)
        if (pl_results_rank(g->results, g->configs[i], key))
            return true;
    return false;
}

size_t pl_parallel_keys(const struct pl_gather *g, size_t *keys, size_t capacity)
{
    const struct pl_study *study = pl_results_study(g->results);
    const struct pl_search *search = study ? study->search : NULL;
    size_t varying[2 * PL_FIGURE_KEYS], tasks[PL_FIGURE_KEYS], axes[PL_FIGURE_KEYS], count = 0, found = 0;
    for (size_t i = 0; search && i < search->drawn_count && count < PL_FIGURE_KEYS; i++) {
        size_t key = pl_results_key(g->results, search->drawn[i].key);
        if (key != SIZE_MAX && !is_among(key, varying, count) && has_setting(g, key))
            varying[count++] = key;
    }
    /* What tells searches apart parts the lines. */
    size_t parting = pl_results_extend_search(g->results, g->configs, g->config_count, tasks, 0, PL_FIGURE_KEYS);
    size_t listed = pl_results_axes(g->results, g->configs, g->config_count, axes, PL_FIGURE_KEYS);
    for (size_t i = 0; i < listed; i++)
        if (!is_among(axes[i], varying, count) && !is_among(axes[i], tasks, parting))
            varying[count++] = axes[i];
    for (size_t i = 0; i < count; i++)
        if (!is_named(g, varying[i]) && found++ < capacity)
            keys[found - 1] = varying[i];
    return found;
}

/* A configuration with its metric. */
struct scored {
    size_t config;
    double value; /* NaN: none */
    struct pl_summary summary;
};

static int by_value(const void *a, const void *b)
{
    const struct scored *x = a, *y = b;
    if (isnan(x->value) || isnan(y->value) || x->value == y->value)
        return isnan(y->value) - isnan(x->value) ? isnan(y->value) - isnan(x->value)
                                                 : (x->config > y->config) - (x->config < y->config);
    return x->value < y->value ? 1 : -1;
}

/* The best is last, so that no other line hides it. */
static struct scored *score_configs(const struct pl_figure *figure, const struct pl_gather *g)
{
    struct scored *scored = pl_new((g->config_count + 1) * sizeof *scored);
    double sign = figure->direction == PL_MAXIMIZE ? -1 : 1;
    for (size_t i = 0; i < g->config_count; i++) {
        scored[i].config = g->configs[i];
        pl_results_summary(g->results, g->configs[i], &scored[i].summary);
        scored[i].value = isfinite(scored[i].summary.mean) ? sign * scored[i].summary.mean : NAN;
    }
    qsort(scored, g->config_count, sizeof *scored, by_value);
    for (size_t i = 0; i < g->config_count; i++)
        scored[i].value *= sign;
    return scored;
}

/* Of each panel the scale of the metric, which is that of its colours. Returns how many lie beyond an end. */
static size_t scale_metric(struct pl_panel *panel, const struct pl_gather *g, size_t number,
                           const struct scored *scored)
{
    double *values = pl_new((g->config_count + 1) * sizeof *values), least = INFINITY, most = -INFINITY;
    double *range = panel->z_range;
    size_t count = 0, beyond = 0;
    for (size_t i = 0; i < g->config_count; i++) {
        if (isnan(scored[i].value) || pl_headings_of(g->results, &g->panels, scored[i].config) != number)
            continue;
        least = fmin(least, scored[i].value);
        most = fmax(most, scored[i].value);
        values[count++] = scored[i].value;
    }
    panel->log_z = least > 0 && most / least > wide;
    pl_range_robust(values, count, panel->log_z, range); /* which writes logarithms into values */
    for (size_t i = 0; i < count && panel->log_z; i++)
        values[i] = pow(10, values[i]);
    for (size_t i = 0; i < count; i++) {
        double share = range[1] > range[0] ? pl_ticks_share(range, panel->log_z, values[i]) : 0;
        beyond += share < -1e-9 || share > 1 + 1e-9;
    }
    free(values);
    if (!count) /* an axis that no line comes to */
        range[0] = 0;
    if (!(range[1] > range[0])) { /* one value */
        double margin = range[0] != 0 ? 0.1 * fabs(range[0]) : 1;
        range[1] = range[0] + margin;
        range[0] -= margin;
        panel->log_z = false;
    }
    return beyond;
}

static struct pl_point point_at(size_t place, double y, double z, const struct scored *scored)
{
    return (struct pl_point){.x = (double)place,
                             .place = (double)place,
                             .y = y,
                             .low = NAN,
                             .high = NAN,
                             .least = NAN,
                             .n = scored->summary.n,
                             .planned = scored->summary.planned,
                             .z = z,
                             .hue = scored->value,
                             .parted = !place};
}

/* A setting that the configuration does not have is a gap. Returns how many there are. */
static size_t add_settings(struct pl_points *points, const struct pl_gather *g, const struct pl_axis *axes,
                           const struct scored *scored)
{
    size_t gaps = 0;
    for (size_t a = 0; a < g->axis_count; a++) {
        const struct pl_axis_value *value = pl_axis_value_of(g, &axes[a], scored->config);
        double place = value ? pl_ticks_share(axes[a].range, axes[a].log, value->at) : NAN;
        pl_points_add(points, point_at(a, place, value ? pl_axis_number(&axes[a], value) : NAN, scored));
        gaps += !value;
    }
    return gaps;
}

/* Returns whether it has a gap. */
static bool add_config(struct pl_figure *figure, const struct pl_gather *g, const struct pl_axis *axes,
                       const struct scored *scored)
{
    const struct pl_summary *s = &scored->summary;
    struct pl_panel *panel = &figure->panels[pl_headings_of(g->results, &g->panels, scored->config)];
    struct pl_plot_line *line = pl_panel_line(panel, pl_headings_of(g->results, &g->lines, scored->config));
    bool endless = isnan(scored->value);
    line->runs += s->planned;
    line->diverged += s->diverged;
    line->blank += s->finished - s->n - s->never;
    if (endless && !s->diverged && !s->never)
        return false;
    struct scored infinite = *scored;
    infinite.value = s->never ? INFINITY : scored->value;
    struct pl_points *points = endless ? &line->strands : &line->means;
    bool gaps = add_settings(points, g, axes, &infinite);
    struct pl_point end = point_at(g->axis_count, NAN, NAN, &infinite);
    if (endless) {
        pl_points_add(s->never ? &line->outside : &line->lost, end);
        return gaps;
    }
    double share = pl_ticks_share(panel->z_range, panel->log_z, scored->value);
    end.y = fmin(fmax(share, 0), 1);
    end.z = scored->value;
    pl_points_add(points, end);
    if (s->diverged)
        pl_points_add(&line->changed, end);
    return gaps;
}

static void make_axes(struct pl_panel *panel, const struct pl_figure *figure, const struct pl_gather *g,
                      const struct pl_axis *axes)
{
    panel->axes = pl_new((g->axis_count + 1) * sizeof *panel->axes);
    panel->x_ticks = pl_new((g->axis_count + 1) * sizeof *panel->x_ticks);
    panel->axis_count = panel->x_tick_count = g->axis_count;
    for (size_t a = 0; a < g->axis_count; a++) {
        struct pl_parallel_axis *axis = &panel->axes[a];
        struct pl_text label = {0};
        pl_label_known(&label, &g->spec->labels, pl_results_key_name(g->results, g->axis_keys[a]), figure->plain);
        axis->label = pl_text_take(&label);
        memcpy(axis->range, axes[a].range, sizeof axis->range);
        axis->log = axes[a].log;
        pl_axis_drawn_ticks(&axes[a], g, figure->plain, &axis->ticks, &axis->tick_count);
        panel->x_ticks[a] = (struct pl_tick){(double)a, pl_copy(axis->label), NULL};
        panel->words |= pl_ticks_width(axis->label) * g->axis_count > 60;
    }
    panel->x_range[0] = panel->y_range[0] = 0;
    panel->x_range[1] = (double)g->axis_count;
    panel->y_range[1] = 1;
}

void pl_parallel_bridges(const struct pl_points *points, struct pl_points *bridges)
{
    const struct pl_point *last = NULL;
    for (size_t i = 0; i < points->count; i++) {
        const struct pl_point *p = &points->list[i];
        last = p->parted ? NULL : last;
        if (isnan(p->y))
            continue;
        if (last && last + 1 != p) {
            pl_points_add(bridges, *last);
            bridges->list[bridges->count - 1].parted = true;
            pl_points_add(bridges, *p);
        }
        last = p;
    }
}

int pl_gather_parallel(struct pl_figure *figure, struct pl_gather *g, struct pl_error *err)
{
    (void)err;
    struct pl_axis axes[PL_FIGURE_AXES];
    struct scored *scored = score_configs(figure, g);
    size_t gaps = 0, beyond = 0;
    for (size_t a = 0; a < g->axis_count; a++)
        pl_axis_make_drawn(&axes[a], g, g->axis_keys[a], false);
    for (size_t p = 0; p < figure->panel_count; p++) {
        make_axes(&figure->panels[p], figure, g, axes);
        beyond += scale_metric(&figure->panels[p], g, p, scored);
    }
    for (size_t i = 0; i < g->config_count; i++)
        gaps += add_config(figure, g, axes, &scored[i]);
    if (gaps)
        pl_text_addf(g->notes, "%zu configuration%s not all of these settings: %s dotted across the axes of others.\n",
                     gaps, gaps == 1 ? " has" : "s have", gaps == 1 ? "its line is" : "their lines are");
    if (beyond)
        pl_text_addf(g->notes, "%zu configuration%s beyond the end of the scale of %s and %s drawn there.\n", beyond,
                     beyond == 1 ? " is" : "s are", g->metric, beyond == 1 ? "is" : "are");
    for (size_t a = 0; a < g->axis_count; a++)
        pl_axis_release(&axes[a]);
    free(scored);
    return 0;
}
