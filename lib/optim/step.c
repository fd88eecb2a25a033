/* The generic driver's inner half: one step over the blocks of an arena, and sums over them. */
#include "optim/kernel.h"

#include <string.h>

enum { LANES = 16 };

static inline __attribute__((always_inline)) double dot(const real *x, const real *y, size_t count)
{
    double lanes[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lanes[j] += (double)x[i + j] * (double)y[i + j];
    for (size_t j = 0; i + j < count; j++)
        lanes[j] += (double)x[i + j] * (double)y[i + j];
    for (size_t width = LANES / 2; width; width /= 2)
        for (size_t j = 0; j < width; j++)
            lanes[j] += lanes[j + width];
    return lanes[0];
}

double KERNEL(pl_dot)(const real *x, const real *y, size_t count)
{
    return x == y ? dot(x, x, count) : dot(x, y, count); /* a square is read and widened once */
}

struct dots {
    struct pl_optim *optim;
    size_t from;
    const real *x, *y;
};

static void dot_part(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct dots *d = self;
    for (size_t i = d->from + from; i < d->from + to; i++) {
        const struct pl_optim_block *block = &d->optim->blocks[i];
        d->optim->sums[PL_SUMS * i] = KERNEL(pl_dot)(d->x + block->offset, d->y + block->offset, block->count);
    }
}

double KERNEL(pl_dot_blocks)(struct pl_optim *optim, size_t from, size_t to, const real *x, const real *y)
{
    struct dots dots = {optim, from, x, y};
    pl_optim_parallel(optim->threads, to - from, dot_part, &dots);
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += optim->sums[PL_SUMS * i];
    return sum;
}

double KERNEL(pl_norm2)(struct pl_optim *optim, const real *x)
{
    return KERNEL(pl_dot_blocks)(optim, 0, optim->block_count, x, x);
}

struct pass {
    struct pl_optim *optim;
    const struct pl_arenas *arenas;
    pl_update *update;
    size_t from; /* first block */
    double keep; /* factor of theta before the update */
};

/* Asks for a block's parameters and gradients while the one before is computed: drawing noise leaves memory idle.
 * Without noise that would be a loss, the more the more arenas there are: processors follow all by themselves. */
static void fetch(const struct pl_arenas *arenas, const struct pl_optim_block *block)
{
    enum { LINE = 64 / sizeof(real) };
    for (size_t i = block->offset; i < block->offset + block->count; i += LINE) {
        __builtin_prefetch(arenas->theta + i, 1);
        __builtin_prefetch(arenas->gradient + i, 0);
    }
}

static void update_part(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct pass *pass = self;
    struct pl_optim *o = pass->optim;
    real drawn[PL_BLOCK] __attribute__((aligned(64)));
    char spared[PL_SELF] __attribute__((aligned(16)));
    if (o->spares) {
        memcpy(spared, o->self, o->type->self_size);
        o->type->spare(spared);
    }
    for (size_t i = pass->from + from; i < pass->from + to; i++) {
        size_t offset = o->blocks[i].offset;
        if (o->noisy && i + 1 < pass->from + to)
            fetch(pass->arenas, &o->blocks[i + 1]);
        struct pl_chunk chunk = {
            .count = o->blocks[i].count,
            .theta = pass->arenas->theta + offset,
            .gradient = pass->arenas->gradient + offset,
        };
        if (o->noisy && pass->arenas->xi) {
            chunk.xi = pass->arenas->xi + offset;
        } else if (o->noisy) {
            KERNEL(pl_noise)(o->noise, o->counts[PL_COUNT_STEPS], offset, chunk.count, drawn);
            chunk.xi = drawn;
        }
        for (size_t k = 0; k < o->arena_count; k++)
            chunk.state[k] = (real *)o->arenas[k].data + offset;
        if (pass->keep != 1 && !pl_optim_is_spared(o, o->blocks[i].tensor))
            for (size_t k = 0; k < chunk.count; k++)
                chunk.theta[k] *= (real)pass->keep;
        pass->update(pl_optim_is_spared(o, o->blocks[i].tensor) ? spared : o->self, &chunk);
        for (size_t k = 0; k < PL_SUMS; k++)
            o->sums[PL_SUMS * i + k] = chunk.sums[k];
    }
}

static void update_blocks(struct pl_optim *o, const struct pl_arenas *arenas, size_t from, size_t to)
{
    struct pass pass = {o, arenas, o->type->update, from, 1 - o->rates[0] * o->decoupled};
    pl_optim_parallel(o->threads, to - from, update_part, &pass);
}

static void add_sums(const struct pl_optim *o, size_t from, size_t to, double sums[PL_SUMS])
{
    for (size_t k = 0; k < PL_SUMS; k++)
        sums[k] = 0;
    for (size_t i = from; i < to; i++)
        for (size_t k = 0; k < PL_SUMS; k++)
            sums[k] += o->sums[PL_SUMS * i + k];
}

void KERNEL(pl_pass)(struct pl_optim *o, const struct pl_arenas *arenas, size_t from, size_t to, pl_update *update,
                     double sums[PL_SUMS])
{
    struct pass pass = {o, arenas, update, from, 1};
    pl_optim_parallel(o->threads, to - from, update_part, &pass);
    add_sums(o, from, to, sums);
}

static void update_tensor(struct pl_optim *o, const struct pl_arenas *arenas, size_t index)
{
    size_t from = o->first_block[index], to = o->first_block[index + 1];
    char kept[PL_SELF] __attribute__((aligned(16)));
    const bool spared = pl_optim_is_spared(o, index);
    if (spared) {
        memcpy(kept, o->self, o->type->self_size);
        o->type->spare(o->self);
    }
    o->type->tensor(o, arenas, index);
    update_blocks(o, arenas, from, to);
    if (o->type->tensor_done) {
        double sums[PL_SUMS];
        add_sums(o, from, to, sums);
        o->type->tensor_done(o, index, sums);
    }
    if (spared)
        memcpy(o->self, kept, o->type->self_size);
}

struct mean {
    struct pl_optim *optim;
    const real *theta;
    double weight;
};

static void average_part(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct mean *mean = self;
    const struct pl_optim *o = mean->optim;
    real weight = (real)mean->weight;
    for (size_t i = from; i < to; i++) {
        const struct pl_optim_block *block = &o->blocks[i];
        real *restrict average = (real *)o->arenas[o->average].data + block->offset;
        const real *restrict theta = mean->theta + block->offset;
        if (mean->weight == 1)
            memcpy(average, theta, block->count * sizeof *theta);
        else
            for (size_t j = 0; j < block->count; j++)
                average[j] += weight * (theta[j] - average[j]);
    }
}

void KERNEL(pl_average)(struct pl_optim *o, const void *theta, double weight);

void KERNEL(pl_average)(struct pl_optim *o, const void *theta, double weight)
{
    struct mean mean = {o, theta, weight};
    pl_optim_parallel(o->threads, o->block_count, average_part, &mean);
    o->counts[PL_COUNT_AVERAGED]++;
}

void KERNEL(pl_step)(struct pl_optim *o, void *theta, void *gradient, const void *xi);

void KERNEL(pl_step)(struct pl_optim *o, void *theta, void *gradient, const void *xi)
{
    const struct pl_arenas arenas = {theta, gradient, xi};
    if (o->away)
        KERNEL(pl_sam_return)(o, theta);
    o->away = false;
    if (o->lookahead)
        KERNEL(pl_lookahead_begins)(o, theta);
    if (o->averaging != PL_AVERAGE_OFF && pl_average_starts(o))
        KERNEL(pl_average)(o, theta, 1);
    o->counts[PL_COUNT_STEPS]++;
    o->type->begin(o, &arenas);
    if (o->type->tensor)
        for (size_t i = 0; i < o->layout.count; i++)
            update_tensor(o, &arenas, i);
    else
        update_blocks(o, &arenas, 0, o->block_count);
    if (o->lookahead)
        KERNEL(pl_lookahead_ends)(o, theta);
    double weight = o->averaging != PL_AVERAGE_OFF ? pl_average_weight(o) : 0;
    if (weight > 0)
        KERNEL(pl_average)(o, theta, weight);
}
