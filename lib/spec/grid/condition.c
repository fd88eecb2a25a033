/* Conditions on settings, as exclude and the where of tables and figures have them. */
#include "spec/grid/condition.h"

#include "spec/grid/grid.h"
#include "spec/grid/part.h"
#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"

#include <stdint.h>
#include <string.h>

/* The first variant (of one part, or of any: SIZE_MAX) that has the setting. */
static const struct variant *variant_with(const struct pl_study_grid *grid, size_t only, const char *name)
{
    for (size_t p = 0; p < grid->part_count; p++) {
        const struct part *part = &grid->parts[p];
        if (only != SIZE_MAX && only != p)
            continue;
        for (size_t v = 0; v < part->variant_count; v++)
            if (part->variants[v].good && pl_variant_entry(&part->variants[v], name) != SIZE_MAX)
                return &part->variants[v];
    }
    return NULL;
}

static bool all_good(const struct pl_study_grid *grid)
{
    for (size_t p = 0; p < grid->part_count; p++) {
        if (!grid->parts[p].variant_count)
            return false;
        for (size_t v = 0; v < grid->parts[p].variant_count; v++)
            if (!grid->parts[p].variants[v].good)
                return false;
    }
    return grid->part_count;
}

static void complain_no_setting(struct reader *reader, const struct pl_study_grid *grid, const char *what,
                                const struct node *key)
{
    struct pl_candidates legal = {0};
    for (size_t p = 0; p < grid->part_count; p++)
        for (size_t f = 0; f < grid->parts[p].field_count; f++) {
            bool known = false;
            for (size_t i = 0; i < legal.count; i++)
                known = known || !strcmp(legal.names[i], grid->parts[p].fields[f].key);
            if (!known)
                pl_candidates_add(&legal, grid->parts[p].fields[f].key);
        }
    struct pl_text text = {0};
    pl_text_addf(&text, "%s: there is no setting %.60s here", what, key->text);
    pl_hint(&text, key->text, legal.names, legal.count);
    pl_complain(&reader->complaints, key, "%s", pl_text(&text));
    pl_text_release(&text);
    pl_candidates_release(&legal);
}

/* Any value of the type: a condition may name what another optimizer's range would refuse. */
static struct pl_setting relaxed(const struct pl_setting *setting)
{
    struct pl_setting any = *setting;
    any.range = any.type == PL_REAL || any.type == PL_INTEGER ? "[-inf,inf]" : any.range;
    return any;
}

bool pl_condition_read(struct reader *reader, const struct pl_study_grid *grid, size_t part, bool lenient,
                       const char *what, struct node *key, struct node *value, struct pl_condition *condition)
{
    const struct variant *variant = variant_with(grid, part, key->text);
    const struct pl_setting *setting = variant ? NULL : pl_reader_find(reader, key->text);
    *condition = (struct pl_condition){.key = (char *)(setting ? setting->key : key->text)};
    if (!variant && !lenient) {
        if (all_good(grid)) /* else the variant that has it may be one with other faults */
            complain_no_setting(reader, grid, what, key);
        return false;
    }
    if (variant) {
        condition->key = (char *)variant->settings.entries[pl_variant_entry(variant, key->text)].key;
        setting = pl_schema_find(&variant->schema, condition->key, NULL);
    }
    struct pl_setting any;
    if (setting) {
        any = relaxed(setting);
        setting = &any;
    }
    size_t count = 1;
    struct node **items = &value;
    if (!setting || !setting->list || (value->kind == NODE_LIST && value->count && value->items[0]->kind == NODE_LIST))
        items = pl_node_list(&value, &count);
    condition->values = pl_pool_new(reader->pool, count, sizeof *condition->values);
    for (size_t i = 0; i < count && pl_reader_works(reader, value, 1); i++) {
        struct cell cell;
        if (!pl_cell_read(reader, condition->key, setting, items[i], &cell))
            continue;
        if (cell.expression)
            pl_complain(&reader->complaints, items[i], "%s: %s must be compared with plain values", what,
                        condition->key);
        else
            condition->values[condition->count++] = cell.value;
    }
    return true;
}

bool pl_condition_holds(const struct pl_condition *condition, const struct pl_value *value)
{
    for (size_t i = 0; i < condition->count; i++)
        if (pl_value_equal(&condition->values[i], value))
            return true;
    return false;
}
