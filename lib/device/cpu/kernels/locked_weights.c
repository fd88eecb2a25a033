/* Backward weights: a tile is features by 16 outputs (locked.h). */
#include <string.h>

#include "device/cpu/kernels/locked.h"

/* clang-format off */
#if defined(__AVX512F__)
enum { SUM_ROWS = 12 };
#define FOR_SUM_ROWS(X, panels) X(1, panels) X(2, panels) X(3, panels) X(4, panels) X(5, panels) X(6, panels) \
    X(7, panels) X(8, panels) X(9, panels) X(10, panels) X(11, panels) X(12, panels)
#elif defined(__AVX2__) || defined(__aarch64__)
enum { SUM_ROWS = 6 };
#define FOR_SUM_ROWS(X, panels) X(1, panels) X(2, panels) X(3, panels) X(4, panels) X(5, panels) X(6, panels)
#else
enum { SUM_ROWS = 2 };
#define FOR_SUM_ROWS(X, panels) X(1, panels) X(2, panels)
#endif
/* clang-format on */

/* c[picked row][16 outputs] += the sum over steps of x[row][step] times dy[step][16]. */
struct sum_tile {
    const float *x; /* [row][TILE_ROWS], of the first tile of steps */
    size_t x_tile;
    const float *dy; /* [step][panel][16] */
    const struct kept *kept;
    const int32_t *index;
    float *c;
    size_t c_panel;
};

INLINE void sum_tile(const int rows, const int panels, const struct sum_tile *s)
{
    vec sum[SUM_ROWS][OUTER_PANELS * PARTS];
    UNROLL_FOR (int i = 0; i < rows; i++)
        UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
            sum[i][j] = (vec){0};
    const float *dy = s->dy, *x = s->x;
    for (int tile = 0, first; tile < s->kept->tiles; tile++, x += s->x_tile) {
        const int steps = tile_steps(s->kept, tile, &first);
#pragma GCC unroll 2
        for (int t = 0; t < steps; t++, dy += panels * 16) {
            vec b[OUTER_PANELS * PARTS];
            UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
                b[j] = load(dy + j * LANES);
            UNROLL_FOR (int i = 0; i < rows; i++) {
                const vec a = splat(x[i * TILE_ROWS + t]);
                UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
                    sum[i][j] += a * b[j];
            }
        }
    }
    UNROLL_FOR (int i = 0; i < rows; i++)
        UNROLL_FOR (int j = 0; j < panels * PARTS; j++) {
            float *at = s->c + (size_t)s->index[i] * 16 + (size_t)(j / PARTS) * s->c_panel + j % PARTS * LANES;
            store(at, load(at) + sum[i][j]);
        }
}

#define SUM_FUNCTION(rows, panels)                                                                                     \
    static __attribute__((noinline)) void sum_##rows##_##panels(const struct sum_tile *s)                              \
    {                                                                                                                  \
        sum_tile(rows, panels, s);                                                                                     \
    }
#define SUM_ENTRY(rows, panels) sum_##rows##_##panels,

typedef void sum_function(const struct sum_tile *);

FOR_SUM_ROWS(SUM_FUNCTION, 1)
#if defined(__AVX512F__)
FOR_SUM_ROWS(SUM_FUNCTION, 2)
#endif

static sum_function *const sum_functions[OUTER_PANELS][SUM_ROWS] = {
    {FOR_SUM_ROWS(SUM_ENTRY, 1)},
#if defined(__AVX512F__)
    {FOR_SUM_ROWS(SUM_ENTRY, 2)},
#endif
};

struct sums {
    struct kept kept;
    const float *dy;
    float *sums;
    float *own; /* of each thread: dy of a column and some panels, [pair][step][panel][16] */
};

/* dy of a column and some panels, straight. */
static void straighten(const struct sums *s, int column, int panel, int panels, float *to)
{
    const struct kept *k = &s->kept;
    for (int t = 0; t < k->l->steps; t++)
        for (int p = 0; p < panels; p++, to += 16)
            memcpy(to, s->dy + (size_t)(panel + p) * k->l->y.block + (size_t)(t * k->columns + column) * 16,
                   16 * sizeof *to);
}

static void sum_column(const struct sums *s, int column, int panel, int end, float *own)
{
    const struct kept *k = &s->kept;
    const size_t pair = (size_t)k->l->steps * OUTER_PANELS * 16;
    struct sum_tile tile = {
        .x_tile = (size_t)k->blocks * 16 * TILE_ROWS, .kept = k, .c_panel = (size_t)k->blocks * 256};
    for (int p = panel; p < end; p += OUTER_PANELS)
        straighten(s, column, p, pl_cpu_min(OUTER_PANELS, end - p), own + (p - panel) / OUTER_PANELS * pair);
    for (int i = 0, rows; i < k->count[column]; i += rows) {
        rows = tile_rows(k->count[column] - i, SUM_ROWS);
        tile.x = tile_of(k, column, 0) + (size_t)i * TILE_ROWS;
        tile.index = k->index + (size_t)column * k->blocks * 16 + i;
        for (int p = panel; p < end; p += OUTER_PANELS) {
            tile.dy = own + (p - panel) / OUTER_PANELS * pair;
            tile.c = s->sums + (size_t)p * k->blocks * 256;
            sum_functions[pl_cpu_min(OUTER_PANELS, end - p) - 1][rows - 1](&tile);
        }
    }
}

static void sum_panels(void *self, size_t from, size_t to, int thread)
{
    const struct sums *s = self;
    const struct kept *k = &s->kept;
    const int blocks = pl_cpu_blocks(k->l->y.channels);
    float *own = s->own + (size_t)thread * PAIRS * k->l->steps * OUTER_PANELS * 16;
    const unsigned mode = flush_begin();
    for (int task = (int)from; task < (int)to; task++) {
        const int panel = task * PAIRS * OUTER_PANELS, end = pl_cpu_min(panel + PAIRS * OUTER_PANELS, blocks);
        memset(s->sums + (size_t)panel * k->blocks * 256, 0, (size_t)(end - panel) * k->blocks * 256 * sizeof *s->sums);
        for (int column = 0; column < k->columns; column++)
            sum_column(s, column, panel, end, own);
    }
    flush_end(mode);
}

void PL_CPU_NAME(locked_sums)(const struct pl_cpu_locked *l, const float *x, const float *dy, float *sums, float *work,
                              int threads)
{
    struct sums s = {.dy = dy, .sums = sums};
    const int blocks = pl_cpu_blocks(l->y.channels);
    PL_CPU_NAME(kept_lay)(l, work, &s.kept);
    s.own = s.kept.rest;
    PL_CPU_NAME(kept_gather)(&s.kept, x, threads);
    pl_parallel(threads, (size_t)(blocks + PAIRS * OUTER_PANELS - 1) / (PAIRS * OUTER_PANELS), 1, sum_panels, &s);
}

void PL_CPU_NAME(locked_backward_weights)(const struct pl_cpu_locked *l, const float *x, const float *dy,
                                          float *dweights, float *work, int threads)
{
    const struct pl_cpu_conv conv = {.x = l->x, .y = l->y, .kernel = {1, 1}, .stride = {1, 1}};
    PL_CPU_NAME(locked_sums)(l, x, dy, work, work + locked_sums_floats(l), threads);
    PL_CPU_NAME(weights_plain)(&conv, work, pl_cpu_blocks(l->x.channels) * 16, 1, dweights, threads);
}
