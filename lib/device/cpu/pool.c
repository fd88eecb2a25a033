/* Pooling. The forward passes share out output pixels; the backward passes whole blocks, and samples where
 * blocks are few, since windows may overlap. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "device/cpu/kernels.h"

/* The part of a window that lies inside the image. */
struct window {
    int top, bottom, left, right;
};

static struct window window_of(const struct pl_cpu_pool *pool, int at)
{
    const int y = at / pool->y.width * pool->stride[0] - pool->pad[0];
    const int x = at % pool->y.width * pool->stride[1] - pool->pad[1];
    return (struct window){y < 0 ? 0 : y, pl_cpu_min(y + pool->kernel[0], pool->x.height), x < 0 ? 0 : x,
                           pl_cpu_min(x + pool->kernel[1], pool->x.width)};
}

/* Runs BODY for the pixels of the window in reading order, `from` being the pixel's offset in its block. */
#define FOR_WINDOW(pool, w, BODY)                                                                              \
    for (int wy = (w).top; wy < (w).bottom; wy++)                                                              \
        for (int wx = (w).left; wx < (w).right; wx++) {                                                        \
            const size_t from = (size_t)(wy * (pool)->x.width + wx) * (pool)->x.pixel;                         \
            BODY;                                                                                              \
        }

void PL_CPU_NAME(max_forward)(const struct pl_cpu_pool *pool, const float *x, float *y, int threads)
{
    const int pixels = pl_cpu_pixels(&pool->y), tasks = pl_cpu_blocks(pool->x.channels) * pixels;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int task = 0; task < tasks; task++) {
        const struct window w = window_of(pool, task % pixels);
        const float *in = x + (size_t)(task / pixels) * pool->x.block;
        float *out = y + (size_t)(task / pixels) * pool->y.block + (size_t)(task % pixels) * pool->y.pixel;
        for (int n = 0; n < pool->x.batch * 16; n += LANES) {
            vec most = splat(-INFINITY);
            FOR_WINDOW(pool, w, {
                const vec v = load(in + from + n);
                most = select_vec((mask)(v > most) | (mask)(v != v), v, most);
            })
            store(out + n, most);
        }
    }
}

void PL_CPU_NAME(average_forward)(const struct pl_cpu_pool *pool, const float *x, float *y, int threads)
{
    const int pixels = pl_cpu_pixels(&pool->y), tasks = pl_cpu_blocks(pool->x.channels) * pixels;
    const float share = 1.0f / (float)(pool->kernel[0] * pool->kernel[1]);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int task = 0; task < tasks; task++) {
        const struct window w = window_of(pool, task % pixels);
        const float *in = x + (size_t)(task / pixels) * pool->x.block;
        float *out = y + (size_t)(task / pixels) * pool->y.block + (size_t)(task % pixels) * pool->y.pixel;
        for (int n = 0; n < pool->x.batch * 16; n += LANES) {
            vec sum = {0};
            FOR_WINDOW(pool, w, sum += load(in + from + n))
            store(out + n, sum * share);
        }
    }
}

/* A task of a backward pass: one block, a strip of samples. */
struct strip {
    int block, first, end; /* floats of a pixel: 16 a sample */
};

static int strips_of(const struct pl_cpu_shape *x, int threads)
{
    const int blocks = pl_cpu_blocks(x->channels);
    return blocks >= 4 * threads || blocks % threads == 0 ? 1 : pl_cpu_min(4, x->batch);
}

static struct strip strip_of(const struct pl_cpu_shape *x, int task, int strips)
{
    const int part = task % strips;
    return (struct strip){task / strips, (int)((long)x->batch * part / strips) * 16,
                          (int)((long)x->batch * (part + 1) / strips) * 16};
}

static void clear(const struct pl_cpu_shape *x, const struct strip *s, float *dx)
{
    for (int pixel = 0; pixel < pl_cpu_pixels(x); pixel++)
        memset(dx + (size_t)pixel * x->pixel + s->first, 0, (size_t)(s->end - s->first) * sizeof *dx);
}

/* Does every pixel lie in exactly one window? Then gradients are stored, and need no zeros to be added to. */
static bool is_partition(const struct pl_cpu_pool *pool)
{
    return pool->kernel[0] == pool->stride[0] && pool->kernel[1] == pool->stride[1] && !pool->pad[0] && !pool->pad[1] &&
           pool->x.height == pool->y.height * pool->kernel[0] && pool->x.width == pool->y.width * pool->kernel[1];
}

INLINE void give(float *to, vec part, bool fresh)
{
    if (!fresh)
        part += load(to);
    store(to, part);
}

void PL_CPU_NAME(max_backward)(const struct pl_cpu_pool *pool, const float *x, const float *y, const float *dy,
                               bool add, float *dx, int threads)
{
    const int strips = strips_of(&pool->x, threads), tasks = pl_cpu_blocks(pool->x.channels) * strips;
    const bool fresh = !add && is_partition(pool);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int task = 0; task < tasks; task++) {
        const struct strip s = strip_of(&pool->x, task, strips);
        const float *in = x + (size_t)s.block * pool->x.block;
        float *to = dx + (size_t)s.block * pool->x.block;
        if (!add && !fresh)
            clear(&pool->x, &s, to);
        for (int at = 0; at < pl_cpu_pixels(&pool->y); at++) {
            const struct window w = window_of(pool, at);
            const size_t out = (size_t)s.block * pool->y.block + (size_t)at * pool->y.pixel;
            for (int n = s.first; n < s.end; n += LANES) {
                const vec most = load(y + out + n);
                vec d = load(dy + out + n); /* taken by the first maximum */
                FOR_WINDOW(pool, w, {
                    const vec v = load(in + from + n);
                    const mask hit = (mask)(v == most) | (mask)(v != v);
                    give(to + from + n, (vec)((mask)d & hit), fresh);
                    d = (vec)((mask)d & ~hit);
                })
            }
        }
    }
}

void PL_CPU_NAME(average_backward)(const struct pl_cpu_pool *pool, const float *dy, bool add, float *dx, int threads)
{
    const int strips = strips_of(&pool->x, threads), tasks = pl_cpu_blocks(pool->x.channels) * strips;
    const bool fresh = !add && is_partition(pool);
    const float share = 1.0f / (float)(pool->kernel[0] * pool->kernel[1]);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int task = 0; task < tasks; task++) {
        const struct strip s = strip_of(&pool->x, task, strips);
        float *to = dx + (size_t)s.block * pool->x.block;
        if (!add && !fresh)
            clear(&pool->x, &s, to);
        for (int at = 0; at < pl_cpu_pixels(&pool->y); at++) {
            const struct window w = window_of(pool, at);
            const float *d = dy + (size_t)s.block * pool->y.block + (size_t)at * pool->y.pixel;
            for (int n = s.first; n < s.end; n += LANES) {
                const vec part = load(d + n) * share;
                FOR_WINDOW(pool, w, give(to + from + n, part, fresh))
            }
        }
    }
}
