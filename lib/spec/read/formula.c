/* Formulas of an optimizer as values. */
#include "spec/read/formula.h"

#include "optim/formula.h"
#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"

/* A formula, or one text of several; complains of what is none. */
static bool write_formula(struct reader *reader, const char *key, enum pl_formula_kind kind, const struct node *node,
                          struct pl_text *out)
{
    struct pl_text why = {0};
    size_t at = 0;
    if (node->kind != NODE_SCALAR || pl_node_is_null(node) || !*node->text) {
        pl_complain(&reader->complaints, node, "%s must be a formula, such as \"theta - lambda*g\"", key);
        return false;
    }
    bool good = pl_formula_write(kind, node->text, out, &at, &why);
    if (!good)
        pl_complain_inside(&reader->complaints, node, at, "%s: %s", key, pl_text(&why));
    pl_text_release(&why);
    return good;
}

/* {m: "0.9*m + 0.1*g", v: "g^2"} as one text. */
static bool write_formulas(struct reader *reader, const char *key, const struct node *map, struct pl_text *out)
{
    struct pl_text all = {0}, one = {0}, why = {0};
    const char *reason;
    size_t at;
    bool good = true;
    for (size_t i = 0; i < map->count; i++) {
        const struct node *name = map->items[2 * i];
        pl_text_clear(&one);
        bool legal = pl_formula_name_is_legal(name->text, &reason);
        if (!legal)
            pl_complain(&reader->complaints, name, "%s: %.60s cannot be a state: %s", key, name->text, reason);
        good = write_formula(reader, name->text, PL_FORMULA, map->items[2 * i + 1], &one) && legal && good;
        pl_text_addf(&all, "%s = %s;", name->text, pl_text(&one));
    }
    if (good && !pl_formula_write(PL_FORMULAS, pl_text(&all), out, &at, &why)) {
        pl_complain(&reader->complaints, map, "%s: %s", key, pl_text(&why));
        good = false;
    }
    pl_text_release(&all);
    pl_text_release(&one);
    pl_text_release(&why);
    return good;
}

bool pl_formula_cell_read(struct reader *reader, const char *key, const struct node *node, struct cell *cell)
{
    struct pl_text text = {0};
    const enum pl_formula_kind kind = pl_formula_kind_of(key);
    bool good = kind == PL_FORMULAS && node->kind == NODE_MAP ? write_formulas(reader, key, node, &text)
                                                              : write_formula(reader, key, kind, node, &text);
    cell->value = (struct pl_value){PL_STRING, {.string = pl_pool_copy(reader->pool, pl_text(&text))}};
    pl_text_release(&text);
    return good;
}
