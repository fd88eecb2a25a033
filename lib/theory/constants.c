/* The constants by name, in the order in which they are made of each other. */
#include "theory/theory_priv.h"

#include <stddef.h>

static const struct constant {
    const char *name, *tex, *source, *meaning;
    size_t at; /* in struct pl_theory */
} constants[] = {
#define AT(field) .at = offsetof(struct pl_theory, field)
    {"lambda_max", "\\lambda_{\\max}", "eq:lambda_max", "largest step size that the proof covers", AT(lambda_max)},
    {"A", "A", "rem:dissipativity", "dissipativity of h: its slope", AT(A)},
    {"B", "B", "rem:dissipativity", "dissipativity of h: its offset", AT(B)},
    {"R", "R", "prop:2.6", "radius beyond which h is monotone", AT(R)},
    {"L_R", "L_R", "prop:2.6", "one-sided Lipschitz constant of h", AT(L_R)},
    {"L_H", "L_H", "prop:2.7", "local Lipschitz constant of H", AT(L_H)},
    {"L_h", "L_h", "rem:h_lipschitz", "local Lipschitz constant of h", AT(L_h)},
    {"M_0", "M_0", "eq:flambda", "radius beyond which a step contracts on average", AT(M_0)},
    {"A_2", "A_2", "lem:l2p-norm", "bound on the 4th moment of the iterates, times eta^2", AT(A_2)},
    {"A_q", "A_q", "lem:l2p-norm", "the same of the moment of order 2q", AT(A_q)},
    {"A_2q", "A_{2q}", "lem:l2p-norm", "the same of order 4q", AT(A_2q)},
    {"A_2r1", "A_{2r+1}", "lem:l2p-norm", "the same of order 4r+2", AT(A_2r1)},
    {"A_2l", "A_{2l}", "lem:l2p-norm", "the same of order 8r+4", AT(A_2l)},
    {"c_bar_2", "\\bar c(2)", "lem:drift_lyapunov", "drift of the Lyapunov function of order 2: rate", AT(c_bar_2)},
    {"c_tilde_2", "\\tilde c(2)", "lem:drift_lyapunov", "drift of the Lyapunov function of order 2: offset",
     AT(c_tilde_2)},
    {"c_bar_4", "\\bar c(4)", "lem:drift_lyapunov", "drift of the Lyapunov function of order 4: rate", AT(c_bar_4)},
    {"c_tilde_4", "\\tilde c(4)", "lem:drift_lyapunov", "drift of the Lyapunov function of order 4: offset",
     AT(c_tilde_4)},
    {"c_dot_0", "\\dot c_0", "eberle", "radius in the contraction of the Langevin equation", AT(c_dot_0)},
    {"c_dot_1", "\\dot c_1", "eberle", "second radius there", AT(c_dot_1)},
    {"phi_bar", "\\bar\\phi", "eberle", "contraction rate within that radius", AT(phi_bar)},
    {"epsilon", "\\epsilon", "eberle", "weight of the Lyapunov function: the largest admitted", AT(epsilon)},
    {"c_hat", "\\hat c", "eberle", "factor of the contraction", AT(c_hat)},
    {"C_0", "C_0", "eberle", "rate of the contraction", AT(C_0)},
    {"C_tilde_1", "\\widetilde C_1", "ineq:diff_theta_4", "movement within one step", AT(C_tilde_1)},
    {"C_bar_1", "\\bar C_1", "tab:constant", "error of the frozen drift", AT(C_bar_1)},
    {"C_bar_2", "\\bar C_2", "tab:constant", "error of the sampled gradient", AT(C_bar_2)},
    {"C_bar_3", "\\bar C_3", "tab:constant", "error of taming and boosting", AT(C_bar_3)},
    {"z_1", "z_1", "tab:constant", "error of all restarts in W_1, for lambda^(1/2)", AT(z_1)},
    {"z_2", "z_2", "tab:constant", "error of all restarts in W_2, for lambda^(1/4)", AT(z_2)},
    {"C_1", "C_1", "tab:constant", "W_1: factor of lambda^(1/2)", AT(C_1)},
    {"C_2", "C_2", "tab:constant", "W_1: factor of exp(-C_0 lambda n)", AT(C_2)},
    {"C_3", "C_3", "tab:constant", "W_2: factor of lambda^(1/4)", AT(C_3)},
    {"C_4", "C_4", "tab:constant", "W_2: factor of exp(-C_5 lambda n)", AT(C_4)},
    {"C_5", "C_5", "tab:constant", "W_2: rate", AT(C_5)},
    {"r_1", "r_1", "proof of Thrm3", "growth of h", AT(r_1)},
    {"R_0", "R_0", "proof of Thrm3", "radius around the minimiser", AT(R_0)},
    {"K", "K", "tab:constant", "curvature of u within that radius", AT(K)},
    {"C_6", "C_6", "tab:constant", "excess risk: factor of W_2", AT(C_6)},
    {"C_7", "C_7", "tab:constant", "excess risk: factor of 1/beta", AT(C_7)},
#undef AT
};

size_t pl_theory_count(void)
{
    return sizeof constants / sizeof *constants;
}

struct pl_theory_value pl_theory_at(const struct pl_theory *theory, size_t index)
{
    const struct constant *c = &constants[index];
    return (struct pl_theory_value){c->name, c->tex, c->meaning, c->source,
                                    theory ? *(const long double *)((const char *)theory + c->at) : NAN};
}

const char *pl_theory_dependence(const char *name, bool on_d)
{
    static const struct {
        const char *names, *d, *beta;
    } rows[] = {
        {"A_2 A_q A_2q A_2r1 A_2l C_0 C_5 C_6", "poly(d/beta)", "poly(d/beta)"},
        {"c_hat C_1 C_2 C_3 C_4", "exp(poly(d))", "exp(poly(d/beta))"},
        {"C_7", "d log(d)", "log(d/beta)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (pl_has_word(rows[i].names, name))
            return on_d ? rows[i].d : rows[i].beta;
    return "";
}
