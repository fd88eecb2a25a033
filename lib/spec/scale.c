/* scale: a study in another size. Overrides replace what the study, its cases and the defaults say, setting by
 * setting; a mapping replaces value by value, and may bring further settings along with a value. */
#include "spec_priv.h"

#include <stdint.h>
#include <string.h>

struct override {
    struct assignment assignment; /* value is a mapping: from old values to new ones */
    bool used;                    /* some run has the setting, or had a value that is replaced */
};

struct scale {
    const char *name;
    const struct node *at; /* where it is called for */
    struct override *own;  /* of the study; the shared ones belong to the file */
    size_t own_count;
    struct node *seeds;
    struct scale_defaults *shared;
};

struct scale_defaults {
    const char *name;
    struct override *overrides;
    size_t count;
    struct node *seeds;
};

/* The section of a key, as its descriptor's owner has it; what nobody describes is a free setting. */
static enum pl_section section_of(const struct reader *reader, const struct pl_setting *setting)
{
    for (size_t i = 0; setting && i < reader->source_count; i++) {
        const struct pl_schema_part *part = &reader->sources[i].part;
        if (part->count && setting >= part->settings && setting < part->settings + part->count)
            return part->section;
    }
    return PL_SECTION_SETTINGS;
}

static struct assignment assignment_of(const struct reader *reader, struct node *key, struct node *value)
{
    const struct pl_setting *setting = pl_reader_find(reader, key->text);
    return (struct assignment){.section = section_of(reader, setting), .spelling = key->text, .setting = setting,
                               .key = setting ? setting->key : key->text, .key_node = key, .value = value};
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
                           struct override **overrides, size_t *count, struct node **seeds)
{
    struct node *map = block ? pl_node_find(block, name) : NULL;
    if (!map || map->kind != NODE_MAP)
        return; /* complained of by pl_scale_names */
    *overrides = pl_take(reader->pool, map->count, sizeof **overrides);
    for (size_t i = 0; i < map->count; i++) {
        struct node *key = map->items[2 * i], *value = map->items[2 * i + 1];
        if (!strcmp(key->text, "seeds")) {
            *seeds = value;
            continue;
        }
        struct override new = {.assignment = assignment_of(reader, key, value)};
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
        pl_complain(&reader->complaints, block, "scale must be a mapping of names to settings, such as "
                                                "{quick: {epochs: 2, seeds: [1, 2]}}");
        return 0;
    }
    for (size_t i = 0; i < block->count; i++) {
        const struct node *name = block->items[2 * i], *map = block->items[2 * i + 1];
        if (!pl_name_is_legal(name->text))
            pl_complain(&reader->complaints, name, "the name \"%.100s\" of a scale becomes part of the study's: it must "
                                                   "be letters, digits, _, - and .", name->text);
        else if (map->kind != NODE_MAP)
            pl_complain(&reader->complaints, map, "scale %s must be a mapping of settings, such as {epochs: 2, seeds: "
                                                  "[1, 2]}", name->text);
        else if (count < capacity)
            names[count++] = name;
    }
    return count;
}

