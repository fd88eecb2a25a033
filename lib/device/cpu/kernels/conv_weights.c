/* Backward weights, directly: the gradient of a 16 x 16 block of one tap is a product over all samples of
 * all pixels, input channels by output channels.
 *
 * A task is a group of input blocks times a group of output blocks, so small that its gradients stay in L2,
 * over a part of the pixels. The pixels are its outer loop: a pixel's samples are read from memory once per
 * group and then serve all pairs of blocks, and all taps, from L1 and L2. */
#include <string.h>

#include "device/cpu/kernels/normalise.h"
#include "device/cpu/kernels/table.h"
#include "device/cpu/kernels/transpose.h"

enum {
    SEGMENTS = 16,     /* pixels of a row taken together */
    SEGMENT_ROWS = 128 /* samples that are enough for one call of the micro-kernel */
};

struct weights {
    const struct pl_cpu_conv *conv;
    const float *x, *dy;
    struct pl_cpu_weight_plan plan;
    float *sums;
    const struct affine *table; /* conv->norm's, and a workspace for each thread */
    float *work;
};

/* What is read of x: itself, or what a group has normalised of some pixels. */
struct source {
    const float *x;
    size_t block, pixel;
    int first_block, first_pixel;
};

/* A range of input blocks and one of output blocks. */
struct group {
    int block, block_end, panel, panel_end;
};

/* The products of a group with one pair of blocks after another fetch, each its part, the samples of pixel `at`. */
static void fetch_next(const struct weights *w, const struct group *g, int at, int block, int panel,
                       struct outer_sum *s)
{
    const struct pl_cpu_shape *in = &w->conv->x, *out = &w->conv->y;
    const int calls = (g->panel_end - g->panel + OUTER_PANELS - 1) / OUTER_PANELS, blocks = g->block_end - g->block;
    const int i = (panel - g->panel) / OUTER_PANELS, j = block - g->block;
    const int share = (blocks + OUTER_PANELS - 1) / OUTER_PANELS; /* calls for a panel of dy */
    s->fetch[0].pace = (size_t)(15 + calls) / (size_t)calls;
    s->fetch[0].at = w->x + (size_t)block * in->block + (size_t)at * in->pixel +
                     (size_t)i * s->fetch[0].pace * (size_t)in->batch;
    const int p = pl_cpu_min(panel + j / share, g->panel_end - 1);
    s->fetch[1].pace = (size_t)(15 + share) / (size_t)share;
    s->fetch[1].at = w->dy + (size_t)p * out->block + (size_t)at * out->pixel +
                     (size_t)(j % share) * s->fetch[1].pace * (size_t)out->batch;
}

/* The pixels [x, end) of output row y, one pair of input block and output panels, all taps. sums is
 * [out block][tap][in channel][16 out channels]. */
static void segment(const struct weights *w, const struct group *g, const struct source *from, int y, int x, int end,
                    int block, int panel, int panels, float *sums)
{
    const struct pl_cpu_conv *conv = w->conv;
    const int blocks = pl_cpu_blocks(conv->x.channels), taps = pl_cpu_taps(conv);
    const float *a[SEGMENTS], *b[SEGMENTS];
    struct outer_sum s = {.a = a, .b = b, .b_panel = conv->y.block, .n = conv->y.batch};
    if (taps == 1)
        fetch_next(w, g, y * conv->y.width + end, block, panel, &s);
    for (int ky = 0; ky < conv->kernel[0]; ky++) {
        const int sy = pl_cpu_source(conv, PL_CPU_FORWARD, 0, y, ky);
        for (int kx = 0; sy >= 0 && kx < conv->kernel[1]; kx++) {
            s.segments = 0;
            for (int at = x; at < end; at++) {
                const int sx = pl_cpu_source(conv, PL_CPU_FORWARD, 1, at, kx);
                if (sx < 0)
                    continue;
                a[s.segments] = from->x + (size_t)(block - from->first_block) * from->block +
                                (size_t)(sy * conv->x.width + sx - from->first_pixel) * from->pixel;
                b[s.segments++] = w->dy + panel * conv->y.block + (size_t)(y * conv->y.width + at) * conv->y.pixel;
            }
            float *c = sums + (((size_t)panel * taps + ky * conv->kernel[1] + kx) * blocks + block) * 256;
            PL_CPU_NAME(outers)(panels, &s, c, (size_t)taps * blocks * 256);
        }
    }
}

static void clear(const struct weights *w, const struct group *g, float *sums)
{
    const int blocks = pl_cpu_blocks(w->conv->x.channels), taps = pl_cpu_taps(w->conv);
    for (int row = g->panel * taps; row < g->panel_end * taps; row++)
        memset(sums + ((size_t)row * blocks + g->block) * 256, 0,
               (size_t)(g->block_end - g->block) * 256 * sizeof *sums);
}

/* Normalises the group's blocks of the pixels [at, end), whose source from then is. */
static void normalise_pixels(const struct weights *w, const struct group *g, int at, int end, float *packed,
                             struct source *from)
{
    const struct pl_cpu_shape *in = &w->conv->x;
    const int blocks = g->block_end - g->block;
    const size_t pixel = (size_t)in->batch * 16;
    *from = (struct source){packed, (size_t)(end - at) * pixel, pixel, g->block, at};
    for (int i = at; i < end; i++)
        normalise_blocks(w->table + g->block, w->conv->norm->relu, blocks, in->batch,
                         w->x + (size_t)g->block * in->block + (size_t)i * in->pixel, in->block,
                         packed + (size_t)(i - at) * pixel, from->block);
}

