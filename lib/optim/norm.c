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

double pl_arena_norm(const void *values, enum pl_element element, size_t count, int threads)
{
    double sums[BLOCKS], sum = 0;
    size_t length = (count / BLOCKS / LANES + 1) * LANES;
    (void)threads;
#pragma omp parallel for num_threads(threads)
    for (size_t b = 0; b < BLOCKS; b++) {
        size_t from = b * length < count ? b * length : count, to = from + length < count ? from + length : count;
        sums[b] = element == PL_FLOAT32 ? sum_float((const float *)values + from, to - from)
                                        : sum_double((const double *)values + from, to - from);
    }
    for (size_t b = 0; b < BLOCKS; b++)
        sum += sums[b];
    return sqrt(sum);
}

static void scale(void *values, enum pl_element element, size_t count, double factor, int threads)
{
    (void)threads;
    if (element == PL_FLOAT32) {
        float *x = values, by = (float)factor;
#pragma omp parallel for num_threads(threads)
        for (size_t i = 0; i < count; i++)
            x[i] *= by;
    } else {
        double *x = values;
#pragma omp parallel for num_threads(threads)
        for (size_t i = 0; i < count; i++)
            x[i] *= factor;
    }
}

double pl_arena_clip(void *gradient, enum pl_element element, size_t count, double limit, int threads)
{
    double norm = pl_arena_norm(gradient, element, count, threads);
    if (norm > limit)
        scale(gradient, element, count, limit / (norm + 1e-6), threads);
    return norm;
}
