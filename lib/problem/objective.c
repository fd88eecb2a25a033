/* A problem under settings. */
#include "problem/problem_priv.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

void pl_objective_init(struct pl_objective *objective, const struct pl_problem *problem,
                       const struct pl_settings *settings, size_t n)
{
    *objective = (struct pl_objective){.problem = problem, .n = n};
    if (problem->prepare) {
        objective->state = pl_new(problem->state_size);
        problem->prepare(objective->state, settings, n);
    }
    if (!problem->data)
        objective->noise = pl_settings_need_real(settings, "noise");
    objective->random = problem->data || objective->noise > 0;
}

void pl_objective_release(struct pl_objective *objective)
{
    free(objective->state);
    *objective = (struct pl_objective){0};
}

double pl_objective_value(const struct pl_objective *o, const double *theta)
{
    return o->problem->value(o->state, theta, o->n);
}

static void add_noise(const struct pl_objective *o, const double *x, size_t count, double *gradient)
{
    if (o->noise == 0 || !x)
        return;
    for (size_t i = 0; i < count; i++)
        gradient[i] += o->noise * x[i];
}

void pl_objective_gradient(const struct pl_objective *o, const double *theta, const double *x, double *gradient)
{
    o->problem->gradient(o->state, theta, x, o->n, gradient);
    add_noise(o, x, o->n, gradient);
}

static void one_by_one(const struct pl_objective *o, const double *theta, const double *x, size_t points,
                       double *gradient)
{
    double point[PL_PROBLEM_POINT], datum[PL_PROBLEM_POINT], found[PL_PROBLEM_POINT];
    assert(o->n <= PL_PROBLEM_POINT);
    for (size_t k = 0; k < points; k++) {
        for (size_t i = 0; i < o->n; i++) {
            point[i] = theta[i * points + k];
            datum[i] = x ? x[i * points + k] : 0;
        }
        o->problem->gradient(o->state, point, x ? datum : NULL, o->n, found);
        for (size_t i = 0; i < o->n; i++)
            gradient[i * points + k] = found[i];
    }
}

void pl_objective_gradients(const struct pl_objective *o, const double *theta, const double *x, size_t points,
                            double *gradient)
{
    const struct pl_problem *problem = o->problem;
    if (problem->separable)
        problem->gradient(o->state, theta, x, o->n * points, gradient);
    else if (problem->gradients)
        problem->gradients(o->state, theta, o->n, points, gradient);
    else
        one_by_one(o, theta, x, points, gradient);
    add_noise(o, x, o->n * points, gradient);
}

double pl_objective_sample(const struct pl_objective *o, const double *theta, const double *x)
{
    if (o->problem->sample)
        return o->problem->sample(o->state, theta, x, o->n);
    double sum = 0;
    for (size_t i = 0; i < o->n; i++)
        sum += x[i] * theta[i];
    return pl_objective_value(o, theta) + o->noise * sum;
}

void pl_objective_data(const struct pl_objective *o, double *x, size_t count)
{
    if (o->problem->data) {
        o->problem->data(x, count);
        return;
    }
    const double width = sqrt(12);
    for (size_t i = 0; i < count; i++)
        x[i] = width * (x[i] - 0.5);
}

double pl_objective_distance(const struct pl_objective *o, const double *theta)
{
    return o->problem->distance(o->state, theta, o->n);
}

bool pl_objective_minimiser(const struct pl_objective *o, size_t index, double *theta)
{
    return o->problem->minimiser(o->state, index, theta, o->n);
}

/* ---- parts of problems ---- */

bool pl_problem_origin(const void *self, size_t index, double *theta, size_t n)
{
    (void)self;
    for (size_t i = 0; i < n; i++)
        theta[i] = 0;
    return index == 0;
}

double pl_problem_norm(const void *self, const double *theta, size_t n)
{
    (void)self;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += theta[i] * theta[i];
    return sqrt(sum);
}
