/* Two wells in every coordinate: u(theta) = barrier * sum (theta_i^2 - 1)^2. All points with coordinates
 * +1 or -1 are global minimisers of value 0; between them stands a barrier of the given height at 0.
 * The start is near the top of the barrier, so that noise decides the well. */
#include "problem/problem_priv.h"

#include <math.h>

static const struct pl_setting settings_table[] = {
    PL_PROBLEM_DIMENSION("1", "1"),
    PL_PROBLEM_START("0.01"),
    {.key = "barrier", .type = PL_REAL, .initial = "1", .range = "(0,inf)",
     .help = "height of the barrier between the wells"},
    PL_PROBLEM_NOISE,
};

static double barrier_of(const struct pl_settings *settings)
{
    return pl_settings_real(settings, "barrier", 1);
}

static double value(const struct pl_settings *settings, const double *theta, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double level = theta[i] * theta[i] - 1;
        sum += level * level;
    }
    return barrier_of(settings) * sum;
}

static double sample(const struct pl_settings *settings, const double *theta, const double *x, size_t n)
{
    return value(settings, theta, n) + pl_problem_noise_sample(settings, theta, x, n);
}

static void gradient(const struct pl_settings *settings, const double *theta, const double *x, size_t n,
                     double *out)
{
    double barrier = barrier_of(settings);
    for (size_t i = 0; i < n; i++)
        out[i] = 4 * barrier * (theta[i] * theta[i] - 1) * theta[i];
    pl_problem_noise_add(settings, x, n, out);
}

static double distance(const struct pl_settings *settings, const double *theta, size_t n)
{
    (void)settings;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double away = fabs(theta[i]) - 1;
        sum += away * away;
    }
    return sqrt(sum);
}

/* Bit i of the index chooses the well of coordinate i; all of them up to 16 coordinates, the first 65,536 beyond. */
static bool minimiser(const struct pl_settings *settings, size_t index, double *theta, size_t n)
{
    (void)settings;
    for (size_t i = 0; i < n; i++)
        theta[i] = i < 16 && index >> i & 1 ? -1 : 1;
    return index < (size_t)1 << (n < 16 ? n : 16);
}

const struct pl_problem pl_problem_double_well = {
    .name = "double_well",
    .help = "two equal wells at -1 and +1 in every coordinate",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    .separable = true,
    .value = value,
    .gradient = gradient,
    .sample = sample,
    .data = pl_problem_noise_data,
    .random = pl_problem_noise_random,
    .distance = distance,
    .minimiser = minimiser,
};
