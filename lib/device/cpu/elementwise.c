/* Elementwise kernels and the changes of layout. The floats between pixels are skipped, so that a tensor may
 * be a slice of another one's blocks. */
#include "device/cpu/kernels.h"
#include "device/cpu/transpose.h"

/* Runs BODY for the 16-float groups of one pixel after another; `at` is the offset of LANES of them. */
#define FOR_EACH_VECTOR(shape, threads, BODY)                                                                  \
    do {                                                                                                       \
        const int pixels = pl_cpu_pixels(shape), tasks = pl_cpu_blocks((shape)->channels) * pixels;            \
        _Pragma("omp parallel for schedule(static) num_threads(threads)")                                      \
        for (int task = 0; task < tasks; task++) {                                                             \
            const size_t begin = (size_t)(task / pixels) * (shape)->block + (size_t)(task % pixels) * (shape)->pixel; \
            for (size_t at = begin; at < begin + (size_t)(shape)->batch * 16; at += LANES) {                   \
                BODY;                                                                                          \
            }                                                                                                  \
        }                                                                                                      \
    } while (0)

void PL_CPU_NAME(relu_forward)(const struct pl_cpu_shape *shape, const float *x, float *y, int threads)
{
    FOR_EACH_VECTOR(shape, threads, store(y + at, relu_vec(load(x + at))));
}

void PL_CPU_NAME(relu_backward)(const struct pl_cpu_shape *shape, const float *y, const float *dy, float *dx,
                                int threads)
{
    FOR_EACH_VECTOR(shape, threads,
                    store(dx + at, (vec)((mask)load(dy + at) & (mask)(load(y + at) > (vec){0}))));
}

void PL_CPU_NAME(add)(const struct pl_cpu_shape *shape, const float *a, const float *b, float *y, int threads)
{
    FOR_EACH_VECTOR(shape, threads, store(y + at, load(a + at) + load(b + at)));
}

void PL_CPU_NAME(add_relu)(const struct pl_cpu_shape *shape, const float *a, const float *b, float *y, int threads)
{
    FOR_EACH_VECTOR(shape, threads, store(y + at, relu_vec(load(a + at) + load(b + at))));
}

void PL_CPU_NAME(dropout)(const struct pl_cpu_shape *shape, const float *x, const uint8_t *keep, float scale,
                          float *y, int threads)
{
    const int pixels = pl_cpu_pixels(shape), blocks = pl_cpu_blocks(shape->channels), channels = shape->channels;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int task = 0; task < blocks * pixels; task++) {
        const int block = task / pixels, pixel = task % pixels, count = pl_cpu_min(16, channels - block * 16);
        const size_t begin = (size_t)block * shape->block + (size_t)pixel * shape->pixel;
        for (int n = 0; n < shape->batch; n++) {
            const uint8_t *kept = keep + ((size_t)n * channels + block * 16) * pixels + pixel;
            for (int k = 0; k < count; k++) {
                const size_t at = begin + (size_t)n * 16 + k;
                y[at] = kept[(size_t)k * pixels] ? x[at] * scale : 0;
            }
            for (int k = count; k < 16; k++)
                y[begin + (size_t)n * 16 + k] = 0;
        }
    }
}

void PL_CPU_NAME(from_nchw)(const struct pl_cpu_shape *shape, const float *plain, float *x, int threads)
{
    const int pixels = pl_cpu_pixels(shape), blocks = pl_cpu_blocks(shape->channels);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int task = 0; task < blocks * shape->batch; task++) {
        const int block = task / shape->batch, n = task % shape->batch;
        gather16(plain + ((size_t)n * shape->channels + block * 16) * pixels, (size_t)pixels,
                 pl_cpu_min(16, shape->channels - block * 16), pixels, x + block * shape->block + (size_t)n * 16,
                 shape->pixel);
    }
}

void PL_CPU_NAME(to_nchw)(const struct pl_cpu_shape *shape, const float *x, float *plain, int threads)
{
    const int pixels = pl_cpu_pixels(shape), blocks = pl_cpu_blocks(shape->channels);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int task = 0; task < blocks * shape->batch; task++) {
        const int block = task / shape->batch, n = task % shape->batch;
        scatter16(x + block * shape->block + (size_t)n * 16, shape->pixel, pixels,
                  plain + ((size_t)n * shape->channels + block * 16) * pixels, (size_t)pixels,
                  pl_cpu_min(16, shape->channels - block * 16));
    }
}

void PL_CPU_NAME(copy_channels)(const struct pl_cpu_shape *x_shape, const float *x, int x_first,
                                const struct pl_cpu_shape *y_shape, float *y, int y_first, int count, bool add,
                                int threads)
{
    const int pixels = pl_cpu_pixels(x_shape), batch = x_shape->batch;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int p = 0; p < pixels; p++)
        for (int c = 0, run; c < count; c += run) {
            const int from = x_first + c, to = y_first + c; /* a run stays inside a block on both sides */
            run = pl_cpu_min(pl_cpu_min(16 - from % 16, 16 - to % 16), count - c);
            const float *a = x + (size_t)(from / 16) * x_shape->block + (size_t)p * x_shape->pixel + from % 16;
            float *b = y + (size_t)(to / 16) * y_shape->block + (size_t)p * y_shape->pixel + to % 16;
            for (int n = 0; n < batch; n++, a += 16, b += 16)
                for (int k = 0; k < run; k++)
                    b[k] = add ? b[k] + a[k] : a[k];
        }
}
