/* The expected excess risk, Thrm3 and its proof. */
#include "theory/theory_priv.h"

/* max{sqrt(B/A), sqrt(2d / (beta L_h))}. */
static long double R_0(const struct pl_theory *t)
{
    return fmaxl(t->B - t->A, pl_ln(2) + t->d - t->beta - t->L_h) / 2;
}

/* L_h (1 + 4 R_0)^(2r+1), as in the proof; the table's row says the same if its L is L_H. */
static long double K(const struct pl_theory *t)
{
    return t->L_h + t->l * pl_ln_add(0, pl_ln(4) + R_0(t));
}

/* d/2 ln(K e / A (B beta / d + 1)) + ln 2. */
long double pl_theory_c7(const struct pl_theory *t)
{
    long double logarithm = K(t) + 1 - t->A + pl_ln_add(t->B + t->beta - t->d, 0);
    return pl_ln(expl(t->d) / 2 * logarithm + pl_ln(2));
}

/* r_1 (1 + 2^(2r) / (2r+2) (sqrt(E|theta_0|^(4r+2) + A_2r+1 / eta^2) + sqrt(E|Z|^(4r+2)))). */
static long double C_6(const struct pl_theory *t)
{
    long double iterate = pl_ln_add(t->E.theta_4r2, t->A_2r1 - 2 * t->eta) / 2;
    return t->r_1 + pl_ln_add(0, 2 * t->r * pl_ln(2) - pl_ln(2 * t->r + 2) + pl_ln_add(iterate, t->E.Z_4r2 / 2));
}

void pl_theory_risk(struct pl_theory *t)
{
    t->R_0 = R_0(t);
    t->K = K(t);
    t->C_6 = C_6(t);
    t->C_7 = pl_theory_c7(t);
}
