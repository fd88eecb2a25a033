/* Variants of a grid: for each combination of choices (problem, optimizer, ...) the schema says what every
 * other setting may be, so only here values get their types. */
#include "spec_priv.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WORK_OF_A_VARIANT = 300 }; /* its settings and defaults, in values */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u; /* the finaliser of splitmix64 */
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static void mix_in(uint64_t hash[2], uint64_t bits)
{
    hash[0] = mix(hash[0] ^ bits) + 0x9E3779B97F4A7C15u;
    hash[1] = mix(hash[1] + (bits ^ 0xD6E8FEB86659FD93u)) * 3;
}

static void mix_text(uint64_t hash[2], const char *text)
{
    size_t length = strlen(text);
    mix_in(hash, length);
    for (size_t i = 0; i < length; i += 8) {
        uint64_t bits = 0;
        memcpy(&bits, text + i, length - i < 8 ? length - i : 8);
        mix_in(hash, bits);
    }
}

/* What a choice is, as written. */
static void mix_node(const struct node *node, uint64_t hash[2])
{
    if (node->kind == NODE_SCALAR)
        mix_text(hash, node->text);
    for (size_t i = 0; i < (node->kind == NODE_MAP ? 2 * node->count : node->count); i++)
        mix_node(node->items[i], hash);
}

void pl_value_hash(const char *key, const struct pl_value *value, uint64_t hash[2])
{
    hash[0] = hash[1] = 1;
    mix_text(hash, key);
    double real = value->type == PL_INTEGER ? (double)value->integer : value->type == PL_REAL ? value->real : 0;
    if (value->type == PL_STRING) {
        mix_text(hash, value->string);
    } else if (value->type == PL_BOOLEAN) {
        mix_in(hash, value->boolean ? 2 : 1);
    } else if (value->type == PL_INTEGER && (int64_t)real != value->integer) {
        mix_in(hash, (uint64_t)value->integer);
    } else {
        uint64_t bits;
        real = real == 0 ? 0 : real; /* -0 and 0 are one value */
        memcpy(&bits, &real, sizeof bits);
        mix_in(hash, bits);
    }
}

size_t pl_variant_entry(const struct variant *variant, const char *name)
{
    const struct pl_settings *s = &variant->settings;
    for (int alias = 0; alias < 2; alias++) {
        for (size_t i = 0; i < s->count; i++)
            if (!strcmp(s->entries[i].key, name))
                return i;
        for (size_t p = 0; p < variant->schema.count && !alias; p++) {
            const struct pl_schema_part *part = &variant->schema.parts[p];
            const struct pl_setting *setting = pl_setting_find(part->settings, part->count, name);
            if (setting) {
                name = setting->key;
                break;
            }
        }
    }
    return SIZE_MAX;
}

/* The position of a choosing dimension in a variant. */
static size_t chosen_position(const struct part *part, size_t variant, int dimension)
{
    const struct dimension *d = &part->dimensions[dimension];
    return variant / d->stride % d->count;
}

static bool is_chosen(const struct part *part, const struct field *field)
{
    return field->dimension != NONE && part->dimensions[field->dimension].choice;
}

