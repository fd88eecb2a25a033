/* Figures of a study. */
#include "spec/declare/declaring.h"
#include "spec/grid/scale.h"
#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"

#include <math.h>
#include <string.h>

static const char *const figure_keys[] = {"kind", "name",    "title",   "x",   "y",      "z",      "panels", "lines",
                                          "log",  "x_range", "y_range", "fit", "slopes", "select", "where"};

static void read_range(struct reader *reader, struct node *node, const char *what, double range[2])
{
    const struct pl_setting setting = {.key = what, .type = PL_REAL};
    if (node->kind != NODE_LIST || node->count != 2) {
        pl_complain(&reader->complaints, node, "%s must be two numbers, such as [0, 1]", what);
        return;
    }
    double ends[2] = {NAN, NAN};
    for (int i = 0; i < 2; i++) {
        struct cell cell;
        if (!pl_cell_read(reader, what, &setting, node->items[i], &cell))
            return;
        if (cell.expression) {
            pl_complain(&reader->complaints, node->items[i], "%s must be a number", what);
            return;
        }
        ends[i] = cell.value.real;
    }
    if (ends[0] < ends[1])
        memcpy(range, ends, sizeof ends);
    else
        pl_complain(&reader->complaints, node, "%s must be [low, high] with low < high", what);
}

static void read_log(struct reader *reader, struct node *node, struct pl_figure_spec *figure)
{
    static const char *const legal[] = {"x", "y"};
    size_t count;
    struct node **items = pl_node_list(&node, &count);
    for (size_t i = 0; i < count; i++) {
        int word = pl_declare_word(reader, items[i], "log", legal, COUNT(legal));
        figure->log_x = figure->log_x || word == 0;
        figure->log_y = figure->log_y || word == 1;
    }
}

/* true, false, or the range of x that counts. */
static void read_fit(struct reader *reader, struct node *node, struct pl_figure_spec *figure)
{
    static const struct pl_setting setting = {.key = "fit", .type = PL_BOOLEAN};
    struct cell cell;
    if (node->kind == NODE_LIST) {
        read_range(reader, node, "fit", figure->fit_range);
        figure->fit = true;
    } else if (pl_cell_read(reader, "fit", &setting, node, &cell)) {
        figure->fit = cell.value.boolean;
    }
}

static void read_slopes(struct reader *reader, struct node *node, struct pl_figure_spec *figure)
{
    static const struct pl_setting setting = {.key = "slopes", .type = PL_REAL};
    size_t count;
    struct node **items = pl_node_list(&node, &count);
    if (count > 5) {
        pl_complain(&reader->complaints, node, "slopes names more than 5");
        return;
    }
    figure->slopes = pl_pool_new(reader->pool, count, sizeof *figure->slopes);
    for (size_t i = 0; i < count; i++) {
        struct cell cell;
        if (!pl_cell_read(reader, "slopes", &setting, items[i], &cell))
            continue;
        if (cell.expression)
            pl_complain(&reader->complaints, items[i], "slopes must be numbers, such as [0.5, 0.25]");
        else
            figure->slopes[figure->slope_count++] = cell.value.real;
    }
}

/* What x, y and z mean depends on the kind. */
static void read_coordinates(struct declaring *d, const struct node *map, struct pl_figure_spec *figure)
{
    struct reader *reader = d->reader;
    const char *kind = pl_figure_kind_names[figure->kind];
    struct node *x = pl_node_find(map, "x"), *y = pl_node_find(map, "y"), *z = pl_node_find(map, "z");
    bool curves = figure->kind == PL_FIGURE_CURVES || figure->kind == PL_FIGURE_TRAJECTORIES;
    bool heatmap = figure->kind == PL_FIGURE_HEATMAP;
    if (curves) {
        int word = x ? pl_declare_word(reader, x, "x", pl_figure_time_names, PL_FIGURE_TIME_COUNT) : 0;
        figure->x = (char *)pl_figure_time_names[word == PL_FIGURE_TIME_COUNT - 1 ? word : 0];
    } else if (x) {
        figure->x = pl_declare_key(d, x, "x");
    } else {
        pl_complain(&reader->complaints, map, "a figure of kind %s needs x: the setting along its axis", kind);
    }
    if (y && heatmap)
        figure->y = pl_declare_key(d, y, "y");
    else if (y)
        figure->y = pl_declare_metric_name(reader, y, "y", curves ? NULL : &figure->select);
    else
        pl_complain(&reader->complaints, map, "a figure of kind %s needs y: the %s", kind,
                    heatmap ? "second setting" : "metric");
    if (z && heatmap)
        figure->z = pl_declare_metric_name(reader, z, "z", &figure->select);
    else if (z)
        pl_complain(&reader->complaints, z, "a figure of kind %s has no z", kind);
    else if (heatmap)
        pl_complain(&reader->complaints, map, "a figure of kind heatmap needs z: the metric");
    if (heatmap && figure->x && figure->y && !strcmp(figure->x, figure->y))
        pl_complain(&reader->complaints, y, "x and y of a heatmap must be two settings");
}

