/* Convolution and linear layers (a linear layer is a convolution whose kernel is the whole image):
 *
 *   y = w * x + b,   dx = dy correlated with w,   dw = x correlated with dy,   db = sum of dy
 *
 * The formulas with their indices stand in lib/device/ref/convolution.c. */
#include "nn/nn_priv.h"

#include <math.h>

static int convolution(struct pl_graph *g, int x, const char *name, struct pl_shape shape,
                       const struct pl_window *window, bool linear, bool bias)
{
    int in = g->nodes[x].shape.channels;
    int id = pl_graph_node(g, &pl_op_convolution, x, -1, shape);
    if (id < 0)
        return -1;
    struct pl_node *n = &g->nodes[id];
    n->name = pl_graph_name(g, "%s", name);
    n->convolution.window = *window;
    n->convolution.linear = linear;
    size_t taps = (size_t)window->kernel[0] * (size_t)window->kernel[1], out = (size_t)shape.channels;
    size_t conv_shape[4] = {out, (size_t)in, (size_t)window->kernel[0], (size_t)window->kernel[1]};
    size_t linear_shape[2] = {out, (size_t)in * taps};
    struct pl_initial initial = {PL_INITIAL_UNIFORM, 1 / sqrt((double)in * (double)taps)};
    n->weight = pl_graph_table_add(g, &g->parameters, name, "weight", linear ? linear_shape : conv_shape,
                                   linear ? 2 : 4, initial);
    if (bias)
        n->bias = pl_graph_table_add(g, &g->parameters, name, "bias", &out, 1, initial);
    return id;
}

int pl_graph_conv2d(struct pl_graph *g, int x, const char *name, int channels, int kernel, int stride, int padding,
                    bool bias)
{
    if (!pl_graph_has(g, x))
        return -1;
    struct pl_shape in = g->nodes[x].shape;
    if (channels < 1 || kernel < 1 || stride < 1 || padding < 0)
        return pl_graph_fail(g,
                             "%s: a convolution needs channels, kernel and stride of at least 1 and no "
                             "negative padding, not %d, %d, %d and %d",
                             name, channels, kernel, stride, padding);
    if (padding >= kernel)
        return pl_graph_fail(g, "%s: padding %d is not smaller than the kernel, %d", name, padding, kernel);
    struct pl_window window = {{kernel, kernel}, {stride, stride}, {padding, padding}};
    struct pl_shape out = {channels, pl_window_places(in.height, kernel, stride, padding),
                           pl_window_places(in.width, kernel, stride, padding)};
    if (!out.height || !out.width)
        return pl_graph_fail(g, "%s: a %dx%d kernel does not fit in a %dx%d image padded by %d", name, kernel, kernel,
                             in.height, in.width, padding);
    return convolution(g, x, name, out, &window, false, bias);
}

int pl_graph_linear(struct pl_graph *g, int x, const char *name, int features, bool bias)
{
    if (!pl_graph_has(g, x))
        return -1;
    if (features < 1)
        return pl_graph_fail(g, "%s: a linear layer needs at least one feature, not %d", name, features);
    struct pl_shape in = g->nodes[x].shape;
    struct pl_window window = {{in.height, in.width}, {1, 1}, {0, 0}};
    return convolution(g, x, name, (struct pl_shape){features, 1, 1}, &window, true, bias);
}

int pl_graph_tied_linear(struct pl_graph *g, int x, const char *name, int embedding)
{
    if (!pl_graph_has(g, x) || !pl_graph_has(g, embedding))
        return -1;
    if (g->nodes[embedding].op != &pl_op_embedding)
        return pl_graph_fail(g, "%s: the weights of a tied layer are those of an embedding", name);
    int weight = g->nodes[embedding].weight;
    const size_t *shape = g->parameters.entries[weight].shape;
    struct pl_shape in = g->nodes[x].shape;
    if ((size_t)in.channels != shape[1] || in.height != 1 || in.width != 1)
        return pl_graph_fail(g, "%s: tied weights need as many inputs as the embedding has features, %zu, not %d", name,
                             shape[1], in.channels * in.height * in.width);
    for (size_t i = 0; i < g->count; i++) /* the tied layer overwrites the gradient, then the embedding adds to it */
        if ((int)i != embedding && g->nodes[i].weight == weight)
            return pl_graph_fail(g, "%s: %s is tied to that embedding already", name, g->nodes[i].name);
    int id = pl_graph_node(g, &pl_op_convolution, x, -1, (struct pl_shape){(int)shape[0], 1, 1});
    if (id < 0)
        return -1;
    struct pl_node *n = &g->nodes[id];
    n->name = pl_graph_name(g, "%s", name);
    n->convolution.window = (struct pl_window){{1, 1}, {1, 1}, {0, 0}};
    n->convolution.linear = true;
    n->weight = weight;
    struct pl_initial zero = {PL_INITIAL_CONSTANT, 0};
    n->bias = pl_graph_table_add(g, &g->parameters, name, "bias", shape, 1, zero);
    return id;
}

static void describe(const struct pl_node *n, struct pl_text *text)
{
    const struct pl_window *w = &n->convolution.window;
    if (n->convolution.linear) {
        pl_text_add(text, "linear");
        return;
    }
    pl_text_addf(text, "conv %dx%d", w->kernel[0], w->kernel[1]);
    if (w->stride[0] != 1)
        pl_text_addf(text, " stride %d", w->stride[0]);
}

static uint64_t multiplications(const struct pl_graph *g, const struct pl_node *n)
{
    return (uint64_t)g->parameters.entries[n->weight].count * (uint64_t)n->shape.height * (uint64_t)n->shape.width;
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

static size_t workspace(struct pl_plan *p, int id)
{
    struct pl_view x = pl_plan_value(p, p->nodes[id].inputs[0]), y = pl_plan_value(p, id);
    p->device->type->convolution_choose(p->device, &p->nodes[id].convolution.window, &x, &y, &p->planned[id].choice);
    return p->planned[id].choice.workspace;
}

static void forward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    struct pl_view x = pl_plan_value(p, n->inputs[0]), y = pl_plan_value(p, id);
    p->device->type->convolution_forward(
        p->device, &n->convolution.window, &x, pl_plan_parameter(p, PL_PARAMETERS, n->weight),
        pl_plan_parameter(p, PL_PARAMETERS, n->bias), &y, p->planned[id].moments, pl_plan_work(p));
}

static void backward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    const struct pl_device_type *type = p->device->type;
    struct pl_view x = pl_plan_value(p, n->inputs[0]), dy = pl_plan_gradient(p, id), dx;
    type->convolution_backward_weights(p->device, &n->convolution.window, &x, &dy,
                                       pl_plan_parameter(p, PL_GRADIENTS, n->weight),
                                       pl_plan_parameter(p, PL_GRADIENTS, n->bias), pl_plan_work(p));
    if (p->planned[id].flow[0].kind == PL_FLOW_NONE)
        return;
    bool accumulate = pl_flow_begin(p, id, 0, &dx);
    dx.made = x.made;
    type->convolution_backward_data(p->device, &n->convolution.window, &dy,
                                    pl_plan_parameter(p, PL_PARAMETERS, n->weight), &dx, accumulate, pl_plan_work(p));
}

const struct pl_operator pl_op_convolution = {
    .name = "conv",
    .operation = PL_OPERATION_CONVOLUTION,
    .free_after = true,
    .describe = describe,
    .multiplications = multiplications,
    .needs = needs,
    .flow = flow,
    .workspace = workspace,
    .forward = forward,
    .backward = backward,
};
