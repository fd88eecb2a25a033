/* Softmax cross-entropy, the mean over the batch. With the target q = (1-s) onehot(label) + s/classes:
 *
 *   p = softmax(x),   loss = -1/B sum of q log p,   dx = (p - q) / B
 *
 * The gradient is written in the forward pass, where p is at hand. */
#include "nn/nn_priv.h"

int pl_graph_cross_entropy(struct pl_graph *g, int x, double smoothing)
{
    if (!pl_graph_has(g, x))
        return -1;
    struct pl_shape in = g->nodes[x].shape;
    if (in.height != 1 || in.width != 1)
        return pl_graph_fail(g, "cross-entropy needs one logit a class, not images of %dx%d", in.height, in.width);
    if (!(smoothing >= 0 && smoothing < 1))
        return pl_graph_fail(g, "label smoothing must be in [0,1), not %g", smoothing);
    int id = pl_graph_node(g, &pl_op_loss, x, -1, (struct pl_shape){1, 1, 1});
    if (id >= 0)
        g->nodes[id].loss.smoothing = smoothing;
    return id;
}

static void flow(struct pl_plan *p, int id)
{
    if (!p->planned[p->nodes[id].inputs[0]].wants)
        return;
    if (p->sequence) /* a vocabulary of logits for every token */
        pl_flow_over(p, id, 0);
    else
        pl_flow_into(p, id, 0);
    pl_plan_touch(p, p->planned[id].flow[0].place, pl_forward_time(p, id));
}

static size_t workspace(struct pl_plan *p, int id)
{
    struct pl_view x = pl_plan_value(p, p->nodes[id].inputs[0]);
    return p->device->type->loss_workspace(p->device, &x);
}

static void forward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    struct pl_view x = pl_plan_value(p, n->inputs[0]), dx;
    bool wanted = p->planned[id].flow[0].kind != PL_FLOW_NONE;
    if (wanted)
        dx = pl_plan_view(p, n->inputs[0], p->planned[id].flow[0].place);
    char *memory = p->net->shared;
    p->device->type->cross_entropy(p->device, &x, memory + p->labels, n->loss.smoothing, wanted ? &dx : NULL,
                                   memory + p->result, pl_plan_work(p));
}

const struct pl_operator pl_op_loss = {
    .name = "cross-entropy",
    .operation = PL_OPERATION_LOSS,
    .loss = true,
    .flow = flow,
    .workspace = workspace,
    .forward = forward,
};
