/* metrics, tables and figures of a study. */
#include "spec_priv.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What reading a declaration needs. */
struct declaring {
    struct reader *reader;
    struct pl_study *study;
    bool lenient; /* the spec is read back: names of settings are believed */
    bool ranked;  /* the table at hand has ranks beside settings */
};

static const char *const table_keys[] = {"title", "rows", "columns", "value", "cell", "digits", "select", "where",
                                         "published"};
static const char *const selection_keys[] = {"best", "over", "by"};
static const char *const figure_keys[] = {"kind", "name", "title", "x", "y", "z", "panels", "lines", "log", "x_range",
                                          "y_range", "fit", "slopes", "where"};
#define COUNT(list) (sizeof(list) / sizeof *(list))
enum { MOST_NAMES = 20, MOST_COMPARED_FOLLOWERS = 100 };

static void complain_word(struct reader *reader, const struct node *at, const char *what, const char *word,
                          const char *const *legal, size_t count)
{
    struct pl_text text = {0};
    pl_text_addf(&text, "%s \"%.100s\"", what, word);
    pl_hint(&text, word, legal, count);
    pl_complain(&reader->complaints, at, "%s", pl_text(&text));
    pl_text_release(&text);
}

/* Index of a word in a list; -1 after a complaint. */
static int read_word(struct reader *reader, const struct node *node, const char *what, const char *const *legal,
                     size_t count)
{
    const char *word = pl_node_text(reader, node, what);
    for (size_t i = 0; word && i < count; i++)
        if (!strcmp(legal[i], word))
            return (int)i;
    if (word) {
        struct pl_text unknown = {0};
        pl_text_addf(&unknown, "%s cannot be", what);
        complain_word(reader, node, pl_text(&unknown), word, legal, count);
        pl_text_release(&unknown);
    }
    return -1;
}

/* A title; of a scaled study it says so. */
static char *read_title(struct declaring *d, const struct node *node)
{
    const char *title = pl_node_text(d->reader, node, "title");
    return title ? pl_scale_label(d->reader, title, " (", ")") : NULL;
}

/* Metrics are named by tasks and by trainers that nobody has run yet, so any word will do. */
static bool is_metric(const char *name)
{
    size_t length = strlen(name);
    if (!length || length > 100 || (*name >= '0' && *name <= '9'))
        return false;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c >= 0x80 ||
              strchr("_-./@", *c)))
            return false;
    return true;
}

/* "test_accuracy", or "best test_accuracy" where a selection makes sense. */
static char *read_metric(struct reader *reader, const struct node *node, const char *what, enum pl_select *select)
{
    const char *text = pl_node_text(reader, node, what);
    if (!text)
        return NULL;
    const char *space = strchr(text, ' '), *metric = text;
    if (space && select && pl_select_find(text, (size_t)(space - text), select))
        metric = space + strspn(space, " ");
    if (is_metric(metric))
        return (char *)metric;
    pl_complain(&reader->complaints, node, "%s cannot be \"%.100s\"; it must be %s", what, text,
             select ? "best METRIC, last METRIC or best-valid METRIC, such as best test_accuracy"
                    : "the name of a metric, such as test_accuracy");
    return NULL;
}

/* Proposes the nearest setting of the study, else what varies in it. */
static void complain_setting(struct declaring *d, const struct node *node, const char *what)
{
    const struct pl_study_grid *grid = d->study->grid;
    const char *known[200];
    size_t count = 0;
    for (size_t i = 0; i < d->study->axis_count && count < COUNT(known); i++)
        known[count++] = d->study->axes[i];
    size_t axes = count;
    for (size_t p = 0; p < grid->part_count && p < 3; p++) {
        const struct pl_settings *s = &grid->parts[p].variants[0].settings;
        for (size_t i = 0; i < s->count && count < COUNT(known); i++)
            known[count++] = s->entries[i].key;
    }
    struct pl_text text = {0};
    pl_text_addf(&text, "%s: no run of this study has the setting \"%.100s\"", what, node->text);
    pl_hint(&text, node->text, known, pl_nearest(node->text, known, count) ? count : axes);
    pl_complain(&d->reader->complaints, node, "%s", pl_text(&text));
    pl_text_release(&text);
}

