/* The plan's memory: every activation, gradient and table of batch moments is a storage that is in use
 * between two times of the step, and storages whose times do not meet may share an address. */
#include "nn/nn_priv.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

enum { ALIGNMENT = 256 };

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

int pl_plan_bytes(struct pl_plan *p, size_t bytes)
{
    void *list = p->storages;
    pl_grow(&list, &p->storage_capacity, p->storage_count + 1, sizeof *p->storages);
    p->storages = list;
    p->storages[p->storage_count] = (struct pl_storage){
        .bytes = aligned(bytes), .from = INT_MAX, .to = INT_MIN, .moments = -1};
    return (int)p->storage_count++;
}

int pl_plan_storage(struct pl_plan *p, const struct pl_node *like)
{
    int stored = pl_plan_stored(p, like->pieces, like->piece_count);
    struct pl_shape shape = like->shape;
    int samples = p->columns * p->most_steps;
    int id = pl_plan_bytes(p, p->device->type->buffer_size(samples, stored, shape.height, shape.width));
    p->storages[id].stored = stored;
    p->storages[id].height = shape.height;
    p->storages[id].width = shape.width;
    return id;
}

int pl_plan_stored(const struct pl_plan *p, const int *pieces, int count)
{
    int stored = 0;
    for (int i = 0; i < count; i++)
        stored += pl_device_stored(p->device->type, pieces[i]);
    return stored;
}

struct pl_place pl_plan_slice(const struct pl_plan *p, struct pl_place whole, const struct pl_node *concat, int piece)
{
    return (struct pl_place){whole.storage, whole.first + pl_plan_stored(p, concat->pieces, piece)};
}

void pl_plan_touch(struct pl_plan *p, struct pl_place place, int time)
{
    assert(place.storage >= 0);
    struct pl_storage *s = &p->storages[place.storage];
    if (time < s->from)
        s->from = time;
    if (time > s->to)
        s->to = time;
}

static bool meet(const struct pl_storage *a, const struct pl_storage *b)
{
    return a->from <= b->to && b->from <= a->to;
}

/* The lowest offset at which s fits between those already placed (in rising order of offset). */
static size_t lowest(const struct pl_plan *p, const struct pl_storage *s, const int *placed, size_t count, size_t from)
{
    size_t at = from;
    for (size_t i = 0; i < count; i++) {
        const struct pl_storage *other = &p->storages[placed[i]];
        if (!meet(s, other) || other->offset + other->bytes <= at)
            continue;
        if (other->offset >= at + s->bytes)
            break;
        at = other->offset + other->bytes;
    }
    return at;
}

/* Largest first, each at the lowest free offset (greedy by size, as TensorFlow Lite plans its arenas). */
void pl_plan_arrange(struct pl_plan *p, size_t from)
{
    size_t count = p->storage_count, placed_count = 0;
    int *placed = pl_new(count * sizeof *placed);
    bool *done = pl_new(count * sizeof *done);
    for (size_t i = 0; i < count; i++) /* moments live as long as what they belong to, kept or recomputed */
        if (p->storages[i].moments >= 0 && p->storages[i].from <= p->storages[i].to) {
            pl_plan_touch(p, (struct pl_place){p->storages[i].moments, 0}, p->storages[i].from);
            pl_plan_touch(p, (struct pl_place){p->storages[i].moments, 0}, p->storages[i].to);
        }
    p->bytes = from;
    for (size_t round = 0; round < count; round++) {
        size_t next = count;
        for (size_t i = 0; i < count; i++)
            if (!done[i] && (next == count || p->storages[i].bytes > p->storages[next].bytes))
                next = i;
        struct pl_storage *s = &p->storages[next];
        done[next] = true;
        if (s->from > s->to)
            continue;
        s->offset = lowest(p, s, placed, placed_count, from);
        size_t at = placed_count++;
        for (; at > 0 && p->storages[placed[at - 1]].offset > s->offset; at--)
            placed[at] = placed[at - 1];
        placed[at] = (int)next;
        if (s->offset + s->bytes > p->bytes)
            p->bytes = s->offset + s->bytes;
    }
    free(placed);
    free(done);
}
