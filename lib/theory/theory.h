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

/* What a theory takes: dimension, growth and Lipschitz constants, regularisation, moments; the defaults are the paper's
 * toy example. */
const struct pl_setting *pl_theory_settings(size_t *count);

/* All constants for complete settings; without regularisation (eta = 0, A and B given) those that need it are NaN.
 * PL_EINPUT when they do not fit together: r < q/2, lambda > lambda_max, an M_0
 * that is too small, or moments that no law has. */
struct pl_theory;
int pl_theory_new(struct pl_theory **theory, const struct pl_settings *settings, struct pl_error *err);
void pl_theory_free(struct pl_theory *theory);

/* The constants, in the order in which they depend on each other. theory NULL: without a value (NaN). */
size_t pl_theory_count(void);
struct pl_theory_value pl_theory_at(const struct pl_theory *theory, size_t index);

/* What the paper says of how a constant depends on d (else on beta), tab:basic constants; "" where it says nothing. */
const char *pl_theory_dependence(const char *name, bool on_d);

/* The bounds of Thrm1 (W_1), Thrm2 (W_2) and Thrm3 (risk) for the settings' lambda and n. Returns 3. theory NULL:
 * without a value. */
size_t pl_theory_bounds(const struct pl_theory *theory, struct pl_theory_value bounds[3]);

/* The three steps below Thrm3: beta, lambda and n for which its bound is at most delta. M_0 stays what it is, though
 * the smaller lambda would need a larger one (docs/theory.md). */
int pl_theory_recipe(const struct pl_theory *theory, double delta, struct pl_theory_value recipe[3],
                     struct pl_error *err);

/* Appends exp(ln) as people read it: "1.47e-06", or "10^-139.5" (in TeX "10^{-139.5}") where a double cannot hold
 * it. */
void pl_theory_write(long double ln, bool tex, struct pl_text *out);

#endif
