/* Which cells of a table solve the same task, and which are of the same method. */
#include "report/report_priv.h"

#include <stdlib.h>
#include <string.h>

bool pl_table_says_task(const char *key)
{
    return pl_train_roles(key) & PL_SAYS_TASK;
}

static bool label_equal(const struct pl_label *a, const struct pl_label *b)
{
    return a->present == b->present && (!a->present || pl_value_equal(&a->value, &b->value));
}

bool pl_table_same_above(const struct pl_table *table, size_t a, size_t b, size_t key)
{
    for (size_t k = 0; k <= key; k++)
        if (!label_equal(&table->columns[a * table->column_key_count + k],
                         &table->columns[b * table->column_key_count + k]))
            return false;
    return true;
}

static bool agree_in(const bool *counts, size_t count, const struct pl_label *a, const struct pl_label *b)
{
    for (size_t i = 0; i < count; i++)
        if (counts[i] && !label_equal(&a[i], &b[i]))
            return false;
    return true;
}

/* Numbers the groups of headings that agree in the settings which say the task (or in all others); returns how many
 * there are. */
static size_t group_headings(const char *const *names, size_t width, const struct pl_label *labels, size_t count,
                             bool by_task, size_t *groups)
{
    size_t *first = pl_new((count + 1) * sizeof *first), found = 0;
    bool *counts = pl_new(width + 1);
    for (size_t i = 0; i < width; i++)
        counts[i] = pl_table_says_task(names[i]) == by_task;
    for (size_t i = 0; i < count; i++) {
        size_t g = 0;
        while (g < found && !agree_in(counts, width, labels + first[g] * width, labels + i * width))
            g++;
        if (g == found)
            first[found++] = i;
        groups[i] = g;
    }
    free(first);
    free(counts);
    return found;
}

static size_t group_cells(const struct pl_table *table, bool by_task, size_t *groups)
{
    size_t *rows = pl_new((table->row_count + 1) * sizeof *rows);
    size_t *columns = pl_new((table->column_count + 1) * sizeof *columns);
    size_t row_groups = group_headings(table->row_keys, table->row_key_count, table->rows, table->row_count, by_task,
                                       rows);
    size_t column_groups = group_headings(table->column_keys, table->column_key_count, table->columns,
                                          table->column_count, by_task, columns);
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        groups[i] = rows[i / table->column_count] * column_groups + columns[i % table->column_count];
    free(rows);
    free(columns);
    return row_groups * column_groups;
}

size_t pl_table_tasks(const struct pl_table *table, size_t *tasks)
{
    return group_cells(table, true, tasks);
}

size_t pl_table_methods(const struct pl_table *table, size_t *methods)
{
    return group_cells(table, false, methods);
}

/* The one best of each method has no rank that anybody must know. */
static bool says_something(const struct pl_table *table, const char *key)
{
    return strcmp(key, PL_RANK_KEY) || table->selection.best != 1;
}

static void add_labels(const struct pl_table *table, const char *const *keys, size_t width,
                       const struct pl_label *labels, bool of_task, size_t start, struct pl_text *out)
{
    for (size_t k = 0; k < width; k++) {
        if (pl_table_says_task(keys[k]) != of_task || !says_something(table, keys[k]))
            continue;
        pl_text_add(out, out->length > start ? ", " : "");
        if (labels[k].present && labels[k].value.type != PL_STRING)
            pl_text_addf(out, "%s=", pl_table_shown(table, keys[k]));
        pl_label_write(&labels[k], out);
    }
}

void pl_table_name(const struct pl_table *table, size_t cell, bool of_task, struct pl_text *out)
{
    size_t row = cell / table->column_count, column = cell % table->column_count, start = out->length;
    add_labels(table, table->row_keys, table->row_key_count, &table->rows[row * table->row_key_count], of_task, start,
               out);
    add_labels(table, table->column_keys, table->column_key_count, &table->columns[column * table->column_key_count],
               of_task, start, out);
}
