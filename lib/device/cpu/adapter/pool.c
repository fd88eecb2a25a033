#include "device/cpu/adapter/adapter.h"

void cpu_pool_forward(struct pl_device *d, enum pl_pooling kind, const struct pl_window *p, const struct pl_view *x,
                      const struct pl_view *y)
{
    struct pl_cpu_shape shape = cpu_shape(x);
    struct pl_cpu_pool pool = pl_cpu_pool(&shape, p->kernel, p->stride, p->padding);
    (kind == PL_POOL_MAX ? cpu_kernels(d)->max_forward
                         : cpu_kernels(d)->average_forward)(&pool, cpu_data(x), cpu_data(y), d->options.threads);
}

void cpu_pool_backward(struct pl_device *d, enum pl_pooling kind, const struct pl_window *p, const struct pl_view *x,
                       const struct pl_view *y, const struct pl_view *dy, const struct pl_view *dx, bool accumulate)
{
    struct pl_cpu_shape shape = cpu_shape(dx);
    struct pl_cpu_pool pool = pl_cpu_pool(&shape, p->kernel, p->stride, p->padding);
    if (kind == PL_POOL_MAX)
        cpu_kernels(d)->max_backward(&pool, cpu_data(x), cpu_data(y), cpu_data(dy), accumulate, cpu_data(dx),
                                     d->options.threads);
    else
        cpu_kernels(d)->average_backward(&pool, cpu_data(dy), accumulate, cpu_data(dx), d->options.threads);
}
