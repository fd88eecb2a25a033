/* The reference device: plain loops in double precision. Activations are [sample][row][column][channel], so
 * that a view is a range of the innermost index and every inner loop runs over channels. */
#ifndef PL_REF_PRIV_H
#define PL_REF_PRIV_H

#include "device/device_priv.h"

/* The channels of view v at one pixel of one sample. */
static inline double *ref_at(const struct pl_view *v, int sample, int row, int column)
{
    size_t pixel = ((size_t)sample * (size_t)v->height + (size_t)row) * (size_t)v->width + (size_t)column;
    return (double *)v->data + pixel * (size_t)v->stored + v->first;
}

/* The channels of the pixel-th pixel, counted over the whole batch. */
static inline double *ref_pixel(const struct pl_view *v, size_t pixel)
{
    return (double *)v->data + pixel * (size_t)v->stored + v->first;
}

static inline size_t ref_pixels(const struct pl_view *v)
{
    return (size_t)v->batch * (size_t)v->height * (size_t)v->width;
}

/* The element of a host array in NCHW order that corresponds to channel c of a pixel. */
static inline size_t ref_plain_index(const struct pl_view *v, size_t pixel, int c)
{
    size_t area = (size_t)v->height * (size_t)v->width;
    return (pixel / area * (size_t)v->channels + (size_t)c) * area + pixel % area;
}

/* The passes, of which each file here has some. */
#define PASS(name, parameters, arguments) void ref_##name(struct pl_device *d, PL_LIST parameters);
#define SIZE(name, parameters, arguments) size_t ref_##name(struct pl_device *d, PL_LIST parameters);
PL_EACH_PASS(PASS, SIZE)
#undef PASS
#undef SIZE

#endif
