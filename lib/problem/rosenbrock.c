/* Rosenbrock's valley (The Computer Journal 3, 1960) in its chained form for n >= 2 coordinates:
 *   u(theta) = sum_{i=1}^{n-1} steepness (theta_{i+1} - theta_i^2)^2 + (1 - theta_i)^2.
 * The global minimum is at (1, ..., 1); from n = 4 on there is a local one near (-1, 1, ..., 1). */
#include "problem/problem_priv.h"

#include <math.h>

static const struct pl_setting settings_table[] = {
    PL_PROBLEM_DIMENSION("2", "2"),
    PL_PROBLEM_START("-1.2"),
    {.key = "steepness", .type = PL_REAL, .initial = "100", .range = "(0,inf)", .help = "weight of the valley's walls"},
    PL_PROBLEM_NOISE,
};

static void prepare(void *self, const struct pl_settings *settings, size_t n)
{
    (void)n;
    *(double *)self = pl_settings_need_real(settings, "steepness");
}

static double value(const void *self, const double *theta, size_t n)
{
    double steepness = *(const double *)self, sum = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        double wall = theta[i + 1] - theta[i] * theta[i], floor = 1 - theta[i];
        sum += steepness * wall * wall + floor * floor;
    }
    return sum;
}

static void gradient(const void *self, const double *theta, const double *x, size_t n, double *out)
{
    (void)x;
    double steepness = *(const double *)self, from_left = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        double wall = theta[i + 1] - theta[i] * theta[i];
        out[i] = from_left - 4 * steepness * wall * theta[i] - 2 * (1 - theta[i]);
        from_left = 2 * steepness * wall;
    }
    out[n - 1] = from_left;
}

static double distance(const void *self, const double *theta, size_t n)
{
    (void)self;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (theta[i] - 1) * (theta[i] - 1);
    return sqrt(sum);
}

static bool minimiser(const void *self, size_t index, double *theta, size_t n)
{
    (void)self;
    for (size_t i = 0; i < n; i++)
        theta[i] = 1;
    return index == 0;
}

const struct pl_problem pl_problem_rosenbrock = {
    .name = "rosenbrock",
    .help = "Rosenbrock's curved valley",
    PL_PROBLEM_SETTINGS(settings_table),
    .state_size = sizeof(double),
    .prepare = prepare,
    .value = value,
    .gradient = gradient,
    .distance = distance,
    .minimiser = minimiser,
};
