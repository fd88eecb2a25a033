/* Pooling: the maximum or the average of a window. The gradient of a maximum goes to the first largest
 * element, that of an average to all in equal parts (lib/device/ref/pool.c). */
#include "nn/nn_priv.h"

static int pool(struct pl_graph *g, int x, enum pl_pooling kind, const struct pl_window *w)
{
    struct pl_shape in = g->nodes[x].shape;
    struct pl_shape out = {in.channels, pl_window_places(in.height, w->kernel[0], w->stride[0], w->padding[0]),
                           pl_window_places(in.width, w->kernel[1], w->stride[1], w->padding[1])};
    if (!out.height || !out.width)
        return pl_graph_fail(g, "a pooling window of %dx%d does not fit in a %dx%d image padded by %d", w->kernel[0],
                             w->kernel[1], in.height, in.width, w->padding[0]);
    int id = pl_graph_node(g, &pl_op_pool, x, -1, out);
    if (id < 0)
        return -1;
    pl_graph_same_pieces(g, id, x);
    g->nodes[id].pool.kind = kind;
    g->nodes[id].pool.window = *w;
    return id;
}

static int square_pool(struct pl_graph *g, int x, enum pl_pooling kind, int kernel, int stride, int padding)
{
    if (!pl_graph_has(g, x))
        return -1;
    if (kernel < 1 || stride < 1 || padding < 0 || padding > kernel / 2)
        return pl_graph_fail(g,
                             "pooling needs a kernel and stride of at least 1 and a padding of at most half "
                             "the kernel, not %d, %d and %d",
                             kernel, stride, padding);
    struct pl_window window = {{kernel, kernel}, {stride, stride}, {padding, padding}};
    return pool(g, x, kind, &window);
}

int pl_graph_max_pool(struct pl_graph *g, int x, int kernel, int stride, int padding)
{
    return square_pool(g, x, PL_POOL_MAX, kernel, stride, padding);
}

int pl_graph_average_pool(struct pl_graph *g, int x, int kernel, int stride, int padding)
{
    return square_pool(g, x, PL_POOL_AVERAGE, kernel, stride, padding);
}

int pl_graph_global_pool(struct pl_graph *g, int x)
{
    if (!pl_graph_has(g, x))
        return -1;
    struct pl_shape in = g->nodes[x].shape;
    struct pl_window window = {{in.height, in.width}, {1, 1}, {0, 0}};
    return pool(g, x, PL_POOL_AVERAGE, &window);
}

static void describe(const struct pl_node *n, struct pl_text *text)
{
    const struct pl_window *w = &n->pool.window;
    pl_text_addf(text, "%s pool %dx%d", n->pool.kind == PL_POOL_MAX ? "max" : "average", w->kernel[0], w->kernel[1]);
}

static unsigned needs(const struct pl_node *n)
{
    return n->pool.kind == PL_POOL_MAX ? PL_NEEDS_INPUT | PL_NEEDS_OUTPUT : PL_NEEDS_NOTHING;
}

static void flow(struct pl_plan *p, int id)
{
    if (p->planned[p->nodes[id].inputs[0]].wants)
        pl_flow_into(p, id, 0);
}

static void forward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    struct pl_view x = pl_plan_value(p, n->inputs[0]), y = pl_plan_value(p, id);
    p->device->type->pool_forward(p->device, n->pool.kind, &n->pool.window, &x, &y);
    pl_plan_moments(p, id);
}

static void backward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    if (p->planned[id].flow[0].kind == PL_FLOW_NONE)
        return;
    struct pl_view dy = pl_plan_gradient(p, id), dx, x = {0}, y = {0};
    bool accumulate = pl_flow_begin(p, id, 0, &dx);
    if (n->pool.kind == PL_POOL_MAX) {
        x = pl_plan_value(p, n->inputs[0]);
        y = pl_plan_value(p, id);
    }
    p->device->type->pool_backward(p->device, n->pool.kind, &n->pool.window, &x, &y, &dy, &dx, accumulate);
}

const struct pl_operator pl_op_pool = {
    .name = "pool",
    .operation = PL_OPERATION_POOL,
    .describe = describe,
    .needs = needs,
    .flow = flow,
    .forward = forward,
    .backward = backward,
};
