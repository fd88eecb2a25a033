/* YAML text as a tree of nodes with positions. An alias shares the node of its anchor, so a bomb of
 * aliases costs nothing here; the sizes that nodes carry count every alias in full, and a tree that is too
 * large by that measure is refused before anybody walks it. */
#include "spec/read/parse.h"

#include "spec/read/complaint.h"
#include "spec/read/node.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum {
    MOST_NODES = 2000000, /* of a spec, every alias counted in full */
    DEEPEST = 40,         /* nesting of lists and mappings */
    MOST_ANCHORS = 250,
};

struct anchor {
    const char *name;
    struct node *node; /* NULL: still being read */
};

struct parse {
    yaml_parser_t yaml;
    const char *text;
    size_t length;
    struct pl_pool *pool;
    struct complaints *complaints;
    struct anchor *anchors;
    size_t anchor_count;
    size_t nodes;
};

/* Children of a collection while it is read. */
struct children {
    struct node **list;
    size_t count, capacity;
};

static void children_add(struct children *children, struct node *node)
{
    void *list = children->list;
    pl_grow(&list, &children->capacity, children->count + 1, sizeof *children->list);
    children->list = list;
    children->list[children->count++] = node;
}

static void place_of(const char *text, size_t offset, unsigned *line, unsigned *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
            ++*column;
        }
    }
}

static bool fail_event(struct parse *p, const yaml_event_t *event, const char *sentence)
{
    pl_complain_at(p->complaints, (unsigned)event->start_mark.line + 1, (unsigned)event->start_mark.column + 1, "%s",
                   sentence);
    return false;
}

/* libyaml's own words for a syntax error, with a hint where it is known what usually lies behind it. */
static void complain_syntax(struct parse *p)
{
    const yaml_parser_t *y = &p->yaml;
    if (y->error == YAML_READER_ERROR) {
        unsigned line, column;
        place_of(p->text, y->problem_offset < p->length ? y->problem_offset : p->length, &line, &column);
        pl_complain_at(p->complaints, line, column, "the character %s%X is not allowed in YAML",
                       y->problem_value > 0 ? "U+" : "", (unsigned)y->problem_value);
        return;
    }
    const yaml_mark_t *at = &y->problem_mark;
    bool tab = at->index < p->length && p->text[at->index] == '\t';
    struct pl_text context = {0};
    if (y->context)
        pl_text_addf(&context, " %s that began in line %zu, column %zu", y->context, y->context_mark.line + 1,
                     y->context_mark.column + 1);
    pl_complain_at(p->complaints, (unsigned)at->line + 1, (unsigned)at->column + 1, "%s%s%s",
                   y->problem ? y->problem : "this is not YAML", pl_text(&context),
                   tab ? "; tabs cannot indent, use spaces" : "");
    pl_text_release(&context);
}

static bool next_event(struct parse *p, yaml_event_t *event)
{
    if (yaml_parser_parse(&p->yaml, event))
        return true;
    complain_syntax(p);
    return false;
}

static struct node *new_node(struct parse *p, const yaml_event_t *event, enum node_kind kind)
{
    struct node *node = pl_pool_new(p->pool, 1, sizeof *node);
    node->kind = kind;
    node->line = (unsigned)event->start_mark.line + 1;
    node->column = (unsigned)event->start_mark.column + 1;
    node->size = 1;
    return node;
}

static bool too_large(struct parse *p, const yaml_event_t *event, size_t nodes)
{
    if (nodes <= MOST_NODES)
        return false;
    char sentence[100];
    snprintf(sentence, sizeof sentence, "the file is too large: more than %d values, aliases counted in full",
             MOST_NODES);
    fail_event(p, event, sentence);
    return true;
}

static bool add_anchor(struct parse *p, const yaml_event_t *event, const yaml_char_t *name, size_t *index)
{
    *index = SIZE_MAX;
    if (!name)
        return true;
    if (p->anchor_count == MOST_ANCHORS)
        return fail_event(p, event, "there are more than 250 anchors");
    *index = p->anchor_count;
    p->anchors[p->anchor_count++] = (struct anchor){.name = pl_pool_copy(p->pool, (const char *)name)};
    return true;
}

static struct node *find_alias(struct parse *p, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    for (size_t i = p->anchor_count; i-- > 0;) {
        if (strcmp(p->anchors[i].name, name))
            continue;
        if (!p->anchors[i].node)
            pl_complain_at(p->complaints, (unsigned)event->start_mark.line + 1, (unsigned)event->start_mark.column + 1,
                           "the alias *%.60s contains itself", name);
        return p->anchors[i].node;
    }
    pl_complain_at(p->complaints, (unsigned)event->start_mark.line + 1, (unsigned)event->start_mark.column + 1,
                   "there is no anchor &%.60s before this alias", name);
    return NULL;
}

