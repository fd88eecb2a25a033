/* Direct convolution: for every output pixel, the micro-kernel runs over the taps whose pixel exists. So
 * there is no padding to multiply, and no copy of the input. A pixel's samples are the rows, which is why
 * small images cost no more per product than large ones.
 *
 * Loops, outermost first: pixels (and parts of panels or samples where pixels are few), shared out among
 * threads; panels of output channels; pieces of the sum, so long that their weights stay in L1; tiles of
 * samples. The input of one pixel, taps x channels x samples, stays in L2 over all panels. */
#include <string.h>

#include "device/cpu/kernels/normalise.h"
#include "device/cpu/kernels/table.h"
#include "device/cpu/kernels/transpose.h"

enum {
    /* blocks of 16 input channels in a piece of the sum: 16 KB of weights */
    PIECE = TILE_TAPS / TILE_PANELS,
    STRIP = PL_CPU_STRIP
};

struct direct {
    const struct pl_cpu_conv *conv;
    enum pl_cpu_pass pass;
    const struct pl_cpu_shape *in, *out;
    const float *x, *operand, *bias;
    float *y;
    bool add;
    int finish;                 /* of the tiles */
    int columns, strips;        /* of a pixel's task: parts of its panels, of its samples */
    const struct affine *table; /* conv->norm's, and a workspace for each thread */
    float *work;
};

/* A sum in the making. */
struct sum {
    const float *a[PIECE], *b[PIECE];
    struct tile_sum piece;
    struct tile_start start;
    int rows, panels;
    float part[STRIP * TILE_PANELS * 16] __attribute__((aligned(64))); /* what earlier pieces gave */
};

static void flush(struct sum *sum)
{
    PL_CPU_NAME(tiles)(sum->rows, sum->panels, &sum->piece, &sum->start, sum->part, STRIP * 16, 0);
    sum->start = (struct tile_start){sum->part, 16, STRIP * 16};
    sum->piece.taps = 0;
}

/* One pixel (y, x) of the output, some panels from `panel` on, some samples from `row` on; leaves the last
 * piece of the sum to be added. */
static void pixel(const struct direct *d, int y, int x, int row, struct sum *sum, int panel)
{
    const struct pl_cpu_conv *conv = d->conv;
    const int blocks = pl_cpu_blocks(d->in->channels), taps = pl_cpu_taps(conv);
    sum->piece.taps = 0;
    for (int first = 0; first < blocks; first += PIECE) {
        const int some = pl_cpu_min(PIECE, blocks - first), most = PIECE / some;
        if (sum->piece.taps)
            flush(sum);
        sum->piece.blocks = some;
        for (int ky = 0; ky < conv->kernel[0]; ky++) {
            const int sy = pl_cpu_source(conv, d->pass, 0, y, ky);
            for (int kx = 0; sy >= 0 && kx < conv->kernel[1]; kx++) {
                const int sx = pl_cpu_source(conv, d->pass, 1, x, kx), tap = ky * conv->kernel[1] + kx;
                if (sx < 0)
                    continue;
                if (sum->piece.taps == most)
                    flush(sum);
                const int t = sum->piece.taps++;
                sum->a[t] = d->x + (size_t)first * d->in->block + (size_t)row * 16 +
                            (size_t)(sy * d->in->width + sx) * d->in->pixel;
                sum->b[t] = d->operand + (((size_t)panel * taps + tap) * blocks + first) * 256;
            }
        }
    }
}

