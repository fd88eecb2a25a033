/* Ranking configurations within groups: what a table with `select` shows, and what a study takes from one. */
#include "results/results_priv.h"

#include <stdlib.h>
#include <string.h>

const char *pl_results_criterion(const struct pl_results *results, const struct pl_selection *wanted,
                                 enum pl_select *select)
{
    *select = wanted->metric ? wanted->select : PL_SELECT_BEST;
    return wanted->metric ? wanted->metric : results->validation;
}

static int find_criterion(const struct pl_results *results, const struct pl_selection *wanted, struct pl_choice *choice,
                          struct pl_error *err)
{
    const char *name = pl_results_criterion(results, wanted, &choice->select);
    if (!name)
        return pl_fail(err, PL_EINPUT,
                       "select chooses by validation, but no run of the study has recorded a metric such "
                       "as valid_accuracy, val_loss or eval_f1; say what to choose by, as in by: best "
                       "test_accuracy, or declare metrics: {NAME: {validation: true}}");
    choice->metric = pl_copy(name);
    choice->direction = pl_results_direction(results, name);
    if (!pl_results_has_metric(results, name))
        return pl_fail(err, PL_EINPUT, "select chooses by %s, which no run has recorded", name);
    if (choice->direction == PL_NEUTRAL)
        return pl_fail(err, PL_EINPUT, "select cannot choose by %s, which is neither better up nor down", name);
    if (choice->direction == PL_UNDECLARED) {
        struct pl_text ask = {0};
        int status = pl_fail(err, PL_EINPUT, "select cannot choose by %s: %s", name, pl_metric_ask(name, &ask));
        pl_text_release(&ask);
        return status;
    }
    return 0;
}

/* ---- groups ---- */

/* Appends the columns of those names that some run has. */
static size_t add_keys(const struct pl_results *results, const struct pl_names *names, size_t *keys, size_t count)
{
    for (size_t i = 0; i < names->count; i++)
        if ((keys[count] = pl_results_key(results, names->names[i])) != SIZE_MAX)
            count++;
    return count;
}

/* Groups agree in the rows and columns of the table. Where two configurations of a group agree in all that is chosen
 * over as well, another setting tells them apart: choosing between those was not asked for, so it parts the group. */
static void find_groups(const struct pl_results *results, const struct pl_table_spec *table, const size_t *configs,
                        size_t count, struct pl_choice *choice, uint32_t *groups)
{
    const struct pl_names *parting[] = {&table->rows, &table->columns};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < parting[k]->count; i++)
            if (strcmp(parting[k]->names[i], PL_RANK_KEY))
                pl_names_add(&choice->groups, parting[k]->names[i]);
    size_t capacity = choice->groups.count + table->choose.over.count + results->column_count;
    size_t *keys = pl_new((capacity + 1) * sizeof *keys);
    size_t own = add_keys(results, &choice->groups, keys, 0);
    size_t named = add_keys(results, &table->choose.over, keys, own);
    size_t all = pl_results_extend(results, configs, count, keys, named, capacity);
    for (size_t i = named; i < all; i++)
        pl_names_add(&choice->groups, results->columns[keys[i]].name);
    if (all > named)
        memmove(keys + own, keys + named, (all - named) * sizeof *keys);
    choice->group_count = pl_results_part(results, configs, count, keys, own + all - named, groups);
    free(keys);
}

/* ---- places ---- */

/* Complete; with runs that are missing, failed, stopped or without a value; with a run that diverged or never reached
 * the target; without any value. */
static int kind_of(const struct pl_rival *rival)
{
    return !rival->n ? 3 : rival->diverged || rival->never ? 2 : rival->n < rival->planned;
}

struct comparing {
    const struct pl_rival *rivals;
    enum pl_direction direction;
};

static int by_place(const void *a, const void *b, void *self)
{
    const struct comparing *c = self;
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    const struct pl_rival *x = &c->rivals[i], *y = &c->rivals[k];
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (kind_of(x) != kind_of(y))
        return kind_of(x) < kind_of(y) ? -1 : 1;
    if (x->never != y->never)
        return x->never < y->never ? -1 : 1;
    if (x->n && !x->never && x->mean != y->mean)
        return (x->mean > y->mean) == (c->direction == PL_MAXIMIZE) ? -1 : 1;
    return (i > k) - (i < k);
}

/* Puts the rivals in their order and counts places off. */
static void give_places(struct pl_choice *choice, struct pl_rival *rivals)
{
    struct comparing comparing = {rivals, choice->direction};
    size_t *order = pl_new((choice->count + 1) * sizeof *order), before = SIZE_MAX, place = 0;
    for (size_t i = 0; i < choice->count; i++)
        order[i] = i;
    qsort_r(order, choice->count, sizeof *order, by_place, &comparing);
    choice->rivals = pl_new((choice->count + 1) * sizeof *choice->rivals);
    for (size_t i = 0; i < choice->count; i++) {
        struct pl_rival *rival = &choice->rivals[i];
        *rival = rivals[order[i]];
        place = rival->group == before ? place + 1 : 1;
        before = rival->group;
        rival->place = place;
    }
    free(order);
}

/* ---- the choice ---- */

/* Those that meet the table's conditions, in grid order. */
static size_t admit(const struct pl_results *results, const struct pl_table_spec *table, size_t *configs)
{
    size_t count = results->count;
    for (size_t i = 0; i < count; i++)
        configs[i] = i;
    for (size_t w = 0; w < table->where_count; w++)
        count = pl_results_filter(results, &table->where[w], configs, count);
    return count;
}

