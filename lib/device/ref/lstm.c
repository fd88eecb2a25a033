/* An LSTM layer. Samples are [step][column]; for one column, with s(z) = 1 / (1 + exp(-z)) and R the recurrent weights
 * behind their mask:
 *
 *   a = W x[t] + b + R h[t-1] + b',  i = s(a_i), f = s(a_f), g = tanh(a_g), o = s(a_o)
 *   c[t] = f c[t-1] + i g,  h[t] = y[t] = o tanh(c[t])
 *
 *   dh = dy[t] + R' da[t+1],  dc = dh o (1 - tanh(c[t])^2) + f[t+1] dc[t+1]
 *   da_i = dc g i (1-i),  da_f = dc c[t-1] f (1-f),  da_g = dc i (1-g^2),  da_o = dh tanh(c[t]) o (1-o)
 *   dx[t] = W' da,  dW = sum da x[t]',  dR = sum da h[t-1]',  db = db' = sum da */
#include "device/ref/ref_priv.h"

#include <math.h>
#include <string.h>

/* What the reserve holds: h and c from the state before the first step on, the gates (i, f, g, o; in the backward pass
 * their gradients), R, and what each of its entries was multiplied with. */
struct reserve {
    double *h, *c;         /* [step + 1][column][hidden] */
    double *gates;         /* [step][column][4 hidden] */
    double *matrix, *mask; /* [4 hidden][hidden] */
};

size_t ref_lstm_reserve(struct pl_device *d, const struct pl_view *x, int hidden, bool drop)
{
    (void)d;
    (void)drop;
    size_t size = (size_t)hidden, samples = (size_t)x->batch, columns = (size_t)(x->batch / x->steps);
    return (2 * (samples + columns) * size + samples * 4 * size + 8 * size * size) * sizeof(double);
}

static struct reserve carve(double *memory, const struct pl_view *x, int hidden)
{
    size_t size = (size_t)hidden, samples = (size_t)x->batch, columns = (size_t)(x->batch / x->steps);
    struct reserve r = {.h = memory};
    r.c = r.h + (samples + columns) * size;
    r.gates = r.c + (samples + columns) * size;
    r.matrix = r.gates + samples * 4 * size;
    r.mask = r.matrix + 4 * size * size;
    return r;
}

size_t ref_lstm_workspace(struct pl_device *d, const struct pl_view *x, int hidden)
{
    (void)d;
    return 2 * (size_t)(x->batch / x->steps) * (size_t)hidden * sizeof(double); /* dh and dc */
}

static void make_matrix(const struct reserve *r, const struct pl_lstm *w, const struct pl_drop *drop)
{
    size_t count = 4 * (size_t)w->hidden * (size_t)w->hidden;
    for (size_t i = 0; i < count; i++) {
        uint8_t keep = 1;
        if (drop)
            pl_drop_mask(drop, i, 1, &keep);
        r->mask[i] = keep ? drop ? 1 / (1 - drop->probability) : 1 : 0;
        r->matrix[i] = r->mask[i] * ((const double *)w->weight_hh)[i];
    }
}

/* One column at one step: its gates, c and h. */
static void cell(const struct reserve *r, const struct pl_lstm *w, const struct pl_view *x, size_t columns, size_t n)
{
    size_t size = (size_t)w->hidden, in = (size_t)x->channels;
    const double *weight = w->weight_ih, *input = ref_pixel(x, n), *before = r->h + n * size;
    double *gate = r->gates + n * 4 * size;
    for (size_t k = 0; k < 4 * size; k++) {
        double a = ((const double *)w->bias_ih)[k] + ((const double *)w->bias_hh)[k];
        for (size_t j = 0; j < in; j++)
            a += weight[k * in + j] * input[j];
        for (size_t j = 0; j < size; j++)
            a += r->matrix[k * size + j] * before[j];
        gate[k] = k / size == 2 ? tanh(a) : 1 / (1 + exp(-a));
    }
    for (size_t u = 0; u < size; u++) {
        double c = gate[size + u] * r->c[n * size + u] + gate[u] * gate[2 * size + u];
        r->c[(n + columns) * size + u] = c;
        r->h[(n + columns) * size + u] = gate[3 * size + u] * tanh(c);
    }
}