/* The canonical key of a setting that some run of the study has; NULL after a complaint. */
static char *read_key(struct declaring *d, const struct node *node, const char *what)
{
    static char rank[] = PL_RANK_KEY;
    const char *name = pl_node_text(d->reader, node, what);
    if (!name)
        return NULL;
    if (d->ranked && !strcmp(name, rank))
        return rank;
    const struct pl_study_grid *grid = d->study->grid;
    bool good = true; /* every variant is known */
    for (size_t p = 0; p < grid->part_count; p++) {
        const struct part *part = &grid->parts[p];
        for (size_t f = 0; f < part->field_count; f++)
            if (!strcmp(part->fields[f].key, name))
                return (char *)part->fields[f].key;
        good = good && part->variant_count;
        for (size_t v = 0; v < part->variant_count && pl_reader_works(d->reader, node, 30); v++) {
            size_t entry = pl_variant_entry(&part->variants[v], name);
            if (entry != SIZE_MAX)
                return (char *)part->variants[v].settings.entries[entry].key;
            good = good && part->variants[v].good;
        }
    }
    const struct pl_setting *setting = pl_reader_find(d->reader, name);
    if (d->lenient || (setting && !good))
        return (char *)(setting ? setting->key : name);
    if (good && grid->part_count) /* else the fault may be elsewhere */
        complain_setting(d, node, what);
    return NULL;
}

/* Does the follower tell two positions apart that its leader and the named followers before it do not? */
static bool is_needed(const struct part *part, const struct field *follower, const struct pl_names *names)
{
    for (size_t a = 0; a < follower->count && a < MOST_COMPARED_FOLLOWERS; a++)
        for (size_t b = 0; b < a; b++) {
            bool alike = !pl_node_same(follower->items[a], follower->items[b]);
            for (size_t f = 0; f < part->field_count && alike; f++) {
                const struct field *other = &part->fields[f];
                bool along = !strcmp(other->key, follower->follows) ||
                             (other->follows && !strcmp(other->follows, follower->follows));
                if (along && other->axis && pl_names_have(names, other->key))
                    alike = pl_node_same(other->items[a], other->items[b]);
            }
            if (alike)
                return true;
        }
    return false;
}

static const struct field *field_of(const struct part *part, const char *key)
{
    for (size_t f = 0; f < part->field_count; f++)
        if (!strcmp(part->fields[f].key, key))
            return &part->fields[f];
    return NULL;
}

static const struct node *value_at(const struct field *field, size_t i)
{
    return field->count ? field->items[field->count == 1 ? 0 : i] : NULL;
}

/* Do two values of a leader in two parts (of cases) agree after a scale, though what it brought along with them does not, and
 * nothing that is named already tells them apart? */
static bool parts_differ(const struct part *p, const struct part *q, const struct field *follower,
                         const struct pl_names *names)
{
    const struct field *other = field_of(q, follower->key), *leader = field_of(p, follower->brought_by),
                       *leader_there = field_of(q, follower->brought_by);
    if (!other || !leader || !leader_there)
        return false;
    for (size_t a = 0; a < leader->count && a < MOST_COMPARED_FOLLOWERS; a++)
        for (size_t b = 0; b < leader_there->count && b < MOST_COMPARED_FOLLOWERS; b++) {
            bool alike = pl_node_same(value_at(leader, a), value_at(leader_there, b)) &&
                         !pl_node_same(value_at(follower, a), value_at(other, b));
            for (size_t n = 0; n < names->count && alike; n++) {
                const struct field *x = field_of(p, names->names[n]), *y = field_of(q, names->names[n]);
                if (x && y && x->brought_by && !strcmp(x->brought_by, follower->brought_by))
                    alike = pl_node_same(value_at(x, a), value_at(y, b));
            }
            if (alike)
                return true;
        }
    return false;
}

