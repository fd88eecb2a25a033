#include "device/ref/ref_priv.h"

#include <string.h>

static size_t buffer_size(int batch, int stored, int height, int width)
{
    return (size_t)batch * (size_t)stored * (size_t)height * (size_t)width * sizeof(double);
}

void ref_write(struct pl_device *d, const struct pl_view *y, const void *host, enum pl_element element)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(y); p++)
        for (int c = 0; c < y->channels; c++) {
            size_t i = ref_plain_index(y, p, c);
            ref_pixel(y, p)[c] = element == PL_FLOAT32 ? (double)((const float *)host)[i] : ((const double *)host)[i];
        }
}

void ref_read(struct pl_device *d, const struct pl_view *x, void *host, enum pl_element element)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(x); p++)
        for (int c = 0; c < x->channels; c++) {
            size_t i = ref_plain_index(x, p, c);
            if (element == PL_FLOAT32)
                ((float *)host)[i] = (float)ref_pixel(x, p)[c];
            else
                ((double *)host)[i] = ref_pixel(x, p)[c];
        }
}

void ref_copy(struct pl_device *d, const struct pl_view *x, const struct pl_view *y)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(x); p++)
        memcpy(ref_pixel(y, p), ref_pixel(x, p), (size_t)x->channels * sizeof(double));
}

void ref_accumulate(struct pl_device *d, const struct pl_view *x, const struct pl_view *y)
{
    (void)d;
    for (size_t p = 0; p < ref_pixels(x); p++)
        for (int c = 0; c < x->channels; c++)
            ref_pixel(y, p)[c] += ref_pixel(x, p)[c];
}

const struct pl_device_type pl_device_ref = {
    .name = "ref",
    .element = PL_FLOAT64,
    .channel_block = 1,
    .buffer_size = buffer_size,
#define PASS(name, parameters, arguments) .name = ref_##name,
    PL_EACH_PASS(PASS, PASS)
#undef PASS
        .allocate = pl_host_allocate,
    .release = pl_host_release,
    .upload = pl_host_upload,
    .download = pl_host_download,
    .lend = pl_host_lend,
    .take_back = pl_host_take_back,
};
