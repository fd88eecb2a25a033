/* From a table's declaration to its cells: rows, columns, statistics, and which cell is best. */
#include "report/report_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = PL_TABLE_KEYS };

static int check_spec(const struct pl_results *results, const struct pl_table_spec *spec, struct pl_error *err)
{
    if (spec->cell && !pl_cell_kind(spec->cell))
        return pl_fail(err, PL_EINPUT, "cell is '%s', but must be one of: %s", spec->cell, PL_CELL_WORDS);
    if (spec->compare.wanted && !pl_cell_is_mean(spec->cell))
        return pl_fail(err, PL_EINPUT,
                       "tests compare means, so the cells must show a mean, as in mean(std), and not %s", spec->cell);
    if (spec->unit != PL_UNIT_PLAIN && spec->cell && !strcmp(spec->cell, "n"))
        return pl_fail(err, PL_EINPUT, "cells that show n have no unit");
    if (spec->rows.count + spec->columns.count > MOST_KEYS / 2)
        return pl_fail(err, PL_EINPUT, "a table takes at most %d rows and columns together", MOST_KEYS / 2);
    return spec->metric ? pl_results_need_metric(results, spec->metric, err) : 0;
}

static bool is_among(size_t key, const size_t *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (keys[i] == key)
            return true;
    return false;
}

/* Appends what tells the cells apart beside the keys that were asked for; returns how many there are then. Where the
 * table selects, these are the settings that part its groups and, when more than one of each is shown, the rank. */
static size_t add_keys(const struct pl_table_plan *plan, const struct pl_table_spec *spec, size_t *keys, size_t count)
{
    if (!plan->choice)
        return pl_results_extend(plan->results, plan->configs, plan->config_count, keys, count, MOST_KEYS);
    for (size_t i = 0; i < plan->choice->groups.count && count < MOST_KEYS - 1; i++) {
        size_t key = pl_results_key(plan->results, plan->choice->groups.names[i]);
        if (key != SIZE_MAX && !is_among(key, keys, count))
            keys[count++] = key;
    }
    size_t rank = pl_results_key(plan->results, PL_RANK_KEY);
    if (spec->choose.best > 1 && !is_among(rank, keys, count))
        keys[count++] = rank;
    return count;
}

/* Finds the settings that make rows and columns. A setting that varies but is in neither becomes a row setting, so
 * that no cell holds two configurations. */
static int choose_keys(struct pl_table_plan *plan, const struct pl_table_spec *spec, struct pl_table *table,
                       struct pl_error *err)
{
    size_t keys[MOST_KEYS], rows = spec->rows.count, columns = spec->columns.count;
    int status = pl_results_keys(plan->results, &spec->rows, keys, err);
    if (!status)
        status = pl_results_keys(plan->results, &spec->columns, keys + rows, err);
    if (status)
        return status;
    bool declared = rows + columns > 0;
    if (!declared && !plan->choice)
        rows = pl_results_axes(plan->results, plan->configs, plan->config_count, keys, MOST_KEYS / 2);
    for (size_t i = 0; i < rows + columns; i++)
        for (size_t j = 0; j < i; j++)
            if (keys[i] == keys[j])
                return pl_fail(err, PL_EINPUT, "%s stands twice in the rows and columns of one table",
                               pl_results_key_name(plan->results, keys[i]));
    size_t all = add_keys(plan, spec, keys, rows + columns);
    size_t added = all - rows - columns;
    memcpy(plan->keys, keys, rows * sizeof *keys);
    memcpy(plan->keys + rows, keys + rows + columns, added * sizeof *keys);
    memcpy(plan->keys + rows + added, keys + rows, columns * sizeof *keys);
    plan->row_keys = rows + added;
    plan->column_keys = columns;
    for (size_t i = 0; declared && i < added; i++)
        if (strcmp(pl_results_key_name(plan->results, plan->keys[rows + i]), PL_RANK_KEY) || !plan->choice)
            pl_text_addf(&table->notes, "Rows are split by %s, which varies but was not asked for.\n",
                         pl_results_key_name(plan->results, plan->keys[rows + i]));
    return 0;
}

