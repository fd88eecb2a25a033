/* Batch norm (Ioffe and Szegedy, 2015), with the ReLU and the residual sum that follow it fused in.
 *
 * All of it is bound by memory, so what counts is how often a tensor is read. Sums run over the samples of a
 * pixel in float, and over pixels and chunks of pixels in double; chunks are shared out among threads, and
 * added up in their order. Where every thread has whole blocks to work on, a block's two backward passes
 * follow each other, so that the second finds a small image's block in the cache. */
#include <math.h>
#include <string.h>

#include "device/cpu/kernels/normalise.h"
#include "device/cpu/kernels/table.h"

enum { CHUNKS = PL_CPU_CHUNKS };

/* Sums over one chunk, per channel of the block. */
struct moments {
    double first[16], second[16];
};

static int chunk_begin(const struct pl_cpu_shape *shape, int chunk)
{
    return (int)((long)pl_cpu_pixels(shape) * chunk / CHUNKS);
}

static struct moments total(const struct moments *chunks)
{
    struct moments sum = chunks[0];
    for (int chunk = 1; chunk < CHUNKS; chunk++)
        for (int k = 0; k < 16; k++) {
            sum.first[k] += chunks[chunk].first[k];
            sum.second[k] += chunks[chunk].second[k];
        }
    return sum;
}

static void add_pixel(struct moments *m, const vec first[PARTS], const vec second[PARTS])
{
    for (int j = 0; j < PARTS; j++)
        for (int k = 0; k < LANES; k++) {
            m->first[j * LANES + k] += (double)first[j][k];
            m->second[j * LANES + k] += (double)second[j][k];
        }
}

/* Sums of x - shift and of its square. The shift, some value of the channel, keeps the variance of a
 * channel with a large mean from cancelling. */
static void moments_chunk(const struct pl_cpu_shape *shape, const float *block, int chunk, struct moments *m)
{
    vec shift[PARTS];
    UNROLL_FOR (int j = 0; j < PARTS; j++)
        shift[j] = load(block + j * LANES);
    memset(m, 0, sizeof *m);
    for (int at = chunk_begin(shape, chunk); at < chunk_begin(shape, chunk + 1); at++) {
        const float *x = block + (size_t)at * shape->pixel;
        vec first[PARTS] = {{0}}, second[PARTS] = {{0}};
        for (int n = 0; n < shape->batch; n++, x += 16)
            UNROLL_FOR (int j = 0; j < PARTS; j++) {
                const vec d = load(x + j * LANES) - shift[j];
                first[j] += d;
                second[j] += d * d;
            }
        add_pixel(m, first, second);
    }
}

struct statistics {
    const struct pl_cpu_shape *shape;
    const float *x;
    struct moments *moments; /* of each block's chunks */
};

static void moments_part(void *self, size_t from, size_t to, int thread)
{
    const struct statistics *s = self;
    (void)thread;
    for (int task = (int)from; task < (int)to; task++)
        moments_chunk(s->shape, s->x + (size_t)(task / CHUNKS) * s->shape->block, task % CHUNKS, s->moments + task);
}

void PL_CPU_NAME(norm_statistics)(const struct pl_cpu_shape *shape, const float *x, double *mean, double *variance,
                                  float *work, int threads)
{
    struct moments *moments = (struct moments *)(void *)work;
    const int blocks = pl_cpu_blocks(shape->channels);
    const double count = (double)pl_cpu_pixels(shape) * shape->batch;
    struct statistics s = {shape, x, moments};
    pl_parallel(threads, (size_t)(blocks * CHUNKS), 1, moments_part, &s);
    for (int block = 0; block < blocks; block++) {
        const struct moments sum = total(moments + block * CHUNKS);
        for (int k = 0; k < 16 && block * 16 + k < shape->channels; k++) {
            const double shifted = sum.first[k] / count;
            const double spread = sum.second[k] / count - shifted * shifted;
            mean[block * 16 + k] = shifted + (double)x[(size_t)block * shape->block + k];
            variance[block * 16 + k] = spread < 0 ? 0 : spread; /* a NaN stays one */
        }
    }
}

