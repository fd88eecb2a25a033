/* Pooling. The forward passes share out output pixels; the backward passes whole blocks, and samples where
 * blocks are few, since windows may overlap. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "device/cpu/kernels/table.h"

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
#define FOR_WINDOW(pool, w, BODY)                                                                                      \
    for (int wy = (w).top; wy < (w).bottom; wy++)                                                                      \
        for (int wx = (w).left; wx < (w).right; wx++) {                                                                \
            const size_t from = (size_t)(wy * (pool)->x.width + wx) * (pool)->x.pixel;                                 \
            BODY;                                                                                                      \
        }

struct forward {
    const struct pl_cpu_pool *pool;
    const float *x;
    float *y;
};

static void max_part(void *self, size_t from_task, size_t to_task, int thread)
{
    const struct forward *f = self;
    const struct pl_cpu_pool *pool = f->pool;
    const int pixels = pl_cpu_pixels(&pool->y);
    (void)thread;
    for (int task = (int)from_task; task < (int)to_task; task++) {
        const struct window w = window_of(pool, task % pixels);
        const float *in = f->x + (size_t)(task / pixels) * pool->x.block;
        float *out = f->y + (size_t)(task / pixels) * pool->y.block + (size_t)(task % pixels) * pool->y.pixel;
        for (int n = 0; n < pool->x.batch * 16; n += LANES) {
            vec most = splat(-INFINITY);
            FOR_WINDOW (pool, w, {
                const vec v = load(in + from + n);
                most = select_vec((mask)(v > most) | (mask)(v != v), v, most);
            })
                store(out + n, most);
        }
    }
}

void PL_CPU_NAME(max_forward)(const struct pl_cpu_pool *pool, const float *x, float *y, int threads)
{
    struct forward f = {pool, x, y};
    pl_parallel(threads, (size_t)pl_cpu_blocks(pool->x.channels) * (size_t)pl_cpu_pixels(&pool->y), 0, max_part, &f);
}

static void average_part(void *self, size_t from_task, size_t to_task, int thread)
{
    const struct forward *f = self;
    const struct pl_cpu_pool *pool = f->pool;
    const int pixels = pl_cpu_pixels(&pool->y);
    const float share = 1.0f / (float)(pool->kernel[0] * pool->kernel[1]);
    (void)thread;
    for (int task = (int)from_task; task < (int)to_task; task++) {
        const struct window w = window_of(pool, task % pixels);
        const float *in = f->x + (size_t)(task / pixels) * pool->x.block;
        float *out = f->y + (size_t)(task / pixels) * pool->y.block + (size_t)(task % pixels) * pool->y.pixel;
        for (int n = 0; n < pool->x.batch * 16; n += LANES) {
            vec sum = {0};
            FOR_WINDOW (pool, w, sum += load(in + from + n))
                store(out + n, sum * share);
        }
    }
}

void PL_CPU_NAME(average_forward)(const struct pl_cpu_pool *pool, const float *x, float *y, int threads)
{
    struct forward f = {pool, x, y};
    pl_parallel(threads, (size_t)pl_cpu_blocks(pool->x.channels) * (size_t)pl_cpu_pixels(&pool->y), 0, average_part,
                &f);
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

/* Do windows not overlap? Then gradients are stored, and need no zeros to be added to. */
static bool is_disjoint(const struct pl_cpu_pool *pool)
{
    return pool->kernel[0] <= pool->stride[0] && pool->kernel[1] <= pool->stride[1] && !pool->pad[0] && !pool->pad[1];
}

static bool is_covered(const struct pl_cpu_pool *pool, int pixel)
{
    const int y = pixel / pool->x.width, x = pixel % pool->x.width;
    return y / pool->stride[0] < pool->y.height && y % pool->stride[0] < pool->kernel[0] &&
           x / pool->stride[1] < pool->y.width && x % pool->stride[1] < pool->kernel[1];
}

/* Clears all pixels, or those (of disjoint windows) that no window covers. */
static void clear(const struct pl_cpu_pool *pool, const struct strip *s, bool uncovered, float *dx)
{
    for (int pixel = 0; pixel < pl_cpu_pixels(&pool->x); pixel++)
        if (!uncovered || !is_covered(pool, pixel))
            memset(dx + (size_t)pixel * pool->x.pixel + s->first, 0, (size_t)(s->end - s->first) * sizeof *dx);
}

/* How a gradient goes to its place. */
enum giving { ADDED, STORED, STORED_PAST };

INLINE void give(float *to, vec part, const enum giving how)
{
    if (how == STORED_PAST)
        store_past(to, part);
    else
        store(to, how == ADDED ? (vec)(part + load(to)) : part);
}

struct backward {
    const struct pl_cpu_pool *pool;
    const float *x, *y, *dy;
    float *dx;
    bool add;
    enum giving how;
    int strips;
};