/* What is shown shortly stands in a note, whole; but not what the table has a label for. */
static void shorten(const struct pl_table_plan *plan, size_t key, uint32_t rank, struct pl_label *label,
                    struct pl_table *table)
{
    struct pl_text brief = {0}, note = {0}, value = {0};
    pl_value_write(&label->value, &value);
    const char *text = pl_labels_find(&table->labels, pl_text(&value));
    pl_text_release(&value);
    if (text) {
        label->brief = text;
        label->named = true;
        return;
    }
    if (pl_results_shorten(plan->results, key, rank, &brief)) {
        label->brief = pl_pool_copy(&table->pool, pl_text(&brief));
        pl_text_addf(&note, "%s \"%s\" is: %s\n", pl_results_key_name(plan->results, key), label->brief,
                     label->value.string);
        if (!strstr(pl_text(&table->notes), pl_text(&note)))
            pl_text_add(&table->notes, pl_text(&note));
    }
    pl_text_release(&brief);
    pl_text_release(&note);
}

static struct pl_label *make_labels(const struct pl_table_plan *plan, const struct pl_headings *h, const size_t *keys,
                                    struct pl_table *table)
{
    struct pl_label *labels = pl_new((h->count * h->width + 1) * sizeof *labels);
    for (size_t i = 0; i < h->count; i++)
        for (size_t k = 0; k < h->width; k++) {
            const struct pl_value *value = pl_results_value(plan->results, keys[k], h->ranks[i * h->width + k]);
            struct pl_label *label = &labels[i * h->width + k];
            if (!value)
                continue;
            label->present = true;
            label->value = *value;
            if (value->type == PL_STRING)
                label->value.string = pl_pool_copy(&table->pool, value->string);
            shorten(plan, keys[k], h->ranks[i * h->width + k], label, table);
        }
    return labels;
}

