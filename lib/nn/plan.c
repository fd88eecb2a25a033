/* Compiling a plan. Time runs 0 .. count-1 through the forward pass and count+1 .. 2 count through the
 * backward pass; the input is written at -1 and the results are read at the end. */
#include "nn/nn_priv.h"

#include <stdlib.h>
#include <string.h>

static bool active(const struct pl_plan *p, int id)
{
    return p->nodes[id].op != NULL;
}

static size_t most_samples(const struct pl_plan *p)
{
    return (size_t)p->columns * (size_t)p->most_steps;
}

/* Which values have a parameter before them. */
static void mark_wants(struct pl_plan *p)
{
    for (int i = 0; i < p->count; i++) {
        const struct pl_node *n = &p->nodes[i];
        struct pl_planned *planned = &p->planned[i];
        planned->value = planned->again = planned->gradient = planned->masked = (struct pl_place){-1, 0};
        planned->rerun = planned->reserve = -1;
        if (p->mode != PL_TRAINING || !active(p, i))
            continue;
        planned->wants = n->weight >= 0;
        for (int k = 0; k < n->input_count; k++)
            planned->wants |= p->planned[n->inputs[k]].wants;
    }
}

static bool reads_input(const struct pl_node *n)
{
    return n->op && n->op->needs && n->op->needs(n) & PL_NEEDS_INPUT;
}

/* An operator may overwrite its input, where it can, when nobody else wants to see it, nor its own backward pass: nor a
 * part of it, where it is a concatenation. */
static bool in_place(const struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    if (!n->op || !n->op->in_place || n->parent >= 0 || (p->mode == PL_TRAINING && reads_input(n)))
        return false;
    const struct pl_node *x = &p->nodes[n->inputs[0]];
    if (x->parent >= 0 || x->op->external || x->op->gathers || x->op->aliases ||
        (x->op->needs && x->op->needs(x) & PL_NEEDS_OUTPUT))
        return false;
    for (int i = n->inputs[0] + 1; i < p->count; i++)
        for (int k = 0; active(p, i) && k < p->nodes[i].input_count; k++)
            if (i != id && p->nodes[i].inputs[k] == n->inputs[0])
                return false;
    return true;
}

/* From the last operator to the first, so that a concatenation has its buffer before its inputs do. */
static void place_values(struct pl_plan *p)
{
    for (int i = p->count - 1; i >= 0; i--) {
        const struct pl_node *n = &p->nodes[i];
        struct pl_planned *planned = &p->planned[i];
        if (!active(p, i) || n->op->aliases || planned->deferred)
            continue;
        if (n->op->words)
            planned->value = (struct pl_place){pl_plan_bytes(p, most_samples(p) * sizeof(int32_t)), 0};
        else if (n->parent >= 0)
            planned->value = pl_plan_slice(p, p->planned[n->parent].value, &p->nodes[n->parent], n->parent_piece);
        else if (planned->value.storage < 0)
            planned->value = (struct pl_place){pl_plan_storage(p, n), 0};
        if (in_place(p, i))
            p->planned[n->inputs[0]].value = planned->value;
    }
    for (int i = 0; i < p->count; i++)
        if (active(p, i) && p->nodes[i].op->aliases)
            p->planned[i].value = p->planned[p->nodes[i].inputs[0]].value;
}

/* What recurrent layers carry on, and what operators keep for their backward pass. */
static void place_states(struct pl_plan *p)
{
    for (int i = 0; i < p->count; i++) {
        const struct pl_node *n = &p->nodes[i];
        struct pl_planned *planned = &p->planned[i];
        if (active(p, i) && n->op->state) {
            planned->state = p->state_length;
            p->state_length += (size_t)p->columns * n->op->state(n);
        }
        if (active(p, i) && n->op->reserve) {
            planned->reserve = pl_plan_bytes(p, n->op->reserve(p, i));
            pl_plan_touch(p, (struct pl_place){planned->reserve, 0}, pl_forward_time(p, i));
            if (planned->wants)
                pl_plan_touch(p, (struct pl_place){planned->reserve, 0}, pl_backward_time(p, i));
        }
        for (int k = i + 1; n->weight >= 0 && k < p->count; k++) /* the backward pass comes to that one first */
            planned->added |= active(p, k) && p->nodes[k].weight == n->weight;
    }
}

