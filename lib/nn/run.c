/* Running a plan. */
#include "nn/nn_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct pl_view pl_plan_view(const struct pl_plan *p, int id, struct pl_place place)
{
    const struct pl_node *n = &p->nodes[id];
    const struct pl_storage *s = &p->storages[place.storage];
    struct pl_view v = {.batch = pl_plan_samples(p),
                        .channels = n->shape.channels,
                        .height = n->shape.height,
                        .width = n->shape.width,
                        .steps = p->steps,
                        .first = place.first,
                        .stored = s->stored,
                        .pieces = n->pieces,
                        .piece_count = n->piece_count};
    if (p->net && p->net->shared) { /* while planning there is no memory */
        v.data = (char *)p->net->shared + s->offset;
        if (s->moments >= 0)
            v.moments = (double *)((char *)p->net->shared + p->storages[s->moments].offset);
    }
    return v;
}

/* The locked dropout whose result a node's value is, if it is one. */
static struct pl_drop made_by(const struct pl_plan *p, int id)
{
    while (p->nodes[id].op->aliases)
        id = p->nodes[id].inputs[0];
    const struct pl_node *n = &p->nodes[id];
    if (p->mode != PL_TRAINING || n->op != &pl_op_dropout || !n->drop.locked)
        return (struct pl_drop){0};
    return p->net ? pl_plan_drop(p, n) : (struct pl_drop){.probability = n->drop.probability, .locked = true};
}

/* While planning there are no parameters. */
static struct pl_deferred deferred(const struct pl_plan *p, int id)
{
    const struct pl_node *n = &p->nodes[id];
    struct pl_deferred d = {.norm = &n->norm};
    if (!p->net)
        return d;
    d.weight = pl_plan_parameter(p, PL_PARAMETERS, n->weight);
    d.bias = pl_plan_parameter(p, PL_PARAMETERS, n->bias);
    if (p->mode == PL_EVALUATION) {
        d.mean = pl_plan_parameter(p, PL_STATISTICS, n->mean);
        d.variance = pl_plan_parameter(p, PL_STATISTICS, n->variance);
    }
    return d;
}

struct pl_view pl_plan_value(const struct pl_plan *p, int id)
{
    struct pl_view v = pl_plan_view(p, id, pl_plan_source(p, id, p->backward));
    if (p->planned[id].deferred)
        v.deferred = deferred(p, id);
    else
        v.made = made_by(p, id);
    return v;
}

struct pl_view pl_plan_gradient(const struct pl_plan *p, int id)
{
    return pl_plan_view(p, id, p->planned[id].gradient);
}

void *pl_plan_parameter(const struct pl_plan *p, enum pl_arena_kind kind, int number)
{
    if (number < 0)
        return NULL;
    const struct pl_tensor_table *table = kind == PL_STATISTICS ? &p->graph->statistics : &p->graph->parameters;
    size_t size = kind == PL_STATISTICS ? sizeof(double) : pl_element_size(p->device->type->element);
    return (char *)p->net->arenas[kind] + table->entries[number].offset * size;
}

void *pl_plan_work(const struct pl_plan *p)
{
    return (char *)p->net->shared + p->workspace;
}

void *pl_plan_storage_at(const struct pl_plan *p, int storage)
{
    return (char *)p->net->shared + p->storages[storage].offset;
}

void *pl_plan_penalty_at(const struct pl_plan *p, int id)
{
    return (char *)p->net->shared + p->result + sizeof(struct pl_loss_result) + (size_t)id * sizeof(double);
}

struct pl_drop pl_plan_drop(const struct pl_plan *p, const struct pl_node *n)
{
    return (struct pl_drop){.probability = n->drop.probability,
                            .stream = p->net->dropout,
                            .step = p->step,
                            .layer = n->drop.layer,
                            .locked = n->drop.locked,
                            .keep = p->net->masks[n->drop.layer]};
}

void pl_plan_moments(struct pl_plan *p, int id)
{
    if (!p->planned[id].moments || p->backward)
        return;
    struct pl_view x = pl_plan_value(p, id);
    p->device->type->moments(p->device, &x, pl_plan_work(p));
}

void pl_plan_labels(struct pl_plan *p, const int32_t *labels)
{
    p->device->type->upload(p->device, (char *)p->net->shared + p->labels, labels,
                            (size_t)pl_plan_samples(p) * sizeof *labels);
}

void pl_plan_steps(struct pl_plan *p, int steps)
{
    assert(steps >= 1 && steps <= p->most_steps);
    p->steps = steps;
}

