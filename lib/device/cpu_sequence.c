/* What sequences need on the cpu device: embedding, LSTM, penalties. Plain loops over rows of features, one row a
 * sample; the formulas stand in ref/embedding.c, ref/lstm.c and ref/penalty.c. Each number is made by one thread in one order,
 * so that results do not depend on the number of threads. */
#include "device/cpu_adapter.h"

#include <math.h>
#include <string.h>

static int columns_of(const struct pl_view *v)
{
    return v->batch / v->steps;
}

/* Features between a row and the blocks of a view with one pixel a sample. */
static void read_row(const struct pl_view *v, int n, float *row)
{
    struct pl_cpu_shape shape = cpu_shape(v);
    for (int c = 0; c < v->channels; c += 16)
        memcpy(row + c, cpu_data(v) + (size_t)(c / 16) * shape.block + (size_t)n * 16,
               (size_t)(v->channels - c < 16 ? v->channels - c : 16) * sizeof *row);
}

/* The padding of the last block is written with zeros; add: what is there is added to. */
static void write_row(const struct pl_view *v, int n, const float *row, bool add)
{
    struct pl_cpu_shape shape = cpu_shape(v);
    for (int c = 0; c < 16 * pl_cpu_blocks(v->channels); c++) {
        float *to = cpu_data(v) + (size_t)(c / 16) * shape.block + (size_t)n * 16 + c % 16;
        *to = c >= v->channels ? 0 : add ? *to + row[c] : row[c];
    }
}

/* ---- embedding; the workspace holds what each sample's row is multiplied with */

static void row_scales(const struct pl_drop *drop, const int32_t *tokens, int count, float *scales)
{
    for (int n = 0; n < count; n++) {
        uint8_t keep = 1;
        if (drop)
            pl_drop_mask(drop, (uint64_t)tokens[n], 1, &keep);
        scales[n] = keep ? drop ? (float)(1 / (1 - drop->probability)) : 1 : 0;
    }
}

void cpu_embedding_forward(struct pl_device *d, const void *matrix, const void *tokens, const struct pl_drop *drop,
                           const struct pl_view *y, void *work)
{
    (void)d;
    struct pl_cpu_shape shape = cpu_shape(y);
    const int32_t *token = tokens;
    float *scales = work;
    row_scales(drop, token, y->batch, scales);
#pragma omp parallel for num_threads(d->options.threads)
    for (int n = 0; n < y->batch; n++) {
        const float *row = (const float *)matrix + (size_t)token[n] * (size_t)y->channels;
        for (int c = 0; c < 16 * pl_cpu_blocks(y->channels); c++)
            cpu_data(y)[(size_t)(c / 16) * shape.block + (size_t)n * 16 + (size_t)(c % 16)] =
                c < y->channels ? scales[n] * row[c] : 0;
    }
}

/* A block of features belongs to one thread, which adds the samples in their order. */
void cpu_embedding_backward(struct pl_device *d, const void *tokens, const struct pl_drop *drop,
                            const struct pl_view *dy, int vocabulary, int padding, void *dmatrix, bool accumulate,
                            void *work)
{
    struct pl_cpu_shape shape = cpu_shape(dy);
    const int32_t *token = tokens;
    float *scales = work;
    row_scales(drop, token, dy->batch, scales);
    if (!accumulate)
        memset(dmatrix, 0, (size_t)vocabulary * (size_t)dy->channels * sizeof(float));
#pragma omp parallel for num_threads(d->options.threads)
    for (int b = 0; b < pl_cpu_blocks(dy->channels); b++)
        for (int n = 0; n < dy->batch; n++) {
            const float *from = cpu_data(dy) + (size_t)b * shape.block + (size_t)n * 16;
            float *to = (float *)dmatrix + (size_t)token[n] * (size_t)dy->channels + (size_t)b * 16;
            for (int k = 0; token[n] != padding && k < 16 && b * 16 + k < dy->channels; k++)
                to[k] += scales[n] * from[k];
        }
}

