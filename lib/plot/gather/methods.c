/* Methods over tasks: performance profiles, and mean ranks with what cannot be told apart. */
#include "plot/plot_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_METHODS = 40, MOST_PROFILES = 24 };

/* A line for each of the methods, which come best first. */
static void begin(struct pl_figure *figure, struct pl_gather *g, char *const *names, size_t count, size_t most)
{
    size_t kept = count > most ? most : count;
    figure->panel_count = 1;
    figure->panels = pl_new(sizeof *figure->panels);
    struct pl_panel *panel = figure->panels;
    panel->title = pl_copy("");
    panel->x_breaks[0] = panel->x_breaks[1] = panel->x_range[0] = panel->x_range[1] = NAN;
    figure->legend_count = kept;
    figure->legend = pl_new((kept + 1) * sizeof *figure->legend);
    g->methods.names = pl_new((kept + 1) * sizeof *g->methods.names);
    for (size_t i = 0; i < kept; i++) {
        struct pl_text label = {0};
        pl_label_text(&label, *names[i] ? names[i] : "all", figure->plain);
        figure->legend[i].label = pl_text_take(&label);
        g->methods.names[g->methods.count++] = pl_copy(*names[i] ? names[i] : "all");
        pl_panel_line(panel, i);
    }
    if (kept < count)
        pl_text_addf(g->notes, "Of %zu methods the best %zu are drawn; choose with where.\n", count, kept);
}

static void add(struct pl_plot_line *line, double x, double y, size_t n)
{
    pl_points_add(
        &line->means,
        (struct pl_point){
            .x = x, .place = x, .y = y, .low = NAN, .high = NAN, .least = NAN, .n = (int64_t)n, .z = NAN, .hue = NAN});
}

/* ---- profiles ---- */

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A point where the share changes, from 1 to the end of the axis. */
static void add_profile(struct pl_plot_line *line, const struct pl_method_times *t, size_t method)
{
    double *ratios = pl_new((t->tasks + 1) * sizeof *ratios);
    size_t count = 0;
    for (size_t task = 0; task < t->tasks; task++) {
        double best = INFINITY, time = t->times[task * t->methods + method];
        for (size_t k = 0; k < t->methods; k++)
            best = fmin(best, t->times[task * t->methods + k]);
        if (isfinite(time))
            ratios[count++] = best > 0 ? time / best : time > 0 ? INFINITY : 1;
    }
    qsort(ratios, count, sizeof *ratios, rising);
    add(line, 1, pl_profile_share(t->times, t->tasks, t->methods, method, 1), t->tasks);
    for (size_t i = 0; i < count; i++)
        if (ratios[i] > line->means.list[line->means.count - 1].x && ratios[i] < t->tau_max)
            add(line, ratios[i], pl_profile_share(t->times, t->tasks, t->methods, method, ratios[i]), t->tasks);
    add(line, t->tau_max, pl_profile_share(t->times, t->tasks, t->methods, method, t->tau_max), t->tasks);
    free(ratios);
}

static int make_profile(struct pl_figure *figure, struct pl_gather *g, const struct pl_table *table,
                        struct pl_error *err)
{
    struct pl_method_times times;
    struct pl_text value = {0}, label = {0};
    int status = pl_table_times(table, g->spec->tau_max, &times, err);
    if (status)
        return status;
    begin(figure, g, times.names, times.methods, MOST_PROFILES);
    for (size_t i = 0; i < figure->legend_count; i++)
        add_profile(&figure->panels->lines[i], &times, i);
    struct pl_figure_spec ranges = *g->spec;
    for (int i = 0; i < 2; i++) {
        ranges.x_range[i] = isfinite(ranges.x_range[i]) ? ranges.x_range[i] : i ? times.tau_max : 1;
        ranges.y_range[i] = isfinite(ranges.y_range[i]) ? ranges.y_range[i] : i ? 1.02 : 0;
    }
    pl_range_panel(figure->panels, &ranges, g->spec->log_x);
    pl_label_known(&value, &g->spec->labels, g->metric, figure->plain);
    pl_text_addf(&label, "%s, relative to the fastest", pl_text(&value));
    figure->x_label = pl_text_take(&label);
    pl_text_addf(&label, "share of %zu task%s", times.tasks, times.tasks == 1 ? "" : "s");
    figure->y_label = pl_text_take(&label);
    pl_text_add(g->notes, pl_text(&times.notes));
    pl_text_release(&value);
    pl_method_times_release(&times);
    return 0;
}

/* ---- ranks ---- */

/* Lines that share no rank may stand beside each other. */
static size_t free_level(const struct pl_figure *figure, size_t first)
{
    for (size_t level = 1;; level++) {
        bool taken = false;
        for (size_t i = 0; i < figure->alike_count && !taken; i++)
            taken = figure->alike[i].level == level && figure->alike[i].last >= first;
        if (!taken)
            return level;
    }
}

/* The longest rows of methods of which the first and the last cannot be told apart. */
static void find_alike(struct pl_figure *figure, const struct pl_method_ranks *ranks)
{
    size_t reached = 0;
    figure->alike = pl_new((figure->legend_count + 1) * sizeof *figure->alike);
    for (size_t first = 0; first < figure->legend_count; first++) {
        size_t last = first;
        while (last + 1 < figure->legend_count && ranks->mean[last + 1] - ranks->mean[first] < ranks->critical)
            last++;
        if (last == first || (first && last <= reached))
            continue;
        reached = last;
        figure->alike[figure->alike_count] = (struct pl_alike){first, last, free_level(figure, first)};
        figure->alike_count++;
    }
}

