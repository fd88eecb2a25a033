/* Rewrites a plan's copy of the graph. Numbers of nodes stay, so that a fused operator stands where the last
 * of its parts stood. */
#include "nn/nn_priv.h"

#include <stdlib.h>

static int consumers(const struct pl_plan *p, int x)
{
    int count = 0;
    for (int i = x + 1; i < p->count; i++)
        for (int k = 0; p->nodes[i].op && k < p->nodes[i].input_count; k++)
            count += p->nodes[i].inputs[k] == x;
    return count;
}

/* Keeps what the loss (or the last operator, where there is no loss) is made from. */
static void drop_unused(struct pl_plan *p)
{
    bool *used = pl_new((size_t)p->count * sizeof *used);
    used[p->loss >= 0 ? p->loss : p->count - 1] = true;
    for (int i = p->count - 1; i >= 0; i--)
        for (int k = 0; used[i] && k < p->nodes[i].input_count; k++)
            used[p->nodes[i].inputs[k]] = true;
    for (int i = 0; i < p->count; i++) {
        struct pl_node *n = &p->nodes[i];
        if (n->parent >= 0 && !used[n->parent])
            n->parent = -1;
        if (!used[i])
            n->op = NULL;
    }
    free(used);
}

static void replace_input(struct pl_plan *p, int from, int to)
{
    for (int i = from + 1; i < p->count; i++)
        for (int k = 0; k < p->nodes[i].input_count; k++)
            if (p->nodes[i].inputs[k] == from)
                p->nodes[i].inputs[k] = to;
    if (p->output == from)
        p->output = to;
}

/* A dropout that drops nothing, or a penalty of nothing, is its input; in a slice of a concatenation it is a copy. */
static void drop_identity(struct pl_plan *p, int id)
{
    struct pl_node *n = &p->nodes[id];
    if (!n->op || !n->op->identity || !n->op->identity(n, p->mode))
        return;
    if (n->parent >= 0) {
        n->op = &pl_op_copy;
    } else {
        replace_input(p, id, n->inputs[0]);
        n->op = NULL;
    }
}

/* Node `into` takes over the operator of node `from`, which goes; its own place in a concatenation stays. */
static void take_over(struct pl_plan *p, int into, int from)
{
    struct pl_node *n = &p->nodes[into], old = *n;
    *n = p->nodes[from];
    n->parent = old.parent;
    n->parent_piece = old.parent_piece;
    p->nodes[from].op = NULL;
}

static bool lone(const struct pl_plan *p, int x, const struct pl_operator *op)
{
    return p->nodes[x].op == op && consumers(p, x) == 1;
}

/* norm(x) + r becomes one norm with a residual. */
static void fuse_sum(struct pl_plan *p, int id)
{
    struct pl_node *n = &p->nodes[id];
    if (n->op != &pl_op_add)
        return;
    for (int k = 0; k < 2; k++) {
        int norm = n->inputs[k], other = n->inputs[1 - k];
        if (lone(p, norm, &pl_op_norm) && p->nodes[norm].input_count == 1 && !p->nodes[norm].norm.relu) {
            take_over(p, id, norm);
            n->inputs[1] = other;
            n->input_count = 2;
            return;
        }
    }
}

/* A ReLU joins the batch norm or sum in front of it. */
static void fuse_relu(struct pl_plan *p, int id)
{
    struct pl_node *n = &p->nodes[id];
    if (n->op != &pl_op_relu)
        return;
    int x = n->inputs[0];
    if (lone(p, x, &pl_op_norm) && !p->nodes[x].norm.relu) {
        take_over(p, id, x);
        n->norm.relu = true;
    } else if (lone(p, x, &pl_op_add) && !p->nodes[x].sum.relu) {
        take_over(p, id, x);
        n->sum.relu = true;
    }
}

/* An average of 1x1 convolutions is the 1x1 convolution of the average, with a fraction of the work. */
static void pool_first(struct pl_plan *p, int id)
{
    struct pl_node *pool = &p->nodes[id];
    if (pool->op != &pl_op_pool || pool->pool.kind != PL_POOL_AVERAGE || pool->pool.window.padding[0])
        return;
    int x = pool->inputs[0];
    const struct pl_window *w = &p->nodes[x].convolution.window;
    if (!lone(p, x, &pl_op_convolution) || p->nodes[x].convolution.linear || w->kernel[0] != 1 || w->kernel[1] != 1 ||
        w->stride[0] != 1 || w->padding[0] != 0)
        return;
    struct pl_node convolution = p->nodes[x], *first = &p->nodes[x];
    const struct pl_node *from = &p->nodes[convolution.inputs[0]];
    *first = *pool;
    first->parent = -1;
    first->inputs[0] = convolution.inputs[0];
    first->shape.channels = from->shape.channels;
    first->pieces = from->pieces;
    first->piece_count = from->piece_count;
    convolution.inputs[0] = x;
    convolution.shape = pool->shape;
    convolution.parent = pool->parent;
    convolution.parent_piece = pool->parent_piece;
    *pool = convolution;
}

/* A 1x1 convolution normalises while it reads, where the device can: nothing is stored between them. */
static void defer_norm(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    if (n->op != &pl_op_convolution || n->convolution.linear)
        return;
    const struct pl_window *w = &n->convolution.window;
    int x = n->inputs[0];
    p->planned[x].deferred = lone(p, x, &pl_op_norm) && p->nodes[x].input_count == 1 && p->nodes[x].parent < 0 &&
                             w->kernel[0] == 1 && w->kernel[1] == 1 && w->stride[0] == 1 && w->stride[1] == 1 &&
                             w->padding[0] == 0 && w->padding[1] == 0;
}

void pl_plan_rewrite(struct pl_plan *p)
{
    drop_unused(p);
    for (int i = 0; i < p->count; i++)
        drop_identity(p, i);
    for (int i = 0; i < p->count; i++)
        pool_first(p, i);
    for (int i = 0; i < p->count; i++)
        fuse_sum(p, i);
    for (int i = 0; i < p->count; i++)
        fuse_relu(p, i);
    for (int i = 0; p->device->type->normalises && i < p->count; i++)
        defer_norm(p, i);
}
