/* Moments of the iterates, lem:l2p-norm: E |theta_n|^(2p) <= E |theta_0|^(2p) + A_p / eta^2. The table of constants
 * refers to A_p without giving it; the formulas are those of the lemma's proof. */
#include "theory/theory_priv.h"

#include <gsl/gsl_sf_gamma.h>

/* eq:flambda asks for f(s) >= eta sqrt(lambda) (1 - sqrt(lambda) eta) where s = |theta| >= M_0. Divided by
 * sqrt(lambda), and with what is negative brought to the other side:
 *
 *   2 eta w / (1 + w) >= eta (1 + sqrt(lambda) eta) + 2 sqrt(d) (1 + lambda) / s + 4 sqrt(lambda) d (1 + lambda^2) /
 * s^2, w = sqrt(lambda) s^(2r)
 *
 * The left side grows with s and the right side falls. */
static bool is_beyond_m0(const struct pl_theory *t, long double s)
{
    long double root = t->lambda / 2, w = root + 2 * t->r * s;
    long double left = pl_ln(2) + t->eta - pl_ln_add(0, -w);
    long double right = pl_ln_add3(t->eta + pl_ln_add(0, root + t->eta),
                                   pl_ln(2) + t->d / 2 + pl_ln_add(0, t->lambda) - s,
                                   pl_ln(4) + root + t->d + pl_ln_add(0, 2 * t->lambda) - 2 * s);
    return left >= right;
}

/* The proof only says that M_0 exists. This is the smallest one that serves the step size. */
static long double smallest_m0(const struct pl_theory *t)
{
    long double low = -1, high = 1;
    while (!is_beyond_m0(t, high))
        high *= 2;
    while (is_beyond_m0(t, low))
        low *= 2;
    for (int i = 0; i < 200; i++) {
        long double middle = (low + high) / 2;
        if (is_beyond_m0(t, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* M of the proof, for a whole p: beyond it one step contracts. */
static long double radius(const struct pl_theory *t, double p)
{
    long double two_less_eta = pl_ln(2 - expl(t->eta));
    long double M = fmaxl(0, t->M_0);
    M = fmaxl(M, pl_ln(4) + t->d - two_less_eta - t->eta);
    M = fmaxl(M, pl_ln(2) + t->d / 2 - two_less_eta - t->eta);
    return fmaxl(M, (2 * p - 2) * pl_ln(2) + pl_ln(p) + pl_ln(2 * p - 1) + t->d - t->eta - t->beta);
}

/* D_tilde_k = 2^(k-1) ((2 sqrt(M))^k (E K_G (1 + M^q) + d + 2 eta M^(2r+1))^(k/2) + (8d + 2 eta^2 M^2)^k). */
static long double D_tilde(const struct pl_theory *t, long double M, double k)
{
    long double inner = pl_ln_add3(t->E.K + pl_ln_add(0, t->q * M), t->d, pl_ln(2) + t->eta + t->l * M);
    long double outer = pl_ln_add(pl_ln(8) + t->d, pl_ln(2) + 2 * t->eta + 2 * M);
    return (k - 1) * pl_ln(2) + pl_ln_add(k * (pl_ln(2) + M / 2) + k / 2 * inner, k * outer);
}

/* Sum over k from first to last of (p choose k) D_tilde_k. */
static long double sum_D_tilde(const struct pl_theory *t, long double M, double p, double first, double last)
{
    long double sum = -INFINITY;
    for (double k = first; k <= last; k++)
        sum = pl_ln_add(sum, gsl_sf_lnchoose((unsigned)p, (unsigned)k) + D_tilde(t, M, k));
    return sum;
}

/* ln of (2p - 1)!! = (2p)! / (2^p p!). */
static long double ln_odd_factorial(double p)
{
    return (long double)gsl_sf_lngamma(2 * p + 1) - p * pl_ln(2) - gsl_sf_lngamma(p + 1);
}

/* A_p = eta^2 M^(2p) + M^(2p) sum_{k=1}^{p} (p choose k) D_tilde_k
 *       + 2^(2p-3) p (2p-1) (2 d M^(2p-2) / beta sum_{k=0}^{p-1} (p choose k) D_tilde_k + (2/beta)^p d^p (2p-1)!!)
 *
 * In the second sum the proof prints lambda^k, though A_p is to be independent of lambda: as in the first sum, it is
 * replaced by its bound 1. The sums need a whole p: another one is rounded up. */
static long double A_p(const struct pl_theory *t, double real_p)
{
    double p = ceil(real_p - 1e-9);
    long double M = radius(t, p), two_over_beta = pl_ln(2) - t->beta;
    long double drift = 2 * p * M + pl_ln_add(2 * t->eta, sum_D_tilde(t, M, p, 1, p));
    long double noise = pl_ln_add(two_over_beta + t->d + (2 * p - 2) * M + sum_D_tilde(t, M, p, 0, p - 1),
                                  p * (two_over_beta + t->d) + ln_odd_factorial(p));
    return pl_ln_add(drift, (2 * p - 3) * pl_ln(2) + pl_ln(p) + pl_ln(2 * p - 1) + noise);
}

int pl_theory_iterates(struct pl_theory *t, struct pl_error *err)
{
    long double least = smallest_m0(t);
    if (isnan(t->M_0))
        t->M_0 = least;
    else if (t->M_0 < least - 1e-12L)
        return pl_fail(err, PL_EINPUT, "M_0 is %.6Lg, but a step size of %.6Lg needs one of at least %.6Lg",
                       expl(t->M_0), expl(t->lambda), expl(least));
    t->A_2 = A_p(t, 2);
    t->A_q = A_p(t, t->q);
    t->A_2q = A_p(t, 2 * t->q);
    t->A_2r1 = A_p(t, t->l);
    t->A_2l = A_p(t, 2 * t->l);
    return 0;
}