static void rank(const struct pl_results *results, const struct pl_table_spec *table, struct pl_choice *choice)
{
    size_t *configs = pl_new((results->count + 1) * sizeof *configs), count = admit(results, table, configs);
    uint32_t *groups = pl_new((count + 1) * sizeof *groups);
    struct pl_rival *rivals = pl_new((count + 1) * sizeof *rivals);
    choice->count = count;
    find_groups(results, table, configs, count, choice, groups);
    for (size_t i = 0; i < count; i++) {
        struct pl_summary summary;
        pl_results_summary(results, configs[i], &summary);
        rivals[i] = (struct pl_rival){.config = results->configs[configs[i]],
                                      .group = groups[i],
                                      .planned = summary.planned,
                                      .finished = summary.finished,
                                      .diverged = summary.diverged,
                                      .failed = summary.failed,
                                      .stopped = summary.stopped,
                                      .n = summary.n,
                                      .never = summary.never,
                                      .mean = summary.mean};
    }
    give_places(choice, rivals);
    free(configs);
    free(groups);
    free(rivals);
}

int pl_results_choose(struct pl_results *results, const struct pl_table_spec *table, struct pl_choice **choice,
                      struct pl_error *err)
{
    struct pl_choice *made = pl_new(sizeof *made);
    int status = find_criterion(results, &table->choose, made, err);
    if (!status)
        status = pl_results_load(results, made->metric, made->select, err);
    if (status) {
        pl_choice_free(made);
        return status;
    }
    rank(results, table, made);
    *choice = made;
    return 0;
}

/* The first table that chooses; NULL: there is none. */
static const struct pl_table_spec *choosing_table(const struct pl_study *study)
{
    for (size_t i = 0; study && i < study->table_count; i++)
        if (study->tables[i].choose.best)
            return &study->tables[i];
    return NULL;
}

int pl_results_choose_best(struct pl_results *results, struct pl_names *over, struct pl_choice **choice,
                           struct pl_error *err)
{
    const struct pl_table_spec *declared = choosing_table(results->study);
    if (declared) {
        for (size_t i = 0; i < declared->choose.over.count; i++)
            pl_names_add(over, declared->choose.over.names[i]);
        return pl_results_choose(results, declared, choice, err);
    }
    const struct pl_search *search = results->study ? results->study->search : NULL;
    const char *metric = results->validation ? results->validation : pl_results_main_metric(results);
    enum pl_select select = results->validation ? PL_SELECT_BEST : pl_results_main_select(results);
    int status = pl_results_load(results, metric, pl_results_select(results, metric, select), err);
    if (status)
        return status;
    size_t *configs = pl_new((results->count + 1) * sizeof *configs), keys[64];
    for (size_t i = 0; i < results->count; i++)
        configs[i] = i;
    size_t parting = pl_results_extend_search(results, configs, results->count, keys, 0, 64);
    struct pl_names rows = {pl_new((parting + 1) * sizeof *rows.names), parting};
    for (size_t i = 0; i < parting; i++)
        rows.names[i] = results->columns[keys[i]].name;
    size_t all = search ? 0 : pl_results_axes(results, configs, results->count, keys, 64);
    for (size_t i = 0; i < all; i++)
        if (!pl_names_have(&rows, results->columns[keys[i]].name))
            pl_names_add(over, results->columns[keys[i]].name);
    for (size_t i = 0; search && i < search->key_count; i++)
        if (pl_results_key(results, search->keys[i]) != SIZE_MAX)
            pl_names_add(over, search->keys[i]);
    struct pl_table_spec table = {
        .rows = rows,
        .choose = {
            .best = 1, .over = *over, .metric = (char *)metric, .select = pl_results_select(results, metric, select)}};
    status = pl_results_choose(results, &table, choice, err);
    free(rows.names);
    free(configs);
    return status;
}

void pl_choice_free(struct pl_choice *choice)
{
    if (!choice)
        return;
    for (size_t i = 0; i < choice->groups.count; i++)
        free(choice->groups.names[i]);
    free(choice->groups.names);
    free(choice->rivals);
    free(choice->metric);
    free(choice);
}

void pl_results_add_places(struct pl_results *results, const struct pl_choice *choice, size_t best)
{
    void *columns = results->columns;
    pl_grow(&columns, &results->column_capacity, results->column_count + 1, sizeof *results->columns);
    results->columns = columns;
    struct pl_column *column = &results->columns[results->column_count++];
    *column = (struct pl_column){.name = pl_copy(PL_RANK_KEY),
                                 .key = "",
                                 .ranks = pl_new(results->count * sizeof *column->ranks),
                                 .values = pl_new(best * sizeof *column->values),
                                 .value_count = best};
    for (size_t i = 0; i < best; i++)
        column->values[i] = (struct pl_column_value){"", 0, {PL_INTEGER, {.integer = (int64_t)i + 1}}};
    for (size_t i = 0; i < choice->count; i++) {
        size_t config = pl_results_position(results, choice->rivals[i].config);
        if (choice->rivals[i].place <= best && config != SIZE_MAX)
            column->ranks[config] = (uint32_t)choice->rivals[i].place;
    }
}

void pl_results_drop_places(struct pl_results *results)
{
    struct pl_column *column = results->column_count ? &results->columns[results->column_count - 1] : NULL;
    if (!column || strcmp(column->name, PL_RANK_KEY) || column->key_length)
        return; /* a load has found other configurations, and read all anew */
    results->column_count--;
    free(column->name);
    free(column->ranks);
    free(column->values);
}
