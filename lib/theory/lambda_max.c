#include "theory/theory.h"

#include <gsl/gsl_sf_gamma.h>

#include <math.h>

/* ln of (2m choose m). GSL has exact factorials up to 170; a fractional m is read through the gamma function. */
static long double ln_central_binomial(double m)
{
    if (m != floor(m))
        return gsl_sf_lngamma(2 * m + 1) - 2 * (long double)gsl_sf_lngamma(m + 1);
    if (2 * m <= GSL_SF_FACT_NMAX)
        return logl(gsl_sf_choose((unsigned)(2 * m), (unsigned)m));
    return gsl_sf_lnchoose((unsigned)(2 * m), (unsigned)m);
}

int pl_theory_lambda_max(double eta, double r, long double *ln, struct pl_error *err)
{
    if (!(eta > 0 && isfinite(eta)))
        return pl_fail(err, PL_EINPUT, "eta is %g, but lambda_max exists only for a regularisation eta in (0,inf)",
                       eta);
    if (!(r >= 0 && r <= 1000))
        return pl_fail(err, PL_EINPUT, "r is %g, but must be in [0,1000]", r);
    double l = 2 * r + 1;
    long double first = -2 * logl(2.0L * eta);
    long double second = -2 * (7 * logl(2) + logl(eta) + ln_central_binomial(4 * l));
    *ln = fminl(0, fminl(first, second));
    return 0;
}