/* The batch moments of x are wanted: those who write its channels compute them. */
static void want_moments(struct pl_plan *p, int x)
{
    const struct pl_node *n = &p->nodes[x];
    if (n->op->gathers) {
        want_moments(p, n->inputs[0]);
        want_moments(p, n->inputs[1]);
        return;
    }
    p->planned[x].moments = true;
    int storage = p->planned[x].value.storage;
    if (p->storages[storage].moments < 0) {
        int moments = pl_plan_bytes(p, 2 * (size_t)p->storages[storage].stored * sizeof(double));
        p->storages[storage].moments = moments;
    }
}

/* Does node i read id's output to normalise it? */
static bool reads_through(const struct pl_plan *p, int i, int id)
{
    int norm = p->nodes[i].inputs[0];
    return p->planned[norm].deferred && p->nodes[norm].inputs[0] == id;
}

/* The output of a norm over a concatenation is as wide as all features so far: it is not kept for the
 * backward pass of what reads it, but made again there, from an input that is kept. */
static void plan_recomputation(struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    if (!active(p, id) || !n->op->reads_moments || n->parent >= 0 || n->input_count > 1 || p->planned[id].deferred ||
        p->nodes[n->inputs[0]].piece_count == 1 || p->planned[n->inputs[0]].again.storage >= 0)
        return;
    int last = -1;
    for (int i = id + 1; i < p->count; i++)
        if (reads_input(&p->nodes[i]) && (p->nodes[i].inputs[0] == id || reads_through(p, i, id)))
            last = i;
    if (last < 0)
        return;
    p->planned[last].rerun = id;
    p->planned[id].again = (struct pl_place){pl_plan_storage(p, n), 0};
    p->storages[p->planned[id].again.storage].moments = p->storages[p->planned[id].value.storage].moments;
    pl_plan_touch(p, p->planned[id].again, pl_backward_time(p, last));
    pl_plan_touch(p, p->planned[n->inputs[0]].value, pl_backward_time(p, last));
}

/* When each value is written and read. */
static void touch_values(struct pl_plan *p)
{
    for (int i = 0; i < p->count; i++) {
        const struct pl_node *n = &p->nodes[i];
        if (!active(p, i))
            continue;
        if (!p->planned[i].deferred)
            pl_plan_touch(p, p->planned[i].value, n->op->external ? -1 : pl_forward_time(p, i));
        for (int k = 0; k < n->input_count; k++)
            pl_plan_touch(p, pl_plan_source(p, n->inputs[k], false), pl_forward_time(p, i));
        if (!p->planned[i].wants)
            continue;
        unsigned needs = n->op->needs ? n->op->needs(n) : PL_NEEDS_NOTHING;
        if (needs & PL_NEEDS_INPUT)
            pl_plan_touch(p, pl_plan_source(p, n->inputs[0], true), pl_backward_time(p, i));
        if (needs & PL_NEEDS_OUTPUT)
            pl_plan_touch(p, p->planned[i].value, pl_backward_time(p, i));
    }
    if (!p->sequence || p->mode == PL_EVALUATION)
        pl_plan_touch(p, p->planned[p->output].value, 2 * p->count + 1);
}

static void place_gradients(struct pl_plan *p)
{
    for (int i = p->count - 1; i >= 0; i--) {
        if (!active(p, i) || !p->planned[i].wants)
            continue;
        if (i != p->loss)
            pl_plan_touch(p, p->planned[i].gradient, pl_backward_time(p, i));
        if (p->nodes[i].op->flow)
            p->nodes[i].op->flow(p, i);
    }
}

static size_t largest_workspace(struct pl_plan *p)
{
    size_t largest = 0;
    for (int i = 0; i < p->count; i++) {
        if (!active(p, i))
            continue;
        size_t bytes = p->nodes[i].op->workspace ? p->nodes[i].op->workspace(p, i) : 0;
        if (bytes > largest)
            largest = bytes;
        if (!p->planned[i].moments)
            continue;
        struct pl_view y = pl_plan_value(p, i);
        bytes = p->device->type->norm_workspace(p->device, &y);
        if (bytes > largest)
            largest = bytes;
    }
    return largest;
}