static const char *task_name(const struct pl_settings *settings)
{
    static const char *const keys[] = {"problem", "dataset", "model"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (pl_settings_find(settings, keys[i]))
            return pl_settings_string(settings, keys[i], "?");
    return "command";
}

/* Says which optimizer or task has no such setting, who has, and what is legal. */
static void complain_unknown(struct reader *reader, const struct variant *variant, const struct assignment *a)
{
    const struct pl_schema *schema = &variant->schema;
    struct pl_text text = {0};
    const char *legal[200];
    size_t count = 0, others = 0;
    for (size_t p = 0; p < schema->count; p++)
        for (size_t i = 0; schema->parts[p].section == a->section && i < schema->parts[p].count; i++)
            if (count < sizeof legal / sizeof *legal)
                legal[count++] = schema->parts[p].settings[i].key;
    const char *optimizer = pl_settings_string(&variant->settings, "optimizer", NULL);
    if (a->section == PL_SECTION_OPTIMIZER && optimizer)
        pl_text_addf(&text, "optimizer %.60s has no setting %.60s", optimizer, a->spelling);
    else if (a->section == PL_SECTION_SETTINGS)
        pl_text_addf(&text, "the section settings is for command tasks; %.60s has no setting %.60s",
                     task_name(&variant->settings), a->spelling);
    else
        pl_text_addf(&text, "%s %.60s has no setting %.60s",
                     a->section == PL_SECTION_TASK ? "task" : a->section == PL_SECTION_SCHEDULE ? "the schedule of"
                                                                                                : "the optimizer of",
                     task_name(&variant->settings), a->spelling);
    for (size_t i = 0; a->setting && i < reader->source_count && others < 6; i++)
        if (pl_setting_find(reader->sources[i].part.settings, reader->sources[i].part.count, a->spelling))
            pl_text_addf(&text, "%s%s", others++ ? ", " : " (as have ", reader->sources[i].owner);
    pl_text_add(&text, others ? ")" : "");
    pl_hint(&text, a->spelling, legal, count);
    pl_complain(&reader->complaints, a->key_node, "%s", pl_text(&text));
    pl_text_release(&text);
}

/* A key that no task, optimizer or schedule has. */
static void complain_stranger(struct reader *reader, const struct assignment *a)
{
    const char *legal[400];
    size_t count = 0;
    for (size_t i = 0; i < reader->source_count; i++) {
        const struct pl_schema_part *part = &reader->sources[i].part;
        for (size_t k = 0; part->section == a->section && k < part->count && count < sizeof legal / sizeof *legal; k++)
            legal[count++] = part->settings[k].key;
    }
    const char *nearest = pl_nearest(a->spelling, legal, count);
    pl_complain(&reader->complaints, a->key_node, "there is no setting %.60s in the section %s%s%s%s", a->spelling,
                pl_section_name(a->section), nearest ? "; did you mean " : "", nearest ? nearest : "",
                nearest ? "?" : "");
}

/* Finds the descriptor of a field in the schema; false after a complaint. A free setting has none. */
static bool find_setting(struct reader *reader, const struct variant *variant, const struct field *field,
                         const struct pl_setting **setting)
{
    const struct assignment *a = field->assignment;
    const struct pl_schema *schema = &variant->schema;
    struct pl_error err;
    for (size_t p = 0; p < schema->count; p++) {
        *setting = pl_setting_find(schema->parts[p].settings, schema->parts[p].count, field->key);
        if (!*setting)
            continue;
        if (schema->parts[p].section == a->section)
            return true;
        pl_complain(&reader->complaints, a->key_node, "%s belongs in %s: {...}, not in %s: {...}", a->spelling,
                 pl_section_name(schema->parts[p].section), pl_section_name(a->section));
        return false;
    }
    *setting = NULL;
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
    for (size_t p = 0; p < schema->count; p++)
        if (pl_setting_find(schema->parts[p].settings, schema->parts[p].count, field->key))
            return true;
    return false;
}

/* A value for the time being, of the type that the field has here. */
static struct pl_value placeholder(const struct slot *slot)
{
    struct pl_value value = {PL_REAL, {.real = 1}};
    struct pl_error err;
    if (pl_cell_is_constant(&slot->cells[0]))
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
    slot->single = field->dimension == NONE || is_chosen(part, field);
    size_t first = is_chosen(part, field) ? chosen_position(part, number, field->dimension) : 0;
    size_t count = slot->single ? 1 : field->count;
    if (!pl_reader_works(reader, field->assignment->key_node, count))
        return false;
    if (field->optional && (!field->items[first] || !has_setting(&variant->schema, field)))
        return true;
    if (!find_setting(reader, variant, field, &slot->setting))
        return false;
    pl_scale_mark(reader, field->key);
    slot->cells = pl_take(reader->pool, count, sizeof *slot->cells);
    slot->hashes = pl_take(reader->pool, count, sizeof *slot->hashes);
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
        if (!(pl_is_pick(item) ? pl_pick_read : pl_cell_read)(reader, field->key, slot->setting, item, cell)) {
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

struct mark {
    uint64_t hash[2];
    size_t position;
};

static int by_hash(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    if (x->hash[0] != y->hash[0])
        return x->hash[0] < y->hash[0] ? -1 : 1;
    if (x->hash[1] != y->hash[1])
        return x->hash[1] < y->hash[1] ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

/* Adds what a field is at every position to the marks. Expressions count as their text. */
static void mark_field(const struct field *field, const struct slot *slot, struct mark *marks)
{
    for (size_t i = 0; slot->cells && i < field->count; i++) {
        const struct cell *cell = &slot->cells[i];
        uint64_t own[2] = {slot->hashes[i][0], slot->hashes[i][1]};
        if (cell->expression) {
            struct pl_value text = {PL_STRING, {.string = cell->expression}};
            pl_value_hash(field->key, &text, own);
        }
        marks[i].hash[0] += own[0];
        marks[i].hash[1] += own[1];
    }
}

/* Complains of positions of a dimension that mean the same: they would be one run counted twice. */
static void check_distinct(struct reader *reader, const struct part *part, const struct variant *variant, int number)
{
    size_t count = part->dimensions[number].count;
    struct mark *marks = pl_new(count * sizeof *marks);
    const struct field *first = NULL;
    size_t fields = 0;
    for (size_t i = 0; i < count; i++)
        marks[i].position = i;
    for (size_t f = 0; f < part->field_count; f++) {
        if (part->fields[f].dimension != number)
            continue;
        if (!variant->slots[f].cells) {
            first = NULL; /* unknown, so nothing can be said */
            break;
        }
        first = first ? first : &part->fields[f];
        mark_field(&part->fields[f], &variant->slots[f], marks);
        fields++;
    }
    qsort(marks, count, sizeof *marks, by_hash);
    for (size_t i = 1; first && i < count; i++) {
        const struct node *now = first->items[marks[i].position], *before = first->items[marks[i - 1].position];
        if (!memcmp(marks[i].hash, marks[i - 1].hash, sizeof marks[i].hash))
            pl_complain(&reader->complaints, now, "%s%s: this value was already given in line %u, column %u", first->key,
                     fields > 1 ? " (zipped)" : "", before->line, before->column);
    }
    free(marks);
}

/* The same for a dimension of choices, whose values belong to different variants. */
static void check_choices(struct reader *reader, struct part *part, int number)
{
    size_t count = part->dimensions[number].count;
    struct mark *marks = pl_new(count * sizeof *marks);
    const struct field *first = NULL;
    bool others = false;
    for (size_t f = 0; f < part->field_count; f++) {
        const struct field *field = &part->fields[f];
        if (field->dimension != number)
            continue;
        others = others || !field->choice;
        first = first ? first : field;
        for (size_t i = 0; i < count && field->choice; i++) {
            uint64_t own[2] = {0, 0};
            if (field->items[i])
                mix_node(field->items[i], own);
            marks[i].position = i;
            marks[i].hash[0] += mix(own[0] + f);
            marks[i].hash[1] += mix(own[1] + f);
        }
    }
    qsort(marks, count, sizeof *marks, by_hash);
    for (size_t i = 1; first && i < count; i++) {
        const struct node *now = first->items[marks[i].position], *before = first->items[marks[i - 1].position];
        if (memcmp(marks[i].hash, marks[i - 1].hash, sizeof marks[i].hash))
            continue;
        if (others)
            part->may_repeat = true; /* its companions may differ */
        else
            pl_complain(&reader->complaints, now, "%s: this value was already given in line %u, column %u", first->key,
                     before->line, before->column);
    }
    free(marks);
}

static size_t item_index(const struct part *part, size_t number, const struct field *field)
{
    return is_chosen(part, field) ? chosen_position(part, number, field->dimension) : 0;
}

/* Where a choosing key is given its value in a variant, or NULL. */
static const struct node *choice_node(const struct part *part, size_t number, const char *key)
{
    for (size_t f = 0; key && f < part->field_count; f++)
        if (part->fields[f].choice && !strcmp(part->fields[f].key, key))
            return part->fields[f].items[item_index(part, number, &part->fields[f])];
    return NULL;
}

/* Puts a name that goes with the other choices in the place of the one at fault. Returns 0 when chosen has a schema now,
 * 1 when something else is at fault (schema and err say what), -1 when no name will do. */
static int mend(struct pl_settings *chosen, const char *fault, struct pl_schema *schema, struct pl_error *err)
{
    size_t count = pl_train_choices(fault, NULL, 0);
    const char **names = pl_new((count + 1) * sizeof *names);
    int found = -1;
    pl_train_choices(fault, names, count);
    for (size_t i = 0; i < count && found < 0; i++) {
        pl_settings_set_string(chosen, fault, names[i]);
        if (!pl_train_schema(chosen, schema, err))
            found = 0;
        else if (!schema->fault || strcmp(schema->fault, fault) != 0)
            found = 1; /* other names of this kind would leave it so */
    }
    free(names);
    return found;
}

/* When one choice is unknown, mends it, so that the next fault shows too. */
static void complain_others(struct reader *reader, const struct part *part, size_t number, const char *fault,
                            const struct node *at)
{
    struct pl_settings chosen = {0};
    struct pl_schema schema;
    struct pl_error err;
    pl_settings_copy(&chosen, &part->variants[number].settings);
    while (fault && pl_reader_works(reader, at, 1) && mend(&chosen, fault, &schema, &err) > 0) {
        const struct node *other = choice_node(part, number, schema.fault);
        pl_complain(&reader->complaints, other ? other : at, "%s", err.text);
        fault = schema.fault;
    }
    pl_settings_release(&chosen);
}

/* Reads the choices of a variant and asks for its schema. */
static bool choose(struct reader *reader, const struct part *part, size_t number, const struct node *at)
{
    struct variant *variant = &part->variants[number];
    struct pl_error err;
    bool good = true;
    for (size_t f = 0; f < part->field_count; f++) {
        const struct field *field = &part->fields[f];
        struct cell cell;
        if (!field->choice || !field->items[item_index(part, number, field)])
            continue;
        if (pl_cell_read(reader, field->key, field->assignment->setting, field->items[item_index(part, number, field)],
                         &cell))
            pl_settings_set(&variant->settings, field->key, cell.value);
        else
            good = false;
    }
    if (!good || !pl_train_schema(&variant->settings, &variant->schema, &err))
        return good;
    const struct node *faulty = choice_node(part, number, variant->schema.fault);
    pl_complain(&reader->complaints, faulty ? faulty : at, "%s", err.text);
    complain_others(reader, part, number, variant->schema.fault, at);
    return false;
}

/* A run has one task. */
static bool one_task(struct reader *reader, const struct part *part)
{
    const struct field *first = NULL;
    for (size_t f = 0; f < part->field_count; f++) {
        const struct field *field = &part->fields[f];
        if (!field->choice || !pl_has_word("problem command dataset", field->key))
            continue;
        if (!first) {
            first = field;
            continue;
        }
        pl_complain(&reader->complaints, field->assignment->key_node,
                    "a task has one of problem, command and dataset, and %s is already given", first->key);
        return false;
    }
    return true;
}

/* Settings whose schema cannot be had: what can be said of them from the descriptors of all. */
static void read_without_schema(struct reader *reader, struct part *part)
{
    for (size_t f = 0; f < part->field_count; f++) {
        const struct field *field = &part->fields[f];
        const struct assignment *a = field->assignment;
        if (field->choice || field->optional || a->section == PL_SECTION_SETTINGS || !pl_reader_works(reader, a->key_node, field->count))
            continue;
        if (!a->setting) {
            complain_stranger(reader, a);
            continue;
        }
        struct pl_setting any = *a->setting;
        struct cell cell;
        any.range = any.type == PL_STRING || any.type == PL_BOOLEAN ? NULL : "[-inf,inf]";
        for (size_t i = 0; i < field->count; i++)
            if (!pl_is_pick(field->items[i]))
                pl_cell_read(reader, field->key, &any, field->items[i], &cell);
    }
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
        part->may_repeat = part->may_repeat || (slot->computed && !slot->single);
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
        if (!part->dimensions[d].choice)
            check_distinct(reader, part, variant, (int)d);
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
    part->variants = pl_take(reader->pool, count, sizeof *part->variants);
    part->variant_count = count;
    for (size_t d = 0; d < part->dimension_count; d++)
        if (part->dimensions[d].choice)
            check_choices(reader, part, (int)d);
    if (!one_task(reader, part))
        return;
    bool known = true;
    for (size_t v = 0; v < count; v++) {
        struct variant *variant = &part->variants[v];
        variant->slots = pl_take(reader->pool, part->field_count, sizeof *variant->slots);
        variant->good = choose(reader, part, v, at);
        if (!variant->good) {
            if (known)
                read_without_schema(reader, part);
            known = false;
            continue;
        }
        for (size_t f = 0; f < part->field_count; f++)
            variant->good = read_slot(reader, part, f, v) && variant->good;
        variant->good = complete(reader, part, variant, at) && variant->good;
        finish(reader, part, variant);
    }
}