/* ---- penalties */

static double penalty_count(enum pl_penalty kind, const struct pl_view *x)
{
    return (double)x->channels * (kind == PL_PENALTY_CHANGE ? x->batch - columns_of(x) : x->batch);
}

/* A sum for every block in the workspace, then the sum of those. */
void cpu_penalty_forward(struct pl_device *d, enum pl_penalty kind, double coefficient, const struct pl_view *x,
                         void *value, void *work)
{
    struct pl_cpu_shape shape = cpu_shape(x);
    int blocks = pl_cpu_blocks(x->channels), first = kind == PL_PENALTY_CHANGE ? columns_of(x) : 0;
    size_t back = (size_t)first * 16;
    double *sums = work, sum = 0;
#pragma omp parallel for num_threads(d->options.threads)
    for (int b = 0; b < blocks; b++) {
        const float *at = cpu_data(x) + (size_t)b * shape.block;
        sums[b] = 0;
        for (size_t i = back; i < (size_t)x->batch * 16; i++) {
            double v = back ? (double)at[i] - (double)at[i - back] : (double)at[i];
            sums[b] += v * v;
        }
    }
    for (int b = 0; b < blocks; b++)
        sum += sums[b];
    *(double *)value = sum == 0 ? 0 : coefficient / penalty_count(kind, x) * sum;
}

void cpu_penalty_backward(struct pl_device *d, enum pl_penalty kind, double coefficient, const struct pl_view *x,
                          const struct pl_view *dy, const struct pl_view *dx)
{
    struct pl_cpu_shape shape = cpu_shape(x);
    double count = penalty_count(kind, x);
    float scale = count > 0 ? (float)(2 * coefficient / count) : 0;
    size_t step = (size_t)columns_of(x) * 16, end = (size_t)x->batch * 16;
#pragma omp parallel for num_threads(d->options.threads)
    for (int b = 0; b < pl_cpu_blocks(x->channels); b++) {
        const float *at = cpu_data(x) + (size_t)b * shape.block, *from = cpu_data(dy) + (size_t)b * shape.block;
        float *to = cpu_data(dx) + (size_t)b * shape.block;
        for (size_t i = 0; i < end; i++) {
            float slope = at[i];
            if (kind == PL_PENALTY_CHANGE)
                slope = (i >= step ? at[i] - at[i - step] : 0) - (i + step < end ? at[i + step] - at[i] : 0);
            to[i] = from[i] + scale * slope;
        }
    }
}

/* ---- LSTM; reserve and workspace are rows of floats in plain order */

struct reserve {
    float *h, *c;         /* [step + 1][column][hidden] */
    float *gates;         /* [step][column][4 hidden]; in the backward pass their gradients */
    float *matrix, *mask; /* [4 hidden][hidden]: the recurrent weights behind their mask, and what it multiplies with */
    float *x;             /* [step][column][in] */
};

size_t cpu_lstm_reserve(struct pl_device *d, const struct pl_view *x, int hidden, bool drop)
{
    (void)d;
    (void)drop;
    size_t size = (size_t)hidden, samples = (size_t)x->batch, columns = (size_t)columns_of(x);
    return (2 * (samples + columns) * size + samples * 4 * size + 8 * size * size + samples * (size_t)x->channels) *
           sizeof(float);
}

size_t cpu_lstm_workspace(struct pl_device *d, const struct pl_view *x, int hidden)
{
    (void)d; /* dh and dc of a step; a row of dx for every sample */
    return (2 * (size_t)columns_of(x) * (size_t)hidden + (size_t)x->batch * (size_t)x->channels) * sizeof(float);
}

