/* y = x s(x), s(x) = 1 / (1 + e^-x);  dx = dy s(x) (1 + x (1 - s(x))) */
#include "device/ref/ref_priv.h"

#include <math.h>

void ref_silu_forward(struct pl_device *d, const struct pl_view *x, const struct pl_view *y)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(x); p++)
        for (int c = 0; c < x->channels; c++)
            ref_pixel(y, p)[c] = ref_pixel(x, p)[c] / (1 + exp(-ref_pixel(x, p)[c]));
}

void ref_silu_backward(struct pl_device *d, const struct pl_view *x, const struct pl_view *dy, const struct pl_view *dx,
                       bool accumulate)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(x); p++)
        for (int c = 0; c < x->channels; c++) {
            double v = ref_pixel(x, p)[c], s = 1 / (1 + exp(-v)), change = ref_pixel(dy, p)[c] * s * (1 + v * (1 - s));
            ref_pixel(dx, p)[c] = accumulate ? ref_pixel(dx, p)[c] + change : change;
        }
}
