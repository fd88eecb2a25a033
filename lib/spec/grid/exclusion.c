/* exclude: which points, or seeds of points, are dropped from a grid. */
#include "spec/grid/exclusion.h"

#include "spec/grid/condition.h"
#include "spec/grid/grid.h"
#include "spec/grid/part.h"
#include "spec/grid/pick.h"
#include "spec/grid/rename.h"
#include "spec/grid/seeds.h"
#include "spec/read/complaint.h"
#include "spec/read/content.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"

#include <stdint.h>
#include <string.h>

static void read_seeds(struct reader *reader, const struct pl_study_grid *grid, struct exclusion *exclusion,
                       struct node *value)
{
    size_t count;
    struct node **items = pl_node_list(&value, &count);
    exclusion->seeds = pl_pool_new(reader->pool, count, sizeof *exclusion->seeds);
    for (size_t i = 0; i < count; i++) {
        int64_t seed;
        if (items[i]->kind == NODE_SCALAR && pl_integer_read(items[i]->text, &seed) &&
            pl_seed_among(seed, grid->sorted_seeds, grid->seed_count))
            exclusion->seeds[exclusion->seed_count++] = seed;
        else if (!reader->scale) /* which may have other seeds */
            pl_complain(&reader->complaints, items[i], "exclude: this is not a seed of the study");
    }
    pl_seeds_sort(exclusion->seeds, exclusion->seed_count);
}

/* Finds where the conditions stand in the settings of each variant. */
static void locate(struct reader *reader, const struct pl_study_grid *grid, struct exclusion *exclusion)
{
    exclusion->entries = pl_pool_new(reader->pool, grid->variant_count, sizeof *exclusion->entries);
    for (size_t p = 0; p < grid->part_count; p++) {
        const struct part *part = &grid->parts[p];
        if (exclusion->part != SIZE_MAX && exclusion->part != p)
            continue;
        for (size_t v = 0; v < part->variant_count; v++) {
            if (!part->variants[v].good || !pl_reader_works(reader, exclusion->at, exclusion->count + 1))
                continue;
            size_t *entries = pl_pool_new(reader->pool, exclusion->count, sizeof *entries);
            bool all = true;
            for (size_t i = 0; i < exclusion->count; i++) {
                entries[i] = pl_variant_entry(&part->variants[v], exclusion->conditions[i].key);
                all = all && entries[i] != SIZE_MAX;
            }
            if (all)
                exclusion->entries[part->first_variant + v] = entries;
        }
    }
}

/* A value that is known only when another study has finished cannot decide what is run. */
static bool is_picked(struct reader *reader, const struct pl_study_grid *grid, const struct node *at, const char *key)
{
    for (size_t p = 0; p < grid->part_count; p++)
        for (size_t f = 0; f < grid->parts[p].field_count; f++) {
            const struct field *field = &grid->parts[p].fields[f];
            if (strcmp(field->key, key) || !pl_is_pick(pl_field_value(field, 0)))
                continue;
            pl_complain(&reader->complaints, at, "exclude: %s is taken from another study and not known beforehand",
                        key);
            return true;
        }
    return false;
}

static void read_exclusion(struct reader *reader, struct pl_study_grid *grid, struct node *written, size_t part,
                           bool shared)
{
    const struct node *map = pl_scale_conditions(reader, written, false);
    struct exclusion *exclusion = &grid->exclusions[grid->exclusion_count];
    *exclusion = (struct exclusion){.at = map, .part = part, .shared = shared};
    if (map->kind != NODE_MAP || !map->count) {
        pl_complain(&reader->complaints, map,
                    "exclude: each item must be a mapping, such as {lambda: 0.5, seed: [2, 3]}");
        return;
    }
    exclusion->conditions = pl_pool_new(reader->pool, map->count, sizeof *exclusion->conditions);
    bool good = true;
    for (size_t i = 0; i < map->count; i++) {
        struct node *key = map->items[2 * i], *value = map->items[2 * i + 1];
        bool seeds = !strcmp(key->text, "seed") || !strcmp(key->text, "seeds");
        if (seeds && exclusion->seeds)
            pl_complain(&reader->complaints, key, "exclude: seed is already given");
        else if (seeds)
            read_seeds(reader, grid, exclusion, value);
        else
            good = pl_condition_read(reader, grid, part, false, "exclude", key, value,
                                     &exclusion->conditions[exclusion->count++]) &&
                   good && !is_picked(reader, grid, key, exclusion->conditions[exclusion->count - 1].key);
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
        pl_complain(&reader->complaints, list,
                    "exclude must be a list of mappings, such as [{lambda: 0.5, beta: 1e4}]");
        return;
    }
    for (size_t i = 0; i < list->count && pl_reader_works(reader, list->items[i], list->items[i]->size); i++)
        read_exclusion(reader, grid, list->items[i], part, shared);
}

void pl_exclusions_read(struct reader *reader, const struct content *defaults, const struct content *study,
                        struct pl_study_grid *grid)
{
    const struct node *own = study->exclude, *shared = own || !defaults ? NULL : defaults->exclude;
    size_t most = (own ? own->count : 0) + (shared ? shared->count : 0);
    for (size_t p = 0; p < grid->part_count; p++)
        if (grid->parts[p].content && grid->parts[p].content->exclude)
            most += grid->parts[p].content->exclude->count;
    grid->exclusions = pl_pool_new(reader->pool, most, sizeof *grid->exclusions);
    if (own)
        read_list(reader, grid, own, SIZE_MAX, false);
    if (shared)
        read_list(reader, grid, shared, SIZE_MAX, true);
    for (size_t p = 0; p < grid->part_count; p++)
        if (grid->parts[p].content && grid->parts[p].content->exclude)
            read_list(reader, grid, grid->parts[p].content->exclude, p, false);
}

bool pl_exclusion_holds(const struct exclusion *exclusion, const struct pl_study_grid *grid,
                        const struct position *position, const struct pl_settings *settings)
{
    const size_t *entries = exclusion->entries[grid->parts[position->part].first_variant + position->variant];
    if (!entries)
        return false;
    for (size_t i = 0; i < exclusion->count; i++)
        if (!pl_condition_holds(&exclusion->conditions[i], &settings->entries[entries[i]].value))
            return false;
    return true;
}

size_t pl_exclusions_filter(const struct pl_study_grid *grid, const struct position *position,
                            const struct pl_settings *settings, int64_t *seeds)
{
    size_t count = grid->seed_count;
    memcpy(seeds, grid->seeds, count * sizeof *seeds);
    for (size_t e = 0; e < grid->exclusion_count; e++) {
        struct exclusion *exclusion = &grid->exclusions[e];
        if (!pl_exclusion_holds(exclusion, grid, position, settings))
            continue;
        size_t kept = 0;
        for (size_t i = 0; i < count; i++)
            if (exclusion->seeds && !pl_seed_among(seeds[i], exclusion->seeds, exclusion->seed_count))
                seeds[kept++] = seeds[i];
        count = kept;
    }
    return count;
}
