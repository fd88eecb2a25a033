/* law: a probability distribution on the line, from its density by quadrature, and how far samples are from it.
 *
 * The density is cut into cells, halved until a Chebyshev series (GSL) of each is exact to rounding; mass and first
 * moment are the integrals of the series. Immutable once made: any thread may use it. */
#ifndef PL_PROBLEM_LAW_H
#define PL_PROBLEM_LAW_H

#include "base/base.h"

struct pl_law;

/* log_density up to a constant, with relative errors below accuracy, which is what is then sought. marks are count
 * places, at least one, at which the density is high (the minimisers of an energy): at each of them, and further out on
 * either side, features of any width are found. The density must fall off faster than any power on both sides. Fails
 * with PL_EINPUT where it cannot be integrated. */
int pl_law_new(struct pl_law **law, double (*log_density)(const void *self, double x), const void *self,
               const double *marks, size_t count, double accuracy, struct pl_error *err);
void pl_law_free(struct pl_law *law);

double pl_law_mean(const struct pl_law *law);
double pl_law_variance(const struct pl_law *law);
double pl_law_cdf(const struct pl_law *law, double x);
double pl_law_quantile(const struct pl_law *law, double p); /* p within [0,1] */

/* Fills out with count independent draws in rising order, which depend on the key and count only. */
void pl_law_sample(const struct pl_law *law, struct pl_random random, uint64_t step, size_t count, double *out);

/* The law cut into count parts of equal mass, one for each of as many sorted samples. The law must outlive it. NULL
 * where there is no memory. */
struct pl_law_parts;
struct pl_law_parts *pl_law_parts_new(const struct pl_law *law, size_t count);
void pl_law_parts_free(struct pl_law_parts *parts);

/* Wasserstein distances between the law and the empirical law of sorted samples, one for each part:
 *   W1 = int_0^1 |F_n^-1(p) - F^-1(p)| dp,    W2^2 = int_0^1 (F_n^-1(p) - F^-1(p))^2 dp,
 * both exact (Villani, Topics in Optimal Transportation, 2003, theorem 2.18). Infinite or NaN where a sample is. */
void pl_law_distances(const struct pl_law_parts *parts, const double *sorted, double *w1, double *w2_squared);

/* The total variation distance between the law and the empirical law of sorted samples, as far as intervals of equal
 * mass see it: half the sum of the differences of their shares, over so many intervals as divide the samples well (64,
 * fewer where an interval would have less than 16 of them). At most the distance itself, which is 1 for any finite
 * sample. */
double pl_law_variation(const struct pl_law_parts *parts, const double *sorted);

#endif
