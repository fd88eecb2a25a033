/* scale: a study in another size. Overrides replace what the study, its cases and the defaults say, setting by
 * setting; a mapping replaces value by value, and may bring further settings along with a value. */
#include "spec/grid/scale.h"

#include "spec/grid/override.h"
#include "spec/grid/part.h"
#include "spec/read/complaint.h"
#include "spec/read/content.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "study/names.h"

#include <stdint.h>
#include <string.h>

/* The section of a key, as its descriptor's owner has it; what nobody describes is a free setting. */
static enum pl_section section_of(const struct reader *reader, const struct pl_setting *setting)
{
    for (size_t i = 0; setting && i < reader->sources->count; i++) {
        const struct pl_schema_part *part = &reader->sources->items[i].part;
        if (part->count && setting >= part->settings && setting < part->settings + part->count)
            return part->section;
    }
    return PL_SECTION_SETTINGS;
}

struct assignment pl_scale_assignment(const struct reader *reader, struct node *key, struct node *value)
{
    const struct pl_setting *setting = pl_reader_find(reader, key->text);
    return (struct assignment){.section = section_of(reader, setting),
                               .spelling = key->text,
                               .setting = setting,
                               .key = setting ? setting->key : key->text,
                               .key_node = key,
                               .value = value};
}

static struct override *find_among(struct override *overrides, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(overrides[i].assignment.key, key))
            return &overrides[i];
    return NULL;
}

/* Reads the overrides of one name; a list of none when the block does not have it. */
static void read_overrides(struct reader *reader, const struct node *block, const char *name,
                           struct override **overrides, size_t *count, struct node **seeds, struct node **cases)
{
    struct node *map = block ? pl_node_find(block, name) : NULL;
    if (!map || map->kind != NODE_MAP)
        return; /* complained of by pl_scale_names */
    *overrides = pl_pool_new(reader->pool, map->count, sizeof **overrides);
    for (size_t i = 0; i < map->count; i++) {
        struct node *key = map->items[2 * i], *value = map->items[2 * i + 1];
        if (!strcmp(key->text, "seeds")) {
            *seeds = value;
            continue;
        }
        if (!strcmp(key->text, "cases")) {
            *cases = value;
            continue;
        }
        struct override new = {.assignment = pl_scale_assignment(reader, key, value)};
        if (find_among(*overrides, *count, new.assignment.key))
            pl_complain(&reader->complaints, key, "scale %s: %s is given twice", name, new.assignment.key);
        else
            (*overrides)[(*count)++] = new;
    }
}

size_t pl_scale_names(struct reader *reader, const struct content *content, const struct node **names, size_t capacity)
{
    const struct node *block = content ? content->scale : NULL;
    size_t count = 0;
    if (!block)
        return 0;
    if (block->kind != NODE_MAP) {
        pl_complain(&reader->complaints, block,
                    "scale must be a mapping of names to settings, such as "
                    "{quick: {epochs: 2, seeds: [1, 2]}}");
        return 0;
    }
    for (size_t i = 0; i < block->count; i++) {
        const struct node *name = block->items[2 * i], *map = block->items[2 * i + 1];
        if (!pl_name_is_legal(name->text))
            pl_complain(&reader->complaints, name,
                        "the name \"%.100s\" of a scale becomes part of the study's: it must be "
                        "letters, digits, _, - and .",
                        name->text);
        else if (map->kind != NODE_MAP)
            pl_complain(&reader->complaints, map,
                        "scale %s must be a mapping of settings, such as {epochs: 2, seeds: "
                        "[1, 2]}",
                        name->text);
        else if (count < capacity)
            names[count++] = name;
    }
    return count;
}

struct scale_defaults *pl_scale_read_defaults(struct reader *reader, const struct content *defaults, const char *name)
{
    struct scale_defaults *shared = pl_pool_new(reader->pool, 1, sizeof *shared);
    shared->name = name;
    struct node *cases = NULL;
    if (defaults)
        read_overrides(reader, defaults->scale, name, &shared->overrides, &shared->count, &shared->seeds, &cases);
    if (cases)
        pl_complain(&reader->complaints, cases, "scale %s: cases are a study's, and cannot stand in defaults", name);
    return shared;
}

static void complain_no_scale(struct reader *reader, const struct content *defaults, const struct content *study,
                              const char *name)
{
    const struct node *names[MOST_SCALES], *at = study->name ? study->name : study->map;
    const char *words[2 * MOST_SCALES];
    size_t count = 0, found;
    for (int layer = 0; layer < 2; layer++) {
        found = pl_scale_names(reader, layer ? study : defaults, names, MOST_SCALES);
        for (size_t i = 0; i < found; i++) {
            bool known = false;
            for (size_t k = 0; k < count; k++)
                known = known || !strcmp(words[k], names[i]->text);
            if (!known)
                words[count++] = names[i]->text;
        }
    }
    struct pl_text text = {0};
    pl_text_addf(&text, "the study has no scale %.100s", name);
    for (size_t i = 0; i < count; i++)
        pl_text_addf(&text, "%s%s", i ? ", " : "; it has: ", words[i]);
    pl_complain(&reader->complaints, at, "%s", pl_text(&text));
    pl_text_release(&text);
}

