/* exclude: which points, or seeds of points, are dropped from a grid. */
#include "spec_priv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct pl_setting *setting_of(const struct variant *variant, const char *key)
{
    for (size_t p = 0; p < variant->schema.count; p++) {
        const struct pl_schema_part *part = &variant->schema.parts[p];
        const struct pl_setting *setting = pl_setting_find(part->settings, part->count, key);
        if (setting)
            return setting;
    }
    return NULL;
}

/* The first variant that an exclusion acts on and that has the setting. */
static const struct variant *variant_with(const struct pl_study_grid *grid, const struct exclusion *exclusion,
                                          const char *name)
{
    for (size_t p = 0; p < grid->part_count; p++) {
        const struct part *part = &grid->parts[p];
        if (exclusion->part != SIZE_MAX && exclusion->part != p)
            continue;
        for (size_t v = 0; v < part->variant_count; v++)
            if (part->variants[v].good && variant_entry(&part->variants[v], name) != SIZE_MAX)
                return &part->variants[v];
    }
    return NULL;
}

static bool any_good(const struct pl_study_grid *grid, bool all)
{
    for (size_t p = 0; p < grid->part_count; p++)
        for (size_t v = 0; v < grid->parts[p].variant_count; v++)
            if (grid->parts[p].variants[v].good != all)
                return !all;
    return all && grid->part_count;
}

static void complain_no_setting(struct reader *reader, const struct pl_study_grid *grid, const struct node *key)
{
    const char *legal[100];
    size_t count = 0;
    legal[count++] = "seed";
    for (size_t p = 0; p < grid->part_count; p++)
        for (size_t f = 0; f < grid->parts[p].field_count; f++) {
            bool known = false;
            for (size_t i = 0; i < count; i++)
                known = known || !strcmp(legal[i], grid->parts[p].fields[f].key);
            if (!known && count < sizeof legal / sizeof *legal)
                legal[count++] = grid->parts[p].fields[f].key;
        }
    struct pl_text text = {0};
    pl_text_addf(&text, "exclude: there is no setting %.60s here", key->text);
    hint(&text, key->text, legal, count);
    complain(&reader->complaints, key, "%s", pl_text(&text));
    pl_text_release(&text);
}

static void read_seeds(struct reader *reader, const struct pl_study_grid *grid, struct exclusion *exclusion,
                       struct node *value)
{
    size_t count;
    struct node **items = node_list(&value, &count);
    exclusion->seeds = take(reader->pool, count, sizeof *exclusion->seeds);
    for (size_t i = 0; i < count; i++) {
        int64_t seed;
        bool known = false;
        if (items[i]->kind == NODE_SCALAR && pl_integer_read(items[i]->text, &seed))
            for (size_t k = 0; k < grid->seed_count && !known; k++)
                known = grid->seeds[k] == seed;
        if (known)
            exclusion->seeds[exclusion->seed_count++] = seed;
        else
            complain(&reader->complaints, items[i], "exclude: this is not a seed of the study");
    }
}

static bool read_condition(struct reader *reader, const struct pl_study_grid *grid, struct exclusion *exclusion,
                           struct node *key, struct node *value)
{
    const struct variant *variant = variant_with(grid, exclusion, key->text);
    if (!variant) {
        if (any_good(grid, true)) /* else the variant that has it may be one with other faults */
            complain_no_setting(reader, grid, key);
        return false;
    }
    struct pl_condition *condition = &exclusion->conditions[exclusion->count++];
    condition->key = (char *)variant->settings.entries[variant_entry(variant, key->text)].key;
    const struct pl_setting *setting = setting_of(variant, condition->key);
    size_t count = 1;
    struct node **items = &value;
    if (!setting || !setting->list || (value->kind == NODE_LIST && value->count && value->items[0]->kind == NODE_LIST))
        items = node_list(&value, &count);
    condition->values = take(reader->pool, count, sizeof *condition->values);
    for (size_t i = 0; i < count && reader_works(reader, value, 1); i++) {
        struct cell cell;
        if (!cell_read(reader, condition->key, setting, items[i], &cell))
            continue;
        if (cell.expression)
            complain(&reader->complaints, items[i], "exclude: %s must be compared with plain values", condition->key);
        else
            condition->values[condition->count++] = cell.value;
    }
    return true;
}

