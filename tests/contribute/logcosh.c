/* u(theta) = sum log cosh theta_i: quadratic near 0, its gradient tanh theta_i bounded far from it. Minimum at 0. */
#include "problem/problem_priv.h"

#include <math.h>

static const struct pl_setting settings_table[] = {
    PL_PROBLEM_DIMENSION("1", "1"),
    PL_PROBLEM_START("1"),
    PL_PROBLEM_NOISE,
};

static double value(const void *self, const double *theta, size_t n)
{
    (void)self;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(theta[i]) + log1p(exp(-2 * fabs(theta[i]))) - log(2); /* cosh itself overflows beyond 710 */
    return sum;
}

static void gradient(const void *self, const double *theta, const double *x, size_t n, double *out)
{
    (void)self;
    (void)x;
    for (size_t i = 0; i < n; i++)
        out[i] = tanh(theta[i]);
}

const struct pl_problem pl_problem_logcosh = {
    .name = "logcosh",
    .help = "log cosh, whose gradient is bounded",
    PL_PROBLEM_SETTINGS(settings_table),
    .separable = true,
    .value = value,
    .gradient = gradient,
    .distance = pl_problem_norm,
    .minimiser = pl_problem_origin,
};
