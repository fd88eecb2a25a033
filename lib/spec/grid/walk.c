/* Walks: one configuration after another, the last dimension fastest. The settings of a variant are made
 * once; a step only replaces the values that vary. */
#include "spec/grid/walk.h"

#include "spec/grid/exclusion.h"
#include "spec/grid/grid.h"
#include "spec/grid/hash.h"
#include "spec/grid/part.h"
#include "spec/grid/range.h"
#include "base/expression.h"
#include "spec/read/value.h"
#include "spec/spec.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pl_walk *pl_walk_over(const struct pl_study_grid *grid)
{
    struct pl_walk *walk = pl_new(sizeof *walk);
    size_t most = 0;
    for (size_t i = 0; i < grid->part_count; i++)
        most = grid->parts[i].dimension_count > most ? grid->parts[i].dimension_count : most;
    walk->grid = grid;
    walk->position.at = pl_new((most + 1) * sizeof *walk->position.at);
    walk->ready = pl_new((grid->variant_count + 1) * sizeof *walk->ready);
    walk->seeds = pl_new((grid->seed_count + 1) * sizeof *walk->seeds);
    walk->draws = pl_new((grid->part_count + 1) * sizeof *walk->draws);
    return walk;
}

struct pl_walk *pl_walk_new(const struct pl_study *study)
{
    return pl_walk_over(study->grid);
}

void pl_walk_with_repeats(struct pl_walk *walk)
{
    walk->repeats = true;
}

static const struct part *part_of(const struct pl_walk *walk)
{
    return &walk->grid->parts[walk->position.part];
}

static void find_variant(struct pl_walk *walk)
{
    const struct part *part = part_of(walk);
    walk->position.variant = 0;
    for (size_t d = 0; d < part->dimension_count; d++)
        if (part->dimensions[d].choice)
            walk->position.variant += walk->position.at[d] * part->dimensions[d].stride;
}

bool pl_walk_step(struct pl_walk *walk)
{
    struct position *p = &walk->position;
    if (!walk->started) {
        walk->started = true;
        if (!walk->grid->points)
            return false;
        find_variant(walk);
        return true;
    }
    p->point++;
    if (p->point >= walk->grid->points)
        return false;
    const struct part *part = part_of(walk);
    size_t d = part->dimension_count;
    bool chosen = false;
    while (d > 0 && ++p->at[d - 1] == part->dimensions[d - 1].count) {
        chosen = chosen || part->dimensions[d - 1].choice;
        p->at[--d] = 0;
    }
    if (!d) {
        p->part++;
        chosen = true;
    } else {
        chosen = chosen || part->dimensions[d - 1].choice;
    }
    if (chosen)
        find_variant(walk);
    return true;
}

void pl_walk_go(struct pl_walk *walk, size_t part, const size_t *at)
{
    walk->started = true;
    walk->position.part = part;
    walk->position.point = walk->grid->parts[part].first;
    memcpy(walk->position.at, at, walk->grid->parts[part].dimension_count * sizeof *at);
    find_variant(walk);
}

static double number_of(const struct pl_value *value)
{
    return value->type == PL_REAL ? value->real : value->type == PL_INTEGER ? (double)value->integer : 0;
}

static struct ready *make_ready(const struct part *part, const struct variant *variant)
{
    struct ready *ready = pl_new(sizeof *ready);
    size_t count = variant->settings.count;
    ready->settings.entries = pl_new((count + 1) * sizeof *ready->settings.entries);
    ready->settings.count = ready->settings.capacity = count;
    if (count)
        memcpy(ready->settings.entries, variant->settings.entries, count * sizeof *ready->settings.entries);
    if (!variant->order_count)
        return ready;
    ready->variables = pl_new(count * sizeof *ready->variables);
    for (size_t i = 0; i < count; i++)
        ready->variables[i] = number_of(&variant->settings.entries[i].value);
    ready->expressions = pl_new(part->field_count * sizeof *ready->expressions);
    return ready;
}

static void free_ready(struct ready *ready, const struct part *part, const struct variant *variant)
{
    if (!ready)
        return;
    for (size_t f = 0; ready->expressions && f < part->field_count; f++) {
        size_t count = variant->slots[f].single ? 1 : part->fields[f].count;
        for (size_t i = 0; ready->expressions[f] && i < count; i++)
            pl_expression_free(ready->expressions[f][i]);
        free(ready->expressions[f]);
    }
    free(ready->expressions);
    free(ready->variables);
    pl_settings_release(&ready->settings);
    free(ready);
}

