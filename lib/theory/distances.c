/* Wasserstein distances between TheoPouLa, its auxiliary processes and pi_beta: tab:constant, and the proofs of
 * Lemmas 4.7 (labelled so), 4.8, A.5. and of Thrm1 and Thrm2. */
#include "theory/theory_priv.h"

/* ln(1 - exp(-exp(x))). */
static long double ln_one_less_exp(long double x)
{
    return x < -40 ? x : logl(-expm1l(-expl(x)));
}

/* E |theta_n|^(2p) <= E |theta_0|^(2p) + A_p / eta^2, lem:l2p-norm. */
static long double bounded(const struct pl_theory *t, long double start, long double A_p)
{
    return pl_ln_add(start, A_p - 2 * t->eta);
}

/* C_tilde_1 = 2^(5/2) sqrt(16 d^2 + eta^4 (E|theta_0|^4 + A_2/eta^2) + 3 d^2 / beta^2), eq. ineq:diff_theta_4. */
static long double C_tilde_1(const struct pl_theory *t)
{
    long double sum = pl_ln_add3(pl_ln(16) + 2 * t->d, 4 * t->eta + bounded(t, t->E.theta_4, t->A_2),
                                 pl_ln(3) + 2 * (t->d - t->beta));
    return 2.5L * pl_ln(2) + sum / 2;
}

/* L^2 2^(2 rho) 3^(2l) / L_R (1 + E|X|^(2 rho)) sqrt(1 + 2 E|theta_0|^(4l) + 2 A_2l / eta^2) C_tilde_1. The table's L
 * is read as L_H: with it the row bounds 2 L_h^2 9^l / L_R sqrt(...) C_tilde_1 of the proof. */
static long double C_bar_1(const struct pl_theory *t)
{
    long double growth = pl_ln_add(0, pl_ln(2) + bounded(t, t->E.theta_8r4, t->A_2l)) / 2;
    return 2 * t->L_H + 2 * t->rho * pl_ln(2) + 2 * t->l * pl_ln(3) - t->L_R + pl_ln_add(0, t->E.X_2rho) + growth +
           t->C_tilde_1;
}

/* 12 sqrt(E K_G^2 (1 + E|theta_0|^(2q) + A_q/eta^2) + d + eta^2 (E|theta_0|^(4r+2) + A_2r+1/eta^2)), with the root that
 * both the table and the proof print. */
static long double C_bar_2(const struct pl_theory *t)
{
    return pl_ln(12) + pl_ln_add3(t->E.K2 + pl_ln_add(0, bounded(t, t->E.theta_2q, t->A_q)), t->d,
                                  2 * t->eta + bounded(t, t->E.theta_4r2, t->A_2r1)) /
                           2;
}

/* 18 / L_R (8 E K_G^4 (1 + E|theta_0|^(4q) + A_2q/eta^2) + d + eta^2 (E|theta_0|^(4r+2) + A_2r+1/eta^2)). */
static long double C_bar_3(const struct pl_theory *t)
{
    return pl_ln(18) - t->L_R +
           pl_ln_add3(pl_ln(8) + t->E.K4 + pl_ln_add(0, bounded(t, t->E.theta_4q, t->A_2q)), t->d,
                      2 * t->eta + bounded(t, t->E.theta_4r2, t->A_2r1));
}

/* 1 + sqrt(2 E|theta_0|^4 + 2 + 2 A_2/eta^2) + sqrt(the same + c_tilde(4) / c_bar(4)), from lem:V4 and lem3.7. */
static long double lyapunov_sum(const struct pl_theory *t)
{
    long double V_4 = pl_ln(2) + pl_ln_add(0, bounded(t, t->E.theta_4, t->A_2));
    return pl_ln_add3(0, V_4 / 2, pl_ln_add(V_4, t->c_tilde_4 - t->c_bar_4) / 2);
}

void pl_theory_distances(struct pl_theory *t)
{
    t->C_tilde_1 = C_tilde_1(t);
    t->C_bar_1 = C_bar_1(t);
    t->C_bar_2 = C_bar_2(t);
    t->C_bar_3 = C_bar_3(t);
    /* Lemma 4.7: sqrt(e^(3 L_R) (C_bar_1 + C_bar_2 + C_bar_3)). C_3 prints it with e^(3a), and there is no a. */
    long double step = (3 * expl(t->L_R) + pl_ln_add3(t->C_bar_1, t->C_bar_2, t->C_bar_3)) / 2;
    long double jump = t->c_hat + step + lyapunov_sum(t);
    t->z_1 = jump - ln_one_less_exp(t->C_0);
    t->z_2 = jump / 2 - ln_one_less_exp(t->C_0 - pl_ln(2)); /* (1 - exp(-C_0)) z_1 is the jump */
    t->C_1 = pl_ln_add(t->z_1, step);
    /* V_2 = 1 + |theta|^2, so that the bracket is 3 + E|theta_0|^2 + E|Z|^2. */
    t->C_2 = t->c_hat + pl_ln_add3(pl_ln(3), t->E.theta_2, t->E.Z_2);
    t->C_3 = pl_ln_add(step, t->z_2);
    t->C_4 = (pl_ln(2) + t->C_2) / 2;
    t->C_5 = t->C_0 - pl_ln(2);
}
