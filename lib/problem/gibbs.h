/* gibbs: the law pi_beta, with density proportional to exp(-beta u), of a problem in one or two coordinates, to which
 * Langevin algorithms converge. In one dimension it is one law on the line; in two it is given by its projections to
 * evenly spaced directions, made by quadrature across each. Immutable once made: any thread may use it. */
#ifndef PL_PROBLEM_GIBBS_H
#define PL_PROBLEM_GIBBS_H

#include "problem/law.h"
#include "problem/problem.h"

enum { PL_GIBBS_DIMENSION = 2, PL_GIBBS_DIRECTIONS = 64 };

/* What an optimizer adds to the problem's objective: eta |theta|^(2r + 2) / (2r + 2) + weight_decay |theta|^2 / 2. */
struct pl_regulariser {
    double eta, r, weight_decay;
};

struct pl_gibbs;

/* The objective has one or two coordinates and must outlive the result; in one dimension directions is 1; 0: no
 * law is made. Fails with PL_EINPUT where the density cannot be integrated. */
int pl_gibbs_new(struct pl_gibbs **gibbs, const struct pl_objective *objective, struct pl_regulariser regulariser,
                 double beta, size_t directions, struct pl_error *err);
void pl_gibbs_free(struct pl_gibbs *gibbs);

/* The k-th direction (unit vector) and the law of the projection to it. */
void pl_gibbs_direction(const struct pl_gibbs *gibbs, size_t k, double direction[PL_GIBBS_DIMENSION]);
const struct pl_law *pl_gibbs_law(const struct pl_gibbs *gibbs, size_t k);

/* The regularised objective u(theta), and its least value. */
double pl_gibbs_energy(const struct pl_gibbs *gibbs, const double *theta);
double pl_gibbs_minimum(const struct pl_gibbs *gibbs);

#endif
