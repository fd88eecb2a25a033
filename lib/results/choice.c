/* Ranking configurations within groups: what a table with `select` shows, and what a study takes from one. */
#include "results/results_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One setting: a hash of each configuration's value, 0 where it has none. */
struct setting {
    char *key;
    uint64_t *values;
};

struct choosing {
    struct pl_store *store;
    const struct pl_study *study;
    const struct pl_table_spec *table;
    struct pl_rival *rivals; /* in grid order */
    size_t count, capacity;
    double *values; /* of the rival at hand */
    size_t value_count, value_capacity;
    struct setting *settings;
    size_t setting_count, setting_capacity;
    size_t *order;  /* scratch of refine */
};

/* ---- the standing of each configuration ---- */

static int rising(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sorted before they are added, so that equal values in another order have an equal mean. */
static void end_rival(struct choosing *c)
{
    if (!c->count)
        return;
    struct pl_rival *rival = &c->rivals[c->count - 1];
    double sum = 0;
    if (c->value_count)
        qsort(c->values, c->value_count, sizeof *c->values, rising);
    for (size_t i = 0; i < c->value_count; i++)
        sum += c->values[i] / (double)c->value_count;
    rival->n = (int64_t)c->value_count;
    rival->mean = c->value_count ? sum : NAN;
    c->value_count = 0;
}

static int take_result(void *self, const struct pl_result *result)
{
    struct choosing *c = self;
    if (!c->count || c->rivals[c->count - 1].config != result->config) {
        end_rival(c);
        void *rivals = c->rivals;
        pl_grow(&rivals, &c->capacity, c->count + 1, sizeof *c->rivals);
        c->rivals = rivals;
        c->rivals[c->count++] = (struct pl_rival){.config = result->config};
    }
    struct pl_rival *rival = &c->rivals[c->count - 1];
    rival->planned++;
    rival->finished += result->status == PL_RUN_FINISHED;
    rival->diverged += result->status == PL_RUN_DIVERGED;
    rival->failed += result->status == PL_RUN_FAILED;
    if (result->status != PL_RUN_FINISHED || !result->has_value || !isfinite(result->value))
        return 0;
    void *values = c->values;
    pl_grow(&values, &c->value_capacity, c->value_count + 1, sizeof *c->values);
    c->values = values;
    c->values[c->value_count++] = result->value;
    return 0;
}

/* ---- the settings by which they differ ---- */

static uint64_t hash_value(const struct pl_value *value, struct pl_text *scratch)
{
    uint64_t hash = 0xcbf29ce484222325u;
    pl_text_clear(scratch);
    pl_value_write(value, scratch);
    for (size_t i = 0; i < scratch->length; i++)
        hash = (hash ^ (unsigned char)scratch->text[i]) * 0x100000001b3u;
    return hash ? hash : 1;
}

static struct setting *find_setting(const struct choosing *c, const char *key)
{
    for (size_t i = 0; i < c->setting_count; i++)
        if (!strcmp(c->settings[i].key, key))
            return &c->settings[i];
    return NULL;
}

static struct setting *need_setting(struct choosing *c, const char *key)
{
    struct setting *found = find_setting(c, key);
    if (found)
        return found;
    void *settings = c->settings;
    pl_grow(&settings, &c->setting_capacity, c->setting_count + 1, sizeof *c->settings);
    c->settings = settings;
    found = &c->settings[c->setting_count++];
    *found = (struct setting){pl_copy(key), pl_new((c->count + 1) * sizeof *found->values)};
    return found;
}

static bool meets_conditions(const struct pl_table_spec *table, const struct pl_settings *settings)
{
    for (size_t i = 0; i < table->where_count; i++)
        if (!pl_condition_admits(&table->where[i], pl_settings_find(settings, table->where[i].key)))
            return false;
    return true;
}

/* Reads the settings of every rival and drops those that the table's conditions exclude. */
static int read_settings(struct choosing *c, struct pl_error *err)
{
    struct pl_settings settings = {0};
    struct pl_text scratch = {0};
    size_t kept = 0;
    int status = 0;
    for (size_t i = 0; i < c->count && !status; i++) {
        status = pl_store_config(c->store, c->rivals[i].config, &settings, err);
        if (status || !meets_conditions(c->table, &settings))
            continue;
        for (size_t s = 0; s < settings.count; s++)
            need_setting(c, settings.entries[s].key)->values[kept] = hash_value(&settings.entries[s].value, &scratch);
        c->rivals[kept++] = c->rivals[i];
    }
    c->count = kept;
    pl_settings_release(&settings);
    pl_text_release(&scratch);
    return status;
}

/* ---- groups ---- */

struct splitting {
    const size_t *groups;
    const uint64_t *values;
};

static int by_group_and_value(const void *a, const void *b, void *self)
{
    const struct splitting *s = self;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    if (s->groups[x] != s->groups[y])
        return s->groups[x] < s->groups[y] ? -1 : 1;
    if (s->values[x] != s->values[y])
        return s->values[x] < s->values[y] ? -1 : 1;
    return (x > y) - (x < y);
}

/* Splits groups by the values of a setting; returns how many there are then. Groups are named by their first members. */
static size_t split(struct choosing *c, size_t *groups, const struct setting *setting)
{
    struct splitting s = {groups, setting->values};
    size_t count = 0, first = 0;
    for (size_t i = 0; i < c->count; i++)
        c->order[i] = i;
    qsort_r(c->order, c->count, sizeof *c->order, by_group_and_value, &s);
    size_t *split = pl_new((c->count + 1) * sizeof *split);
    for (size_t i = 0; i < c->count; i++) {
        size_t now = c->order[i], before = i ? c->order[i - 1] : now;
        if (!i || groups[now] != groups[before] || setting->values[now] != setting->values[before]) {
            first = now;
            count++;
        }
        split[now] = first;
    }
    if (c->count)
        memcpy(groups, split, c->count * sizeof *groups);
    free(split);
    return count;
}

static bool has_name(const struct pl_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->names[i], name))
            return true;
    return false;
}

