/* Rastrigin's function (1974; Muehlenbein et al., Parallel Computing 17, 1991, for n coordinates):
 *   u(theta) = sum theta_i^2 + amplitude (1 - cos(2 pi theta_i)).
 * One global minimum at 0 among local minima near every whole number. */
#include "problem/problem_priv.h"

#include <math.h>

static const struct pl_setting settings_table[] = {
    PL_PROBLEM_DIMENSION("2", "1"),
    PL_PROBLEM_START("3.7"),
    {.key = "amplitude", .type = PL_REAL, .initial = "10", .range = "[0,inf)", .help = "height of the ripples"},
    PL_PROBLEM_NOISE,
};

static void prepare(void *self, const struct pl_settings *settings, size_t n)
{
    (void)n;
    *(double *)self = pl_settings_need_real(settings, "amplitude");
}

static double value(const void *self, const double *theta, size_t n)
{
    double amplitude = *(const double *)self, sum = 0;
    for (size_t i = 0; i < n; i++) {
        /* 1 - cos(2a) = 2 sin(a)^2 keeps its digits near the minimum. */
        double wave = sin(M_PI * theta[i]);
        sum += theta[i] * theta[i] + 2 * amplitude * wave * wave;
    }
    return sum;
}

static void gradient(const void *self, const double *theta, const double *x, size_t n, double *out)
{
    (void)x;
    double slope = 2 * M_PI * *(const double *)self;
    for (size_t i = 0; i < n; i++)
        out[i] = 2 * theta[i] + slope * sin(2 * M_PI * theta[i]);
}

const struct pl_problem pl_problem_rastrigin = {
    .name = "rastrigin",
    .help = "Rastrigin's function: a bowl with many local minima",
    PL_PROBLEM_SETTINGS(settings_table),
    .separable = true,
    .state_size = sizeof(double),
    .prepare = prepare,
    .value = value,
    .gradient = gradient,
    .distance = pl_problem_norm,
    .minimiser = pl_problem_origin,
};