static size_t characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static struct node *read_scalar(struct parse *p, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    if (memchr(text, '\0', event->data.scalar.length)) {
        fail_event(p, event, "this text contains a NUL character");
        return NULL;
    }
    struct node *node = new_node(p, event, NODE_SCALAR);
    node->text = pl_pool_copy(p->pool, text);
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->in_place = event->start_mark.line == event->end_mark.line &&
                     event->end_mark.column - event->start_mark.column == characters(text) + (node->plain ? 0 : 2);
    return node;
}

/* A mapping under construction: index from key to pair, for duplicates and merges. */
static int by_key(const void *a, const void *b)
{
    const struct node *const *x = a, *const *y = b;
    int order = strcmp((*x)->text, (*y)->text);
    if (order)
        return order;
    if ((*x)->line != (*y)->line)
        return (*x)->line < (*y)->line ? -1 : 1;
    return ((*x)->column > (*y)->column) - ((*x)->column < (*y)->column);
}

static bool is_merge(const struct node *key)
{
    return key->kind == NODE_SCALAR && key->plain && !strcmp(key->text, "<<");
}

/* The keys of pairs from start on, sorted. */
static struct node **sorted_keys(const struct children *pairs, size_t *count)
{
    *count = pairs->count / 2;
    struct node **keys = pl_resize(NULL, *count + 1, sizeof *keys);
    for (size_t i = 0; i < *count; i++)
        keys[i] = pairs->list[2 * i];
    qsort(keys, *count, sizeof *keys, by_key);
    return keys;
}

/* Complains of keys given twice and drops all but the first, so that no reader meets a key twice. */
static void drop_duplicates(struct parse *p, struct children *pairs)
{
    size_t count, kept = 0;
    struct node **keys = sorted_keys(pairs, &count);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(keys[i]->text, keys[i - 1]->text))
            continue;
        keys[i]->repeated = true;
        pl_complain(p->complaints, keys[i], "the key %.100s was already given in line %u", keys[i]->text,
                    keys[i - 1]->line);
    }
    free(keys);
    for (size_t i = 0; i < pairs->count; i += 2) {
        if (pairs->list[i]->repeated)
            continue;
        pairs->list[kept++] = pairs->list[i];
        pairs->list[kept++] = pairs->list[i + 1];
    }
    pairs->count = kept;
}

/* Appends the pairs of a merged mapping whose keys are not yet there. */
static void merge_one(struct parse *p, struct children *pairs, const struct node *from)
{
    size_t count;
    struct node **keys = sorted_keys(pairs, &count);
    p->nodes += count;
    for (size_t i = 0; i < from->count; i++) {
        const struct node *key = from->items[2 * i];
        size_t low = 0, high = count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (strcmp(keys[middle]->text, key->text) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < count && !strcmp(keys[low]->text, key->text))
            continue;
        children_add(pairs, from->items[2 * i]);
        children_add(pairs, from->items[2 * i + 1]);
    }
    p->nodes += from->count;
    free(keys);
}

/* Replaces `<<: *base` and `<<: [*a, *b]` by the pairs they stand for; a mapping's own keys win. */
static bool merge(struct parse *p, const yaml_event_t *event, struct children *pairs)
{
    for (size_t i = 0; i < pairs->count; i += 2) {
        if (!is_merge(pairs->list[i]))
            continue;
        struct node *value = pairs->list[i + 1];
        memmove(pairs->list + i, pairs->list + i + 2, (pairs->count - i - 2) * sizeof *pairs->list);
        pairs->count -= 2;
        size_t count = value->kind == NODE_LIST ? value->count : 1;
        struct node **from = value->kind == NODE_LIST ? value->items : &value;
        for (size_t k = 0; k < count; k++) {
            if (from[k]->kind != NODE_MAP) {
                pl_complain(p->complaints, from[k], "<< merges mappings, and this is not one");
                return false;
            }
            merge_one(p, pairs, from[k]);
            if (too_large(p, event, p->nodes))
                return false;
        }
        return true;
    }
    return true;
}

static struct node *read_node(struct parse *p, yaml_event_t *event, int depth);

/* Reads children up to the closing event into children. */
static bool read_children(struct parse *p, yaml_event_type_t end, int depth, struct children *children)
{
    for (;;) {
        yaml_event_t event;
        if (!next_event(p, &event))
            return false;
        if (event.type == end) {
            yaml_event_delete(&event);
            return true;
        }
        bool key = end == YAML_MAPPING_END_EVENT && children->count % 2 == 0;
        struct node *node = read_node(p, &event, depth + 1);
        if (node && key && node->kind != NODE_SCALAR) {
            fail_event(p, &event, "a key must be a plain text, not a list or a mapping");
            node = NULL;
        }
        yaml_event_delete(&event);
        if (!node)
            return false;
        children_add(children, node);
    }
}

