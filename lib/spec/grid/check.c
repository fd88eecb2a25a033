/* What can only be seen by visiting points: results of expressions, settings that do not go together,
 * exclusions, and points that two cases share. Grids without any of these are not walked when they are
 * large; pl_train_check then sees every pair of values of any two dimensions. */
#include "spec/grid/check.h"

#include "spec/grid/exclusion.h"
#include "spec/grid/grid.h"
#include "spec/grid/part.h"
#include "spec/grid/walk.h"
#include "spec/read/complaint.h"
#include "base/expression.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"
#include "spec/spec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_FAULTS = 100,
    MOST_COMPARED = 2000000000, /* values that exclude compares */
    MOST_WALKED = 10000000,     /* configurations that are visited one by one */
};

/* An open-addressed set of 128-bit hashes. */
struct seen {
    uint64_t (*slots)[2];
    size_t size; /* a power of two */
};

struct check {
    struct reader *reader;
    struct pl_study *study;
    struct pl_study_grid *grid;
    struct pl_walk *walk;
    const struct node *at;
    struct seen seen;
    size_t faults;
    size_t paired;   /* points that check_pairs has visited */
    char last[1000]; /* the last sentence of pl_train_check: neighbours mostly fail alike */
};

/* Adds a hash; true if it was there. */
static bool seen_before(struct seen *seen, const uint64_t hash[2])
{
    uint64_t wanted[2] = {hash[0], hash[1] | (hash[0] == 0)}; /* {0, 0} marks a free slot */
    for (size_t i = wanted[0] & (seen->size - 1);; i = (i + 1) & (seen->size - 1)) {
        if (!memcmp(seen->slots[i], wanted, sizeof wanted))
            return true;
        if (!seen->slots[i][0] && !seen->slots[i][1]) {
            memcpy(seen->slots[i], wanted, sizeof wanted);
            return false;
        }
    }
}

static const struct part *part_at(const struct check *check)
{
    return &check->grid->parts[check->walk->position.part];
}

static const struct cell *cells_at(const struct check *check, size_t field)
{
    return part_at(check)->variants[check->walk->position.variant].slots[field].cells;
}

/* The cell that a field has at the walk's position. */
static struct cell *cell_at(const struct check *check, size_t field)
{
    const struct part *part = part_at(check);
    const struct slot *slot = &part->variants[check->walk->position.variant].slots[field];
    return &slot->cells[slot->single ? 0 : check->walk->position.at[part->fields[field].dimension]];
}

/* An expression has no legal result here. Said once for each expression, with the values it had. */
static void complain_expression(struct check *check)
{
    const struct pl_walk *walk = check->walk;
    const struct part *part = part_at(check);
    struct cell *cell = cell_at(check, walk->bad_field);
    if (cell->value.type == PL_BOOLEAN)
        return; /* marked below */
    cell->value = (struct pl_value){PL_BOOLEAN, {.boolean = true}};
    const struct variant *variant = &part->variants[walk->position.variant];
    const struct ready *ready = walk->ready[part->first_variant + walk->position.variant];
    struct expression_names names;
    struct pl_text text = {0}, why = {0};
    if (cell->pick) {
        pl_complain(&check->reader->complaints, cell->at, "%s: %s", cell->pick->pick.key, walk->error.text);
        return;
    }
    pl_text_addf(&text, "%s from \"%.100s\": %s", part->fields[walk->bad_field].key, cell->expression,
                 walk->error.text);
    pl_expression_scan(cell->expression, &names, &why);
    for (size_t i = 0; i < names.count; i++) {
        pl_text_addf(&text, "%s%s = ", i ? ", " : " (with ", names.names[i]);
        pl_text_add_number(&text, ready->variables[pl_variant_entry(variant, names.names[i])]);
    }
    pl_text_add(&text, names.count ? ")" : "");
    pl_complain(&check->reader->complaints, cell->at, "%s", pl_text(&text));
    pl_text_release(&text);
    pl_text_release(&why);
}

