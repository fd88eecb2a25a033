/* Variants of a grid: for each combination of choices (problem, optimizer, ...) the schema says what every
 * other setting may be, so only here values get their types. */
#include "spec/grid/variant.h"

#include "spec/grid/choose.h"
#include "spec/grid/distinct.h"
#include "spec/grid/formulas.h"
#include "spec/grid/hash.h"
#include "spec/grid/order.h"
#include "spec/grid/part.h"
#include "spec/grid/pick.h"
#include "spec/grid/range.h"
#include "spec/grid/scale.h"
#include "spec/read/complaint.h"
#include "spec/read/content.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WORK_OF_A_VARIANT = 300 }; /* its settings and defaults, in values */

static const char *task_name(const struct pl_settings *settings)
{
    struct pl_candidates keys = {0};
    const char *name = NULL;
    pl_train_keys_of(PL_SAYS_TASK | PL_NAMES, &keys);
    for (size_t i = 0; i < keys.count && !name; i++)
        if (pl_settings_find(settings, keys.names[i]))
            name = pl_settings_string(settings, keys.names[i], "?");
    pl_candidates_release(&keys);
    return name ? name : "command";
}

/* Says which optimizer or task has no such setting, who has, and what is legal. */
static void complain_unknown(struct reader *reader, const struct variant *variant, const struct assignment *a)
{
    const struct pl_schema *schema = &variant->schema;
    struct pl_text text = {0};
    struct pl_candidates legal = {0};
    size_t others = 0;
    for (size_t p = 0; p < schema->count; p++)
        for (size_t i = 0; schema->parts[p].section == a->section && i < schema->parts[p].count; i++)
            pl_candidates_add(&legal, schema->parts[p].settings[i].key);
    const char *optimizer = pl_settings_string(&variant->settings, "optimizer", NULL);
    if (a->section == PL_SECTION_OPTIMIZER && optimizer)
        pl_text_addf(&text, "optimizer %.60s has no setting %.60s", optimizer, a->spelling);
    else if (a->section == PL_SECTION_SETTINGS)
        pl_text_addf(&text, "the section settings is for command tasks; %.60s has no setting %.60s",
                     task_name(&variant->settings), a->spelling);
    else
        pl_text_addf(&text, "%s %.60s has no setting %.60s",
                     a->section == PL_SECTION_TASK       ? "task"
                     : a->section == PL_SECTION_SCHEDULE ? "the schedule of"
                                                         : "the optimizer of",
                     task_name(&variant->settings), a->spelling);
    for (size_t i = 0; a->setting && i < reader->sources->count && others < 6; i++)
        if (pl_setting_find(reader->sources->items[i].part.settings, reader->sources->items[i].part.count, a->spelling))
            pl_text_addf(&text, "%s%s", others++ ? ", " : " (as have ", reader->sources->items[i].owner);
    pl_text_add(&text, others ? ")" : "");
    pl_hint(&text, a->spelling, legal.names, legal.count);
    pl_complain(&reader->complaints, a->key_node, "%s", pl_text(&text));
    pl_text_release(&text);
    pl_candidates_release(&legal);
}

/* Finds the descriptor of a field in the schema; false after a complaint. A free setting has none. */
static bool find_setting(struct reader *reader, const struct variant *variant, const struct field *field,
                         const struct pl_setting **setting)
{
    const struct assignment *a = field->assignment;
    const struct pl_schema *schema = &variant->schema;
    struct pl_error err;
    enum pl_section section;
    *setting = pl_schema_find(schema, field->key, &section);
    if (*setting && a->parameter && schema->parameters) {
        pl_complain(&reader->complaints, a->key_node,
                    "%s cannot be a parameter: the optimizer has that setting already", a->spelling);
        return false;
    }
    if (*setting && section == a->section)
        return true;
    if (*setting) {
        pl_complain(&reader->complaints, a->key_node, "%s belongs in %s: {...}, not in %s: {...}", a->spelling,
                    pl_section_name(section), pl_section_name(a->section));
        return false;
    }
    if (a->parameter && schema->parameters) {
        struct pl_setting *own = pl_pool_new(reader->pool, 1, sizeof *own);
        *own = (struct pl_setting){.key = field->key, .type = PL_REAL, .help = "a number that formulas use"};
        *setting = own;
        return true;
    }
    if (a->section != PL_SECTION_SETTINGS || !schema->free_settings) {
        complain_unknown(reader, variant, a);
        return false;
    }
    if (!pl_train_check_free_key(field->key, &err))
        return true;
    pl_complain(&reader->complaints, a->key_node, "%s", err.text);
    return false;
}

