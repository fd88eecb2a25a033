/* What the sources of this folder share. The kernels are compiled once for each instruction set; their
 * names carry its suffix (vec.h). */
#ifndef PL_CPU_KERNELS_PRIV_H
#define PL_CPU_KERNELS_PRIV_H

#include "device/cpu/kernels/kernels.h"

extern const struct pl_cpu_kernels pl_cpu_kernels_base;
#if defined(__x86_64__)
extern const struct pl_cpu_kernels pl_cpu_kernels_avx2, pl_cpu_kernels_avx512;
#endif

static inline int pl_cpu_min(int a, int b)
{
    return a < b ? a : b;
}

static inline int pl_cpu_pixels(const struct pl_cpu_shape *shape)
{
    return shape->height * shape->width;
}

enum { PL_CPU_CACHED = 4 << 20 }; /* floats of which a good part may still be in a cache when they are read */

/* A result so large that whoever reads it next will not find it in a cache. */
static inline bool pl_cpu_past(const struct pl_cpu_shape *shape)
{
    return pl_cpu_floats(shape) > PL_CPU_CACHED;
}

static inline int pl_cpu_taps(const struct pl_cpu_conv *conv)
{
    return conv->kernel[0] * conv->kernel[1];
}

/* The coordinate along one axis (0 height, 1 width) that tap k connects to position `at` of the pass's
 * output: x's for the forward pass, y's for backward data. -1: in the padding, or between strides. */
static inline int pl_cpu_source(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, int axis, int at, int k)
{
    if (pass == PL_CPU_FORWARD) {
        int from = at * conv->stride[axis] + k - conv->pad[axis];
        return from >= 0 && from < (axis ? conv->x.width : conv->x.height) ? from : -1;
    }
    int from = at + conv->pad[axis] - k;
    if (from < 0 || from % conv->stride[axis])
        return -1;
    from /= conv->stride[axis];
    return from < (axis ? conv->y.width : conv->y.height) ? from : -1;
}

/* The backward weights pass of DIRECT and PATCHES: `rows` blocks of 16 inputs (times taps), by output blocks,
 * in square groups of `side` blocks. Where those are too few to be shared out among threads, parts of the
 * pixels are summed apart, in `splits` copies. The numbers depend on shapes only, as the rounding does. */
struct pl_cpu_weight_plan {
    int side, down, across, splits;
};
struct pl_cpu_weight_plan pl_cpu_weight_plan(const struct pl_cpu_conv *conv, enum pl_cpu_algorithm algorithm);

/* Blocks of 16 that hold the kernel's window of one sample (PATCHES). */
static inline int pl_cpu_patch_blocks(const struct pl_cpu_conv *conv)
{
    return pl_cpu_blocks(pl_cpu_taps(conv) * conv->x.channels);
}

/* Floats of a thread's patches. */
static inline size_t pl_cpu_patch_floats(const struct pl_cpu_conv *conv)
{
    return (size_t)pl_cpu_patch_blocks(conv) * conv->x.pixel;
}

enum {
    PL_CPU_STRIP = 128,     /* samples taken together by DIRECT: their unfinished sums stay in L1 */
    PL_CPU_MOST_BLOCKS = 16 /* blocks of 16 input channels that it normalises together, at most */
};

/* Floats behind the maps of all blocks (normalise.h) that a thread needs to normalise what it reads. */
static inline size_t pl_cpu_normalised_floats(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass)
{
    const size_t row = 16 * (size_t)pl_cpu_min(conv->x.batch, PL_CPU_STRIP);
    if (pass == PL_CPU_BACKWARD_WEIGHTS) /* of all samples of some pixels */
        return PL_CPU_MOST_BLOCKS * 16 * (size_t)(conv->x.batch > PL_CPU_STRIP ? conv->x.batch : 2 * PL_CPU_STRIP);
    return row * (size_t)(PL_CPU_MOST_BLOCKS + pl_cpu_blocks(conv->y.channels));
}

/* How the Winograd algorithms cut the work. The pass's output is covered by tiles of m x m pixels; a task
 * takes `together` tiles of a piece of the batch. So its matrix products have `rows` rows or fewer. */
struct pl_cpu_winograd_plan {
    int m, edge, points; /* edge = m + 2: a tile of the input; points = edge * edge products */
    int pad[2];          /* of the pass's input */
    int down, across, tiles;
    int samples, pieces, together; /* the batch is cut into pieces of at most `samples` samples */
    int rows, tasks;
    int in_blocks, out_blocks; /* of the pass's input and output; x's and y's for backward weights */
    size_t operand_point;      /* floats from one point's weights [out block][in][16] to the next */
    int splits;                /* backward weights: copies of the gradient; 0: one, made by all threads */
};
struct pl_cpu_winograd_plan pl_cpu_winograd_plan(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass,
                                                 enum pl_cpu_algorithm algorithm);

enum { PL_CPU_WINOGRAD_SAMPLES = 128 }; /* most samples in a piece */

/* Floats of a task's transformed input (or output gradient) of so many blocks, from point to point. */
static inline size_t pl_cpu_winograd_point(const struct pl_cpu_winograd_plan *plan, int blocks)
{
    return (size_t)blocks * plan->rows * 16 + 32; /* not a power of two */
}

/* How an LSTM layer lies in its reserve and workspace. */
struct pl_cpu_lstm_plan {
    int blocks, gate_blocks;                       /* of hidden units; of gates, 4 times as many */
    struct pl_cpu_shape gates, cells;              /* all steps; cells of one step more, the one before the first */
    struct pl_cpu_conv input;                      /* the product of x and the input weights */
    struct pl_cpu_conv input_sums, recurrent_sums; /* for the gradients of both matrices; pixels are steps */
    size_t step_block, step; /* floats of a block of one step in the buffers of a step, and of such a buffer */
    size_t large;            /* floats for packed weights, or sums of their gradients */
};
struct pl_cpu_lstm_plan pl_cpu_lstm_plan(const struct pl_cpu_lstm *lstm);

enum { PL_CPU_CHUNKS = 16 }; /* of the pixels of a block, in reductions */

#endif