struct lookup {
    const struct variant *variant;
    struct ready *ready;
};

static double *variable(void *self, const char *name)
{
    struct lookup *lookup = self;
    return &lookup->ready->variables[pl_variant_entry(lookup->variant, name)];
}

static struct expression *expression_at(const struct pl_walk *walk, const struct variant *variant, struct ready *ready,
                                        size_t f, size_t position)
{
    const struct slot *slot = &variant->slots[f];
    const struct field *field = &part_of(walk)->fields[f];
    if (!ready->expressions[f])
        ready->expressions[f] = pl_new((slot->single ? 1 : field->count) * sizeof **ready->expressions);
    struct expression **place = &ready->expressions[f][position];
    if (!*place) {
        struct lookup lookup = {variant, ready};
        struct pl_text why = {0};
        *place = pl_expression_new(slot->cells[position].expression, variable, &lookup, &why); /* compiled before */
        pl_text_release(&why);
    }
    return *place;
}

/* Makes a result the value that its descriptor wants. Ranges are intervals: what lies between two legal
 * results needs no second look. */
static int fit(struct pl_walk *walk, struct slot *slot, double result, struct pl_value *value)
{
    *value = (struct pl_value){PL_REAL, {.real = result}};
    bool whole = slot->setting && slot->setting->type == PL_INTEGER;
    if (result >= slot->low && result <= slot->high && (!whole || result == floor(result))) {
        if (whole)
            *value = (struct pl_value){PL_INTEGER, {.integer = (int64_t)result}};
        value->silent = slot->setting && pl_setting_is_silent(slot->setting, value);
        return 0;
    }
    if (isnan(result))
        return pl_fail(&walk->error, PL_EINPUT, "the result is not a number");
    if (!slot->setting)
        return 0;
    if (pl_setting_check(slot->setting, value, &walk->error))
        return PL_EINPUT;
    return 0;
}

/* Asks what a pick has become. What is computed or picked may hold the value of another point and is left out. */
static int take(struct pl_walk *walk, const struct variant *variant, const struct slot *slot,
                const struct pl_settings *settings, const struct pl_pick *pick, struct pl_value *value)
{
    struct pl_settings known = {0};
    pl_settings_copy(&known, settings);
    for (size_t i = 0; i < variant->order_count; i++)
        pl_settings_remove(&known, settings->entries[variant->slots[variant->order[i]].entry].key);
    int status = walk->grid->pick_value(walk->grid->pick_self, pick, &known, value, &walk->error);
    bool number = slot->setting && (slot->setting->type == PL_REAL || slot->setting->type == PL_INTEGER);
    if (!status && number && value->type == PL_STRING && !strcmp(value->string, "inf"))
        *value = (struct pl_value){PL_REAL, {.real = INFINITY}}; /* as canonical settings spell it */
    if (!status && slot->setting)
        status = pl_setting_check(slot->setting, value, &walk->error);
    pl_settings_release(&known);
    return status;
}

static size_t position_in(const struct pl_walk *walk, const struct field *field, const struct slot *slot)
{
    return slot->single ? 0 : walk->position.at[field->dimension];
}

static struct pl_value draw(struct pl_walk *walk, const struct field *field, const struct pl_prior *range)
{
    struct draws **draws = &walk->draws[walk->position.part];
    if (!*draws)
        *draws = pl_draws_new(&walk->grid->search, part_of(walk));
    return pl_range_value(range, pl_draws_at(*draws, field, walk->position.at[field->dimension]));
}

