/* Backward data: a tile is features by steps (locked.h). */
#include <string.h>

#include "device/cpu/kernels/locked.h"
#include "device/cpu/kernels/transpose.h"

/* clang-format off */
#if defined(__AVX512F__)
enum { DATA_ROWS = 5, DATA_VECS = 5 };
#define FOR_DATA_ROWS(X, vecs) X(1, vecs) X(2, vecs) X(3, vecs) X(4, vecs) X(5, vecs)
#define FOR_DATA(X) X(1) X(2) X(3) X(4) X(5)
#elif defined(__AVX2__) || defined(__aarch64__)
enum { DATA_ROWS = 4, DATA_VECS = 3 };
#define FOR_DATA_ROWS(X, vecs) X(1, vecs) X(2, vecs) X(3, vecs) X(4, vecs)
#define FOR_DATA(X) X(1) X(2) X(3)
#else
enum { DATA_ROWS = 2, DATA_VECS = 2 };
#define FOR_DATA_ROWS(X, vecs) X(1, vecs) X(2, vecs)
#define FOR_DATA(X) X(1) X(2)
#endif
/* clang-format on */

enum { DATA_PIECE = 64 }; /* outputs at a time: dy, turned around, stays in L1 */

/* c[row][step] += the sum over outputs of w[row] times dy[output][step]. */
struct data_tile {
    const float *w[DATA_ROWS]; /* w[output * 16] of each row */
    const float *dy;           /* [output][vecs * LANES] */
    int count;
    bool first;
    float *c;
};

INLINE void data_tile(const int rows, const int vecs, const struct data_tile *d)
{
    vec sum[DATA_ROWS][DATA_VECS];
    const float *w[DATA_ROWS], *dy = d->dy;
    UNROLL_FOR (int i = 0; i < rows; i++) {
        w[i] = d->w[i];
        UNROLL_FOR (int j = 0; j < vecs; j++)
            sum[i][j] = d->first ? (vec){0} : load(d->c + (size_t)(i * vecs + j) * LANES);
    }
#pragma GCC unroll 4
    for (int n = 0; n < d->count; n++, dy += vecs * LANES) {
        vec b[DATA_VECS];
        UNROLL_FOR (int j = 0; j < vecs; j++)
            b[j] = load(dy + j * LANES);
        UNROLL_FOR (int i = 0; i < rows; i++) {
            const vec a = splat(w[i][(size_t)n * 16]);
            UNROLL_FOR (int j = 0; j < vecs; j++)
                sum[i][j] += a * b[j];
        }
    }
    UNROLL_FOR (int i = 0; i < rows; i++)
        UNROLL_FOR (int j = 0; j < vecs; j++)
            store(d->c + (size_t)(i * vecs + j) * LANES, sum[i][j]);
}

#define DATA_FUNCTION(rows, vecs)                                                                                      \
    static __attribute__((noinline)) void data_##rows##_##vecs(const struct data_tile *d)                              \
    {                                                                                                                  \
        data_tile(rows, vecs, d);                                                                                      \
    }
#define DATA_ENTRY(rows, vecs) data_##rows##_##vecs,
#define DATA_FUNCTIONS(vecs) FOR_DATA_ROWS(DATA_FUNCTION, vecs)
#define DATA_ENTRIES(vecs) {FOR_DATA_ROWS(DATA_ENTRY, vecs)},

typedef void data_function(const struct data_tile *);

FOR_DATA(DATA_FUNCTIONS)

static data_function *const data_functions[DATA_VECS][DATA_ROWS] = {FOR_DATA(DATA_ENTRIES)};

struct data {
    struct kept kept;
    const float *dy, *operand;
    float *dx;
    bool add;
    int panels, vecs;     /* of steps: panels of vecs * LANES */
    int together;         /* columns of a task, which share a read of the weights */
    size_t column, piece; /* floats of the results of a column, and of a piece of dy turned around */
    float *own;           /* of each thread: a piece, and the results of its columns */
};

static void plan_data(struct data *d, int threads)
{
    const int vectors = (d->kept.l->steps + LANES - 1) / LANES;
    d->panels = (vectors + DATA_VECS - 1) / DATA_VECS;
    d->vecs = (vectors + d->panels - 1) / d->panels;
    d->together = pl_cpu_min(5, (d->kept.columns + 2 * threads - 1) / (2 * threads));
    d->column = (size_t)d->kept.blocks * 16 * d->panels * d->vecs * LANES;
    d->piece = (size_t)DATA_PIECE * d->panels * d->vecs * LANES;
    d->own = d->kept.rest;
}