void ref_lstm_forward(struct pl_device *d, const struct pl_lstm *w, const struct pl_drop *drop, const struct pl_view *x,
                      void *state, const struct pl_view *y, void *reserve, void *work)
{
    (void)d;
    (void)work;
    struct reserve r = carve(reserve, x, w->hidden);
    size_t size = (size_t)w->hidden, columns = (size_t)(x->batch / x->steps), samples = (size_t)x->batch;
    size_t bytes = columns * size * sizeof(double);
    double *h = state, *c = h + columns * size;
    make_matrix(&r, w, drop);
    memcpy(r.h, h, bytes);
    memcpy(r.c, c, bytes);
    for (size_t n = 0; n < samples; n++) {
        cell(&r, w, x, columns, n);
        memcpy(ref_pixel(y, n), r.h + (n + columns) * size, size * sizeof(double));
    }
    memcpy(h, r.h + samples * size, bytes);
    memcpy(c, r.c + samples * size, bytes);
}

/* The gradients of one column's gates at one step in place of the gates, from dh = dy + R' da[t+1]. */
static void cell_backward(const struct reserve *r, size_t size, size_t columns, size_t n, const double *dh, double *dc)
{
    double *gate = r->gates + n * 4 * size;
    for (size_t u = 0; u < size; u++) {
        double i = gate[u], f = gate[size + u], g = gate[2 * size + u], o = gate[3 * size + u];
        double before = r->c[n * size + u], t = tanh(r->c[(n + columns) * size + u]);
        dc[u] += dh[u] * o * (1 - t * t);
        gate[u] = dc[u] * g * i * (1 - i);
        gate[size + u] = dc[u] * before * f * (1 - f);
        gate[2 * size + u] = dc[u] * i * (1 - g * g);
        gate[3 * size + u] = dh[u] * t * o * (1 - o);
        dc[u] *= f; /* what reaches the step before */
    }
}

static void gates_backward(const struct reserve *r, const struct pl_view *dy, size_t size, double *work)
{
    size_t columns = (size_t)(dy->batch / dy->steps), samples = (size_t)dy->batch;
    double *dh = work, *dc = dh + columns * size;
    memset(dc, 0, columns * size * sizeof *dc);
    for (size_t n = samples; n-- > 0;) {
        size_t column = n % columns;
        double *own = dh + column * size;
        memcpy(own, ref_pixel(dy, n), size * sizeof *own);
        if (n + columns < samples)
            for (size_t k = 0; k < 4 * size; k++)
                for (size_t u = 0; u < size; u++)
                    own[u] += r->matrix[k * size + u] * r->gates[(n + columns) * 4 * size + k];
        cell_backward(r, size, columns, n, own, dc + column * size);
    }
}

static void weights_backward(const struct reserve *r, const struct pl_view *x, const struct pl_lstm *dw)
{
    size_t size = (size_t)dw->hidden, in = (size_t)x->channels;
    double *dih = dw->weight_ih, *dhh = dw->weight_hh, *dbias = dw->bias_ih;
    memset(dih, 0, 4 * size * in * sizeof *dih);
    memset(dhh, 0, 4 * size * size * sizeof *dhh);
    memset(dbias, 0, 4 * size * sizeof *dbias);
    for (size_t n = 0; n < (size_t)x->batch; n++)
        for (size_t k = 0; k < 4 * size; k++) {
            double da = r->gates[n * 4 * size + k];
            for (size_t j = 0; j < in; j++)
                dih[k * in + j] += da * ref_pixel(x, n)[j];
            for (size_t j = 0; j < size; j++)
                dhh[k * size + j] += da * r->h[n * size + j];
            dbias[k] += da;
        }
    for (size_t i = 0; i < 4 * size * size; i++)
        dhh[i] *= r->mask[i];
    memcpy(dw->bias_hh, dbias, 4 * size * sizeof *dbias);
}

void ref_lstm_backward(struct pl_device *d, const struct pl_lstm *w, const struct pl_drop *drop,
                       const struct pl_view *x, const struct pl_view *dy, const struct pl_lstm *dw,
                       const struct pl_view *dx, bool accumulate, void *reserve, void *work)
{
    (void)d;
    (void)drop;
    struct reserve r = carve(reserve, x, w->hidden);
    size_t size = (size_t)w->hidden, in = (size_t)x->channels;
    gates_backward(&r, dy, size, work);
    weights_backward(&r, x, dw);
    for (size_t n = 0; dx && n < (size_t)x->batch; n++)
        for (size_t j = 0; j < in; j++) {
            double sum = accumulate ? ref_pixel(dx, n)[j] : 0;
            for (size_t k = 0; k < 4 * size; k++)
                sum += ((const double *)w->weight_ih)[k * in + j] * r.gates[n * 4 * size + k];
            ref_pixel(dx, n)[j] = sum;
        }
}
