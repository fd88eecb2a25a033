/* Figures of a study. */
#include "spec/declare/declaring.h"
#include "spec/grid/scale.h"
#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"

#include <math.h>
#include <string.h>

static const char *const figure_keys[] = {"kind",   "name", "title",      "x",       "y",         "z",      "panels",
                                          "lines",  "log",  "x_range",    "y_range", "fit",       "slopes", "select",
                                          "cell",   "band", "confidence", "tau_max", "statistic", "where",  "width",
                                          "height", "font", "labels",     "smooth",  "shared"};

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

/* x, y or both. */
static void read_axes(struct reader *reader, struct node *node, const char *what, bool *x, bool *y)
{
    static const char *const legal[] = {"x", "y"};
    size_t count;
    struct node **items = pl_node_list(&node, &count);
    for (size_t i = 0; i < count; i++) {
        int word = pl_declare_word(reader, items[i], what, legal, COUNT(legal));
        *x = *x || word == 0;
        *y = *y || word == 1;
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

static void read_x(struct declaring *d, const struct node *map, struct pl_figure_spec *figure)
{
    struct reader *reader = d->reader;
    const char *kind = pl_figure_kind_names[figure->kind];
    struct node *x = pl_node_find(map, "x");
    int word;
    switch (pl_figure_traits[figure->kind].x) {
    case PL_OF_TIME:
        word = x ? pl_declare_word(reader, x, "x", pl_figure_time_names, PL_FIGURE_TIME_COUNT) : 0;
        figure->x = (char *)pl_figure_time_names[word > 0 ? word : 0];
        break;
    case PL_OF_SPENT:
        word = x ? pl_declare_word(reader, x, "x", pl_figure_spending_names, PL_FIGURE_SPENDING_COUNT) : 0;
        figure->x = (char *)pl_figure_spending_names[word > 0 ? word : 0];
        break;
    case PL_OF_SETTINGS:
        if (x)
            pl_declare_names(d, x, "x", &figure->axes);
        break;
    case PL_OF_NOTHING:
        if (x)
            pl_complain(&reader->complaints, x, "a figure of kind %s has no x", kind);
        break;
    default:
        if (x)
            figure->x = pl_declare_key(d, x, "x");
        else
            pl_complain(&reader->complaints, map, "a figure of kind %s needs x: the setting along its axis", kind);
    }
}

/* Several metrics in one panel. */
static void read_metrics(struct declaring *d, const struct node *list, struct pl_figure_spec *figure)
{
    struct reader *reader = d->reader;
    if (!list->count || list->count > PL_FIGURE_METRICS) {
        pl_complain(&reader->complaints, list,
                    "y must be a metric or a list of up to %d, such as [train_loss, valid_loss]", PL_FIGURE_METRICS);
        return;
    }
    figure->metrics.names = pl_pool_new(reader->pool, list->count, sizeof *figure->metrics.names);
    for (size_t i = 0; i < list->count; i++) {
        char *metric = pl_declare_metric_name(reader, list->items[i], "y", NULL);
        if (metric && pl_names_have(&figure->metrics, metric))
            pl_complain(&reader->complaints, list->items[i], "y has %s twice", metric);
        else if (metric)
            figure->metrics.names[figure->metrics.count++] = metric;
    }
    figure->y = figure->metrics.count ? figure->metrics.names[0] : NULL;
}

static void read_y(struct declaring *d, const struct node *map, struct pl_figure_spec *figure)
{
    struct reader *reader = d->reader;
    const struct pl_figure_traits *has = &pl_figure_traits[figure->kind];
    const char *kind = pl_figure_kind_names[figure->kind];
    const struct node *y = pl_node_find(map, "y");
    bool setting = has->y == PL_OF_SETTING, profile = figure->kind == PL_FIGURE_PROFILE;
    if (y && setting)
        figure->y = pl_declare_key(d, y, "y");
    else if (y && y->kind == NODE_LIST && has->curves)
        read_metrics(d, y, figure);
    else if (y)
        figure->y = pl_declare_metric_name(reader, y, "y", has->x == PL_OF_TIME ? NULL : &figure->select);
    else if (profile)
        figure->y = (char *)PL_EPOCHS_TO_TARGET;
    else
        pl_complain(&reader->complaints, map, "a figure of kind %s needs y: the %s", kind,
                    setting ? "second setting" : "metric");
    if (y && profile && figure->y && !pl_metric_is_to_target(figure->y))
        pl_complain(&reader->complaints, y,
                    "a figure of kind profile is of times to a target: y must be " PL_EPOCHS_TO_TARGET
                    " or " PL_SECONDS_TO_TARGET ", and not %s",
                    figure->y);
}

/* What x, y and z mean depends on the kind. */
static void read_coordinates(struct declaring *d, const struct node *map, struct pl_figure_spec *figure)
{
    struct reader *reader = d->reader;
    const struct pl_figure_traits *has = &pl_figure_traits[figure->kind];
    const char *kind = pl_figure_kind_names[figure->kind];
    const struct node *z = pl_node_find(map, "z");
    read_x(d, map, figure);
    read_y(d, map, figure);
    if (z && has->z == PL_OF_METRIC)
        figure->z = pl_declare_metric_name(reader, z, "z", &figure->select);
    else if (z && has->z == PL_OF_SETTING)
        figure->z = pl_declare_key(d, z, "z");
    else if (z)
        pl_complain(&reader->complaints, z, "a figure of kind %s has no z", kind);
    else if (has->z == PL_OF_METRIC)
        pl_complain(&reader->complaints, map, "a figure of kind %s needs z: the metric", kind);
    if (has->y == PL_OF_SETTING && figure->x && figure->y && !strcmp(figure->x, figure->y))
        pl_complain(&reader->complaints, pl_node_find(map, "y"), "x and y of a %s must be two settings", kind);
}

/* What only some kinds have is no slip of others. */
static void check_keys(struct declaring *d, const struct node *map, const struct pl_figure_spec *figure)
{
    const struct pl_figure_traits *has = &pl_figure_traits[figure->kind];
    const struct {
        const char *key;
        bool legal;
    } keys[] = {{"panels", has->panels},
                {"log", has->axes},
                {"x_range", has->axes && !has->seeds},
                {"y_range", has->axes},
                {"select", !has->tuned},
                {"cell", has->tasks},
                {"smooth", has->curves},
                {"shared", has->shared},
                {"statistic", has->tuned},
                {"band", has->tuned || has->spread},
                {"confidence", has->level},
                {"tau_max", figure->kind == PL_FIGURE_PROFILE}};
    const char *kind = pl_figure_kind_names[figure->kind];
    for (size_t i = 0; i < COUNT(keys); i++) {
        const struct node *node = pl_node_find(map, keys[i].key);
        if (node && !keys[i].legal)
            pl_complain(&d->reader->complaints, node, "a figure of kind %s has no %s", kind, keys[i].key);
    }
    if (!has->fit && (figure->fit || figure->slope_count))
        pl_complain(&d->reader->complaints, map, "a figure of kind %s has neither fit nor slopes", kind);
    if (has->seeds && figure->log_x)
        pl_complain(&d->reader->complaints, pl_node_find(map, "log"),
                    "a figure of kind %s has categories along x, which have no scale: log may be y", kind);
    if (has->tasks && figure->choose.best > 1)
        pl_complain(&d->reader->complaints, pl_node_find(map, "select"),
                    "a figure of kind %s compares the best of each method: best must be 1", kind);
}

static void read_figure_name(struct declaring *d, const struct node *node, struct pl_figure_spec *figure)
{
    const char *name = pl_node_text(d->reader, node, "name");
    if (name && !pl_name_is_legal(name))
        pl_complain(&d->reader->complaints, node,
                    "name \"%.100s\" becomes a file name: it must be at most 100 letters, digits, _, - and .", name);
    else
        figure->name = name ? pl_scale_label(d->reader, name, "-", "") : NULL;
}

/* Keys that every figure may have, and those of lines. */
static void read_common(struct declaring *d, const char *key, struct node *value, struct pl_figure_spec *figure)
{
    struct reader *reader = d->reader;
    if (!strcmp(key, "name"))
        read_figure_name(d, value, figure);
    else if (!strcmp(key, "title"))
        figure->title = pl_declare_title(d, value);
    else if (!strcmp(key, "panels"))
        pl_declare_names(d, value, "panels", &figure->panels);
    else if (!strcmp(key, "lines"))
        pl_declare_names(d, value, "lines", &figure->lines);
    else if (!strcmp(key, "log"))
        read_axes(reader, value, "log", &figure->log_x, &figure->log_y);
    else if (!strcmp(key, "x_range"))
        read_range(reader, value, "x_range", figure->x_range);
    else if (!strcmp(key, "y_range"))
        read_range(reader, value, "y_range", figure->y_range);
    else if (!strcmp(key, "fit"))
        read_fit(reader, value, figure);
    else if (!strcmp(key, "slopes"))
        read_slopes(reader, value, figure);
    else if (!strcmp(key, "where"))
        pl_declare_where(d, value, &figure->where, &figure->where_count);
}

static void read_length(struct reader *reader, const char *key, const struct node *node, double *inches)
{
    const char *text = pl_node_text(reader, node, key);
    if (text && !pl_length_read(text, inches))
        pl_complain(
            &reader->complaints, node,
            "%s cannot be \"%.100s\"; it must be a length in in, cm, mm or pt, from 1in to 40in, such as 3.25in", key,
            text);
}

/* How it looks. */
static void read_look(struct declaring *d, const char *key, struct node *value, struct pl_figure_spec *figure)
{
    struct reader *reader = d->reader;
    if (!strcmp(key, "width"))
        read_length(reader, key, value, &figure->width);
    else if (!strcmp(key, "height"))
        read_length(reader, key, value, &figure->height);
    else if (!strcmp(key, "labels"))
        pl_declare_labels(d, value, &figure->labels);
    else if (!strcmp(key, "shared"))
        read_axes(reader, value, key, &figure->share_x, &figure->share_y);
    else if (!strcmp(key, "smooth")) {
        const char *text = pl_node_text(reader, value, key);
        if (text && !pl_smooth_read(text, &figure->smooth))
            pl_complain(
                &reader->complaints, value,
                "smooth cannot be \"%.100s\"; it must be a number of epochs, 2 to 100000, such as 5 or median 5", text);
    } else if (!strcmp(key, "font")) {
        const char *text = pl_node_text(reader, value, key);
        if (text && !pl_font_read(text, &figure->font))
            pl_complain(&reader->complaints, value,
                        "font cannot be \"%.100s\"; it must be a family, a size from 4 to 48 points, or both, such as "
                        "\"Times,9\"",
                        text);
    }
}

/* Keys of statistics. */
static void read_statistics(struct declaring *d, const char *key, struct node *value, struct pl_figure_spec *figure)
{
    struct reader *reader = d->reader;
    int word;
    if (!strcmp(key, "select"))
        pl_declare_selection(d, value, &figure->choose);
    else if (!strcmp(key, "cell"))
        figure->cell = pl_declare_cell(d, value);
    else if (!strcmp(key, "statistic") &&
             (word = pl_declare_word(reader, value, key, pl_statistic_names, PL_STATISTIC_COUNT)) >= 0)
        figure->statistic = (enum pl_statistic)word;
    else if (!strcmp(key, "confidence"))
        pl_declare_number(reader, value, key, "[0.5,0.9999]", &figure->confidence);
    else if (!strcmp(key, "tau_max"))
        pl_declare_number(reader, value, key, "(1,1e9]", &figure->tau_max);
}

/* Which bands there are depends on the kind. */
static void read_band(struct reader *reader, const struct node *node, struct pl_figure_spec *figure)
{
    const struct pl_figure_traits *has = &pl_figure_traits[figure->kind];
    int word;
    if (node && has->tuned && (word = pl_declare_word(reader, node, "band", pl_band_names, PL_BAND_COUNT)) >= 0)
        figure->band = (enum pl_band_kind)word;
    if (node && has->spread && (word = pl_declare_word(reader, node, "band", pl_around_names, PL_AROUND_COUNT)) >= 0)
        figure->around = (enum pl_around)word;
}

void pl_declare_figure(struct declaring *d, const struct node *map, struct pl_figure_spec *figure)
{
    struct reader *reader = d->reader;
    *figure = pl_figure_neutral;
    if (!pl_declare_map(reader, map, "a figure", "{kind: curves, y: loss, lines: optimizer}", figure_keys,
                        COUNT(figure_keys)))
        return;
    struct node *kind = pl_node_find(map, "kind");
    int word = kind ? pl_declare_word(reader, kind, "kind", pl_figure_kind_names, PL_FIGURE_KIND_COUNT) : -1;
    if (!kind) {
        struct pl_text words = {0};
        for (size_t i = 0; i < PL_FIGURE_KIND_COUNT; i++)
            pl_text_addf(&words, "%s%s",
                         !i                             ? ""
                         : i + 1 < PL_FIGURE_KIND_COUNT ? ", "
                                                        : " or ",
                         pl_figure_kind_names[i]);
        pl_complain(&reader->complaints, map, "a figure needs a kind: %s", pl_text(&words));
        pl_text_release(&words);
    }
    d->ranked = pl_node_find(map, "select");
    for (size_t i = 0; i < map->count; i++) {
        read_common(d, map->items[2 * i]->text, map->items[2 * i + 1], figure);
        read_statistics(d, map->items[2 * i]->text, map->items[2 * i + 1], figure);
        read_look(d, map->items[2 * i]->text, map->items[2 * i + 1], figure);
    }
    d->ranked = false;
    if (figure->choose.best)
        pl_declare_check_selection(d, pl_node_find(map, "select"), &figure->choose, "the panels or lines of the figure",
                                   (const struct pl_names *const[]){&figure->panels, &figure->lines}, 2);
    if (word < 0)
        return;
    figure->kind = (enum pl_figure_kind)word;
    read_band(reader, pl_node_find(map, "band"), figure);
    check_keys(d, map, figure);
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
