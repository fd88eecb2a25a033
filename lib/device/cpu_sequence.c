/* What sequences need on the cpu device: embedding, penalties, and the masks of LSTM layers, whose arithmetic is in
 * cpu/lstm.c. The formulas stand in ref/embedding.c, ref/penalty.c and ref/lstm.c. Each number is made by one thread in
 * one order, so that results do not depend on the number of threads. */
#include "device/cpu_adapter.h"

#include <string.h>

static int columns_of(const struct pl_view *v)
{
    return v->batch / v->steps;
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

/* ---- LSTM; the reserve is the kernels' and then, where weights are dropped, a byte an entry of weight_hh */

static struct pl_cpu_lstm lstm_of(const struct pl_view *x, int hidden)
{
    struct pl_cpu_lstm lstm = {.x = cpu_shape(x), .steps = x->steps, .hidden = hidden};
    lstm.y = pl_cpu_shape(x->batch, hidden, 1, 1);
    return lstm;
}

static size_t mask_size(int hidden)
{
    return 4 * (size_t)hidden * (size_t)hidden;
}

size_t cpu_lstm_reserve(struct pl_device *d, const struct pl_view *x, int hidden, bool drop)
{
    (void)d;
    struct pl_cpu_lstm lstm = lstm_of(x, hidden);
    return cpu_cut_bytes(pl_cpu_lstm_reserve(&lstm), sizeof(float)) + (drop ? mask_size(hidden) : 0);
}

size_t cpu_lstm_workspace(struct pl_device *d, const struct pl_view *x, int hidden)
{
    (void)d;
    struct pl_cpu_lstm lstm = lstm_of(x, hidden);
    return pl_cpu_lstm_workspace(&lstm) * sizeof(float);
}

/* The layer with its tensors, and where its mask goes, if it has one. */
static struct pl_cpu_lstm layer_of(const struct pl_lstm *w, const struct pl_drop *drop, const struct pl_view *x,
                                   void **reserve, uint8_t **keep)
{
    struct pl_cpu_lstm lstm = lstm_of(x, w->hidden);
    lstm.weight_ih = w->weight_ih;
    lstm.weight_hh = w->weight_hh;
    lstm.bias_ih = w->bias_ih;
    lstm.bias_hh = w->bias_hh;
    void *rest = *reserve;
    *reserve = cpu_cut(&rest, pl_cpu_lstm_reserve(&lstm), sizeof(float));
    *keep = rest;
    lstm.keep = drop ? rest : NULL;
    lstm.scale = drop ? (float)(1 / (1 - drop->probability)) : 1;
    return lstm;
}

static void draw_mask(const struct pl_device *d, const struct pl_drop *drop, int hidden, uint8_t *keep)
{
    enum { PART = 4096 };
    const size_t count = mask_size(hidden);
#pragma omp parallel for num_threads(d->options.threads)
    for (size_t first = 0; first < count; first += PART)
        pl_drop_mask(drop, first, count - first < PART ? count - first : PART, keep + first);
}

void cpu_lstm_forward(struct pl_device *d, const struct pl_lstm *w, const struct pl_drop *drop,
                      const struct pl_view *x, void *state, const struct pl_view *y, void *reserve, void *work)
{
    uint8_t *keep;
    struct pl_cpu_lstm lstm = layer_of(w, drop, x, &reserve, &keep);
    if (drop)
        draw_mask(d, drop, w->hidden, keep);
    cpu_kernels(d)->lstm_forward(&lstm, cpu_data(x), state, cpu_data(y), reserve, work, d->options.threads);
}

void cpu_lstm_backward(struct pl_device *d, const struct pl_lstm *w, const struct pl_drop *drop,
                       const struct pl_view *x, const struct pl_view *dy, const struct pl_lstm *dw,
                       const struct pl_view *dx, bool accumulate, void *reserve, void *work)
{
    uint8_t *keep;
    struct pl_cpu_lstm lstm = layer_of(w, drop, x, &reserve, &keep);
    const struct pl_cpu_lstm_gradients gradients = {dw->weight_ih, dw->weight_hh, dw->bias_ih, dw->bias_hh};
    cpu_kernels(d)->lstm_backward(&lstm, cpu_data(x), cpu_data(dy), &gradients, dx ? cpu_data(dx) : NULL, accumulate,
                                  reserve, work, d->options.threads);
}