static bool differs_between_parts(const struct pl_study_grid *grid, size_t part, const struct field *follower,
                                  const struct pl_names *names)
{
    for (size_t q = 0; follower->brought_by && q < grid->part_count && q < MOST_COMPARED_FOLLOWERS; q++)
        if (q != part && parts_differ(&grid->parts[part], &grid->parts[q], follower, names))
            return true;
    return false;
}

/* What a scale brings along with the values of a setting may be what tells its runs apart: it then stands beside it. */
static void add_followers(struct declaring *d, const char *key, struct pl_names *names)
{
    const struct pl_study_grid *grid = d->study->grid;
    for (size_t p = 0; p < grid->part_count; p++)
        for (size_t f = 0; f < grid->parts[p].field_count && names->count < MOST_NAMES; f++) {
            const struct field *field = &grid->parts[p].fields[f];
            if (field->brought_by && !strcmp(field->brought_by, key) && !pl_names_have(names, field->key) &&
                ((field->follows && is_needed(&grid->parts[p], field, names)) ||
                 differs_between_parts(grid, p, field, names)))
                names->names[names->count++] = (char *)field->key;
        }
}

static void read_names(struct declaring *d, struct node *node, const char *what, struct pl_names *names)
{
    size_t count;
    struct node **items = pl_node_list(&node, &count);
    names->names = pl_take(d->reader->pool, MOST_NAMES, sizeof *names->names);
    for (size_t i = 0; i < count; i++) {
        char *key = read_key(d, items[i], what);
        bool known = key && pl_names_have(names, key);
        if (names->count == MOST_NAMES) {
            pl_complain(&d->reader->complaints, node, "%s names more than %d settings", what, MOST_NAMES);
            return;
        }
        if (known && !d->reader->scale)
            pl_complain(&d->reader->complaints, items[i], "%s: %s is named twice", what, key);
        if (!key || known)
            continue;
        names->names[names->count++] = key;
        add_followers(d, key, names);
    }
}

static void read_where(struct declaring *d, struct node *node, struct pl_condition **where, size_t *count)
{
    node = pl_scale_conditions(d->reader, node, true);
    if (node->kind != NODE_MAP) {
        pl_complain(&d->reader->complaints, node, "where must be a mapping, such as {optimizer: [sgd, adam]}");
        return;
    }
    *where = pl_take(d->reader->pool, node->count, sizeof **where);
    for (size_t i = 0; i < node->count; i++)
        if (pl_condition_read(d->reader, d->study->grid, SIZE_MAX, d->lenient, "where", node->items[2 * i],
                           node->items[2 * i + 1], &(*where)[*count]))
            ++*count;
}

static bool begin(struct reader *reader, const struct node *map, const char *what, const char *example,
                  const char *const *legal, size_t count)
{
    if (map->kind != NODE_MAP) {
        pl_complain(&reader->complaints, map, "%s must be a mapping, such as %s", what, example);
        return false;
    }
    for (size_t i = 0; i < map->count; i++) {
        const struct node *key = map->items[2 * i];
        bool known = false;
        for (size_t k = 0; k < count; k++)
            known = known || !strcmp(legal[k], key->text);
        if (!known) {
            struct pl_text text = {0};
            pl_text_addf(&text, "%s cannot have the key", what);
            complain_word(reader, key, pl_text(&text), key->text, legal, count);
            pl_text_release(&text);
        }
    }
    return true;
}

