/* Settings that declarations name, in lists and in conditions. */
#include "spec/declare/declaring.h"
#include "spec/grid/condition.h"
#include "spec/grid/grid.h"
#include "spec/grid/part.h"
#include "spec/grid/rename.h"
#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"

#include <stdint.h>
#include <string.h>

enum { MOST_NAMES = 20, MOST_COMPARED_FOLLOWERS = 100 };

/* Proposes the nearest setting of the study, else what varies in it. */
static void complain_setting(struct declaring *d, const struct node *node, const char *what)
{
    const struct pl_study_grid *grid = d->study->grid;
    struct pl_candidates known = {0};
    for (size_t i = 0; i < d->study->axis_count; i++)
        pl_candidates_add(&known, d->study->axes[i]);
    const size_t axes = known.count;
    for (size_t p = 0; p < grid->part_count && p < 3; p++) {
        const struct pl_settings *s = &grid->parts[p].variants[0].settings;
        for (size_t i = 0; i < s->count; i++)
            pl_candidates_add(&known, s->entries[i].key);
    }
    struct pl_text text = {0};
    pl_text_addf(&text, "%s: no run of this study has the setting \"%.100s\"", what, node->text);
    pl_hint(&text, node->text, known.names, pl_candidates_nearest(&known, node->text) ? known.count : axes);
    pl_complain(&d->reader->complaints, node, "%s", pl_text(&text));
    pl_text_release(&text);
    pl_candidates_release(&known);
}

char *pl_declare_key(struct declaring *d, const struct node *node, const char *what)
{
    static char rank[] = PL_RANK_KEY;
    const char *name = pl_node_text(d->reader, node, what);
    if (!name)
        return NULL;
    if (d->ranked && !strcmp(name, rank))
        return rank;
    const struct pl_study_grid *grid = d->study->grid;
    bool good = true; /* every variant is known */
    for (size_t p = 0; p < grid->part_count; p++) {
        const struct part *part = &grid->parts[p];
        for (size_t f = 0; f < part->field_count; f++)
            if (!strcmp(part->fields[f].key, name))
                return (char *)part->fields[f].key;
        good = good && part->variant_count;
        for (size_t v = 0; v < part->variant_count && pl_reader_works(d->reader, node, 30); v++) {
            size_t entry = pl_variant_entry(&part->variants[v], name);
            if (entry != SIZE_MAX)
                return (char *)part->variants[v].settings.entries[entry].key;
            good = good && part->variants[v].good;
        }
    }
    const struct pl_setting *setting = pl_reader_find(d->reader, name);
    if (d->lenient || (setting && !good))
        return (char *)(setting ? setting->key : name);
    if (good && grid->part_count) /* else the fault may be elsewhere */
        complain_setting(d, node, what);
    return NULL;
}

/* Does the follower tell two positions apart that its leader and the named followers before it do not? */
static bool is_needed(const struct part *part, const struct field *follower, const struct pl_names *names)
{
    for (size_t a = 0; a < follower->count && a < MOST_COMPARED_FOLLOWERS; a++)
        for (size_t b = 0; b < a; b++) {
            bool alike = !pl_node_same(pl_field_value(follower, a), pl_field_value(follower, b));
            for (size_t f = 0; f < part->field_count && alike; f++) {
                const struct field *other = &part->fields[f];
                bool along = !strcmp(other->key, follower->follows) ||
                             (other->follows && !strcmp(other->follows, follower->follows));
                if (along && other->axis && pl_names_have(names, other->key))
                    alike = pl_node_same(pl_field_value(other, a), pl_field_value(other, b));
            }
            if (alike)
                return true;
        }
    return false;
}

/* Do two values of a leader in two parts (of cases) agree after a scale, though what it brought along with them does
 * not, and nothing that is named already tells them apart? */
static bool parts_differ(const struct part *p, const struct part *q, const struct field *follower,
                         const struct pl_names *names)
{
    const struct field *other = pl_part_field(q, follower->key), *leader = pl_part_field(p, follower->brought_by),
                       *leader_there = pl_part_field(q, follower->brought_by);
    if (!other || !leader || !leader_there)
        return false;
    for (size_t a = 0; a < leader->count && a < MOST_COMPARED_FOLLOWERS; a++)
        for (size_t b = 0; b < leader_there->count && b < MOST_COMPARED_FOLLOWERS; b++) {
            bool alike = pl_node_same(pl_field_value(leader, a), pl_field_value(leader_there, b)) &&
                         !pl_node_same(pl_field_value(follower, a), pl_field_value(other, b));
            for (size_t n = 0; n < names->count && alike; n++) {
                const struct field *x = pl_part_field(p, names->names[n]), *y = pl_part_field(q, names->names[n]);
                if (x && y && x->brought_by && !strcmp(x->brought_by, follower->brought_by))
                    alike = pl_node_same(pl_field_value(x, a), pl_field_value(y, b));
            }
            if (alike)
                return true;
        }
    return false;
}

static bool differs_between_parts(const struct pl_study_grid *grid, size_t part, const struct field *follower,
                                  const struct pl_names *names)
{
    for (size_t q = 0; follower->brought_by && q < grid->part_count && q < MOST_COMPARED_FOLLOWERS; q++)
        if (q != part && parts_differ(&grid->parts[part], &grid->parts[q], follower, names))
            return true;
    return false;
}

/* What a scale brings along with the values of a setting may be what tells its runs apart: it then stands beside it. */
static void add_followers(struct declaring *d, const char *key, struct pl_names *names)
{
    const struct pl_study_grid *grid = d->study->grid;
    for (size_t p = 0; p < grid->part_count; p++)
        for (size_t f = 0; f < grid->parts[p].field_count && names->count < MOST_NAMES; f++) {
            const struct field *field = &grid->parts[p].fields[f];
            if (field->brought_by && !strcmp(field->brought_by, key) && !pl_names_have(names, field->key) &&
                ((field->follows && is_needed(&grid->parts[p], field, names)) ||
                 differs_between_parts(grid, p, field, names)))
                names->names[names->count++] = (char *)field->key;
        }
}

void pl_declare_names(struct declaring *d, struct node *node, const char *what, struct pl_names *names)
{
    size_t count;
    struct node **items = pl_node_list(&node, &count);
    names->names = pl_pool_new(d->reader->pool, MOST_NAMES, sizeof *names->names);
    for (size_t i = 0; i < count; i++) {
        char *key = pl_declare_key(d, items[i], what);
        bool known = key && pl_names_have(names, key);
        if (names->count == MOST_NAMES) {
            pl_complain(&d->reader->complaints, node, "%s names more than %d settings", what, MOST_NAMES);
            return;
        }
        if (known && !d->reader->scale)
            pl_complain(&d->reader->complaints, items[i], "%s: %s is named twice", what, key);
        if (!key || known)
            continue;
        names->names[names->count++] = key;
        add_followers(d, key, names);
    }
}

void pl_declare_where(struct declaring *d, struct node *node, struct pl_condition **where, size_t *count)
{
    node = pl_scale_conditions(d->reader, node, true);
    if (node->kind != NODE_MAP) {
        pl_complain(&d->reader->complaints, node, "where must be a mapping, such as {optimizer: [sgd, adam]}");
        return;
    }
    *where = pl_pool_new(d->reader->pool, node->count, sizeof **where);
    for (size_t i = 0; i < node->count; i++)
        if (pl_condition_read(d->reader, d->study->grid, SIZE_MAX, d->lenient, "where", node->items[2 * i],
                              node->items[2 * i + 1], &(*where)[*count]))
            ++*count;
}