/* The field that a sentence of pl_train_check is about: the first key that it names. */
static const struct node *subject(const struct check *check, const char *sentence)
{
    const struct part *part = part_at(check);
    const char *first = NULL;
    const struct node *at = check->at;
    for (size_t f = 0; f < part->field_count; f++) {
        const char *key = part->fields[f].key, *found = sentence;
        size_t length = strlen(key);
        while ((found = strstr(found, key))) {
            bool word = (found == sentence || strchr(" \"(", found[-1])) && strchr(" ,.;:\")(=", found[length]);
            if (word)
                break;
            found += length;
        }
        if (found && (!first || found < first) && cells_at(check, f)) {
            first = found;
            at = cell_at(check, f)->at;
        }
    }
    return at;
}

static void check_settings(struct check *check, const struct pl_settings *settings)
{
    struct pl_error err = {0, ""};
    if (check->faults >= MOST_FAULTS || !pl_train_check(settings, &err))
        return;
    if (!strcmp(err.text, check->last))
        return;
    check->faults++;
    memcpy(check->last, err.text, sizeof check->last);
    pl_complain(&check->reader->complaints, subject(check, err.text), "%s", err.text);
}

/* Results that were found legal make a range that need not be checked again. */
static void widen(const struct check *check, const struct pl_settings *settings)
{
    const struct part *part = part_at(check);
    const struct variant *variant = &part->variants[check->walk->position.variant];
    for (size_t i = 0; i < variant->order_count; i++) {
        struct slot *slot = &variant->slots[variant->order[i]];
        const struct pl_value *value = &settings->entries[slot->entry].value;
        double number = value->type == PL_INTEGER ? (double)value->integer : value->real;
        if (!cell_at(check, variant->order[i])->expression || !slot->setting)
            continue;
        slot->low = number < slot->low ? number : slot->low;
        slot->high = number > slot->high ? number : slot->high;
    }
}

static void mark_point(const struct check *check, unsigned char **bits)
{
    uint64_t point = check->walk->position.point;
    if (!*bits)
        *bits = pl_new(check->grid->points / 8 + 1);
    (*bits)[point / 8] |= (unsigned char)(1u << point % 8);
}

/* Applies exclusions; returns the seeds that remain. */
static size_t remaining_seeds(struct check *check, const struct pl_settings *settings)
{
    struct pl_study_grid *grid = check->grid;
    bool any = false;
    for (size_t e = 0; e < grid->exclusion_count; e++)
        if (pl_exclusion_holds(&grid->exclusions[e], grid, &check->walk->position, settings))
            any = grid->exclusions[e].used = true;
    return any ? pl_exclusions_filter(grid, &check->walk->position, settings, check->walk->seeds) : grid->seed_count;
}

static void check_point(struct check *check, bool train)
{
    uint64_t hash[2];
    const struct pl_settings *settings = pl_walk_settings(check->walk);
    if (!settings) {
        if (check->walk->bad_field != SIZE_MAX)
            complain_expression(check);
        return;
    }
    bool known = !check->walk->waits;
    check->study->waiting = check->study->waiting || !known;
    if (known)
        widen(check, settings);
    size_t seeds = remaining_seeds(check, settings);
    bool repeated = false;
    if (seeds && check->seen.slots) {
        pl_walk_hash(check->walk, hash);
        repeated = seen_before(&check->seen, hash);
    }
    if (repeated)
        mark_point(check, &check->grid->again);
    if (!seeds || repeated) {
        mark_point(check, &check->grid->skip);
        return;
    }
    check->study->configs++;
    check->study->runs += seeds;
    if (train && known)
        check_settings(check, settings);
}

static void check_all(struct check *check, bool train)
{
    while (pl_walk_step(check->walk))
        check_point(check, train);
}

