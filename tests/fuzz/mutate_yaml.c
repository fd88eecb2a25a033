/* Changes YAML as what it is, for libFuzzer: the values and keys of a document become others, of its own, of another
 * input, or of a kind that nobody expects there. Every second time bytes are changed as always. Linked with a target
 * only where tools/fuzz searches (-Dfuzz=true). */
#include "base/base.h"

#include <yaml.h>

#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t most, unsigned seed);

enum { MOST_COPIED = 300 };

static uint64_t state;

static size_t below(size_t count) /* SplitMix64 */
{
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (size_t)((z ^ (z >> 31)) % count);
}

static bool load(yaml_document_t *document, const uint8_t *data, size_t size)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return false;
    yaml_parser_set_input_string(&parser, data, size);
    bool good = yaml_parser_load(&parser, document);
    yaml_parser_delete(&parser);
    if (good && yaml_document_get_root_node(document))
        return true;
    if (good)
        yaml_document_delete(document);
    return false;
}

/* Writes the document, which is then gone; 0: it is too long. */
static size_t dump(yaml_document_t *document, uint8_t *out, size_t most)
{
    yaml_emitter_t emitter;
    size_t size = 0;
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output_string(&emitter, out, most, &size);
    yaml_emitter_set_unicode(&emitter, 1);
    document->start_implicit = document->end_implicit = 1;
    bool good = yaml_emitter_dump(&emitter, document) && yaml_emitter_close(&emitter);
    yaml_emitter_delete(&emitter);
    return good ? size : 0;
}

/* ---- places ---- */

/* Where a node hangs: the value or the key of a pair, or an item of a list. */
struct place {
    int *node, *key; /* key: NULL in a list */
    yaml_node_t *in;
    size_t at;
};

static size_t count_of(const yaml_node_t *node)
{
    return node->type == YAML_MAPPING_NODE ? (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start)
           : node->type == YAML_SEQUENCE_NODE
               ? (size_t)(node->data.sequence.items.top - node->data.sequence.items.start)
               : 0;
}

static struct place place_in(yaml_node_t *node, size_t at)
{
    if (node->type == YAML_SEQUENCE_NODE)
        return (struct place){&node->data.sequence.items.start[at], NULL, node, at};
    yaml_node_pair_t *pair = &node->data.mapping.pairs.start[at];
    return (struct place){&pair->value, &pair->key, node, at};
}

/* Any place of the document; false: it has none. */
static bool any_place(yaml_document_t *document, struct place *place)
{
    size_t count = 0, nodes = (size_t)(document->nodes.top - document->nodes.start);
    for (size_t i = 0; i < nodes; i++)
        count += count_of(&document->nodes.start[i]);
    if (!count)
        return false;
    size_t chosen = below(count);
    for (size_t i = 0; i < nodes; i++) {
        size_t here = count_of(&document->nodes.start[i]);
        if (chosen < here) {
            *place = place_in(&document->nodes.start[i], chosen);
            return true;
        }
        chosen -= here;
    }
    return false;
}

/* A place of the same key as another one; false: there is none, or it stands in a list. */
static bool place_like(yaml_document_t *document, const yaml_node_t *key, struct place *place)
{
    for (int tries = 0; key && key->type == YAML_SCALAR_NODE && tries < 200; tries++) {
        if (!any_place(document, place) || !place->key)
            continue;
        const yaml_node_t *other = yaml_document_get_node(document, *place->key);
        if (other && other->type == YAML_SCALAR_NODE && other->data.scalar.length == key->data.scalar.length &&
            !memcmp(other->data.scalar.value, key->data.scalar.value, key->data.scalar.length))
            return true;
    }
    return false;
}

/* ---- what is put there ---- */

static int add_word(yaml_document_t *document, const char *word)
{
    return yaml_document_add_scalar(document, NULL, (const yaml_char_t *)word, (int)strlen(word),
                                    YAML_PLAIN_SCALAR_STYLE);
}

static int odd_value(yaml_document_t *document)
{
    static const char *const words[] = {"~",
                                        "''",
                                        "0",
                                        "1",
                                        "-1",
                                        "2",
                                        "3.5",
                                        "1e300",
                                        ".inf",
                                        "-.inf",
                                        ".nan",
                                        "true",
                                        "false",
                                        "x",
                                        "all",
                                        "auto",
                                        "{k}",
                                        "9223372036854775808",
                                        "1e400",
                                        "lambda",
                                        "optimizer",
                                        "seed",
                                        "epoch",
                                        "loss",
                                        "last loss",
                                        "best valid_accuracy",
                                        "= lambda * 2",
                                        "adam",
                                        "sgd",
                                        "vgg11",
                                        "../x",
                                        "s",
                                        "quick"};
    switch (below(8)) {
    case 0:
        return yaml_document_add_sequence(document, NULL, YAML_FLOW_SEQUENCE_STYLE);
    case 1:
        return yaml_document_add_mapping(document, NULL, YAML_FLOW_MAPPING_STYLE);
    default:
        return add_word(document, words[below(sizeof words / sizeof *words)]);
    }
}