/* All panels of a task, TILE_PANELS at a time. */
static void panels(const struct direct *d, int at, int row, int rows, int panel, int end)
{
    static const float zeros[16 * TILE_PANELS];
    const int blocks = pl_cpu_blocks(d->in->channels), channels = d->out->channels;
    struct sum sum = {.rows = rows};
    sum.piece = (struct tile_sum){
        .a = sum.a, .b = sum.b, .a_block = d->in->block, .b_panel = (size_t)pl_cpu_taps(d->conv) * blocks * 256};
    for (; panel < end; panel += sum.panels) {
        float bias[16 * TILE_PANELS];
        float *y = d->y + (size_t)panel * d->out->block + (size_t)at * d->out->pixel + (size_t)row * 16;
        sum.panels = pl_cpu_min(TILE_PANELS, end - panel);
        sum.start = (struct tile_start){zeros, 0, 16};
        for (int p = 0; d->bias && p < sum.panels; p++) {
            channels_of(d->bias, channels, panel + p, bias + p * 16);
            sum.start.at = bias;
        }
        if (d->add)
            sum.start = (struct tile_start){y, 16, d->out->block};
        pixel(d, at / d->out->width, at % d->out->width, row, &sum, panel);
        PL_CPU_NAME(tiles)(rows, sum.panels, &sum.piece, &sum.start, y, d->out->block, d->finish);
    }
}

/* How many parts a range of `size` is cut into so that `tasks` tasks become enough for the threads. */
static int parts(int tasks, int threads, int size)
{
    if (threads == 1 || tasks >= 8 * threads)
        return 1;
    return pl_cpu_min((8 * threads + tasks - 1) / tasks, size);
}

static void run_tasks(void *self, size_t from, size_t to, int thread)
{
    const struct direct *d = self;
    const int batch = d->out->batch, columns = d->columns, strips = d->strips;
    const int pairs = (pl_cpu_blocks(d->out->channels) + TILE_PANELS - 1) / TILE_PANELS;
    const unsigned mode = flush_begin();
    (void)thread;
    for (int task = (int)from; task < (int)to; task++) {
        const int at = task / (columns * strips), column = task / strips % columns, strip = task % strips;
        const int first = pairs * column / columns * TILE_PANELS;
        const int end = pl_cpu_min(pairs * (column + 1) / columns * TILE_PANELS, pl_cpu_blocks(d->out->channels));
        const int row = (int)((long)batch * strip / strips), stop = (int)((long)batch * (strip + 1) / strips);
        for (int strip_row = row; strip_row < stop; strip_row += STRIP)
            panels(d, at, strip_row, pl_cpu_min(STRIP, stop - strip_row), first, end);
    }
    flush_end(mode);
    settle();
}

/* What the products with one panel after another fetch meanwhile: their part of the `blocks` blocks from x on. */
static void fetch(struct tile_sum *sum, const float *x, size_t block, int blocks, int rows, int panel, int panels,
                  int outs)
{
    const int from = blocks * panel / outs, to = blocks * (panel + panels) / outs;
    sum->fetch.at = x + (size_t)from * block;
    sum->fetch.step = block;
    sum->fetch.count = to - from;
    sum->fetch.pace = (size_t)(rows + sum->blocks - 1) / (size_t)sum->blocks;
}

/* One piece of the sums of a 1x1 convolution: PIECE blocks of normalised input, which stay in L2 for all panels, as
 * the unfinished sums do. `next` are the blocks that are normalised after these. */
static void normalised_piece(const struct direct *d, int first, int rows, float *packed, float *y, const float *next,
                             int nexts)
{
    const int blocks = pl_cpu_blocks(d->in->channels), outs = pl_cpu_blocks(d->out->channels);
    const int some = pl_cpu_min(PIECE, blocks - first);
    const size_t step = (size_t)rows * 16;
    const bool last = first + some == blocks;
    const unsigned mode = flush_begin();
    for (int panel = 0, panels; panel < outs; panel += panels) {
        panels = pl_cpu_min(TILE_PANELS, outs - panel);
        const float *a = packed, *b = d->operand + ((size_t)panel * blocks + first) * 256;
        struct tile_sum sum = {
            .a = &a, .b = &b, .a_block = step, .b_panel = (size_t)blocks * 256, .taps = 1, .blocks = some};
        float bias[16 * TILE_PANELS] = {0}, *part = packed + (PIECE + (size_t)panel) * step;
        for (int p = 0; d->bias && !first && p < panels; p++)
            channels_of(d->bias, d->out->channels, panel + p, bias + p * 16);
        const struct tile_start start = first ? (struct tile_start){part, 16, step} : (struct tile_start){bias, 0, 16};
        fetch(&sum, next, d->in->block, nexts, rows, panel, panels, outs);
        if (last)
            PL_CPU_NAME(tiles)
        (rows, panels, &sum, &start, y + (size_t)panel * d->out->block, d->out->block, d->finish);
        else PL_CPU_NAME(tiles)(rows, panels, &sum, &start, part, step, 0);
    }
    flush_end(mode);
}

