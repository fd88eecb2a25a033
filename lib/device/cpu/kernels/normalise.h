/* What batch norm does to a value, for the norm itself and for convolutions that normalise what they read. */
#ifndef PL_DEVICE_CPU_NORMALISE_H
#define PL_DEVICE_CPU_NORMALISE_H

#include <math.h>

#include "device/cpu/kernels/kernels_priv.h"
#include "device/cpu/kernels/vec.h"

/* y = (x - mean) * scale + shift for the channels of a block, zero in the padding. What the mean loses when
 * it is rounded to float is made up for in the shift: a mean that is large beside the spread costs nothing. */
struct affine {
    float mean[16], scale[16], shift[16];
};

static inline struct affine affine_of(const struct pl_cpu_norm *norm, int channels, int block)
{
    struct affine a = {{0}, {0}, {0}};
    for (int k = 0; k < 16 && block * 16 + k < channels; k++) {
        const int c = block * 16 + k;
        const double scale = (double)norm->gamma[c] / sqrt(norm->variance[c] + norm->epsilon);
        a.mean[k] = (float)norm->mean[c];
        a.scale[k] = (float)scale;
        a.shift[k] = (float)((double)norm->beta[c] - (norm->mean[c] - (double)a.mean[k]) * scale);
    }
    return a;
}

/* Channels k.. of the affine map. */
INLINE vec affine(const struct affine *a, int k, vec x)
{
    return (x - load_loose(a->mean + k)) * load_loose(a->scale + k) + load_loose(a->shift + k);
}

enum { AFFINE_FLOATS = sizeof(struct affine) / sizeof(float) };

/* The maps of all blocks, at the beginning of a workspace. */
static inline const struct affine *affine_table(const struct pl_cpu_norm *norm, int channels, float *work)
{
    struct affine *table = (struct affine *)(void *)work;
    for (int block = 0; block < pl_cpu_blocks(channels); block++)
        table[block] = affine_of(norm, channels, block);
    return table;
}

/* One block of some samples of a pixel. */
INLINE void normalise(const struct affine *to, const bool relu, int samples, const float *x, float *y)
{
    const struct affine a = *to;
    for (int n = 0; n < samples * 16; n += 16)
        UNROLL_FOR (int j = 0; j < PARTS; j++) {
            const vec v = affine(&a, j * LANES, load(x + n + j * LANES));
            store(y + n + j * LANES, relu ? relu_vec(v) : v);
        }
}

/* Some blocks of it, `step` floats apart in y. Not within flush_begin: what is stored is what norm_forward gives. */
static inline void normalise_blocks(const struct affine *table, bool relu, int blocks, int samples, const float *x,
                                    size_t block, float *y, size_t step)
{
    for (int i = 0; i < blocks; i++, x += block, y += step)
        if (relu)
            normalise(table + i, true, samples, x, y);
        else
            normalise(table + i, false, samples, x, y);
}

#endif
