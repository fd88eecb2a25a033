/* Parts that the problems share. To add a problem: write NAME.c with its descriptor pl_problem_NAME and list NAME in
 * meson.build. */
#ifndef PL_PROBLEM_PRIV_H
#define PL_PROBLEM_PRIV_H

#include "problem/problem.h"

/* The two settings that every problem has; defaults and the smallest dimension are spelled as in a spec. */
#define PL_PROBLEM_DIMENSION(value, smallest)                                                                          \
    {                                                                                                                  \
        .key = "dimension", .type = PL_INTEGER, .role = PL_SAYS_TASK, .initial = value,                                \
        .range = "[" smallest ",100000000]", .help = "number of coordinates"                                           \
    }
#define PL_PROBLEM_START(value)                                                                                        \
    {                                                                                                                  \
        .key = "start", .aliases = "theta0 θ0", .type = PL_REAL, .initial = value,                                     \
        .help = "initial value of every coordinate"                                                                    \
    }
/* Noise of the problems without data of their own: H = grad u + noise * x, x uniform with mean 0 and variance 1. */
#define PL_PROBLEM_NOISE                                                                                               \
    {                                                                                                                  \
        .key = "noise", .type = PL_REAL, .initial = "0", .range = "[0,inf)",                                           \
        .help = "standard deviation of each coordinate's gradient noise", .idle_when = "gradient=exact"                \
    }
#define PL_PROBLEM_SETTINGS(table) .settings = table, .setting_count = sizeof table / sizeof *table

/* Distance of the problems whose only global minimiser is 0, and that minimiser. */
double pl_problem_norm(const void *self, const double *theta, size_t n);
bool pl_problem_origin(const void *self, size_t index, double *theta, size_t n);

#endif
