#include "problem/problem_priv.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct pl_problem *const problems[] = {
    &pl_problem_double_well, &pl_problem_mixture,    &pl_problem_quadratic, &pl_problem_quartic,
    &pl_problem_rastrigin,   &pl_problem_rosenbrock, &pl_problem_theta30,
};

size_t pl_problem_count(void)
{
    return sizeof problems / sizeof *problems;
}

const struct pl_problem *pl_problem_at(size_t index)
{
    return problems[index];
}

const struct pl_problem *pl_problem_find(const char *name)
{
    for (size_t i = 0; i < pl_problem_count(); i++)
        if (!strcmp(problems[i]->name, name))
            return problems[i];
    return NULL;
}

static void one_by_one(const struct pl_problem *problem, const struct pl_settings *settings, const double *theta,
                       const double *x, size_t n, size_t points, double *gradient)
{
    double point[PL_PROBLEM_POINT], datum[PL_PROBLEM_POINT], found[PL_PROBLEM_POINT];
    assert(n <= PL_PROBLEM_POINT);
    for (size_t k = 0; k < points; k++) {
        for (size_t i = 0; i < n; i++) {
            point[i] = theta[i * points + k];
            datum[i] = x ? x[i * points + k] : 0;
        }
        problem->gradient(settings, point, x ? datum : NULL, n, found);
        for (size_t i = 0; i < n; i++)
            gradient[i * points + k] = found[i];
    }
}

void pl_problem_gradients(const struct pl_problem *problem, const struct pl_settings *settings, const double *theta,
                          const double *x, size_t n, size_t points, double *gradient)
{
    if (problem->separable)
        problem->gradient(settings, theta, x, n * points, gradient);
    else if (problem->gradients)
        problem->gradients(settings, theta, x, n, points, gradient);
    else
        one_by_one(problem, settings, theta, x, n, points, gradient);
}

bool pl_problem_origin(const struct pl_settings *settings, size_t index, double *theta, size_t n)
{
    (void)settings;
    for (size_t i = 0; i < n; i++)
        theta[i] = 0;
    return index == 0;
}

double pl_problem_norm(const struct pl_settings *settings, const double *theta, size_t n)
{
    (void)settings;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += theta[i] * theta[i];
    return sqrt(sum);
}

void pl_problem_noise_data(double *x, size_t count)
{
    const double width = sqrt(12);
    for (size_t i = 0; i < count; i++)
        x[i] = width * (x[i] - 0.5);
}

static double noise_of(const struct pl_settings *settings)
{
    return pl_settings_real(settings, "noise", 0);
}

bool pl_problem_noise_random(const struct pl_settings *settings)
{
    return noise_of(settings) > 0;
}

void pl_problem_noise_add(const struct pl_settings *settings, const double *x, size_t n, double *gradient)
{
    double noise = noise_of(settings);
    if (noise == 0 || !x)
        return;
    for (size_t i = 0; i < n; i++)
        gradient[i] += noise * x[i];
}

double pl_problem_noise_sample(const struct pl_settings *settings, const double *theta, const double *x, size_t n)
{
    double noise = noise_of(settings), sum = 0;
    if (noise == 0)
        return 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * theta[i];
    return noise * sum;
}
