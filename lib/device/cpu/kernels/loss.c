/* Softmax cross-entropy. Few logits: exponentials and sums are in double. A vocabulary of them: exponentials of float
 * in vectors, some samples at a time so that these samples' logits stay in L2 from pass to pass. */
#include <math.h>
#include <string.h>

#include "device/cpu/kernels/curves.h"
#include "device/cpu/kernels/table.h"

enum {
    FEW = 512,    /* most classes that are computed in double */
    ROWS = 8,     /* samples at a time */
    AHEAD = 8,    /* blocks that logits are fetched ahead */
    TOGETHER = 16 /* blocks summed in float before they are added to a sum in double */
};

struct target {
    const struct pl_cpu_shape *shape;
    const int32_t *labels;
    double smoothing, scale;
};

static void few(const struct target *t, const float *logits, int n, double *loss, int32_t *best, float *dlogits)
{
    const struct pl_cpu_shape *shape = t->shape;
    const int classes = shape->channels, padded = pl_cpu_blocks(classes) * 16, label = t->labels[n];
    const double smoothing = t->smoothing;
    const float *row = logits + (size_t)n * 16;
    float *drow = dlogits ? dlogits + (size_t)n * 16 : NULL;
    int top = 0;
    double most = -INFINITY, sum = 0, mean = 0;
    for (int c = 0; c < classes; c++) {
        const double v = (double)row[c / 16 * shape->block + c % 16];
        if (v > most) {
            most = v;
            top = c;
        }
    }
    for (int c = 0; c < classes; c++) {
        const double v = (double)row[c / 16 * shape->block + c % 16] - most;
        sum += exp(v);
        mean += v / classes;
    }
    const double own = (double)row[label / 16 * shape->block + label % 16] - most;
    *loss = log(sum) - (1 - smoothing) * own - (smoothing > 0 ? smoothing * mean : 0);
    *best = top;
    for (int c = 0; drow && c < padded; c++) {
        const size_t at = c / 16 * shape->block + c % 16;
        const double target = smoothing / classes + (c == label ? 1 - smoothing : 0);
        drow[at] = c < classes ? (float)(t->scale * (exp((double)row[at] - most) / sum - target)) : 0;
    }
}

/* Some samples of many classes: what is found of each. */
struct rows {
    const struct target *target;
    int count, classes, blocks;
    const float *x; /* the first sample */
    float *d;       /* or NULL */
    float most[ROWS];
    int32_t best[ROWS];
    double sum[ROWS], mean[ROWS], own[ROWS];
};

/* Lanes of part j of a block that are classes. */
INLINE mask lanes(const struct rows *r, int block, int j)
{
    int32_t inside[LANES];
    for (int k = 0; k < LANES; k++)
        inside[k] = block * 16 + j * LANES + k < r->classes ? -1 : 0;
    mask m;
    memcpy(&m, inside, sizeof m);
    return m;
}

INLINE vec logits(const struct rows *r, int block, int row, int j, vec outside)
{
    const vec v = load(r->x + block * r->target->shape->block + row * 16 + j * LANES);
    return block * 16 + 16 <= r->classes ? v : select_vec(lanes(r, block, j), v, outside);
}

/* Blocks lie too far apart for the processor to guess what comes next: all samples' lines of the one that comes soon.
 */
INLINE void fetch(const struct rows *r, int block)
{
    const float *x = r->x + pl_cpu_min(block + AHEAD, r->blocks - 1) * r->target->shape->block;
    for (int row = 0; row < r->count; row++)
        prefetch_later(x + row * 16);
}

static void find_most(struct rows *r)
{
    for (int row = 0; row < r->count; row++) {
        float tops[16];
        int32_t blocks[16];
        UNROLL_FOR (int j = 0; j < PARTS; j++) {
            vec top = splat(-INFINITY);
            mask where = {0};
            for (int block = 0; block < r->blocks; block++) {
                const vec v = logits(r, block, row, j, splat(-INFINITY));
                const mask more = (mask)(v > top);
                if (!row && !j)
                    fetch(r, block);
                top = select_vec(more, v, top);
                where = (where & ~more) | (block & more);
            }
            memcpy(tops + j * LANES, &top, sizeof top);
            memcpy(blocks + j * LANES, &where, sizeof where);
        }
        int best = 0;
        for (int k = 1; k < 16; k++)
            if (tops[k] > tops[best] || (tops[k] == tops[best] && blocks[k] < blocks[best]))
                best = k;
        r->most[row] = tops[best];
        r->best[row] = blocks[best] * 16 + best;
    }
}