static struct reserve carve(float *memory, const struct pl_view *x, int hidden)
{
    size_t size = (size_t)hidden, samples = (size_t)x->batch, columns = (size_t)columns_of(x);
    struct reserve r = {.h = memory};
    r.c = r.h + (samples + columns) * size;
    r.gates = r.c + (samples + columns) * size;
    r.matrix = r.gates + samples * 4 * size;
    r.mask = r.matrix + 4 * size * size;
    r.x = r.mask + 4 * size * size;
    return r;
}

static void make_matrix(const struct pl_device *d, const struct reserve *r, const struct pl_lstm *w,
                        const struct pl_drop *drop)
{
    enum { PART = 64 };
    size_t count = 4 * (size_t)w->hidden * (size_t)w->hidden;
    float scale = drop ? (float)(1 / (1 - drop->probability)) : 1;
#pragma omp parallel for num_threads(d->options.threads)
    for (size_t first = 0; first < count; first += PART) {
        size_t some = count - first < PART ? count - first : PART;
        uint8_t keep[PART];
        memset(keep, 1, sizeof keep);
        if (drop)
            pl_drop_mask(drop, first, some, keep);
        for (size_t i = 0; i < some; i++) {
            r->mask[first + i] = keep[i] ? scale : 0;
            r->matrix[first + i] = r->mask[first + i] * ((const float *)w->weight_hh)[first + i];
        }
    }
}

