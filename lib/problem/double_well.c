/* Two wells in every coordinate: u(theta) = barrier * sum (theta_i^2 - 1)^2. All points with coordinates
 * +1 or -1 are global minimisers of value 0; between them stands a barrier of the given height at 0.
 * The start is near the top of the barrier, so that noise decides the well. */
#include "problem/problem_priv.h"

#include <math.h>

static const struct pl_setting settings_table[] = {
    PL_PROBLEM_DIMENSION("1", "1"),
    PL_PROBLEM_START("0.01"),
    {.key = "barrier",
     .type = PL_REAL,
     .initial = "1",
     .range = "(0,inf)",
     .help = "height of the barrier between the wells"},
    PL_PROBLEM_NOISE,
};

static void prepare(void *self, const struct pl_settings *settings, size_t n)
{
    (void)n;
    *(double *)self = pl_settings_need_real(settings, "barrier");
}

static double value(const void *self, const double *theta, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double level = theta[i] * theta[i] - 1;
        sum += level * level;
    }
    return *(const double *)self * sum;
}

static void gradient(const void *self, const double *theta, const double *x, size_t n, double *out)
{
    (void)x;
    double barrier = *(const double *)self;
    for (size_t i = 0; i < n; i++)
        out[i] = 4 * barrier * (theta[i] * theta[i] - 1) * theta[i];
}

static double distance(const void *self, const double *theta, size_t n)
{
    (void)self;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double away = fabs(theta[i]) - 1;
        sum += away * away;
    }
    return sqrt(sum);
}

/* Bit i of the index chooses the well of coordinate i; all of them up to 16 coordinates, the first 65,536 beyond. */
static bool minimiser(const void *self, size_t index, double *theta, size_t n)
{
    (void)self;
    for (size_t i = 0; i < n; i++)
        theta[i] = i < 16 && index >> i & 1 ? -1 : 1;
    return index < (size_t)1 << (n < 16 ? n : 16);
}

const struct pl_problem pl_problem_double_well = {
    .name = "double_well",
    .help = "two equal wells at -1 and +1 in every coordinate",
    PL_PROBLEM_SETTINGS(settings_table),
    .separable = true,
    .state_size = sizeof(double),
    .prepare = prepare,
    .value = value,
    .gradient = gradient,
    .distance = distance,
    .minimiser = minimiser,
};
