#include "statistics/statistics.h"

#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int rising(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void pl_tuning_init(struct pl_tuning *t, const double *scores, size_t n, bool minimize)
{
    *t = (struct pl_tuning){.n = n, .sorted = pl_new((n + 1) * sizeof *t->sorted), .minimize = minimize};
    for (size_t i = 0; i < n; i++)
        t->sorted[i] = minimize ? -scores[i] : scores[i];
    qsort(t->sorted, n, sizeof *t->sorted, rising);
}

void pl_tuning_release(struct pl_tuning *t)
{
    free(t->sorted);
    *t = (struct pl_tuning){0};
}

static double sign(const struct pl_tuning *t, double value)
{
    return t->minimize ? -value : value;
}

double pl_tuning_median(const struct pl_tuning *t, double k)
{
    double p = pow(0.5, 1 / k);
    size_t i = 0;
    while (i + 1 < t->n && (double)(i + 1) / (double)t->n < p)
        i++;
    return t->n ? sign(t, t->sorted[i]) : NAN;
}

double pl_tuning_mean_v(const struct pl_tuning *t, double k)
{
    double sum = 0, before = 0;
    for (size_t i = 0; i < t->n; i++) {
        double upto = pow((double)(i + 1) / (double)t->n, k);
        sum += t->sorted[i] * (upto - before);
        before = upto;
    }
    return t->n ? sign(t, sum) : NAN;
}

double pl_tuning_mean_u(const struct pl_tuning *t, int64_t k)
{
    double sum = 0;
    if (k < 1 || (uint64_t)k > t->n)
        return NAN;
    double all = gsl_sf_lnchoose((unsigned)t->n, (unsigned)k);
    for (size_t i = (size_t)k - 1; i < t->n; i++)
        sum += t->sorted[i] * exp(gsl_sf_lnchoose((unsigned)i, (unsigned)k - 1) - all);
    return sign(t, sum);
}

/* Equal scores are one place of the distribution: it has there what its last one has. */
static size_t last_equal(const struct pl_tuning *t, size_t i)
{
    while (i + 1 < t->n && t->sorted[i + 1] == t->sorted[i])
        i++;
    return i;
}

void pl_tuning_ends(const struct pl_tuning *t, const struct pl_band *band, double k, const double support[2],
                    double *low, double *high)
{
    double p = pow(0.5, 1 / k);
    double worst = t->minimize ? -support[1] : support[0], best = t->minimize ? -support[0] : support[1];
    /* The least a distribution of the band allows: it is as far up as it can be. */
    double least = worst, most = best;
    if (!(t->n && band->high[0] >= p)) {
        size_t i = 0;
        for (; i < t->n; i++) {
            size_t last = last_equal(t, i);
            if (last + 1 >= t->n || band->high[last + 1] >= p)
                break;
            i = last;
        }
        least = i < t->n ? t->sorted[i] : best;
    }
    /* The most: it is as far down as it can be. */
    for (size_t i = 0; i < t->n; i++) {
        i = last_equal(t, i);
        if (band->low[i] >= p) {
            most = t->sorted[i];
            break;
        }
    }
    *low = t->minimize ? -most : least;
    *high = t->minimize ? -least : most;
}
