#include "device/cpu/adapter/adapter.h"

void cpu_silu_forward(struct pl_device *d, const struct pl_view *x, const struct pl_view *y)
{
    struct pl_cpu_shape shape = cpu_shape(x);
    cpu_kernels(d)->silu_forward(&shape, cpu_data(x), cpu_data(y), d->options.threads);
}

void cpu_silu_backward(struct pl_device *d, const struct pl_view *x, const struct pl_view *dy, const struct pl_view *dx,
                       bool accumulate)
{
    struct pl_cpu_shape shape = cpu_shape(x);
    cpu_kernels(d)->silu_backward(&shape, cpu_data(x), cpu_data(dy), accumulate, cpu_data(dx), d->options.threads);
}