/* The value in a list, alone or beside another one; or under a key. */
static int wrapped(yaml_document_t *document, int value)
{
    static const char *const keys[] = {"from", "log", "uniform", "choice", "integer", "name",
                                       "best", "to",  "x",       "min",    "max"};
    if (below(2)) {
        int list = yaml_document_add_sequence(document, NULL, YAML_FLOW_SEQUENCE_STYLE);
        if (list && value)
            yaml_document_append_sequence_item(document, list, value);
        int other = below(2) ? odd_value(document) : value;
        if (list && other)
            yaml_document_append_sequence_item(document, list, other);
        return list;
    }
    int map = yaml_document_add_mapping(document, NULL, YAML_FLOW_MAPPING_STYLE);
    int key = add_word(document, keys[below(sizeof keys / sizeof *keys)]);
    if (map && key && value)
        yaml_document_append_mapping_pair(document, map, key, value);
    return map;
}

/* A copy of a node of another document; *left bounds its nodes. */
static int copied(yaml_document_t *to, yaml_document_t *from, int id, int *left)
{
    yaml_node_t *node = yaml_document_get_node(from, id);
    if (!node || --*left < 0)
        return add_word(to, "x");
    if (node->type == YAML_SCALAR_NODE)
        return yaml_document_add_scalar(to, NULL, node->data.scalar.value, (int)node->data.scalar.length,
                                        node->data.scalar.style);
    bool list = node->type == YAML_SEQUENCE_NODE;
    int copy = list ? yaml_document_add_sequence(to, NULL, node->data.sequence.style)
                    : yaml_document_add_mapping(to, NULL, node->data.mapping.style);
    for (size_t i = 0; copy && i < count_of(node); i++) {
        struct place place = place_in(node, i);
        int key = place.key ? copied(to, from, *place.key, left) : 0, value = copied(to, from, *place.node, left);
        if (list && value)
            yaml_document_append_sequence_item(to, copy, value);
        else if (key && value)
            yaml_document_append_mapping_pair(to, copy, key, value);
    }
    return copy;
}

static void remove_at(const struct place *place)
{
    if (place->in->type == YAML_SEQUENCE_NODE) {
        yaml_node_item_t *items = place->in->data.sequence.items.start;
        memmove(items + place->at, items + place->at + 1, (count_of(place->in) - place->at - 1) * sizeof *items);
        place->in->data.sequence.items.top--;
    } else {
        yaml_node_pair_t *pairs = place->in->data.mapping.pairs.start;
        memmove(pairs + place->at, pairs + place->at + 1, (count_of(place->in) - place->at - 1) * sizeof *pairs);
        place->in->data.mapping.pairs.top--;
    }
}

/* Puts a value at a place. Nodes may have moved since the place was found, as some were added. */
static void put(yaml_document_t *document, size_t node, const struct place *place, int value, bool at_key)
{
    struct place now = place_in(&document->nodes.start[node], place->at);
    if (value)
        *(at_key && now.key ? now.key : now.node) = value;
}

static void append(yaml_document_t *document, size_t node, int key, int value)
{
    if (!key || !value)
        return;
    if (document->nodes.start[node].type == YAML_SEQUENCE_NODE)
        yaml_document_append_sequence_item(document, (int)node + 1, value);
    else
        yaml_document_append_mapping_pair(document, (int)node + 1, key, value);
}

static void change(yaml_document_t *document)
{
    struct place place, other;
    if (!any_place(document, &place))
        return;
    const size_t node = (size_t)(place.in - document->nodes.start);
    const int value = *place.node, key = place.key ? *place.key : 0;
    switch (below(7)) {
    case 0:
        remove_at(&place);
        break;
    case 1:
        put(document, node, &place, wrapped(document, value), false);
        break;
    case 2:
        if (any_place(document, &other))
            put(document, node, &place, *other.node, false);
        break;
    case 3:
        if (any_place(document, &other) && other.key)
            put(document, node, &place, *other.key, true);
        break;
    case 4:
        if (any_place(document, &other))
            append(document, node, other.key ? *other.key : key, *other.node);
        break;
    default:
        put(document, node, &place, odd_value(document), false);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    yaml_document_t document;
    state = seed;
    if (below(2) || !load(&document, data, size))
        return LLVMFuzzerMutate(data, size, most);
    for (size_t changes = 1 + below(3); changes--;)
        change(&document);
    size_t written = dump(&document, data, most);
    return written ? written : LLVMFuzzerMutate(data, size < most ? size : most, most);
}

/* A value of the one under the same key of the other, or a pair or item of the one beside those of the other. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t most, unsigned seed)
{
    yaml_document_t document, from;
    struct place place, source;
    int left = MOST_COPIED;
    state = seed;
    if (!load(&document, data, size))
        return 0;
    if (!load(&from, other, other_size)) {
        yaml_document_delete(&document);
        return 0;
    }
    if (any_place(&document, &place) && any_place(&from, &source)) {
        const size_t node = (size_t)(place.in - document.nodes.start);
        const yaml_node_t *key = place.key ? yaml_document_get_node(&document, *place.key) : NULL;
        struct place like;
        if (below(2) && place_like(&from, key, &like)) {
            put(&document, node, &place, copied(&document, &from, *like.node, &left), false);
        } else if (below(2)) {
            int name = source.key ? copied(&document, &from, *source.key, &left) : add_word(&document, "x");
            append(&document, node, name, copied(&document, &from, *source.node, &left));
        } else {
            put(&document, node, &place, copied(&document, &from, *source.node, &left), false);
        }
    }
    yaml_document_delete(&from);
    return dump(&document, out, most);
}