/* Some samples of a pixel. */
static void normalised(const struct direct *d, int at, int row, int rows, float *packed)
{
    const int blocks = pl_cpu_blocks(d->in->channels);
    const float *x = d->x + (size_t)at * d->in->pixel + (size_t)row * 16;
    for (int first = 0; first < blocks; first += PIECE) {
        const int some = pl_cpu_min(PIECE, blocks - first), after = first + some;
        const float *next = after < blocks ? x + (size_t)after * d->in->block : x + d->in->pixel;
        normalise_blocks(d->table + first, d->conv->norm->relu, some, rows, x + (size_t)first * d->in->block,
                         d->in->block, packed, (size_t)rows * 16);
        normalised_piece(d, first, rows, packed, d->y + (size_t)at * d->out->pixel + (size_t)row * 16, next,
                         pl_cpu_min(PIECE, after < blocks ? blocks - after : blocks));
    }
}

static void run_normalised(void *self, size_t from, size_t to, int thread)
{
    const struct direct *d = self;
    const int batch = d->out->batch, strips = d->strips;
    float *packed = d->work + (size_t)thread * pl_cpu_normalised_floats(d->conv, PL_CPU_FORWARD);
    for (int task = (int)from; task < (int)to; task++) {
        const int at = task / strips, strip = task % strips;
        const int stop = (int)((long)batch * (strip + 1) / strips);
        for (int row = (int)((long)batch * strip / strips); row < stop; row += STRIP)
            normalised(d, at, row, pl_cpu_min(STRIP, stop - row), packed);
    }
    settle();
}

/* Shares the pass out among threads. */
static void start_normalised(struct direct *d, float *work, int threads)
{
    const int pixels = pl_cpu_pixels(d->out);
    d->table = affine_table(d->conv->norm, d->in->channels, work);
    d->work = work + (size_t)pl_cpu_blocks(d->in->channels) * AFFINE_FLOATS;
    d->strips = parts(pixels, threads, (d->out->batch + TILE_ROWS - 1) / TILE_ROWS);
    pl_parallel(threads, (size_t)pixels * (size_t)d->strips, 1, run_normalised, d);
}

void PL_CPU_NAME(pass_direct)(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, enum pl_cpu_algorithm algorithm,
                              const float *in, const float *operand, const struct pl_cpu_output *output, bool add,
                              float *out, float *work, int threads)
{
    (void)algorithm;
    const bool forward = pass == PL_CPU_FORWARD;
    struct direct d = {.conv = conv,
                       .pass = pass,
                       .in = forward ? &conv->x : &conv->y,
                       .out = forward ? &conv->y : &conv->x,
                       .x = in,
                       .operand = operand,
                       .y = out,
                       .add = add,
                       .bias = output ? output->bias : NULL,
                       .finish = (output && output->relu ? TILE_RELU : 0) |
                                 (!add && pl_cpu_past(forward ? &conv->y : &conv->x) ? TILE_PAST : 0)};
    if (forward && conv->norm) {
        start_normalised(&d, work, threads);
        return;
    }
    const int pixels = pl_cpu_pixels(d.out), batch = d.out->batch;
    const int pairs = (pl_cpu_blocks(d.out->channels) + TILE_PANELS - 1) / TILE_PANELS;
    d.columns = parts(pixels, threads, pairs);
    d.strips = parts(pixels * d.columns, threads, (batch + TILE_ROWS - 1) / TILE_ROWS);
    pl_parallel(threads, (size_t)pixels * (size_t)d.columns * (size_t)d.strips, 1, run_tasks, &d);
}