struct scale *pl_scale_read(struct reader *reader, struct scale_defaults *shared, const struct content *defaults,
                            const struct content *study, const char *name)
{
    bool in_defaults = defaults && defaults->scale && defaults->scale->kind == NODE_MAP &&
                       pl_node_find(defaults->scale, name);
    bool in_study = study->scale && study->scale->kind == NODE_MAP && pl_node_find(study->scale, name);
    if (!in_defaults && !in_study) {
        complain_no_scale(reader, defaults, study, name);
        return NULL;
    }
    struct scale *scale = pl_pool_new(reader->pool, 1, sizeof *scale);
    scale->name = name;
    scale->shared = shared;
    scale->at = study->name ? study->name : study->map;
    if (in_study)
        read_overrides(reader, study->scale, name, &scale->own, &scale->own_count, &scale->seeds, &scale->cases);
    if (!scale->seeds)
        scale->seeds = shared->seeds;
    return scale;
}

char *pl_scale_label(const struct reader *reader, const char *name, const char *before, const char *behind)
{
    if (!reader->scale)
        return (char *)name;
    struct pl_text text = {0};
    pl_text_addf(&text, "%s%s%s%s", name, before, reader->scale->name, behind);
    const char *label = pl_pool_copy(reader->pool, pl_text(&text));
    pl_text_release(&text);
    return (char *)label;
}

struct node *pl_scale_seeds(const struct scale *scale)
{
    return scale ? scale->seeds : NULL;
}

struct node *pl_scale_cases(const struct scale *scale)
{
    return scale ? scale->cases : NULL;
}

struct override *pl_scale_override(const struct scale *scale, const char *key)
{
    struct override *own = find_among(scale->own, scale->own_count, key);
    return own ? own : find_among(scale->shared->overrides, scale->shared->count, key);
}

bool pl_scale_by_value(const struct override *override)
{
    return override->assignment.value->kind == NODE_MAP;
}

bool pl_scale_replaces(const struct scale *scale, const char *key)
{
    const struct override *override = scale ? pl_scale_override(scale, key) : NULL;
    return override && !pl_scale_by_value(override);
}

struct node *pl_scale_new_value(const struct node *map, const struct node *old)
{
    for (size_t i = 0; i < map->count; i++)
        if (pl_node_same(map->items[2 * i], old))
            return map->items[2 * i + 1];
    return NULL;
}

struct node *pl_scale_value_in(const struct reader *reader, const struct node *settings, const char *key)
{
    for (size_t i = 0; i < settings->count; i++) {
        const struct pl_setting *setting = pl_reader_find(reader, settings->items[2 * i]->text);
        if (!strcmp(setting ? setting->key : settings->items[2 * i]->text, key))
            return settings->items[2 * i + 1];
    }
    return NULL;
}

/* The field of a key, which is added where there is none. */
static struct field *field_for(struct part *part, const char *key)
{
    struct field *field = pl_part_field(part, key);
    if (field)
        return field;
    part->fields[part->field_count] = (struct field){.key = key};
    return &part->fields[part->field_count++];
}

/* In the section of free settings a key means nothing more than itself. */
static void make_free(struct assignment *a)
{
    a->section = PL_SECTION_SETTINGS;
    a->setting = NULL;
}

/* A setting that goes with the values of another: one item for each of them, or one for all if they agree. */
static void add_companion(struct reader *reader, struct part *part, const struct field *leader, struct node *const *new,
                          struct node *key)
{
    if (!pl_reader_works(reader, key, leader->count))
        return;
    struct assignment *a = pl_pool_new(reader->pool, 1, sizeof *a);
    *a = pl_scale_assignment(reader, key, key);
    if (leader->assignment->section == PL_SECTION_SETTINGS)
        make_free(a);
    struct node **items = pl_pool_new(reader->pool, leader->count, sizeof *items);
    bool alike = true;
    for (size_t i = 0; i < leader->count; i++) {
        items[i] = new[i] && new[i]->kind == NODE_MAP ? pl_scale_value_in(reader, new[i], a->key) : NULL;
        alike = alike && items[i] && pl_node_same(items[i], items[0]);
    }
    struct field *field = field_for(part, a->key);
    *field = (struct field){.key = a->key,
                            .assignment = a,
                            .items = items,
                            .count = alike ? 1 : leader->count,
                            .axis = leader->axis && !alike,
                            .optional = true,
                            .dimension = NONE,
                            .choice = a->section != PL_SECTION_SETTINGS && pl_train_is_choice(a->key),
                            .follows = alike ? NULL : leader->key,
                            .brought_by = leader->key,
                            .rank = leader->rank + 1};
}