/* Outputs [first, first + count) of a column as [panel][output][steps of the panel], zeros behind the last step. */
static void turn(const struct data *d, int column, int first, int count, float *to)
{
    const struct kept *k = &d->kept;
    const int width = d->vecs * LANES, steps = k->l->steps;
    const size_t step = (size_t)k->columns * 16;
    for (int n = 0; n < count; n += 4) { /* whole fours: channels behind the last are zero */
        const float *from = d->dy + (first + n) / 16 * k->l->y.block + (size_t)column * 16 + (first + n) % 16;
        for (int t = 0; t < d->panels * width; t += 4) {
            float *at = to + ((size_t)(t / width) * DATA_PIECE + n) * width + t % width;
            if (t + 4 <= steps)
                transpose4(from + t * step, step, at, (size_t)width);
            else
                for (int i = 0; i < 16; i++)
                    at[i / 4 * width + i % 4] = t + i % 4 < steps ? from[(t + i % 4) * step + i / 4] : 0;
        }
    }
}

static void data_piece(const struct data *d, int column, int first, int count, const float *dy, float *c)
{
    const struct kept *k = &d->kept;
    const int32_t *index = k->index + (size_t)column * k->blocks * 16;
    const size_t block = (size_t)pl_cpu_blocks(k->l->y.channels) * 256;
    struct data_tile tile = {.count = count, .first = first == 0};
    for (int panel = 0; panel < d->panels; panel++) {
        tile.dy = dy + (size_t)panel * DATA_PIECE * d->vecs * LANES;
        for (int i = 0, rows; i < k->count[column]; i += rows) {
            rows = tile_rows(k->count[column] - i, DATA_ROWS);
            for (int r = 0; r < rows; r++)
                tile.w[r] = d->operand + index[i + r] / 16 * block + (size_t)first * 16 + index[i + r] % 16;
            tile.c = c + ((size_t)panel * k->blocks * 16 + i) * d->vecs * LANES;
            data_functions[d->vecs - 1][rows - 1](&tile);
        }
    }
}

static void leave_column(const struct data *d, int column, const float *c)
{
    const struct kept *k = &d->kept;
    const struct pl_cpu_shape *out = &k->l->x;
    const int32_t *index = k->index + (size_t)column * k->blocks * 16;
    const int width = d->vecs * LANES;
    for (int block = 0; !d->add && block < k->blocks; block++)
        for (int t = 0; t < k->l->steps; t++)
            memset(d->dx + block * out->block + (size_t)(t * k->columns + column) * 16, 0, 16 * sizeof *d->dx);
    for (int i = 0; i < k->count[column]; i++) {
        float *to = d->dx + index[i] / 16 * out->block + (size_t)column * 16 + index[i] % 16;
        for (int t = 0; t < k->l->steps; t++)
            to[(size_t)t * k->columns * 16] += c[((size_t)(t / width) * k->blocks * 16 + i) * width + t % width];
    }
}

static void data_columns(void *self, size_t from, size_t to, int thread)
{
    const struct data *d = self;
    const int outputs = pl_cpu_blocks(d->kept.l->y.channels) * 16;
    float *piece = d->own + (size_t)thread * (d->piece + d->together * d->column), *results = piece + d->piece;
    const unsigned mode = flush_begin();
    for (int task = (int)from; task < (int)to; task++) {
        const int first = task * d->together, end = pl_cpu_min(first + d->together, d->kept.columns);
        for (int n = 0; n < outputs; n += DATA_PIECE)
            for (int column = first; column < end; column++) {
                const int count = pl_cpu_min(DATA_PIECE, outputs - n);
                turn(d, column, n, count, piece);
                data_piece(d, column, n, count, piece, results + (column - first) * d->column);
            }
        for (int column = first; column < end; column++)
            leave_column(d, column, results + (column - first) * d->column);
    }
    flush_end(mode);
}

void PL_CPU_NAME(locked_backward_data)(const struct pl_cpu_locked *l, const float *dy, const float *operand, bool add,
                                       float *dx, float *work, int threads)
{
    struct data d = {.dy = dy, .operand = operand, .dx = dx, .add = add};
    PL_CPU_NAME(kept_lay)(l, work, &d.kept);
    plan_data(&d, threads);
    PL_CPU_NAME(kept_gather)(&d.kept, NULL, threads);
    pl_parallel(threads, (size_t)(d.kept.columns + d.together - 1) / d.together, 1, data_columns, &d);
}

size_t PL_CPU_NAME(locked_data_floats)(const struct kept *k, int threads)
{
    struct data d = {.kept = *k};
    plan_data(&d, threads);
    return d.piece + d.together * d.column;
}
