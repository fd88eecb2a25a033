/* The tree that a YAML file becomes: its nodes know where they stand, and live as long as their pool. */
#ifndef PL_SPEC_NODE_H
#define PL_SPEC_NODE_H

#include "base/base.h"

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
    enum node_kind kind;
    bool plain;    /* a scalar without quotes */
    bool in_place; /* a scalar whose characters stand as they are from its place on, behind the quote if it has one */
    bool repeated; /* a key that its mapping already has: dropped */
    unsigned line, column;
    size_t size;         /* nodes below and including this one, aliases expanded */
    const char *text;    /* of a scalar; has no NUL inside */
    struct node **items; /* of a list: count items; of a mapping: count pairs of key, value */
    size_t count;
};

bool pl_node_is_null(const struct node *node);
/* The value of a key of a mapping; NULL when it has none, or is no mapping. */
struct node *pl_node_find(const struct node *map, const char *key);
/* The node as a list: its items, or itself as the only one. */
struct node **pl_node_list(struct node **node, size_t *count);
/* Two scalars that mean the same (0.1 and 1e-1 do), or one node. */
bool pl_node_same(const struct node *a, const struct node *b);

#endif