static void read_figure_name(struct declaring *d, const struct node *node, struct pl_figure_spec *figure)
{
    const char *name = pl_node_text(d->reader, node, "name");
    if (name && !pl_name_is_legal(name))
        pl_complain(&d->reader->complaints, node,
                    "name \"%.100s\" becomes a file name: it must be letters, digits, _, - and .", name);
    else
        figure->name = name ? pl_scale_label(d->reader, name, "-", "") : NULL;
}

void pl_declare_figure(struct declaring *d, const struct node *map, struct pl_figure_spec *figure)
{
    struct reader *reader = d->reader;
    *figure = (struct pl_figure_spec){.x_range = {NAN, NAN}, .y_range = {NAN, NAN}};
    if (!pl_declare_map(reader, map, "a figure", "{kind: curves, y: loss, lines: optimizer}", figure_keys,
                        COUNT(figure_keys)))
        return;
    struct node *kind = pl_node_find(map, "kind");
    int word = kind ? pl_declare_word(reader, kind, "kind", pl_figure_kind_names, PL_FIGURE_KIND_COUNT) : -1;
    if (!kind)
        pl_complain(&reader->complaints, map, "a figure needs a kind: curves, sensitivity, heatmap or trajectories");
    d->ranked = pl_node_find(map, "select");
    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->items[2 * i]->text;
        struct node *value = map->items[2 * i + 1];
        if (!strcmp(key, "name"))
            read_figure_name(d, value, figure);
        else if (!strcmp(key, "title"))
            figure->title = pl_declare_title(d, value);
        else if (!strcmp(key, "panels"))
            pl_declare_names(d, value, "panels", &figure->panels);
        else if (!strcmp(key, "lines"))
            pl_declare_names(d, value, "lines", &figure->lines);
        else if (!strcmp(key, "log"))
            read_log(reader, value, figure);
        else if (!strcmp(key, "x_range"))
            read_range(reader, value, "x_range", figure->x_range);
        else if (!strcmp(key, "y_range"))
            read_range(reader, value, "y_range", figure->y_range);
        else if (!strcmp(key, "fit"))
            read_fit(reader, value, figure);
        else if (!strcmp(key, "slopes"))
            read_slopes(reader, value, figure);
        else if (!strcmp(key, "select"))
            pl_declare_selection(d, value, &figure->choose);
        else if (!strcmp(key, "where"))
            pl_declare_where(d, value, &figure->where, &figure->where_count);
    }
    d->ranked = false;
    if (figure->choose.best)
        pl_declare_check_selection(d, pl_node_find(map, "select"), &figure->choose, "the panels or lines of the figure",
                                   (const struct pl_names *const[]){&figure->panels, &figure->lines}, 2);
    if (word < 0)
        return;
    figure->kind = (enum pl_figure_kind)word;
    if (figure->kind == PL_FIGURE_HEATMAP && (figure->fit || figure->slope_count))
        pl_complain(&reader->complaints, map, "a figure of kind heatmap has neither fit nor slopes");
    read_coordinates(d, map, figure);
}

void pl_declare_figure_names(struct declaring *d, const struct node *list)
{
    struct pl_study *study = d->study;
    for (size_t i = 0; i < study->figure_count; i++) {
        struct pl_figure_spec *figure = &study->figures[i];
        size_t same = 1;
        for (size_t k = 0; k < i; k++)
            same += study->figures[k].kind == figure->kind;
        struct pl_text name = {0};
        pl_text_addf(&name, "%s-%s", study->name ? study->name : "", pl_figure_kind_names[figure->kind]);
        if (same > 1)
            pl_text_addf(&name, "-%zu", same);
        if (!figure->name)
            figure->name = (char *)pl_pool_copy(d->reader->pool, pl_text(&name));
        pl_text_release(&name);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(study->figures[k].name, figure->name))
                pl_complain(&d->reader->complaints, list->items[i], "there is already a figure %s", figure->name);
    }
}