/* The pixels [at, stop) of the output. */
static void group(const struct weights *w, const struct group *g, int at, int stop, float *sums, float *packed)
{
    struct source from = {w->x, w->conv->x.block, w->conv->x.pixel, 0, 0};
    const int width = w->conv->y.width;
    const int most = pl_cpu_min(SEGMENTS, (SEGMENT_ROWS + w->conv->y.batch - 1) / w->conv->y.batch);
    clear(w, g, sums);
    while (at < stop) {
        const int y = at / width, x = at % width, end = pl_cpu_min(pl_cpu_min(x + most, width), x + stop - at);
        if (packed)
            normalise_pixels(w, g, at, at + end - x, packed, &from);
        const unsigned mode = flush_begin();
        for (int panel = g->panel, panels; panel < g->panel_end; panel += panels) {
            panels = pl_cpu_min(OUTER_PANELS, g->panel_end - panel);
            for (int block = g->block; block < g->block_end; block++)
                segment(w, g, &from, y, x, end, block, panel, panels, sums);
        }
        flush_end(mode);
        at += end - x;
    }
}

static void run_groups(void *self, size_t from, size_t to, int thread)
{
    const struct weights *w = self;
    const struct pl_cpu_weight_plan *plan = &w->plan;
    const int blocks = pl_cpu_blocks(w->conv->x.channels), outs = pl_cpu_blocks(w->conv->y.channels);
    const long pixels = pl_cpu_pixels(&w->conv->y);
    const size_t size = (size_t)outs * pl_cpu_taps(w->conv) * blocks * 256;
    float *packed = w->table ? w->work + (size_t)thread * pl_cpu_normalised_floats(w->conv, PL_CPU_BACKWARD_WEIGHTS)
                             : NULL;
    for (int task = (int)from; task < (int)to; task++) {
        const int split = task / (plan->down * plan->across);
        const int i = task / plan->across % plan->down * plan->side, j = task % plan->across * plan->side;
        const struct group g = {i, pl_cpu_min(i + plan->side, blocks), j, pl_cpu_min(j + plan->side, outs)};
        group(w, &g, (int)(pixels * split / plan->splits), (int)(pixels * (split + 1) / plan->splits),
              w->sums + split * size, packed);
    }
}

void PL_CPU_NAME(weights_sums)(const struct pl_cpu_conv *conv, const float *x, const float *dy, float *sums,
                               int threads)
{
    struct weights w = {.conv = conv, .x = x, .dy = dy, .plan = pl_cpu_weight_plan(conv, PL_CPU_DIRECT), .sums = sums};
    if (conv->norm) { /* behind the sums */
        float *work = sums + (size_t)w.plan.splits * (size_t)pl_cpu_blocks(conv->x.channels) *
                                 (size_t)pl_cpu_blocks(conv->y.channels) * 256;
        w.table = affine_table(conv->norm, conv->x.channels, work);
        w.work = work + (size_t)pl_cpu_blocks(conv->x.channels) * AFFINE_FLOATS;
    }
    pl_parallel(threads, (size_t)w.plan.splits * (size_t)w.plan.down * (size_t)w.plan.across, 1, run_groups, &w);
}

void PL_CPU_NAME(weights_direct)(const struct pl_cpu_conv *conv, enum pl_cpu_algorithm algorithm, const float *x,
                                 const float *dy, float *dweights, float *work, int threads)
{
    PL_CPU_NAME(weights_sums)(conv, x, dy, work, threads);
    PL_CPU_NAME(weights_plain)
    (conv, work, pl_cpu_blocks(conv->x.channels) * 16, pl_cpu_weight_plan(conv, algorithm).splits, dweights, threads);
}

struct plain {
    const struct pl_cpu_conv *conv;
    const float *sums;
    int tap_rows, splits;
    float *dweights;
};

static void plain_tasks(void *self, size_t task_from, size_t task_to, int thread)
{
    enum { GROUPS = 16 };
    const struct plain *p = self;
    const int ins = p->conv->x.channels, outs = p->conv->y.channels, taps = pl_cpu_taps(p->conv);
    const int blocks = pl_cpu_blocks(ins);
    const size_t panel_size = (size_t)pl_cpu_blocks(taps * p->tap_rows) * 256;
    const size_t size = pl_cpu_blocks(outs) * panel_size;
    (void)thread;
    for (int task = (int)task_from; task < (int)task_to; task++) {
        const int panel = task / blocks, end = pl_cpu_min(task % blocks * 16 + 16, ins) * taps;
        for (int first = task % blocks * 16 * taps, count; first < end; first += count) {
            float groups[GROUPS][16];
            count = pl_cpu_min(GROUPS, end - first);
            for (int e = 0, i = first / taps, tap = first % taps; e < count; e++) {
                const float *from = p->sums + panel * panel_size + ((size_t)tap * p->tap_rows + i) * 16;
                memcpy(groups[e], from, sizeof groups[e]);
                for (int split = 1; split < p->splits; split++)
                    for (int j = 0; j < 16; j++)
                        groups[e][j] += from[split * size + j];
                if (++tap == taps) {
                    tap = 0;
                    i++;
                }
            }
            scatter16(groups[0], 16, count, p->dweights + (size_t)panel * 16 * ins * taps + first, (size_t)ins * taps,
                      pl_cpu_min(16, outs - panel * 16));
        }
    }
}

void PL_CPU_NAME(weights_plain)(const struct pl_cpu_conv *conv, const float *sums, int tap_rows, int splits,
                                float *dweights, int threads)
{
    struct plain p = {conv, sums, tap_rows, splits, dweights};
    pl_parallel(threads, (size_t)pl_cpu_blocks(conv->y.channels) * (size_t)pl_cpu_blocks(conv->x.channels), 1,
                plain_tasks, &p);
}
