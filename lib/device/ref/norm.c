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

static void moments_of(void *self, size_t from, size_t to, int thread)
{
    const struct pl_view *x = self;
    double *mean = mean_of(x), *variance = variance_of(x);
    size_t m = ref_pixels(x);
    (void)thread;
    for (size_t c = from; c < to; c++) {
        double sum = 0, squares = 0;
        for (size_t p = 0; p < m; p++)
            sum += ref_pixel(x, p)[c];
        mean[c] = sum / (double)m;
        for (size_t p = 0; p < m; p++)
            squares += (ref_pixel(x, p)[c] - mean[c]) * (ref_pixel(x, p)[c] - mean[c]);
        variance[c] = squares / (double)m;
    }
}

size_t ref_norm_workspace(struct pl_device *d, const struct pl_view *x)
{
    (void)d;
    (void)x;
    return 0;
}

void ref_moments(struct pl_device *d, const struct pl_view *x, void *work)
{
    (void)work;
    struct pl_view view = *x;
    pl_parallel(d->options.threads, (size_t)x->channels, 1, moments_of, &view);
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

/* The operands of a pass. */
struct norm {
    const struct pl_batch_norm *n;
    const struct pl_view *x, *y, *dy, *dx, *residual; /* or the residual's gradient */
    const double *weight, *bias, *mean, *variance;
    double *dweight, *dbias;
    bool accumulate;
};

static void forward_pixels(void *self, size_t from, size_t to, int thread)
{
    const struct norm *f = self;
    (void)thread;
    for (size_t p = from; p < to; p++)
        for (int c = 0; c < f->x->channels; c++) {
            double value = f->weight[c] * (ref_pixel(f->x, p)[c] - f->mean[c]) / sqrt(f->variance[c] + f->n->epsilon) +
                           f->bias[c];
            if (f->residual)
                value += ref_pixel(f->residual, p)[c];
            ref_pixel(f->y, p)[c] = f->n->relu && value <= 0 ? 0 : value;
        }
}

void ref_norm_forward(struct pl_device *d, const struct pl_batch_norm *n, const struct pl_view *x, const void *weight,
                      const void *bias, const double *mean, const double *variance, const struct pl_view *residual,
                      const struct pl_view *y, void *work)
{
    (void)work;
    struct norm f = {.n = n,
                     .x = x,
                     .y = y,
                     .residual = residual,
                     .weight = weight,
                     .bias = bias,
                     .mean = mean ? mean : mean_of(x),
                     .variance = mean ? variance : variance_of(x)};
    pl_parallel(d->options.threads, ref_pixels(x), 0, forward_pixels, &f);
}

static void backward_channels(void *self, size_t from, size_t to, int thread)
{
    const struct norm *f = self;
    const struct pl_view *x = f->x, *dx = f->dx;
    const double *w = f->weight, *b = f->bias, *mean = f->mean, *variance = f->variance;
    double *dw = f->dweight, *db = f->dbias;
    size_t pixels = ref_pixels(x);
    double m = (double)pixels;
    (void)thread;
    for (size_t c = from; c < to; c++) {
        double s = 1 / sqrt(variance[c] + f->n->epsilon);
        dw[c] = db[c] = 0;
        for (size_t p = 0; p < pixels; p++) {
            double xhat = (ref_pixel(x, p)[c] - mean[c]) * s;
            double result = f->y ? ref_pixel(f->y, p)[c] : w[c] * xhat + b[c];
            double g = f->n->relu && result <= 0 ? 0 : ref_pixel(f->dy, p)[c];
            db[c] += g;
            dw[c] += g * xhat;
        }
        for (size_t p = 0; p < pixels; p++) {
            double xhat = (ref_pixel(x, p)[c] - mean[c]) * s;
            double result = f->y ? ref_pixel(f->y, p)[c] : w[c] * xhat + b[c];
            double g = f->n->relu && result <= 0 ? 0 : ref_pixel(f->dy, p)[c];
            if (f->residual)
                ref_pixel(f->residual, p)[c] = g;
            double value = w[c] * s * (g - db[c] / m - xhat * dw[c] / m);
            ref_pixel(dx, p)[c] = (f->accumulate ? ref_pixel(dx, p)[c] : 0) + value;
        }
    }
}

void ref_norm_backward(struct pl_device *d, const struct pl_batch_norm *n, const struct pl_view *x,
                       const struct pl_view *y, const struct pl_view *dy, const void *weight, const void *bias,
                       void *dweight, void *dbias, const struct pl_view *dx, bool accumulate,
                       const struct pl_view *dresidual, void *work)
{
    (void)work;
    struct norm f = {.n = n,
                     .x = x,
                     .y = y,
                     .dy = dy,
                     .dx = dx,
                     .residual = dresidual,
                     .weight = weight,
                     .bias = bias,
                     .mean = mean_of(x),
                     .variance = variance_of(x),
                     .dweight = dweight,
                     .dbias = dbias,
                     .accumulate = accumulate};
    pl_parallel(d->options.threads, (size_t)x->channels, 1, backward_channels, &f);
}
