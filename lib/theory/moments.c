/* Moments of the data X and of the start theta_0 under simple laws. */
#include "theory/theory_priv.h"

#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_gamma.h>

#include <string.h>

/* A law of a random vector by its size: constant, uniform or normal. */
struct law {
    const char *name;
    double scale, dimension;
};

static struct law law_of(const struct pl_settings *s, const char *name, const char *scale, double dimension)
{
    return (struct law){pl_settings_need_string(s, name), pl_settings_need_real(s, scale), dimension};
}

/* E |Y|^p of a normal vector with independent coordinates N(0, scale^2). */
static long double normal_moment(const struct law *law, double p)
{
    double n = law->dimension;
    return p * (pl_ln(law->scale) + pl_ln(2) / 2) + gsl_sf_lnpoch(n / 2, p / 2); /* ln Gamma((n+p)/2) / Gamma(n/2) */
}

/* ---- X: constant: |X| = scale; uniform: |X| uniform on (0, scale); normal: scale in each coordinate ---- */

/* E |X|^p. */
static long double data_moment(const struct law *law, double p)
{
    if (!strcmp(law->name, "normal"))
        return normal_moment(law, p);
    return p * pl_ln(law->scale) - (strcmp(law->name, "uniform") ? 0 : pl_ln(p + 1));
}

/* The integrand of E (1 + |X|)^p for normal X, |X| = scale s, without its constant factor. */
struct integrand {
    double p, scale, dimension;
    double highest; /* of the logarithm */
};

static double log_integrand(const struct integrand *f, double s)
{
    return f->p * log1p(f->scale * s) + (f->dimension > 1 ? (f->dimension - 1) * log(s) : 0) - s * s / 2;
}

static double integrand(double s, void *self)
{
    const struct integrand *f = self;
    return s > 0 ? exp(log_integrand(f, s) - f->highest) : f->dimension > 1 ? 0 : exp(-f->highest);
}

/* Where the integrand is highest: its logarithm is concave, with a curvature below -1. */
static double peak(const struct integrand *f)
{
    double low = 0, high = sqrt(f->p + f->dimension);
    for (int i = 0; i < 100; i++) {
        double s = (low + high) / 2;
        double slope = f->p * f->scale / (1 + f->scale * s) + (f->dimension - 1) / s - s;
        if (slope > 0)
            low = s;
        else
            high = s;
    }
    return high;
}

static long double normal_growth(const struct law *law, double p)
{
    struct integrand f = {.p = p, .scale = law->scale, .dimension = law->dimension};
    gsl_function function = {integrand, &f};
    double middle = peak(&f), sum, error;
    f.highest = log_integrand(&f, middle);
    /* 12 beside the peak the integrand has fallen by more than exp(-72). */
    double low = fmax(0, middle - 12);
    gsl_integration_cquad_workspace *workspace = gsl_integration_cquad_workspace_alloc(200);
    gsl_integration_cquad(&function, low, middle + 12, 0, 1e-12, workspace, &sum, &error, NULL);
    gsl_integration_cquad_workspace_free(workspace);
    double n = law->dimension;
    return pl_ln(sum) + f.highest + (1 - n / 2) * pl_ln(2) - gsl_sf_lngamma(n / 2);
}

/* E (1 + |X|)^p. */
static long double data_growth(const struct law *law, double p)
{
    double a = law->scale;
    if (a == 0 || !strcmp(law->name, "constant"))
        return p * log1pl(a);
    if (!strcmp(law->name, "normal"))
        return normal_growth(law, p);
    /* ((1 + a)^(p+1) - 1) / (a (p + 1)) */
    return pl_ln_subtract((p + 1) * log1pl(a), 0) - pl_ln(a) - pl_ln(p + 1);
}

/* E K_G(X)^k, K_G(x) = L_G (1 + |x|)^rho + |G(0, x)| with |G(0, x)| = G_0 for all x. */
static long double K_moment(const struct pl_theory *t, const struct law *law, double G_0, int k)
{
    long double sum = -INFINITY;
    for (int j = 0; j <= k; j++) {
        long double rest = j == k ? 0 : (k - j) * pl_ln(G_0);
        sum = pl_ln_add(sum,
                        gsl_sf_lnchoose((unsigned)k, (unsigned)j) + j * t->L_G + data_growth(law, j * t->rho) + rest);
    }
    return sum;
}

/* ---- theta_0: each coordinate is scale, uniform on (-scale, scale), or N(0, scale^2) ---- */

/* E |theta_0|^p, p >= 2. For the uniform law in several dimensions its bound d^(p/2) scale^p / (p+1), by the convexity
 * of the power p/2. */
static long double start_moment(const struct law *law, double p)
{
    if (!strcmp(law->name, "normal"))
        return normal_moment(law, p);
    return p * (pl_ln(law->dimension) / 2 + pl_ln(law->scale)) - (strcmp(law->name, "uniform") ? 0 : pl_ln(p + 1));
}

/* ---- settings ---- */

static void derive(long double *moment, long double given, long double derived)
{
    *moment = isnan(given) ? derived : given;
}

/* (E |Y|^p)^(1/p) grows with p. */
static int check_order(const char *low_name, long double low, double low_power, const char *high_name, long double high,
                       double high_power, struct pl_error *err)
{
    long double least = low / low_power * high_power;
    if (isinf(low) || high >= least - 1e-9L * fmaxl(1, fabsl(least)))
        return 0;
    return pl_fail(err, PL_EINPUT, "%s is %.6Lg, but must be at least %.6Lg, as %s is %.6Lg", high_name, expl(high),
                   expl(least), low_name, expl(low));
}

int pl_theory_read_moments(struct pl_theory *t, const struct pl_settings *settings, struct pl_error *err)
{
    struct law x = law_of(settings, "x_law", "x_scale", pl_settings_need_real(settings, "x_dimension"));
    struct law start = law_of(settings, "theta0_law", "theta0_scale", expl(t->d));
    double G_0 = pl_settings_need_real(settings, "G_0");
    struct pl_moments *E = &t->E, *given = &t->given;
    derive(&E->X_rho, given->X_rho, data_growth(&x, t->rho));
    derive(&E->X_2rho, given->X_2rho, data_moment(&x, 2 * t->rho));
    derive(&E->K, given->K, K_moment(t, &x, G_0, 1));
    derive(&E->K2, given->K2, K_moment(t, &x, G_0, 2));
    derive(&E->K4, given->K4, K_moment(t, &x, G_0, 4));
    const struct {
        const char *name;
        long double *moment, given;
        double p;
    } starts[] = {{"E_theta_4", &E->theta_4, given->theta_4, 4},
                  {"E_theta_2q", &E->theta_2q, given->theta_2q, 2 * t->q},
                  {"E_theta_4q", &E->theta_4q, given->theta_4q, 4 * t->q},
                  {"E_theta_4r2", &E->theta_4r2, given->theta_4r2, 4 * t->r + 2},
                  {"E_theta_8r4", &E->theta_8r4, given->theta_8r4, 8 * t->r + 4}};
    derive(&E->theta_2, given->theta_2, start_moment(&start, 2));
    int status = check_order("E_K", E->K, 1, "E_K2", E->K2, 2, err);
    if (!status)
        status = check_order("E_K2", E->K2, 2, "E_K4", E->K4, 4, err);
    for (size_t i = 0; i < sizeof starts / sizeof *starts && !status; i++) {
        derive(starts[i].moment, starts[i].given, start_moment(&start, starts[i].p));
        status = check_order("E_theta_2", E->theta_2, 2, starts[i].name, *starts[i].moment, starts[i].p, err);
    }
    return status;
}