static float dot(const float *a, const float *b, size_t count)
{
    float sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The gates of one step for all columns: a row of weights serves every column. */
static void gates_forward(const struct pl_device *d, const struct reserve *r, const struct pl_lstm *w, size_t in,
                          size_t columns, size_t first)
{
    size_t size = (size_t)w->hidden;
#pragma omp parallel for num_threads(d->options.threads)
    for (size_t k = 0; k < 4 * size; k++)
        for (size_t n = first; n < first + columns; n++) {
            float a = ((const float *)w->bias_ih)[k] + ((const float *)w->bias_hh)[k];
            a += dot((const float *)w->weight_ih + k * in, r->x + n * in, in);
            a += dot(r->matrix + k * size, r->h + n * size, size);
            r->gates[n * 4 * size + k] = k / size == 2 ? tanhf(a) : 1 / (1 + expf(-a));
        }
}

static void cell_forward(const struct reserve *r, size_t size, size_t columns, size_t n)
{
    const float *gate = r->gates + n * 4 * size;
    for (size_t u = 0; u < size; u++) {
        float c = gate[size + u] * r->c[n * size + u] + gate[u] * gate[2 * size + u];
        r->c[(n + columns) * size + u] = c;
        r->h[(n + columns) * size + u] = gate[3 * size + u] * tanhf(c);
    }
}

void cpu_lstm_forward(struct pl_device *d, const struct pl_lstm *w, const struct pl_drop *drop,
                      const struct pl_view *x, void *state, const struct pl_view *y, void *reserve, void *work)
{
    (void)work;
    struct reserve r = carve(reserve, x, w->hidden);
    size_t size = (size_t)w->hidden, columns = (size_t)columns_of(x), samples = (size_t)x->batch;
    size_t in = (size_t)x->channels, bytes = columns * size * sizeof(float);
    float *h = state, *c = h + columns * size;
    make_matrix(d, &r, w, drop);
    memcpy(r.h, h, bytes);
    memcpy(r.c, c, bytes);
    for (size_t n = 0; n < samples; n++)
        read_row(x, (int)n, r.x + n * in);
    for (size_t first = 0; first < samples; first += columns) {
        gates_forward(d, &r, w, in, columns, first);
        for (size_t n = first; n < first + columns; n++) {
            cell_forward(&r, size, columns, n);
            write_row(y, (int)n, r.h + (n + columns) * size, false);
        }
    }
    memcpy(h, r.h + samples * size, bytes);
    memcpy(c, r.c + samples * size, bytes);
}

static void cell_backward(const struct reserve *r, size_t size, size_t columns, size_t n, const float *dh, float *dc)
{
    float *gate = r->gates + n * 4 * size;
    for (size_t u = 0; u < size; u++) {
        float i = gate[u], f = gate[size + u], g = gate[2 * size + u], o = gate[3 * size + u];
        float before = r->c[n * size + u], t = tanhf(r->c[(n + columns) * size + u]);
        dc[u] += dh[u] * o * (1 - t * t);
        gate[u] = dc[u] * g * i * (1 - i);
        gate[size + u] = dc[u] * before * f * (1 - f);
        gate[2 * size + u] = dc[u] * i * (1 - g * g);
        gate[3 * size + u] = dh[u] * t * o * (1 - o);
        dc[u] *= f;
    }
}

/* to += sum over k of factors[k] matrix[k] */
static void add_rows(const float *matrix, const float *factors, size_t rows, size_t size, float *to)
{
    for (size_t k = 0; k < rows; k++)
        for (size_t u = 0; u < size; u++)
            to[u] += factors[k] * matrix[k * size + u];
}

static void gates_backward(const struct pl_device *d, const struct reserve *r, const struct pl_view *dy, size_t size,
                           float *dh, float *dc)
{
    size_t columns = (size_t)columns_of(dy), samples = (size_t)dy->batch;
    memset(dc, 0, columns * size * sizeof *dc);
    for (size_t first = samples; first > 0;) {
        first -= columns;
#pragma omp parallel for num_threads(d->options.threads)
        for (size_t column = 0; column < columns; column++) {
            size_t n = first + column;
            float *own = dh + column * size;
            read_row(dy, (int)n, own);
            if (n + columns < samples)
                add_rows(r->matrix, r->gates + (n + columns) * 4 * size, 4 * size, size, own);
            cell_backward(r, size, columns, n, own, dc + column * size);
        }
    }
}

static void weights_backward(const struct pl_device *d, const struct reserve *r, const struct pl_lstm *dw, size_t in,
                             size_t samples)
{
    size_t size = (size_t)dw->hidden;
#pragma omp parallel for num_threads(d->options.threads)
    for (size_t k = 0; k < 4 * size; k++) {
        float *dih = (float *)dw->weight_ih + k * in, *dhh = (float *)dw->weight_hh + k * size;
        double bias = 0;
        memset(dih, 0, in * sizeof *dih);
        memset(dhh, 0, size * sizeof *dhh);
        for (size_t n = 0; n < samples; n++) {
            float da = r->gates[n * 4 * size + k];
            add_rows(r->x + n * in, &da, 1, in, dih);
            add_rows(r->h + n * size, &da, 1, size, dhh);
            bias += (double)da;
        }
        for (size_t u = 0; u < size; u++)
            dhh[u] *= r->mask[k * size + u];
        ((float *)dw->bias_ih)[k] = ((float *)dw->bias_hh)[k] = (float)bias;
    }
}

void cpu_lstm_backward(struct pl_device *d, const struct pl_lstm *w, const struct pl_drop *drop,
                       const struct pl_view *x, const struct pl_view *dy, const struct pl_lstm *dw,
                       const struct pl_view *dx, bool accumulate, void *reserve, void *work)
{
    (void)drop;
    struct reserve r = carve(reserve, x, w->hidden);
    size_t size = (size_t)w->hidden, columns = (size_t)columns_of(x), samples = (size_t)x->batch;
    size_t in = (size_t)x->channels;
    float *dh = work, *dc = dh + columns * size, *rows = dc + columns * size;
    gates_backward(d, &r, dy, size, dh, dc);
    weights_backward(d, &r, dw, in, samples);
    if (!dx)
        return;
#pragma omp parallel for num_threads(d->options.threads)
    for (size_t n = 0; n < samples; n++) {
        memset(rows + n * in, 0, in * sizeof *rows);
        add_rows(w->weight_ih, r.gates + n * 4 * size, 4 * size, in, rows + n * in);
        write_row(dx, (int)n, rows + n * in, accumulate);
    }
}
