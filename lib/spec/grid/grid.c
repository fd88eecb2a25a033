/* A study as grids: which settings are fixed, which vary, and which vary together. */
#include "spec/grid/grid.h"

#include "spec/grid/exclusion.h"
#include "spec/grid/part.h"
#include "spec/grid/range.h"
#include "spec/grid/scale.h"
#include "spec/grid/variant.h"
#include "spec/read/complaint.h"
#include "spec/read/content.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 100000000 }; /* of a study */

enum layer { LAYER_DEFAULTS, LAYER_STUDY, LAYER_CASE };
enum { RANKS_OF_A_LAYER = 1000000, RANKS_OF_A_FIELD = 2 };

/* Adds the settings of one layer over those of the layers below it. */
static void add_layer(struct reader *reader, struct part *part, const struct content *content, enum layer layer)
{
    for (size_t i = 0; content && i < content->count; i++) {
        const struct assignment *a = &content->assignments[i];
        size_t rank = ((size_t)layer * RANKS_OF_A_LAYER + i) * RANKS_OF_A_FIELD;
        struct field *field = pl_part_field(part, a->key);
        if (!field) {
            field = &part->fields[part->field_count++];
            *field = (struct field){.key = a->key, .rank = rank};
        } else if (layer == LAYER_STUDY) {
            field->rank = rank; /* what the study writes stands in the study's order */
        }
        field->assignment = a;
        field->choice = a->section != PL_SECTION_SETTINGS && pl_train_is_choice(a->key);
        field->dimension = NONE;
        pl_field_read_items(reader, field);
    }
}

static int by_rank(const void *a, const void *b)
{
    const struct field *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return strcmp(x->key, y->key);
}

/* The field that a name in zip: or exclude: means, or NULL. */
static struct field *field_named(struct reader *reader, struct part *part, const char *name)
{
    const struct pl_setting *setting = pl_reader_find(reader, !strcmp(name, "name") ? "optimizer" : name);
    struct field *field = pl_part_field(part, name);
    return field ? field : setting ? pl_part_field(part, setting->key) : NULL;
}

static void complain_no_axis(struct reader *reader, struct part *part, const struct node *name)
{
    const char **legal = pl_new((part->field_count + 1) * sizeof *legal);
    size_t count = 0;
    for (size_t i = 0; i < part->field_count; i++)
        if (part->fields[i].axis)
            legal[count++] = part->fields[i].key;
    struct pl_text text = {0};
    pl_text_addf(&text, "zip: %.100s has no list of values here", name->text);
    pl_hint(&text, name->text, legal, count);
    pl_complain(&reader->complaints, name, "%s", pl_text(&text));
    pl_text_release(&text);
    free(legal);
}

/* One group of zip: its fields become one dimension. */
static void read_group(struct reader *reader, struct part *part, const struct node *group)
{
    struct field *first = NULL;
    if (group->count < 2)
        pl_complain(&reader->complaints, group, "zip: a group must name at least two settings");
    for (size_t i = 0; i < group->count; i++) {
        const struct node *name = group->items[i];
        if (!pl_node_text(reader, name, "zip: a setting"))
            continue;
        struct field *field = field_named(reader, part, name->text);
        if (field && !field->axis && pl_scale_replaces(reader->scale, field->key))
            continue; /* one value for all: it leaves the group */
        if (!field || !field->axis) {
            complain_no_axis(reader, part, name);
        } else if (field->dimension != NONE) {
            pl_complain(&reader->complaints, name, "zip: %s is already in a group", name->text);
        } else if (first && field->count != first->count) {
            pl_complain(&reader->complaints, name, "zip: %s has %zu values, but %s has %zu; they must be equally many",
                        field->key, field->count, first->key, first->count);
        } else {
            if (!first)
                part->dimensions[part->dimension_count++].count = field->count;
            field->dimension = (int)part->dimension_count - 1;
            first = first ? first : field;
        }
    }
}

