/* problem: analytic objectives with a known minimum, for studying optimizers without a network.
 *
 * A problem is one const descriptor: value, stochastic gradient, minimiser. All arithmetic is double and
 * nothing is kept between calls, so any thread may use any problem. Every problem has the settings
 * `dimension` and `start` (initial value of every coordinate). Sources of formulas are cited in each file;
 * docs/problems.md has them all. */
#ifndef PL_PROBLEM_H
#define PL_PROBLEM_H

#include "base/base.h"

struct pl_problem {
    const char *name;
    const char *help;
    const struct pl_setting *settings; /* all of the problem's: dimension, start, its constants */
    size_t setting_count;
    /* Expected objective u(theta) over n coordinates. */
    double (*value)(const struct pl_settings *settings, const double *theta, size_t n);
    /* Stochastic gradient H(theta, x); x holds one datum per coordinate (not read where the gradient is
     * deterministic). */
    void (*gradient)(const struct pl_settings *settings, const double *theta, const double *x, size_t n,
                     double *gradient);
    /* The sampled objective U(theta, x) whose gradient in theta is H(theta, x); for gradient checks. */
    double (*sample)(const struct pl_settings *settings, const double *theta, const double *x, size_t n);
    /* Turns count uniform draws on (0,1) into data, in place. */
    void (*data)(double *x, size_t count);
    /* Whether the gradient depends on the data under these settings. */
    bool (*random)(const struct pl_settings *settings);
    /* Euclidean distance from theta to the nearest global minimiser. */
    double (*distance)(const struct pl_settings *settings, const double *theta, size_t n);
};

size_t pl_problem_count(void);
const struct pl_problem *pl_problem_at(size_t index);
const struct pl_problem *pl_problem_find(const char *name);

#endif
