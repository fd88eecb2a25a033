/* Which settings tell configurations apart: for tables and figures, whose rows and lines never pool two, and for
 * choices, which are made among those that differ in nothing else. */
#include "results/results_priv.h"

#include <stdlib.h>
#include <string.h>

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

/* A partition of configurations by their values so far, refined by one setting after another. Groups are numbered in
 * the order of their first configurations. */
struct partition {
    const size_t *configs;
    size_t count;     /* of these */
    uint32_t *groups; /* of each */
    size_t group_count;
    uint64_t *slot_keys; /* scratch of refine: (group, rank) + 1, or 0 */
    uint32_t *slot_groups;
    size_t slot_count;
    uint32_t *refined;
};

/* All in one group. */
static struct partition begin(const size_t *configs, size_t count)
{
    struct partition p = {.configs = configs, .count = count, .group_count = count > 0, .slot_count = 16};
    while (p.slot_count < 2 * count)
        p.slot_count *= 2;
    p.groups = pl_new(count * sizeof *p.groups);
    p.refined = pl_new(count * sizeof *p.refined);
    p.slot_keys = pl_new(p.slot_count * sizeof *p.slot_keys);
    p.slot_groups = pl_new(p.slot_count * sizeof *p.slot_groups);
    return p;
}

static void end(struct partition *p)
{
    free(p->groups);
    free(p->refined);
    free(p->slot_keys);
    free(p->slot_groups);
}

/* Splits the groups by a column into p->refined; returns how many there are then. */
static size_t refine(struct partition *p, const struct pl_column *column)
{
    memset(p->slot_keys, 0, p->slot_count * sizeof *p->slot_keys);
    size_t groups = 0;
    for (size_t i = 0; i < p->count; i++) {
        uint64_t key = ((uint64_t)p->groups[i] << 32 | column->ranks[p->configs[i]]) + 1;
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

/* Every column once, in the order in which a reader would want them: axes of the study, what a run is called by, the
 * others. */
static size_t candidates(const struct pl_results *results, size_t *order)
{
    struct pl_candidates first = {0};
    bool *taken = pl_new(results->column_count);
    size_t count = 0, found;
    pl_train_keys_of(PL_NAMES, &first);
    for (size_t i = 0; results->study && i < results->study->axis_count; i++)
        if ((found = pl_results_key(results, results->study->axes[i])) != SIZE_MAX && !taken[found]) {
            taken[found] = true;
            order[count++] = found;
        }
    for (size_t i = 0; i < first.count; i++)
        if ((found = pl_results_find_column(results, first.names[i])) != SIZE_MAX && !taken[found]) {
            taken[found] = true;
            order[count++] = found;
        }
    for (size_t i = 0; i < results->column_count; i++)
        if (!taken[i])
            order[count++] = i;
    pl_candidates_release(&first);
    free(taken);
    return count;
}

size_t pl_results_extend(const struct pl_results *results, const size_t *configs, size_t config_count, size_t *keys,
                         size_t count, size_t capacity)
{
    struct partition p = begin(configs, config_count);
    for (size_t i = 0; i < count; i++)
        accept(&p, refine(&p, &results->columns[keys[i]]));
    /* One pass is enough: a setting that does not split the groups does not split finer ones either. */
    size_t *order = pl_new(results->column_count * sizeof *order);
    size_t candidate_count = candidates(results, order);
    for (size_t i = 0; i < candidate_count && p.group_count < config_count && count < capacity; i++) {
        size_t groups = refine(&p, &results->columns[order[i]]);
        if (groups > p.group_count) {
            accept(&p, groups);
            keys[count++] = order[i];
        }
    }
    free(order);
    end(&p);
    return count;
}

size_t pl_results_part(const struct pl_results *results, const size_t *configs, size_t config_count, const size_t *keys,
                       size_t count, uint32_t *groups)
{
    struct partition p = begin(configs, config_count);
    for (size_t i = 0; i < count; i++)
        accept(&p, refine(&p, &results->columns[keys[i]]));
    size_t group_count = p.group_count;
    if (config_count)
        memcpy(groups, p.groups, config_count * sizeof *groups);
    end(&p);
    return group_count;
}