static struct node *read_collection(struct parse *p, const yaml_event_t *event, int depth)
{
    bool map = event->type == YAML_MAPPING_START_EVENT;
    if (depth >= DEEPEST) {
        fail_event(p, event, "lists and mappings are nested too deeply");
        return NULL;
    }
    struct node *node = new_node(p, event, map ? NODE_MAP : NODE_LIST);
    struct children children = {0};
    bool good = read_children(p, map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT, depth, &children);
    if (good && map) {
        drop_duplicates(p, &children);
        good = merge(p, event, &children);
    }
    for (size_t i = 0; i < children.count; i++)
        node->size += children.list[i]->size; /* each at most MOST_NODES, so no overflow in 64 bits */
    good = good && !too_large(p, event, node->size);
    node->count = map ? children.count / 2 : children.count;
    node->items = pl_pool_new(p->pool, children.count, sizeof *node->items);
    if (children.count)
        memcpy(node->items, children.list, children.count * sizeof *node->items);
    free(children.list);
    return good ? node : NULL;
}

static struct node *read_node(struct parse *p, yaml_event_t *event, int depth)
{
    if (too_large(p, event, ++p->nodes))
        return NULL;
    if (event->type == YAML_ALIAS_EVENT)
        return find_alias(p, event);
    const yaml_char_t *anchor, *tag;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (tag) {
        pl_complain_at(p->complaints, (unsigned)event->start_mark.line + 1, (unsigned)event->start_mark.column + 1,
                       "the tag %.60s is not supported; leave it out", (const char *)tag);
        return NULL;
    }
    size_t index;
    if (!add_anchor(p, event, anchor, &index))
        return NULL;
    struct node *node = event->type == YAML_SCALAR_EVENT ? read_scalar(p, event) : read_collection(p, event, depth);
    if (index != SIZE_MAX)
        p->anchors[index].node = node;
    return node;
}

/* What libyaml would not say well, or not at all. */
static bool check_bytes(const char *text, size_t length, struct complaints *complaints)
{
    unsigned line, column;
    size_t bad;
    const char *nul = length ? memchr(text, '\0', length) : NULL;
    if (length >= 2 && (!memcmp(text, "\xFF\xFE", 2) || !memcmp(text, "\xFE\xFF", 2))) {
        pl_complain_at(complaints, 1, 1, "the file is UTF-16; save it as UTF-8");
    } else if (!pl_utf8_valid(text, length, &bad)) {
        place_of(text, bad, &line, &column);
        pl_complain_at(complaints, line, column, "byte %zu (0x%02X) is not UTF-8", bad, (unsigned char)text[bad]);
    } else if (nul) {
        place_of(text, (size_t)(nul - text), &line, &column);
        pl_complain_at(complaints, line, column, "byte %zu is a NUL", (size_t)(nul - text));
    } else {
        return true;
    }
    return false;
}

static void read_documents(struct parse *p, struct children *documents)
{
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!next_event(p, &event))
            return;
        more = event.type != YAML_STREAM_END_EVENT;
        if (event.type != YAML_STREAM_START_EVENT && event.type != YAML_DOCUMENT_START_EVENT &&
            event.type != YAML_DOCUMENT_END_EVENT && more) {
            struct node *node = read_node(p, &event, 0);
            if (node)
                children_add(documents, node);
            more = node != NULL;
        } else if (event.type == YAML_DOCUMENT_START_EVENT) {
            p->anchor_count = 0; /* anchors belong to a document */
        }
        yaml_event_delete(&event);
    }
}

void pl_nodes_read(const char *text, size_t length, struct pl_pool *pool, struct complaints *complaints,
                   struct node ***documents, size_t *count)
{
    *documents = NULL;
    *count = 0;
    if (length > LARGEST_FILE) {
        pl_complain_at(complaints, 1, 1, "the file is larger than %d MiB", LARGEST_FILE >> 20);
        return;
    }
    if (!check_bytes(text, length, complaints))
        return;
    struct parse p = {.text = text, .length = length, .pool = pool, .complaints = complaints};
    if (!yaml_parser_initialize(&p.yaml)) {
        pl_complain_at(complaints, 1, 1, "no memory for a YAML parser");
        return;
    }
    yaml_parser_set_input_string(&p.yaml, (const unsigned char *)text, length);
    p.anchors = pl_pool_new(pool, MOST_ANCHORS, sizeof *p.anchors);
    struct children list = {0};
    read_documents(&p, &list);
    yaml_parser_delete(&p.yaml);
    *documents = pl_pool_new(pool, list.count, sizeof *list.list);
    if (list.count)
        memcpy(*documents, list.list, list.count * sizeof *list.list);
    *count = list.count;
    free(list.list);
}