INLINE void forward_pixel(const struct affine *to, int batch, const float *x, const float *residual, float *y,
                          const bool relu, const bool plus, const bool past)
{
    const struct affine a = *to;
    for (int n = 0; n < batch * 16; n += 16)
        UNROLL_FOR (int j = 0; j < PARTS; j++) {
            vec v = affine(&a, j * LANES, load(x + n + j * LANES));
            if (plus)
                v += load(residual + n + j * LANES);
            if (relu)
                v = relu_vec(v);
            if (past)
                store_past(y + n + j * LANES, v);
            else
                store(y + n + j * LANES, v);
        }
}

/* What norm_forward does is known before the loop over the samples, so that it holds no branches. */
INLINE void forward_case(const struct affine *a, int batch, const float *x, const float *residual, float *y, bool relu,
                         const bool past)
{
    if (residual && relu)
        forward_pixel(a, batch, x, residual, y, true, true, past);
    else if (residual)
        forward_pixel(a, batch, x, residual, y, false, true, past);
    else if (relu)
        forward_pixel(a, batch, x, NULL, y, true, false, past);
    else
        forward_pixel(a, batch, x, NULL, y, false, false, past);
}

struct forward {
    const struct pl_cpu_shape *shape;
    const struct pl_cpu_norm *norm;
    const float *x, *residual;
    float *y;
};

static void forward_part(void *self, size_t from, size_t to, int thread)
{
    const struct forward *f = self;
    const struct pl_cpu_shape *shape = f->shape;
    const float *x = f->x, *residual = f->residual;
    float *y = f->y;
    const bool past = y != x && y != residual && pl_cpu_past(shape);
    (void)thread;
    for (int task = (int)from; task < (int)to; task++) {
        const struct affine a = affine_of(f->norm, shape->channels, task / CHUNKS);
        size_t at = (size_t)(task / CHUNKS) * shape->block + (size_t)chunk_begin(shape, task % CHUNKS) * shape->pixel;
        const size_t end = (size_t)(task / CHUNKS) * shape->block +
                           (size_t)chunk_begin(shape, task % CHUNKS + 1) * shape->pixel;
        for (; at < end; at += shape->pixel) {
            const float *plus = residual ? residual + at : NULL;
            if (past)
                forward_case(&a, shape->batch, x + at, plus, y + at, f->norm->relu, true);
            else
                forward_case(&a, shape->batch, x + at, plus, y + at, f->norm->relu, false);
        }
    }
    settle();
}

void PL_CPU_NAME(norm_forward)(const struct pl_cpu_shape *shape, const struct pl_cpu_norm *norm, const float *x,
                               const float *residual, float *y, int threads)
{
    struct forward f = {shape, norm, x, residual, y};
    pl_parallel(threads, (size_t)(pl_cpu_blocks(shape->channels) * CHUNKS), 1, forward_part, &f);
}

/* Where the mask of the fused ReLU comes from. */
enum from { NO_RELU, FROM_X, FROM_Y };

struct backward {
    const struct pl_cpu_shape *shape;
    const struct pl_cpu_norm *norm;
    const float *x, *y, *dy;
    float *dx, *dresidual;
    bool add;
    enum from from;
    /* The sums leave the masked dy in dresidual, so that the second pass reads neither y nor a mask. */
    bool leaves;
    struct moments *moments; /* of each block's chunks */
};

/* dy behind the ReLU, at sample n of a pixel that lies `at` floats into the tensors. */
INLINE vec masked(const struct backward *b, size_t at, const struct affine *a, int k, vec x, const enum from from)
{
    const vec d = load(b->dy + at);
    if (from == FROM_X)
        return (vec)((mask)d & (mask)(affine(a, k, x) > (vec){0}));
    if (from == FROM_Y)
        return (vec)((mask)d & (mask)(load(b->y + at) > (vec){0}));
    return d;
}

/* Sums of the masked dy, and of it times x - mean (rounded to float). */
INLINE void sums_chunk(const struct backward *b, const struct affine *to, int block, int chunk, struct moments *m,
                       const enum from from, const bool leaves)
{
    const struct affine copy = *to, *a = &copy;
    const struct pl_cpu_shape *shape = b->shape;
    memset(m, 0, sizeof *m);
    for (int pixel = chunk_begin(shape, chunk); pixel < chunk_begin(shape, chunk + 1); pixel++) {
        const size_t at = (size_t)block * shape->block + (size_t)pixel * shape->pixel;
        vec first[PARTS] = {{0}}, second[PARTS] = {{0}};
        for (int n = 0; n < shape->batch * 16; n += 16)
            UNROLL_FOR (int j = 0; j < PARTS; j++) {
                const int k = j * LANES;
                const vec x = load(b->x + at + n + k);
                const vec d = masked(b, at + n + k, a, k, x, from);
                if (leaves)
                    store(b->dresidual + at + n + k, d);
                first[j] += d;
                second[j] += d * (x - load_loose(a->mean + k));
            }
        add_pixel(m, first, second);
    }
}

