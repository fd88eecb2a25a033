/* The operators without arithmetic worth the name. */
#include "nn/nn_priv.h"

/* ---- the input: written by pl_plan_input */

int pl_graph_input(struct pl_graph *g, struct pl_shape shape)
{
    if (shape.channels < 1 || shape.height < 1 || shape.width < 1)
        return pl_graph_fail(g, "an input of %d x %d x %d has no pixels", shape.channels, shape.height, shape.width);
    return pl_graph_node(g, &pl_op_input, -1, -1, shape);
}

static void input_forward(struct pl_plan *p, int id)
{
    pl_plan_moments(p, id);
}

void pl_plan_input(struct pl_plan *p, const void *images, enum pl_element element)
{
    for (int i = 0; i < p->count; i++)
        if (p->nodes[i].op == &pl_op_input) {
            p->backward = false;
            struct pl_view x = pl_plan_value(p, i);
            p->device->type->write(p->device, &x, images, element);
        }
}

const struct pl_operator pl_op_input = {.name = "input", .external = true, .forward = input_forward};

/* ---- y = max(x, 0);  dx = dy where y > 0, else 0 */

int pl_graph_relu(struct pl_graph *g, int x)
{
    if (!pl_graph_has(g, x))
        return -1;
    int id = pl_graph_node(g, &pl_op_relu, x, -1, g->nodes[x].shape);
    if (id >= 0)
        pl_graph_same_pieces(g, id, x);
    return id;
}

static unsigned relu_needs(const struct pl_node *n)
{
    (void)n;
    return PL_NEEDS_OUTPUT;
}

static void mask_flow(struct pl_plan *p, int id)
{
    if (p->planned[p->nodes[id].inputs[0]].wants)
        pl_flow_share(p, id, 0, pl_flow_mask(p, id));
}

static void relu_forward(struct pl_plan *p, int id)
{
    struct pl_view x = pl_plan_value(p, p->nodes[id].inputs[0]), y = pl_plan_value(p, id);
    p->device->type->relu_forward(p->device, &x, &y);
    pl_plan_moments(p, id);
}

static void relu_backward(struct pl_plan *p, int id)
{
    if (p->planned[id].masked.storage < 0)
        return;
    struct pl_view y = pl_plan_value(p, id), dy = pl_plan_gradient(p, id);
    struct pl_view dx = pl_plan_view(p, id, p->planned[id].masked);
    p->device->type->relu_backward(p->device, &y, &dy, &dx);
    pl_flow_finish(p, id, 0, p->planned[id].masked);
}

const struct pl_operator pl_op_relu = {
    .name = "relu",
    .operation = PL_OPERATION_RELU,
    .in_place = true,
    .needs = relu_needs,
    .flow = mask_flow,
    .forward = relu_forward,
    .backward = relu_backward,
};

/* ---- y = keep x / (1-p), keep a fresh random mask;  dx = keep dy / (1-p) */

static int dropout(struct pl_graph *g, int x, double probability, bool locked)
{
    if (!pl_graph_has(g, x))
        return -1;
    if (!(probability >= 0 && probability < 1))
        return pl_graph_fail(g, "a dropout probability must be in [0,1), not %g", probability);
    int id = pl_graph_node(g, &pl_op_dropout, x, -1, g->nodes[x].shape);
    if (id < 0)
        return -1;
    pl_graph_same_pieces(g, id, x);
    g->nodes[id].drop.probability = probability;
    g->nodes[id].drop.layer = (uint64_t)g->dropouts++;
    g->nodes[id].drop.locked = locked;
    return id;
}

int pl_graph_dropout(struct pl_graph *g, int x, double probability)
{
    return dropout(g, x, probability, false);
}

int pl_graph_locked_dropout(struct pl_graph *g, int x, double probability)
{
    if (pl_graph_has(g, x) && g->nodes[x].shape.height * g->nodes[x].shape.width != 1)
        return pl_graph_fail(g, "a locked dropout is for sequences, not for images of %dx%d", g->nodes[x].shape.height,
                             g->nodes[x].shape.width);
    return dropout(g, x, probability, true);
}

static void dropout_describe(const struct pl_node *n, struct pl_text *text)
{
    pl_text_addf(text, "%sdropout %g", n->drop.locked ? "locked " : "", n->drop.probability);
}

