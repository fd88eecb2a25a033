/* problem: analytic objectives with a known minimum, for studying optimizers without a network.
 *
 * A problem is one const descriptor: value, stochastic gradient, minimiser. All arithmetic is double.
 * Sources of formulas are cited in each file. */
#ifndef PL_PROBLEM_H
#define PL_PROBLEM_H

#include "base/base.h"

struct pl_problem {
    const char *name;
    const char *help;
    const struct pl_setting *settings; /* besides the common ones */
    size_t setting_count;
    int64_t dimension;   /* default dimension */
    int64_t smallest;    /* smallest legal dimension */
    double start;        /* default initial value of every coordinate */
    /* Expected objective u(theta) over n coordinates. */
    double (*value)(const struct pl_settings *settings, const double *theta, size_t n);
    /* Stochastic gradient H(theta, x); x holds one datum per coordinate (NULL where draws is 0). */
    void (*gradient)(const struct pl_settings *settings, const double *theta, const double *x, size_t n,
                     double *gradient);
    /* The sampled objective U(theta, x) whose gradient in theta is H(theta, x); for gradient checks. */
    double (*sample)(const struct pl_settings *settings, const double *theta, const double *x, size_t n);
    /* Datum for a coordinate from a uniform draw on (0,1); NULL: the gradient is deterministic. */
    double (*datum)(const struct pl_settings *settings, double uniform);
    /* Euclidean distance from theta to the nearest global minimiser. */
    double (*distance)(const struct pl_settings *settings, const double *theta, size_t n);
};

size_t pl_problem_count(void);
const struct pl_problem *pl_problem_at(size_t index);
const struct pl_problem *pl_problem_find(const char *name);

#endif
