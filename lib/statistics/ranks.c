/* Several methods on several tasks, and the agreement of orders. */
#include "statistics/statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <math.h>

void pl_ranks(const double *values, size_t tasks, size_t methods, bool higher_is_better, double *ranks)
{
    for (size_t task = 0; task < tasks; task++) {
        const double *v = values + task * methods;
        for (size_t i = 0; i < methods; i++) {
            size_t better = 0, equal = 0;
            for (size_t j = 0; j < methods; j++) {
                better += higher_is_better ? v[j] > v[i] : v[j] < v[i];
                equal += v[j] == v[i];
            }
            ranks[task * methods + i] = (double)better + ((double)equal + 1) / 2;
        }
    }
}

void pl_mean_ranks(const double *ranks, size_t tasks, size_t methods, double *mean)
{
    for (size_t i = 0; i < methods; i++) {
        double sum = 0;
        for (size_t task = 0; task < tasks; task++)
            sum += ranks[task * methods + i];
        mean[i] = tasks ? sum / (double)tasks : NAN;
    }
}

void pl_test_friedman(const double *ranks, size_t tasks, size_t methods, double *statistic, double *p)
{
    double n = (double)tasks, k = (double)methods, squares = 0, ties = 0;
    *statistic = *p = NAN;
    if (tasks < 2 || methods < 2)
        return;
    for (size_t i = 0; i < methods; i++) {
        double sum = 0;
        for (size_t task = 0; task < tasks; task++)
            sum += ranks[task * methods + i];
        squares += sum * sum;
    }
    /* Methods that share a rank, t of them, take t^3 - t from what could vary. */
    for (size_t task = 0; task < tasks; task++)
        for (size_t i = 0; i < methods; i++) {
            double equal = 0;
            for (size_t j = 0; j < methods; j++)
                equal += ranks[task * methods + j] == ranks[task * methods + i];
            ties += equal * equal - 1;
        }
    double correction = 1 - ties / (n * k * (k * k - 1));
    if (!(correction > 0))
        return;
    *statistic = (12 / (n * k * (k + 1)) * squares - 3 * n * (k + 1)) / correction;
    *p = gsl_cdf_chisq_Q(fmax(0, *statistic), k - 1);
}

/* ---- the studentized range ---- */

struct range {
    double q;
    size_t k;
};

static double range_density(double z, void *self)
{
    const struct range *r = self;
    double inside = gsl_cdf_ugaussian_P(z + r->q) - gsl_cdf_ugaussian_P(z);
    return (double)r->k * gsl_ran_ugaussian_pdf(z) * pow(inside, (double)r->k - 1);
}

double pl_range_cdf(double q, size_t k)
{
    double value = 0, error;
    struct range range = {q, k};
    gsl_function f = {range_density, &range};
    if (!(q > 0) || k < 2)
        return q > 0 ? 1 : 0;
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(2000);
    gsl_integration_qag(&f, -9 - q, 9, 1e-14, 1e-13, 2000, GSL_INTEG_GAUSS61, space, &value, &error);
    gsl_integration_workspace_free(space);
    return fmin(1, value);
}

double pl_range_quantile(double p, size_t k)
{
    double low = 0, high = 1;
    if (!(p > 0 && p < 1) || k < 2)
        return NAN;
    while (pl_range_cdf(high, k) < p)
        high *= 2;
    for (int i = 0; i < 100 && high - low > 1e-14 * high; i++) {
        double middle = 0.5 * (low + high);
        if (pl_range_cdf(middle, k) < p)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

double pl_nemenyi(size_t tasks, size_t methods, double level)
{
    double k = (double)methods;
    if (methods < 2 || !tasks)
        return NAN;
    return pl_range_quantile(1 - level, methods) / M_SQRT2 * sqrt(k * (k + 1) / (6 * (double)tasks));
}

/* ---- agreement ---- */

struct agreement {
    double same, other, x_equal, y_equal, pairs;
};

static struct agreement agree(const double *x, const double *y, size_t n)
{
    struct agreement a = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            int u = (x[i] > x[j]) - (x[i] < x[j]), v = (y[i] > y[j]) - (y[i] < y[j]);
            a.pairs++;
            a.same += u * v > 0;
            a.other += u * v < 0;
            a.x_equal += !u;
            a.y_equal += !v;
        }
    return a;
}

double pl_kendall(const double *x, const double *y, size_t n)
{
    struct agreement a = agree(x, y, n);
    double both = sqrt((a.pairs - a.x_equal) * (a.pairs - a.y_equal));
    return both > 0 ? (a.same - a.other) / both : NAN;
}

double pl_same_order(const double *x, const double *y, size_t n)
{
    struct agreement a = agree(x, y, n);
    return a.same + a.other > 0 ? a.same / (a.same + a.other) : NAN;
}