static void add_group(struct pl_choice *choice, const char *key)
{
    choice->groups.names = pl_resize(choice->groups.names, choice->groups.count + 1, sizeof *choice->groups.names);
    choice->groups.names[choice->groups.count++] = pl_copy(key);
}

static void split_by_names(struct choosing *c, size_t *groups, const struct pl_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        const struct setting *setting = find_setting(c, names->names[i]);
        if (setting)
            split(c, groups, setting);
    }
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct setting *)a)->key, ((const struct setting *)b)->key);
}

/* Every setting once, in the order in which a reader would want them. */
static size_t candidates(const struct choosing *c, const char **order)
{
    static const char *const first[] = {"problem", "dataset", "model", "optimizer"};
    struct pl_names named = {(char **)order, 0};
    for (size_t i = 0; c->study && i < c->study->axis_count; i++)
        if (find_setting(c, c->study->axes[i]))
            order[named.count++] = c->study->axes[i];
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (find_setting(c, first[i]) && !has_name(&named, first[i]))
            order[named.count++] = first[i];
    for (size_t i = 0; i < c->setting_count; i++)
        if (!has_name(&named, c->settings[i].key))
            order[named.count++] = c->settings[i].key;
    return named.count;
}

/* Groups agree in the rows and columns of the table. Where two configurations of a group agree in all that is chosen
 * over as well, another setting tells them apart: choosing between those was not asked for, so it parts the group. */
static void find_groups(struct choosing *c, size_t *groups, struct pl_choice *choice)
{
    const struct pl_table_spec *table = c->table;
    const struct pl_names *parting[] = {&table->rows, &table->columns};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < parting[k]->count; i++)
            if (strcmp(parting[k]->names[i], PL_RANK_KEY))
                add_group(choice, parting[k]->names[i]);
    split_by_names(c, groups, &choice->groups);
    size_t *full = pl_new((c->count + 1) * sizeof *full), parts = 0;
    if (c->count)
        memcpy(full, groups, c->count * sizeof *full);
    split_by_names(c, full, &table->choose.over);
    for (size_t i = 0; i < c->count; i++)
        parts += full[i] == i;
    qsort(c->settings, c->setting_count, sizeof *c->settings, by_key);
    size_t axes = c->study ? c->study->axis_count : 0;
    const char **order = pl_new((axes + c->setting_count + 8) * sizeof *order);
    size_t count = candidates(c, order);
    for (size_t i = 0; i < count && parts < c->count; i++) {
        if (has_name(&choice->groups, order[i]) || has_name(&table->choose.over, order[i]))
            continue;
        const struct setting *setting = find_setting(c, order[i]);
        size_t now = split(c, full, setting);
        if (now == parts)
            continue;
        parts = now;
        split(c, groups, setting);
        add_group(choice, order[i]);
    }
    free(order);
    free(full);
}

/* ---- places ---- */

