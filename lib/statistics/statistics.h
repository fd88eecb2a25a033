/* statistics: what scores of runs say, by methods that have been published: tuning curves with bands, tests between
 * methods and over tasks, performance profiles, agreement of orders. Numbers in, numbers out; docs/statistics.md says
 * when to use what, with the source of each.
 *
 * Functions of a sample leave it as it is. Non-finite scores are the caller's concern: nothing here expects any, but
 * times to a target, which may be infinite. Threading: no state. */
#ifndef PL_STATISTICS_H
#define PL_STATISTICS_H

#include "base/base.h"

/* ---- tuning curves: the score of the best of n random points (Dodge and others 2019; Lourie, Cho and He 2023) ---- */

enum pl_band_kind {
    PL_BAND_DKW, /* Dvoretzky, Kiefer, Wolfowitz, with Massart's constant */
    PL_BAND_KS,  /* the exact distribution of Kolmogorov's statistic */
    PL_BAND_LD,  /* equal-tailed intervals of all order statistics at once ("likelihood-derived", exact) */
    PL_BAND_COUNT
};
extern const char *const pl_band_names[PL_BAND_COUNT]; /* "dkw", "ks", "ld" */

/* A simultaneous confidence band for the distribution of n independent values: low[i] <= F at the (i+1)-th of the
 * sorted values <= high[i], before rounding to [0, 1]. From a value on, and up to the next one, F lies between low of
 * that value and high of the next; before the first one below high[0]. */
struct pl_band {
    size_t n;
    double *low, *high;
};
/* Fills a band for n values that covers with that probability. Fails with PL_EINPUT when confidence is not in (0, 1) or
 * n is 0. */
int pl_band_make(struct pl_band *band, enum pl_band_kind kind, size_t n, double confidence, struct pl_error *err);
void pl_band_release(struct pl_band *band);

/* The probability that the n order statistics of uniform variables all lie in their intervals [low[i], high[i]]; both
 * must rise with i. Exact, by the counts at each end in turn (Noe 1972): time O(n^2) where the intervals are narrow. */
double pl_noncrossing(size_t n, const double *low, const double *high);

/* Of independent scores (n of them, in any order) where higher is better. All return the score after k points; k is a
 * whole number or a fraction of at least 1. */
struct pl_tuning {
    size_t n;
    double *sorted; /* the scores, rising; lower is better: negated */
    bool minimize;
};
void pl_tuning_init(struct pl_tuning *tuning, const double *scores, size_t n, bool minimize);
void pl_tuning_release(struct pl_tuning *tuning);
/* The median of the best of k: the smallest y with F(y) >= (1/2)^(1/k). */
double pl_tuning_median(const struct pl_tuning *tuning, double k);
/* The mean of the best of k draws with replacement (V-statistic), and without (U-statistic, k a whole number <= n; NaN
 * beyond). */
double pl_tuning_mean_v(const struct pl_tuning *tuning, double k);
double pl_tuning_mean_u(const struct pl_tuning *tuning, int64_t k);
/* Ends of the median curve at k within a band of the same n. What lies beyond the sample is taken from support: the
 * worst and best score there can be, support[0] <= support[1] (infinities where there is no such). */
void pl_tuning_ends(const struct pl_tuning *tuning, const struct pl_band *band, double k, const double support[2],
                    double *low, double *high);

/* ---- one sample, by its sample standard deviation; NaN for n < 2 ---- */

/* The standard error of the mean of n values: deviation / sqrt(n). */
double pl_mean_error(double deviation, size_t n);
/* Half the confidence interval of the mean of n normal values: t deviation / sqrt(n), t the quantile of Student's
 * distribution with n - 1 degrees of freedom (1908). */
double pl_mean_reach(double deviation, size_t n, double confidence);

/* ---- two samples ---- */

struct pl_test {
    double statistic, p; /* two-sided; NaN where the samples say nothing (too few values, no variation at all) */
    double difference;   /* of means, a - b */
    double freedom;      /* of a t test, else NaN */
    double error;        /* standard error of the difference, of a t test, else NaN */
};
/* Welch (1947): unequal variances. */
void pl_test_welch(const double *a, size_t a_count, const double *b, size_t b_count, struct pl_test *test);
/* Student's t test of the differences a[i] - b[i]. */
void pl_test_paired(const double *a, const double *b, size_t n, struct pl_test *test);
/* Wilcoxon's signed rank test (1945) of the same, by the exact distribution given the ranks: equal differences share
 * a rank, differences of 0 are left out. */