static bool has_setting(const struct pl_schema *schema, const struct field *field)
{
    if (field->assignment->section == PL_SECTION_SETTINGS)
        return schema->free_settings;
    if (field->assignment->parameter)
        return schema->parameters;
    return pl_schema_find(schema, field->key, NULL);
}

/* A value for the time being, of the type that the field has here. */
static struct pl_value placeholder(const struct slot *slot)
{
    struct pl_value value = {PL_REAL, {.real = 1}};
    struct pl_error err;
    if (pl_cell_is_constant(&slot->cells[0]) || slot->cells[0].range)
        return slot->cells[0].value;
    if (slot->cells[0].pick && slot->setting && slot->setting->initial &&
        !pl_setting_read(slot->setting, slot->setting->initial, &value, &err))
        return value;
    if (slot->setting && slot->setting->type == PL_STRING)
        return (struct pl_value){PL_STRING, {.string = ""}};
    if (slot->setting && slot->setting->type == PL_BOOLEAN)
        return (struct pl_value){PL_BOOLEAN, {.boolean = false}};
    return value;
}

/* Reads the values of a field that this variant can take. */
static bool read_slot(struct reader *reader, const struct part *part, size_t index, size_t number)
{
    struct variant *variant = &part->variants[number];
    const struct field *field = &part->fields[index];
    struct slot *slot = &variant->slots[index];
    slot->entry = SIZE_MAX;
    slot->low = INFINITY;
    slot->high = -INFINITY;
    slot->single = field->dimension == NONE || field->drawn || pl_field_is_chosen(part, field);
    size_t first = pl_field_item(part, number, field);
    size_t count = slot->single ? 1 : field->count;
    if (!pl_reader_works(reader, field->assignment->key_node, count))
        return false;
    if (field->optional && (!field->items[first] || !has_setting(&variant->schema, field)))
        return true;
    if (!find_setting(reader, variant, field, &slot->setting))
        return false;
    pl_scale_mark(reader, field->key);
    slot->cells = pl_pool_new(reader->pool, count, sizeof *slot->cells);
    slot->hashes = pl_pool_new(reader->pool, count, sizeof *slot->hashes);
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        struct cell *cell = &slot->cells[i];
        if (!field->items[first + i]) {
            pl_complain(&reader->complaints, field->assignment->key_node,
                        "scale: %s must go with every value of %s or with none", field->key, field->follows);
            slot->cells = NULL;
            return false;
        }
        const struct node *item = field->items[first + i];
        if (!(pl_is_pick(item)    ? pl_pick_read
              : pl_is_range(item) ? pl_range_read
                                  : pl_cell_read)(reader, field->key, slot->setting, item, cell)) {
            /* Something to go on with; no two such values are taken for equal. */
            *cell = (struct cell){.at = item, .value = {PL_REAL, {.real = 1}}};
            slot->hashes[i][0] = i;
            good = false;
            continue;
        }
        slot->computed = slot->computed || !pl_cell_is_constant(cell);
        if (!cell->expression)
            pl_value_hash(field->key, &cell->value, slot->hashes[i]);
    }
    pl_settings_set(&variant->settings, field->key, placeholder(slot));
    return good;
}

