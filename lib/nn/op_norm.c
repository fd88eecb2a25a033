/* Batch norm, with what a plan fuses behind it (a residual sum, a ReLU):
 *
 *   y = relu(weight (x - mean) / sqrt(variance + epsilon) + bias + residual)
 *
 * In training mean and variance are the batch's. They belong to x, not to the norm: the operator that makes x
 * computes them (pl_plan_moments), once for all norms that read x, so that in a dense block the statistics of
 * old features are not computed again by every layer. In evaluation they are the running ones. The backward
 * formula stands in lib/device/ref/norm.c; the ReLU's mask is computed again from x, or read from y where a
 * residual was added. */
#include "nn/nn_priv.h"

int pl_graph_batch_norm(struct pl_graph *g, int x, const char *name)
{
    if (!pl_graph_has(g, x))
        return -1;
    int id = pl_graph_node(g, &pl_op_norm, x, -1, g->nodes[x].shape);
    if (id < 0)
        return -1;
    pl_graph_same_pieces(g, id, x);
    struct pl_node *n = &g->nodes[id];
    size_t channels = (size_t)n->shape.channels;
    struct pl_initial one = {PL_INITIAL_CONSTANT, 1}, zero = {PL_INITIAL_CONSTANT, 0};
    n->name = pl_graph_name(g, "%s", name);
    n->norm = (struct pl_batch_norm){.epsilon = 1e-5, .momentum = 0.1};
    n->weight = pl_graph_table_add(g, &g->parameters, name, "weight", &channels, 1, one);
    n->bias = pl_graph_table_add(g, &g->parameters, name, "bias", &channels, 1, zero);
    n->mean = pl_graph_table_add(g, &g->statistics, name, "running_mean", &channels, 1, zero);
    n->variance = pl_graph_table_add(g, &g->statistics, name, "running_var", &channels, 1, one);
    return id;
}

static bool has_residual(const struct pl_node *n)
{
    return n->input_count == 2;
}

static void describe(const struct pl_node *n, struct pl_text *text)
{
    pl_text_addf(text, "batch norm%s%s", has_residual(n) ? " + sum" : "", n->norm.relu ? " + relu" : "");
}

static unsigned needs(const struct pl_node *n)
{
    return PL_NEEDS_INPUT | (has_residual(n) && n->norm.relu ? PL_NEEDS_OUTPUT : 0);
}

static void flow(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    /* dx is computed even where nobody wants it: the gradients of weight and bias come with it. */
    if (!has_residual(n) || !p->planned[n->inputs[1]].wants) {
        pl_flow_reuse(p, id, 0);
        return;
    }
    struct pl_place masked = n->norm.relu ? pl_flow_mask(p, id) : p->planned[id].gradient;
    pl_flow_share(p, id, 1, masked);
    pl_flow_into(p, id, 0);
}

static size_t workspace(struct pl_plan *p, int id)
{
    struct pl_view x = pl_plan_value(p, p->nodes[id].inputs[0]);
    return p->device->type->norm_workspace(p->device, &x);
}

static void forward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    const struct pl_device_type *type = p->device->type;
    struct pl_view x = pl_plan_value(p, n->inputs[0]), y, residual = {0};
    double *mean = pl_plan_parameter(p, PL_STATISTICS, n->mean);
    double *variance = pl_plan_parameter(p, PL_STATISTICS, n->variance);
    if (has_residual(n))
        residual = pl_plan_value(p, n->inputs[1]);
    if (p->mode == PL_TRAINING && !p->backward)
        type->norm_running(p->device, &n->norm, &x, mean, variance);
    if (p->planned[id].deferred)
        return;
    y = pl_plan_value(p, id);
    if (p->mode == PL_TRAINING)
        mean = variance = NULL;
    type->norm_forward(p->device, &n->norm, &x, pl_plan_parameter(p, PL_PARAMETERS, n->weight),
                       pl_plan_parameter(p, PL_PARAMETERS, n->bias), mean, variance, has_residual(n) ? &residual : NULL,
                       &y, pl_plan_work(p));
    pl_plan_moments(p, id);
}

static void backward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    const struct pl_planned *planned = &p->planned[id];
    struct pl_view x = pl_plan_value(p, n->inputs[0]), y = {0}, dy = pl_plan_gradient(p, id), dx, masked;
    bool mask = planned->masked.storage >= 0, accumulate = pl_flow_begin(p, id, 0, &dx);
    if (has_residual(n) && n->norm.relu)
        y = pl_plan_value(p, id);
    if (mask)
        masked = pl_plan_view(p, id, planned->masked);
    p->device->type->norm_backward(
        p->device, &n->norm, &x, y.data ? &y : NULL, &dy, pl_plan_parameter(p, PL_PARAMETERS, n->weight),
        pl_plan_parameter(p, PL_PARAMETERS, n->bias), pl_plan_parameter(p, PL_GRADIENTS, n->weight),
        pl_plan_parameter(p, PL_GRADIENTS, n->bias), &dx, accumulate, mask ? &masked : NULL, pl_plan_work(p));
    if (has_residual(n))
        pl_flow_finish(p, id, 1, mask ? planned->masked : planned->gradient);
}

const struct pl_operator pl_op_norm = {
    .name = "batch norm",
    .operation = PL_OPERATION_NORM,
    .reads_moments = true,
    .describe = describe,
    .needs = needs,
    .flow = flow,
    .workspace = workspace,
    .forward = forward,
    .backward = backward,
};