/* Every pair of positions of two dimensions, the others at their first. */
static void check_pairs(struct check *check, size_t part_index)
{
    const struct part *part = &check->grid->parts[part_index];
    size_t *at = pl_new((part->dimension_count + 1) * sizeof *at);
    for (size_t a = 0; a < part->dimension_count; a++)
        for (size_t b = a + 1; b < part->dimension_count || (b == 1 && part->dimension_count == 1); b++) {
            size_t second = b < part->dimension_count ? part->dimensions[b].count : 1;
            for (size_t i = 0; i < part->dimensions[a].count * second && check->paired < MOST_CHECKED; i++) {
                at[a] = i / second;
                if (b < part->dimension_count)
                    at[b] = i % second;
                check->paired++;
                pl_walk_go(check->walk, part_index, at);
                const struct pl_settings *settings = pl_walk_settings(check->walk);
                if (settings && !check->walk->waits)
                    check_settings(check, settings);
            }
            at[a] = 0;
            if (b < part->dimension_count)
                at[b] = 0;
        }
    free(at);
}

static void complain_unused(struct check *check)
{
    for (size_t e = 0; e < check->grid->exclusion_count; e++)
        if (!check->grid->exclusions[e].used && !check->grid->exclusions[e].shared && !check->reader->scale)
            pl_complain(&check->reader->complaints, check->grid->exclusions[e].at,
                        "exclude: no run of the study matches this");
}

/* What exclude costs: values and seeds that are compared. */
static bool affordable(const struct pl_study_grid *grid)
{
    double compared = 0;
    for (size_t e = 0; e < grid->exclusion_count; e++) {
        const struct exclusion *exclusion = &grid->exclusions[e];
        compared += exclusion->seeds ? (double)grid->seed_count + 1 : 1;
        for (size_t i = 0; i < exclusion->count; i++)
            compared += (double)exclusion->conditions[i].count;
    }
    return compared * (double)grid->points <= MOST_COMPARED;
}

static bool must_walk(const struct pl_study_grid *grid)
{
    bool walk = grid->exclusion_count || grid->part_count > 1;
    for (size_t p = 0; p < grid->part_count; p++)
        walk = walk || grid->parts[p].computed || grid->parts[p].may_repeat;
    return walk;
}

static bool may_repeat(const struct pl_study_grid *grid)
{
    return grid->part_count > 1 || (grid->part_count && grid->parts[0].may_repeat);
}

static void make_seen(struct check *check)
{
    check->seen.size = 64;
    while (check->seen.size < 2 * check->grid->points)
        check->seen.size *= 2;
    check->seen.slots = pl_new(check->seen.size * sizeof *check->seen.slots);
}

void pl_grid_check(struct reader *reader, struct pl_study *study, const struct node *at)
{
    struct pl_study_grid *grid = study->grid;
    grid->at = at;
    struct check check = {.reader = reader, .study = study, .grid = grid, .at = at};
    if (!grid->points || reader->tired)
        return; /* refused before */
    bool all = must_walk(grid), train = grid->points <= MOST_CHECKED;
    if (all && grid->points > MOST_WALKED) {
        pl_complain(&reader->complaints, at,
                    "the grid has %llu configurations; with cases, exclude or expressions at most %d are supported",
                    (unsigned long long)grid->points, MOST_WALKED);
        return;
    }
    if (!affordable(grid)) {
        pl_complain(&reader->complaints, grid->exclusions->at,
                    "exclude is too long for a grid of %llu configurations and %zu seeds",
                    (unsigned long long)grid->points, grid->seed_count);
        return;
    }
    size_t before = pl_complaint_count(&reader->complaints);
    check.walk = pl_walk_over(grid);
    if (may_repeat(grid))
        make_seen(&check);
    if (all || train) {
        check_all(&check, train);
    } else {
        study->configs = grid->points;
        study->runs = grid->points * grid->seed_count;
    }
    for (size_t p = 0; p < grid->part_count && !train; p++)
        check_pairs(&check, p);
    if (pl_complaint_count(&reader->complaints) == before && !study->waiting)
        complain_unused(&check);
    if (pl_complaint_count(&reader->complaints) == 0 && !study->runs)
        pl_complain(&reader->complaints, at, "no run is left: exclude drops them all");
    pl_walk_free(check.walk);
    free(check.seen.slots);
}
