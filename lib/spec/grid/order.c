/* Expressions of a variant: which settings they read, and in which order they can be evaluated. */
#include "spec/grid/order.h"

#include "spec/grid/part.h"
#include "spec/read/complaint.h"
#include "base/expression.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct ordering {
    struct reader *reader;
    const struct part *part;
    struct variant *variant;
    char *state; /* of each field: 0 unseen, 1 being visited, 2 done */
    bool good;
};

static void complain_name(struct ordering *o, const struct cell *cell, const char *key, const char *name)
{
    const struct pl_settings *s = &o->variant->settings;
    const char **legal = pl_new((s->count + 1) * sizeof *legal);
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->entries[i].value.type == PL_REAL || s->entries[i].value.type == PL_INTEGER)
            legal[count++] = s->entries[i].key;
    struct pl_text text = {0};
    pl_text_addf(&text, "%s: \"%.100s\" is neither a number nor an expression: there is no setting %.60s here", key,
                 cell->expression, name);
    pl_hint(&text, name, legal, count);
    pl_complain(&o->reader->complaints, cell->at, "%s", pl_text(&text));
    pl_text_release(&text);
    free(legal);
    o->good = false;
}

static bool is_number(const struct pl_value *value)
{
    return value->type == PL_REAL || value->type == PL_INTEGER;
}

/* The field that sets an entry, or SIZE_MAX: a default. */
static size_t field_of(const struct ordering *o, size_t entry)
{
    for (size_t f = 0; f < o->part->field_count; f++)
        if (o->variant->slots[f].entry == entry)
            return f;
    return SIZE_MAX;
}

static bool always_number(const struct ordering *o, size_t entry, size_t field)
{
    if (field == SIZE_MAX)
        return is_number(&o->variant->settings.entries[entry].value);
    const struct slot *slot = &o->variant->slots[field];
    for (size_t i = 0; i < (slot->single ? 1 : o->part->fields[field].count); i++)
        if (slot->cells[i].pick ? slot->setting && slot->setting->type != PL_REAL && slot->setting->type != PL_INTEGER
                                : !slot->cells[i].expression && !is_number(&slot->cells[i].value))
            return false;
    return true;
}

static void visit(struct ordering *o, size_t f);

static void visit_cell(struct ordering *o, size_t f, const struct cell *cell)
{
    const char *key = o->part->fields[f].key;
    struct expression_names names;
    struct pl_text why = {0};
    pl_expression_scan(cell->expression, &names, &why); /* succeeded before */
    pl_text_release(&why);
    for (size_t i = 0; i < names.count; i++) {
        size_t entry = pl_variant_entry(o->variant, names.names[i]);
        if (entry == SIZE_MAX) {
            complain_name(o, cell, key, names.names[i]);
            continue;
        }
        size_t needed = field_of(o, entry);
        if (!always_number(o, entry, needed)) {
            pl_complain(&o->reader->complaints, cell->at, "%s: \"%.100s\" uses %s, which is not a number", key,
                        cell->expression, names.names[i]);
            o->good = false;
        } else if (needed != SIZE_MAX && o->state[needed] == 1) {
            pl_complain(&o->reader->complaints, cell->at, "%s: \"%.100s\" needs %s, which needs %s", key,
                        cell->expression, names.names[i], needed == f ? "itself" : key);
            o->good = false;
        } else if (needed != SIZE_MAX) {
            visit(o, needed);
        }
    }
}

static void visit(struct ordering *o, size_t f)
{
    const struct slot *slot = &o->variant->slots[f];
    if (o->state[f])
        return;
    o->state[f] = 1;
    for (size_t i = 0; slot->cells && i < (slot->single ? 1 : o->part->fields[f].count); i++)
        if (slot->cells[i].expression)
            visit_cell(o, f, &slot->cells[i]);
    o->state[f] = 2;
    if (slot->computed)
        o->variant->order[o->variant->order_count++] = f;
}

static double *any_variable(void *self, const char *name)
{
    (void)name;
    return self;
}

/* An expression without settings has one result, which can be judged even where other values are wrong and no run can
 * be visited. */
static void judge(struct ordering *o, size_t f, const struct cell *cell, struct expression *expression)
{
    const struct pl_setting *setting = o->variant->slots[f].setting;
    struct expression_names names;
    struct pl_text why = {0};
    struct pl_error err = {0, ""};
    bool constant = pl_expression_scan(cell->expression, &names, &why) && !names.count;
    pl_text_release(&why);
    if (!constant)
        return;
    struct pl_value value = {PL_REAL, {.real = pl_expression_value(expression)}};
    if (isnan(value.real))
        pl_fail(&err, PL_EINPUT, "the result is not a number");
    else if (setting)
        pl_setting_check(setting, &value, &err);
    if (!err.code)
        return;
    pl_complain(&o->reader->complaints, cell->at, "%s from \"%.100s\": %s", o->part->fields[f].key, cell->expression,
                err.text);
    o->good = false;
}

/* Lets muParser see every expression once, so that its complaints come before anything runs. */
static void compile(struct ordering *o, size_t f)
{
    const struct slot *slot = &o->variant->slots[f];
    double one = 1;
    for (size_t i = 0; slot->cells && i < (slot->single ? 1 : o->part->fields[f].count); i++) {
        const struct cell *cell = &slot->cells[i];
        struct pl_text why = {0};
        if (!cell->expression || !pl_reader_works(o->reader, cell->at, 100))
            continue;
        struct expression *expression = pl_expression_new(cell->expression, any_variable, &one, &why);
        if (!expression) {
            pl_complain(&o->reader->complaints, cell->at, "%s: \"%.100s\" %s", o->part->fields[f].key, cell->expression,
                        pl_text(&why));
            o->good = false;
        } else {
            judge(o, f, cell, expression);
        }
        pl_expression_free(expression);
        pl_text_release(&why);
    }
}

void pl_variant_order(struct reader *reader, const struct part *part, struct variant *variant)
{
    struct ordering o = {reader, part, variant, NULL, true};
    size_t computed = 0;
    for (size_t f = 0; f < part->field_count; f++)
        computed += variant->slots[f].computed;
    if (!computed)
        return;
    variant->order = pl_pool_new(reader->pool, computed, sizeof *variant->order);
    o.state = pl_new(part->field_count);
    for (size_t f = 0; f < part->field_count; f++) {
        visit(&o, f);
        compile(&o, f);
    }
    free(o.state);
    variant->good = variant->good && o.good && !reader->tired;
}