struct scale_defaults *pl_scale_read_defaults(struct reader *reader, const struct content *defaults, const char *name)
{
    struct scale_defaults *shared = pl_take(reader->pool, 1, sizeof *shared);
    shared->name = name;
    if (defaults)
        read_overrides(reader, defaults->scale, name, &shared->overrides, &shared->count, &shared->seeds);
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
    struct scale *scale = pl_take(reader->pool, 1, sizeof *scale);
    scale->name = name;
    scale->shared = shared;
    scale->at = study->name ? study->name : study->map;
    if (in_study)
        read_overrides(reader, study->scale, name, &scale->own, &scale->own_count, &scale->seeds);
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

/* The override of a key; what the study says wins. */
static struct override *find_override(const struct scale *scale, const char *key)
{
    struct override *own = find_among(scale->own, scale->own_count, key);
    return own ? own : find_among(scale->shared->overrides, scale->shared->count, key);
}

static bool replaces_by_value(const struct override *override)
{
    return override->assignment.value->kind == NODE_MAP;
}

bool pl_scale_replaces(const struct scale *scale, const char *key)
{
    const struct override *override = scale ? find_override(scale, key) : NULL;
    return override && !replaces_by_value(override);
}

bool pl_node_same(const struct node *a, const struct node *b)
{
    double x, y;
    if (!a || !b || a->kind != NODE_SCALAR || b->kind != NODE_SCALAR)
        return a == b;
    if (pl_number_read(a->text, &x) && pl_number_read(b->text, &y))
        return x == y;
    return !strcmp(a->text, b->text);
}

/* What a mapping says of an old value: a new one, or a mapping of the settings that go with it; or NULL. */
static struct node *new_value(const struct node *map, const struct node *old)
{
    for (size_t i = 0; i < map->count; i++)
        if (pl_node_same(map->items[2 * i], old))
            return map->items[2 * i + 1];
    return NULL;
}

/* The value that new settings give to a key (any spelling of it), or NULL. */
static struct node *value_in(const struct reader *reader, const struct node *settings, const char *key)
{
    for (size_t i = 0; i < settings->count; i++) {
        const struct pl_setting *setting = pl_reader_find(reader, settings->items[2 * i]->text);
        if (!strcmp(setting ? setting->key : settings->items[2 * i]->text, key))
            return settings->items[2 * i + 1];
    }
    return NULL;
}

static struct field *field_for(struct part *part, const char *key)
{
    for (size_t i = 0; i < part->field_count; i++)
        if (!strcmp(part->fields[i].key, key))
            return &part->fields[i];
    part->fields[part->field_count] = (struct field){.key = key};
    return &part->fields[part->field_count++];
}

/* A setting that goes with the values of another: one item for each of them, or one for all if they agree. */
static void add_companion(struct reader *reader, struct part *part, const struct field *leader, struct node *const *new,
                          struct node *key)
{
    if (!pl_reader_works(reader, key, leader->count))
        return;
    struct assignment *a = pl_take(reader->pool, 1, sizeof *a);
    *a = assignment_of(reader, key, key);
    struct node **items = pl_take(reader->pool, leader->count, sizeof *items);
    bool alike = true;
    for (size_t i = 0; i < leader->count; i++) {
        items[i] = new[i] && new[i]->kind == NODE_MAP ? value_in(reader, new[i], a->key) : NULL;
        alike = alike && items[i] && pl_node_same(items[i], items[0]);
    }
    struct field *field = field_for(part, a->key);
    *field = (struct field){.key = a->key, .assignment = a, .items = items, .count = alike ? 1 : leader->count,
                            .axis = leader->axis && !alike, .optional = true, .dimension = NONE,
                            .choice = a->section != PL_SECTION_SETTINGS && pl_train_is_choice(a->key),
                            .follows = alike ? NULL : leader->key, .rank = leader->rank + 1};
}

/* Replaces the values of a field one by one, and adds what goes with the new ones. */
static void replace_values(struct reader *reader, struct part *part, struct override *override)
{
    struct field *field = NULL;
    for (size_t i = 0; i < part->field_count && !field; i++)
        if (!strcmp(part->fields[i].key, override->assignment.key))
            field = &part->fields[i];
    const struct node *by_value = override->assignment.value;
    if (!field || !field->items || !pl_reader_works(reader, by_value, field->count * (by_value->count + 1)))
        return;
    struct node **items = pl_take(reader->pool, field->count, sizeof *items);
    struct node **new = pl_take(reader->pool, field->count, sizeof *new);
    struct field before = *field;
    for (size_t i = 0; i < field->count; i++) {
        new[i] = new_value(by_value, field->items[i]);
        struct node *own = new[i] && new[i]->kind == NODE_MAP ? value_in(reader, new[i], field->key) : new[i];
        items[i] = own ? own : field->items[i];
        override->used = override->used || new[i];
    }
    field->items = items;
    for (size_t i = 0; i < before.count; i++)
        for (size_t k = 0; new[i] && new[i]->kind == NODE_MAP && k < new[i]->count; k++) {
            struct node *key = new[i]->items[2 * k];
            const struct pl_setting *setting = pl_reader_find(reader, key->text);
            if (strcmp(setting ? setting->key : key->text, before.key))
                add_companion(reader, part, &before, new, key);
        }
}

static void apply(struct reader *reader, struct part *part, struct override *override)
{
    const struct assignment *a = &override->assignment;
    if (replaces_by_value(override)) {
        replace_values(reader, part, override);
        return;
    }
    size_t known = part->field_count;
    struct field *field = field_for(part, a->key);
    bool new = part->field_count > known;
    bool choice = a->section != PL_SECTION_SETTINGS && pl_train_is_choice(a->key);
    if (new && (choice || !a->setting)) { /* what is trained is replaced, never added; nor is a free setting */
        part->field_count--;
        return;
    }
    override->used = override->used || !a->setting || choice;
    *field = (struct field){.key = a->key, .assignment = a, .dimension = NONE, .optional = true,
                            .choice = choice, .rank = new ? SIZE_MAX / 2 + (size_t)a->key_node->line : field->rank};
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
            if (!replaced && replaces_by_value(override) == by_value)
                apply(reader, part, override);
        }
        for (size_t i = 0; i < scale->own_count; i++)
            if (replaces_by_value(&scale->own[i]) == by_value)
                apply(reader, part, &scale->own[i]);
    }
}

