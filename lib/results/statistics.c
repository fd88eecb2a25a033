/* What some values come to. All of it holds for values of any size, the largest and the smallest that there are:
 * nothing overflows on the way, and the view `summary` of the store has the same up to rounding. */
#include "results/results_priv.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int rising(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Of sorted values, so that equal values in another order have an equal mean. Parts of huge ones are added, for a long
 * double need not reach further than a double. */
static double mean(const double *sorted, size_t n)
{
    double least = sorted[0], most = sorted[n - 1], part = fmax(-least, most) < 1e290 ? 1 : 0x1p60;
    long double sum = 0;
    if (least == most)
        return least;
    for (size_t i = 0; i < n; i++)
        sum += sorted[i] / part;
    return fmax(least, fmin(most, (double)(sum / (long double)n) * part));
}

/* The sample standard deviation in units of the range. One that is larger than any number is the largest. */
static double deviation(const double *values, size_t n, double mean, double least, double most)
{
    double part = most - least < 1e300 ? 1 : 4, range = most / part - least / part, sum = 0;
    if (least == most)
        return 0;
    for (size_t i = 0; i < n; i++) {
        double u = (values[i] / part - mean / part) / range;
        sum += u * u;
    }
    return fmin(range * (part * sqrt(sum / (double)(n - 1))), DBL_MAX);
}

void pl_statistics_never(const double *values, size_t n, size_t never, struct pl_summary *summary)
{
    double *sorted = pl_new(n * sizeof *sorted);
    size_t all = n + never;
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, rising);
    summary->mean = summary->deviation = summary->most = NAN;
    summary->median = all / 2 < n ? sorted[(all - 1) / 2] / 2 + sorted[all / 2] / 2 : NAN;
    free(sorted);
}

void pl_statistics(const double *values, size_t n, struct pl_summary *summary)
{
    double few[64], *sorted = n > sizeof few / sizeof *few ? pl_new(n * sizeof *sorted) : few;
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, rising);
    double low = sorted[(n - 1) / 2], high = sorted[n / 2];
    summary->least = sorted[0];
    summary->most = sorted[n - 1];
    summary->median = isfinite(low + high) ? (low + high) / 2 : low / 2 + high / 2;
    summary->mean = mean(sorted, n);
    if (n > 1)
        summary->deviation = deviation(values, n, summary->mean, summary->least, summary->most);
    if (sorted != few)
        free(sorted);
}
