#include "device/cpu/kernels/kernels_priv.h"

#include <assert.h>

/* Powers of two between pixels or blocks map all of them to the same few cache sets: 3 lines more per
 * pixel and 13 per block spread them. */
enum { PIXEL_PAD = 48, BLOCK_PAD = 208 };

int pl_cpu_blocks(int channels)
{
    return (channels + 15) / 16;
}

struct pl_cpu_shape pl_cpu_shape(int batch, int channels, int height, int width)
{
    assert(batch > 0 && channels > 0 && height > 0 && width > 0);
    struct pl_cpu_shape shape = {.batch = batch, .channels = channels, .height = height, .width = width};
    shape.pixel = (size_t)batch * 16 + PIXEL_PAD;
    shape.block = (size_t)height * (size_t)width * shape.pixel + BLOCK_PAD;
    return shape;
}

size_t pl_cpu_floats(const struct pl_cpu_shape *shape)
{
    return (size_t)pl_cpu_blocks(shape->channels) * shape->block;
}

size_t pl_cpu_index(const struct pl_cpu_shape *shape, int sample, int channel, int y, int x)
{
    size_t pixel = (size_t)y * (size_t)shape->width + (size_t)x;
    return (size_t)(channel / 16) * shape->block + pixel * shape->pixel + (size_t)sample * 16 + (size_t)(channel % 16);
}

size_t pl_cpu_norm_workspace(const struct pl_cpu_shape *shape)
{
    const size_t moments = 32 * sizeof(double) / sizeof(float); /* two sums of 16 channels */
    return (size_t)pl_cpu_blocks(shape->channels) * PL_CPU_CHUNKS * moments;
}

static int extent(int size, int kernel, int stride, int pad)
{
    assert(kernel > 0 && stride > 0 && pad >= 0 && pad < kernel && size + 2 * pad >= kernel);
    return (size + 2 * pad - kernel) / stride + 1;
}

struct pl_cpu_conv pl_cpu_conv(const struct pl_cpu_shape *x, int channels, const int kernel[2], const int stride[2],
                               const int pad[2])
{
    struct pl_cpu_conv conv = {
        .x = *x, .kernel = {kernel[0], kernel[1]}, .stride = {stride[0], stride[1]}, .pad = {pad[0], pad[1]}};
    conv.y = pl_cpu_shape(x->batch, channels, extent(x->height, kernel[0], stride[0], pad[0]),
                          extent(x->width, kernel[1], stride[1], pad[1]));
    return conv;
}

struct pl_cpu_pool pl_cpu_pool(const struct pl_cpu_shape *x, const int kernel[2], const int stride[2], const int pad[2])
{
    struct pl_cpu_pool pool = {
        .x = *x, .kernel = {kernel[0], kernel[1]}, .stride = {stride[0], stride[1]}, .pad = {pad[0], pad[1]}};
    pool.y = pl_cpu_shape(x->batch, x->channels, extent(x->height, kernel[0], stride[0], pad[0]),
                          extent(x->width, kernel[1], stride[1], pad[1]));
    return pool;
}

const char *pl_cpu_algorithm_name(enum pl_cpu_algorithm algorithm)
{
    static const char *const names[PL_CPU_ALGORITHMS] = {"direct", "patches", "winograd2", "winograd4"};
    return names[algorithm];
}

const struct pl_cpu_kernels *pl_cpu_kernels(enum pl_isa isa)
{
    switch (isa) {
    case PL_ISA_BASE:
        return &pl_cpu_kernels_base;
#if defined(__x86_64__)
    case PL_ISA_AVX2:
        return &pl_cpu_kernels_avx2;
    case PL_ISA_AVX512:
        return &pl_cpu_kernels_avx512;
#endif
    default:
        return NULL;
    }
}
