/* What became of values in a scale: for those who read results, and for conditions on the old ones. */
#include "spec/grid/rename.h"

#include "spec/grid/override.h"
#include "spec/grid/scale.h"
#include "spec/read/content.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"

#include <string.h>

static void add_rename(struct reader *reader, const char *key, struct node *old, struct node *new,
                       struct pl_study *study)
{
    struct pl_rename *rename = &study->renames[study->rename_count];
    struct node *single[2] = {NULL, new}, **pairs = new->kind == NODE_MAP ? new->items : single;
    size_t count = new->kind == NODE_MAP ? new->count : 1;
    struct cell cell;
    bool own = false;
    if (!pl_cell_read(reader, key, NULL, old, &cell))
        return;
    *rename = (struct pl_rename){.key = (char *)key, .old = cell.value};
    rename->now = pl_pool_new(reader->pool, count + 1, sizeof *rename->now);
    for (size_t i = 0; i <= count; i++) {
        struct node *value = i < count ? pairs[2 * i + 1] : old; /* a value that only brings others along stays */
        const char *name = i < count && pairs[2 * i] ? pl_scale_assignment(reader, pairs[2 * i], value).key : key;
        if ((i == count && own) || value->kind != NODE_SCALAR || !pl_cell_read(reader, name, NULL, value, &cell) ||
            cell.expression)
            continue;
        own = own || !strcmp(name, key);
        struct pl_value *copy = pl_pool_new(reader->pool, 1, sizeof *copy);
        *copy = cell.value;
        rename->now[rename->now_count++] = (struct pl_condition){.key = (char *)name, .values = copy, .count = 1};
    }
    study->rename_count++;
}

static void add_renames(struct reader *reader, const struct override *overrides, size_t count,
                        const struct scale *scale, struct pl_study *study)
{
    for (size_t i = 0; i < count; i++) {
        const struct assignment *a = &overrides[i].assignment;
        if (!pl_scale_by_value(&overrides[i]) || pl_scale_override(scale, a->key) != &overrides[i])
            continue;
        for (size_t k = 0; k < a->value->count; k++)
            add_rename(reader, a->key, a->value->items[2 * k], a->value->items[2 * k + 1], study);
    }
}

void pl_scale_rename(struct reader *reader, struct pl_study *study)
{
    const struct scale *scale = reader->scale;
    if (!scale || !pl_reader_works(reader, scale->at, pl_scale_size(scale)))
        return;
    study->renames = pl_pool_new(reader->pool, pl_scale_size(scale), sizeof *study->renames);
    add_renames(reader, scale->shared->overrides, scale->shared->count, scale, study);
    add_renames(reader, scale->own, scale->own_count, scale, study);
}

/* A mapping that is being written. */
struct writing {
    struct reader *reader;
    struct node *map;
    size_t room; /* for pairs that come along */
};

static struct node *add_pair(struct writing *w, struct node *key, size_t values)
{
    struct node *list = pl_pool_new(w->reader->pool, 1, sizeof *list);
    *list = (struct node){.kind = NODE_LIST, .line = key->line, .column = key->column, .size = values + 1};
    list->items = pl_pool_new(w->reader->pool, values, sizeof *list->items);
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
        const struct node *new = pl_scale_new_value(by_value, values[i]);
        if (!new || new->kind != NODE_MAP || !pl_scale_value_in(w->reader, new, canonical))
            return;
    }
    if (!w->room)
        return;
    w->room--;
    struct node *list = add_pair(w, key, count);
    for (size_t i = 0; i < count; i++)
        list->items[list->count++] = pl_scale_value_in(w->reader, pl_scale_new_value(by_value, values[i]), canonical);
}

static void translate(struct writing *w, struct node *key, struct node *value, const char *canonical,
                      const struct node *by_value)
{
    size_t count;
    struct node **values = pl_node_list(&value, &count);
    struct node *list = add_pair(w, key, count);
    for (size_t i = 0; i < count; i++) {
        struct node *new = pl_scale_new_value(by_value, values[i]);
        struct node *own = new &&new->kind == NODE_MAP ? pl_scale_value_in(w->reader, new, canonical) : new;
        list->items[list->count++] = own ? own : values[i];
    }
    const struct node *first = count ? pl_scale_new_value(by_value, values[0]) : NULL;
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
    struct writing w = {reader, pl_pool_new(reader->pool, 1, sizeof *w.map), 20};
    *w.map = *map;
    w.map->count = 0;
    w.map->items = pl_pool_new(reader->pool, 2 * (map->count + w.room), sizeof *w.map->items);
    for (size_t i = 0; i < map->count && pl_reader_works(reader, map, map->items[2 * i + 1]->size); i++) {
        struct node *key = map->items[2 * i], *value = map->items[2 * i + 1];
        const struct pl_setting *setting = pl_reader_find(reader, key->text);
        const char *canonical = setting ? setting->key : key->text;
        const struct override *override = pl_scale_override(scale, canonical);
        if (override && pl_scale_by_value(override)) {
            translate(&w, key, value, canonical, override->assignment.value);
        } else if (!override || !drop || survives(override, value)) {
            w.map->items[2 * w.map->count] = key;
            w.map->items[2 * w.map->count + 1] = value;
            w.map->count++;
        }
    }
    return w.map;
}
