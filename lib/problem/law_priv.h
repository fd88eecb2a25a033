/* What the files of a law share. */
#ifndef PL_PROBLEM_LAW_PRIV_H
#define PL_PROBLEM_LAW_PRIV_H

#include "problem/law.h"

struct pl_law {
    struct pl_law_cell *cells; /* from left to right, without gaps */
    size_t count, capacity;
    double mass, moment, square; /* integrals of the density, of x and of x^2 times it: not normalised */
};

/* Mass and first moment of what lies below x, normalised. */
void pl_law_below(const struct pl_law *law, double x, double *mass, double *moment);

#endif
