/* How fast the Langevin equation forgets its start: lem:drift_lyapunov and the lemma labelled eberle. */
#include "theory/theory_priv.h"

#include <gsl/gsl_sf_dawson.h>

/* M_bar_p^2 = 1/3 + 4B/(3A) + 4d/(3A beta) + 4(p-2)/(3A beta), and v_p(x) = (1 + x^2)^(p/2). */
long double pl_theory_drift_ratio(const struct pl_theory *t, double p)
{
    long double four_thirds = pl_ln(4) - pl_ln(3);
    long double M_bar2 = pl_ln_add3(-pl_ln(3), four_thirds + t->B - t->A,
                                    four_thirds + pl_ln_add(t->d, pl_ln(p - 2)) - t->A - t->beta);
    return pl_ln(3) + p / 2 * pl_ln_add(0, M_bar2);
}

/* ln of Dawson(x) = exp(-x^2) times the integral from 0 to x of exp(s^2). */
static long double ln_dawson(long double ln_x)
{
    if (ln_x > 12) /* 1/(2x) + 1/(4x^3) + ... */
        return -pl_ln(2) - ln_x + expl(-2 * ln_x) / 2;
    return logl(gsl_sf_dawson((double)expl(ln_x)));
}

/* ln of the integral from 0 to c of exp((a s + 1/a)^2): 1/a times the one of exp(s^2) from 1/a to y = a c + 1/a. */
static long double ln_integral(long double a, long double c)
{
    long double y = pl_ln_add(a + c, -a);
    return pl_ln_subtract(expl(2 * y) + ln_dawson(y), expl(-2 * a) + ln_dawson(-a)) - a;
}

void pl_theory_contraction(struct pl_theory *t)
{
    long double stiffness = t->beta + t->L_R, pi = pl_ln(acosl(-1));
    long double a = (stiffness - pl_ln(8)) / 2; /* sqrt(beta L_R / 8); sqrt(8 / (beta L_R)) is 1/a */
    t->c_bar_2 = t->A - pl_ln(2);
    t->c_tilde_2 = t->c_bar_2 + pl_theory_drift_ratio(t, 2);
    t->c_bar_4 = t->A;
    t->c_tilde_4 = t->c_bar_4 + pl_theory_drift_ratio(t, 4);
    t->c_dot_0 = pl_ln(2) + pl_ln_subtract(pl_ln(4) + t->c_tilde_2 + pl_ln_add(0, t->c_bar_2) - t->c_bar_2, 0) / 2;
    t->c_dot_1 = pl_ln(2) + pl_ln_subtract(t->c_tilde_2 - t->c_bar_2, 0) / 2;
    t->phi_bar = -((pl_ln(8) + t->beta + pi - t->L_R) / 2 + t->c_dot_0 + expl(2 * pl_ln_add(t->c_dot_0 + a, -a)));
    /* The largest epsilon that the lemma admits. */
    t->epsilon = fminl(
        0, -(pl_ln(4) + t->c_tilde_2 + (pl_ln(2) + t->beta + pi - t->L_R) / 2 + ln_integral(a, t->c_dot_1)));
    t->c_hat = pl_ln(2) + pl_ln_add(0, t->c_dot_0) + expl(stiffness + 2 * t->c_dot_0 - pl_ln(8)) +
               expl(pl_ln(2) + t->c_dot_0) - t->epsilon;
    t->C_0 = fminl(t->phi_bar, fminl(t->c_bar_2, pl_ln(4) + t->c_tilde_2 + t->c_bar_2 + t->epsilon)) - pl_ln(2);
    /* lem:drift_lyapunov holds under pi_beta as well, so that E V_p <= c_tilde(p) / c_bar(p). */
    t->E.Z_2 = isnan(t->given.Z_2) ? pl_ln_subtract(pl_theory_drift_ratio(t, 2), 0) : t->given.Z_2;
    t->E.Z_4r2 = isnan(t->given.Z_4r2) ? pl_theory_drift_ratio(t, 4 * t->r + 2) : t->given.Z_4r2;
}