static bool dropout_identity(const struct pl_node *n, enum pl_mode mode)
{
    return mode != PL_TRAINING || n->drop.probability == 0;
}

static size_t dropout_workspace(struct pl_plan *p, int id)
{
    struct pl_view x = pl_plan_value(p, p->nodes[id].inputs[0]);
    return p->device->type->dropout_workspace(p->device, &x);
}

static void drop(struct pl_plan *p, int id, const struct pl_view *from, const struct pl_view *to)
{
    struct pl_drop d = pl_plan_drop(p, &p->nodes[id]);
    p->device->type->dropout(p->device, &d, from, to, pl_plan_work(p));
}

static void dropout_forward(struct pl_plan *p, int id)
{
    struct pl_view x = pl_plan_value(p, p->nodes[id].inputs[0]), y = pl_plan_value(p, id);
    drop(p, id, &x, &y);
    pl_plan_moments(p, id);
}

static void dropout_backward(struct pl_plan *p, int id)
{
    if (p->planned[id].masked.storage < 0)
        return;
    struct pl_view dy = pl_plan_gradient(p, id), dx = pl_plan_view(p, id, p->planned[id].masked);
    drop(p, id, &dy, &dx);
    pl_flow_finish(p, id, 0, p->planned[id].masked);
}

const struct pl_operator pl_op_dropout = {
    .name = "dropout",
    .operation = PL_OPERATION_DROPOUT,
    .describe = dropout_describe,
    .identity = dropout_identity,
    .flow = mask_flow,
    .workspace = dropout_workspace,
    .forward = dropout_forward,
    .backward = dropout_backward,
};

/* ---- y = a + b, with the ReLU that a plan fuses behind it;  da = db = dy, masked by the ReLU */

static int copy(struct pl_graph *g, int x)
{
    return pl_graph_node(g, &pl_op_copy, x, -1, g->nodes[x].shape);
}

static bool equal_pieces(const struct pl_node *a, const struct pl_node *b)
{
    if (a->piece_count != b->piece_count)
        return false;
    for (int i = 0; i < a->piece_count; i++)
        if (a->pieces[i] != b->pieces[i])
            return false;
    return true;
}

int pl_graph_add(struct pl_graph *g, int a, int b)
{
    if (!pl_graph_has(g, a) || !pl_graph_has(g, b))
        return -1;
    struct pl_shape s = g->nodes[a].shape, t = g->nodes[b].shape;
    if (s.channels != t.channels || s.height != t.height || s.width != t.width)
        return pl_graph_fail(g, "a sum needs equal shapes, not %dx%dx%d and %dx%dx%d", s.channels, s.height, s.width,
                             t.channels, t.height, t.width);
    if (!equal_pieces(&g->nodes[a], &g->nodes[b])) { /* a concatenation: bring both into one piece */
        if (g->nodes[a].piece_count > 1)
            a = copy(g, a);
        if (g->nodes[b].piece_count > 1)
            b = copy(g, b);
    }
    int id = pl_graph_node(g, &pl_op_add, a, b, s);
    if (id >= 0)
        pl_graph_same_pieces(g, id, a);
    return id;
}

static void add_describe(const struct pl_node *n, struct pl_text *text)
{
    pl_text_add(text, n->sum.relu ? "sum + relu" : "sum");
}

static unsigned add_needs(const struct pl_node *n)
{
    return n->sum.relu ? PL_NEEDS_OUTPUT : PL_NEEDS_NOTHING;
}

static void add_flow(struct pl_plan *p, int id)
{
    struct pl_place dy = p->nodes[id].sum.relu ? pl_flow_mask(p, id) : p->planned[id].gradient;
    pl_flow_share(p, id, 0, dy);
    pl_flow_share(p, id, 1, dy);
}

static void add_forward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    struct pl_view a = pl_plan_value(p, n->inputs[0]), b = pl_plan_value(p, n->inputs[1]), y = pl_plan_value(p, id);
    p->device->type->add(p->device, &a, &b, n->sum.relu, &y);
    pl_plan_moments(p, id);
}