/* Replaces the values of a field one by one, and adds what goes with the new ones. */
static void replace_values(struct reader *reader, struct part *part, struct override *override)
{
    struct field *field = pl_part_field(part, override->assignment.key);
    const struct node *by_value = override->assignment.value;
    if (!field || !field->items || !pl_reader_works(reader, by_value, field->count * (by_value->count + 1)))
        return;
    struct node **items = pl_pool_new(reader->pool, field->count, sizeof *items);
    struct node **new = pl_pool_new(reader->pool, field->count, sizeof *new);
    struct field before = *field;
    for (size_t i = 0; i < field->count; i++) {
        new[i] = pl_scale_new_value(by_value, field->items[i]);
        struct node *own = new[i] && new[i]->kind == NODE_MAP ? pl_scale_value_in(reader, new[i], field->key) : new[i];
        items[i] = own ? own : field->items[i];
        override->used = override->used || new[i];
    }
    field->items = items;
    for (size_t i = 0; i < before.count; i++)
        for (size_t k = 0; new[i] && new[i]->kind == NODE_MAP &&k < new[i]->count; k++) {
            struct node *key = new[i]->items[2 * k];
            const struct pl_setting *setting = pl_reader_find(reader, key->text);
            if (strcmp(setting ? setting->key : key->text, before.key))
                add_companion(reader, part, &before, new, key);
        }
}

static void apply(struct reader *reader, struct part *part, struct override *override)
{
    const struct assignment *a = &override->assignment;
    if (pl_scale_by_value(override)) {
        replace_values(reader, part, override);
        return;
    }
    size_t known = part->field_count;
    struct field *field = field_for(part, a->key);
    bool new = part->field_count > known;
    if (!new && (field->assignment->section == PL_SECTION_SETTINGS || field->assignment->parameter)) {
        struct assignment *own = pl_pool_new(reader->pool, 1, sizeof *own);
        *own = *a;
        make_free(own);
        own->section = field->assignment->section;
        own->parameter = field->assignment->parameter;
        a = own;
        override->used = true;
    }
    bool choice = a->section != PL_SECTION_SETTINGS && pl_train_is_choice(a->key);
    if (new && (choice || !a->setting)) { /* what is trained is replaced, never added; nor is a free setting */
        part->field_count--;
        return;
    }
    override->used = override->used || !a->setting || choice;
    *field = (struct field){.key = a->key,
                            .assignment = a,
                            .dimension = NONE,
                            .optional = true,
                            .choice = choice,
                            .rank = new ? SIZE_MAX / 2 + (size_t)a->key_node->line : field->rank};
    pl_field_read_items(reader, field);
}

size_t pl_scale_size(const struct scale *scale)
{
    size_t size = 0;
    for (size_t i = 0; scale && i < scale->own_count; i++)
        size += scale->own[i].assignment.value->size + 1;
    for (size_t i = 0; scale && i < scale->shared->count; i++)
        size += scale->shared->overrides[i].assignment.value->size + 1;
    return size;
}

void pl_scale_apply(struct reader *reader, struct part *part)
{
    struct scale *scale = reader->scale;
    for (int by_value = 1; scale && by_value >= 0; by_value--) { /* a plain override wins over what a value brings */
        for (size_t i = 0; i < scale->shared->count; i++) {
            struct override *override = &scale->shared->overrides[i];
            bool replaced = find_among(scale->own, scale->own_count, override->assignment.key);
            override->used = override->used || replaced;
            if (!replaced && pl_scale_by_value(override) == by_value)
                apply(reader, part, override);
        }
        for (size_t i = 0; i < scale->own_count; i++)
            if (pl_scale_by_value(&scale->own[i]) == by_value)
                apply(reader, part, &scale->own[i]);
    }
}

void pl_scale_mark(const struct reader *reader, const char *key)
{
    struct override *override = reader->scale ? pl_scale_override(reader->scale, key) : NULL;
    if (override && !pl_scale_by_value(override))
        override->used = true;
}

static void complain_unused(struct reader *reader, const char *name, const struct override *override, const char *who)
{
    const struct assignment *a = &override->assignment;
    struct pl_text text = {0};
    if (pl_scale_by_value(override)) {
        pl_text_addf(&text, "scale %s: %s of %s has none of the values that are replaced", name, a->spelling, who);
    } else {
        pl_text_addf(&text, "scale %s: no run of %s has a setting %.60s", name, who, a->spelling);
        if (!a->setting)
            pl_reader_propose(reader, a->spelling, &text);
    }
    pl_complain(&reader->complaints, a->key_node, "%s", pl_text(&text));
    pl_text_release(&text);
}

void pl_scale_check(struct reader *reader)
{
    const struct scale *scale = reader->scale;
    for (size_t i = 0; scale && i < scale->own_count; i++)
        if (!scale->own[i].used)
            complain_unused(reader, scale->name, &scale->own[i], "the study");
}

void pl_scale_check_defaults(struct reader *reader, const struct scale_defaults *shared)
{
    for (size_t i = 0; i < shared->count; i++)
        if (!shared->overrides[i].used)
            complain_unused(reader, shared->name, &shared->overrides[i], "the file");
}