/* Fills defaults in and complains of settings that have none and were not given. */
static bool complete(struct reader *reader, const struct part *part, struct variant *variant, const struct node *at)
{
    bool good = true;
    for (size_t p = 0; p < variant->schema.count; p++) {
        const struct pl_schema_part *source = &variant->schema.parts[p];
        pl_settings_fill(&variant->settings, source->settings, source->count);
        for (size_t i = 0; i < source->count; i++) {
            const struct pl_setting *setting = &source->settings[i];
            if (setting->initial || pl_settings_find(&variant->settings, setting->key))
                continue;
            bool given = false; /* but wrongly, which was complained about */
            for (size_t f = 0; f < part->field_count; f++)
                given = given || (!strcmp(part->fields[f].key, setting->key) && !part->fields[f].optional);
            if (!given)
                pl_complain(&reader->complaints, at, "%s %s needs the setting %s in %s: %s (a %s%s%s)",
                            source->section == PL_SECTION_OPTIMIZER ? "optimizer" : "task",
                            source->section == PL_SECTION_OPTIMIZER
                                ? pl_settings_string(&variant->settings, "optimizer", "?")
                                : task_name(&variant->settings),
                            setting->key, pl_section_name(source->section), setting->help, pl_type_name(setting->type),
                            setting->range ? ": " : "", setting->range ? setting->range : "");
            good = false;
        }
    }
    return good;
}

static void finish(struct reader *reader, struct part *part, struct variant *variant)
{
    const struct pl_settings *s = &variant->settings;
    bool *set = pl_new((s->count + 1) * sizeof *set);
    for (size_t f = 0; f < part->field_count; f++) {
        struct slot *slot = &variant->slots[f];
        if (!slot->cells) { /* of an axis that does not act here the points are alike */
            part->may_repeat = part->may_repeat || (part->fields[f].optional && !slot->single);
            continue;
        }
        slot->entry = pl_variant_entry(variant, part->fields[f].key);
        set[slot->entry] = true;
        part->computed = part->computed || slot->computed;
        const struct pl_prior *range = slot->cells[0].range;
        part->may_repeat = part->may_repeat || (slot->computed && !slot->single) || (range && pl_range_repeats(range));
    }
    for (size_t i = 0; i < s->count; i++) {
        uint64_t hash[2];
        if (set[i])
            continue;
        pl_value_hash(s->entries[i].key, &s->entries[i].value, hash);
        variant->hash[0] += hash[0];
        variant->hash[1] += hash[1];
    }
    free(set);
    for (size_t d = 0; d < part->dimension_count; d++)
        if (!part->dimensions[d].choice && !part->dimensions[d].drawn)
            pl_variant_check_distinct(reader, part, variant, (int)d);
    pl_variant_order(reader, part, variant);
}

void pl_part_read_variants(struct reader *reader, struct part *part, const struct node *at)
{
    size_t count = part->variant_count;
    part->variant_count = 0;
    for (size_t f = 0; f < part->field_count; f++)
        if (!part->fields[f].items)
            return;
    if (!pl_reader_works(reader, at, count < MOST_WORK ? count * WORK_OF_A_VARIANT : MOST_WORK))
        return;
    part->variants = pl_pool_new(reader->pool, count, sizeof *part->variants);
    part->variant_count = count;
    for (size_t d = 0; d < part->dimension_count; d++)
        if (part->dimensions[d].choice)
            pl_part_check_choices(reader, part, (int)d);
    if (!pl_part_has_one_task(reader, part))
        return;
    bool known = true;
    for (size_t v = 0; v < count; v++) {
        struct variant *variant = &part->variants[v];
        variant->slots = pl_pool_new(reader->pool, part->field_count, sizeof *variant->slots);
        variant->good = pl_variant_choose(reader, part, v, at);
        if (!variant->good) {
            if (known)
                pl_part_read_loosely(reader, part);
            known = false;
            continue;
        }
        for (size_t f = 0; f < part->field_count; f++)
            variant->good = read_slot(reader, part, f, v) && variant->good;
        variant->good = complete(reader, part, variant, at) && variant->good;
        variant->good = pl_variant_check_formulas(reader, part, variant) && variant->good;
        finish(reader, part, variant);
    }
}
