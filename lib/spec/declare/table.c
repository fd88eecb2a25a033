/* Tables of a study. */
#include "spec/declare/declaring.h"
#include "spec/grid/grid.h"
#include "spec/grid/scale.h"
#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"

#include <string.h>

static const char *const table_keys[] = {"title", "rows",    "columns", "value", "cell",    "digits", "select",
                                         "where", "compare", "labels",  "unit",  "caption", "label",  "published"};
static const char *const compare_keys[] = {"to", "test", "correct", "confidence"};
static const char *const selection_keys[] = {"best", "over", "by"};

void pl_declare_check_selection(struct declaring *d, const struct node *map, const struct pl_selection *selection,
                                const char *what, const struct pl_names *const *parting, size_t count)
{
    const struct pl_study_grid *grid = d->study->grid;
    struct complaints *complaints = &d->reader->complaints;
    for (size_t i = 0; i < selection->over.count; i++)
        for (size_t k = 0; k < count; k++)
            if (pl_names_have(parting[k], selection->over.names[i]))
                pl_complain(complaints, pl_node_find(map, "over"), "over: %s cannot be in %s too",
                            selection->over.names[i], what);
    for (size_t p = 0; p < grid->part_count; p++)
        for (size_t f = 0; f < grid->parts[p].field_count; f++)
            if (!strcmp(grid->parts[p].fields[f].key, PL_RANK_KEY)) {
                pl_complain(
                    complaints, map,
                    "a table or figure with select has ranks, so no setting of the study can be called " PL_RANK_KEY);
                return;
            }
}

void pl_declare_selection(struct declaring *d, const struct node *map, struct pl_selection *selection)
{
    static const struct pl_setting best = {.key = "best", .type = PL_INTEGER, .range = "[1,1000]"};
    struct reader *reader = d->reader;
    struct cell cell;
    if (!pl_declare_map(reader, map, "select", "{best: 2, over: [lambda, epsilon], by: best valid_accuracy}",
                        selection_keys, COUNT(selection_keys)))
        return;
    selection->best = 1;
    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->items[2 * i]->text;
        struct node *value = map->items[2 * i + 1];
        if (!strcmp(key, "by"))
            selection->metric = pl_declare_metric_name(reader, value, "by", &selection->select);
        else if (!strcmp(key, "best") && pl_cell_read(reader, "best", &best, value, &cell)) {
            if (cell.expression)
                pl_complain(&reader->complaints, value, "best must be a whole number");
            else
                selection->best = (int)cell.value.integer;
        } else if (!strcmp(key, "over")) {
            d->ranked = false;
            pl_declare_names(d, value, "over", &selection->over);
            d->ranked = true;
        }
    }
    if (!pl_node_find(map, "over"))
        pl_complain(&reader->complaints, map,
                    "select needs over: the settings to choose, such as over: [lambda, epsilon]");
    else if (pl_node_find(map, "over")->kind == NODE_LIST && !pl_node_find(map, "over")->count)
        pl_complain(&reader->complaints, pl_node_find(map, "over"), "over is an empty list; it must name a setting");
}

/* A cell with another statistic than a mean has no test of its own here. */
static void read_compare(struct declaring *d, const struct node *map, struct pl_test_spec *compare)
{
    static const char *const to[] = {"best"};
    struct reader *reader = d->reader;
    *compare = (struct pl_test_spec){.wanted = true, .confidence = 0.95};
    if (!pl_declare_map(reader, map, "compare", "{to: best, test: welch, correct: holm}", compare_keys,
                        COUNT(compare_keys)))
        return;
    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->items[2 * i]->text;
        struct node *value = map->items[2 * i + 1];
        int word = 0;
        if (!strcmp(key, "to"))
            pl_declare_word(reader, value, "to", to, COUNT(to));
        else if (!strcmp(key, "test") &&
                 (word = pl_declare_word(reader, value, "test", pl_test_names, PL_TEST_COUNT)) >= 0)
            compare->test = (enum pl_test_kind)word;
        else if (!strcmp(key, "correct") &&
                 (word = pl_declare_word(reader, value, "correct", pl_correction_names, PL_CORRECTION_COUNT)) >= 0)
            compare->correct = (enum pl_correction)word;
        else if (!strcmp(key, "confidence"))
            pl_declare_number(reader, value, key, "[0.5,0.9999]", &compare->confidence);
    }
    if (!pl_node_find(map, "test"))
        pl_complain(&reader->complaints, map, "compare needs test: welch, paired or wilcoxon");
}

