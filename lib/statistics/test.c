/* What one sample says of its mean, and tests between two. */
#include "statistics/statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double mean(const double *values, size_t n)
{
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return (double)(sum / (long double)n);
}

/* A long double has room for the squares, and their squares, of all doubles: of losses near 1e-200, and near 1e200. */
static long double variance(const double *values, size_t n, double mean)
{
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (long double)(values[i] - mean) * (long double)(values[i] - mean);
    return sum / (long double)(n - 1);
}

static const struct pl_test nothing = {NAN, NAN, NAN, NAN, NAN};

/* Of a difference with a standard error: nothing varies where that is 0, and then nothing can be said. */
static void student(struct pl_test *t)
{
    if (!(t->error > 0))
        return;
    t->statistic = t->difference / t->error;
    t->p = fmin(1, 2 * gsl_cdf_tdist_Q(fabs(t->statistic), t->freedom));
}

double pl_mean_error(double deviation, size_t n)
{
    return n < 2 ? NAN : deviation / sqrt((double)n);
}

double pl_mean_reach(double deviation, size_t n, double confidence)
{
    return n < 2 ? NAN : gsl_cdf_tdist_Pinv(0.5 + confidence / 2, (double)n - 1) * pl_mean_error(deviation, n);
}

void pl_test_welch(const double *a, size_t a_count, const double *b, size_t b_count, struct pl_test *t)
{
    *t = nothing;
    if (!a_count || !b_count)
        return;
    double a_mean = mean(a, a_count), b_mean = mean(b, b_count);
    t->difference = a_mean - b_mean;
    if (a_count < 2 || b_count < 2)
        return;
    long double x = variance(a, a_count, a_mean) / (long double)a_count;
    long double y = variance(b, b_count, b_mean) / (long double)b_count;
    t->error = (double)sqrtl(x + y);
    t->freedom = (double)((x + y) * (x + y) /
                          (x * x / (long double)(a_count - 1) + y * y / (long double)(b_count - 1)));
    student(t);
}

void pl_test_paired(const double *a, const double *b, size_t n, struct pl_test *t)
{
    *t = nothing;
    if (!n)
        return;
    double *d = pl_new(n * sizeof *d);
    for (size_t i = 0; i < n; i++)
        d[i] = a[i] - b[i];
    t->difference = mean(d, n);
    if (n > 1) {
        t->error = (double)sqrtl(variance(d, n, t->difference) / (long double)n);
        t->freedom = (double)n - 1;
        student(t);
    }
    free(d);
}

/* ---- signed ranks ---- */

static int by_size(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

/* Twice the ranks of the sizes of n sorted differences: whole numbers, also for those that share one. */
static void double_ranks(const double *d, size_t n, size_t *ranks)
{
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && fabs(d[j]) == fabs(d[i]); j++)
            ;
        for (size_t k = i; k < j; k++)
            ranks[k] = i + 1 + j;
    }
}

/* P(sum <= low) + P(sum >= high side) of the sum of ranks with random signs; both tails are alike. */
static double tail(const size_t *ranks, size_t n, size_t sum)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += ranks[i];
    double *ways = pl_new((total + 1) * sizeof *ways); /* probabilities of sums */
    ways[0] = 1;
    for (size_t i = 0, upto = 0; i < n; i++) {
        upto += ranks[i];
        for (size_t s = upto + 1; s-- > 0;)
            ways[s] = 0.5 * (ways[s] + (s >= ranks[i] ? ways[s - ranks[i]] : 0));
    }
    double p = 0;
    for (size_t s = 0; s <= sum && s <= total; s++)
        p += ways[s];
    free(ways);
    return p;
}

void pl_test_wilcoxon(const double *a, const double *b, size_t n, struct pl_test *t)
{
    enum { MOST = 2000 }; /* sums beyond are no exact matter any more */
    *t = nothing;
    if (!n)
        return;
    double *d = pl_new(n * sizeof *d), sum = 0;
    size_t *ranks = pl_new((n + 1) * sizeof *ranks), kept = 0, plus = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] - b[i];
        if (a[i] != b[i])
            d[kept++] = a[i] - b[i];
    }
    t->difference = sum / (double)n;
    qsort(d, kept, sizeof *d, by_size);
    double_ranks(d, kept, ranks);
    for (size_t i = 0; i < kept; i++) {
        total += ranks[i];
        plus += d[i] > 0 ? ranks[i] : 0;
    }
    if (kept && kept <= MOST) {
        size_t smaller = plus < total - plus ? plus : total - plus;
        t->statistic = (double)smaller / 2;
        t->p = fmin(1, 2 * tail(ranks, kept, smaller));
    }
    free(d);
    free(ranks);
}

double pl_test_wilcoxon_least(size_t n)
{
    return n ? pow(2, 1 - (double)n) : NAN;
}

/* ---- what a test can find ---- */

struct noncentral {
    double critical, shift, freedom;
};

/* Of a chi variable s with so much freedom, T = (Z + shift) / s: P(|T| > critical) given s, times the density of s. */
static double reject_given(double s, void *self)
{
    const struct noncentral *t = self;
    double x = s * s * t->freedom;
    double density = 2 * s * t->freedom * gsl_ran_chisq_pdf(x, t->freedom);
    return density *
           (gsl_cdf_ugaussian_Q(t->critical * s - t->shift) + gsl_cdf_ugaussian_P(-t->critical * s - t->shift));
}

/* Of a t test with that freedom whose statistic is shifted so much by a difference of one standard deviation. */
static double power_of(double difference, double shift, double freedom, double level)
{
    double value = NAN, error;
    struct noncentral t = {gsl_cdf_tdist_Qinv(level / 2, freedom), difference * shift, freedom};
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(1000);
    gsl_function f = {reject_given, &t};
    gsl_integration_qag(&f, 0, 1 + 12 / sqrt(freedom), 1e-10, 1e-10, 1000, GSL_INTEG_GAUSS61, space, &value, &error);
    gsl_integration_workspace_free(space);
    return value;
}

static double detectable(double shift, double freedom, double level, double power)
{
    double low = 0, high = 1;
    while (power_of(high, shift, freedom, level) < power && high < 1e6)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (power_of(middle, shift, freedom, level) < power)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

double pl_test_detectable(size_t n, double level, double power)
{
    return n > 1 && power > level && power < 1 ? detectable(sqrt((double)n / 2), 2 * (double)n - 2, level, power) : NAN;
}

double pl_test_detectable_paired(size_t n, double level, double power)
{
    return n > 1 && power > level && power < 1 ? detectable(sqrt((double)n), (double)n - 1, level, power) : NAN;
}

/* ---- many tests ---- */

struct place {
    double p;
    size_t at;
};

static int by_p(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

void pl_adjust_holm(double *p, size_t count)
{
    struct place *order = pl_new((count + 1) * sizeof *order);
    size_t kept = 0;
    double most = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(p[i]))
            order[kept++] = (struct place){p[i], i};
    qsort(order, kept, sizeof *order, by_p);
    for (size_t i = 0; i < kept; i++) {
        most = fmax(most, fmin(1, (double)(kept - i) * order[i].p));
        p[order[i].at] = most;
    }
    free(order);
}
