#include "theory/theory_priv.h"

#include <stdlib.h>

/* The defaults are the paper's toy example (docs/theory.md derives them). */
static const struct pl_setting settings_table[] = {
    {.key = "d",
     .aliases = "dimension",
     .type = PL_INTEGER,
     .initial = "1",
     .range = "[1,1e15]",
     .help = "number of parameters"},
    {.key = "q",
     .type = PL_REAL,
     .initial = "29",
     .range = "[1,1000]",
     .help = "growth of the gradient G: |G(theta, x)| <= K_G(x) (1 + |theta|)^q"},
    {.key = "rho",
     .aliases = "ρ",
     .type = PL_REAL,
     .initial = "1",
     .range = "[1,1000]",
     .help = "growth of its Lipschitz constant in the data x"},
    {.key = "L_G",
     .aliases = "l_g",
     .type = PL_REAL,
     .initial = "34",
     .range = "(0,inf)",
     .help = "Lipschitz constant: |G(t, x) - G(t', x)| <= L_G (1 + |x|)^rho (1 + |t| + |t'|)^(q-1) |t - t'|"},
    {.key = "G_0", .type = PL_REAL, .initial = "0", .range = "[0,inf)", .help = "size of the gradient at 0: |G(0, x)|"},
    {.key = "eta",
     .aliases = "η",
     .type = PL_REAL,
     .initial = "5e-4",
     .range = "[0,inf)",
     .help =
         "strength of the regularisation; below 1, but for lambda_max alone; 0: there is none, and A and B are given"},
    {.key = "r",
     .type = PL_REAL,
     .initial = "14.5",
     .range = "[0,1000]",
     .help = "exponent of the regularisation: it grows like |theta|^(2r+2); at least q/2, but for lambda_max alone"},
    {.key = "beta",
     .aliases = "β",
     .type = PL_REAL,
     .initial = "1e10",
     .range = "(0,inf)",
     .help = "inverse temperature"},
    {.key = "lambda",
     .aliases = "λ lr learning_rate",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,1]",
     .help = "step size, for M_0 and the bounds; 0: lambda_max"},
    {.key = "n", .type = PL_REAL, .initial = "1e6", .range = "[0,inf)", .help = "number of steps, for the bounds"},
    {.key = "M_0",
     .aliases = "m_0",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,inf)",
     .help = "radius beyond which a step contracts; 0: the smallest that serves lambda"},
    {.key = "A",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,inf)",
     .help = "dissipativity: <theta, h(theta)> >= A |theta|^2 - B; 0: by rem:dissipativity"},
    {.key = "B", .type = PL_REAL, .initial = "0", .range = "[0,inf)", .help = "its offset; 0: by rem:dissipativity"},
    {.key = "L_R",
     .aliases = "l_r",
     .type = PL_REAL,
     .initial = "0",
     .range = "[0,inf)",
     .help = "one-sided Lipschitz constant of h; 0: by prop:2.6"},
    {.key = "x_law",
     .type = PL_STRING,
     .initial = "uniform",
     .range = "constant uniform normal",
     .help = "law of the data: |X| is x_scale, |X| is uniform on (0, x_scale), or X is normal"},
    {.key = "x_scale",
     .type = PL_REAL,
     .initial = "2",
     .range = "[0,inf)",
     .help = "size of the data; normal: standard deviation of each coordinate"},
    {.key = "x_dimension",
     .type = PL_INTEGER,
     .initial = "1",
     .range = "[1,1e6]",
     .help = "coordinates of X, where it is normal"},
    {.key = "theta0_law",
     .type = PL_STRING,
     .initial = "constant",
     .range = "constant uniform normal",
     .help = "law of each coordinate of the start: theta0_scale, uniform up to it on both sides, or normal"},
    {.key = "theta0_scale",
     .type = PL_REAL,
     .initial = "5",
     .range = "[0,inf)",
     .help = "size of the start's coordinates"},
#define MOMENT(name, what)                                                                                             \
    {                                                                                                                  \
        .key = "E_" name, .type = PL_REAL, .initial = "-1", .range = "[-1,inf)", .help = what                          \
    }
    MOMENT("X_rho", "E (1+|X|)^rho; -1: by x_law"),
    MOMENT("X_2rho", "E |X|^(2 rho); -1: by x_law"),
    MOMENT("K", "E K_G(X), K_G(x) = L_G (1+|x|)^rho + |G(0, x)|; -1: by x_law and G_0"),
    MOMENT("K2", "E K_G(X)^2; -1: by x_law and G_0"),
    MOMENT("K4", "E K_G(X)^4; -1: by x_law and G_0"),
    MOMENT("theta_2", "E |theta_0|^2; -1: by theta0_law"),
    MOMENT("theta_4", "E |theta_0|^4; -1: by theta0_law"),
    MOMENT("theta_2q", "E |theta_0|^(2q); -1: by theta0_law"),
    MOMENT("theta_4q", "E |theta_0|^(4q); -1: by theta0_law"),
    MOMENT("theta_4r2", "E |theta_0|^(4r+2); -1: by theta0_law"),
    MOMENT("theta_8r4", "E |theta_0|^(8r+4); -1: by theta0_law"),
    MOMENT("Z_2", "E |Z|^2 under pi_beta; -1: its bound by lem:drift_lyapunov"),
    MOMENT("Z_4r2", "E |Z|^(4r+2) under pi_beta; -1: its bound by lem:drift_lyapunov"),
#undef MOMENT
};

const struct pl_setting *pl_theory_settings(size_t *count)
{
    *count = sizeof settings_table / sizeof *settings_table;
    return settings_table;
}