/* What is chosen over cannot part the groups within which it is chosen. */
static void check_selection(struct declaring *d, const struct node *map, const struct pl_table_spec *table)
{
    const struct pl_study_grid *grid = d->study->grid;
    struct complaints *complaints = &d->reader->complaints;
    const struct node *over = pl_node_find(map, "over");
    for (size_t i = 0; i < table->choose.over.count; i++) {
        const char *name = table->choose.over.names[i];
        if (pl_names_have(&table->rows, name) || pl_names_have(&table->columns, name))
            pl_complain(complaints, over, "over: %s cannot be in the rows or columns of the table too", name);
    }
    for (size_t p = 0; p < grid->part_count; p++)
        for (size_t f = 0; f < grid->parts[p].field_count; f++)
            if (!strcmp(grid->parts[p].fields[f].key, PL_RANK_KEY)) {
                pl_complain(complaints, map, "a table with select has ranks, so no setting of the study can be called "
                                             PL_RANK_KEY);
                return;
            }
}

static void read_selection(struct declaring *d, const struct node *map, struct pl_selection *selection)
{
    static const struct pl_setting best = {.key = "best", .type = PL_INTEGER, .range = "[1,1000]"};
    struct reader *reader = d->reader;
    struct cell cell;
    if (!begin(reader, map, "select", "{best: 2, over: [lambda, epsilon], by: best valid_accuracy}", selection_keys,
               COUNT(selection_keys)))
        return;
    selection->best = 1;
    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->items[2 * i]->text;
        struct node *value = map->items[2 * i + 1];
        if (!strcmp(key, "by"))
            selection->metric = read_metric(reader, value, "by", &selection->select);
        else if (!strcmp(key, "best") && pl_cell_read(reader, "best", &best, value, &cell)) {
            if (cell.expression)
                pl_complain(&reader->complaints, value, "best must be a whole number");
            else
                selection->best = (int)cell.value.integer;
        } else if (!strcmp(key, "over")) {
            d->ranked = false;
            read_names(d, value, "over", &selection->over);
            d->ranked = true;
        }
    }
    if (!pl_node_find(map, "over"))
        pl_complain(&reader->complaints, map, "select needs over: the settings to choose, such as over: [lambda, epsilon]");
    else if (pl_node_find(map, "over")->kind == NODE_LIST && !pl_node_find(map, "over")->count)
        pl_complain(&reader->complaints, pl_node_find(map, "over"), "over is an empty list; it must name a setting");
}