/* dx = d * scale + (x - mean) * slope + offset */
struct gradient {
    float slope[16], offset[16];
};

INLINE void gradient_chunk(const struct backward *b, const struct affine *to, const struct gradient *g, int block,
                           int chunk, const enum from from)
{
    const struct affine copy = *to, *a = &copy;
    const struct pl_cpu_shape *shape = b->shape;
    for (int pixel = chunk_begin(shape, chunk); pixel < chunk_begin(shape, chunk + 1); pixel++) {
        const size_t at = (size_t)block * shape->block + (size_t)pixel * shape->pixel;
        for (int n = 0; n < shape->batch * 16; n += 16)
            UNROLL_FOR (int j = 0; j < PARTS; j++) {
                const int k = j * LANES;
                const vec x = load(b->x + at + n + k);
                const vec d = masked(b, at + n + k, a, k, x, from);
                vec dx = d * load_loose(a->scale + k) +
                         ((x - load_loose(a->mean + k)) * load_loose(g->slope + k) + load_loose(g->offset + k));
                if (b->add)
                    dx += load(b->dx + at + n + k);
                if (b->dresidual)
                    store(b->dresidual + at + n + k, d);
                store(b->dx + at + n + k, dx);
            }
    }
}

static void sums(const struct backward *b, int block, int chunk, struct moments *m)
{
    const struct affine a = affine_of(b->norm, b->shape->channels, block);
    if (b->from == FROM_X)
        sums_chunk(b, &a, block, chunk, m, FROM_X, false);
    else if (b->leaves)
        sums_chunk(b, &a, block, chunk, m, FROM_Y, true);
    else if (b->from == FROM_Y)
        sums_chunk(b, &a, block, chunk, m, FROM_Y, false);
    else
        sums_chunk(b, &a, block, chunk, m, NO_RELU, false);
}

/* The sums with the exact mean. */
static struct moments exact(const struct backward *b, int block, const struct moments *chunks)
{
    struct moments sum = total(chunks);
    for (int k = 0; k < 16 && block * 16 + k < b->shape->channels; k++) {
        const double mean = b->norm->mean[block * 16 + k];
        sum.second[k] += ((double)(float)mean - mean) * sum.first[k];
    }
    return sum;
}

static struct gradient gradient_of(const struct backward *b, int block, const struct moments *chunks)
{
    const double count = (double)pl_cpu_pixels(b->shape) * b->shape->batch;
    const struct moments sum = exact(b, block, chunks);
    struct gradient g = {{0}, {0}};
    for (int k = 0; k < 16 && block * 16 + k < b->shape->channels; k++) {
        const int c = block * 16 + k;
        const double mean = b->norm->mean[c], inverse = 1 / sqrt(b->norm->variance[c] + b->norm->epsilon);
        const double scale = (double)b->norm->gamma[c] * inverse;
        const double slope = -scale * sum.second[k] * inverse * inverse / count;
        g.slope[k] = (float)slope;
        g.offset[k] = (float)(((double)(float)mean - mean) * slope - scale * sum.first[k] / count);
    }
    return g;
}

/* The second pass as it is where the first has left the masked dy. */
static struct backward behind(const struct backward *b)
{
    struct backward next = *b;
    if (b->leaves) {
        next.from = NO_RELU;
        next.dy = b->dresidual;
        next.dresidual = NULL;
    }
    return next;
}

static void gradients(const struct backward *self, int block, int chunk, const struct moments *chunks)
{
    const struct backward next = behind(self), *b = &next;
    const struct affine a = affine_of(b->norm, b->shape->channels, block);
    const struct gradient g = gradient_of(b, block, chunks);
    if (b->from == FROM_X)
        gradient_chunk(b, &a, &g, block, chunk, FROM_X);
    else if (b->from == FROM_Y)
        gradient_chunk(b, &a, &g, block, chunk, FROM_Y);
    else
        gradient_chunk(b, &a, &g, block, chunk, NO_RELU);
}

