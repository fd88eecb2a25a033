/* Convolution as in deep learning (a cross-correlation), for weights [out][in][kernel][kernel]:
 *
 *   y[o](r,c) = b[o] + sum over i,u,v of w[o][i][u][v] x[i](r*stride + u - padding, c*stride + v - padding)
 *
 * with zeros outside the image. The weights are first put into the order [u][v][in][out] (or [u][v][out][in]
 * for the backward pass to x), so that the innermost loop of every pass runs over channels that lie next to
 * each other; that is all the speed this device has. */
#include "device/ref/ref_priv.h"

#include <string.h>

void ref_convolution_choose(struct pl_device *d, const struct pl_window *c, const struct pl_view *x,
                            const struct pl_view *y, struct pl_convolution_choice *choice)
{
    (void)d;
    choice->forward = choice->backward_data = choice->backward_weights = "plain";
    choice->workspace = (size_t)(c->kernel[0] * c->kernel[1]) * (size_t)x->channels * (size_t)y->channels *
                        sizeof(double);
}

/* tapped[tap][i][o] = w[o][i][tap] */
static void order_in_out(const double *w, int out, int in, int taps, double *tapped)
{
    for (int o = 0; o < out; o++)
        for (int i = 0; i < in; i++)
            for (int t = 0; t < taps; t++)
                tapped[((size_t)t * (size_t)in + (size_t)i) * (size_t)out + (size_t)o] = *w++;
}

/* tapped[tap][o][i] = w[o][i][tap] */
static void order_out_in(const double *w, int out, int in, int taps, double *tapped)
{
    for (int o = 0; o < out; o++)
        for (int i = 0; i < in; i++)
            for (int t = 0; t < taps; t++)
                tapped[((size_t)t * (size_t)out + (size_t)o) * (size_t)in + (size_t)i] = *w++;
}

/* y[0..n) += sum over k of x[k] m[k][0..n) */
static void add_product(const double *x, const double *m, int count, int n, double *y)
{
    for (int k = 0; k < count; k++, m += n)
        for (int j = 0; j < n; j++)
            y[j] += x[k] * m[j];
}

/* What the threads share: x or dx, y or dy, and the weights or their gradient in another order. */
struct convolution {
    const struct pl_window *window;
    const struct pl_view *x, *y;
    double *tapped;
    const double *bias;
    bool accumulate;
};

static void forward_lines(void *self, size_t first, size_t end, int thread)
{
    const struct convolution *f = self;
    const struct pl_window *c = f->window;
    const struct pl_view *x = f->x, *y = f->y;
    int in = x->channels, out = y->channels;
    size_t tap_size = (size_t)in * (size_t)out;
    (void)thread;
    for (int line = (int)first; line < (int)end; line++) {
        int n = line / y->height, row = line % y->height;
        for (int column = 0; column < y->width; column++) {
            double *to = ref_at(y, n, row, column);
            for (int o = 0; o < out; o++)
                to[o] = f->bias ? f->bias[o] : 0;
            const double *tap = f->tapped;
            for (int u = 0; u < c->kernel[0]; u++)
                for (int v = 0; v < c->kernel[1]; v++, tap += tap_size) {
                    int r = row * c->stride[0] + u - c->padding[0], s = column * c->stride[1] + v - c->padding[1];
                    if (r >= 0 && r < x->height && s >= 0 && s < x->width)
                        add_product(ref_at(x, n, r, s), tap, in, out, to);
                }
        }
    }
}

void ref_convolution_forward(struct pl_device *d, const struct pl_window *c, const struct pl_view *x,
                             const void *weight, const void *bias, const struct pl_view *y, bool moments, void *work)
{
    struct convolution f = {.window = c, .x = x, .y = y, .tapped = work, .bias = bias};
    order_in_out(weight, y->channels, x->channels, c->kernel[0] * c->kernel[1], f.tapped);
    pl_parallel(d->options.threads, (size_t)y->batch * (size_t)y->height, 1, forward_lines, &f);
    if (moments)
        ref_moments(d, y, work);
}

/* dx[i](r,c) = sum over o,u,v of w[o][i][u][v] dy[o]((r + padding - u)/stride, (c + padding - v)/stride),
 * over those terms where both quotients are whole and inside dy. */
