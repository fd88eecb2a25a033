/* Pooling over windows that move over the padded image.
 *
 *   maximum: y = max of x in the window (NaN wins), and dy goes to its first place in row-major order
 *   average: y = sum of x in the window / window size, and dy goes to all in equal parts */
#include "device/ref/ref_priv.h"

#include <math.h>
#include <string.h>

/* The part of a window that lies inside x. */
struct inside {
    int row0, row1, column0, column1; /* ends excluded */
};

static struct inside window_at(const struct pl_window *p, const struct pl_view *x, int row, int column)
{
    int top = row * p->stride[0] - p->padding[0], left = column * p->stride[1] - p->padding[1];
    struct inside w = {top, top + p->kernel[0], left, left + p->kernel[1]};
    if (w.row0 < 0)
        w.row0 = 0;
    if (w.column0 < 0)
        w.column0 = 0;
    if (w.row1 > x->height)
        w.row1 = x->height;
    if (w.column1 > x->width)
        w.column1 = x->width;
    return w;
}

/* The largest of channel c in the window; its place goes to *row and *column. */
static double largest(const struct pl_view *x, const struct inside *w, int n, int c, int *row, int *column)
{
    double most = -INFINITY;
    *row = w->row0;
    *column = w->column0;
    for (int r = w->row0; r < w->row1; r++)
        for (int s = w->column0; s < w->column1; s++) {
            double value = ref_at(x, n, r, s)[c];
            if (value > most || (isnan(value) && !isnan(most))) {
                most = value;
                *row = r;
                *column = s;
            }
        }
    return most;
}

struct pooling {
    enum pl_pooling kind;
    const struct pl_window *window;
    const struct pl_view *x, *y;
};

static void pool_lines(void *self, size_t from, size_t to_line, int thread)
{
    const struct pooling *f = self;
    const struct pl_window *p = f->window;
    const struct pl_view *x = f->x, *y = f->y;
    (void)thread;
    for (int line = (int)from; line < (int)to_line; line++)
        for (int column = 0; column < y->width; column++) {
            int n = line / y->height, row = line % y->height, at[2];
            struct inside w = window_at(p, x, row, column);
            double *to = ref_at(y, n, row, column);
            for (int c = 0; c < y->channels; c++) {
                if (f->kind == PL_POOL_MAX) {
                    to[c] = largest(x, &w, n, c, &at[0], &at[1]);
                    continue;
                }
                double sum = 0;
                for (int r = w.row0; r < w.row1; r++)
                    for (int s = w.column0; s < w.column1; s++)
                        sum += ref_at(x, n, r, s)[c];
                to[c] = sum / (p->kernel[0] * p->kernel[1]);
            }
        }
}

void ref_pool_forward(struct pl_device *d, enum pl_pooling kind, const struct pl_window *p, const struct pl_view *x,
                      const struct pl_view *y)
{
    struct pooling f = {kind, p, x, y};
    pl_parallel(d->options.threads, (size_t)y->batch * (size_t)y->height, 1, pool_lines, &f);
}

void ref_pool_backward(struct pl_device *d, enum pl_pooling kind, const struct pl_window *p, const struct pl_view *x,
                       const struct pl_view *y, const struct pl_view *dy, const struct pl_view *dx, bool accumulate)
{
    (void)d;
    (void)y;
    if (!accumulate)
        for (size_t i = 0; i < ref_pixels(dx); i++)
            memset(ref_pixel(dx, i), 0, (size_t)dx->channels * sizeof(double));
    for (int line = 0; line < dy->batch * dy->height; line++)
        for (int column = 0; column < dy->width; column++) {
            int n = line / dy->height, row = line % dy->height, at[2];
            struct inside w = window_at(p, dx, row, column);
            const double *from = ref_at(dy, n, row, column);
            for (int c = 0; c < dy->channels; c++) {
                if (kind == PL_POOL_MAX) {
                    largest(x, &w, n, c, &at[0], &at[1]);
                    ref_at(dx, n, at[0], at[1])[c] += from[c];
                    continue;
                }
                for (int r = w.row0; r < w.row1; r++)
                    for (int s = w.column0; s < w.column1; s++)
                        ref_at(dx, n, r, s)[c] += from[c] / (p->kernel[0] * p->kernel[1]);
            }
        }
}