static void parameters(const struct backward *b, int block, const struct moments *chunks, float *dgamma, float *dbeta)
{
    const struct moments sum = exact(b, block, chunks);
    for (int k = 0; k < 16 && block * 16 + k < b->shape->channels; k++) {
        const int c = block * 16 + k;
        dgamma[c] = (float)(sum.second[k] / sqrt(b->norm->variance[c] + b->norm->epsilon));
        dbeta[c] = (float)sum.first[k];
    }
}

static void backward_blocks(void *self, size_t from, size_t to, int thread)
{
    const struct backward *b = self;
    (void)thread;
    for (int block = (int)from; block < (int)to; block++) {
        for (int chunk = 0; chunk < CHUNKS; chunk++)
            sums(b, block, chunk, b->moments + block * CHUNKS + chunk);
        for (int chunk = 0; chunk < CHUNKS; chunk++)
            gradients(b, block, chunk, b->moments + block * CHUNKS);
    }
}

static void backward_sums(void *self, size_t from, size_t to, int thread)
{
    const struct backward *b = self;
    (void)thread;
    for (int task = (int)from; task < (int)to; task++)
        sums(b, task / CHUNKS, task % CHUNKS, b->moments + task);
}

static void backward_gradients(void *self, size_t from, size_t to, int thread)
{
    const struct backward *b = self;
    (void)thread;
    for (int task = (int)from; task < (int)to; task++)
        gradients(b, task / CHUNKS, task % CHUNKS, b->moments + task / CHUNKS * CHUNKS);
}

void PL_CPU_NAME(norm_backward)(const struct pl_cpu_shape *shape, const struct pl_cpu_norm *norm, const float *x,
                                const float *y, const float *dy, bool add, float *dx, float *dresidual, float *dgamma,
                                float *dbeta, float *work, int threads)
{
    struct moments *moments = (struct moments *)(void *)work;
    struct backward b = {.shape = shape,
                         .norm = norm,
                         .x = x,
                         .y = y,
                         .dy = dy,
                         .dx = dx,
                         .dresidual = dresidual,
                         .add = add,
                         .moments = moments,
                         .from = !norm->relu ? NO_RELU
                                 : y         ? FROM_Y
                                             : FROM_X};
    b.leaves = b.from == FROM_Y && dresidual;
    const int blocks = pl_cpu_blocks(shape->channels);
    if (blocks % threads == 0 || blocks >= 8 * threads) {
        pl_parallel(threads, (size_t)blocks, 1, backward_blocks, &b);
    } else {
        pl_parallel(threads, (size_t)(blocks * CHUNKS), 1, backward_sums, &b);
        pl_parallel(threads, (size_t)(blocks * CHUNKS), 1, backward_gradients, &b);
    }
    for (int block = 0; block < blocks; block++)
        parameters(&b, block, moments + block * CHUNKS, dgamma, dbeta);
}

static void bias_part(void *self, size_t from, size_t to, int thread)
{
    const struct statistics *s = self;
    const struct pl_cpu_shape *shape = s->shape;
    (void)thread;
    for (int task = (int)from; task < (int)to; task++) {
        struct moments *m = s->moments + task;
        memset(m, 0, sizeof *m);
        for (int at = chunk_begin(shape, task % CHUNKS); at < chunk_begin(shape, task % CHUNKS + 1); at++) {
            const float *d = s->x + (size_t)(task / CHUNKS) * shape->block + (size_t)at * shape->pixel;
            vec sum[PARTS] = {{0}};
            const vec none[PARTS] = {{0}};
            for (int n = 0; n < shape->batch; n++, d += 16)
                UNROLL_FOR (int j = 0; j < PARTS; j++)
                    sum[j] += load(d + j * LANES);
            add_pixel(m, sum, none);
        }
    }
}

void PL_CPU_NAME(bias_backward)(const struct pl_cpu_shape *shape, const float *dy, float *dbias, float *work,
                                int threads)
{
    struct moments *moments = (struct moments *)(void *)work;
    struct statistics s = {shape, dy, moments};
    pl_parallel(threads, (size_t)pl_cpu_blocks(shape->channels) * CHUNKS, 1, bias_part, &s);
    for (int c = 0; c < shape->channels; c++) {
        double sum = 0;
        for (int chunk = 0; chunk < CHUNKS; chunk++)
            sum += moments[c / 16 * CHUNKS + chunk].first[c % 16];
        dbias[c] = (float)sum;
    }
}