static void read_table(struct declaring *d, const struct node *map, struct pl_table_spec *table)
{
    static const struct pl_setting digits = {.key = "digits", .type = PL_INTEGER, .range = "[0,15]"};
    struct reader *reader = d->reader;
    struct cell cell;
    *table = (struct pl_table_spec){.digits = -1, .cell = (char *)pl_cell_names[0]};
    if (!begin(reader, map, "a table", "{rows: lambda, columns: epsilon, value: best loss}", table_keys,
               COUNT(table_keys)))
        return;
    d->ranked = pl_node_find(map, "select");
    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->items[2 * i]->text;
        struct node *value = map->items[2 * i + 1];
        if (!strcmp(key, "title"))
            table->title = read_title(d, value);
        else if (!strcmp(key, "rows"))
            read_names(d, value, "rows", &table->rows);
        else if (!strcmp(key, "columns"))
            read_names(d, value, "columns", &table->columns);
        else if (!strcmp(key, "value"))
            table->metric = read_metric(reader, value, "value", &table->select);
        else if (!strcmp(key, "where"))
            read_where(d, value, &table->where, &table->where_count);
        else if (!strcmp(key, "published"))
            table->published = (char *)pl_node_text(reader, value, "published");
        else if (!strcmp(key, "select"))
            read_selection(d, value, &table->choose);
        else if (!strcmp(key, "digits") && pl_cell_read(reader, "digits", &digits, value, &cell) && !cell.expression)
            table->digits = (int)cell.value.integer;
        else if (!strcmp(key, "cell")) {
            int word = read_word(reader, value, "cell", pl_cell_names, PL_CELL_COUNT);
            table->cell = (char *)pl_cell_names[word < 0 ? 0 : word];
        }
    }
    d->ranked = false;
    if (table->choose.best)
        check_selection(d, pl_node_find(map, "select"), table);
    for (size_t r = 0; r < table->rows.count; r++)
        for (size_t c = 0; c < table->columns.count; c++)
            if (!strcmp(table->rows.names[r], table->columns.names[c]))
                pl_complain(&reader->complaints, map, "a table cannot have %s in both rows and columns",
                         table->rows.names[r]);
    if (!pl_node_find(map, "value"))
        pl_complain(&reader->complaints, map, "a table needs a value, such as value: best test_accuracy");
}

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
        int word = read_word(reader, items[i], "log", legal, COUNT(legal));
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
    figure->slopes = pl_take(reader->pool, count, sizeof *figure->slopes);
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
        static const char *const legal[] = {"epoch", "iteration", "seconds"};
        int word = x ? read_word(reader, x, "x", legal, COUNT(legal)) : 0;
        figure->x = (char *)legal[word == 2 ? 2 : 0];
    } else if (x) {
        figure->x = read_key(d, x, "x");
    } else {
        pl_complain(&reader->complaints, map, "a figure of kind %s needs x: the setting along its axis", kind);
    }
    if (y && heatmap)
        figure->y = read_key(d, y, "y");
    else if (y)
        figure->y = read_metric(reader, y, "y", curves ? NULL : &figure->select);
    else
        pl_complain(&reader->complaints, map, "a figure of kind %s needs y: the %s", kind,
                 heatmap ? "second setting" : "metric");
    if (z && heatmap)
        figure->z = read_metric(reader, z, "z", &figure->select);
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

static void read_figure(struct declaring *d, const struct node *map, struct pl_figure_spec *figure)
{
    struct reader *reader = d->reader;
    *figure = (struct pl_figure_spec){.x_range = {NAN, NAN}, .y_range = {NAN, NAN}};
    if (!begin(reader, map, "a figure", "{kind: curves, y: loss, lines: optimizer}", figure_keys, COUNT(figure_keys)))
        return;
    struct node *kind = pl_node_find(map, "kind");
    int word = kind ? read_word(reader, kind, "kind", pl_figure_kind_names, PL_FIGURE_KIND_COUNT) : -1;
    if (!kind)
        pl_complain(&reader->complaints, map, "a figure needs a kind: curves, sensitivity, heatmap or trajectories");
    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->items[2 * i]->text;
        struct node *value = map->items[2 * i + 1];
        if (!strcmp(key, "name"))
            read_figure_name(d, value, figure);
        else if (!strcmp(key, "title"))
            figure->title = read_title(d, value);
        else if (!strcmp(key, "panels"))
            read_names(d, value, "panels", &figure->panels);
        else if (!strcmp(key, "lines"))
            read_names(d, value, "lines", &figure->lines);
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
        else if (!strcmp(key, "where"))
            read_where(d, value, &figure->where, &figure->where_count);
    }
    if (word < 0)
        return;
    figure->kind = (enum pl_figure_kind)word;
    if (figure->kind == PL_FIGURE_HEATMAP && (figure->fit || figure->slope_count))
        pl_complain(&reader->complaints, map, "a figure of kind heatmap has neither fit nor slopes");
    read_coordinates(d, map, figure);
}

/* Gives a figure without name its own, and sees that no two write one file. */
static void name_figures(struct declaring *d, const struct node *list)
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

static enum pl_direction read_direction(struct reader *reader, const struct node *node, const char *name)
{
    static const char *const directions[] = {"none", "min", "max"}; /* as enum pl_direction */
    int word = read_word(reader, node, "the direction of a metric", directions, COUNT(directions));
    return word < 0 ? pl_train_direction(name) : (enum pl_direction)word;
}

