/* Clipping of gradients, in ways that do not depend on threads: every norm is summed by one of them. */
#include "optim/optim.h"

#include <math.h>

struct clipping {
    void *gradient;
    const void *theta;
    enum pl_element element;
    const struct pl_tensor *tensor;
    size_t row; /* elements of a row */
    double limit;
};

static double at(const void *values, enum pl_element element, size_t index)
{
    return element == PL_FLOAT32 ? (double)((const float *)values)[index] : ((const double *)values)[index];
}

static void scale(void *values, enum pl_element element, size_t from, size_t count, double factor)
{
    for (size_t i = from; i < from + count; i++)
        if (element == PL_FLOAT32)
            ((float *)values)[i] *= (float)factor;
        else
            ((double *)values)[i] *= factor;
}

static double norm(const void *values, enum pl_element element, size_t from, size_t count)
{
    double sum = 0;
    for (size_t i = from; i < from + count; i++)
        sum += at(values, element, i) * at(values, element, i);
    return sqrt(sum);
}

static void clip_values(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct clipping *c = self;
    const float limit = (float)c->limit;
    float *x = c->gradient;
    double *y = c->gradient;
    if (c->element == PL_FLOAT32)
        for (size_t i = from; i < to; i++)
            x[i] = x[i] > limit ? limit : x[i] < -limit ? -limit : x[i]; /* NaN stays */
    else
        for (size_t i = from; i < to; i++)
            y[i] = y[i] > c->limit ? c->limit : y[i] < -c->limit ? -c->limit : y[i];
}

static void clip_rows(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct clipping *c = self;
    for (size_t r = from; r < to; r++) {
        size_t first = c->tensor->offset + r * c->row;
        double most = c->limit * fmax(norm(c->theta, c->element, first, c->row), PL_CLIP_LEAST);
        double size = norm(c->gradient, c->element, first, c->row);
        if (!(size < most))
            scale(c->gradient, c->element, first, c->row, most / fmax(size, 1e-6));
    }
}

/* A sum of squares can be beyond all numbers where the norm is not. */
static double long_norm(const double *x, size_t count)
{
    double largest = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(x[i]));
    for (size_t i = 0; i < count; i++)
        sum += x[i] / largest * (x[i] / largest);
    return largest * sqrt(sum);
}

static double clip_norm(void *gradient, const struct pl_layout *layout, enum pl_element element, double limit,
                        int threads)
{
    double *x = gradient;
    if (element == PL_FLOAT32 || !isinf(pl_arena_norm(x, element, layout->length, threads)))
        return pl_arena_clip(gradient, element, layout->length, limit, threads);
    double size = long_norm(x, layout->length);
    scale(gradient, element, 0, layout->length, limit / size);
    return size;
}

double pl_gradient_clip(void *gradient, const void *theta, const struct pl_layout *layout, enum pl_element element,
                        enum pl_clip_by by, double limit, int threads)
{
    struct clipping c = {.gradient = gradient, .theta = theta, .element = element, .limit = limit};
    if (by == PL_CLIP_NORM && !isinf(limit))
        return clip_norm(gradient, layout, element, limit, threads);
    double size = pl_arena_norm(gradient, element, layout->length, threads);
    if (isinf(limit))
        return size;
    if (by == PL_CLIP_VALUE)
        pl_parallel(threads, layout->length, 0, clip_values, &c);
    for (size_t i = 0; by == PL_CLIP_ADAPTIVE && i < layout->count; i++) {
        c.tensor = &layout->tensors[i];
        size_t rows = c.tensor->dims < 2 ? 1 : c.tensor->rows;
        c.row = c.tensor->count / rows;
        pl_parallel(threads, rows, 0, clip_rows, &c);
    }
    return size;
}
