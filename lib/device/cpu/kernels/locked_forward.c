/* Forward: a tile is steps by 16 outputs (locked.h). */
#include "device/cpu/kernels/locked.h"

struct forward_tile {
    const float *a;       /* [feature][TILE_ROWS] */
    const float *w;       /* of the first panel: [feature][16] */
    size_t w_panel;       /* floats from one panel to the next, here and below */
    const int32_t *index; /* rows of w */
    int count;
    const float *start;
    size_t start_row, start_panel;
    float *c;
    size_t c_row, c_panel;
    bool past; /* store_past */
};

INLINE void forward_tile(const int rows, const int panels, const struct forward_tile *f)
{
    vec sum[TILE_ROWS][TILE_PANELS * PARTS];
    UNROLL_FOR (int i = 0; i < rows; i++)
        UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
            sum[i][j] = load(f->start + i * f->start_row + (size_t)(j / PARTS) * f->start_panel + j % PARTS * LANES);
    const float *a = f->a, *w = f->w;
    const size_t w_panel = f->w_panel;
    const int32_t *index = f->index;
#pragma GCC unroll 4
    for (int k = 0; k < f->count; k++, a += TILE_ROWS) {
        const float *row = w + (size_t)index[k] * 16;
        vec b[TILE_PANELS * PARTS];
        UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
            b[j] = load(row + (size_t)(j / PARTS) * w_panel + j % PARTS * LANES);
        UNROLL_FOR (int i = 0; i < rows; i++) {
            const vec x = splat(a[i]);
            UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
                sum[i][j] += x * b[j];
        }
    }
    if (f->past)
        UNROLL_FOR (int i = 0; i < rows; i++)
            UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
                store_past(f->c + i * f->c_row + (size_t)(j / PARTS) * f->c_panel + j % PARTS * LANES, sum[i][j]);
    else
        UNROLL_FOR (int i = 0; i < rows; i++)
            UNROLL_FOR (int j = 0; j < panels * PARTS; j++)
                store(f->c + i * f->c_row + (size_t)(j / PARTS) * f->c_panel + j % PARTS * LANES, sum[i][j]);
}

#define FORWARD_FUNCTION(rows, panels)                                                                                 \
    static __attribute__((noinline)) void forward_##rows##_##panels(const struct forward_tile *f)                      \
    {                                                                                                                  \
        forward_tile(rows, panels, f);                                                                                 \
    }
#define FORWARD_ENTRY(rows, panels) forward_##rows##_##panels,

typedef void forward_function(const struct forward_tile *);

FOR_TILE_ROWS(FORWARD_FUNCTION, 1)
#if defined(__AVX512F__)
FOR_TILE_ROWS(FORWARD_FUNCTION, 2)
#endif

static forward_function *const forward_functions[TILE_PANELS][TILE_ROWS] = {
    {FOR_TILE_ROWS(FORWARD_ENTRY, 1)},
#if defined(__AVX512F__)
    {FOR_TILE_ROWS(FORWARD_ENTRY, 2)},
#endif
};

struct forward {
    struct kept kept;
    const float *operand, *bias;
    float *y;
    float *parts; /* of each thread: [panel][column][step][16], what earlier pieces of the sums gave */
    bool past;
};

/* Some panels of a column, a piece of the sum. */
static void forward_column(const struct forward *f, int column, int panel, int panels, int piece, const float *bias,
                           float *parts)
{
    const struct kept *k = &f->kept;
    const struct pl_cpu_shape *out = &k->l->y;
    const int32_t *index = k->index + (size_t)column * k->blocks * 16;
    const int32_t *bounds = k->bounds + (size_t)column * (k->pieces + 1) + piece;
    const bool first = piece == 0, last = piece == k->pieces - 1;
    const int from = bounds[0], to = bounds[1];
    struct forward_tile tile = {.w = f->operand + (size_t)panel * k->blocks * 256,
                                .w_panel = (size_t)k->blocks * 256,
                                .index = index + from,
                                .count = to - from,
                                .past = last && f->past};
    for (int t = 0, begin; t < k->tiles; t++) {
        const int steps = tile_steps(k, t, &begin);
        float *part = parts + (size_t)(column * k->l->steps + begin) * 16;
        tile.a = tile_of(k, column, t) + (size_t)from * TILE_ROWS;
        tile.start = first ? bias : part;
        tile.start_row = first ? 0 : 16;
        tile.start_panel = first ? 16 : (size_t)out->batch * 16;
        tile.c = last ? f->y + panel * out->block + (size_t)(begin * k->columns + column) * 16 : part;
        tile.c_row = last ? (size_t)k->columns * 16 : 16;
        tile.c_panel = last ? out->block : (size_t)out->batch * 16;
        forward_functions[panels - 1][steps - 1](&tile);
    }
}

static void forward_panels(void *self, size_t from, size_t to, int thread)
{
    const struct forward *f = self;
    const struct kept *k = &f->kept;
    const int blocks = pl_cpu_blocks(k->l->y.channels);
    float *parts = f->parts + (size_t)thread * k->l->y.batch * 16 * TILE_PANELS;
    const unsigned mode = flush_begin();
    for (int panel = (int)from * TILE_PANELS; panel < pl_cpu_min((int)to * TILE_PANELS, blocks); panel += TILE_PANELS) {
        float bias[16 * TILE_PANELS] __attribute__((aligned(64))) = {0};
        const int panels = pl_cpu_min(TILE_PANELS, blocks - panel);
        for (int p = 0; f->bias && p < panels; p++)
            channels_of(f->bias, k->l->y.channels, panel + p, bias + p * 16);
        for (int piece = 0; piece < k->pieces; piece++)
            for (int column = 0; column < k->columns; column++)
                forward_column(f, column, panel, panels, piece, bias, parts);
    }
    flush_end(mode);
    settle();
}

void PL_CPU_NAME(locked_forward)(const struct pl_cpu_locked *l, const float *x, const float *operand, const float *bias,
                                 float *y, float *work, int threads)
{
    struct forward f = {.operand = operand, .bias = bias, .y = y, .past = pl_cpu_past(&l->y)};
    PL_CPU_NAME(kept_lay)(l, work, &f.kept);
    f.parts = f.kept.rest;
    PL_CPU_NAME(kept_gather)(&f.kept, x, threads);
    const int blocks = pl_cpu_blocks(l->y.channels);
    pl_parallel(threads, (size_t)(blocks + TILE_PANELS - 1) / TILE_PANELS, 1, forward_panels, &f);
}
