/* theory: the numbers that the convergence proof of TheoPouLa gives: Lim and Sabanis, "Polygonal unadjusted Langevin
 * algorithms: creating stable and efficient adaptive algorithms for neural networks" (arXiv:2105.13937).
 *
 * The constants of such a proof are astronomically large or small, so every one of them is a natural logarithm in
 * long double: a product is a sum, a power a product. That reaches to 10^(+-10^4931); beyond it a logarithm is
 * infinite. Sources are the labels of the paper's LaTeX text; docs/theory.md states every formula and what was read
 * where the paper has a misprint. Nothing is kept between calls, so any thread may use any function. */
#ifndef PL_THEORY_H
#define PL_THEORY_H

#include "base/base.h"

/* ln of the largest step size that the proof covers, eq:lambda_max with l = 2r + 1:
 * min{1, 1/(4 eta^2), 1/(2^14 eta^2 (8l choose 4l)^2)}. PL_EINPUT unless eta > 0 and 0 <= r <= 1000: without
 * regularisation there is no such bound. */
int pl_theory_lambda_max(double eta, double r, long double *ln, struct pl_error *err);

/* A number of the theory. */
struct pl_theory_value {
    const char *name;    /* "C_1", as users name it */
    const char *tex;     /* its symbol: "\\bar{C}_1" */
    const char *meaning; /* one line, no full stop */
    const char *source;  /* label of the equation, table or statement in the paper */
    long double ln;      /* natural logarithm of its value; -inf: 0 */
};

/* Appends exp(ln) as people read it: "1.47e-06", or "10^-139.5" (in TeX "10^{-139.5}") where a double cannot hold
 * it. */
void pl_theory_write(long double ln, bool tex, struct pl_text *out);

#endif
