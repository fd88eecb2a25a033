#include "device/cpu/kernels/locked.h"

INLINE size_t lines(size_t count) /* of 64 bytes, in floats */
{
    return (count + 15) / 16 * 16;
}

size_t PL_CPU_NAME(kept_lay)(const struct pl_cpu_locked *l, float *work, struct kept *k)
{
    *k = (struct kept){.l = l, .columns = l->x.batch / l->steps, .blocks = pl_cpu_blocks(l->x.channels)};
    k->tiles = (l->steps + TILE_ROWS - 1) / TILE_ROWS;
    k->pieces = (l->x.channels + ROWS_OF_WEIGHTS - 1) / ROWS_OF_WEIGHTS;
    const size_t columns = (size_t)k->columns, features = (size_t)k->blocks * 16;
    const size_t index = lines(columns), bounds = index + columns * features;
    const size_t x = bounds + lines(columns * ((size_t)k->pieces + 1)),
                 rest = x + columns * k->tiles * features * TILE_ROWS;
    if (work) {
        k->count = (int32_t *)(void *)work;
        k->index = (int32_t *)(void *)(work + index);
        k->bounds = (int32_t *)(void *)(work + bounds);
        k->x = work + x;
        k->rest = work + rest;
    }
    return rest;
}

static void list_column(const struct kept *k, int column)
{
    const int channels = k->l->x.channels;
    const uint8_t *keep = k->l->keep + (size_t)column * channels;
    int32_t *index = k->index + (size_t)column * k->blocks * 16, count = 0;
    for (int piece = 0; piece < k->pieces; piece++) {
        k->bounds[column * (k->pieces + 1) + piece] = count;
        for (int channel = channels * piece / k->pieces; channel < channels * (piece + 1) / k->pieces; channel++)
            if (keep[channel])
                index[count++] = channel;
    }
    k->bounds[column * (k->pieces + 1) + k->pieces] = k->count[column] = count;
}

struct gathering {
    const struct kept *kept;
    const float *x; /* NULL: only lists */
};

static void gather_columns(void *self, size_t from, size_t to, int thread)
{
    const struct gathering *g = self;
    const struct kept *k = g->kept;
    const struct pl_cpu_shape *in = &k->l->x;
    (void)thread;
    for (int column = (int)from; column < (int)to; column++) {
        list_column(k, column);
        const int32_t *index = k->index + (size_t)column * k->blocks * 16;
        for (int tile = 0, first; g->x && tile < k->tiles; tile++) {
            const int steps = tile_steps(k, tile, &first);
            float *out = tile_of(k, column, tile);
            for (int i = 0; i < k->count[column]; i++, out += TILE_ROWS) {
                const float *at = g->x + index[i] / 16 * in->block + index[i] % 16;
                for (int t = 0; t < steps; t++)
                    out[t] = at[(size_t)((first + t) * k->columns + column) * 16];
            }
        }
    }
}

void PL_CPU_NAME(kept_gather)(const struct kept *k, const float *x, int threads)
{
    struct gathering g = {k, x};
    pl_parallel(threads, (size_t)k->columns, 1, gather_columns, &g);
}

size_t PL_CPU_NAME(locked_workspace)(const struct pl_cpu_locked *l, int threads)
{
    struct kept kept;
    const size_t lists = PL_CPU_NAME(kept_lay)(l, NULL, &kept), forward = (size_t)l->y.batch * 16 * TILE_PANELS;
    const size_t data = PL_CPU_NAME(locked_data_floats)(&kept, threads),
                 sums = (size_t)PAIRS * l->steps * OUTER_PANELS * 16;
    size_t own = forward > data ? forward : data;
    own = sums > own ? sums : own;
    return locked_sums_floats(l) + lists + (size_t)threads * own;
}
