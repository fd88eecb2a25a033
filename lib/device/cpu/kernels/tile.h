/* The two micro-kernels that all convolutions and linear layers end in. Both hold a tile of results in
 * registers and add rank-1 updates to it: one value of a broadcast, times 16 neighbouring values of b.
 *
 *   tile:   c[row][16]     = start + sum over k of a[row][k] * b[k][16]     rows are samples, k input channels
 *   outer:  c[row][16]    += sum over n of a[n][row] * b[n][16]             rows are input channels, n samples
 *
 * Under AVX2 a tile of 6 rows x 16 columns takes 12 of the 16 registers, b two more, a one: the loads (8 for
 * 12 multiply-adds) hide behind the arithmetic. AVX-512 has 32 registers of twice the width, so there two
 * panels of 16 columns share each broadcast: 14 rows x 32 columns take 28. */
#ifndef PL_DEVICE_CPU_TILE_H
#define PL_DEVICE_CPU_TILE_H

#include "device/cpu/kernels/vec.h"

/* clang-format off */
#if defined(__AVX512F__)
enum { TILE_ROWS = 14, TILE_PANELS = 2, OUTER_ROWS = 8, OUTER_PANELS = 2 };
#define FOR_TILE_ROWS(X, panels) X(1, panels) X(2, panels) X(3, panels) X(4, panels) X(5, panels) X(6, panels) \
    X(7, panels) X(8, panels) X(9, panels) X(10, panels) X(11, panels) X(12, panels) X(13, panels) X(14, panels)
#elif defined(__AVX2__) || defined(__aarch64__)
enum { TILE_ROWS = 6, TILE_PANELS = 1, OUTER_ROWS = 6, OUTER_PANELS = 1 };
#define FOR_TILE_ROWS(X, panels) X(1, panels) X(2, panels) X(3, panels) X(4, panels) X(5, panels) X(6, panels)
#else
enum { TILE_ROWS = 2, TILE_PANELS = 1, OUTER_ROWS = 2, OUTER_PANELS = 1 };
#define FOR_TILE_ROWS(X, panels) X(1, panels) X(2, panels)
#endif
/* clang-format on */

/* One or two panels of 16 columns: panel p of a matrix begins panel floats after panel p - 1. */
struct tile_start {
    const float *at;   /* what the sums begin with: a row of zeros, the bias, or c itself */
    size_t row, panel; /* strides; row is 0 for a bias */
};

/* What becomes of the finished sums besides. */
enum { TILE_RELU = 1, TILE_PAST = 2 /* store_past */ };

struct tile_sum {
    const float *const *a; /* for every tap: the tile's first row, in the first block of 16 channels */
    const float *const *b; /* for every tap: the weights [channel][16] of the first panel */
    size_t a_block;        /* floats from one block of channels of a to the next */
    size_t b_panel;
    int taps, blocks;
    const float *next; /* b[0] of the sum that comes after this one, or NULL */
    bool streams; /* next is in memory, not in a cache: all tiles fetch a part of it, not the first ones all of it */
    /* Not zero: other lines to fetch to L2 instead. Tile i < count fetches those from at + i * step on, `pace` floats
     * a step of k. */
    struct {
        const float *at;
        size_t step, pace;
        int count;
    } fetch;
};

enum { SOON = 8 }; /* steps that b is fetched ahead to L1 */

/* Reads b straight through; of a, one cache line (16 channels of a sample) per row and block, the lines of
 * the next block being fetched meanwhile. `ahead` are weights to fetch to L2 for the next sum, `pace` floats
 * a step (16: a line), so that weights stream from memory while the multiply-adds run on those that have come. */
