/* Penalties on the N numbers of x, a sequence whose samples are [step][column]:
 *
 *   activation:  a/N sum x[t]^2,             dx[t] = dy[t] + 2a/N x[t]
 *   change:      a/N sum (x[t+1] - x[t])^2,  dx[t] = dy[t] + 2a/N ((x[t] - x[t-1]) - (x[t+1] - x[t]))
 *
 * where for change N counts the differences, and those beyond the first and last step are left out. */
#include "device/ref/ref_priv.h"

static double count_of(enum pl_penalty kind, const struct pl_view *x)
{
    int columns = x->batch / x->steps;
    return (double)x->channels * (kind == PL_PENALTY_CHANGE ? x->batch - columns : x->batch);
}

size_t ref_penalty_workspace(struct pl_device *d, const struct pl_view *x)
{
    (void)d;
    (void)x;
    return 0;
}

void ref_penalty_forward(struct pl_device *d, enum pl_penalty kind, double coefficient, const struct pl_view *x,
                         void *value, void *work)
{
    (void)d;
    (void)work;
    int columns = x->batch / x->steps;
    double sum = 0;
    for (int n = kind == PL_PENALTY_CHANGE ? columns : 0; n < x->batch; n++)
        for (int c = 0; c < x->channels; c++) {
            double v = ref_pixel(x, (size_t)n)[c];
            if (kind == PL_PENALTY_CHANGE)
                v -= ref_pixel(x, (size_t)(n - columns))[c];
            sum += v * v;
        }
    *(double *)value = sum == 0 ? 0 : coefficient / count_of(kind, x) * sum;
}

void ref_penalty_backward(struct pl_device *d, enum pl_penalty kind, double coefficient, const struct pl_view *x,
                          const struct pl_view *dy, const struct pl_view *dx)
{
    (void)d;
    int columns = x->batch / x->steps;
    for (int n = 0; n < x->batch; n++)
        for (int c = 0; c < x->channels; c++) {
            double own = ref_pixel(x, (size_t)n)[c], slope = own;
            if (kind == PL_PENALTY_CHANGE) {
                slope = n >= columns ? own - ref_pixel(x, (size_t)(n - columns))[c] : 0;
                slope -= n + columns < x->batch ? ref_pixel(x, (size_t)(n + columns))[c] - own : 0;
            }
            double change = slope == 0 ? 0 : 2 * coefficient / count_of(kind, x) * slope;
            ref_pixel(dx, (size_t)n)[c] = ref_pixel(dy, (size_t)n)[c] + change;
        }
}
