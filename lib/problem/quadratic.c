/* An ill-conditioned quadratic, u(theta) = 1/2 sum a_i theta_i^2, whose curvatures a_i run geometrically
 * from 1 to the condition number: a_i = condition^(i/(n-1)), and a = 1 where n = 1. Minimum at 0. */
#include "problem/problem_priv.h"

#include <math.h>

static const struct pl_setting settings_table[] = {
    PL_PROBLEM_DIMENSION("10", "1"),
    PL_PROBLEM_START("1"),
    {.key = "condition",
     .type = PL_REAL,
     .initial = "100",
     .range = "[1,inf)",
     .help = "condition number: largest over smallest curvature",
     .idle_when = "dimension=1"},
    PL_PROBLEM_NOISE,
};

/* The curvatures by repeated multiplication: the ratio of neighbours, restarted from pow now and then so
 * that rounding does not add up. */
struct curvature {
    double log_condition, ratio, current;
    size_t index;
};

static void prepare(void *self, const struct pl_settings *settings, size_t n)
{
    double condition = pl_settings_need_real(settings, "condition");
    double exponent = n > 1 ? 1 / (double)(n - 1) : 0;
    *(struct curvature *)self = (struct curvature){log(condition) * exponent, pow(condition, exponent), 1, 0};
}

static inline void curvature_next(struct curvature *a)
{
    a->index++;
    if (a->index % 64)
        a->current *= a->ratio;
    else
        a->current = exp(a->log_condition * (double)a->index);
}

static double value(const void *self, const double *theta, size_t n)
{
    struct curvature a = *(const struct curvature *)self;
    double sum = 0;
    for (size_t i = 0; i < n; i++, curvature_next(&a))
        sum += a.current * theta[i] * theta[i];
    return sum / 2;
}

static void gradient(const void *self, const double *theta, const double *x, size_t n, double *out)
{
    (void)x;
    struct curvature a = *(const struct curvature *)self;
    for (size_t i = 0; i < n; i++, curvature_next(&a))
        out[i] = a.current * theta[i];
}

static void gradients(const void *self, const double *theta, size_t n, size_t points, double *out)
{
    struct curvature a = *(const struct curvature *)self;
    for (size_t i = 0; i < n; i++, curvature_next(&a))
        for (size_t k = 0; k < points; k++)
            out[i * points + k] = a.current * theta[i * points + k];
}

const struct pl_problem pl_problem_quadratic = {
    .name = "quadratic",
    .help = "a quadratic with a given condition number",
    PL_PROBLEM_SETTINGS(settings_table),
    .state_size = sizeof(struct curvature),
    .prepare = prepare,
    .value = value,
    .gradient = gradient,
    .distance = pl_problem_norm,
    .minimiser = pl_problem_origin,
    .gradients = gradients,
};
