#include "device/cpu/adapter/adapter.h"

#include <string.h>

enum { VECTORS = 2 }; /* weight and bias, or their gradients, with gaps */

size_t cpu_norm_bytes(const struct pl_view *x)
{
    size_t channels = (size_t)cpu_shape(x).channels;
    return cpu_has_gaps(x)
               ? VECTORS * (cpu_cut_bytes(channels, sizeof(float)) + cpu_cut_bytes(channels, sizeof(double)))
               : 0;
}

size_t cpu_norm_workspace(struct pl_device *d, const struct pl_view *x)
{
    (void)d;
    struct pl_cpu_shape shape = cpu_shape(x);
    size_t bytes = cpu_cut_bytes(pl_cpu_norm_workspace(&shape), sizeof(float)) + cpu_norm_bytes(x);
    if (cpu_has_gaps(x))
        bytes += VECTORS * cpu_cut_bytes((size_t)shape.channels, sizeof(float));
    return bytes;
}

void cpu_moments(struct pl_device *d, const struct pl_view *x, void *work)
{
    struct pl_cpu_shape shape = cpu_shape(x);
    cpu_kernels(d)->norm_statistics(&shape, cpu_data(x), x->moments + x->first, x->moments + x->stored + x->first, work,
                                    d->options.threads);
}

/* As on the reference device, with the moments of the stored channels. */
void cpu_norm_running(struct pl_device *d, const struct pl_batch_norm *n, const struct pl_view *x, double *mean,
                      double *variance)
{
    double m = (double)x->batch * x->height * x->width, unbiased = m > 1 ? m / (m - 1) : 1;
    const double *moments = x->moments + x->first;
    for (int i = 0; i < x->piece_count; i++) {
        for (int c = 0; c < x->pieces[i]; c++, mean++, variance++) {
            *mean = (1 - n->momentum) * *mean + n->momentum * moments[c];
            *variance = (1 - n->momentum) * *variance + n->momentum * unbiased * moments[x->stored + c];
        }
        moments += pl_device_stored(d->type, x->pieces[i]);
    }
}

static const float *with_gaps(const struct pl_view *x, const float *plain, size_t channels, void **work)
{
    if (!cpu_has_gaps(x))
        return plain;
    float *spread = cpu_cut(work, channels, sizeof *spread);
    cpu_spread(x, plain, 1, 1, spread);
    return spread;
}

static const double *statistics_with_gaps(const struct pl_view *x, const double *plain, size_t channels, void **work)
{
    if (!cpu_has_gaps(x))
        return plain;
    double *spread = cpu_cut(work, channels, sizeof *spread), *to = spread;
    memset(spread, 0, channels * sizeof *spread);
    for (int i = 0; i < x->piece_count; i++) {
        memcpy(to, plain, (size_t)x->pieces[i] * sizeof *to);
        plain += x->pieces[i];
        to += 16 * pl_cpu_blocks(x->pieces[i]);
    }
    return spread;
}

/* Batch moments, where nobody has written those of gaps. */
static const double *moments_with_gaps(const struct pl_view *x, const double *moments, size_t channels, void **work)
{
    if (!cpu_has_gaps(x))
        return moments;
    double *spread = cpu_cut(work, channels, sizeof *spread);
    memset(spread, 0, channels * sizeof *spread);
    for (int i = 0, at = 0; i < x->piece_count; at += 16 * pl_cpu_blocks(x->pieces[i++]))
        memcpy(spread + at, moments + at, (size_t)x->pieces[i] * sizeof *spread);
    return spread;
}

struct pl_cpu_norm cpu_norm_of(const struct pl_batch_norm *n, const struct pl_view *x, const void *weight,
                               const void *bias, const double *mean, const double *variance, void **work)
{
    size_t channels = (size_t)cpu_shape(x).channels;
    struct pl_cpu_norm norm = {.epsilon = n->epsilon, .relu = n->relu};
    if (mean) {
        norm.mean = statistics_with_gaps(x, mean, channels, work);
        norm.variance = statistics_with_gaps(x, variance, channels, work);
    } else {
        norm.mean = moments_with_gaps(x, x->moments + x->first, channels, work);
        norm.variance = moments_with_gaps(x, x->moments + x->stored + x->first, channels, work);
    }
    norm.gamma = with_gaps(x, weight, channels, work);
    norm.beta = with_gaps(x, bias, channels, work);
    return norm;
}

void cpu_norm_forward(struct pl_device *d, const struct pl_batch_norm *n, const struct pl_view *x, const void *weight,
                      const void *bias, const double *mean, const double *variance, const struct pl_view *residual,
                      const struct pl_view *y, void *work)
{
    struct pl_cpu_shape shape = cpu_shape(x);
    struct pl_cpu_norm norm = cpu_norm_of(n, x, weight, bias, mean, variance, &work);
    cpu_kernels(d)->norm_forward(&shape, &norm, cpu_data(x), residual ? cpu_data(residual) : NULL, cpu_data(y),
                                 d->options.threads);
}

void cpu_norm_backward(struct pl_device *d, const struct pl_batch_norm *n, const struct pl_view *x,
                       const struct pl_view *y, const struct pl_view *dy, const void *weight, const void *bias,
                       void *dweight, void *dbias, const struct pl_view *dx, bool accumulate,
                       const struct pl_view *dresidual, void *work)
{
    struct pl_cpu_shape shape = cpu_shape(x);
    size_t channels = (size_t)shape.channels;
    struct pl_cpu_norm norm = cpu_norm_of(n, x, weight, bias, NULL, NULL, &work);
    bool gaps = cpu_has_gaps(x);
    float *dgamma = gaps ? cpu_cut(&work, channels, sizeof(float)) : dweight;
    float *dbeta = gaps ? cpu_cut(&work, channels, sizeof(float)) : dbias;
    cpu_kernels(d)->norm_backward(&shape, &norm, cpu_data(x), y ? cpu_data(y) : NULL, cpu_data(dy), accumulate,
                                  cpu_data(dx), dresidual ? cpu_data(dresidual) : NULL, dgamma, dbeta, work,
                                  d->options.threads);
    if (gaps) {
        cpu_gather(x, dgamma, 1, 1, dweight);
        cpu_gather(x, dbeta, 1, 1, dbias);
    }
}
