/* What the formulas of a variant use: where they vary, a name may be a state in one and none in another, which is found
 * where configurations are visited; here it has to be one somewhere. */
#include "spec/grid/formulas.h"

#include "optim/formula.h"
#include "spec/grid/part.h"
#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"

#include <stdlib.h>
#include <string.h>

struct names {
    struct reader *reader;
    const struct part *part;
    const struct variant *variant;
    struct pl_candidates legal, seen; /* names that formulas may use; names that they do */
    const char *key;                  /* of what is looked through */
    const struct node *node;
    bool good;
};

static void add(struct names *names, struct pl_candidates *list, const char *word)
{
    pl_candidates_add(list, pl_pool_copy(names->reader->pool, word));
}

static bool has(const struct pl_candidates *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->names[i], word))
            return true;
    return false;
}

static void add_state(void *self, const struct pl_formula_word *word)
{
    struct names *names = self;
    add(names, &names->legal, word->word);
}

static void look_at(void *self, const struct pl_formula_word *word)
{
    struct names *names = self;
    struct pl_text hint = {0};
    if (has(&names->seen, word->word))
        return;
    add(names, &names->seen, word->word);
    if (has(&names->legal, word->word))
        return;
    pl_candidates_hint(&names->legal, word->word, "", &hint);
    if (!hint.length)
        pl_text_addf(&hint, "; what a formula uses besides %s and states stands under parameters: {%.40s: ...}",
                     pl_formula_own_words, word->word);
    pl_complain_inside(&names->reader->complaints, names->node, word->at, "%s uses %.40s, which is not there%s",
                       names->key, word->word, pl_text(&hint));
    names->good = false;
    pl_text_release(&hint);
}

/* Calls for the words of each formula among the values of a field. */
static void look_through(struct names *names, size_t f, bool of_states,
                         void (*tell)(void *self, const struct pl_formula_word *word))
{
    const struct slot *slot = &names->variant->slots[f];
    const enum pl_formula_kind kind = slot->setting && slot->cells ? pl_formula_kind_of(slot->setting->key)
                                                                   : PL_NO_FORMULA;
    for (size_t i = 0; kind != PL_NO_FORMULA && i < (slot->single ? 1 : names->part->fields[f].count); i++) {
        const struct node *node = slot->cells[i].at;
        names->key = slot->setting->key;
        names->node = node;
        if (of_states || node->kind == NODE_SCALAR)
            pl_formula_words(kind, of_states ? slot->cells[i].value.string : node->text, of_states, tell, names);
        for (size_t k = 0; !of_states && node->kind == NODE_MAP && k < node->count; k++) {
            names->key = node->items[2 * k]->text;
            names->node = node->items[2 * k + 1];
            pl_formula_words(PL_FORMULA, names->node->text, false, tell, names);
        }
    }
}

static void check_parameters(struct names *names)
{
    for (size_t f = 0; f < names->part->field_count; f++) {
        const struct assignment *a = names->part->fields[f].assignment;
        if (!a->parameter || !names->variant->slots[f].cells || has(&names->seen, a->key))
            continue;
        pl_complain(&names->reader->complaints, a->key_node, "no formula uses the parameter %.60s", a->key);
        names->good = false;
    }
}

bool pl_variant_check_formulas(struct reader *reader, const struct part *part, const struct variant *variant)
{
    struct names names = {.reader = reader, .part = part, .variant = variant, .good = true};
    size_t length;
    if (!variant->schema.parameters || !variant->good)
        return true;
    for (const char *w = pl_formula_own_words; (w = pl_next_word(w, &length)); w += length) {
        char *word = pl_copy_bytes(w, length);
        add(&names, &names.legal, word);
        free(word);
    }
    for (size_t f = 0; f < part->field_count; f++)
        if (part->fields[f].assignment->parameter && variant->slots[f].cells)
            add(&names, &names.legal, part->fields[f].key);
    for (size_t f = 0; f < part->field_count; f++)
        look_through(&names, f, true, add_state);
    for (size_t f = 0; f < part->field_count; f++)
        look_through(&names, f, false, look_at);
    check_parameters(&names);
    pl_candidates_release(&names.legal);
    pl_candidates_release(&names.seen);
    return names.good;
}
