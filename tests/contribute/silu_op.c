/* y = x s(x), s(x) = 1 / (1 + e^-x) (Elfwing, Uchibe and Doya 2017) */
#include "nn/nn_priv.h"

static unsigned needs(const struct pl_node *n)
{
    (void)n;
    return PL_NEEDS_INPUT;
}

static void flow(struct pl_plan *p, int id)
{
    if (p->planned[p->nodes[id].inputs[0]].wants)
        pl_flow_reuse(p, id, 0);
}

static void forward(struct pl_plan *p, int id)
{
    struct pl_view x = pl_plan_value(p, p->nodes[id].inputs[0]), y = pl_plan_value(p, id);
    p->device->type->silu_forward(p->device, &x, &y);
    pl_plan_moments(p, id);
}

static void backward(struct pl_plan *p, int id)
{
    if (p->planned[id].flow[0].kind == PL_FLOW_NONE)
        return;
    struct pl_view x = pl_plan_value(p, p->nodes[id].inputs[0]), dy = pl_plan_gradient(p, id), dx;
    bool accumulate = pl_flow_begin(p, id, 0, &dx);
    p->device->type->silu_backward(p->device, &x, &dy, &dx, accumulate);
}

static const struct pl_operator op = {
    .name = "silu",
    .operation = PL_OPERATION_SILU,
    .needs = needs,
    .flow = flow,
    .forward = forward,
    .backward = backward,
};

int pl_graph_silu(struct pl_graph *g, int x)
{
    if (!pl_graph_has(g, x))
        return -1;
    int id = pl_graph_node(g, &op, x, -1, g->nodes[x].shape);
    if (id >= 0)
        pl_graph_same_pieces(g, id, x);
    return id;
}