size_t pl_plan_state_length(const struct pl_plan *p)
{
    return p->state_length;
}

void pl_plan_state_get(const struct pl_plan *p, double *values)
{
    if (!p->state)
        return;
    if (p->device->type->element == PL_FLOAT64) {
        p->device->type->download(p->device, p->state, values, p->state_length * sizeof *values);
        return;
    }
    float *narrow = pl_new(p->state_length * sizeof *narrow);
    p->device->type->download(p->device, p->state, narrow, p->state_length * sizeof *narrow);
    for (size_t i = 0; i < p->state_length; i++)
        values[i] = narrow[i];
    free(narrow);
}

void pl_plan_state_set(struct pl_plan *p, const double *values)
{
    if (!p->state)
        return;
    bool wide = p->device->type->element == PL_FLOAT64;
    size_t bytes = p->state_length * pl_element_size(p->device->type->element);
    void *state = pl_new(bytes);
    for (size_t i = 0; values && i < p->state_length; i++)
        if (wide)
            ((double *)state)[i] = values[i];
        else
            ((float *)state)[i] = (float)values[i];
    p->device->type->upload(p->device, p->state, state, bytes);
    free(state);
}

static void run(struct pl_plan *p, int id, void (*pass)(struct pl_plan *, int))
{
    if (!pass)
        return;
    double start = p->profile ? pl_clock_steady() : 0;
    pass(p, id);
    if (p->profile) {
        pl_device_synchronize(p->device, NULL);
        p->planned[id].seconds[p->backward] += pl_clock_steady() - start;
    }
}

void pl_plan_forward(struct pl_plan *p, uint64_t step)
{
    p->step = step;
    p->backward = false;
    for (int i = 0; i < p->count; i++)
        if (p->nodes[i].op)
            run(p, i, p->nodes[i].op->forward);
}

void pl_plan_backward(struct pl_plan *p)
{
    p->backward = true;
    for (int i = p->count - 1; i >= 0; i--) {
        if (!p->nodes[i].op || !p->planned[i].wants)
            continue;
        int again = p->planned[i].rerun;
        if (again >= 0)
            run(p, again, p->nodes[again].op->forward);
        run(p, i, p->nodes[i].op->backward);
    }
}

double pl_plan_loss(struct pl_plan *p, int64_t *correct)
{
    struct pl_loss_result result;
    p->device->type->download(p->device, (char *)p->net->shared + p->result, &result, sizeof result);
    if (correct)
        *correct = (int64_t)result.correct;
    return result.loss;
}

void pl_plan_output(struct pl_plan *p, void *logits, enum pl_element element)
{
    struct pl_view x = pl_plan_view(p, p->output, p->planned[p->output].value);
    p->device->type->read(p->device, &x, logits, element);
}

static int nth_step(const struct pl_plan *p, size_t index)
{
    for (int i = 0; i < p->count; i++)
        if (p->nodes[i].op && index-- == 0)
            return i;
    return -1;
}

size_t pl_plan_step_count(const struct pl_plan *p)
{
    size_t count = 0;
    for (int i = 0; i < p->count; i++)
        count += p->nodes[i].op != NULL;
    return count;
}

/* Operators that choose no kernel have no names for them. */
static const char *named(const char *kernel)
{
    return kernel ? kernel : "";
}

void pl_plan_step(const struct pl_plan *p, size_t index, struct pl_plan_step *step, struct pl_text *text)
{
    int id = nth_step(p, index);
    const struct pl_node *n = &p->nodes[id];
    const struct pl_planned *planned = &p->planned[id];
    struct pl_view y = pl_plan_view(p, id, pl_plan_source(p, id, false));
    pl_text_clear(text);
    pl_node_describe(n, text);
    if (planned->deferred)
        pl_text_add(text, ", deferred");
    *step = (struct pl_plan_step){
        .name = n->name,
        .operation = pl_text(text),
        .forward = named(planned->choice.forward),
        .backward_data = named(planned->choice.backward_data),
        .backward_weights = named(planned->choice.backward_weights),
        .forward_seconds = planned->seconds[0],
        .backward_seconds = planned->seconds[1],
        .multiplications = pl_node_multiplications(p->graph, n) * (uint64_t)pl_plan_samples(p),
        .bytes = p->device->type->buffer_size(y.batch, pl_plan_stored(p, y.pieces, y.piece_count), y.height, y.width),
    };
}

void pl_plan_profile(struct pl_plan *p, bool on)
{
    p->profile = on;
    for (int i = 0; i < p->count; i++)
        p->planned[i].seconds[0] = p->planned[i].seconds[1] = 0;
}
