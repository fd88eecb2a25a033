/* The three bounds, and the recipe for a wanted excess risk. */
#include "theory/theory_priv.h"

/* Thrm1: C_1 sqrt(lambda) + C_2 exp(-C_0 lambda n). Its proof ends in exp(-C_0 n), where n counts blocks of 1/lambda
 * steps; the theorem, read here, counts steps. */
static long double W_1(const struct pl_theory *t, long double lambda, double n)
{
    return pl_ln_add(t->C_1 + lambda / 2, t->C_2 - expl(t->C_0 + lambda) * n);
}

/* Thrm2 (the corollary): C_3 lambda^(1/4) + C_4 exp(-C_5 lambda n). */
static long double W_2(const struct pl_theory *t, long double lambda, double n)
{
    return pl_ln_add(t->C_3 + lambda / 4, t->C_4 - expl(t->C_5 + lambda) * n);
}

size_t pl_theory_bounds(const struct pl_theory *t, struct pl_theory_value bounds[3])
{
    long double w_2 = t ? W_2(t, t->lambda, t->steps) : NAN;
    bounds[0] = (struct pl_theory_value){"W_1", "W_1(\\mathcal L(\\theta_n^\\lambda), \\pi_\\beta)",
                                         "bound on the W_1 distance to pi_beta after n steps", "Thrm1",
                                         t ? W_1(t, t->lambda, t->steps) : NAN};
    bounds[1] = (struct pl_theory_value){"W_2", "W_2(\\mathcal L(\\theta_n^\\lambda), \\pi_\\beta)",
                                         "bound on the W_2 distance to pi_beta after n steps", "Thrm2", w_2};
    bounds[2] = (struct pl_theory_value){"risk", "\\mathbb E[u(\\theta_n^\\lambda)] - u(\\theta^*)",
                                         "bound on the expected excess risk after n steps", "Thrm3",
                                         t ? pl_ln_add(t->C_6 + w_2, t->C_7 - t->beta) : NAN};
    return 3;
}

/* Whether C_7 / beta <= exp(share). C_7 grows with beta, but only like its logarithm. */
static bool is_cold_enough(struct pl_theory *t, long double beta, long double share)
{
    t->beta = beta;
    return pl_theory_c7(t) - beta <= share;
}

/* Step (i): the least such beta. */
static long double choose_beta(struct pl_theory t, long double share)
{
    long double low = -1, high = 1;
    while (!is_cold_enough(&t, high, share))
        high *= 2;
    while (is_cold_enough(&t, low, share))
        low *= 2;
    for (int i = 0; i < 200; i++) {
        long double middle = (low + high) / 2;
        if (is_cold_enough(&t, middle, share))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Step (iii): the least whole n with C_4 C_6 exp(-C_5 lambda n) <= exp(share). */
static long double choose_steps(const struct pl_theory *t, long double lambda, long double share)
{
    long double excess = t->C_4 + t->C_6 - share;
    if (excess <= 0)
        return -INFINITY;
    long double n = pl_ln(excess) - t->C_5 - lambda;
    return n < 36 ? pl_ln(ceill(expl(n))) : n; /* 36: up to 4e15, where every whole number has its place */
}

int pl_theory_recipe(const struct pl_theory *theory, double delta, struct pl_theory_value recipe[3],
                     struct pl_error *err)
{
    struct pl_theory t = *theory;
    if (!(delta > 0 && isfinite(delta)))
        return pl_fail(err, PL_EINPUT, "delta is %g, but must be in (0,inf)", delta);
    long double share = pl_ln(delta) - pl_ln(3);
    t.beta = choose_beta(t, share);
    int status = pl_theory_evaluate(&t, err);
    if (status)
        return status;
    if (isnan(t.C_3))
        return pl_fail(err, PL_EINPUT, "the recipe needs the regularisation: eta above 0");
    if (isinf(t.C_3) || isinf(t.C_5))
        return pl_fail(err, PL_EINPUT, "the constants lie beyond 10^(10^4931), so that no step size can be given");
    /* Step (ii): C_3 C_6 lambda^(1/4) <= delta/3, within the proof's range. */
    long double lambda = fminl(t.lambda_max, 4 * (share - t.C_3 - t.C_6));
    recipe[0] = (struct pl_theory_value){"beta", "\\bar\\beta", "inverse temperature: C_7 / beta is a third of delta",
                                         "Thrm3, step (i)", t.beta};
    recipe[1] = (struct pl_theory_value){
        "lambda", "\\bar\\lambda", "step size: C_3 C_6 lambda^(1/4) is at most a third", "Thrm3, step (ii)", lambda};
    recipe[2] = (struct pl_theory_value){"n", "\\bar n", "steps: C_4 C_6 exp(-C_5 lambda n) is at most a third",
                                         "Thrm3, step (iii)", choose_steps(&t, lambda, share)};
    return 0;
}
