/* One LSTM layer over a sequence, carrying its state from batch to batch. With M a mask on the recurrent weights that
 * is the same for all steps (DropConnect; Merity et al. 2018, section 2):
 *
 *   (i, f, g, o) = W_ih x[t] + b_ih + (M W_hh / (1-p)) h[t-1] + b_hh,   c[t] = s(f) c[t-1] + s(i) tanh(g),
 *   y[t] = h[t] = s(o) tanh(c[t])
 *
 * The gradients stand in lib/device/ref/lstm.c. They end at the state before the first step, which came from another
 * batch (truncated backpropagation through time). */
#include "nn/nn_priv.h"

#include <math.h>

int pl_graph_lstm(struct pl_graph *g, int x, const char *name, int hidden, double dropout)
{
    if (!pl_graph_has(g, x))
        return -1;
    struct pl_shape in = g->nodes[x].shape;
    if (in.height != 1 || in.width != 1 || g->nodes[x].op->words || g->nodes[x].piece_count > 1)
        return pl_graph_fail(g,
                             "%s: an LSTM layer reads the features of one layer, not an image, tokens or a "
                             "concatenation",
                             name);
    if (hidden < 1)
        return pl_graph_fail(g, "%s: an LSTM layer needs at least one hidden unit, not %d", name, hidden);
    if (!(dropout >= 0 && dropout < 1))
        return pl_graph_fail(g, "%s: a dropout probability must be in [0,1), not %g", name, dropout);
    int id = pl_graph_node(g, &pl_op_lstm, x, -1, (struct pl_shape){hidden, 1, 1});
    size_t gates = 4 * (size_t)hidden, input[2] = {gates, (size_t)in.channels}, recurrent[2] = {gates, (size_t)hidden};
    struct pl_initial initial = {PL_INITIAL_UNIFORM, 1 / sqrt(hidden)};
    struct pl_node *n = &g->nodes[id];
    n->name = pl_graph_name(g, "%s", name);
    n->weight = pl_graph_table_add(g, &g->parameters, name, "weight_ih_l0", input, 2, initial);
    n->recurrent_weight = pl_graph_table_add(g, &g->parameters, name, "weight_hh_l0", recurrent, 2, initial);
    n->bias = pl_graph_table_add(g, &g->parameters, name, "bias_ih_l0", &gates, 1, initial);
    n->recurrent_bias = pl_graph_table_add(g, &g->parameters, name, "bias_hh_l0", &gates, 1, initial);
    n->drop.probability = dropout;
    n->drop.layer = (uint64_t)g->dropouts++;
    return id;
}

static uint64_t multiplications(const struct pl_graph *g, const struct pl_node *n)
{
    return (uint64_t)(g->parameters.entries[n->weight].count + g->parameters.entries[n->recurrent_weight].count);
}

/* h and c. */
static size_t state(const struct pl_node *n)
{
    return 2 * (size_t)n->shape.channels;
}

static unsigned needs(const struct pl_node *n)
{
    (void)n;
    return PL_NEEDS_INPUT;
}

static void flow(struct pl_plan *p, int id)
{
    if (p->planned[p->nodes[id].inputs[0]].wants)
        pl_flow_into(p, id, 0);
}

static bool drops(const struct pl_plan *p, const struct pl_node *n)
{
    return p->mode == PL_TRAINING && n->drop.probability > 0;
}

static size_t workspace(struct pl_plan *p, int id)
{
    struct pl_view x = pl_plan_value(p, p->nodes[id].inputs[0]);
    return p->device->type->lstm_workspace(p->device, &x, p->nodes[id].shape.channels);
}

static size_t reserve(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    struct pl_view x = pl_plan_value(p, n->inputs[0]);
    return p->device->type->lstm_reserve(p->device, &x, n->shape.channels, drops(p, n));
}

static struct pl_lstm tensors(const struct pl_plan *p, const struct pl_node *n, enum pl_arena_kind kind)
{
    return (struct pl_lstm){
        .hidden = n->shape.channels,
        .weight_ih = pl_plan_parameter(p, kind, n->weight),
        .weight_hh = pl_plan_parameter(p, kind, n->recurrent_weight),
        .bias_ih = pl_plan_parameter(p, kind, n->bias),
        .bias_hh = pl_plan_parameter(p, kind, n->recurrent_bias),
    };
}

static void forward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    const struct pl_planned *planned = &p->planned[id];
    struct pl_lstm w = tensors(p, n, PL_PARAMETERS);
    struct pl_drop drop = pl_plan_drop(p, n);
    struct pl_view x = pl_plan_value(p, n->inputs[0]), y = pl_plan_value(p, id);
    char *carried = (char *)p->state + planned->state * pl_element_size(p->device->type->element);
    p->device->type->lstm_forward(p->device, &w, drops(p, n) ? &drop : NULL, &x, carried, &y,
                                  pl_plan_storage_at(p, planned->reserve), pl_plan_work(p));
    pl_plan_moments(p, id);
}

static void backward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    const struct pl_planned *planned = &p->planned[id];
    struct pl_lstm w = tensors(p, n, PL_PARAMETERS), dw = tensors(p, n, PL_GRADIENTS);
    struct pl_drop drop = pl_plan_drop(p, n);
    struct pl_view x = pl_plan_value(p, n->inputs[0]), dy = pl_plan_gradient(p, id), dx;
    bool wanted = planned->flow[0].kind != PL_FLOW_NONE, accumulate = wanted && pl_flow_begin(p, id, 0, &dx);
    p->device->type->lstm_backward(p->device, &w, drops(p, n) ? &drop : NULL, &x, &dy, &dw, wanted ? &dx : NULL,
                                   accumulate, pl_plan_storage_at(p, planned->reserve), pl_plan_work(p));
}

const struct pl_operator pl_op_lstm = {
    .name = "lstm",
    .operation = PL_OPERATION_LSTM,
    .multiplications = multiplications,
    .state = state,
    .needs = needs,
    .flow = flow,
    .workspace = workspace,
    .reserve = reserve,
    .forward = forward,
    .backward = backward,
};
