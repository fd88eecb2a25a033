/* Elementwise kernels and the changes of layout. The floats between pixels are skipped, so that a tensor may
 * be a slice of another one's blocks. */
#include "device/cpu/kernels/table.h"
#include "device/cpu/kernels/transpose.h"

/* Operands of one shape. */
struct operands {
    const struct pl_cpu_shape *shape;
    const float *a, *b;
    float *y;
};

/* A loop's body NAME that runs BODY for the 16-float groups of one pixel after another; `at` is the offset of LANES of
 * them. */
#define FOR_EACH_VECTOR(NAME, BODY)                                                                                    \
    static void NAME(void *self, size_t from, size_t to, int thread)                                                   \
    {                                                                                                                  \
        const struct operands *o = self;                                                                               \
        const size_t pixels = (size_t)pl_cpu_pixels(o->shape);                                                         \
        (void)thread;                                                                                                  \
        for (size_t task = from; task < to; task++) {                                                                  \
            const size_t begin = task / pixels * o->shape->block + task % pixels * o->shape->pixel;                    \
            for (size_t at = begin; at < begin + (size_t)o->shape->batch * 16; at += LANES) {                          \
                BODY;                                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
    }

FOR_EACH_VECTOR(relu_part, store(o->y + at, relu_vec(load(o->a + at))))
FOR_EACH_VECTOR(mask_part, store(o->y + at, (vec)((mask)load(o->b + at) & (mask)(load(o->a + at) > (vec){0}))))
FOR_EACH_VECTOR(add_part, store(o->y + at, load(o->a + at) + load(o->b + at)))
FOR_EACH_VECTOR(add_relu_part, store(o->y + at, relu_vec(load(o->a + at) + load(o->b + at))))

static void run(pl_parallel_body *body, const struct pl_cpu_shape *shape, const float *a, const float *b, float *y,
                int threads)
{
    struct operands o = {shape, a, b, y};
    pl_parallel(threads, (size_t)pl_cpu_blocks(shape->channels) * (size_t)pl_cpu_pixels(shape), 0, body, &o);
}

void PL_CPU_NAME(relu_forward)(const struct pl_cpu_shape *shape, const float *x, float *y, int threads)
{
    run(relu_part, shape, x, NULL, y, threads);
}

void PL_CPU_NAME(relu_backward)(const struct pl_cpu_shape *shape, const float *y, const float *dy, float *dx,
                                int threads)
{
    run(mask_part, shape, y, dy, dx, threads);
}

void PL_CPU_NAME(add)(const struct pl_cpu_shape *shape, const float *a, const float *b, float *y, int threads)
{
    run(add_part, shape, a, b, y, threads);
}

void PL_CPU_NAME(add_relu)(const struct pl_cpu_shape *shape, const float *a, const float *b, float *y, int threads)
{
    run(add_relu_part, shape, a, b, y, threads);
}

struct dropout {
    const struct pl_cpu_shape *shape;
    const float *x;
    const uint8_t *keep;
    float scale;
    float *y;
};

/* The 16 channels of a sample whose bytes lie together. */
INLINE void dropout_whole(const float *x, const uint8_t *keep, float scale, float *y)
{
    typedef uint8_t bytes __attribute__((vector_size(LANES), aligned(1), may_alias));
    UNROLL_FOR (int j = 0; j < PARTS; j++) {
        const mask kept = __builtin_convertvector(*(const bytes *)(keep + j * LANES), mask) != 0;
        store(y + j * LANES, (vec)((mask)(load(x + j * LANES) * scale) & kept));
    }
}

static void dropout_part(void *self, size_t from, size_t to, int thread)
{
    const struct dropout *d = self;
    const int pixels = pl_cpu_pixels(d->shape), channels = d->shape->channels;
    (void)thread;
    for (int task = (int)from; task < (int)to; task++) {
        const int block = task / pixels, pixel = task % pixels, count = pl_cpu_min(16, channels - block * 16);
        const size_t begin = (size_t)block * d->shape->block + (size_t)pixel * d->shape->pixel;
        for (int n = 0; n < d->shape->batch; n++) {
            const uint8_t *kept = d->keep + ((size_t)n * channels + block * 16) * pixels + pixel;
            if (pixels == 1 && count == 16) {
                dropout_whole(d->x + begin + (size_t)n * 16, kept, d->scale, d->y + begin + (size_t)n * 16);
                continue;
            }
            for (int k = 0; k < count; k++) {
                const size_t at = begin + (size_t)n * 16 + k;
                d->y[at] = kept[(size_t)k * pixels] ? d->x[at] * d->scale : 0;
            }
            for (int k = count; k < 16; k++)
                d->y[begin + (size_t)n * 16 + k] = 0;
        }
    }
}

void PL_CPU_NAME(dropout)(const struct pl_cpu_shape *shape, const float *x, const uint8_t *keep, float scale, float *y,
                          int threads)
{
    struct dropout d = {shape, x, keep, scale, y};
    pl_parallel(threads, (size_t)pl_cpu_blocks(shape->channels) * (size_t)pl_cpu_pixels(shape), 0, dropout_part, &d);
}

/* In plain order, and in ours. */
struct layouts {
    const struct pl_cpu_shape *shape;
    const float *from;
    float *to;
};

static void from_part(void *self, size_t from, size_t to, int thread)
{
    const struct layouts *l = self;
    const struct pl_cpu_shape *shape = l->shape;
    const int pixels = pl_cpu_pixels(shape);
    (void)thread;
    for (int task = (int)from; task < (int)to; task++) {
        const int block = task / shape->batch, n = task % shape->batch;
        gather16(l->from + ((size_t)n * shape->channels + block * 16) * pixels, (size_t)pixels,
                 pl_cpu_min(16, shape->channels - block * 16), pixels, l->to + block * shape->block + (size_t)n * 16,
                 shape->pixel);
    }
}

enum { FEW = 4, SPAN = 16 /* pixels: a line of a plane */ };

/* Images of few channels, a span of pixels of all samples after another: the lines of a pixel are written in their
 * order, where a sample's would lie in as many pages as it has pixels. */
static void few_part(void *self, size_t from, size_t to, int thread)
{
    const struct layouts *l = self;
    const struct pl_cpu_shape *shape = l->shape;
    const size_t pixels = (size_t)pl_cpu_pixels(shape);
    (void)thread;
    for (size_t span = from; span < to; span++) {
        const size_t first = span * SPAN;
        const int count = pl_cpu_min(SPAN, (int)(pixels - first));
        for (int n = 0; n < shape->batch; n++)
            gather16(l->from + (size_t)n * shape->channels * pixels + first, pixels, shape->channels, count,
                     l->to + first * shape->pixel + (size_t)n * 16, shape->pixel);
    }
}

void PL_CPU_NAME(from_nchw)(const struct pl_cpu_shape *shape, const float *plain, float *x, int threads)
{
    struct layouts l = {shape, plain, x};
    if (shape->channels <= FEW) {
        pl_parallel(threads, ((size_t)pl_cpu_pixels(shape) + SPAN - 1) / SPAN, 0, few_part, &l);
        return;
    }
    pl_parallel(threads, (size_t)pl_cpu_blocks(shape->channels) * (size_t)shape->batch, 0, from_part, &l);
}

static void to_part(void *self, size_t from, size_t to, int thread)
{
    const struct layouts *l = self;
    const struct pl_cpu_shape *shape = l->shape;
    const int pixels = pl_cpu_pixels(shape);
    (void)thread;
    for (int task = (int)from; task < (int)to; task++) {
        const int block = task / shape->batch, n = task % shape->batch;
        scatter16(l->from + block * shape->block + (size_t)n * 16, shape->pixel, pixels,
                  l->to + ((size_t)n * shape->channels + block * 16) * pixels, (size_t)pixels,
                  pl_cpu_min(16, shape->channels - block * 16));
    }
}

void PL_CPU_NAME(to_nchw)(const struct pl_cpu_shape *shape, const float *x, float *plain, int threads)
{
    struct layouts l = {shape, x, plain};
    pl_parallel(threads, (size_t)pl_cpu_blocks(shape->channels) * (size_t)shape->batch, 0, to_part, &l);
}

struct copy {
    const struct pl_cpu_shape *x_shape, *y_shape;
    const float *x;
    float *y;
    int x_first, y_first, count;
    bool add;
};

static void copy_part(void *self, size_t begin, size_t end, int thread)
{
    const struct copy *o = self;
    (void)thread;
    for (size_t p = begin; p < end; p++)
        for (int c = 0, run; c < o->count; c += run) {
            const int from = o->x_first + c, to = o->y_first + c; /* a run stays inside a block on both sides */
            run = pl_cpu_min(pl_cpu_min(16 - from % 16, 16 - to % 16), o->count - c);
            const float *a = o->x + (size_t)(from / 16) * o->x_shape->block + p * o->x_shape->pixel + from % 16;
            float *b = o->y + (size_t)(to / 16) * o->y_shape->block + p * o->y_shape->pixel + to % 16;
            for (int n = 0; n < o->x_shape->batch; n++, a += 16, b += 16)
                for (int k = 0; k < run; k++)
                    b[k] = o->add ? b[k] + a[k] : a[k];
        }
}

void PL_CPU_NAME(copy_channels)(const struct pl_cpu_shape *x_shape, const float *x, int x_first,
                                const struct pl_cpu_shape *y_shape, float *y, int y_first, int count, bool add,
                                int threads)
{
    struct copy copy = {x_shape, y_shape, x, y, x_first, y_first, count, add};
    pl_parallel(threads, (size_t)pl_cpu_pixels(x_shape), 0, copy_part, &copy);
}
