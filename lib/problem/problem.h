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
    bool separable; /* u is the sum of one function of every coordinate, whatever n is */
    /* Expected objective u(theta) over n coordinates. */
    double (*value)(const struct pl_settings *settings, const double *theta, size_t n);
    /* Stochastic gradient H(theta, x); x holds one datum per coordinate (not read where the gradient is
     * deterministic). x NULL: its mean, the gradient of u. */
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
    /* Writes the index-th global minimiser, counted from 0; false where there are no more. */
    bool (*minimiser)(const struct pl_settings *settings, size_t index, double *theta, size_t n);
    /* gradient at many points, see pl_problem_gradients; NULL where one call after another will do. */
    void (*gradients)(const struct pl_settings *settings, const double *theta, const double *x, size_t n, size_t points,
                      double *gradient);
};

enum { PL_PROBLEM_POINT = 64 /* most coordinates of pl_problem_gradients, unless the problem is separable */ };

/* The gradients at many points at once. Coordinate i of point k is element i * points + k of theta, x and gradient. */
void pl_problem_gradients(const struct pl_problem *problem, const struct pl_settings *settings, const double *theta,
                          const double *x, size_t n, size_t points, double *gradient);

size_t pl_problem_count(void);
const struct pl_problem *pl_problem_at(size_t index);
const struct pl_problem *pl_problem_find(const char *name);

#endif
