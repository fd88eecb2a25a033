/* u(theta) = 1/4 sum theta_i^4: the gradient grows faster than linearly, so that no constant step of plain gradient
 * descent is stable everywhere (theta beyond sqrt(2 / lambda) is thrown further out). Minimum at 0. */
#include "problem/problem_priv.h"

static const struct pl_setting settings_table[] = {
    PL_PROBLEM_DIMENSION("1", "1"),
    PL_PROBLEM_START("1"),
    PL_PROBLEM_NOISE,
};

static double value(const struct pl_settings *settings, const double *theta, size_t n)
{
    (void)settings;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double square = theta[i] * theta[i];
        sum += square * square;
    }
    return sum / 4;
}

static double sample(const struct pl_settings *settings, const double *theta, const double *x, size_t n)
{
    return value(settings, theta, n) + pl_problem_noise_sample(settings, theta, x, n);
}

static void gradient(const struct pl_settings *settings, const double *theta, const double *x, size_t n,
                     double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = theta[i] * theta[i] * theta[i];
    pl_problem_noise_add(settings, x, n, out);
}

const struct pl_problem pl_problem_quartic = {
    .name = "quartic",
    .help = "a quartic, whose gradient grows like theta^3",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    .separable = true,
    .value = value,
    .gradient = gradient,
    .sample = sample,
    .data = pl_problem_noise_data,
    .random = pl_problem_noise_random,
    .distance = pl_problem_norm,
    .minimiser = pl_problem_origin,
};