static void add_backward(struct pl_plan *p, int id)
{
    struct pl_place place = p->planned[id].gradient;
    if (p->nodes[id].sum.relu) {
        struct pl_view y = pl_plan_value(p, id), dy = pl_plan_gradient(p, id);
        place = p->planned[id].masked;
        struct pl_view masked = pl_plan_view(p, id, place);
        p->device->type->relu_backward(p->device, &y, &dy, &masked);
    }
    pl_flow_finish(p, id, 0, place);
    pl_flow_finish(p, id, 1, place);
}

const struct pl_operator pl_op_add = {
    .name = "sum",
    .operation = PL_OPERATION_ADD,
    .describe = add_describe,
    .needs = add_needs,
    .flow = add_flow,
    .forward = add_forward,
    .backward = add_backward,
};

/* ---- concatenation: its inputs write into slices of its buffer, so nothing is computed or copied */

/* x if it may be placed in a concatenation's buffer, else a copy of it. */
static int placeable(struct pl_graph *g, int x)
{
    const struct pl_node *n = &g->nodes[x];
    return n->parent >= 0 || n->op->external || n->op->aliases ? copy(g, x) : x;
}

int pl_graph_concat(struct pl_graph *g, int front, int back)
{
    if (!pl_graph_has(g, front) || !pl_graph_has(g, back))
        return -1;
    struct pl_shape s = g->nodes[front].shape, t = g->nodes[back].shape;
    if (s.height != t.height || s.width != t.width)
        return pl_graph_fail(g, "a concatenation needs equal images, not %dx%d and %dx%d", s.height, s.width, t.height,
                             t.width);
    int inputs[2] = {placeable(g, front), 0};
    g->nodes[inputs[0]].parent = (int)g->count; /* so that front == back makes a copy; corrected below */
    inputs[1] = placeable(g, back);
    s.channels += t.channels;
    int id = pl_graph_node(g, &pl_op_concat, inputs[0], inputs[1], s), at = 0;
    if (id < 0)
        return -1;
    struct pl_node *n = &g->nodes[id];
    n->piece_count = g->nodes[inputs[0]].piece_count + g->nodes[inputs[1]].piece_count;
    int *pieces = pl_pool_take(&g->pool, (size_t)n->piece_count * sizeof *pieces);
    for (int k = 0; k < 2; k++) {
        struct pl_node *x = &g->nodes[inputs[k]];
        x->parent = id;
        x->parent_piece = at;
        for (int i = 0; i < x->piece_count; i++)
            pieces[at++] = x->pieces[i];
    }
    n->pieces = pieces;
    return id;
}

static void concat_flow(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    for (int k = 0; k < 2; k++)
        pl_flow_share(p, id, k, pl_plan_slice(p, p->planned[id].gradient, n, p->nodes[n->inputs[k]].parent_piece));
}

static void concat_backward(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    for (int k = 0; k < 2; k++)
        pl_flow_finish(p, id, k, pl_plan_slice(p, p->planned[id].gradient, n, p->nodes[n->inputs[k]].parent_piece));
}

const struct pl_operator pl_op_concat = {
    .name = "concat",
    .gathers = true,
    .flow = concat_flow,
    .backward = concat_backward,
};

/* ---- y = x in a buffer of its own;  dx = dy */

static void copy_flow(struct pl_plan *p, int id)
{
    if (p->planned[p->nodes[id].inputs[0]].wants)
        pl_flow_into(p, id, 0);
}

static void copy_forward(struct pl_plan *p, int id)
{
    struct pl_view x = pl_plan_value(p, p->nodes[id].inputs[0]), y = pl_plan_value(p, id);
    p->device->type->copy(p->device, &x, &y);
    pl_plan_moments(p, id);
}

static void copy_backward(struct pl_plan *p, int id)
{
    if (p->planned[id].flow[0].kind == PL_FLOW_NONE)
        return;
    struct pl_view dy = pl_plan_gradient(p, id), dx;
    if (pl_flow_begin(p, id, 0, &dx))
        p->device->type->accumulate(p->device, &dy, &dx);
    else
        p->device->type->copy(p->device, &dy, &dx);
}

const struct pl_operator pl_op_copy = {
    .name = "copy",
    .flow = copy_flow,
    .forward = copy_forward,
    .backward = copy_backward,
};
