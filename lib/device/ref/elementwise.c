#include "device/ref/ref_priv.h"

/* y = max(x, 0), where NaN stays NaN; dx = dy where y > 0 and 0 elsewhere */
void ref_relu_forward(struct pl_device *d, const struct pl_view *x, const struct pl_view *y)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(x); p++)
        for (int c = 0; c < x->channels; c++) {
            double value = ref_pixel(x, p)[c];
            ref_pixel(y, p)[c] = value <= 0 ? 0 : value;
        }
}

void ref_relu_backward(struct pl_device *d, const struct pl_view *y, const struct pl_view *dy, const struct pl_view *dx)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(y); p++)
        for (int c = 0; c < y->channels; c++)
            ref_pixel(dx, p)[c] = ref_pixel(y, p)[c] <= 0 ? 0 : ref_pixel(dy, p)[c];
}

/* y = a + b, then max(y, 0) where relu is set; without relu dy is the gradient of both */
void ref_add(struct pl_device *d, const struct pl_view *a, const struct pl_view *b, bool relu, const struct pl_view *y)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(y); p++)
        for (int c = 0; c < y->channels; c++) {
            double value = ref_pixel(a, p)[c] + ref_pixel(b, p)[c];
            ref_pixel(y, p)[c] = relu && value <= 0 ? 0 : value;
        }
}

size_t ref_dropout_workspace(struct pl_device *d, const struct pl_view *x)
{
    (void)d;
    (void)x;
    return 0;
}

/* y = keep x / (1-p); the samples of a sequence are [step][column], and a locked mask is for columns */
void ref_dropout(struct pl_device *d, const struct pl_drop *drop, const struct pl_view *x, const struct pl_view *y,
                 void *work)
{
    (void)d;
    (void)work;
    size_t columns = (size_t)x->batch / (size_t)x->steps;
    for (size_t p = 0; p < ref_pixels(x); p++)
        for (int c = 0; c < x->channels; c++) {
            uint8_t keep;
            pl_drop_mask(drop, ref_plain_index(x, drop->locked ? p % columns : p, c), 1, &keep);
            ref_pixel(y, p)[c] = keep ? ref_pixel(x, p)[c] / (1 - drop->probability) : 0;
        }
}
