/* Convolution with few input channels, as of an image's three colours: the kernel's window of every sample
 * of a pixel is gathered into a row of taps x channels values (27 of 32 for a 3x3 kernel on colours), and
 * the micro-kernel runs over such rows as over a 1x1 convolution. Padding the three channels to 16 would
 * multiply four fifths of zeros. The patches of one pixel stay in L1 or L2. */
#include <string.h>

#include "device/cpu/kernels/table.h"
#include "device/cpu/kernels/transpose.h"

/* Copies some channels (at most 4) of all samples, or zeros where from is NULL. Where 4 fit, it copies 4: the
 * next tap overwrites what was too much, and beyond the last channel there are zeros. */
static void copy_few(const float *from, int some, bool whole, int batch, float *to)
{
    const quad none = {0};
    if (whole && from)
        for (int n = 0; n < batch * 16; n += 16)
            store_quad(to + n, load_quad(from + n));
    else if (whole)
        for (int n = 0; n < batch * 16; n += 16)
            store_quad(to + n, none);
    else
        for (int n = 0; n < batch * 16; n += 16)
            for (int c = 0; c < some; c++)
                to[n + c] = from ? from[n + c] : 0;
}

/* Value k of sample n lies at patch[k / 16 * x.pixel + n * 16 + k % 16], k = tap * channels + channel. */
static void gather(const struct pl_cpu_conv *conv, const float *x, int at, float *patch)
{
    const struct pl_cpu_shape *in = &conv->x;
    const int channels = in->channels, y = at / conv->y.width, ox = at % conv->y.width;
    for (int tap = 0; tap < pl_cpu_taps(conv); tap++) {
        const int sy = pl_cpu_source(conv, PL_CPU_FORWARD, 0, y, tap / conv->kernel[1]);
        const int sx = pl_cpu_source(conv, PL_CPU_FORWARD, 1, ox, tap % conv->kernel[1]);
        const float *pixel = x + (size_t)(sy * in->width + sx) * in->pixel;
        for (int c = 0, some; c < channels; c += some) {
            const int k = tap * channels + c;
            some = pl_cpu_min(pl_cpu_min(4, channels - c), pl_cpu_min(16 - k % 16, 16 - c % 16));
            copy_few(sy >= 0 && sx >= 0 ? pixel + c / 16 * in->block + c % 16 : NULL, some,
                     k % 16 <= 12 && c % 16 <= 12, in->batch, patch + k / 16 * in->pixel + k % 16);
        }
    }
}

struct patches {
    const struct pl_cpu_conv *conv;
    const float *x, *dy, *operand, *bias;
    float *y;       /* or sums of gradients */
    float *patches; /* one for each thread; rows that pad the window to whole blocks stay zero */
    int finish, splits;
};

/* What gather never writes is in the last block of rows. */
static void clear_patches(const struct patches *p, int threads)
{
    const struct pl_cpu_shape *in = &p->conv->x;
    const size_t last = (size_t)(pl_cpu_patch_blocks(p->conv) - 1) * in->pixel;
    for (int thread = 0; thread < threads; thread++)
        memset(p->patches + (size_t)thread * pl_cpu_patch_floats(p->conv) + last, 0,
               (size_t)in->batch * 16 * sizeof *p->patches);
}

static void pixels_forward(void *self, size_t from, size_t to, int thread)
{
    const struct patches *p = self;
    const struct pl_cpu_conv *conv = p->conv;
    const int outs = pl_cpu_blocks(conv->y.channels), rows = pl_cpu_patch_blocks(conv);
    float *patch = p->patches + (size_t)thread * pl_cpu_patch_floats(conv);
    const float *a = patch, *b = NULL;
    const struct tile_sum sum = {
        .a = &a, .b = &b, .a_block = conv->x.pixel, .b_panel = (size_t)rows * 256, .taps = 1, .blocks = rows};
    for (int at = (int)from; at < (int)to; at++) {
        gather(conv, p->x, at, patch);
        for (int panel = 0, some; panel < outs; panel += some) {
            float bias[16 * TILE_PANELS] = {0};
            some = pl_cpu_min(TILE_PANELS, outs - panel);
            for (int i = 0; p->bias && i < some; i++)
                channels_of(p->bias, conv->y.channels, panel + i, bias + i * 16);
            b = p->operand + (size_t)panel * rows * 256;
            const struct tile_start start = {bias, 0, 16};
            PL_CPU_NAME(tiles)
            (conv->y.batch, some, &sum, &start, p->y + panel * conv->y.block + at * conv->y.pixel, conv->y.block,
             p->finish);
        }
    }
    settle();
}