static void read_zip(struct reader *reader, struct part *part, const struct node *zip)
{
    if (!zip)
        return;
    if (zip->kind != NODE_LIST || !zip->count) {
        pl_complain(&reader->complaints, zip, "zip must be a list of groups, such as [[lambda, epsilon]]");
        return;
    }
    bool one = zip->items[0]->kind == NODE_SCALAR; /* zip: [lambda, epsilon] */
    if (one) {
        read_group(reader, part, zip);
        return;
    }
    for (size_t i = 0; i < zip->count; i++)
        if (zip->items[i]->kind == NODE_LIST)
            read_group(reader, part, zip->items[i]);
        else
            pl_complain(&reader->complaints, zip->items[i],
                        "zip must be a list of groups, such as [[lambda, epsilon]]");
}

/* Puts dimensions in the order of their first fields and finds how choices number the variants. */
static void order_dimensions(struct part *part)
{
    int *to = pl_new((part->field_count + 1) * sizeof *to);
    struct dimension *ordered = pl_new((part->field_count + 1) * sizeof *ordered);
    int count = 0;
    for (size_t i = 0; i < part->dimension_count; i++)
        to[i] = NONE;
    for (size_t i = 0; i < part->field_count; i++) {
        struct field *field = &part->fields[i];
        if (field->follows) {
            field->dimension = pl_part_field(part, field->follows)->dimension; /* it stands before */
        } else if (field->dimension == NONE && field->axis) {
            ordered[count] = (struct dimension){.count = field->count};
            field->dimension = count++;
        } else if (field->dimension != NONE) {
            int *place = &to[field->dimension];
            if (*place == NONE) {
                ordered[count] = part->dimensions[field->dimension];
                *place = count++;
            }
            field->dimension = *place;
        }
        if (field->choice && field->dimension != NONE)
            ordered[field->dimension].choice = true;
    }
    memcpy(part->dimensions, ordered, (size_t)count * sizeof *ordered);
    part->dimension_count = (size_t)count;
    free(ordered);
    free(to);
}

/* Products that saturate: a grid may be larger than any number here. */
static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static void count_points(struct part *part)
{
    uint64_t points = 1, variants = 1;
    for (size_t i = part->dimension_count; i-- > 0;) {
        struct dimension *dimension = &part->dimensions[i];
        points = times(points, dimension->count);
        if (dimension->choice) {
            dimension->stride = (size_t)variants;
            variants = times(variants, dimension->count);
        }
    }
    part->points = points;
    part->variant_count = (size_t)variants;
}

static void read_part(struct reader *reader, struct part *part, const struct content *defaults,
                      const struct content *study, struct content *own, const struct pl_search *search)
{
    size_t most = (defaults ? defaults->count : 0) + study->count + (own ? own->count : 0) +
                  pl_scale_size(reader->scale);
    part->content = own;
    part->fields = pl_pool_new(reader->pool, most, sizeof *part->fields);
    add_layer(reader, part, defaults, LAYER_DEFAULTS);
    add_layer(reader, part, study, LAYER_STUDY);
    add_layer(reader, part, own, LAYER_CASE);
    pl_scale_apply(reader, part);
    qsort(part->fields, part->field_count, sizeof *part->fields, by_rank);
    part->dimensions = pl_pool_new(reader->pool, most + 1, sizeof *part->dimensions);
    const struct node *zip = own && own->zip ? own->zip : study->zip ? study->zip : defaults ? defaults->zip : NULL;
    read_zip(reader, part, zip);
    order_dimensions(part);
    pl_part_draw(reader, part, search, own ? own->map : study->map);
    count_points(part);
}