/* The sums of the exponentials, which are left in d, and the means of the logits. */
static void add_up(struct rows *r)
{
    double sums[ROWS][16] = {{0}}, means[ROWS][16] = {{0}};
    const size_t step = r->target->shape->block;
    for (int first = 0; first < r->blocks; first += TOGETHER)
        for (int row = 0; row < r->count; row++)
            UNROLL_FOR (int j = 0; j < PARTS; j++) {
                const vec most = splat(r->most[row]);
                vec sum = {0}, mean = {0};
                for (int block = first; block < pl_cpu_min(first + TOGETHER, r->blocks); block++) {
                    const vec v = logits(r, block, row, j, most) - most;
                    vec e = exp_vec(v);
                    if (block * 16 + 16 > r->classes)
                        e = (vec)((mask)e & lanes(r, block, j));
                    sum += e;
                    mean += v;
                    if (r->d)
                        store(r->d + block * step + row * 16 + j * LANES, e);
                }
                for (int k = 0; k < LANES; k++) {
                    sums[row][j * LANES + k] += (double)sum[k];
                    means[row][j * LANES + k] += (double)mean[k];
                }
            }
    for (int row = 0; row < r->count; row++)
        for (int k = 0; k < 16; k++) {
            r->sum[row] += sums[row][k];
            r->mean[row] += means[row][k] / r->classes;
        }
}

static void finish(const struct rows *r, const int32_t *labels)
{
    const struct target *t = r->target;
    for (int block = 0; block < r->blocks; block++)
        for (int row = 0; row < r->count; row++)
            UNROLL_FOR (int j = 0; j < PARTS; j++) {
                float *at = r->d + block * t->shape->block + row * 16 + j * LANES;
                vec v = load(at) * splat((float)(t->scale / r->sum[row])) -
                        splat((float)(t->scale * t->smoothing / r->classes));
                if (block * 16 + 16 > r->classes)
                    v = (vec)((mask)v & lanes(r, block, j));
                store(at, v);
            }
    for (int row = 0; row < r->count; row++)
        r->d[labels[row] / 16 * t->shape->block + row * 16 + labels[row] % 16] -= (float)(t->scale *
                                                                                          (1 - t->smoothing));
}

static void many(const struct target *t, const float *x, int n, int count, double *losses, int32_t *best,
                 float *dlogits)
{
    struct rows r = {.target = t,
                     .count = count,
                     .classes = t->shape->channels,
                     .blocks = pl_cpu_blocks(t->shape->channels),
                     .x = x + (size_t)n * 16,
                     .d = dlogits ? dlogits + (size_t)n * 16 : NULL};
    const int32_t *labels = t->labels + n;
    find_most(&r);
    for (int row = 0; row < count; row++)
        r.own[row] = (double)r.x[labels[row] / 16 * t->shape->block + row * 16 + labels[row] % 16] -
                     (double)r.most[row];
    add_up(&r);
    for (int row = 0; row < count; row++) {
        losses[row] = log(r.sum[row]) - (1 - t->smoothing) * r.own[row] -
                      (t->smoothing > 0 ? t->smoothing * r.mean[row] : 0);
        best[row] = r.best[row];
    }
    if (r.d)
        finish(&r, labels);
}

struct losses {
    struct target target;
    const float *x;
    double *losses;
    int32_t *best;
    float *dlogits;
};

static void loss_part(void *self, size_t from, size_t to, int thread)
{
    const struct losses *l = self;
    const struct pl_cpu_shape *shape = l->target.shape;
    (void)thread;
    for (int n = (int)from * ROWS; n < (int)to * ROWS; n += ROWS) {
        const int count = pl_cpu_min(ROWS, shape->batch - n);
        double loss[ROWS];
        int32_t top[ROWS];
        if (shape->channels > FEW)
            many(&l->target, l->x, n, count, loss, top, l->dlogits);
        for (int row = 0; row < count && shape->channels <= FEW; row++)
            few(&l->target, l->x, n + row, &loss[row], &top[row], l->dlogits);
        if (l->losses)
            memcpy(l->losses + n, loss, (size_t)count * sizeof *loss);
        if (l->best)
            memcpy(l->best + n, top, (size_t)count * sizeof *top);
    }
}

void PL_CPU_NAME(cross_entropy)(const struct pl_cpu_shape *shape, const float *x, const int32_t *labels,
                                double smoothing, double scale, double *losses, int32_t *best, float *dlogits,
                                int threads)
{
    struct losses l = {{shape, labels, smoothing, scale}, x, losses, best, dlogits};
    pl_parallel(threads, ((size_t)shape->batch + ROWS - 1) / ROWS, 0, loss_part, &l);
}
