/* Settings that are taken from what another study's table chooses: lambda: {from: search, best: 1}. */
#include "spec/grid/pick.h"

#include "spec/grid/scale.h"
#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "spec/read/value.h"

#include <string.h>

bool pl_is_pick(const struct node *node)
{
    return node && node->kind == NODE_MAP && pl_node_find(node, "from");
}

static bool check_keys(struct reader *reader, const struct node *map)
{
    static const char *const legal[] = {"from", "best", "table"};
    bool good = true;
    for (size_t i = 0; i < map->count; i++) {
        const struct node *key = map->items[2 * i];
        if (!strcmp(key->text, "from") || !strcmp(key->text, "best") || !strcmp(key->text, "table"))
            continue;
        struct pl_text text = {0};
        pl_text_addf(&text, "what is taken from a study cannot have the key %.60s", key->text);
        if (strcmp(key->text, "to"))
            pl_hint(&text, key->text, legal, 3);
        else
            pl_text_add(&text, "; a range is for seeds alone, and other numbers are a list: [1, 2, 3]");
        pl_complain(&reader->complaints, key, "%s", pl_text(&text));
        pl_text_release(&text);
        good = false;
    }
    return good;
}

bool pl_pick_read(struct reader *reader, const char *key, const struct pl_setting *setting, const struct node *node,
                  struct cell *cell)
{
    static const struct pl_setting place = {.key = "best", .type = PL_INTEGER, .range = "[1,1000]"};
    struct cell best = {.value = {PL_INTEGER, {.integer = 1}}};
    struct pick *pick = pl_pool_new(reader->pool, 1, sizeof *pick);
    (void)setting;
    *pick = (struct pick){.pick = {.key = key},
                          .owner = reader->study,
                          .at = node,
                          .from = pl_node_find(node, "from"),
                          .best = pl_node_find(node, "best"),
                          .title_at = pl_node_find(node, "table")};
    bool good = check_keys(reader, node) && pl_node_text(reader, pick->from, "from") &&
                (!pick->title_at || pl_node_text(reader, pick->title_at, "table")) &&
                (!pick->best || pl_cell_read(reader, "best", &place, pick->best, &best));
    if (good && best.expression) {
        pl_complain(&reader->complaints, pick->best, "best must be a whole number");
        good = false;
    }
    if (!good)
        return false;
    pick->pick.place = (int)best.value.integer;
    pick->source = pl_scale_label(reader, pick->from->text, "-", "");
    pick->title = pick->title_at ? pl_scale_label(reader, pick->title_at->text, " (", ")") : NULL;
    pick->next = reader->picks;
    reader->picks = pick;
    /* Until it is known, it is told from others by what it says. */
    struct pl_text text = {0};
    pl_text_addf(&text, "%s\n%s\n%d", pick->from->text, pick->title ? pick->title : "", pick->pick.place);
    *cell = (struct cell){
        .at = node, .pick = pick, .value = {PL_STRING, {.string = pl_pool_copy(reader->pool, pl_text(&text))}}};
    pl_text_release(&text);
    return true;
}
