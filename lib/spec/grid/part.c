/* Questions to the parts of a grid. */
#include "spec/grid/part.h"

#include "spec/read/complaint.h"
#include "spec/read/content.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"

#include <stdint.h>
#include <string.h>

struct field *pl_part_field(const struct part *part, const char *key)
{
    for (size_t i = 0; i < part->field_count; i++)
        if (!strcmp(part->fields[i].key, key))
            return &part->fields[i];
    return NULL;
}

const struct pl_setting *pl_schema_find(const struct pl_schema *schema, const char *name, enum pl_section *section)
{
    for (size_t p = 0; p < schema->count; p++) {
        const struct pl_schema_part *part = &schema->parts[p];
        const struct pl_setting *setting = pl_setting_find(part->settings, part->count, name);
        if (!setting)
            continue;
        if (section)
            *section = part->section;
        return setting;
    }
    return NULL;
}

size_t pl_variant_entry(const struct variant *variant, const char *name)
{
    const struct pl_settings *s = &variant->settings;
    for (int alias = 0; alias < 2; alias++) {
        for (size_t i = 0; i < s->count; i++)
            if (!strcmp(s->entries[i].key, name))
                return i;
        const struct pl_setting *setting = alias ? NULL : pl_schema_find(&variant->schema, name, NULL);
        name = setting ? setting->key : name;
    }
    return SIZE_MAX;
}

/* A value list makes an axis; for a list setting only a list of lists does. */
void pl_field_read_items(struct reader *reader, struct field *field)
{
    const struct assignment *a = field->assignment;
    struct node *const *value = &a->value;
    bool list = (*value)->kind == NODE_LIST;
    if (list && a->setting && a->setting->list)
        list = (*value)->count && (*value)->items[0]->kind == NODE_LIST;
    field->axis = list;
    field->count = list ? (*value)->count : 1;
    field->items = list ? (*value)->items : (struct node **)value;
    if (!field->count) {
        pl_complain(&reader->complaints, *value, "%s is an empty list; it must have at least one value", a->key);
        field->axis = false;
        field->count = 1;
        field->items = NULL;
    }
}

struct node *pl_field_value(const struct field *field, size_t position)
{
    return field->items ? field->items[field->count == 1 ? 0 : position] : NULL;
}

bool pl_field_is_chosen(const struct part *part, const struct field *field)
{
    return field->dimension != NONE && part->dimensions[field->dimension].choice;
}

size_t pl_field_item(const struct part *part, size_t variant, const struct field *field)
{
    if (!pl_field_is_chosen(part, field))
        return 0;
    const struct dimension *d = &part->dimensions[field->dimension];
    return variant / d->stride % d->count;
}
