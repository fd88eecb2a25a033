/* Choices of a variant: the problem, the optimizer and whatever else says which settings there are. */
#include "spec/grid/choose.h"

#include "spec/grid/part.h"
#include "spec/grid/pick.h"
#include "spec/read/complaint.h"
#include "spec/read/content.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"

#include <stdlib.h>
#include <string.h>

/* A key that no task, optimizer or schedule has. */
static void complain_stranger(struct reader *reader, const struct assignment *a)
{
    struct pl_candidates keys = {0};
    struct pl_text hint = {0};
    for (size_t i = 0; i < reader->sources->count; i++) {
        const struct pl_schema_part *part = &reader->sources->items[i].part;
        for (size_t k = 0; part->section == a->section && k < part->count; k++)
            pl_candidates_add(&keys, part->settings[k].key);
    }
    pl_candidates_hint(&keys, a->spelling, "", &hint);
    pl_complain(&reader->complaints, a->key_node, "there is no setting %.60s in the section %s%s", a->spelling,
                pl_section_name(a->section), pl_text(&hint));
    pl_text_release(&hint);
    pl_candidates_release(&keys);
}

/* Where a choosing key is given its value in a variant, or NULL. */
static const struct node *choice_node(const struct part *part, size_t number, const char *key)
{
    for (size_t f = 0; key && f < part->field_count; f++)
        if (part->fields[f].choice && !strcmp(part->fields[f].key, key))
            return part->fields[f].items[pl_field_item(part, number, &part->fields[f])];
    return NULL;
}

/* Puts a name that goes with the other choices in the place of the one at fault. Returns 0 when chosen has a schema
 * now, 1 when something else is at fault (schema and err say what), -1 when no name will do. */
static int mend(struct pl_settings *chosen, const char *fault, struct pl_schema *schema, struct pl_error *err)
{
    struct pl_candidates all = {0};
    int found = -1;
    pl_train_choices(fault, &all);
    for (size_t i = 0; i < all.count && found < 0; i++) {
        pl_settings_set_string(chosen, fault, all.names[i]);
        if (!pl_train_schema(chosen, schema, err))
            found = 0;
        else if (!schema->fault || strcmp(schema->fault, fault) != 0)
            found = 1; /* other names of this kind would leave it so */
    }
    pl_candidates_release(&all);
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

bool pl_variant_choose(struct reader *reader, const struct part *part, size_t number, const struct node *at)
{
    struct variant *variant = &part->variants[number];
    struct pl_error err;
    bool good = true;
    for (size_t f = 0; f < part->field_count; f++) {
        const struct field *field = &part->fields[f];
        const struct node *value = pl_field_value(field, pl_field_item(part, number, field));
        struct cell cell;
        if (!field->choice || !value)
            continue;
        if (pl_cell_read(reader, field->key, field->assignment->setting, value, &cell))
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

bool pl_part_has_one_task(struct reader *reader, const struct part *part)
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
void pl_part_read_loosely(struct reader *reader, struct part *part)
{
    for (size_t f = 0; f < part->field_count; f++) {
        const struct field *field = &part->fields[f];
        const struct assignment *a = field->assignment;
        if (field->choice || field->optional || a->section == PL_SECTION_SETTINGS ||
            !pl_reader_works(reader, a->key_node, field->count))
            continue;
        if (!a->setting) {
            complain_stranger(reader, a);
            continue;
        }
        struct pl_setting any = *a->setting;
        struct cell cell;
        any.range = any.type == PL_STRING || any.type == PL_BOOLEAN ? NULL : "[-inf,inf]";
        for (size_t i = 0; i < field->count; i++) {
            const struct node *value = pl_field_value(field, i);
            if (value && !pl_is_pick(value))
                pl_cell_read(reader, field->key, &any, value, &cell);
        }
    }
}
