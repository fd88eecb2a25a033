/* u(theta) = 1/4 sum theta_i^4: the gradient grows faster than linearly, so that no constant step of plain gradient
 * descent is stable everywhere (theta beyond sqrt(2 / lambda) is thrown further out). Minimum at 0. */
#include "problem/problem_priv.h"

static const struct pl_setting settings_table[] = {
    PL_PROBLEM_DIMENSION("1", "1"),
    PL_PROBLEM_START("1"),
    PL_PROBLEM_NOISE,
};

static double value(const void *self, const double *theta, size_t n)
{
    (void)self;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double square = theta[i] * theta[i];
        sum += square * square;
    }
    return sum / 4;
}

static void gradient(const void *self, const double *theta, const double *x, size_t n, double *out)
{
    (void)self;
    (void)x;
    for (size_t i = 0; i < n; i++)
        out[i] = theta[i] * theta[i] * theta[i];
}

const struct pl_problem pl_problem_quartic = {
    .name = "quartic",
    .help = "a quartic, whose gradient grows like theta^3",
    PL_PROBLEM_SETTINGS(settings_table),
    .separable = true,
    .value = value,
    .gradient = gradient,
    .distance = pl_problem_norm,
    .minimiser = pl_problem_origin,
};
