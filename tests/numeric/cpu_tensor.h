/* Tensors for the tests of the cpu kernels: plain doubles beside the kernels' layout, whose gaps are filled
 * with NaN, so that a kernel that reads them, writes them or lets padding channels be non-zero is caught. */
#ifndef PL_TESTS_CPU_TENSOR_H
#define PL_TESTS_CPU_TENSOR_H

#include "base/base.h"
#include "device/cpu/kernels/kernels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct tensor {
    struct pl_cpu_shape shape;
    float *data;   /* kernel layout */
    double *plain; /* [batch][channels][height][width] */
    size_t count;  /* of plain */
};

static inline size_t plain_at(const struct pl_cpu_shape *s, int n, int c, int y, int x)
{
    return (((size_t)n * (size_t)s->channels + (size_t)c) * (size_t)s->height + (size_t)y) * (size_t)s->width +
           (size_t)x;
}

#define FOR_ELEMENTS(s, n, c, y, x)                                                                                    \
    for (int n = 0; n < (s)->batch; n++)                                                                               \
        for (int c = 0; c < (s)->channels; c++)                                                                        \
            for (int y = 0; y < (s)->height; y++)                                                                      \
                for (int x = 0; x < (s)->width; x++)

/* Gaps NaN, channels and padding channels zero. */
static inline void tensor_clear(struct tensor *t)
{
    for (size_t i = 0; i < pl_cpu_floats(&t->shape); i++)
        t->data[i] = NAN;
    struct pl_cpu_shape s = t->shape;
    s.channels = pl_cpu_blocks(s.channels) * 16;
    FOR_ELEMENTS (&s, n, c, y, x)
        t->data[pl_cpu_index(&s, n, c, y, x)] = 0;
}

static inline struct tensor tensor_new(const struct pl_cpu_shape *shape)
{
    struct tensor t = {.shape = *shape};
    t.count = (size_t)shape->batch * (size_t)shape->channels * (size_t)shape->height * (size_t)shape->width;
    t.data = pl_arena(pl_cpu_floats(shape), sizeof *t.data);
    t.plain = pl_arena(t.count, sizeof *t.plain);
    assert_non_null(t.data);
    assert_non_null(t.plain);
    tensor_clear(&t);
    return t;
}

static inline void tensor_free(struct tensor *t)
{
    free(t->data);
    free(t->plain);
}

/* plain to data; plain is rounded to float first, so that both are the same numbers. */
static inline void tensor_push(struct tensor *t)
{
    FOR_ELEMENTS (&t->shape, n, c, y, x) {
        const size_t at = plain_at(&t->shape, n, c, y, x);
        t->plain[at] = (double)(float)t->plain[at];
        t->data[pl_cpu_index(&t->shape, n, c, y, x)] = (float)t->plain[at];
    }
}

/* Standard normal numbers, the same for the same seed. */
static inline void tensor_fill(struct tensor *t, uint64_t seed)
{
    const struct pl_random r = pl_random_stream(seed, PL_STREAM_DATA);
    for (size_t i = 0; i < t->count; i++)
        t->plain[i] = pl_random_normal(&r, 0, i);
    tensor_push(t);
}

static inline float *random_floats(size_t count, uint64_t seed, double scale, double middle)
{
    const struct pl_random r = pl_random_stream(seed, PL_STREAM_INIT);
    float *list = pl_new(count * sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = (float)(middle + scale * pl_random_normal(&r, 0, i));
    return list;
}

/* Fails the test when a gap was written or a padding channel is not zero. */
static inline void tensor_intact(const struct tensor *t)
{
    const struct pl_cpu_shape *s = &t->shape;
    const size_t pixels = (size_t)s->height * (size_t)s->width;
    for (size_t i = 0; i < pl_cpu_floats(s); i++) {
        const size_t inside = i % s->block;
        const bool gap = inside >= pixels * s->pixel || inside % s->pixel >= (size_t)s->batch * 16;
        const bool padding = (int)(i / s->block * 16 + inside % 16) >= s->channels;
        if (gap ? !isnan(t->data[i]) : padding && t->data[i] != 0)
            fail_msg("%s holds %g at %zu", gap ? "a gap" : "a padding channel", (double)t->data[i], i);
    }
}

/* Root mean square of the difference to plain, relative to plain's; plain times zero must be zero. */
static inline double tensor_error(const struct tensor *t)
{
    double error = 0, size = 0;
    tensor_intact(t);
    FOR_ELEMENTS (&t->shape, n, c, y, x) {
        const double want = t->plain[plain_at(&t->shape, n, c, y, x)];
        const double d = (double)t->data[pl_cpu_index(&t->shape, n, c, y, x)] - want;
        error += d * d;
        size += want * want;
    }
    return size > 0 ? sqrt(error / size) : sqrt(error);
}

static inline double list_error(const float *got, const double *want, size_t count)
{
    double error = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        error += ((double)got[i] - want[i]) * ((double)got[i] - want[i]);
        size += want[i] * want[i];
    }
    return size > 0 ? sqrt(error / size) : sqrt(error);
}

/* Checks a relative error; NaN fails. */
#define assert_error(error, limit, ...)                                                                                \
    do {                                                                                                               \
        const double error_ = (error);                                                                                 \
        if (!(error_ <= (limit))) {                                                                                    \
            char what_[256];                                                                                           \
            snprintf(what_, sizeof what_, __VA_ARGS__);                                                                \
            fail_msg("%s: error %.3g, allowed %.3g", what_, error_, (double)(limit));                                  \
        }                                                                                                              \
    } while (0)

/* The kernels of every instruction set that this machine has. */
#define FOR_ISAS(isa, kernels)                                                                                         \
    for (enum pl_isa isa = PL_ISA_BASE; isa <= pl_host_isa(); isa++)                                                   \
        for (const struct pl_cpu_kernels *kernels = pl_cpu_kernels(isa); kernels; kernels = NULL)

#endif