static void read_cases(struct reader *reader, const struct content *defaults, const struct content *study,
                       struct node *cases, struct pl_study_grid *grid)
{
    if (cases->kind != NODE_LIST || !cases->count) {
        pl_complain(&reader->complaints, cases, "cases must be a list of mappings, such as [{optimizer: {name: sgd}}]");
        return;
    }
    grid->parts = pl_pool_new(reader->pool, cases->count, sizeof *grid->parts);
    size_t shared = study->count + (defaults ? defaults->count : 0);
    for (size_t i = 0; i < cases->count; i++) {
        struct node *map = cases->items[i];
        if (!pl_reader_works(reader, map, shared + 1))
            return;
        if (map->kind != NODE_MAP) {
            pl_complain(&reader->complaints, map, "a case must be a mapping, such as {optimizer: {name: sgd}}");
            continue;
        }
        struct content *own = pl_pool_new(reader->pool, 1, sizeof *own);
        pl_content_read(reader, map, CONTENT_CASE, own);
        read_part(reader, &grid->parts[grid->part_count++], defaults, study, own, &grid->search);
    }
}

/* Numbers the points and refuses a grid that nobody could run. */
static void number_points(struct reader *reader, const struct content *study, struct pl_study_grid *grid)
{
    bool large = false;
    grid->points = 0;
    for (size_t i = 0; i < grid->part_count; i++) {
        struct part *part = &grid->parts[i];
        part->first = grid->points;
        if (__builtin_add_overflow(grid->points, part->points, &grid->points))
            grid->points = UINT64_MAX;
    }
    large = times(grid->points, grid->seed_count) > MOST_RUNS;
    if (!large)
        return;
    double runs = (double)grid->seed_count, configs = 0;
    for (size_t i = 0; i < grid->part_count; i++) {
        double product = 1;
        for (size_t k = 0; k < grid->parts[i].dimension_count; k++)
            product *= (double)grid->parts[i].dimensions[k].count;
        configs += product;
    }
    pl_complain(&reader->complaints, study->name ? study->name : study->map,
                "the grid has %.9g runs; at most 100000000 are supported", runs * configs);
    grid->points = 0;
}

/* A search of a study in which nothing is drawn is a slip; that of defaults is for others, and a scale may have put a
 * value in the place of a range. */
static void complain_undrawn(struct reader *reader, const struct content *study, const struct pl_study_grid *grid)
{
    bool drawn = !study->search || reader->scale || !grid->search.points || pl_complaint_count(&reader->complaints);
    for (size_t i = 0; i < grid->part_count; i++)
        drawn = drawn || grid->parts[i].drawn_count;
    if (!drawn)
        pl_complain(&reader->complaints, study->search,
                    "search: nothing is drawn here; a range is written like lambda: {log: [1e-4, 1]}");
}

void pl_grid_read(struct reader *reader, const struct content *defaults, const struct content *study,
                  struct pl_study_grid *grid)
{
    pl_search_read(reader, defaults, study, &grid->search);
    struct node *cases = pl_scale_cases(reader->scale);
    cases = cases ? cases : study->cases;
    if (cases) {
        read_cases(reader, defaults, study, cases, grid);
    } else {
        grid->parts = pl_pool_new(reader->pool, 1, sizeof *grid->parts);
        grid->part_count = 1;
        read_part(reader, grid->parts, defaults, study, NULL, &grid->search);
    }
    number_points(reader, study, grid);
    const struct node *at = study->name ? study->name : study->map;
    for (size_t i = 0; i < grid->part_count; i++) {
        struct part *part = &grid->parts[i];
        pl_part_read_variants(reader, part, part->content ? part->content->map : at);
        part->first_variant = grid->variant_count;
        grid->variant_count += part->variant_count;
    }
    complain_undrawn(reader, study, grid);
    pl_exclusions_read(reader, defaults, study, grid);
}

void pl_grid_release(struct pl_study_grid *grid)
{
    for (size_t i = 0; grid && i < grid->part_count; i++)
        for (size_t k = 0; grid->parts[i].variants && k < grid->parts[i].variant_count; k++)
            pl_settings_release(&grid->parts[i].variants[k].settings);
    if (!grid)
        return;
    free(grid->skip);
    free(grid->again);
    free(grid->waiting_skip);
}
