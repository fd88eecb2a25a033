/* What sequences need on the cpu device: embedding, penalties, and the masks of LSTM layers, whose arithmetic is in
 * cpu/kernels/lstm.c. The formulas stand in ref/embedding.c, ref/penalty.c and ref/lstm.c. Each number is made by one
 * thread in one order, so that results do not depend on the number of threads. */
#include "device/cpu/adapter/adapter.h"

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

struct embedding {
    const struct pl_view *view;
    struct pl_cpu_shape shape;
    const int32_t *token;
    const float *scales, *matrix;
    float *dmatrix;
    int padding;
};

static void look_up(void *self, size_t from, size_t to, int thread)
{
    const struct embedding *e = self;
    const int channels = e->view->channels;
    (void)thread;
    for (size_t n = from; n < to; n++) {
        const float *row = e->matrix + (size_t)e->token[n] * (size_t)channels;
        for (int c = 0; c < 16 * pl_cpu_blocks(channels); c++)
            cpu_data(e->view)[(size_t)(c / 16) * e->shape.block + n * 16 + (size_t)(c % 16)] = c < channels
                                                                                                   ? e->scales[n] *
                                                                                                         row[c]
                                                                                                   : 0;
    }
}

void cpu_embedding_forward(struct pl_device *d, const void *matrix, const void *tokens, const struct pl_drop *drop,
                           const struct pl_view *y, void *work)
{
    struct pl_cpu_shape shape = cpu_shape(y);
    const int32_t *token = tokens;
    float *scales = work;
    row_scales(drop, token, y->batch, scales);
    struct embedding e = {.view = y, .shape = shape, .token = token, .scales = scales, .matrix = matrix};
    pl_parallel(d->options.threads, (size_t)y->batch, 0, look_up, &e);
}

/* A block of features belongs to one thread, which adds the samples in their order. */
static void add_rows(void *self, size_t from, size_t to, int thread)
{
    const struct embedding *e = self;
    const int channels = e->view->channels;
    (void)thread;
    for (int b = (int)from; b < (int)to; b++)
        for (int n = 0; n < e->view->batch; n++) {
            const float *dy = cpu_data(e->view) + (size_t)b * e->shape.block + (size_t)n * 16;
            float *row = e->dmatrix + (size_t)e->token[n] * (size_t)channels + (size_t)b * 16;
            for (int k = 0; e->token[n] != e->padding && k < 16 && b * 16 + k < channels; k++)
                row[k] += e->scales[n] * dy[k];
        }
}

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
    struct embedding e = {
        .view = dy, .shape = shape, .token = token, .scales = scales, .dmatrix = dmatrix, .padding = padding};
    pl_parallel(d->options.threads, (size_t)pl_cpu_blocks(dy->channels), 1, add_rows, &e);
}

/* ---- penalties */

static double penalty_count(enum pl_penalty kind, const struct pl_view *x)
{
    return (double)x->channels * (kind == PL_PENALTY_CHANGE ? x->batch - columns_of(x) : x->batch);
}

struct penalty {
    enum pl_penalty kind;
    const struct pl_view *x, *dy, *dx;
    struct pl_cpu_shape shape;
    double *sums; /* of every block */
    float scale;
};

static void sum_squares(void *self, size_t from, size_t to, int thread)
{
    const struct penalty *p = self;
    const size_t back = p->kind == PL_PENALTY_CHANGE ? (size_t)columns_of(p->x) * 16 : 0;
    (void)thread;
    for (size_t b = from; b < to; b++) {
        const float *at = cpu_data(p->x) + b * p->shape.block;
        p->sums[b] = 0;
        for (size_t i = back; i < (size_t)p->x->batch * 16; i++) {
            double v = back ? (double)at[i] - (double)at[i - back] : (double)at[i];
            p->sums[b] += v * v;
        }
    }
}

/* A sum for every block in the workspace, then the sum of those. */
void cpu_penalty_forward(struct pl_device *d, enum pl_penalty kind, double coefficient, const struct pl_view *x,
                         void *value, void *work)
{
    int blocks = pl_cpu_blocks(x->channels);
    struct penalty p = {.kind = kind, .x = x, .shape = cpu_shape(x), .sums = work};
    double sum = 0;
    pl_parallel(d->options.threads, (size_t)blocks, 1, sum_squares, &p);
    for (int b = 0; b < blocks; b++)
        sum += p.sums[b];
    *(double *)value = sum == 0 ? 0 : coefficient / penalty_count(kind, x) * sum;
}

static void add_slopes(void *self, size_t first, size_t last, int thread)
{
    const struct penalty *p = self;
    const size_t step = (size_t)columns_of(p->x) * 16, end = (size_t)p->x->batch * 16;
    (void)thread;
    for (size_t b = first; b < last; b++) {
        const float *at = cpu_data(p->x) + b * p->shape.block, *from = cpu_data(p->dy) + b * p->shape.block;
        float *to = cpu_data(p->dx) + b * p->shape.block;
        for (size_t i = 0; i < end; i++) {
            float slope = at[i];
            if (p->kind == PL_PENALTY_CHANGE)
                slope = (i >= step ? at[i] - at[i - step] : 0) - (i + step < end ? at[i + step] - at[i] : 0);
            to[i] = from[i] + p->scale * slope;
        }
    }
}

void cpu_penalty_backward(struct pl_device *d, enum pl_penalty kind, double coefficient, const struct pl_view *x,
                          const struct pl_view *dy, const struct pl_view *dx)
{
    double count = penalty_count(kind, x);
    struct penalty p = {.kind = kind,
                        .x = x,
                        .dy = dy,
                        .dx = dx,
                        .shape = cpu_shape(x),
                        .scale = count > 0 ? (float)(2 * coefficient / count) : 0};
    pl_parallel(d->options.threads, (size_t)pl_cpu_blocks(x->channels), 1, add_slopes, &p);
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

struct masking {
    const struct pl_drop *drop;
    uint8_t *keep;
};

static void mask_part(void *self, size_t from, size_t to, int thread)
{
    const struct masking *m = self;
    (void)thread;
    pl_drop_mask(m->drop, from, to - from, m->keep + from);
}

static void draw_mask(const struct pl_device *d, const struct pl_drop *drop, int hidden, uint8_t *keep)
{
    enum { PART = 4096 };
    struct masking m = {drop, keep};
    pl_parallel(d->options.threads, mask_size(hidden), PART, mask_part, &m);
}

void cpu_lstm_forward(struct pl_device *d, const struct pl_lstm *w, const struct pl_drop *drop, const struct pl_view *x,
                      void *state, const struct pl_view *y, void *reserve, void *work)
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
