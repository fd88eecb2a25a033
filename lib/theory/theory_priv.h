/* Inside the theory: one struct that holds every constant of the paper.
 *
 * Throughout, a long double is the natural logarithm of the quantity that it is named after, and a double is a plain
 * number (an exponent, a dimension in a power). So A * B / C is written A + B - C, A^p is p * A, and a sum is
 * pl_ln_add. Names are the paper's: C_bar_1 has a bar above the C, and A_2r1 is A_p for p = 2r + 1. */
#ifndef PL_THEORY_PRIV_H
#define PL_THEORY_PRIV_H

#include "theory/theory.h"

#include <math.h>

/* Expectations that the constants need. */
struct pl_moments {
    long double X_rho, X_2rho; /* E (1 + |X|)^rho, E |X|^(2 rho) */
    long double K, K2, K4;     /* E K_G(X)^k, K_G(x) = L_G (1 + |x|)^rho + |G(0, x)|, rem:growth_G */
    long double theta_2, theta_4, theta_2q, theta_4q, theta_4r2, theta_8r4; /* E |theta_0|^p; 4r2: p = 4r + 2 */
    long double Z_2, Z_4r2;                                                 /* E |Z|^p under pi_beta */
};

struct pl_theory {
    double q, r, rho, l, steps; /* l = 2r + 1; steps: n */
    long double d, L_G, eta, beta, lambda, lambda_max;
    bool regular;                      /* eta > 0: else what needs it is NaN */
    long double own_A, own_B, own_L_R; /* NaN where they are to be derived */
    struct pl_moments given;           /* NaN where it is to be derived */
    struct pl_moments E;               /* all of them */

    long double A, B, R, L_R, L_H, L_h, r_1;            /* assumptions.c */
    long double M_0, A_2, A_q, A_2q, A_2r1, A_2l;       /* iterates.c */
    long double c_bar_2, c_tilde_2, c_bar_4, c_tilde_4; /* contraction.c */
    long double c_dot_0, c_dot_1, phi_bar, epsilon, c_hat, C_0;
    long double C_tilde_1, C_bar_1, C_bar_2, C_bar_3, z_1, z_2; /* distances.c */
    long double C_1, C_2, C_3, C_4, C_5;
    long double R_0, K, C_6, C_7; /* risk.c */
};

/* The logarithm of a plain number. */
static inline long double pl_ln(long double x)
{
    return logl(x);
}

/* ln(exp(a) + exp(b)). */
static inline long double pl_ln_add(long double a, long double b)
{
    long double high = fmaxl(a, b), low = fminl(a, b);
    if (isnan(a) || isnan(b)) /* fmaxl would leave it out */
        return NAN;
    return isinf(high) ? high : high + log1pl(expl(low - high));
}

static inline long double pl_ln_add3(long double a, long double b, long double c)
{
    return pl_ln_add(a, pl_ln_add(b, c));
}

/* ln(exp(a) - exp(b)), a > b. */
static inline long double pl_ln_subtract(long double a, long double b)
{
    return isinf(a) ? a : a + log1pl(-expl(b - a));
}

/* E |theta_0|^p and the moments of X under the laws that the settings name. */
int pl_theory_read_moments(struct pl_theory *t, const struct pl_settings *settings, struct pl_error *err);

/* Each group of constants, in this order: a later one needs the earlier ones. */
void pl_theory_assumptions(struct pl_theory *t);
int pl_theory_iterates(struct pl_theory *t, struct pl_error *err);
void pl_theory_contraction(struct pl_theory *t);
void pl_theory_distances(struct pl_theory *t);
void pl_theory_risk(struct pl_theory *t);

/* All of them, for the inputs, the moments and (unless it is NaN) the M_0 of t. */
int pl_theory_evaluate(struct pl_theory *t, struct pl_error *err);

/* lem:drift_lyapunov: c_tilde(p) / c_bar(p) = 3 v_p(M_bar_p), which also bounds E V_p under pi_beta. */
long double pl_theory_drift_ratio(const struct pl_theory *t, double p);
/* C_7 for the beta of t. */
long double pl_theory_c7(const struct pl_theory *t);

#endif
