/* What a file is read with: descriptors, hints, and the bound of its work. */
#include "spec/read/reader.h"

#include "spec/read/complaint.h"
#include "spec/read/node.h"

#include <string.h>

void pl_reader_init(struct reader *reader, const char *name, struct pl_pool *pool)
{
    reader->complaints.file = name;
    reader->pool = pool;
    reader->sources = pl_train_schema_sources();
}

bool pl_reader_works(struct reader *reader, const struct node *at, size_t amount)
{
    reader->work += amount < MOST_WORK ? amount : MOST_WORK;
    if (reader->work > MOST_WORK && !reader->tired) {
        pl_complain(&reader->complaints, at, "the file is too large once cases, defaults and lists are multiplied out");
        reader->tired = true;
    }
    return !reader->tired;
}

const struct pl_setting *pl_reader_find(const struct reader *reader, const char *key)
{
    /* Keys first: an alias of one optimizer may not shadow the key of another. */
    for (size_t i = 0; i < reader->sources->count; i++) {
        const struct pl_schema_part *part = &reader->sources->items[i].part;
        for (size_t k = 0; k < part->count; k++)
            if (!strcmp(part->settings[k].key, key))
                return &part->settings[k];
    }
    for (size_t i = 0; i < reader->sources->count; i++) {
        const struct pl_schema_part *part = &reader->sources->items[i].part;
        const struct pl_setting *found = pl_setting_find(part->settings, part->count, key);
        if (found)
            return found;
    }
    return NULL;
}

void pl_hint(struct pl_text *out, const char *word, const char *const *legal, size_t count)
{
    struct pl_candidates all = {(const char **)legal, count, count};
    pl_candidates_tell(&all, word, "legal", out);
}

void pl_reader_propose(const struct reader *reader, const char *spelling, struct pl_text *out)
{
    struct pl_candidates keys = {0};
    for (size_t i = 0; i < reader->sources->count; i++)
        for (size_t k = 0; k < reader->sources->items[i].part.count; k++)
            pl_candidates_add(&keys, reader->sources->items[i].part.settings[k].key);
    pl_candidates_hint(&keys, spelling, "", out);
    pl_candidates_release(&keys);
}

const char *pl_node_text(struct reader *reader, const struct node *node, const char *what)
{
    if (node->kind != NODE_SCALAR)
        pl_complain(&reader->complaints, node, "%s must be a text, not a %s", what,
                    node->kind == NODE_LIST ? "list" : "mapping");
    else if (pl_node_is_null(node) || !*node->text)
        pl_complain(&reader->complaints, node, "%s has no value", what);
    else
        return node->text;
    return NULL;
}