/* Finds where the conditions stand in the settings of each variant. */
static void locate(struct reader *reader, const struct pl_study_grid *grid, struct exclusion *exclusion)
{
    exclusion->entries = take(reader->pool, ready_index(grid, grid->part_count, 0), sizeof *exclusion->entries);
    for (size_t p = 0; p < grid->part_count; p++) {
        const struct part *part = &grid->parts[p];
        if (exclusion->part != SIZE_MAX && exclusion->part != p)
            continue;
        for (size_t v = 0; v < part->variant_count; v++) {
            if (!part->variants[v].good || !reader_works(reader, exclusion->at, exclusion->count + 1))
                continue;
            size_t *entries = take(reader->pool, exclusion->count, sizeof *entries);
            bool all = true;
            for (size_t i = 0; i < exclusion->count; i++) {
                entries[i] = variant_entry(&part->variants[v], exclusion->conditions[i].key);
                all = all && entries[i] != SIZE_MAX;
            }
            if (all)
                exclusion->entries[ready_index(grid, p, v)] = entries;
        }
    }
}

static void read_exclusion(struct reader *reader, struct pl_study_grid *grid, const struct node *map, size_t part,
                           bool shared)
{
    struct exclusion *exclusion = &grid->exclusions[grid->exclusion_count];
    *exclusion = (struct exclusion){.at = map, .part = part, .shared = shared};
    if (map->kind != NODE_MAP || !map->count) {
        complain(&reader->complaints, map, "exclude: each item must be a mapping, such as {lambda: 0.5, seed: [2, 3]}");
        return;
    }
    exclusion->conditions = take(reader->pool, map->count, sizeof *exclusion->conditions);
    bool good = true;
    for (size_t i = 0; i < map->count; i++) {
        struct node *key = map->items[2 * i], *value = map->items[2 * i + 1];
        if (!strcmp(key->text, "seed") || !strcmp(key->text, "seeds"))
            read_seeds(reader, grid, exclusion, value);
        else
            good = read_condition(reader, grid, exclusion, key, value) && good;
    }
    if (!good)
        return;
    locate(reader, grid, exclusion);
    grid->seed_exclusions = grid->seed_exclusions || exclusion->seeds;
    grid->exclusion_count++;
}

static void read_list(struct reader *reader, struct pl_study_grid *grid, const struct node *list, size_t part,
                      bool shared)
{
    if (list->kind != NODE_LIST) {
        complain(&reader->complaints, list, "exclude must be a list of mappings, such as [{lambda: 0.5, beta: 1e4}]");
        return;
    }
    for (size_t i = 0; i < list->count && reader_works(reader, list->items[i], list->items[i]->size); i++)
        read_exclusion(reader, grid, list->items[i], part, shared);
}

void exclusions_read(struct reader *reader, const struct content *defaults, const struct content *study,
                     struct pl_study_grid *grid)
{
    const struct node *own = study->exclude, *shared = own || !defaults ? NULL : defaults->exclude;
    size_t most = (own ? own->count : 0) + (shared ? shared->count : 0);
    for (size_t p = 0; p < grid->part_count; p++)
        if (grid->parts[p].content && grid->parts[p].content->exclude)
            most += grid->parts[p].content->exclude->count;
    grid->exclusions = take(reader->pool, most, sizeof *grid->exclusions);
    if (own)
        read_list(reader, grid, own, SIZE_MAX, false);
    if (shared)
        read_list(reader, grid, shared, SIZE_MAX, true);
    for (size_t p = 0; p < grid->part_count; p++)
        if (grid->parts[p].content && grid->parts[p].content->exclude)
            read_list(reader, grid, grid->parts[p].content->exclude, p, false);
}

static bool condition_holds(const struct pl_condition *condition, const struct pl_value *value)
{
    for (size_t i = 0; i < condition->count; i++)
        if (pl_value_equal(&condition->values[i], value))
            return true;
    return false;
}

bool exclusion_holds(const struct exclusion *exclusion, const struct pl_study_grid *grid,
                     const struct position *position, const struct pl_settings *settings)
{
    const size_t *entries = exclusion->entries[ready_index(grid, position->part, position->variant)];
    if (!entries)
        return false;
    for (size_t i = 0; i < exclusion->count; i++)
        if (!condition_holds(&exclusion->conditions[i], &settings->entries[entries[i]].value))
            return false;
    return true;
}

static bool excludes_seed(const struct exclusion *exclusion, int64_t seed)
{
    for (size_t i = 0; i < exclusion->seed_count; i++)
        if (exclusion->seeds[i] == seed)
            return true;
    return !exclusion->seeds;
}

size_t exclusions_filter(const struct pl_study_grid *grid, const struct position *position,
                         const struct pl_settings *settings, int64_t *seeds)
{
    size_t count = grid->seed_count;
    memcpy(seeds, grid->seeds, count * sizeof *seeds);
    for (size_t e = 0; e < grid->exclusion_count; e++) {
        struct exclusion *exclusion = &grid->exclusions[e];
        if (!exclusion_holds(exclusion, grid, position, settings))
            continue;
        size_t kept = 0;
        for (size_t i = 0; i < count; i++)
            if (!excludes_seed(exclusion, seeds[i]))
                seeds[kept++] = seeds[i];
        count = kept;
    }
    return count;
}