static enum pl_said read_said(struct reader *reader, const char *key, struct node *node)
{
    const struct pl_setting setting = {.key = key, .type = PL_BOOLEAN};
    struct cell cell;
    if (!pl_cell_read(reader, key, &setting, node, &cell))
        return PL_UNSAID;
    return cell.value.boolean ? PL_SAID_YES : PL_SAID_NO;
}

/* NAME: max, or NAME: {direction: max, loss: true, validation: true} */
static void read_metric_spec(struct reader *reader, struct node *node, struct pl_metric_spec *metric)
{
    static const char *const keys[] = {"direction", "loss", "validation"};
    const char *name = metric->name ? metric->name : "";
    metric->direction = pl_train_direction(name);
    if (node->kind != NODE_MAP) {
        metric->direction = read_direction(reader, node, name);
        return;
    }
    begin(reader, node, "a metric", "{direction: min, loss: true}", keys, COUNT(keys));
    for (size_t i = 0; i < node->count; i++) {
        const char *key = node->items[2 * i]->text;
        struct node *value = node->items[2 * i + 1];
        if (!strcmp(key, "direction"))
            metric->direction = read_direction(reader, value, name);
        else if (!strcmp(key, "loss"))
            metric->loss = read_said(reader, key, value);
        else if (!strcmp(key, "validation"))
            metric->validation = read_said(reader, key, value);
    }
    if (metric->name && metric->validation == PL_SAID_YES && !pl_direction_is_choice(metric->direction))
        pl_complain(&reader->complaints, node, "what validates must have a better direction, as in {%s: {direction: max, "
                                               "validation: true}}", metric->name);
}

static void read_metrics(struct declaring *d, const struct node *map)
{
    struct reader *reader = d->reader;
    struct pl_study *study = d->study;
    if (map->kind != NODE_MAP) {
        pl_complain(&reader->complaints, map, "metrics must be a mapping, such as {test_accuracy: max, loss: min}");
        return;
    }
    study->metrics = pl_take(reader->pool, map->count, sizeof *study->metrics);
    for (size_t i = 0; i < map->count; i++) {
        struct pl_metric_spec metric = {.name = read_metric(reader, map->items[2 * i], "metrics: a name", NULL)};
        read_metric_spec(reader, map->items[2 * i + 1], &metric);
        if (metric.name)
            study->metrics[study->metric_count++] = metric;
    }
}

/* A list of declarations, or a single one; none if it is too long to be meant. */
static struct node **read_list(struct reader *reader, struct node **node, const char *what, size_t *count)
{
    struct node **items = pl_node_list(node, count);
    if (*count <= 200)
        return items;
    pl_complain(&reader->complaints, *node, "%s: there are %zu; at most 200 are supported", what, *count);
    *count = 0;
    return items;
}

void pl_declarations_read(struct reader *reader, const struct content *defaults, const struct content *content,
                       struct pl_study *study, bool lenient)
{
    struct declaring d = {reader, study, lenient, false};
    struct node *metrics = content->metrics ? content->metrics : defaults ? defaults->metrics : NULL;
    struct node *tables = content->tables ? content->tables : defaults ? defaults->tables : NULL;
    struct node *figures = content->figures ? content->figures : defaults ? defaults->figures : NULL;
    size_t count;
    if (metrics)
        read_metrics(&d, metrics);
    if (tables) {
        struct node **items = read_list(reader, &tables, "tables", &count);
        study->tables = pl_take(reader->pool, count, sizeof *study->tables);
        for (size_t i = 0; i < count; i++)
            read_table(&d, items[i], &study->tables[study->table_count++]);
    }
    if (figures) {
        struct node **items = read_list(reader, &figures, "figures", &count);
        study->figures = pl_take(reader->pool, count, sizeof *study->figures);
        for (size_t i = 0; i < count; i++)
            read_figure(&d, items[i], &study->figures[study->figure_count++]);
        struct node list = {.items = items, .count = count};
        name_figures(&d, &list);
    }
}