static void backward_lines(void *self, size_t first, size_t end, int thread)
{
    const struct convolution *f = self;
    const struct pl_window *c = f->window;
    const struct pl_view *dx = f->x, *dy = f->y;
    int in = dx->channels, out = dy->channels;
    size_t tap_size = (size_t)in * (size_t)out;
    (void)thread;
    for (int line = (int)first; line < (int)end; line++) {
        int n = line / dx->height, row = line % dx->height;
        for (int column = 0; column < dx->width; column++) {
            double *to = ref_at(dx, n, row, column);
            if (!f->accumulate)
                memset(to, 0, (size_t)in * sizeof *to);
            const double *tap = f->tapped;
            for (int u = 0; u < c->kernel[0]; u++)
                for (int v = 0; v < c->kernel[1]; v++, tap += tap_size) {
                    int r = row + c->padding[0] - u, s = column + c->padding[1] - v;
                    if (r < 0 || s < 0 || r % c->stride[0] || s % c->stride[1])
                        continue;
                    r /= c->stride[0];
                    s /= c->stride[1];
                    if (r < dy->height && s < dy->width)
                        add_product(ref_at(dy, n, r, s), tap, out, in, to);
                }
        }
    }
}

void ref_convolution_backward_data(struct pl_device *d, const struct pl_window *c, const struct pl_view *dy,
                                   const void *weight, const struct pl_view *dx, bool accumulate, void *work)
{
    struct convolution f = {.window = c, .x = dx, .y = dy, .tapped = work, .accumulate = accumulate};
    order_out_in(weight, dy->channels, dx->channels, c->kernel[0] * c->kernel[1], f.tapped);
    pl_parallel(d->options.threads, (size_t)dx->batch * (size_t)dx->height, 1, backward_lines, &f);
}

/* One row of the weight gradient in [u][v][in][out] order: for input channel i and tap (u,v),
 *   dw[o] = sum over samples and output pixels of dy[o](r,c) x[i](r*stride + u - padding, ...) */
static void weight_row(const struct pl_window *c, const struct pl_view *x, const struct pl_view *dy, int i, int u,
                       int v, double *dw)
{
    int out = dy->channels;
    memset(dw, 0, (size_t)out * sizeof *dw);
    for (int n = 0; n < dy->batch; n++)
        for (int row = 0; row < dy->height; row++) {
            int r = row * c->stride[0] + u - c->padding[0];
            if (r < 0 || r >= x->height)
                continue;
            for (int column = 0; column < dy->width; column++) {
                int s = column * c->stride[1] + v - c->padding[1];
                if (s < 0 || s >= x->width)
                    continue;
                double xi = ref_at(x, n, r, s)[i];
                const double *from = ref_at(dy, n, row, column);
                for (int o = 0; o < out; o++)
                    dw[o] += xi * from[o];
            }
        }
}

static void weight_rows(void *self, size_t from, size_t to, int thread)
{
    const struct convolution *f = self;
    const int in = f->x->channels, across = f->window->kernel[1];
    (void)thread;
    for (int line = (int)from; line < (int)to; line++) {
        int tap = line / in;
        weight_row(f->window, f->x, f->y, line % in, tap / across, tap % across,
                   f->tapped + (size_t)line * (size_t)f->y->channels);
    }
}

void ref_convolution_backward_weights(struct pl_device *d, const struct pl_window *c, const struct pl_view *x,
                                      const struct pl_view *dy, void *dweight, void *dbias, void *work)
{
    int in = x->channels, out = dy->channels, taps = c->kernel[0] * c->kernel[1];
    double *tapped = work, *dw = dweight, *db = dbias;
    struct convolution f = {.window = c, .x = x, .y = dy, .tapped = work};
    pl_parallel(d->options.threads, (size_t)taps * (size_t)in, 1, weight_rows, &f);
    for (int o = 0; o < out; o++)
        for (int i = 0; i < in; i++)
            for (int t = 0; t < taps; t++)
                *dw++ = tapped[((size_t)t * (size_t)in + (size_t)i) * (size_t)out + (size_t)o];
    if (!db)
        return;
    memset(db, 0, (size_t)out * sizeof *db); /* db[o] = sum of dy[o] */
    for (size_t p = 0; p < ref_pixels(dy); p++)
        for (int o = 0; o < out; o++)
            db[o] += ref_pixel(dy, p)[o];
}