static const char **name_keys(const struct pl_table_plan *plan, const size_t *keys, size_t count, struct pl_pool *pool)
{
    const char **names = pl_new((count + 1) * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = pl_pool_copy(pool, pl_results_key_name(plan->results, keys[i]));
    return names;
}

/* Writes down what a cell's configuration was chosen with and by. */
static void note_chosen(const struct pl_table_plan *plan, size_t i, struct pl_table *table, size_t cell)
{
    table->cells[cell].criterion = plan->rivals[i]->mean;
    for (size_t k = 0; k < plan->over_count; k++) {
        uint32_t rank = pl_results_rank(plan->results, plan->configs[i], plan->over[k]);
        const struct pl_value *value = pl_results_value(plan->results, plan->over[k], rank);
        struct pl_label *label = &table->selection.chosen[cell * plan->over_count + k];
        if (!value)
            continue;
        label->present = true;
        label->value = *value;
        if (value->type == PL_STRING)
            label->value.string = pl_pool_copy(&table->pool, value->string);
        shorten(plan, plan->over[k], rank, label, table);
    }
}

/* The values of a cell become the table's. */
static void take_values(struct pl_table_cell *cell, double **values, int64_t **seeds)
{
    size_t n = (size_t)cell->summary.n;
    if (n) {
        memcpy(*values, cell->summary.values, n * sizeof **values);
        memcpy(*seeds, cell->summary.seeds, n * sizeof **seeds);
    }
    cell->summary.values = *values;
    cell->summary.seeds = *seeds;
    *values += n;
    *seeds += n;
}

static int check_unit(const struct pl_table *table, struct pl_error *err)
{
    size_t cells = table->row_count * table->column_count;
    double *ends = pl_new((2 * cells + 1) * sizeof *ends);
    for (size_t i = 0; i < cells; i++) {
        const struct pl_summary *s = &table->cells[i].summary;
        ends[2 * i] = s->n ? s->least : NAN;
        ends[2 * i + 1] = s->n ? s->most : NAN;
    }
    int status = pl_unit_check(table->unit, table->metric, table->study, ends, 2 * cells, err);
    free(ends);
    return status;
}

static int fill_cells(const struct pl_table_plan *plan, struct pl_table *table, struct pl_error *err)
{
    const size_t *row_keys = plan->keys, *column_keys = plan->keys + plan->row_keys;
    struct pl_headings rows, columns;
    pl_headings_find(plan->results, plan->configs, plan->config_count, row_keys, plan->row_keys, &rows);
    pl_headings_find(plan->results, plan->configs, plan->config_count, column_keys, plan->column_keys, &columns);
    table->rows = make_labels(plan, &rows, row_keys, table);
    table->columns = make_labels(plan, &columns, column_keys, table);
    table->row_keys = name_keys(plan, row_keys, plan->row_keys, &table->pool);
    table->column_keys = name_keys(plan, column_keys, plan->column_keys, &table->pool);
    table->row_key_count = plan->row_keys;
    table->column_key_count = plan->column_keys;
    table->row_count = rows.count;
    table->column_count = columns.count;
    table->cells = pl_arena(rows.count * columns.count, sizeof *table->cells);
    if (table->cells && plan->choice) {
        table->selection.over = name_keys(plan, plan->over, plan->over_count, &table->pool);
        table->selection.over_count = plan->over_count;
        table->selection.chosen = pl_new((rows.count * columns.count * plan->over_count + 1) *
                                         sizeof *table->selection.chosen);
    }
    size_t need = 0;
    for (size_t i = 0; i < plan->config_count; i++)
        need += pl_results_value_count(plan->results, plan->configs[i]);
    table->values = pl_new((need + 1) * sizeof *table->values);
    table->seeds = pl_new((need + 1) * sizeof *table->seeds);
    double *values = table->values;
    int64_t *seeds = table->seeds;
    for (size_t i = 0; table->cells && i < plan->config_count; i++) {
        size_t row = pl_headings_of(plan->results, &rows, plan->configs[i]);
        size_t column = pl_headings_of(plan->results, &columns, plan->configs[i]);
        struct pl_table_cell *cell = &table->cells[row * columns.count + column];
        cell->present = true;
        cell->config = plan->configs[i];
        pl_results_summary(plan->results, plan->configs[i], &cell->summary);
        take_values(cell, &values, &seeds);
        if (plan->choice)
            note_chosen(plan, i, table, row * columns.count + column);
    }
    int status = 0;
    if (!table->cells)
        status = pl_fail(err, PL_EMEMORY, "a table of %zu rows and %zu columns needs too much memory", rows.count,
                         columns.count);
    pl_headings_release(&rows);
    pl_headings_release(&columns);
    return status;
}

double pl_table_cell_value(const struct pl_table *table, const struct pl_table_cell *cell)
{
    const struct pl_summary *s = &cell->summary;
    if (!cell->present || !s->n)
        return NAN;
    if (!strcmp(table->cell, "median"))
        return s->median;
    if (!strcmp(table->cell, "min"))
        return s->least;
    if (!strcmp(table->cell, "max"))
        return s->most;
    if (!strcmp(table->cell, "n"))
        return NAN; /* a count is not better or worse */
    return s->mean;
}

double pl_table_contender(const struct pl_table *table, const struct pl_table_cell *cell)
{
    double value = pl_table_cell_value(table, cell);
    if (cell->summary.diverged || isnan(value))
        return NAN;
    return table->direction == PL_MAXIMIZE ? value : -value;
}

bool pl_report_ties(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

static void mark_best(struct pl_table *table)
{
    if (!pl_direction_is_choice(table->direction) || table->row_count * table->column_count < 2)
        return;
    size_t cells = table->row_count * table->column_count, *groups = pl_new((cells + 1) * sizeof *groups);
    size_t count = pl_table_tasks(table, groups);
    double *best = pl_new((count + 1) * sizeof *best);
    size_t *rivals = pl_new((count + 1) * sizeof *rivals);
    for (size_t i = 0; i < count; i++)
        best[i] = -INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < cells; i++) {
            double value = pl_table_contender(table, &table->cells[i]);
            if (!pass) {
                rivals[groups[i]] += table->cells[i].present;
                best[groups[i]] = value > best[groups[i]] ? value : best[groups[i]];
            } else {
                table->cells[i].best = rivals[groups[i]] > 1 && !isnan(value) && pl_report_ties(value, best[groups[i]]);
            }
        }
    free(groups);
    free(best);
    free(rivals);
}

static int choose_decimals(const struct pl_table *table)
{
    size_t count = table->row_count * table->column_count;
    double *values = pl_new((count + 1) * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = pl_table_shown_value(table, pl_table_cell_value(table, &table->cells[i]));
    int decimals = pl_report_decimals(values, count);
    free(values);
    return decimals;
}

/* Loads what is needed first: the criterion of a table that chooses, which would be read twice otherwise. */
static int load_first(struct pl_results *results, const struct pl_table_spec *spec, const struct pl_table *table,
                      struct pl_error *err)
{
    enum pl_select select;
    const char *criterion = spec->choose.best ? pl_results_criterion(results, &spec->choose, &select) : NULL;
    return criterion && pl_results_has_metric(results, criterion)
               ? pl_results_load(results, criterion, select, err)
               : pl_results_load(results, table->metric, table->select, err);
}

static void note_target(struct pl_table *table, const struct pl_results *results)
{
    const struct pl_target *target = pl_results_target(results);
    table->timed = target->metric && pl_metric_is_to_target(table->metric);
    if (!table->timed)
        return;
    table->target = (struct pl_target){(char *)pl_pool_copy(&table->pool, target->metric), target->value};
    table->target_is_up = pl_results_direction(results, target->metric) == PL_MAXIMIZE;
}

int pl_table_build(struct pl_table **table, struct pl_results *results, const struct pl_table_spec *spec,
                   struct pl_error *err)
{
    struct pl_table_plan plan = {.results = results};
    struct pl_table *t = pl_new(sizeof *t);
    int status = check_spec(results, spec, err);
    if (status)
        goto done;
    t->metric = pl_copy(spec->metric ? spec->metric : pl_results_main_metric(results));
    t->study = pl_copy(pl_results_name(results));
    t->title = pl_copy(spec->title);
    t->caption = pl_copy(spec->caption);
    t->label = pl_copy(spec->label);
    t->cell = spec->cell ? pl_cell_kind(spec->cell) : pl_cell_names[0];
    t->unit = spec->unit;
    for (size_t i = 0; i < spec->labels.count; i++)
        pl_labels_add(&t->labels, spec->labels.names[i], spec->labels.texts[i]);
    t->select = pl_results_select(results, t->metric, spec->select);
    t->direction = pl_results_direction(results, t->metric);
    note_target(t, results);
    if ((status = load_first(results, spec, t, err)) ||
        (status = pl_results_where(results, spec->where, spec->where_count, &plan.configs, &plan.config_count, err)))
        goto done;
    if (!plan.config_count) {
        status = pl_fail(err, PL_EMISSING, "no configuration of study %s meets the conditions",
                         pl_results_name(results));
        goto done;
    }
    if (spec->choose.best && (status = pl_selection_begin(&plan, spec, t, err)))
        goto done;
    if ((status = choose_keys(&plan, spec, t, err)) || (status = fill_cells(&plan, t, err)) ||
        (status = check_unit(t, err)))
        goto done;
    if (plan.choice)
        pl_selection_note(&plan, spec, t);
    t->decimals = spec->digits >= 0 ? spec->digits : choose_decimals(t);
    mark_best(t);
    if (spec->compare.wanted)
        pl_table_compare(t, &spec->compare);
    pl_results_note_direction(results, t->metric, &t->notes);
    status = pl_table_remark(&plan, t, err);
done:
    pl_selection_end(&plan);
    free(plan.configs);
    if (status)
        pl_table_free(t);
    else
        *table = t;
    return status;
}

const char *pl_table_notes(const struct pl_table *table)
{
    return pl_text(&table->notes);
}

void pl_table_free(struct pl_table *table)
{
    if (!table)
        return;
    free(table->study);
    free(table->title);
    free(table->metric);
    free(table->caption);
    free(table->label);
    pl_labels_release(&table->labels);
    free(table->row_keys);
    free(table->column_keys);
    free(table->rows);
    free(table->columns);
    free(table->cells);
    free(table->values);
    free(table->seeds);
    free(table->selection.metric);
    free(table->selection.over);
    free(table->selection.chosen);
    pl_text_release(&table->notes);
    pl_pool_release(&table->pool);
    free(table);
}
