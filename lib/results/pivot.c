/* Which settings tell configurations apart, and which configurations a condition picks. */
#include "results/results_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *pl_results_key_name(const struct pl_results *results, size_t key)
{
    return results->columns[key].name;
}

uint32_t pl_results_rank(const struct pl_results *results, size_t config, size_t key)
{
    return results->columns[key].ranks[config];
}

const struct pl_value *pl_results_value(const struct pl_results *results, size_t key, uint32_t rank)
{
    return rank ? &results->columns[key].values[rank - 1].value : NULL;
}

static size_t find_column(const struct pl_results *results, const char *name)
{
    for (size_t i = 0; i < results->column_count; i++)
        if (!strcmp(results->columns[i].name, name))
            return i;
    return SIZE_MAX;
}

size_t pl_results_key(const struct pl_results *results, const char *name)
{
    size_t found = find_column(results, name);
    if (found != SIZE_MAX)
        return found;
    enum { MOST = 128 };
    static const size_t none = SIZE_MAX;
    struct pl_schema_source sources[MOST];
    size_t count = pl_train_schema_sources(sources, MOST);
    for (size_t i = 0; i < count && i < MOST; i++) {
        const struct pl_setting *setting = pl_setting_find(sources[i].part.settings, sources[i].part.count, name);
        if (setting && (found = find_column(results, setting->key)) != SIZE_MAX)
            return found;
    }
    return none;
}

static int unknown_key(const struct pl_results *results, const char *name, struct pl_error *err)
{
    if (!strcmp(name, "seed"))
        return pl_fail(err, PL_EINPUT, "'seed' cannot be used here: statistics are taken over the seeds");
    const char **names = pl_new(results->column_count * sizeof *names);
    for (size_t i = 0; i < results->column_count; i++)
        names[i] = results->columns[i].name;
    const char *nearest = pl_nearest(name, names, results->column_count);
    int status = nearest ? pl_fail(err, PL_EINPUT, "no run of study %s has a setting '%s'; did you mean '%s'?",
                                   results->name, name, nearest)
                         : pl_fail(err, PL_EINPUT, "no run of study %s has a setting '%s'", results->name, name);
    free(names);
    return status;
}

int pl_results_keys(const struct pl_results *results, const struct pl_names *names, size_t *keys,
                    struct pl_error *err)
{
    for (size_t i = 0; i < names->count; i++) {
        keys[i] = pl_results_key(results, names->names[i]);
        if (keys[i] == SIZE_MAX)
            return unknown_key(results, names->names[i], err);
    }
    return 0;
}

/* Marks which ranks of a column a condition admits. */
static bool *admitted(const struct pl_column *column, const struct pl_condition *condition)
{
    bool *admits = pl_new(column->value_count + 1);
    for (size_t i = 0; i < column->value_count; i++)
        admits[i + 1] = pl_condition_admits(condition, &column->values[i].value);
    return admits;
}

/* Does some configuration have the which-th alternative? one becomes a condition of it alone. */
static bool has_alternative(const struct pl_column *column, const struct pl_condition *condition, size_t which,
                            struct pl_condition *one)
{
    bool value = which < condition->count;
    *one = (struct pl_condition){.key = condition->key, .count = value, .range_count = !value};
    one->values = value ? &condition->values[which] : NULL;
    one->ranges = value ? NULL : &condition->ranges[which - condition->count];
    for (size_t i = 0; i < column->value_count; i++)
        if (pl_condition_admits(one, &column->values[i].value))
            return true;
    return false;
}

bool pl_results_has(const struct pl_results *results, const struct pl_condition *condition, size_t which)
{
    size_t key = pl_results_key(results, condition->key);
    struct pl_condition one;
    return key != SIZE_MAX && has_alternative(&results->columns[key], condition, which, &one);
}

/* What no configuration has: says which, and what there is. One of several alternatives that is unknown is a slip too, unless
 * another study has it. */
static int check_values(const struct pl_results *results, const struct pl_condition *condition,
                        const struct pl_column *column, struct pl_error *err)
{
    enum { SHOWN = 12 };
    size_t which = 0, all = condition->count + condition->range_count;
    struct pl_condition one;
    while (which < all && has_alternative(column, condition, which, &one))
        which++;
    if (!condition->known || condition->elsewhere || which == all)
        return 0;
    struct pl_text wanted = {0}, there = {0};
    pl_where_write(&one, &wanted);
    for (size_t i = 0; i < column->value_count && i < SHOWN; i++) {
        pl_text_add(&there, i ? ", " : "");
        pl_value_write(&column->values[i].value, &there);
    }
    pl_text_add(&there, column->value_count > SHOWN ? ", ..." : "");
    int status = pl_fail(err, PL_EMISSING, "no run of study %s has %.200s; there %s: %.500s", results->name,
                         pl_text(&wanted), column->value_count == 1 ? "is" : "are", pl_text(&there));
    pl_text_release(&wanted);
    pl_text_release(&there);
    return status;
}

