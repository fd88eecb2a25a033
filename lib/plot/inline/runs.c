/* The curves of single runs in a page, as far as they have come. */
#include "plot/inline/inline.h"
#include "store/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 12 };

struct found {
    struct found_metric {
        char *name;
        enum pl_series_axis axis;
    } * list;
    size_t count, capacity;
};

static int take_metric(void *self, const struct pl_cell *cells, size_t count)
{
    struct found *found = self;
    (void)count;
    for (size_t i = 0; i < found->count; i++)
        if (!strcmp(found->list[i].name, cells[0].text)) {
            if (!cells[1].integer) /* epochs, where there are both */
                found->list[i].axis = PL_BY_EPOCH;
            return 0;
        }
    void *list = found->list;
    pl_grow(&list, &found->capacity, found->count + 1, sizeof *found->list);
    found->list = list;
    found->list[found->count++] = (struct found_metric){pl_copy(cells[0].text), (enum pl_series_axis)cells[1].integer};
    return 0;
}

static int by_rank(const void *a, const void *b)
{
    size_t x = pl_train_metric_rank(((const struct found_metric *)a)->name);
    size_t y = pl_train_metric_rank(((const struct found_metric *)b)->name);
    return (x > y) - (x < y);
}

static int take_point(void *self, double position, double value)
{
    pl_points_add(
        self,
        (struct pl_point){
            .x = position, .place = position, .y = value, .low = NAN, .high = NAN, .least = NAN, .n = isfinite(value)});
    return 0;
}

static int fill_panel(struct pl_panel *panel, struct pl_store *store, const struct found_metric *metric,
                      const int64_t *runs, size_t count, struct pl_error *err)
{
    struct pl_text title = {0};
    struct pl_figure_spec spec = {.x_range = {NAN, NAN}, .y_range = {NAN, NAN}};
    int status = 0;
    pl_label_name(&title, metric->name, false);
    panel->title = pl_text_take(&title);
    panel->x_breaks[0] = panel->x_breaks[1] = panel->x_range[0] = panel->x_range[1] = NAN;
    panel->lines = pl_new((count + 1) * sizeof *panel->lines);
    for (size_t i = 0; i < count && !status; i++) {
        struct pl_plot_line *line = &panel->lines[panel->line_count++];
        line->style = i;
        line->runs = 1;
        status = pl_store_each_point_along(store, runs[i], metric->name, metric->axis, take_point, &line->means, err);
    }
    if (!status)
        pl_range_panel(panel, &spec, false);
    return status;
}

static void label(struct pl_figure *figure, const char *const *names, size_t count)
{
    figure->name = pl_copy("curves");
    figure->title = pl_copy("curves");
    figure->y_label = pl_copy("");
    figure->z_label = pl_copy("");
    figure->legend = pl_new((count + 1) * sizeof *figure->legend);
    figure->legend_count = count;
    for (size_t i = 0; i < count; i++) {
        struct pl_text name = {0};
        pl_label_text(&name, names[i], false);
        figure->legend[i] = (struct pl_legend_entry){.label = pl_text_take(&name), .shown = count > 1};
    }
}

int pl_plot_inline_runs(struct pl_store *store, const int64_t *runs, const char *const *names, size_t count,
                        const struct pl_inline_options *options, struct pl_text *out, struct pl_error *err)
{
    struct pl_figure figure = {.kind = PL_FIGURE_CURVES};
    struct found found = {0};
    int status = 0;
    for (size_t i = 0; i < count && !status; i++)
        status = pl_store_ask(store, PL_ASK_METRICS, runs[i], take_metric, &found, err);
    if (found.count)
        qsort(found.list, found.count, sizeof *found.list, by_rank);
    size_t panels = found.count > MOST_PANELS ? MOST_PANELS : found.count;
    bool steps = found.count && found.list[0].axis == PL_BY_STEP;
    label(&figure, names, count);
    figure.x_label = pl_copy(steps ? "step" : "epoch");
    figure.panels = pl_new((panels + 1) * sizeof *figure.panels);
    for (size_t p = 0; p < panels && !status; p++) {
        figure.panel_count = p + 1;
        status = fill_panel(&figure.panels[p], store, &found.list[p], runs, count, err);
    }
    if (!status && panels)
        pl_inline_write(&figure, options->id, options->points, NULL, out);
    for (size_t i = 0; i < found.count; i++)
        free(found.list[i].name);
    free(found.list);
    pl_figure_release(&figure);
    return status;
}