/* The gradient of one output pixel, for the samples of a strip: the first maximum of a window takes it. */
INLINE void max_pixel(const struct pl_cpu_pool *pool, const struct window *w, const struct strip *s, const float *x,
                      const float *y, const float *dy, float *dx, const enum giving how)
{
    for (int n = s->first; n < s->end; n += 16) {
        vec most[PARTS], d[PARTS];
        UNROLL_FOR (int j = 0; j < PARTS; j++) {
            most[j] = load(y + n + j * LANES);
            d[j] = load(dy + n + j * LANES);
        }
        FOR_WINDOW (pool, *w, {
            UNROLL_FOR (int j = 0; j < PARTS; j++) {
                const vec v = load(x + from + n + j * LANES);
                const mask hit = (mask)(v == most[j]) | (mask)(v != v);
                give(dx + from + n + j * LANES, (vec)((mask)d[j] & hit), how);
                d[j] = (vec)((mask)d[j] & ~hit);
            }
        })
    }
}

static void max_strips(void *self, size_t from_task, size_t to_task, int thread)
{
    const struct backward *b = self;
    const struct pl_cpu_pool *pool = b->pool;
    (void)thread;
    for (int task = (int)from_task; task < (int)to_task; task++) {
        const struct strip s = strip_of(&pool->x, task, b->strips);
        const float *in = b->x + (size_t)s.block * pool->x.block;
        float *to = b->dx + (size_t)s.block * pool->x.block;
        if (!b->add)
            clear(pool, &s, b->how != ADDED, to);
        for (int at = 0; at < pl_cpu_pixels(&pool->y); at++) {
            const struct window w = window_of(pool, at);
            const size_t out = (size_t)s.block * pool->y.block + (size_t)at * pool->y.pixel;
            if (b->how == STORED_PAST)
                max_pixel(pool, &w, &s, in, b->y + out, b->dy + out, to, STORED_PAST);
            else if (b->how == STORED)
                max_pixel(pool, &w, &s, in, b->y + out, b->dy + out, to, STORED);
            else
                max_pixel(pool, &w, &s, in, b->y + out, b->dy + out, to, ADDED);
        }
    }
    settle();
}

static void run_strips(struct backward *b, int threads, pl_parallel_body *body)
{
    b->strips = strips_of(&b->pool->x, threads);
    b->how = b->add || !is_disjoint(b->pool) ? ADDED : pl_cpu_past(&b->pool->x) ? STORED_PAST : STORED;
    pl_parallel(threads, (size_t)pl_cpu_blocks(b->pool->x.channels) * (size_t)b->strips, 1, body, b);
}

void PL_CPU_NAME(max_backward)(const struct pl_cpu_pool *pool, const float *x, const float *y, const float *dy,
                               bool add, float *dx, int threads)
{
    struct backward b = {.pool = pool, .x = x, .y = y, .dy = dy, .dx = dx, .add = add};
    run_strips(&b, threads, max_strips);
}

INLINE void average_pixel(const struct pl_cpu_pool *pool, const struct window *w, const struct strip *s,
                          const float *dy, float share, float *dx, const enum giving how)
{
    for (int n = s->first; n < s->end; n += 16)
        FOR_WINDOW (pool, *w, {
            UNROLL_FOR (int j = 0; j < PARTS; j++)
                give(dx + from + n + j * LANES, load(dy + n + j * LANES) * share, how);
        })
}

static void average_strips(void *self, size_t from_task, size_t to_task, int thread)
{
    const struct backward *b = self;
    const struct pl_cpu_pool *pool = b->pool;
    const float share = 1.0f / (float)(pool->kernel[0] * pool->kernel[1]);
    (void)thread;
    for (int task = (int)from_task; task < (int)to_task; task++) {
        const struct strip s = strip_of(&pool->x, task, b->strips);
        float *to = b->dx + (size_t)s.block * pool->x.block;
        if (!b->add)
            clear(pool, &s, b->how != ADDED, to);
        for (int at = 0; at < pl_cpu_pixels(&pool->y); at++) {
            const struct window w = window_of(pool, at);
            const float *d = b->dy + (size_t)s.block * pool->y.block + (size_t)at * pool->y.pixel;
            if (b->how == STORED_PAST)
                average_pixel(pool, &w, &s, d, share, to, STORED_PAST);
            else if (b->how == STORED)
                average_pixel(pool, &w, &s, d, share, to, STORED);
            else
                average_pixel(pool, &w, &s, d, share, to, ADDED);
        }
    }
    settle();
}

void PL_CPU_NAME(average_backward)(const struct pl_cpu_pool *pool, const float *dy, bool add, float *dx, int threads)
{
    struct backward b = {.pool = pool, .dy = dy, .dx = dx, .add = add};
    run_strips(&b, threads, average_strips);
}