/* Copies groups of 16 values that come in the order [channel][tap] to [tap][channel]. */
static void spread(const float *groups, int count, int first, int taps, int padded, float *panel)
{
    int i = first / taps, tap = first % taps;
    for (int e = 0; e < count; e++) {
        memcpy(panel + ((size_t)tap * padded + i) * 16, groups + e * 16, 16 * sizeof *panel);
        if (++tap == taps) {
            tap = 0;
            i++;
        }
    }
}

struct preparing {
    const struct pl_cpu_conv *conv;
    bool forward;
    const float *weights;
    float *operand;
};

static void prepare_tasks(void *self, size_t task_from, size_t task_to, int thread)
{
    enum { GROUPS = 16 };
    const struct preparing *p = self;
    const struct pl_cpu_conv *conv = p->conv;
    const bool forward = p->forward;
    const float *weights = p->weights;
    const int taps = pl_cpu_taps(conv), outs = forward ? conv->y.channels : conv->x.channels;
    const int ins = forward ? conv->x.channels : conv->y.channels, blocks = pl_cpu_blocks(ins);
    const int all = pl_cpu_blocks(outs);
    const size_t panel_size = (size_t)taps * blocks * 256;
    (void)thread;
    for (int task = (int)task_from; task < (int)task_to; task++) { /* in the order of the weights */
        const int panel = forward ? task / blocks : task % all, block = forward ? task % blocks : task / all;
        const int rows = pl_cpu_min(16, outs - panel * 16);
        const int some = pl_cpu_min(16, ins - block * 16);
        float groups[GROUPS * 16], *to = p->operand + panel * panel_size;
        if (taps == 1 && forward) {
            float *whole = to + (size_t)block * 256;
            gather16(weights + ((size_t)panel * 16 * ins + block * 16), (size_t)ins, rows, some, whole, 16);
            memset(whole + some * 16, 0, (size_t)(16 - some) * 16 * sizeof *whole);
            continue;
        }
        for (int tap = 0; tap < taps; tap++)
            memset(to + ((size_t)tap * blocks + block) * 256, 0, 256 * sizeof *to);
        /* Forward, a row of weights is one output channel's [in][tap]; backwards, one [tap] of each. */
        const int lines = forward ? 1 : some, length = forward ? some * taps : taps;
        for (int line = 0; line < lines; line++)
            for (int e = 0; e < length; e += GROUPS) {
                const int count = pl_cpu_min(GROUPS, length - e);
                const float *from = forward ? weights + ((size_t)panel * 16 * ins + block * 16) * taps
                                            : weights + ((size_t)(block * 16 + line) * outs + panel * 16) * taps;
                if (!forward && taps == 1 && rows == 16)
                    memcpy(groups, from, 16 * sizeof *groups);
                else
                    gather16(from + e, forward ? (size_t)ins * taps : (size_t)taps, rows, count, groups, 16);
                spread(groups, count, (block * 16 + line) * taps + e, taps, blocks * 16, to);
            }
    }
}

/* [out block][tap][in channel][16 out channels], "out" and "in" being those of the pass. */
void PL_CPU_NAME(prepare_direct)(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, enum pl_cpu_algorithm algorithm,
                                 const float *weights, float *operand, int threads)
{
    (void)algorithm;
    struct preparing p = {conv, pass == PL_CPU_FORWARD, weights, operand};
    pl_parallel(threads, (size_t)pl_cpu_blocks(conv->x.channels) * (size_t)pl_cpu_blocks(conv->y.channels), 1,
                prepare_tasks, &p);
}