void pl_test_wilcoxon(const double *a, const double *b, size_t n, struct pl_test *test);
/* The smallest p that the signed rank test can give with n pairs: 2^(1-n). */
double pl_test_wilcoxon_least(size_t n);
/* The smallest difference of means, in standard deviations, that a two-sided Welch test at that level finds with that
 * probability, with n values on each side (by the noncentral t distribution; NaN for n < 2). */
double pl_test_detectable(size_t n, double level, double power);
/* The same of the paired t test with n pairs, in standard deviations of the differences. */
double pl_test_detectable_paired(size_t n, double level, double power);

/* Holm (1979): adjusts the p of many tests in place; NaN stays, and counts as no test. */
void pl_adjust_holm(double *p, size_t count);

/* ---- several methods on several tasks: values[task * methods + method] ---- */

/* The rank of each method on each task, 1 for the best; equal values share a mean rank. */
void pl_ranks(const double *values, size_t tasks, size_t methods, bool higher_is_better, double *ranks);
/* Mean over tasks. */
void pl_mean_ranks(const double *ranks, size_t tasks, size_t methods, double *mean);
/* Friedman (1937), in its chi-square form, corrected for ties. */
void pl_test_friedman(const double *ranks, size_t tasks, size_t methods, double *statistic, double *p);
/* Nemenyi's critical difference of mean ranks (1963; Demsar 2006), at that level. */
double pl_nemenyi(size_t tasks, size_t methods, double level);
/* P(Q <= q) of the studentized range of k normal variables with infinite freedom, and its inverse. */
double pl_range_cdf(double q, size_t k);
double pl_range_quantile(double p, size_t k);

/* ---- performance profiles (Dolan and More 2002, as in AlgoPerf: Dahl and others 2023) ---- */

/* times[task * methods + method] to a target, infinite where it was never reached. The share of all tasks on which a
 * method is within tau of the best one, and the integral of that share from 1 to tau_max divided by tau_max - 1. Tasks
 * that nobody solves count. */
double pl_profile_share(const double *times, size_t tasks, size_t methods, size_t method, double tau);
double pl_profile_score(const double *times, size_t tasks, size_t methods, size_t method, double tau_max);

/* ---- stopping early: successive halving (Jamieson and Talwalkar 2016), Hyperband (Li and others 2018), medians ----
 */

enum pl_entrant_state {
    PL_ENTRANT_VALUE,
    PL_ENTRANT_LAST, /* it has no value to be ranked by: it diverged, say; it never goes on */
    PL_ENTRANT_OPEN, /* it has not come to the rung yet */
};
/* A run at a rung. */
struct pl_entrant {
    enum pl_entrant_state state;
    double value;             /* finite */
    const unsigned char *key; /* PL_DIGEST_SIZE bytes: of equal values the lower key is the better one */
};
/* How many of n runs go on: floor(n keep), but one at least. */
size_t pl_halving_kept(size_t n, double keep);
/* Which entrants go on. False, and goes_on is not written, while one of them is open. What follows depends on nothing
 * but the entrants, in whatever order they are given. */
bool pl_halving_decide(const struct pl_entrant *entrants, size_t count, double keep, bool maximize, bool *goes_on);

/* The median stopping rule (Golovin and others 2017): does an entrant with a value go on, which is no worse than the
 * median of the values of the others? While fewer than startup others have one it does. */
bool pl_median_goes_on(const struct pl_entrant *entrants, size_t count, size_t which, size_t startup, bool maximize);

enum { PL_HYPERBAND_MOST = 21 };
/* How many points each bracket has been given. Zero-initialise. */
struct pl_hyperband {
    uint64_t points, given[PL_HYPERBAND_MOST];
};
/* The bracket of the next point: bracket b has the rungs from the b-th on, the last one none. They share the points in
 * the proportions of Hyperband, (rungs + 1) / (s + 1) keep^-s for the s = rungs - b rungs of a bracket, as evenly as
 * whole points can: a point's bracket depends on how many came before it, and on no later one. */
size_t pl_hyperband_next(struct pl_hyperband *hyperband, size_t rungs, double keep);

/* ---- agreement of two orders ---- */

/* Kendall's tau-b of n pairs, and the share of the pairs of pairs that both order in the same way (those that one of
 * them does not order are left out). NaN where there is nothing to compare. */
double pl_kendall(const double *x, const double *y, size_t n);
double pl_same_order(const double *x, const double *y, size_t n);

#endif
