/* Embedding of tokens w[n] from a matrix E of one row a word, each row kept or dropped as a whole:
 *
 *   y[n] = keep[w[n]] / (1-p) E[w[n]],   dE[v] (+)= sum over n with w[n] = v of keep[v] / (1-p) dy[n]
 *
 * where the word `padding` gets no gradient. */
#include "device/ref/ref_priv.h"

#include <string.h>

/* What row `token` is multiplied with. */
static double scale_of(const struct pl_drop *drop, int32_t token)
{
    uint8_t keep = 1;
    if (drop)
        pl_drop_mask(drop, (uint64_t)token, 1, &keep);
    return keep ? drop ? 1 / (1 - drop->probability) : 1 : 0;
}

size_t ref_embedding_workspace(struct pl_device *d, const struct pl_view *y)
{
    (void)d;
    (void)y;
    return 0;
}

void ref_embedding_forward(struct pl_device *d, const void *matrix, const void *tokens, const struct pl_drop *drop,
                           const struct pl_view *y, void *work)
{
    (void)d;
    (void)work;
    const int32_t *token = tokens;
    for (int n = 0; n < y->batch; n++) {
        const double *row = (const double *)matrix + (size_t)token[n] * (size_t)y->channels;
        double scale = scale_of(drop, token[n]);
        for (int c = 0; c < y->channels; c++)
            ref_pixel(y, (size_t)n)[c] = scale * row[c];
    }
}

void ref_embedding_backward(struct pl_device *d, const void *tokens, const struct pl_drop *drop,
                            const struct pl_view *dy, int vocabulary, int padding, void *dmatrix, bool accumulate,
                            void *work)
{
    (void)d;
    (void)work;
    const int32_t *token = tokens;
    if (!accumulate)
        memset(dmatrix, 0, (size_t)vocabulary * (size_t)dy->channels * sizeof(double));
    for (int n = 0; n < dy->batch; n++) {
        double *row = (double *)dmatrix + (size_t)token[n] * (size_t)dy->channels, scale = scale_of(drop, token[n]);
        for (int c = 0; token[n] != padding && c < dy->channels; c++)
            row[c] += scale * ref_pixel(dy, (size_t)n)[c];
    }
}
