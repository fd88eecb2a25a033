/* Rosenbrock's valley (The Computer Journal 3, 1960) in its chained form for n >= 2 coordinates:
 *   u(theta) = sum_{i=1}^{n-1} steepness (theta_{i+1} - theta_i^2)^2 + (1 - theta_i)^2.
 * The global minimum is at (1, ..., 1); from n = 4 on there is a local one near (-1, 1, ..., 1). */
#include "problem/problem_priv.h"

#include <math.h>

static const struct pl_setting settings_table[] = {
    PL_PROBLEM_DIMENSION("2", "2"),
    PL_PROBLEM_START("-1.2"),
    {.key = "steepness", .type = PL_REAL, .initial = "100", .range = "(0,inf)",
     .help = "weight of the valley's walls"},
    PL_PROBLEM_NOISE,
};

static double steepness_of(const struct pl_settings *settings)
{
    return pl_settings_real(settings, "steepness", 100);
}

static double value(const struct pl_settings *settings, const double *theta, size_t n)
{
    double steepness = steepness_of(settings), sum = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        double wall = theta[i + 1] - theta[i] * theta[i], floor = 1 - theta[i];
        sum += steepness * wall * wall + floor * floor;
    }
    return sum;
}

static double sample(const struct pl_settings *settings, const double *theta, const double *x, size_t n)
{
    return value(settings, theta, n) + pl_problem_noise_sample(settings, theta, x, n);
}

static void gradient(const struct pl_settings *settings, const double *theta, const double *x, size_t n,
                     double *out)
{
    double steepness = steepness_of(settings), from_left = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        double wall = theta[i + 1] - theta[i] * theta[i];
        out[i] = from_left - 4 * steepness * wall * theta[i] - 2 * (1 - theta[i]);
        from_left = 2 * steepness * wall;
    }
    out[n - 1] = from_left;
    pl_problem_noise_add(settings, x, n, out);
}

static double distance(const struct pl_settings *settings, const double *theta, size_t n)
{
    (void)settings;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (theta[i] - 1) * (theta[i] - 1);
    return sqrt(sum);
}

static bool minimiser(const struct pl_settings *settings, size_t index, double *theta, size_t n)
{
    (void)settings;
    for (size_t i = 0; i < n; i++)
        theta[i] = 1;
    return index == 0;
}

const struct pl_problem pl_problem_rosenbrock = {
    .name = "rosenbrock",
    .help = "Rosenbrock's curved valley",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    .value = value,
    .gradient = gradient,
    .sample = sample,
    .data = pl_problem_noise_data,
    .random = pl_problem_noise_random,
    .distance = distance,
    .minimiser = minimiser,
};