static void compile(struct pl_plan *p)
{
    const struct pl_graph *g = p->graph;
    p->count = (int)g->count;
    p->nodes = pl_new(g->count * sizeof *p->nodes);
    memcpy(p->nodes, g->nodes, g->count * sizeof *p->nodes);
    p->planned = pl_new(g->count * sizeof *p->planned);
    p->loss = p->nodes[p->count - 1].op->loss ? p->count - 1 : -1;
    p->output = p->loss >= 0 ? p->nodes[p->loss].inputs[0] : p->count - 1;
    pl_plan_rewrite(p);
    mark_wants(p);
    place_values(p);
    for (int i = 0; p->mode == PL_TRAINING && i < p->count; i++)
        if (active(p, i) && p->nodes[i].op->reads_moments)
            want_moments(p, p->nodes[i].inputs[0]);
    for (int i = 0; p->mode == PL_TRAINING && i < p->count; i++)
        plan_recomputation(p, i);
    touch_values(p);
    place_states(p);
    if (p->loss >= 0)
        place_gradients(p);
    p->workspace = 0;
    p->labels = (largest_workspace(p) + 255) / 256 * 256;
    p->result = p->labels + (most_samples(p) * sizeof(int32_t) + 255) / 256 * 256;
    size_t results = sizeof(struct pl_loss_result) + (size_t)p->count * sizeof(double);
    pl_plan_arrange(p, p->result + (results + 255) / 256 * 256);
}

static size_t state_bytes(const struct pl_plan *p)
{
    return p->state_length * pl_element_size(p->device->type->element);
}

/* Memory that all plans of the net share. */
static int make_room(struct pl_plan *p, struct pl_error *err)
{
    const struct pl_device_type *type = p->device->type;
    struct pl_net *net = p->net;
    if (p->bytes <= net->shared_bytes)
        return 0;
    void *memory = type->allocate(p->device, p->bytes);
    if (!memory && p->sequence)
        return pl_fail(err, PL_EMEMORY, "no memory for the activations of %d columns of %d steps: %.0f MB", p->columns,
                       p->most_steps, (double)p->bytes / 1e6);
    if (!memory)
        return pl_fail(err, PL_EMEMORY, "no memory for the activations of a batch of %d: %.0f MB", p->columns,
                       (double)p->bytes / 1e6);
    type->release(p->device, net->shared);
    net->shared = memory;
    net->shared_bytes = p->bytes;
    return 0;
}

static struct pl_plan *plan_of(const struct pl_graph *g, struct pl_device *device, int columns, int steps,
                               bool sequence, enum pl_mode mode)
{
    struct pl_plan *p = pl_new(sizeof *p);
    p->graph = g;
    p->device = device;
    p->columns = columns;
    p->steps = p->most_steps = steps;
    p->sequence = sequence;
    p->mode = mode;
    compile(p);
    return p;
}

static int new_plan(struct pl_plan **plan, struct pl_net *net, int columns, int steps, bool sequence, enum pl_mode mode,
                    struct pl_error *err)
{
    struct pl_plan *p = plan_of(net->graph, net->device, columns, steps, sequence, mode);
    p->net = net;
    int status = make_room(p, err);
    if (!status && p->state_length) {
        p->state = p->device->type->allocate(p->device, state_bytes(p));
        if (!p->state)
            status = pl_fail(err, PL_EMEMORY, "no memory for the state of the recurrent layers");
    }
    if (status)
        pl_plan_free(p);
    else
        *plan = p;
    return status;
}

int pl_plan_new(struct pl_plan **plan, struct pl_net *net, int batch, enum pl_mode mode, struct pl_error *err)
{
    return new_plan(plan, net, batch, 1, false, mode, err);
}

int pl_plan_new_sequence(struct pl_plan **plan, struct pl_net *net, int columns, int steps, enum pl_mode mode,
                         struct pl_error *err)
{
    return new_plan(plan, net, columns, steps, true, mode, err);
}

void pl_plan_free(struct pl_plan *p)
{
    if (!p)
        return;
    p->device->type->release(p->device, p->state);
    free(p->nodes);
    free(p->planned);
    free(p->storages);
    free(p);
}

size_t pl_plan_memory(const struct pl_plan *p)
{
    return p->bytes;
}

static size_t estimate(const struct pl_graph *g, struct pl_device *device, int columns, int steps, bool sequence,
                       enum pl_mode mode)
{
    struct pl_plan *p = plan_of(g, device, columns, steps, sequence, mode);
    size_t bytes = p->bytes + state_bytes(p) + 2 * g->parameters.length * pl_element_size(device->type->element) +
                   g->statistics.length * sizeof(double);
    pl_plan_free(p);
    return bytes;
}

size_t pl_plan_estimate(const struct pl_graph *g, struct pl_device *device, int batch, enum pl_mode mode)
{
    return estimate(g, device, batch, 1, false, mode);
}

size_t pl_plan_estimate_sequence(const struct pl_graph *g, struct pl_device *device, int columns, int steps,
                                 enum pl_mode mode)
{
    return estimate(g, device, columns, steps, true, mode);
}