void PL_CPU_NAME(pass_patches)(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, enum pl_cpu_algorithm algorithm,
                               const float *in, const float *operand, const struct pl_cpu_output *output, bool add,
                               float *out, float *work, int threads)
{
    (void)pass, (void)algorithm, (void)add;
    struct patches p = {.conv = conv,
                        .x = in,
                        .operand = operand,
                        .bias = output ? output->bias : NULL,
                        .y = out,
                        .patches = work,
                        .finish = (output && output->relu ? TILE_RELU : 0) | (pl_cpu_past(&conv->y) ? TILE_PAST : 0)};
    clear_patches(&p, threads);
    pl_parallel(threads, (size_t)pl_cpu_pixels(&conv->y), 1, pixels_forward, &p);
}

struct preparing {
    const struct pl_cpu_conv *conv;
    const float *weights;
    float *operand;
};

/* A task is an input channel of 16 output channels. */
static void prepare_part(void *self, size_t from, size_t to, int thread)
{
    const struct preparing *p = self;
    const int channels = p->conv->x.channels, taps = pl_cpu_taps(p->conv);
    const size_t rows = (size_t)pl_cpu_patch_blocks(p->conv) * 16, used = (size_t)channels * taps;
    (void)thread;
    for (size_t task = from; task < to; task++) {
        const int out = (int)(task / channels) * 16, c = (int)(task % channels);
        float *panel = p->operand + (size_t)out * rows;
        gather16(p->weights + ((size_t)out * channels + c) * taps, used, pl_cpu_min(16, p->conv->y.channels - out),
                 taps, panel + (size_t)c * 16, (size_t)channels * 16);
        if (!c)
            memset(panel + used * 16, 0, (rows - used) * 16 * sizeof *panel);
    }
}

/* [out block][patch row][16 out channels] */
void PL_CPU_NAME(prepare_patches)(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass,
                                  enum pl_cpu_algorithm algorithm, const float *weights, float *operand, int threads)
{
    (void)pass, (void)algorithm;
    struct preparing p = {conv, weights, operand};
    pl_parallel(threads, (size_t)pl_cpu_blocks(conv->y.channels) * (size_t)conv->x.channels, 1, prepare_part, &p);
}

static void split_sums(void *self, size_t from, size_t to, int thread)
{
    const struct patches *p = self;
    const struct pl_cpu_conv *conv = p->conv;
    const int outs = pl_cpu_blocks(conv->y.channels), rows = pl_cpu_patch_blocks(conv);
    const long pixels = pl_cpu_pixels(&conv->y);
    const size_t size = (size_t)outs * rows * 256;
    float *patch = p->patches + (size_t)thread * pl_cpu_patch_floats(conv);
    const float *a = NULL, *b = NULL;
    const struct outer_sum sum = {.a = &a, .b = &b, .b_panel = conv->y.block, .segments = 1, .n = conv->y.batch};
    for (long split = (long)from; split < (long)to; split++) {
        float *sums = p->y + split * size;
        memset(sums, 0, size * sizeof *sums);
        for (long at = pixels * split / p->splits; at < pixels * (split + 1) / p->splits; at++) {
            gather(conv, p->x, (int)at, patch);
            for (int panel = 0, some; panel < outs; panel += some) {
                some = pl_cpu_min(OUTER_PANELS, outs - panel);
                for (int row = 0; row < rows; row++) {
                    a = patch + row * conv->x.pixel;
                    b = p->dy + panel * conv->y.block + at * conv->y.pixel;
                    PL_CPU_NAME(outers)(some, &sum, sums + ((size_t)panel * rows + row) * 256, (size_t)rows * 256);
                }
            }
        }
    }
}

void PL_CPU_NAME(weights_patches)(const struct pl_cpu_conv *conv, enum pl_cpu_algorithm algorithm, const float *x,
                                  const float *dy, float *dweights, float *work, int threads)
{
    const int splits = pl_cpu_weight_plan(conv, algorithm).splits;
    const size_t size = (size_t)pl_cpu_blocks(conv->y.channels) * pl_cpu_patch_blocks(conv) * 256;
    struct patches p = {.conv = conv, .x = x, .dy = dy, .y = work, .patches = work + splits * size, .splits = splits};
    clear_patches(&p, threads);
    pl_parallel(threads, (size_t)splits, 1, split_sums, &p);
    PL_CPU_NAME(weights_plain)(conv, work, conv->x.channels, splits, dweights, threads);
}
