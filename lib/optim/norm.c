/* Elements are summed in blocks, each by one thread with LANES sums of its own (which keeps additions from waiting for
 * one another and lets compilers use vectors), and the blocks are added in order. */
#include "optim/optim.h"

#include <math.h>

enum { BLOCKS = 256, LANES = 16 };

static double sum_float(const float *x, size_t count)
{
    double sum[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            sum[k] += (double)x[i + k] * x[i + k];
    for (; i < count; i++)
        sum[0] += (double)x[i] * x[i];
    for (size_t k = 1; k < LANES; k++)
        sum[0] += sum[k];
    return sum[0];
}

static double sum_double(const double *x, size_t count)
{
    double sum[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            sum[k] += x[i + k] * x[i + k];
    for (; i < count; i++)
        sum[0] += x[i] * x[i];
    for (size_t k = 1; k < LANES; k++)
        sum[0] += sum[k];
    return sum[0];
}

struct norm {
    const void *values;
    enum pl_element element;
    size_t count;
    double sums[BLOCKS];
};

static size_t block_length(size_t count)
{
    return (count / BLOCKS / LANES + 1) * LANES;
}

static void sum_blocks(void *self, size_t first, size_t end, int thread)
{
    struct norm *n = self;
    const size_t length = block_length(n->count);
    (void)thread;
    for (size_t b = first; b < end; b++) {
        size_t from = b * length < n->count ? b * length : n->count;
        size_t to = from + length < n->count ? from + length : n->count;
        n->sums[b] = n->element == PL_FLOAT32 ? sum_float((const float *)n->values + from, to - from)
                                              : sum_double((const double *)n->values + from, to - from);
    }
}

double pl_arena_norm(const void *values, enum pl_element element, size_t count, int threads)
{
    struct norm norm = {.values = values, .element = element, .count = count};
    const size_t length = block_length(count), blocks = (count + length - 1) / length; /* those that are not empty */
    double sum = 0;
    pl_parallel(threads, blocks, 0, sum_blocks, &norm);
    for (size_t b = 0; b < blocks; b++)
        sum += norm.sums[b];
    return sqrt(sum);
}

struct scaling {
    void *values;
    enum pl_element element;
    double factor;
};

static void scale_part(void *self, size_t from, size_t to, int thread)
{
    const struct scaling *s = self;
    float *x = s->values, by = (float)s->factor;
    double *y = s->values;
    (void)thread;
    if (s->element == PL_FLOAT32)
        for (size_t i = from; i < to; i++)
            x[i] *= by;
    else
        for (size_t i = from; i < to; i++)
            y[i] *= s->factor;
}

static void scale(void *values, enum pl_element element, size_t count, double factor, int threads)
{
    struct scaling scaling = {values, element, factor};
    pl_parallel(threads, count, 0, scale_part, &scaling);
}

double pl_arena_clip(void *gradient, enum pl_element element, size_t count, double limit, int threads)
{
    double norm = pl_arena_norm(gradient, element, count, threads);
    if (norm > limit)
        scale(gradient, element, count, limit / (norm + 1e-6), threads);
    return norm;
}
