/* Products with a sequence of which a locked mask has dropped the same features of a column in all steps (device.h):
 * only the kept ones are multiplied. With K(s) the features that column s kept, over steps t and outputs n,
 *
 *   forward          y[t,s][n]  = bias[n] + sum over k in K(s) of x[t,s][k] w[n][k]
 *   backward data    dx[t,s][k] = sum over n of dy[t,s][n] w[n][k]                     for k in K(s), 0 for the others
 *   backward weights dw[n][k]   = sum over s that kept k, and t, of x[t,s][k] dy[t,s][n]
 *
 * The first two add in the order of the direct algorithm, so that they come to its bits: zeros add nothing. The third
 * sums each column by itself first.
 *
 * All three hold a tile of results in registers. x is gathered once for a pass, kept features only, as [column][tile of
 * steps][feature][TILE_ROWS steps]: forward, a tile is steps by 16 outputs, the rows of w being picked by number; for
 * the weights it is features by 16 outputs, added to rows that are picked. For the data it is features by steps, and dy
 * is turned around for it, a piece at a time. */
#ifndef PL_DEVICE_CPU_LOCKED_H
#define PL_DEVICE_CPU_LOCKED_H

#include "device/cpu/kernels/table.h"

enum {
    ROWS_OF_WEIGHTS = 256 / TILE_PANELS, /* at a time in a sum over features: 16 KB */
    PAIRS = 2                            /* of panels that share a read of x, for the weights */
};

/* How a sequence lies in the workspace. */
struct kept {
    const struct pl_cpu_locked *l;
    int columns, blocks, tiles, pieces; /* blocks of features; tiles of steps; pieces of the sums over features */
    int32_t *count;                     /* [column] */
    int32_t *index;                     /* [column][blocks * 16] */
    int32_t *bounds;                    /* [column][pieces + 1]: where in the list a piece begins */
    float *x;                           /* [column][tile][feature][TILE_ROWS] */
    float *rest;
};

/* The first step of a tile, and how many it has: sizes differ by one at most. */
INLINE int tile_steps(const struct kept *k, int tile, int *first)
{
    const int steps = k->l->steps;
    *first = (int)((long)steps * tile / k->tiles);
    return (int)((long)steps * (tile + 1) / k->tiles) - *first;
}

INLINE float *tile_of(const struct kept *k, int column, int tile)
{
    return k->x + ((size_t)column * k->tiles + tile) * k->blocks * 16 * TILE_ROWS;
}

/* Sets where things are, behind work where that is not NULL; returns the floats before rest. */
size_t PL_CPU_NAME(kept_lay)(const struct pl_cpu_locked *l, float *work, struct kept *k);

/* Fills the lists, and x where one is given. */
void PL_CPU_NAME(kept_gather)(const struct kept *k, const float *x, int threads);

/* Floats of a thread of the data pass. */
size_t PL_CPU_NAME(locked_data_floats)(const struct kept *k, int threads);

/* Floats of the sums for the gradients of the weights. */
INLINE size_t locked_sums_floats(const struct pl_cpu_locked *l)
{
    return (size_t)pl_cpu_blocks(l->x.channels) * pl_cpu_blocks(l->y.channels) * 256;
}

#endif
