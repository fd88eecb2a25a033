#include "device/ref/ref_priv.h"

#include <string.h>

static size_t buffer_size(int batch, int stored, int height, int width)
{
    return (size_t)batch * (size_t)stored * (size_t)height * (size_t)width * sizeof(double);
}

static size_t workspace(struct pl_device *d, enum pl_work operation, const struct pl_view *x)
{
    (void)d;
    (void)operation;
    (void)x;
    return 0;
}

/* The element of a host array in NCHW order that corresponds to channel c of a pixel. */
static size_t plain_index(const struct pl_view *v, size_t pixel, int c)
{
    size_t area = (size_t)v->height * (size_t)v->width;
    return (pixel / area * (size_t)v->channels + (size_t)c) * area + pixel % area;
}

static void ref_write(struct pl_device *d, const struct pl_view *y, const void *host, enum pl_element element)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(y); p++)
        for (int c = 0; c < y->channels; c++) {
            size_t i = plain_index(y, p, c);
            ref_pixel(y, p)[c] = element == PL_FLOAT32 ? (double)((const float *)host)[i] : ((const double *)host)[i];
        }
}

static void ref_read(struct pl_device *d, const struct pl_view *x, void *host, enum pl_element element)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(x); p++)
        for (int c = 0; c < x->channels; c++) {
            size_t i = plain_index(x, p, c);
            if (element == PL_FLOAT32)
                ((float *)host)[i] = (float)ref_pixel(x, p)[c];
            else
                ((double *)host)[i] = ref_pixel(x, p)[c];
        }
}

static void ref_copy(struct pl_device *d, const struct pl_view *x, const struct pl_view *y)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(x); p++)
        memcpy(ref_pixel(y, p), ref_pixel(x, p), (size_t)x->channels * sizeof(double));
}

static void ref_accumulate(struct pl_device *d, const struct pl_view *x, const struct pl_view *y)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(x); p++)
        for (int c = 0; c < x->channels; c++)
            ref_pixel(y, p)[c] += ref_pixel(x, p)[c];
}

/* y = max(x, 0), where NaN stays NaN; dx = dy where y > 0 and 0 elsewhere */
static void ref_relu_forward(struct pl_device *d, const struct pl_view *x, const struct pl_view *y)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(x); p++)
        for (int c = 0; c < x->channels; c++) {
            double value = ref_pixel(x, p)[c];
            ref_pixel(y, p)[c] = value <= 0 ? 0 : value;
        }
}

static void ref_relu_backward(struct pl_device *d, const struct pl_view *y, const struct pl_view *dy,
                              const struct pl_view *dx)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(y); p++)
        for (int c = 0; c < y->channels; c++)
            ref_pixel(dx, p)[c] = ref_pixel(y, p)[c] <= 0 ? 0 : ref_pixel(dy, p)[c];
}

/* y = a + b, then max(y, 0) where relu is set; without relu dy is the gradient of both */
static void ref_add(struct pl_device *d, const struct pl_view *a, const struct pl_view *b, bool relu,
                    const struct pl_view *y)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(y); p++)
        for (int c = 0; c < y->channels; c++) {
            double value = ref_pixel(a, p)[c] + ref_pixel(b, p)[c];
            ref_pixel(y, p)[c] = relu && value <= 0 ? 0 : value;
        }
}

/* y = keep x / (1-p); the samples of a sequence are [step][column], and a locked mask is for columns */
static void ref_dropout(struct pl_device *d, const struct pl_drop *drop, const struct pl_view *x,
                        const struct pl_view *y, void *work)
{
    (void)d;
    (void)work;
    size_t columns = (size_t)x->batch / (size_t)x->steps;
    for (size_t p = 0; p < ref_pixels(x); p++)
        for (int c = 0; c < x->channels; c++) {
            uint8_t keep;
            pl_drop_mask(drop, plain_index(x, drop->locked ? p % columns : p, c), 1, &keep);
            ref_pixel(y, p)[c] = keep ? ref_pixel(x, p)[c] / (1 - drop->probability) : 0;
        }
}

const struct pl_device_type pl_device_ref = {
    .name = "ref",
    .element = PL_FLOAT64,
    .channel_block = 1,
    .buffer_size = buffer_size,
    .workspace = workspace,
    .write = ref_write,
    .read = ref_read,
    .copy = ref_copy,
    .accumulate = ref_accumulate,
    .convolution_choose = ref_convolution_choose,
    .convolution_forward = ref_convolution_forward,
    .convolution_backward_data = ref_convolution_backward_data,
    .convolution_backward_weights = ref_convolution_backward_weights,
    .moments = ref_moments,
    .norm_running = ref_norm_running,
    .norm_forward = ref_norm_forward,
    .norm_backward = ref_norm_backward,
    .relu_forward = ref_relu_forward,
    .relu_backward = ref_relu_backward,
    .add = ref_add,
    .pool_forward = ref_pool_forward,
    .pool_backward = ref_pool_backward,
    .dropout = ref_dropout,
    .embedding_forward = ref_embedding_forward,
    .embedding_backward = ref_embedding_backward,
    .lstm_reserve = ref_lstm_reserve,
    .lstm_workspace = ref_lstm_workspace,
    .lstm_forward = ref_lstm_forward,
    .lstm_backward = ref_lstm_backward,
    .penalty_forward = ref_penalty_forward,
    .penalty_backward = ref_penalty_backward,
    .cross_entropy = ref_cross_entropy,
    .allocate = pl_host_allocate,
    .release = pl_host_release,
    .upload = pl_host_upload,
    .download = pl_host_download,
    .lend = pl_host_lend,
    .take_back = pl_host_take_back,
};
