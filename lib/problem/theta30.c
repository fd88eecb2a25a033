/* The toy example of section 3.1 of the TheoPouLa paper (Lim and Sabanis), summed over coordinates:
 *   U(theta, x) = theta^2 (1 + [x <= 1]) + theta^30           for |theta| <= 1,
 *                 (2|theta| - 1)(1 + [x <= 1]) + theta^30     otherwise,      X uniform on (-2, 2).
 * P(X <= 1) = 3/4, so the expected objective has the factor 7/4. Its minimum is at 0; at the paper's
 * start, theta = 5, the gradient is about 5.6e21. */
#include "problem/problem_priv.h"

#include <math.h>

static const struct pl_setting settings_table[] = {
    PL_PROBLEM_DIMENSION("1", "1"),
    PL_PROBLEM_START("5"),
};

/* theta^29 by repeated squaring: pow would take most of a run's time. */
static inline double power29(double theta)
{
    double p2 = theta * theta, p4 = p2 * p2, p8 = p4 * p4, p16 = p8 * p8;
    return p16 * p8 * (p4 * theta);
}

static inline double objective(double theta, double factor)
{
    double size = fabs(theta);
    return (size <= 1 ? size * size : 2 * size - 1) * factor + power29(theta) * theta;
}

/* 2 theta within [-1, 1] and 2 sgn(theta) outside. A NaN fails both comparisons and stays. */
static inline double slope(double theta, double factor)
{
    double inner = theta > 1 ? 1 : theta < -1 ? -1 : theta;
    return 2 * inner * factor + 30 * power29(theta);
}

static inline double factor_of(double x)
{
    return x <= 1 ? 2 : 1;
}

static double value(const void *self, const double *theta, size_t n)
{
    (void)self;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += objective(theta[i], 1.75);
    return sum;
}

static double sample(const void *self, const double *theta, const double *x, size_t n)
{
    (void)self;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += objective(theta[i], factor_of(x[i]));
    return sum;
}

static void gradient(const void *self, const double *theta, const double *x, size_t n, double *out)
{
    (void)self;
    if (x)
        for (size_t i = 0; i < n; i++)
            out[i] = slope(theta[i], factor_of(x[i]));
    else
        for (size_t i = 0; i < n; i++)
            out[i] = slope(theta[i], 1.75);
}

static void data(double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] = 4 * x[i] - 2;
}

const struct pl_problem pl_problem_theta30 = {
    .name = "theta30",
    .help = "the TheoPouLa paper's toy example: convex, a gradient that grows like theta^29",
    PL_PROBLEM_SETTINGS(settings_table),
    .separable = true,
    .value = value,
    .gradient = gradient,
    .sample = sample,
    .data = data,
    .distance = pl_problem_norm,
    .minimiser = pl_problem_origin,
};