/* A text; that of a scaled study says so. */
static char *read_scaled(struct reader *reader, const struct node *node, const char *what, const char *before,
                         const char *behind)
{
    const char *text = pl_node_text(reader, node, what);
    return text ? pl_scale_label(reader, text, before, behind) : NULL;
}

/* How a table is shown. */
static void read_look(struct declaring *d, const char *key, const struct node *value, struct pl_table_spec *table)
{
    static const struct pl_setting digits = {.key = "digits", .type = PL_INTEGER, .range = "[0,15]"};
    struct reader *reader = d->reader;
    struct cell cell;
    int word;
    if (!strcmp(key, "title"))
        table->title = pl_declare_title(d, value);
    else if (!strcmp(key, "caption"))
        table->caption = read_scaled(reader, value, "caption", " (", ")");
    else if (!strcmp(key, "cell"))
        table->cell = pl_declare_cell(d, value);
    else if (!strcmp(key, "labels"))
        pl_declare_labels(d, value, &table->labels);
    else if (!strcmp(key, "unit") && (word = pl_declare_word(reader, value, "unit", pl_unit_names, PL_UNIT_COUNT)) >= 0)
        table->unit = (enum pl_value_unit)word;
    else if (!strcmp(key, "digits") && pl_cell_read(reader, "digits", &digits, value, &cell) && !cell.expression)
        table->digits = (int)cell.value.integer;
    else if (!strcmp(key, "label")) {
        table->label = read_scaled(reader, value, "label", "-", "");
        if (table->label && !pl_table_label_is_legal(table->label))
            pl_complain(&reader->complaints, value,
                        "label cannot be \"%.100s\"; it must be letters, digits and : . _ - + /, such as tab:main",
                        value->text);
    }
}

/* Keys that do not go together. */
static void check_table(struct declaring *d, const struct node *map, const struct pl_table_spec *table)
{
    struct complaints *complaints = &d->reader->complaints;
    if (table->choose.best)
        pl_declare_check_selection(d, pl_node_find(map, "select"), &table->choose, "the rows or columns of the table",
                                   (const struct pl_names *const[]){&table->rows, &table->columns}, 2);
    if (table->compare.wanted && !pl_cell_is_mean(table->cell))
        pl_complain(complaints, pl_node_find(map, "compare"),
                    "compare tests means, so the cells must show a mean, as in mean(std), and not %s", table->cell);
    if (table->unit != PL_UNIT_PLAIN && table->cell && !strcmp(table->cell, "n"))
        pl_complain(complaints, pl_node_find(map, "unit"), "cells that show n have no unit");
    for (size_t r = 0; r < table->rows.count; r++)
        for (size_t c = 0; c < table->columns.count; c++)
            if (!strcmp(table->rows.names[r], table->columns.names[c]))
                pl_complain(complaints, map, "a table cannot have %s in both rows and columns", table->rows.names[r]);
    if (!pl_node_find(map, "value"))
        pl_complain(complaints, map, "a table needs a value, such as value: best test_accuracy");
    for (const struct pl_table_spec *t = d->study->tables; t && t < table; t++)
        if (t->label && table->label && !strcmp(t->label, table->label))
            pl_complain(complaints, pl_node_find(map, "label"), "there is already a table with the label %s",
                        table->label);
}

void pl_declare_table(struct declaring *d, const struct node *map, struct pl_table_spec *table)
{
    struct reader *reader = d->reader;
    *table = (struct pl_table_spec){.digits = -1, .cell = (char *)pl_cell_names[0]};
    if (!pl_declare_map(reader, map, "a table", "{rows: lambda, columns: epsilon, value: best loss}", table_keys,
                        COUNT(table_keys)))
        return;
    d->ranked = pl_node_find(map, "select");
    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->items[2 * i]->text;
        struct node *value = map->items[2 * i + 1];
        if (!strcmp(key, "rows"))
            pl_declare_names(d, value, "rows", &table->rows);
        else if (!strcmp(key, "columns"))
            pl_declare_names(d, value, "columns", &table->columns);
        else if (!strcmp(key, "value"))
            table->metric = pl_declare_metric_name(reader, value, "value", &table->select);
        else if (!strcmp(key, "where"))
            pl_declare_where(d, value, &table->where, &table->where_count);
        else if (!strcmp(key, "published"))
            table->published = (char *)pl_node_text(reader, value, "published");
        else if (!strcmp(key, "select"))
            pl_declare_selection(d, value, &table->choose);
        else if (!strcmp(key, "compare"))
            read_compare(d, value, &table->compare);
        else
            read_look(d, key, value, table);
    }
    d->ranked = false;
    check_table(d, map, table);
}