void pl_scale_mark(const struct reader *reader, const char *key)
{
    struct override *override = reader->scale ? find_override(reader->scale, key) : NULL;
    if (override && !replaces_by_value(override))
        override->used = true;
}

static void complain_unused(struct reader *reader, const char *name, const struct override *override, const char *who)
{
    const struct assignment *a = &override->assignment;
    struct pl_text text = {0};
    if (replaces_by_value(override)) {
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

/* ---- conditions ---- */

/* A mapping that is being written. */
struct writing {
    struct reader *reader;
    struct node *map;
    size_t capacity; /* pairs */
};

static struct node *add_pair(struct writing *w, struct node *key, size_t values)
{
    struct node *list = pl_take(w->reader->pool, 1, sizeof *list);
    *list = (struct node){.kind = NODE_LIST, .line = key->line, .column = key->column, .size = values + 1};
    list->items = pl_take(w->reader->pool, values, sizeof *list->items);
    w->map->items[2 * w->map->count] = key;
    w->map->items[2 * w->map->count + 1] = list;
    w->map->count++;
    return list;
}

/* Adds the condition on a setting that comes along with every one of the values; one that some lack says nothing. */
static void add_along(struct writing *w, const struct node *by_value, struct node *const *values, size_t count,
                      struct node *key, const char *canonical)
{
    for (size_t i = 0; i < w->map->count; i++)
        if (!strcmp(w->map->items[2 * i]->text, key->text))
            return;
    for (size_t i = 0; i < count; i++) {
        const struct node *new = new_value(by_value, values[i]);
        if (!new || new->kind != NODE_MAP || !value_in(w->reader, new, canonical))
            return;
    }
    if (w->map->count == w->capacity)
        return;
    struct node *list = add_pair(w, key, count);
    for (size_t i = 0; i < count; i++)
        list->items[list->count++] = value_in(w->reader, new_value(by_value, values[i]), canonical);
}

static void translate(struct writing *w, struct node *key, struct node *value, const char *canonical,
                      const struct node *by_value)
{
    size_t count;
    struct node **values = pl_node_list(&value, &count);
    struct node *list = add_pair(w, key, count);
    for (size_t i = 0; i < count; i++) {
        struct node *new = new_value(by_value, values[i]);
        struct node *own = new && new->kind == NODE_MAP ? value_in(w->reader, new, canonical) : new;
        list->items[list->count++] = own ? own : values[i];
    }
    const struct node *first = count ? new_value(by_value, values[0]) : NULL;
    for (size_t k = 0; first && first->kind == NODE_MAP && k < first->count; k++) {
        struct node *other = first->items[2 * k];
        const struct pl_setting *setting = pl_reader_find(w->reader, other->text);
        const char *name = setting ? setting->key : other->text;
        if (strcmp(name, canonical))
            add_along(w, by_value, values, count, other, name);
    }
}

/* Is one of the values among those that replace them? */
static bool survives(const struct override *override, struct node *value)
{
    struct node *new = override->assignment.value;
    size_t count, new_count;
    struct node **values = pl_node_list(&value, &count), **news = pl_node_list(&new, &new_count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < new_count; k++)
            if (pl_node_same(values[i], news[k]))
                return true;
    return false;
}

struct node *pl_scale_conditions(struct reader *reader, struct node *map, bool drop)
{
    const struct scale *scale = reader->scale;
    if (!scale || map->kind != NODE_MAP)
        return map;
    struct writing w = {reader, pl_take(reader->pool, 1, sizeof *w.map), 2 * map->count + 20};
    *w.map = *map;
    w.map->count = 0;
    w.map->items = pl_take(reader->pool, 2 * w.capacity, sizeof *w.map->items);
    for (size_t i = 0; i < map->count && pl_reader_works(reader, map, map->items[2 * i + 1]->size); i++) {
        struct node *key = map->items[2 * i], *value = map->items[2 * i + 1];
        const struct pl_setting *setting = pl_reader_find(reader, key->text);
        const char *canonical = setting ? setting->key : key->text;
        const struct override *override = find_override(scale, canonical);
        if (override && replaces_by_value(override)) {
            translate(&w, key, value, canonical, override->assignment.value);
        } else if (!override || !drop || survives(override, value)) {
            w.map->items[2 * w.map->count] = key;
            w.map->items[2 * w.map->count + 1] = value;
            w.map->count++;
        }
    }
    return w.map;
}
