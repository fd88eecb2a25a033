/* Softmax cross-entropy. A batch has few logits, so exponentials and sums are in double. */
#include <math.h>

#include "device/cpu/kernels.h"

void PL_CPU_NAME(cross_entropy)(const struct pl_cpu_shape *shape, const float *logits, const int32_t *labels,
                                double smoothing, double scale, double *losses, int32_t *best, float *dlogits)
{
    const int classes = shape->channels, padded = pl_cpu_blocks(classes) * 16;
    for (int n = 0; n < shape->batch; n++) {
        const float *row = logits + (size_t)n * 16;
        float *drow = dlogits ? dlogits + (size_t)n * 16 : NULL;
        int top = 0;
        double most = -INFINITY, sum = 0, mean = 0;
        for (int c = 0; c < classes; c++) {
            const double v = (double)row[c / 16 * shape->block + c % 16];
            if (v > most) {
                most = v;
                top = c;
            }
        }
        for (int c = 0; c < classes; c++) {
            const double v = (double)row[c / 16 * shape->block + c % 16] - most;
            sum += exp(v);
            mean += v / classes;
        }
        const double own = (double)row[labels[n] / 16 * shape->block + labels[n] % 16] - most;
        if (losses)
            losses[n] = log(sum) - (1 - smoothing) * own - (smoothing > 0 ? smoothing * mean : 0);
        if (best)
            best[n] = top;
        for (int c = 0; drow && c < padded; c++) {
            const size_t at = c / 16 * shape->block + c % 16;
            const double target = smoothing / classes + (c == labels[n] ? 1 - smoothing : 0);
            drow[at] = c < classes ? (float)(scale * (exp((double)row[at] - most) / sum - target)) : 0;
        }
    }
}
