#include "device/cpu/adapter/adapter.h"

#include <math.h>

size_t cpu_loss_workspace(struct pl_device *d, const struct pl_view *x)
{
    (void)d;
    return cpu_cut_bytes((size_t)x->batch, sizeof(double)) + cpu_cut_bytes((size_t)x->batch, sizeof(int32_t));
}

void cpu_cross_entropy(struct pl_device *d, const struct pl_view *x, const void *labels, double smoothing,
                       const struct pl_view *dx, void *result, void *work)
{
    struct pl_cpu_shape shape = cpu_shape(x);
    struct pl_loss_result *r = result;
    const int32_t *label = labels;
    double *losses = cpu_cut(&work, (size_t)x->batch, sizeof *losses), sum = 0, correct = 0;
    int32_t *best = cpu_cut(&work, (size_t)x->batch, sizeof *best);
    cpu_kernels(d)->cross_entropy(&shape, cpu_data(x), label, smoothing, 1.0 / x->batch, losses, best,
                                  dx ? cpu_data(dx) : NULL, d->options.threads);
    for (int n = 0; n < x->batch; n++) {
        sum += losses[n];
        correct += best[n] == label[n] && !isnan(losses[n]);
    }
    r->loss = sum / x->batch;
    r->correct = correct;
}
