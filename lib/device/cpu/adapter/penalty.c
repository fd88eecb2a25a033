/* Penalties. Every sum has one order, so that results do not depend on the number of threads. */
#include "device/cpu/adapter/adapter.h"

static int columns_of(const struct pl_view *v)
{
    return v->batch / v->steps;
}

static double penalty_count(enum pl_penalty kind, const struct pl_view *x)
{
    return (double)x->channels * (kind == PL_PENALTY_CHANGE ? x->batch - columns_of(x) : x->batch);
}

size_t cpu_penalty_workspace(struct pl_device *d, const struct pl_view *x)
{
    (void)d;
    return cpu_cut_bytes((size_t)pl_cpu_blocks(x->channels), sizeof(double));
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
