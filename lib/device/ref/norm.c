/* Batch norm (Ioffe and Szegedy 2015), per channel over the m = batch * height * width values of a batch:
 *
 *   mean = sum x / m,  variance = sum (x - mean)^2 / m
 *   y = weight (x - mean) s + bias + residual,  s = 1 / sqrt(variance + epsilon),  then max(y, 0) where relu
 *
 * Backward, with xhat = (x - mean) s, the sums over the batch, and dy first zeroed where y <= 0 under relu:
 *
 *   dbias = sum dy,  dweight = sum dy xhat,  dresidual = dy
 *   dx = weight s (dy - dbias / m - xhat dweight / m) */
#include "device/ref/ref_priv.h"

#include <math.h>

static double *mean_of(const struct pl_view *x)
{
    return x->moments + x->first;
}

static double *variance_of(const struct pl_view *x)
{
    return x->moments + x->stored + x->first;
}

void ref_moments(struct pl_device *d, const struct pl_view *x, void *work)
{
    (void)work;
    double *mean = mean_of(x), *variance = variance_of(x);
    size_t m = ref_pixels(x);
#pragma omp parallel for num_threads(d->options.threads)
    for (int c = 0; c < x->channels; c++) {
        double sum = 0, squares = 0;
        for (size_t p = 0; p < m; p++)
            sum += ref_pixel(x, p)[c];
        mean[c] = sum / (double)m;
        for (size_t p = 0; p < m; p++)
            squares += (ref_pixel(x, p)[c] - mean[c]) * (ref_pixel(x, p)[c] - mean[c]);
        variance[c] = squares / (double)m;
    }
}

/* The running variance is the unbiased one, as in PyTorch; of a single value there is none, and the biased
 * one (zero) is taken. */
void ref_norm_running(struct pl_device *d, const struct pl_batch_norm *n, const struct pl_view *x, double *mean,
                      double *variance)
{
    (void)d;
    double m = (double)ref_pixels(x);
    for (int c = 0; c < x->channels; c++) {
        double unbiased = variance_of(x)[c] * (m > 1 ? m / (m - 1) : 1);
        mean[c] = (1 - n->momentum) * mean[c] + n->momentum * mean_of(x)[c];
        variance[c] = (1 - n->momentum) * variance[c] + n->momentum * unbiased;
    }
}

void ref_norm_forward(struct pl_device *d, const struct pl_batch_norm *n, const struct pl_view *x,
                      const void *weight, const void *bias, const double *mean, const double *variance,
                      const struct pl_view *residual, const struct pl_view *y, void *work)
{
    (void)work;
    const double *w = weight, *b = bias;
    if (!mean) {
        mean = mean_of(x);
        variance = variance_of(x);
    }
#pragma omp parallel for num_threads(d->options.threads)
    for (size_t p = 0; p < ref_pixels(x); p++)
        for (int c = 0; c < x->channels; c++) {
            double value = w[c] * (ref_pixel(x, p)[c] - mean[c]) / sqrt(variance[c] + n->epsilon) + b[c];
            if (residual)
                value += ref_pixel(residual, p)[c];
            ref_pixel(y, p)[c] = n->relu && value <= 0 ? 0 : value;
        }
}

void ref_norm_backward(struct pl_device *d, const struct pl_batch_norm *n, const struct pl_view *x,
                       const struct pl_view *y, const struct pl_view *dy, const void *weight, const void *bias,
                       void *dweight, void *dbias, const struct pl_view *dx, bool accumulate,
                       const struct pl_view *dresidual, void *work)
{
    (void)work;
    const double *w = weight, *b = bias, *mean = mean_of(x), *variance = variance_of(x);
    double *dw = dweight, *db = dbias;
    size_t pixels = ref_pixels(x);
    double m = (double)pixels;
#pragma omp parallel for num_threads(d->options.threads)
    for (int c = 0; c < x->channels; c++) {
        double s = 1 / sqrt(variance[c] + n->epsilon);
        dw[c] = db[c] = 0;
        for (size_t p = 0; p < pixels; p++) {
            double xhat = (ref_pixel(x, p)[c] - mean[c]) * s;
            double result = y ? ref_pixel(y, p)[c] : w[c] * xhat + b[c];
            double g = n->relu && result <= 0 ? 0 : ref_pixel(dy, p)[c];
            db[c] += g;
            dw[c] += g * xhat;
        }
        for (size_t p = 0; p < pixels; p++) {
            double xhat = (ref_pixel(x, p)[c] - mean[c]) * s;
            double result = y ? ref_pixel(y, p)[c] : w[c] * xhat + b[c];
            double g = n->relu && result <= 0 ? 0 : ref_pixel(dy, p)[c];
            if (dresidual)
                ref_pixel(dresidual, p)[c] = g;
            double value = w[c] * s * (g - db[c] / m - xhat * dw[c] / m);
            ref_pixel(dx, p)[c] = (accumulate ? ref_pixel(dx, p)[c] : 0) + value;
        }
    }
}