static int make_ranks(struct pl_figure *figure, struct pl_gather *g, const struct pl_table *table, struct pl_error *err)
{
    struct pl_method_ranks ranks;
    struct pl_text value = {0}, label = {0};
    int status = pl_table_rank(table, g->spec->confidence, &ranks, err);
    if (status)
        return status;
    begin(figure, g, ranks.names, ranks.methods, MOST_METHODS);
    for (size_t i = 0; i < figure->legend_count; i++)
        add(&figure->panels->lines[i], ranks.mean[i], (double)i + 1, ranks.tasks);
    figure->critical = ranks.critical;
    find_alike(figure, &ranks);
    struct pl_panel *panel = figure->panels;
    panel->x_range[0] = 1;
    panel->x_range[1] = (double)ranks.methods;
    panel->y_range[1] = (double)figure->legend_count + 1; /* a row each */
    panel->whole = true;
    if (!pl_metric_is_to_target(g->metric) && !pl_labels_find(&g->spec->labels, g->metric))
        pl_text_addf(&value, "%s ", pl_select_names[g->spec->select]);
    pl_label_known(&value, &g->spec->labels, g->metric, figure->plain);
    pl_text_addf(&label, "mean rank by %s over %zu tasks", pl_text(&value), ranks.tasks);
    figure->x_label = pl_text_take(&label);
    figure->y_label = pl_copy("");
    pl_text_add(g->notes, pl_text(&ranks.notes));
    pl_text_release(&value);
    pl_method_ranks_release(&ranks);
    return 0;
}

/* Rows and columns of the table: the methods that are asked for, and what says the task. Of a search of which nothing
 * is said, optimizers are the methods; of a grid all that varies is. */
static int find_headings(const struct pl_gather *g, struct pl_table_spec *wanted, struct pl_error *err)
{
    size_t *configs = NULL, count = 0, keys[PL_FIGURE_KEYS];
    int status = pl_results_load(g->results, g->metric, g->spec->select, err);
    if (!status)
        status = pl_results_where(g->results, g->spec->where, g->spec->where_count, &configs, &count, err);
    if (!status)
        status = pl_results_keys(g->results, &g->spec->lines, keys, err);
    const struct pl_study *study = pl_results_study(g->results);
    size_t lines = g->spec->lines.count, all = lines;
    wanted->rows.names = pl_new((lines + PL_FIGURE_KEYS) * sizeof *wanted->rows.names);
    wanted->columns.names = pl_new(PL_FIGURE_KEYS * sizeof *wanted->columns.names);
    for (size_t i = 0; i < lines; i++)
        wanted->rows.names[wanted->rows.count++] = g->spec->lines.names[i];
    if (!status && (lines || (study && study->search)))
        all = pl_results_extend_search(g->results, configs, count, keys, lines, PL_FIGURE_KEYS);
    for (size_t i = lines; i < all; i++) {
        char *name = (char *)pl_results_key_name(g->results, keys[i]);
        if (pl_train_roles(name) & PL_SAYS_TASK)
            wanted->columns.names[wanted->columns.count++] = name;
        else if (!lines)
            wanted->rows.names[wanted->rows.count++] = name;
    }
    free(configs);
    return status;
}

/* Of a search the best of each method is compared: over all that is drawn, by validation, or by the metric itself where
 * there is none. */
static void choose_of_search(const struct pl_gather *g, struct pl_selection *choose)
{
    const struct pl_study *study = pl_results_study(g->results);
    const struct pl_target *target = pl_results_target(g->results);
    bool timed = pl_metric_is_to_target(g->metric);
    if (choose->best || !study || !study->search)
        return;
    choose->over = (struct pl_names){(char **)study->search->keys, study->search->key_count};
    choose->best = 1;
    if (pl_results_validation(g->results))
        return;
    choose->metric = timed ? target->metric : (char *)g->metric;
    choose->select = timed ? PL_SELECT_BEST : g->spec->select;
}

int pl_gather_methods(struct pl_figure *figure, struct pl_gather *g, struct pl_error *err)
{
    const struct pl_figure_spec *spec = g->spec;
    struct pl_table_spec wanted = {.metric = (char *)g->metric,
                                   .select = spec->select,
                                   .cell = spec->cell,
                                   .labels = spec->labels,
                                   .digits = -1,
                                   .choose = spec->choose,
                                   .where = spec->where,
                                   .where_count = spec->where_count};
    struct pl_table *table;
    choose_of_search(g, &wanted.choose);
    int status = find_headings(g, &wanted, err);
    if (!status)
        status = pl_table_build(&table, g->results, &wanted, err);
    free(wanted.rows.names);
    free(wanted.columns.names);
    if (status)
        return status;
    pl_text_add(g->notes, pl_table_notes(table));
    status = spec->kind == PL_FIGURE_PROFILE ? make_profile(figure, g, table, err) : make_ranks(figure, g, table, err);
    pl_table_free(table);
    return status;
}
