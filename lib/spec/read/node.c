/* Questions to the nodes of a file. */
#include "spec/read/node.h"

#include <string.h>

bool pl_node_is_null(const struct node *node)
{
    return node->kind == NODE_SCALAR && node->plain &&
           (!*node->text || !strcmp(node->text, "~") || !strcmp(node->text, "null") || !strcmp(node->text, "Null") ||
            !strcmp(node->text, "NULL"));
}

struct node *pl_node_find(const struct node *map, const char *key)
{
    for (size_t i = 0; map && map->kind == NODE_MAP && i < map->count; i++)
        if (!strcmp(map->items[2 * i]->text, key))
            return map->items[2 * i + 1];
    return NULL;
}

struct node **pl_node_list(struct node **node, size_t *count)
{
    if ((*node)->kind == NODE_LIST) {
        *count = (*node)->count;
        return (*node)->items;
    }
    *count = 1;
    return node;
}

bool pl_node_same(const struct node *a, const struct node *b)
{
    double x, y;
    if (!a || !b || a->kind != NODE_SCALAR || b->kind != NODE_SCALAR)
        return a == b;
    if (pl_number_read(a->text, &x) && pl_number_read(b->text, &y))
        return x == y;
    return !strcmp(a->text, b->text);
}
