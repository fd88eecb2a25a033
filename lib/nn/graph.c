#include "nn/nn_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pl_graph *pl_graph_new(void)
{
    return pl_new(sizeof(struct pl_graph));
}

void pl_graph_free(struct pl_graph *g)
{
    if (!g)
        return;
    free(g->nodes);
    free(g->parameters.entries);
    free(g->statistics.entries);
    pl_pool_release(&g->pool);
    free(g);
}

const char *pl_graph_name(struct pl_graph *g, const char *format, ...)
{
    char name[200];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return pl_pool_copy(&g->pool, name);
}

int pl_graph_fail(struct pl_graph *g, const char *format, ...)
{
    if (g->error.code)
        return -1;
    char text[sizeof g->error.text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pl_fail(&g->error, PL_EINPUT, "%s", text);
    return -1;
}

bool pl_graph_has(const struct pl_graph *g, int x)
{
    return !g->error.code && x >= 0 && (size_t)x < g->count;
}

int pl_graph_check(const struct pl_graph *g, struct pl_error *err)
{
    return g->error.code ? pl_fail(err, g->error.code, "%s", g->error.text) : 0;
}

int pl_graph_fits(const struct pl_graph *g, const struct pl_device *device, struct pl_error *err)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct pl_node *n = &g->nodes[i];
        if (!pl_device_supports(device->type, n->op->operation))
            return pl_fail(err, PL_EINPUT, "the device %s has no operator %s, which this network needs%s%s",
                           device->type->name, n->op->name, *n->name ? " for its layer " : "", n->name);
    }
    return 0;
}

int pl_graph_node(struct pl_graph *g, const struct pl_operator *op, int a, int b, struct pl_shape shape)
{
    if (g->error.code)
        return -1;
    bool tokens = (a >= 0 && g->nodes[a].op->words) || (b >= 0 && g->nodes[b].op->words);
    if (tokens && !op->reads_words)
        return pl_graph_fail(g, "tokens go into an embedding and nowhere else");
    void *list = g->nodes;
    pl_grow(&list, &g->capacity, g->count + 1, sizeof *g->nodes);
    g->nodes = list;
    int *pieces = pl_pool_take(&g->pool, sizeof *pieces);
    *pieces = shape.channels;
    struct pl_node *n = &g->nodes[g->count];
    *n = (struct pl_node){.op = op,
                          .name = "",
                          .inputs = {a, b},
                          .shape = shape,
                          .pieces = pieces,
                          .piece_count = 1,
                          .parent = -1,
                          .weight = -1,
                          .bias = -1,
                          .recurrent_weight = -1,
                          .recurrent_bias = -1,
                          .mean = -1,
                          .variance = -1};
    n->input_count = (a >= 0) + (b >= 0);
    return (int)g->count++;
}

void pl_graph_same_pieces(struct pl_graph *g, int node, int like)
{
    g->nodes[node].pieces = g->nodes[like].pieces;
    g->nodes[node].piece_count = g->nodes[like].piece_count;
}

int pl_graph_table_add(struct pl_graph *g, struct pl_tensor_table *table, const char *layer, const char *suffix,
                       const size_t *shape, int dims, struct pl_initial initial)
{
    void *list = table->entries;
    pl_grow(&list, &table->capacity, table->count + 1, sizeof *table->entries);
    table->entries = list;
    struct pl_parameter *p = &table->entries[table->count];
    *p = (struct pl_parameter){.name = pl_graph_name(g, "%s.%s", layer, suffix),
                               .dims = dims,
                               .count = 1,
                               .offset = table->length,
                               .initial = initial};
    for (int i = 0; i < dims; i++) {
        p->shape[i] = shape[i];
        p->count *= shape[i];
    }
    table->length += (p->count + PL_TENSOR_ALIGN - 1) / PL_TENSOR_ALIGN * PL_TENSOR_ALIGN;
    return (int)table->count++;
}

void pl_graph_initial(struct pl_graph *g, int layer, struct pl_initial weight, struct pl_initial bias)
{
    if (!pl_graph_has(g, layer))
        return;
    const struct pl_node *n = &g->nodes[layer];
    if (n->weight >= 0)
        g->parameters.entries[n->weight].initial = weight;
    if (n->bias >= 0)
        g->parameters.entries[n->bias].initial = bias;
    if (n->recurrent_weight >= 0)
        g->parameters.entries[n->recurrent_weight].initial = weight;
    if (n->recurrent_bias >= 0)
        g->parameters.entries[n->recurrent_bias].initial = bias;
}

struct pl_shape pl_graph_shape(const struct pl_graph *g, int x)
{
    return pl_graph_has(g, x) ? g->nodes[x].shape : (struct pl_shape){0, 0, 0};
}

const struct pl_parameter *pl_graph_parameters(const struct pl_graph *g, size_t *count)
{
    *count = g->parameters.count;
    return g->parameters.entries;
}

const struct pl_parameter *pl_graph_statistics(const struct pl_graph *g, size_t *count)
{
    *count = g->statistics.count;
    return g->statistics.entries;
}

size_t pl_graph_parameter_count(const struct pl_graph *g)
{
    size_t sum = 0;
    for (size_t i = 0; i < g->parameters.count; i++)
        sum += g->parameters.entries[i].count;
    return sum;
}

uint64_t pl_node_multiplications(const struct pl_graph *g, const struct pl_node *n)
{
    return n->op->multiplications ? n->op->multiplications(g, n) : 0;
}

uint64_t pl_graph_multiplications(const struct pl_graph *g)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < g->count; i++)
        sum += pl_node_multiplications(g, &g->nodes[i]);
    return sum;
}

void pl_node_describe(const struct pl_node *n, struct pl_text *text)
{
    if (n->op->describe)
        n->op->describe(n, text);
    else
        pl_text_add(text, n->op->name);
}

size_t pl_graph_layer_count(const struct pl_graph *g)
{
    return g->count;
}

/* Does an earlier layer have the weights of this one? */
static bool tied(const struct pl_graph *g, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (g->nodes[i].weight >= 0 && g->nodes[i].weight == g->nodes[index].weight)
            return true;
    return false;
}

void pl_graph_layer(const struct pl_graph *g, size_t index, struct pl_layer *layer, struct pl_text *text)
{
    const struct pl_node *n = &g->nodes[index];
    pl_text_clear(text);
    pl_node_describe(n, text);
    *layer = (struct pl_layer){.name = n->name,
                               .operation = pl_text(text),
                               .shape = n->shape,
                               .multiplications = pl_node_multiplications(g, n)};
    const int tensors[] = {tied(g, index) ? -1 : n->weight, n->bias, n->recurrent_weight, n->recurrent_bias};
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        if (tensors[i] >= 0)
            layer->parameters += g->parameters.entries[tensors[i]].count;
}
