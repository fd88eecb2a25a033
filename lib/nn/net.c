#include "nn/nn_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct pl_tensor_table *table_of(const struct pl_net *net, enum pl_arena_kind kind)
{
    return kind == PL_STATISTICS ? &net->graph->statistics : &net->graph->parameters;
}

static enum pl_element element_of(const struct pl_net *net, enum pl_arena_kind kind)
{
    return kind == PL_STATISTICS ? PL_FLOAT64 : net->device->type->element;
}

size_t pl_net_length(const struct pl_net *net, enum pl_arena_kind kind)
{
    return table_of(net, kind)->length;
}

static size_t arena_bytes(const struct pl_net *net, enum pl_arena_kind kind)
{
    return pl_net_length(net, kind) * pl_element_size(element_of(net, kind));
}

void *pl_net_lend(struct pl_net *net, enum pl_arena_kind kind, enum pl_lending how)
{
    return net->device->type->lend(net->device, net->arenas[kind], arena_bytes(net, kind), how);
}

void pl_net_take_back(struct pl_net *net, enum pl_arena_kind kind, enum pl_lending how, void *lent)
{
    net->device->type->take_back(net->device, net->arenas[kind], lent, arena_bytes(net, kind), how);
}

int pl_net_new(struct pl_net **net, const struct pl_graph *g, struct pl_device *device, struct pl_error *err)
{
    int status = pl_graph_check(g, err);
    if (!status && !g->count)
        status = pl_fail(err, PL_EINPUT, "the network has no layers");
    if (!status)
        status = pl_graph_fits(g, device, err);
    if (status)
        return status;
    struct pl_net *n = pl_new(sizeof *n);
    n->graph = g;
    n->device = device;
    n->masks = pl_new(((size_t)g->dropouts + 1) * sizeof *n->masks);
    for (int kind = PL_PARAMETERS; kind <= PL_STATISTICS; kind++) {
        size_t bytes = arena_bytes(n, kind);
        n->arenas[kind] = device->type->allocate(device, bytes);
        if (!n->arenas[kind]) {
            pl_net_free(n);
            return pl_fail(err, PL_EMEMORY, "no memory for the parameters: %.0f MB", (double)bytes / 1e6);
        }
    }
    *net = n;
    return 0;
}

void pl_net_free(struct pl_net *net)
{
    if (!net)
        return;
    for (int kind = PL_PARAMETERS; kind <= PL_STATISTICS; kind++)
        net->device->type->release(net->device, net->arenas[kind]);
    net->device->type->release(net->device, net->shared);
    for (int i = 0; i < net->graph->dropouts; i++)
        net->device->type->release(net->device, net->masks[i]);
    free(net->masks);
    free(net);
}

void pl_net_dropout(struct pl_net *net, struct pl_random stream)
{
    net->dropout = stream;
}

int pl_net_mask(struct pl_net *net, int dropout, const uint8_t *keep, size_t count, struct pl_error *err)
{
    assert(dropout >= 0 && dropout < net->graph->dropouts);
    net->device->type->release(net->device, net->masks[dropout]);
    net->masks[dropout] = NULL;
    if (!keep)
        return 0;
    net->masks[dropout] = net->device->type->allocate(net->device, count);
    if (!net->masks[dropout])
        return pl_fail(err, PL_EMEMORY, "no memory for a mask of %zu elements", count);
    net->device->type->upload(net->device, net->masks[dropout], keep, count);
    return 0;
}

/* Copies values between a host array of doubles and the arena's element. */
static void transfer(const struct pl_net *net, enum pl_arena_kind kind, const struct pl_parameter *p, double *values,
                     bool in)
{
    const struct pl_device_type *type = net->device->type;
    enum pl_element element = element_of(net, kind);
    size_t bytes = p->count * pl_element_size(element);
    char *at = (char *)net->arenas[kind] + p->offset * pl_element_size(element);
    if (element == PL_FLOAT64) {
        if (in)
            type->upload(net->device, at, values, bytes);
        else
            type->download(net->device, at, values, bytes);
        return;
    }
    float *narrow = pl_new(bytes);
    if (in) {
        for (size_t i = 0; i < p->count; i++)
            narrow[i] = (float)values[i];
        type->upload(net->device, at, narrow, bytes);
    } else {
        type->download(net->device, at, narrow, bytes);
        for (size_t i = 0; i < p->count; i++)
            values[i] = narrow[i];
    }
    free(narrow);
}

static const struct pl_parameter *find(const struct pl_net *net, enum pl_arena_kind kind, const char *name,
                                       struct pl_error *err)
{
    const struct pl_tensor_table *table = table_of(net, kind);
    for (size_t i = 0; i < table->count; i++)
        if (!strcmp(table->entries[i].name, name))
            return &table->entries[i];
    pl_fail(err, PL_EMISSING, "the network has no tensor \"%.200s\"", name);
    return NULL;
}

int pl_net_get(const struct pl_net *net, enum pl_arena_kind kind, const char *name, double *values,
               struct pl_error *err)
{
    const struct pl_parameter *p = find(net, kind, name, err);
    if (!p)
        return PL_EMISSING;
    transfer(net, kind, p, values, false);
    return 0;
}

int pl_net_set(struct pl_net *net, enum pl_arena_kind kind, const char *name, const double *values,
               struct pl_error *err)
{
    const struct pl_parameter *p = find(net, kind, name, err);
    if (!p)
        return PL_EMISSING;
    transfer(net, kind, p, (double *)(uintptr_t)values, true);
    return 0;
}

struct draw {
    const struct pl_parameter *parameter;
    uint64_t number; /* of the tensor */
    const struct pl_random *stream;
    double *values;
};

/* Element i of tensor number t draws at counter (t, i). */
static void draw(void *self, size_t from, size_t to, int thread)
{
    const struct draw *d = self;
    const double value = d->parameter->initial.value;
    (void)thread;
    for (size_t i = from; i < to; i++)
        switch (d->parameter->initial.kind) {
        case PL_INITIAL_CONSTANT:
            d->values[i] = value;
            break;
        case PL_INITIAL_UNIFORM:
            d->values[i] = value * (2 * pl_random_uniform(d->stream, d->number, i) - 1);
            break;
        case PL_INITIAL_NORMAL:
            d->values[i] = value * pl_random_normal(d->stream, d->number, i);
            break;
        }
}

void pl_net_initialise(struct pl_net *net, struct pl_random stream)
{
    static const enum pl_arena_kind kinds[] = {PL_PARAMETERS, PL_STATISTICS};
    for (size_t k = 0; k < 2; k++) {
        const struct pl_tensor_table *table = table_of(net, kinds[k]);
        for (size_t t = 0; t < table->count; t++) {
            const struct pl_parameter *p = &table->entries[t];
            double *values = pl_new(p->count * sizeof *values);
            struct draw request = {p, t, &stream, values};
            pl_parallel(net->device->options.threads, p->count, 0, draw, &request);
            transfer(net, kinds[k], p, values, true);
            free(values);
        }
    }
}