static void read_given(struct pl_moments *given, const struct pl_settings *s)
{
    const struct {
        const char *key;
        long double *moment;
    } keys[] = {{"E_X_rho", &given->X_rho},
                {"E_X_2rho", &given->X_2rho},
                {"E_K", &given->K},
                {"E_K2", &given->K2},
                {"E_K4", &given->K4},
                {"E_theta_2", &given->theta_2},
                {"E_theta_4", &given->theta_4},
                {"E_theta_2q", &given->theta_2q},
                {"E_theta_4q", &given->theta_4q},
                {"E_theta_4r2", &given->theta_4r2},
                {"E_theta_8r4", &given->theta_8r4},
                {"E_Z_2", &given->Z_2},
                {"E_Z_4r2", &given->Z_4r2}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        double value = pl_settings_real(s, keys[i].key, -1);
        *keys[i].moment = value < 0 ? NAN : pl_ln(value);
    }
}

/* What is given in place of rem:dissipativity and prop:2.6. Without regularisation these say nothing. */
static int read_dissipativity(struct pl_theory *t, const struct pl_settings *s, bool regular, struct pl_error *err)
{
    double A = pl_settings_need_real(s, "A"), B = pl_settings_need_real(s, "B"), L_R = pl_settings_need_real(s, "L_R");
    t->own_A = A > 0 ? pl_ln(A) : NAN;
    t->own_B = B > 0 ? pl_ln(B) : NAN;
    t->own_L_R = L_R > 0 ? pl_ln(L_R) : NAN;
    if ((A > 0) != (B > 0))
        return pl_fail(err, PL_EINPUT, "A and B belong together: <theta, h(theta)> >= A |theta|^2 - B; give both");
    if (regular)
        return 0;
    if (!(A > 0))
        return pl_fail(err, PL_EINPUT,
                       "without regularisation (eta is 0) the paper asks for dissipativity: give A and B above 0");
    if (t->q > 1 && !(L_R > 0))
        return pl_fail(err, PL_EINPUT,
                       "without regularisation (eta is 0) and with q above 1, L_R has to be given as well as A and B");
    return 0;
}

/* Numbers that are legal each, and together. */
static int read_settings(struct pl_theory *t, const struct pl_settings *s, struct pl_error *err)
{
    double eta = pl_settings_need_real(s, "eta"), lambda = pl_settings_need_real(s, "lambda");
    double M_0 = pl_settings_need_real(s, "M_0");
    t->q = pl_settings_need_real(s, "q");
    t->r = pl_settings_need_real(s, "r");
    t->rho = pl_settings_need_real(s, "rho");
    t->l = 2 * t->r + 1;
    t->steps = pl_settings_need_real(s, "n");
    t->d = pl_ln(pl_settings_need_real(s, "d"));
    t->L_G = pl_ln(pl_settings_need_real(s, "L_G"));
    t->eta = pl_ln(eta);
    t->beta = pl_ln(pl_settings_need_real(s, "beta"));
    t->regular = eta > 0;
    int status = read_dissipativity(t, s, t->regular, err);
    if (status)
        return status;
    if (!t->regular) { /* h is as Lipschitz as G: 2r + 1 stands for q - 1 */
        t->l = t->q - 1;
        t->r = (t->l - 1) / 2;
        t->lambda = t->lambda_max = NAN;
        read_given(&t->given, s);
        return pl_theory_read_moments(t, s, err);
    }
    if (eta >= 1)
        return pl_fail(err, PL_EINPUT, "eta is %g, but the proof is for a regularisation below 1", eta);
    if (t->r < t->q / 2)
        return pl_fail(err, PL_EINPUT,
                       "r is %g, but must be at least q/2 = %g: the regularisation has to outgrow the "
                       "gradient",
                       t->r, t->q / 2);
    status = pl_theory_lambda_max(eta, t->r, &t->lambda_max, err);
    if (status)
        return status;
    t->lambda = lambda > 0 ? pl_ln(lambda) : t->lambda_max;
    if (t->lambda > t->lambda_max) {
        struct pl_text bound = {0};
        pl_theory_write(t->lambda_max, false, &bound);
        status = pl_fail(err, PL_EINPUT, "lambda is %g, but the proof covers steps up to lambda_max(eta=%g, r=%g) = %s",
                         lambda, eta, t->r, pl_text(&bound));
        pl_text_release(&bound);
        return status;
    }
    t->M_0 = M_0 > 0 ? pl_ln(M_0) : NAN;
    read_given(&t->given, s);
    return pl_theory_read_moments(t, s, err);
}

int pl_theory_evaluate(struct pl_theory *t, struct pl_error *err)
{
    pl_theory_assumptions(t);
    int status = t->regular ? pl_theory_iterates(t, err) : 0;
    if (!t->regular)
        t->M_0 = t->A_2 = t->A_q = t->A_2q = t->A_2r1 = t->A_2l = NAN;
    if (status)
        return status;
    pl_theory_contraction(t);
    pl_theory_distances(t);
    pl_theory_risk(t);
    return 0;
}

int pl_theory_new(struct pl_theory **theory, const struct pl_settings *settings, struct pl_error *err)
{
    struct pl_theory *t = pl_new(sizeof *t);
    int status = read_settings(t, settings, err);
    if (!status)
        status = pl_theory_evaluate(t, err);
    *theory = status ? NULL : t;
    if (status)
        free(t);
    return status;
}

void pl_theory_free(struct pl_theory *theory)
{
    free(theory);
}
