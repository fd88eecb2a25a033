/* What the assumptions on G and X alone give: section "Preliminaries and Assumptions". */
#include "theory/theory_priv.h"

/* rem:dissipativity: <theta, h(theta)> >= A |theta|^2 - B. */
static void dissipativity(struct pl_theory *t)
{
    long double one_plus_K = pl_ln_add(0, t->E.K);
    if (!isnan(t->own_A)) {
        t->A = t->own_A;
        t->B = t->own_B;
        return;
    }
    t->A = t->q * pl_ln(2) + one_plus_K;
    t->B = pl_ln(3) + (t->q + 2) * ((t->q + 1) * pl_ln(2) + one_plus_K) - (t->q + 1) * t->eta;
}

/* prop:2.6: <theta - theta', h(theta) - h(theta')> >= -L_R |theta - theta'|^2. At r = 1/2, where q must be 1, R is
 * infinite and not needed: G is Lipschitz everywhere. */
static void one_sided_lipschitz(struct pl_theory *t)
{
    t->R = NAN;
    t->L_R = isnan(t->own_L_R) ? t->L_G + t->E.X_rho : t->own_L_R;
    if (!isnan(t->own_L_R) || !t->regular)
        return;
    long double ratio = t->L_G + t->E.X_rho - t->eta;
    long double first = t->r > 0.5 ? ((3 * (t->q - 1) + 1) * pl_ln(2) + ratio) / (2 * (long double)t->r - 1) : INFINITY;
    long double second = (t->q * pl_ln(2) + ratio) / (2 * (long double)t->r);
    t->R = fmaxl(first, second);
    if (t->q > 1)
        t->L_R += (t->q - 1) * pl_ln_add(0, pl_ln(2) + t->R);
}

/* prop:2.7 and rem:h_lipschitz: |h(theta) - h(theta')| <= L_h (1 + |theta| + |theta'|)^(2r+1) |theta - theta'|. The
 * remark prints its expectation with brackets that do not match; it is read as E (1 + |X|)^rho. */
static void lipschitz(struct pl_theory *t)
{
    t->L_H = t->regular ? pl_ln_add(t->L_G, pl_ln(8 * t->r) + t->eta) : t->L_G;
    t->L_h = t->L_H + t->E.X_rho;
}

void pl_theory_assumptions(struct pl_theory *t)
{
    dissipativity(t);
    one_sided_lipschitz(t);
    lipschitz(t);
    /* Proof of Thrm3, K read as K_G: |h(theta)| <= r_1 (1 + |theta|^(2r+1)). */
    t->r_1 = t->regular ? pl_ln_add(2 * t->r * pl_ln(2) + t->E.K, t->eta) : NAN;
}