INLINE void tile(const int rows, const int panels, const struct tile_sum *s, const struct tile_start *start,
                 const float *ahead, size_t pace, float *c, size_t c_panel, int finish)
{
    vec sum[TILE_ROWS][TILE_PANELS * PARTS];
    UNROLL_FOR (int i = 0; i < rows; i++)
        UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
            sum[i][j] = load_loose(start->at + (size_t)i * start->row + (size_t)(j / PARTS) * start->panel +
                                   j % PARTS * LANES);
    const size_t a_block = s->a_block, b_panel = s->b_panel;
    const int blocks = s->blocks;
    for (int t = 0; t < s->taps; t++) {
        const float *a = s->a[t], *b = s->b[t];
        for (int block = 0; block < blocks; block++, a += a_block) {
            const float *after = a + a_block;
            UNROLL_FOR (int i = 0; i < rows; i++)
                prefetch(after + i * 16);
#pragma GCC unroll 4
            for (int k = 0; k < 16; k++, b += 16, ahead += pace) {
                prefetch_later(ahead);
                UNROLL_FOR (int j = 0; j < panels; j++)
                    prefetch(b + 16 * SOON + (size_t)j * b_panel);
                vec w[TILE_PANELS * PARTS];
                UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
                    w[j] = load(b + (size_t)(j / PARTS) * b_panel + j % PARTS * LANES);
                UNROLL_FOR (int i = 0; i < rows; i++) {
                    const vec x = splat(a[i * 16 + k]);
                    UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
                        sum[i][j] += x * w[j];
                }
            }
        }
    }
    if (finish & TILE_RELU)
        UNROLL_FOR (int i = 0; i < rows; i++)
            UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
                sum[i][j] = relu_vec(sum[i][j]);
    if (finish & TILE_PAST)
        UNROLL_FOR (int i = 0; i < rows; i++)
            UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
                store_past(c + i * 16 + (size_t)(j / PARTS) * c_panel + j % PARTS * LANES, sum[i][j]);
    else
        UNROLL_FOR (int i = 0; i < rows; i++)
            UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
                store(c + i * 16 + (size_t)(j / PARTS) * c_panel + j % PARTS * LANES, sum[i][j]);
}

/* The segments are pairs of n rows each (a's and b's samples at one pixel). The sums begin at zero and are
 * added to c at the end: so a long sum is built from short ones, which rounds far less than one chain. */
struct outer_sum {
    const float *const *a, *const *b;
    size_t b_panel;
    int segments, n;
    bool first; /* c is written, not added to */
    /* Not NULL: lines to fetch to L2 meanwhile, from two places, `pace` floats a sample. */
    struct {
        const float *at;
        size_t pace;
    } fetch[2];
};

INLINE void outer(const int rows, const int panels, const struct outer_sum *s, int first, int part, float *c,
                  size_t c_panel)
{
    const bool fetches = part < 2 && s->fetch[part].at;
    const float *ahead = fetches ? s->fetch[part].at : s->b[0];
    const size_t pace = fetches ? s->fetch[part].pace : 0;
    vec sum[OUTER_ROWS][OUTER_PANELS * PARTS];
    UNROLL_FOR (int i = 0; i < rows; i++)
        UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
            sum[i][j] = (vec){0};
    const size_t b_panel = s->b_panel;
    for (int segment = 0; segment < s->segments; segment++) {
        const float *a = s->a[segment] + first, *b = s->b[segment];
#pragma GCC unroll 4
        for (int n = 0; n < s->n; n++, a += 16, b += 16, ahead += pace) {
            prefetch_later(ahead);
            vec w[OUTER_PANELS * PARTS];
            UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
                w[j] = load(b + (size_t)(j / PARTS) * b_panel + j % PARTS * LANES);
            UNROLL_FOR (int i = 0; i < rows; i++) {
                const vec x = splat(a[i]);
                UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
                    sum[i][j] += x * w[j];
            }
        }
    }
    c += first * 16;
    UNROLL_FOR (int i = 0; i < rows; i++)
        UNROLL_FOR (int j = 0; j < panels * PARTS; j++) {
            float *at = c + i * 16 + (size_t)(j / PARTS) * c_panel + j % PARTS * LANES;
            store(at, s->first ? sum[i][j] : (vec)(load(at) + sum[i][j]));
        }
}

/* Rows of the tiles that cover n rows: as few tiles as can be, of sizes that differ by one at most. */
INLINE int tile_rows(int left, int most)
{
    int tiles = (left + most - 1) / most;
    return (left + tiles - 1) / tiles;
}

enum { TILE_TAPS = 16 }; /* most taps of a sum */

/* c over n rows; panels is 1 or TILE_PANELS. */
void PL_CPU_NAME(tiles)(int n, int panels, const struct tile_sum *s, const struct tile_start *start, float *c,
                        size_t c_panel, int finish);

/* c over the 16 rows of one block of input channels; panels is 1 or OUTER_PANELS. */
void PL_CPU_NAME(outers)(int panels, const struct outer_sum *s, float *c, size_t c_panel);

#endif
