#include "device/cpu/adapter/adapter.h"

#include <string.h>

void cpu_relu_forward(struct pl_device *d, const struct pl_view *x, const struct pl_view *y)
{
    struct pl_cpu_shape shape = cpu_shape(x);
    cpu_kernels(d)->relu_forward(&shape, cpu_data(x), cpu_data(y), d->options.threads);
}

void cpu_relu_backward(struct pl_device *d, const struct pl_view *y, const struct pl_view *dy, const struct pl_view *dx)
{
    struct pl_cpu_shape shape = cpu_shape(y);
    cpu_kernels(d)->relu_backward(&shape, cpu_data(y), cpu_data(dy), cpu_data(dx), d->options.threads);
}

void cpu_add(struct pl_device *d, const struct pl_view *a, const struct pl_view *b, bool relu, const struct pl_view *y)
{
    struct pl_cpu_shape shape = cpu_shape(y);
    (relu ? cpu_kernels(d)->add_relu : cpu_kernels(d)->add)(&shape, cpu_data(a), cpu_data(b), cpu_data(y),
                                                            d->options.threads);
}

struct masking {
    const struct pl_drop *drop;
    const struct pl_view *x;
    int channels; /* with the gaps between pieces */
    uint8_t *keep;
};

static void mask_samples(void *self, size_t from, size_t to, int thread)
{
    const struct masking *m = self;
    const struct pl_view *x = m->x;
    const int columns = x->batch / x->steps;
    const size_t area = (size_t)x->height * (size_t)x->width;
    (void)thread;
    for (int n = (int)from; n < (int)to; n++) {
        const uint64_t sample = (uint64_t)(m->drop->locked ? n % columns : n);
        uint64_t first = sample * (uint64_t)x->channels * area;
        uint8_t *keep = m->keep + (size_t)n * (size_t)m->channels * area;
        for (int i = 0; i < x->piece_count; i++) { /* a piece's channels follow one another in both */
            const size_t count = (size_t)x->pieces[i] * area;
            pl_drop_mask(m->drop, first, count, keep);
            first += count;
            keep += 16 * (size_t)pl_cpu_blocks(x->pieces[i]) * area;
        }
    }
}

size_t cpu_dropout_workspace(struct pl_device *d, const struct pl_view *x)
{
    (void)d;
    struct pl_cpu_shape shape = cpu_shape(x);
    return cpu_elements(&shape);
}

void cpu_dropout(struct pl_device *d, const struct pl_drop *drop, const struct pl_view *x, const struct pl_view *y,
                 void *work)
{
    struct pl_cpu_shape shape = cpu_shape(x);
    uint8_t *keep = work;
    struct masking m = {drop, x, shape.channels, keep};
    if (cpu_has_gaps(x))
        memset(keep, 1, cpu_elements(&shape));
    pl_parallel(d->options.threads, (size_t)x->batch, 0, mask_samples, &m);
    cpu_kernels(d)->dropout(&shape, cpu_data(x), keep, (float)(1 / (1 - drop->probability)), cpu_data(y),
                            d->options.threads);
}

/* With fewer steps tiles are not full; with less dropped, gathering costs more than it saves. */
bool cpu_is_locked(const struct pl_view *x)
{
    enum { STEPS = 12 };
    return x->made.probability >= 0.2 && x->steps >= STEPS && x->height * x->width == 1 && !cpu_has_gaps(x);
}

size_t cpu_locked_mask_size(const struct pl_view *x)
{
    return (size_t)(x->batch / x->steps) * (size_t)x->channels;
}

void cpu_locked_mask(const struct pl_view *x, uint8_t *keep)
{
    pl_drop_mask(&x->made, 0, cpu_locked_mask_size(x), keep);
}