const struct pl_settings *pl_walk_settings(struct pl_walk *walk)
{
    const struct part *part = part_of(walk);
    walk->bad_field = SIZE_MAX;
    walk->waits = false;
    if (!part->variant_count || !part->variants[walk->position.variant].good)
        return NULL;
    struct variant *variant = &part->variants[walk->position.variant];
    struct ready **place = &walk->ready[part->first_variant + walk->position.variant];
    if (!*place)
        *place = make_ready(part, variant);
    struct ready *ready = *place;
    struct pl_entry *entries = ready->settings.entries;
    for (size_t f = 0; f < part->field_count; f++) {
        const struct slot *slot = &variant->slots[f];
        if (!slot->cells)
            continue;
        const struct cell *cell = &slot->cells[position_in(walk, &part->fields[f], slot)];
        if (!pl_cell_is_constant(cell))
            continue;
        entries[slot->entry].value = cell->value;
        if (ready->variables)
            ready->variables[slot->entry] = number_of(&cell->value);
    }
    for (size_t i = 0; i < variant->order_count; i++) {
        size_t f = variant->order[i];
        struct slot *slot = &variant->slots[f];
        size_t position = position_in(walk, &part->fields[f], slot);
        const struct cell *cell = &slot->cells[position];
        struct pl_value *value = &entries[slot->entry].value;
        walk->waits = walk->waits || (cell->pick && !walk->grid->pick_value);
        if (cell->range) {
            *value = draw(walk, &part->fields[f], cell->range);
            value->silent = slot->setting && pl_setting_is_silent(slot->setting, value);
            ready->variables[slot->entry] = number_of(value);
            continue;
        }
        if (pl_cell_is_constant(cell) || walk->waits)
            continue;
        if (cell->pick
                ? take(walk, variant, slot, &ready->settings, &cell->pick->pick, value)
                : fit(walk, slot, pl_expression_value(expression_at(walk, variant, ready, f, position)), value)) {
            walk->bad_field = f;
            return NULL;
        }
        ready->variables[slot->entry] = number_of(&entries[slot->entry].value);
    }
    return &ready->settings;
}

void pl_walk_hash(const struct pl_walk *walk, uint64_t hash[2])
{
    const struct part *part = part_of(walk);
    const struct variant *variant = &part->variants[walk->position.variant];
    const struct ready *ready = walk->ready[part->first_variant + walk->position.variant];
    hash[0] = variant->hash[0];
    hash[1] = variant->hash[1];
    for (size_t f = 0; f < part->field_count; f++) {
        const struct slot *slot = &variant->slots[f];
        if (!slot->cells)
            continue;
        size_t position = position_in(walk, &part->fields[f], slot);
        uint64_t own[2] = {slot->hashes[position][0], slot->hashes[position][1]};
        const struct cell *cell = &slot->cells[position];
        struct pl_value text = {PL_STRING, {.string = cell->expression}};
        if (walk->waits && cell->expression)
            pl_value_hash(part->fields[f].key, &text, own);
        else if (!walk->waits && !pl_cell_is_constant(cell))
            pl_value_hash(part->fields[f].key, &ready->settings.entries[slot->entry].value, own);
        hash[0] += own[0];
        hash[1] += own[1];
    }
}

int pl_walk_next(struct pl_walk *walk, const struct pl_settings **settings, const int64_t **seeds, size_t *seed_count)
{
    const struct pl_study_grid *grid = walk->grid;
    while (!walk->ended) {
        if (!pl_walk_step(walk)) {
            walk->ended = true;
            break;
        }
        uint64_t point = walk->position.point;
        bool again = grid->again && grid->again[point / 8] >> point % 8 & 1;
        if (grid->skip && grid->skip[point / 8] >> point % 8 & 1 && !(walk->repeats && again))
            continue;
        *settings = pl_walk_settings(walk);
        if (!*settings) {
            walk->ended = true; /* only a study that was refused has such a point */
            break;
        }
        *seeds = grid->seeds;
        *seed_count = grid->seed_count;
        if (grid->seed_exclusions) {
            *seed_count = pl_exclusions_filter(grid, &walk->position, *settings, walk->seeds);
            *seeds = walk->seeds;
        }
        return 0;
    }
    return 1;
}

void pl_walk_free(struct pl_walk *walk)
{
    if (!walk)
        return;
    size_t index = 0;
    for (size_t i = 0; i < walk->grid->part_count; i++) {
        const struct part *part = &walk->grid->parts[i];
        for (size_t k = 0; k < part->variant_count; k++)
            free_ready(walk->ready[index++], part, &part->variants[k]);
    }
    for (size_t i = 0; i < walk->grid->part_count; i++)
        pl_draws_free(walk->draws[i]);
    free(walk->draws);
    free(walk->ready);
    free(walk->position.at);
    free(walk->seeds);
    free(walk);
}
