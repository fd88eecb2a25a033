/* Softmax cross-entropy, the mean over a batch of B samples and C classes. With the target distribution
 * q[c] = (1 - smoothing) [c = label] + smoothing / C:
 *
 *   p = softmax(x),  loss = -1/B sum over samples and classes of q[c] log p[c],  dx = (p - q) / B */
#include "device/ref/ref_priv.h"

#include <math.h>

size_t ref_loss_workspace(struct pl_device *d, const struct pl_view *x)
{
    (void)d;
    (void)x;
    return 0;
}

void ref_cross_entropy(struct pl_device *d, const struct pl_view *x, const void *labels, double smoothing,
                       const struct pl_view *dx, void *result, void *work)
{
    (void)d;
    (void)work;
    const int32_t *label = labels;
    struct pl_loss_result *r = result;
    int classes = x->channels;
    double loss = 0, correct = 0;
    for (int n = 0; n < x->batch; n++) {
        const double *logit = ref_pixel(x, (size_t)n);
        int best = 0;
        for (int c = 1; c < classes; c++)
            if (logit[c] > logit[best])
                best = c;
        double sum = 0, most = logit[best]; /* dx may be x */
        for (int c = 0; c < classes; c++)
            sum += exp(logit[c] - most);
        for (int c = 0; c < classes; c++) {
            double q = (1 - smoothing) * (c == label[n]) + smoothing / classes;
            double log_p = logit[c] - most - log(sum);
            if (q != 0)
                loss -= q * log_p / x->batch;
            if (dx)
                ref_pixel(dx, (size_t)n)[c] = (exp(log_p) - q) / x->batch;
        }
        correct += best == label[n] && !isnan(sum);
    }
    r->loss = loss;
    r->correct = correct;
}