/* Complete; with runs that are missing, failed or without a value; with a diverged run; without any value. */
static int kind_of(const struct pl_rival *rival)
{
    return !rival->n ? 3 : rival->diverged ? 2 : rival->n < rival->planned;
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
    if (x->n && x->mean != y->mean)
        return (x->mean > y->mean) == (c->direction == PL_MAXIMIZE) ? -1 : 1;
    return (i > k) - (i < k);
}

static void give_places(struct choosing *c, const size_t *groups, struct pl_choice *choice)
{
    struct comparing comparing = {c->rivals, choice->direction};
    for (size_t i = 0; i < c->count; i++) {
        c->rivals[i].group = groups[i];
        c->order[i] = i;
    }
    qsort_r(c->order, c->count, sizeof *c->order, by_place, &comparing);
    choice->rivals = pl_new((c->count + 1) * sizeof *choice->rivals);
    choice->count = c->count;
    size_t before = SIZE_MAX, place = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct pl_rival *rival = &choice->rivals[i];
        *rival = c->rivals[c->order[i]];
        if (rival->group != before) {
            before = rival->group;
            choice->group_count++;
            place = 0;
        }
        rival->group = choice->group_count - 1;
        rival->place = ++place;
    }
}

/* ---- the criterion ---- */

static int find_criterion(struct choosing *c, int64_t sweep, struct pl_choice *choice, struct pl_error *err)
{
    const struct pl_selection *wanted = &c->table->choose;
    const char *name = wanted->metric;
    const struct pl_metric_info *metrics, *found = NULL;
    size_t count;
    int status = name ? 0 : pl_store_validation(c->store, sweep, &name, err);
    if (status)
        return status;
    if (!name)
        return pl_fail(err, PL_EINPUT, "select chooses by validation, but no run of the study has recorded a metric such "
                                       "as valid_accuracy, val_loss or eval_f1; say what to choose by, as in by: best "
                                       "test_accuracy, or declare metrics: {NAME: {validation: true}}");
    choice->metric = pl_copy(name);
    choice->select = wanted->metric ? wanted->select : PL_SELECT_BEST;
    status = pl_store_metrics(c->store, sweep, &metrics, &count, err);
    for (size_t i = 0; !status && i < count && !found; i++)
        if (!strcmp(metrics[i].name, choice->metric))
            found = &metrics[i];
    if (status)
        return status;
    if (!found)
        return pl_fail(err, PL_EINPUT, "select chooses by %s, which no run has recorded", choice->metric);
    choice->direction = found->direction;
    if (choice->direction == PL_NEUTRAL)
        return pl_fail(err, PL_EINPUT, "select cannot choose by %s, which is neither better up nor down", choice->metric);
    if (choice->direction == PL_UNDECLARED) {
        struct pl_text ask = {0};
        status = pl_fail(err, PL_EINPUT, "select cannot choose by %s: %s", choice->metric,
                         pl_metric_ask(choice->metric, &ask));
        pl_text_release(&ask);
    }
    return status;
}

static void release(struct choosing *c)
{
    for (size_t i = 0; i < c->setting_count; i++) {
        free(c->settings[i].key);
        free(c->settings[i].values);
    }
    free(c->settings);
    free(c->rivals);
    free(c->values);
    free(c->order);
}

int pl_results_choose(struct pl_store *store, int64_t sweep, const struct pl_study *study,
                    const struct pl_table_spec *table, struct pl_choice **choice, struct pl_error *err)
{
    struct choosing c = {.store = store, .study = study, .table = table};
    struct pl_choice *made = pl_new(sizeof *made);
    int status = find_criterion(&c, sweep, made, err);
    if (!status)
        status = pl_store_each_result(store, sweep, made->metric, made->select, take_result, &c, err);
    if (!status) {
        end_rival(&c);
        status = read_settings(&c, err);
    }
    if (!status) {
        size_t *groups = pl_new((c.count + 1) * sizeof *groups);
        c.order = pl_new((c.count + 1) * sizeof *c.order);
        find_groups(&c, groups, made);
        give_places(&c, groups, made);
        free(groups);
        *choice = made;
    } else {
        pl_choice_free(made);
    }
    release(&c);
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
    *column = (struct pl_column){.name = pl_copy(PL_RANK_KEY), .key = "", .ranks = pl_new(results->count * sizeof *column->ranks),
                                 .values = pl_new(best * sizeof *column->values), .value_count = best};
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
    struct pl_column *column = &results->columns[--results->column_count];
    free(column->name);
    free(column->ranks);
    free(column->values);
}
