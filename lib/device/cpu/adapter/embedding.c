/* Embeddings. The workspace holds what each sample's row is multiplied with. Every sum has one order, so that results
 * do not depend on the number of threads. */
#include "device/cpu/adapter/adapter.h"

#include <string.h>

static void row_scales(const struct pl_drop *drop, const int32_t *tokens, int count, float *scales)
{
    for (int n = 0; n < count; n++) {
        uint8_t keep = 1;
        if (drop)
            pl_drop_mask(drop, (uint64_t)tokens[n], 1, &keep);
        scales[n] = keep ? drop ? (float)(1 / (1 - drop->probability)) : 1 : 0;
    }
}

size_t cpu_embedding_workspace(struct pl_device *d, const struct pl_view *y)
{
    (void)d;
    return cpu_cut_bytes((size_t)y->batch, sizeof(float));
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
