/* Parts that the problems share. */
#ifndef PL_PROBLEM_PRIV_H
#define PL_PROBLEM_PRIV_H

#include "problem/problem.h"

/* The two settings that every problem has; defaults and the smallest dimension are spelled as in a spec. */
#define PL_PROBLEM_DIMENSION(value, smallest) \
    {.key = "dimension", .type = PL_INTEGER, .initial = value, .range = "[" smallest ",100000000]", \
     .help = "number of coordinates"}
#define PL_PROBLEM_START(value) \
    {.key = "start", .aliases = "theta0 θ0", .type = PL_REAL, .initial = value, \
     .help = "initial value of every coordinate"}
/* Noise of the problems whose gradient is exact without it: H = grad u + noise * x. */
#define PL_PROBLEM_NOISE \
    {.key = "noise", .type = PL_REAL, .initial = "0", .range = "[0,inf)", \
     .help = "standard deviation of each coordinate's gradient noise"}

/* Distance of the problems whose only global minimiser is 0. */
double pl_problem_norm(const struct pl_settings *settings, const double *theta, size_t n);

/* Their only minimiser. */
bool pl_problem_origin(const struct pl_settings *settings, size_t index, double *theta, size_t n);

/* Data for PL_PROBLEM_NOISE: uniform with mean 0 and variance 1. */
void pl_problem_noise_data(double *x, size_t count);
bool pl_problem_noise_random(const struct pl_settings *settings);
/* Adds noise * x to the gradient; does nothing when noise is 0 or x is NULL. */
void pl_problem_noise_add(const struct pl_settings *settings, const double *x, size_t n, double *gradient);
/* What the noise adds to the sampled objective: noise * sum x_i theta_i. */
double pl_problem_noise_sample(const struct pl_settings *settings, const double *theta, const double *x, size_t n);

extern const struct pl_problem pl_problem_double_well, pl_problem_mixture, pl_problem_quadratic, pl_problem_quartic,
    pl_problem_rastrigin, pl_problem_rosenbrock, pl_problem_theta30;

#endif
