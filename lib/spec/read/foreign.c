/* Files of other programs that sweep: named in one sentence that says what to write here. */
#include "spec/read/foreign.h"

#include "spec/read/complaint.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"
#include "study/names.h"

#include <string.h>

enum { SHOWN_MOST = 12 };

static bool has(const struct node *map, const char *key)
{
    return pl_node_find(map, key) != NULL;
}

static const char *scalar(const struct node *map, const char *key, const char *fallback)
{
    const struct node *node = pl_node_find(map, key);
    return node && node->kind == NODE_SCALAR && *node->text ? node->text : fallback;
}

static bool is_guild_operation(const struct node *node)
{
    return node->kind == NODE_MAP && has(node, "flags") &&
           (has(node, "main") || has(node, "exec") || has(node, "steps"));
}

/* Whose file it is; NULL: nobody's that is known. */
static const char *owner_of(const struct node *document)
{
    if (document->kind == NODE_LIST)
        return document->count && document->items[0]->kind == NODE_MAP &&
                       (has(document->items[0], "model") || has(document->items[0], "operations") ||
                        has(document->items[0], "config"))
                   ? "an operation file of Guild AI"
                   : NULL;
    const struct node *defaults = pl_node_find(document, "defaults"), *kind = pl_node_find(document, "kind");
    if (document->kind != NODE_MAP || has(document, "study") || has(document, "studies"))
        return NULL;
    if (has(document, "parameters") && (has(document, "method") || has(document, "program")))
        return "a sweep of Weights & Biases";
    if (has(document, "hydra") || (defaults && defaults->kind == NODE_LIST))
        return "a configuration of Hydra";
    if (pl_node_find(document, "stages") && pl_node_find(document, "stages")->kind == NODE_MAP)
        return "a pipeline of DVC";
    if (has(document, "apiVersion") && kind && kind->kind == NODE_SCALAR)
        return "a resource of Kubernetes";
    if (has(document, "searcher") && has(document, "hyperparameters"))
        return "an experiment of Determined AI";
    if (has(document, "trialCommand") || has(document, "searchSpace") || has(document, "searchSpaceFile"))
        return "an experiment of NNI";
    if ((has(document, "study_name") || has(document, "sampler")) &&
        (has(document, "search_space") || has(document, "params")))
        return "a study of Optuna";
    for (size_t i = 0; i < document->count; i++)
        if (is_guild_operation(document->items[2 * i + 1]))
            return "an operation file of Guild AI";
    return NULL;
}

static bool is_plain_key(const char *key)
{
    return *key && strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(key);
}

static bool add_value(const struct node *value, struct pl_text *out)
{
    if (value->kind == NODE_SCALAR) {
        pl_text_add(out, value->text);
        return true;
    }
    if (value->kind != NODE_LIST)
        return false;
    pl_text_add_char(out, '[');
    for (size_t i = 0; i < value->count; i++) {
        if (value->items[i]->kind != NODE_SCALAR)
            return false;
        pl_text_addf(out, "%s%s", i ? ", " : "", value->items[i]->text);
    }
    pl_text_add_char(out, ']');
    return true;
}

/* "lr: [0.1, 0.01], batch: 64" of a mapping whose members hold values or value. What has neither is shown as "...". */
static void add_settings(const struct node *map, struct pl_text *out)
{
    size_t shown = 0;
    for (size_t i = 0; map && map->kind == NODE_MAP && i < map->count; i++) {
        const char *key = map->items[2 * i]->text;
        const struct node *member = map->items[2 * i + 1], *value = member;
        if (!is_plain_key(key) || !strcmp(key, "seed") || shown == SHOWN_MOST)
            continue;
        if (member->kind == NODE_MAP)
            value = has(member, "values") ? pl_node_find(member, "values") : pl_node_find(member, "value");
        struct pl_text text = {0};
        bool known = value && add_value(value, &text) && text.length < 200;
        pl_text_addf(out, "%s%s: %s", shown++ ? ", " : "", key, known ? pl_text(&text) : "[...]");
        pl_text_release(&text);
    }
    if (!shown)
        pl_text_add(out, "lr: [0.1, 0.01]");
}

/* The mapping of what varies, as far as the owners keep it in one. */
static const struct node *parameters_of(const struct node *document)
{
    static const char *const keys[] = {"parameters", "hyperparameters", "searchSpace", "search_space", "params"};
    for (size_t i = 0; document->kind == NODE_MAP && i < sizeof keys / sizeof *keys; i++)
        if (pl_node_find(document, keys[i]))
            return pl_node_find(document, keys[i]);
    for (size_t i = 0; document->kind == NODE_MAP && i < document->count; i++)
        if (is_guild_operation(document->items[2 * i + 1]))
            return pl_node_find(document->items[2 * i + 1], "flags");
    return NULL;
}

bool pl_is_foreign(struct reader *reader, const struct node *document)
{
    const char *owner = owner_of(document);
    if (!owner)
        return false;
    struct pl_text settings = {0};
    bool map = document->kind == NODE_MAP;
    const char *name = map ? scalar(document, "name", "NAME") : "NAME";
    add_settings(parameters_of(document), &settings);
    pl_complain(&reader->complaints, document,
                "this is %s, not a spec of poula; write study: %s, task: {command: [python3, %s, \"{args}\", "
                "\"--seed={seed}\"]}, settings: {%s}, seeds: [1, 2, 3] (docs/command-tasks.md)",
                owner, pl_name_is_legal(name) ? name : "NAME",
                map ? scalar(document, "program", "train.py") : "train.py", pl_text(&settings));
    pl_text_release(&settings);
    return true;
}
