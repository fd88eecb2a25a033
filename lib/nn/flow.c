/* Where gradients go. A plan walks its operators backwards; each says what it does with the gradient of its
 * inputs. The first to reach an input writes its gradient, the others add to it. Buffers are shared wherever
 * a gradient passes an operator unchanged (a sum, a slice of a concatenation) and copied only when one of
 * the sharers is about to add to it while another is still to be read. */
#include "nn/nn_priv.h"

#include <assert.h>

static const struct pl_place nowhere = {-1, 0};

static int width_of(const struct pl_plan *p, int id)
{
    return pl_plan_stored(p, p->nodes[id].pieces, p->nodes[id].piece_count);
}

/* Does nobody but `except` have a gradient in these channels that is still to be read when node id runs? */
static bool exclusive(const struct pl_plan *p, struct pl_place place, int width, int except, int id)
{
    for (int v = 0; v <= id; v++) {
        struct pl_place other = p->planned[v].gradient;
        if (v != except && other.storage == place.storage && other.first < place.first + width &&
            place.first < other.first + width_of(p, v))
            return false;
    }
    return true;
}

static struct pl_place fresh(struct pl_plan *p, int like)
{
    return (struct pl_place){pl_plan_storage(p, &p->nodes[like]), 0};
}

static void settle(struct pl_plan *p, int id, int input, int kind, struct pl_place original)
{
    struct pl_flow *flow = &p->planned[id].flow[input];
    flow->kind = kind;
    flow->place = p->planned[p->nodes[id].inputs[input]].gradient;
    flow->original = original;
    pl_plan_touch(p, flow->place, pl_backward_time(p, id));
    if (original.storage >= 0)
        pl_plan_touch(p, original, pl_backward_time(p, id));
}

/* Adds to a gradient that exists, in a buffer of its own if another's gradient lies there too. */
static void settle_add(struct pl_plan *p, int id, int input)
{
    int x = p->nodes[id].inputs[input];
    struct pl_place original = nowhere;
    if (!exclusive(p, p->planned[x].gradient, width_of(p, x), x, id)) {
        original = p->planned[x].gradient;
        p->planned[x].gradient = fresh(p, x);
    }
    settle(p, id, input, PL_FLOW_ADD, original);
}

void pl_flow_into(struct pl_plan *p, int id, int input)
{
    int x = p->nodes[id].inputs[input];
    if (p->planned[x].gradient.storage >= 0) {
        settle_add(p, id, input);
    } else {
        p->planned[x].gradient = fresh(p, x);
        settle(p, id, input, PL_FLOW_WRITE, nowhere);
    }
}

void pl_flow_reuse(struct pl_plan *p, int id, int input)
{
    int x = p->nodes[id].inputs[input];
    if (p->planned[x].gradient.storage < 0 && exclusive(p, p->planned[id].gradient, width_of(p, id), id, id)) {
        p->planned[x].gradient = p->planned[id].gradient;
        settle(p, id, input, PL_FLOW_WRITE, nowhere);
    } else {
        pl_flow_into(p, id, input);
    }
}

void pl_flow_over(struct pl_plan *p, int id, int input)
{
    int x = p->nodes[id].inputs[input];
    const struct pl_node *n = &p->nodes[x];
    bool mine = p->planned[x].gradient.storage < 0 && n->parent < 0 && n->op->free_after;
    for (int i = x + 1; i < p->count; i++)
        for (int k = 0; p->nodes[i].op && k < p->nodes[i].input_count; k++)
            mine = mine && (p->nodes[i].inputs[k] != x || i == id);
    if (!mine) {
        pl_flow_into(p, id, input);
        return;
    }
    p->planned[x].gradient = p->planned[x].value;
    settle(p, id, input, PL_FLOW_WRITE, nowhere);
}

void pl_flow_share(struct pl_plan *p, int id, int input, struct pl_place place)
{
    int x = p->nodes[id].inputs[input];
    if (!p->planned[x].wants)
        return;
    if (p->planned[x].gradient.storage >= 0) {
        settle_add(p, id, input);
    } else {
        p->planned[x].gradient = place;
        settle(p, id, input, PL_FLOW_SHARE, nowhere);
    }
}

struct pl_place pl_flow_mask(struct pl_plan *p, int id)
{
    struct pl_place dy = p->planned[id].gradient;
    if (!exclusive(p, dy, width_of(p, id), id, id))
        dy = fresh(p, id);
    pl_plan_touch(p, dy, pl_backward_time(p, id));
    p->planned[id].masked = dy;
    return dy;
}

bool pl_flow_begin(struct pl_plan *p, int id, int input, struct pl_view *dx)
{
    const struct pl_flow *flow = &p->planned[id].flow[input];
    int x = p->nodes[id].inputs[input];
    assert(flow->kind == PL_FLOW_WRITE || flow->kind == PL_FLOW_ADD);
    *dx = pl_plan_view(p, x, flow->place);
    if (flow->original.storage >= 0) {
        struct pl_view original = pl_plan_view(p, x, flow->original);
        p->device->type->copy(p->device, &original, dx);
    }
    return flow->kind == PL_FLOW_ADD;
}

void pl_flow_finish(struct pl_plan *p, int id, int input, struct pl_place place)
{
    if (p->planned[id].flow[input].kind != PL_FLOW_ADD)
        return;
    struct pl_view dx, from = pl_plan_view(p, p->nodes[id].inputs[input], place);
    pl_flow_begin(p, id, input, &dx);
    p->device->type->accumulate(p->device, &from, &dx);
}