int pl_results_where(const struct pl_results *results, const struct pl_condition *where, size_t where_count,
                     size_t **configs, size_t *count, struct pl_error *err)
{
    for (size_t i = 0; i < where_count; i++)
        if (pl_results_key(results, where[i].key) == SIZE_MAX)
            return where[i].elsewhere ? pl_fail(err, PL_EMISSING, "no run of study %s has a setting '%s'", results->name,
                                                where[i].key)
                                      : unknown_key(results, where[i].key, err);
    for (size_t i = 0; i < where_count; i++) {
        int status = check_values(results, &where[i], &results->columns[pl_results_key(results, where[i].key)], err);
        if (status)
            return status;
    }
    size_t *kept = pl_new(results->count * sizeof *kept), left = results->count;
    for (size_t i = 0; i < left; i++)
        kept[i] = i;
    for (size_t w = 0; w < where_count; w++) {
        const struct pl_column *column = &results->columns[pl_results_key(results, where[w].key)];
        bool *admits = admitted(column, &where[w]);
        size_t passed = 0;
        for (size_t i = 0; i < left; i++)
            if (admits[column->ranks[kept[i]]])
                kept[passed++] = kept[i];
        left = passed;
        free(admits);
    }
    *configs = kept;
    *count = left;
    return 0;
}

static bool varies(const struct pl_column *column, const size_t *configs, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (column->ranks[configs[i]] != column->ranks[configs[0]])
            return true;
    return false;
}

size_t pl_results_axes(const struct pl_results *results, const size_t *configs, size_t count, size_t *keys,
                       size_t capacity)
{
    size_t found = 0;
    for (size_t i = 0; results->study && i < results->study->axis_count && found < capacity; i++) {
        size_t key = pl_results_key(results, results->study->axes[i]);
        if (key != SIZE_MAX && varies(&results->columns[key], configs, count))
            keys[found++] = key;
    }
    return found;
}

/* A partition of configurations by their values so far, refined by one setting after another. */
struct partition {
    size_t count;     /* configurations */
    uint32_t *groups; /* of each */
    size_t group_count;
    uint64_t *slot_keys; /* scratch of refine: (group, rank) + 1, or 0 */
    uint32_t *slot_groups;
    size_t slot_count;
    uint32_t *refined;
};

/* Splits the groups by a column into p->refined; returns how many there are then. */
static size_t refine(struct partition *p, const struct pl_column *column, const size_t *configs)
{
    memset(p->slot_keys, 0, p->slot_count * sizeof *p->slot_keys);
    size_t groups = 0;
    for (size_t i = 0; i < p->count; i++) {
        uint64_t key = ((uint64_t)p->groups[i] << 32 | column->ranks[configs[i]]) + 1;
        size_t slot = (key * 0x9e3779b97f4a7c15u >> 20) & (p->slot_count - 1);
        while (p->slot_keys[slot] && p->slot_keys[slot] != key)
            slot = (slot + 1) & (p->slot_count - 1);
        if (!p->slot_keys[slot]) {
            p->slot_keys[slot] = key;
            p->slot_groups[slot] = (uint32_t)groups++;
        }
        p->refined[i] = p->slot_groups[slot];
    }
    return groups;
}

static void accept(struct partition *p, size_t groups)
{
    uint32_t *spare = p->groups;
    p->groups = p->refined;
    p->refined = spare;
    p->group_count = groups;
}

/* Every column once, in the order in which a reader would want them. */
static size_t candidates(const struct pl_results *results, size_t *order)
{
    static const char *const first[] = {"problem", "dataset", "model", "optimizer"};
    bool *taken = pl_new(results->column_count);
    size_t count = 0, found;
    for (size_t i = 0; results->study && i < results->study->axis_count; i++)
        if ((found = pl_results_key(results, results->study->axes[i])) != SIZE_MAX && !taken[found]) {
            taken[found] = true;
            order[count++] = found;
        }
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if ((found = find_column(results, first[i])) != SIZE_MAX && !taken[found]) {
            taken[found] = true;
            order[count++] = found;
        }
    for (size_t i = 0; i < results->column_count; i++)
        if (!taken[i])
            order[count++] = i;
    free(taken);
    return count;
}

size_t pl_results_extend(const struct pl_results *results, const size_t *configs, size_t config_count, size_t *keys,
                         size_t count, size_t capacity)
{
    struct partition p = {.count = config_count, .group_count = config_count > 0, .slot_count = 16};
    while (p.slot_count < 2 * config_count)
        p.slot_count *= 2;
    p.groups = pl_new(config_count * sizeof *p.groups);
    p.refined = pl_new(config_count * sizeof *p.refined);
    p.slot_keys = pl_new(p.slot_count * sizeof *p.slot_keys);
    p.slot_groups = pl_new(p.slot_count * sizeof *p.slot_groups);
    for (size_t i = 0; i < count; i++)
        accept(&p, refine(&p, &results->columns[keys[i]], configs));
    /* One pass is enough: a setting that does not split the groups does not split finer ones either. */
    size_t *order = pl_new(results->column_count * sizeof *order);
    size_t candidate_count = candidates(results, order);
    for (size_t i = 0; i < candidate_count && p.group_count < config_count && count < capacity; i++) {
        size_t groups = refine(&p, &results->columns[order[i]], configs);
        if (groups > p.group_count) {
            accept(&p, groups);
            keys[count++] = order[i];
        }
    }
    free(order);
    free(p.groups);
    free(p.refined);
    free(p.slot_keys);
    free(p.slot_groups);
    return count;
}
