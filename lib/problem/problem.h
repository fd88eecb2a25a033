/* problem: analytic objectives with a known minimum, for studying optimizers without a network.
 *
 * A problem is one const descriptor: value, gradient, minimiser. An objective is a problem with its settings read, over
 * n coordinates: what iterations work with, so that none of them looks a setting up by its name. All arithmetic is
 * double and an objective does not change once it is made, so any thread may use it. Every problem has the settings
 * `dimension` and `start` (initial value of every coordinate). Sources of formulas are cited in each file;
 * docs/problems.md has them all. */
#ifndef PL_PROBLEM_H
#define PL_PROBLEM_H

#include "base/base.h"

/* In the functions below self is what prepare made; theta has n coordinates. */
struct pl_problem {
    const char *name;
    const char *help;
    const struct pl_setting *settings; /* all of the problem's: dimension, start, its constants */
    size_t setting_count;
    bool separable;    /* u is the sum of one function of every coordinate, whatever n is */
    size_t state_size; /* bytes of self */
    /* Fills self, which is zeroed, from complete settings; NULL where a problem has no constants. */
    void (*prepare)(void *self, const struct pl_settings *settings, size_t n);
    /* Expected objective u(theta). */
    double (*value)(const void *self, const double *theta, size_t n);
    /* Its gradient. Problems with data of their own: the stochastic gradient H(theta, x), where x holds one datum per
     * coordinate; x NULL: its mean, the gradient of u. */
    void (*gradient)(const void *self, const double *theta, const double *x, size_t n, double *gradient);
    /* Euclidean distance from theta to the nearest global minimiser. */
    double (*distance)(const void *self, const double *theta, size_t n);
    /* Writes the index-th global minimiser, counted from 0; false where there are no more. */
    bool (*minimiser)(const void *self, size_t index, double *theta, size_t n);
    /* gradient at many points, see pl_objective_gradients; NULL where one call after another will do. */
    void (*gradients)(const void *self, const double *theta, size_t n, size_t points, double *gradient);
    /* Problems with data of their own; the others have the setting `noise` and both NULL. Turns count uniform draws on
     * (0,1) into data, in place; and the sampled objective U(theta, x) whose gradient in theta is H(theta, x). */
    void (*data)(double *x, size_t count);
    double (*sample)(const void *self, const double *theta, const double *x, size_t n);
};

extern const struct pl_registry pl_problem_registry; /* of struct pl_problem */
size_t pl_problem_count(void);
const struct pl_problem *pl_problem_at(size_t index);
const struct pl_problem *pl_problem_find(const char *name);

/* A problem under settings. Where the problem has no data of its own, H(theta, x) = grad u(theta) + noise x. */
struct pl_objective {
    const struct pl_problem *problem;
    size_t n;
    double noise;
    bool random; /* whether the gradient depends on data */
    void *state; /* the problem's self */
};

enum { PL_PROBLEM_POINT = 64 /* most coordinates of pl_objective_gradients, unless the problem is separable */ };

/* Reads settings, which are complete and need not live on. */
void pl_objective_init(struct pl_objective *objective, const struct pl_problem *problem,
                       const struct pl_settings *settings, size_t n);
void pl_objective_release(struct pl_objective *objective);

double pl_objective_value(const struct pl_objective *objective, const double *theta);
/* H(theta, x); x NULL: its mean, the gradient of u. */
void pl_objective_gradient(const struct pl_objective *objective, const double *theta, const double *x,
                           double *gradient);
/* The gradients at many points at once. Coordinate i of point k is element i * points + k of theta, x and gradient. */
void pl_objective_gradients(const struct pl_objective *objective, const double *theta, const double *x, size_t points,
                            double *gradient);
/* The sampled objective U(theta, x) whose gradient in theta is H(theta, x). */
double pl_objective_sample(const struct pl_objective *objective, const double *theta, const double *x);
/* Turns count uniform draws on (0,1) into data, in place. */
void pl_objective_data(const struct pl_objective *objective, double *x, size_t count);
double pl_objective_distance(const struct pl_objective *objective, const double *theta);
bool pl_objective_minimiser(const struct pl_objective *objective, size_t index, double *theta);

#endif
