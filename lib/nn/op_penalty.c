/* Penalties on activations (Merity et al. 2018, section 4.5). The value passes unchanged and is not copied; over the N
 * numbers of x, or the N differences between successive steps:
 *
 *   activation:  a/N sum x[t]^2,             dx[t] = dy[t] + 2a/N x[t]
 *   change:      a/N sum (x[t+1] - x[t])^2,  dx[t] = dy[t] + 2a/N ((x[t] - x[t-1]) - (x[t+1] - x[t]))
 *
 * without the differences that would reach beyond the sequence. */
#include "nn/nn_priv.h"

int pl_graph_penalty(struct pl_graph *g, int x, enum pl_penalty kind, double coefficient)
{
    if (!pl_graph_has(g, x))
        return -1;
    struct pl_node *in = &g->nodes[x];
    if (!(coefficient >= 0 && coefficient <= 1e30))
        return pl_graph_fail(g, "the coefficient of a penalty must be at least 0, not %g", coefficient);
    if (in->shape.height != 1 || in->shape.width != 1 || in->piece_count > 1 || in->op->words)
        return pl_graph_fail(g, "a penalty is for the features of one layer, not for an image, tokens or a "
                                "concatenation");
    int id = pl_graph_node(g, &pl_op_penalty, x, -1, in->shape);
    g->nodes[id].penalty.kind = kind;
    g->nodes[id].penalty.coefficient = coefficient;
    return id;
}

double pl_plan_penalty(struct pl_plan *p, enum pl_penalty kind)
{
    double sum = 0, value;
    for (int i = 0; i < p->count; i++)
        if (p->nodes[i].op == &pl_op_penalty && p->nodes[i].penalty.kind == kind) {
            p->device->type->download(p->device, pl_plan_penalty_at(p, i), &value, sizeof value);
            sum += value;
        }
    return sum;
}

static void describe(const struct pl_node *n, struct pl_text *text)
{
    pl_text_addf(text, "%s penalty %g", n->penalty.kind == PL_PENALTY_CHANGE ? "change" : "activation",
                 n->penalty.coefficient);
}

static bool identity(const struct pl_node *n, enum pl_mode mode)
{
    return mode != PL_TRAINING || n->penalty.coefficient == 0;
}

static unsigned needs(const struct pl_node *n)
{
    (void)n;
    return PL_NEEDS_INPUT;
}

static void flow(struct pl_plan *p, int id)
{
    if (p->planned[p->nodes[id].inputs[0]].wants)
        pl_flow_share(p, id, 0, pl_flow_mask(p, id));
}

static size_t workspace(struct pl_plan *p, int id)
{
    struct pl_view x = pl_plan_value(p, id);
    return p->device->type->penalty_workspace(p->device, &x);
}

static void forward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    struct pl_view x = pl_plan_value(p, id);
    p->device->type->penalty_forward(p->device, n->penalty.kind, n->penalty.coefficient, &x, pl_plan_penalty_at(p, id),
                                     pl_plan_work(p));
    pl_plan_moments(p, id);
}

static void backward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    if (p->planned[id].masked.storage < 0)
        return;
    struct pl_view x = pl_plan_value(p, id), dy = pl_plan_gradient(p, id);
    struct pl_view dx = pl_plan_view(p, id, p->planned[id].masked);
    p->device->type->penalty_backward(p->device, n->penalty.kind, n->penalty.coefficient, &x, &dy, &dx);
    pl_flow_finish(p, id, 0, p->planned[id].masked);
}

const struct pl_operator pl_op_penalty = {
    .name = "penalty",
    .operation = PL_OPERATION_PENALTY,
    .aliases = true,
    .describe = describe,
    .identity = identity,
    .needs = needs,
    .flow = flow,
    .workspace = workspace,
    .forward = forward,
    .backward = backward,
};
