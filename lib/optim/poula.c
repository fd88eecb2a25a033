/* The three conditions on a polygonal unadjusted Langevin algorithm (Lim and Sabanis, arXiv:2105.13937, section 1),
 * looked at in numbers for H_lambda = g boost / tame. In one dimension and without data, where the gradient is
 * G = sign(theta) |theta|^q:
 *
 *   1  |H_lambda| <= K_lambda (1 + |theta|)
 *   2  |H_lambda - G| <= lambda^gamma K (1 + |theta|)^rho with some gamma >= 1/2
 *   3  liminf as |theta| grows of (theta H_lambda - 2 lambda H_lambda^2) / |theta|^delta > 0 for delta = 1 or 2
 *
 * A bound holds as far as can be seen where the quotient of both sides does not grow over the last decades that are
 * looked at: of |theta|, towards 0 and up to where |theta|^q is 1e60; of lambda, from 1 down to 1e-12. */
#include "optim/formula.h"
#include "optim/rule.h"

#include <math.h>

enum { DECADES = 12 };
static const double slack = 0.05; /* in an exponent that is found from two points */

struct looking {
    const struct pl_rule *rule;
    struct pl_rule_inputs inputs;
    double q, largest; /* |theta| goes up to that */
    struct pl_error *err;
};

static double gradient(const struct looking *l, double theta)
{
    return copysign(pow(fabs(theta), l->q), theta);
}

/* H_lambda. */
static double drift(const struct looking *l, double lambda, double theta)
{
    struct pl_rule_inputs inputs = l->inputs;
    inputs.lambda = lambda;
    inputs.norm_theta = fabs(theta);
    inputs.norm_g = fabs(gradient(l, theta));
    return pl_rule_evaluate(l->rule, &inputs, theta, gradient(l, theta));
}

/* The exponent with which positive values go from x to y. */
static double exponent(double at_x, double at_y, double x, double y)
{
    return log(at_y / at_x) / log(y / x);
}

static int fail(const struct looking *l, int condition, const char *what, double number, const char *end)
{
    static const char *const conditions[] = {
        "the first condition on a polygonal scheme, |H| <= K (1 + |theta|)",
        "the second condition on a polygonal scheme, |H - g| <= lambda^(1/2) K (1 + |theta|)^rho",
        "the third condition on a polygonal scheme, dissipativity",
    };
    return pl_fail(l->err, PL_EINPUT,
                   "tame and boost do not meet %s: %s%.3g%s, where gradients grow like |theta|^%g (growth_checked); as "
                   "update the rule is not judged",
                   conditions[condition - 1], what, number, end, l->q);
}

static int check_first(const struct looking *l)
{
    const double lambda = l->inputs.lambda;
    for (int sign = -1; sign <= 1; sign += 2) {
        double before = 0, now = 0;
        for (int k = -DECADES; k <= 0; k++) {
            const double theta = sign * l->largest * pow(10, 2 * k);
            const double size = fabs(drift(l, lambda, theta));
            if (!isfinite(size))
                return fail(l, 1, "H is not finite at theta = ", theta, "");
            before = now;
            now = size / (1 + fabs(theta));
        }
        double grows = before > 0 && now > 0 ? exponent(before, now, l->largest / 100, l->largest) : 0;
        if (grows > slack)
            return fail(l, 1, "|H| grows like |theta|^", 1 + grows, "");
    }
    return 0;
}

static double difference(const struct looking *l, double lambda, double theta)
{
    const double size = fabs(drift(l, lambda, theta) - gradient(l, theta));
    return size <= 1e-13 * fabs(gradient(l, theta)) ? 0 : size; /* rounding */
}

/* In lambda, at every size of theta; and in theta near 0, where the bound is a constant. */
static int check_second(const struct looking *l)
{
    double tiny = 0;
    for (int k = -DECADES; k <= 0; k++) { /* beyond 1 a rate that is small beside all sizes would be below rounding */
        const double theta = pow(10, k);
        double most = 0;
        for (int m = 0; m <= DECADES; m++) {
            const double lambda = pow(10, -m), size = difference(l, lambda, theta);
            if (!isfinite(size))
                return fail(l, 2, "H is not finite at theta = ", theta, "");
            most = fmax(most, size / sqrt(lambda));
        }
        const double at = difference(l, 1e-8, theta), below = difference(l, 1e-12, theta);
        const double falls = at > 0 && below > 0 ? exponent(at, below, 1e-8, 1e-12) : 1;
        if (falls < 0.5 - slack)
            return fail(l, 2, "|H - g| falls like lambda^", falls, "");
        if (k == -DECADES)
            tiny = most;
        if (k == -DECADES + 4 && tiny > 0 && most > 0 && exponent(most, tiny, theta, theta * 1e-4) < -slack)
            return fail(l, 2, "|H - g| grows like |theta|^", exponent(most, tiny, theta, theta * 1e-4), " near 0");
    }
    return 0;
}

static bool is_dissipative(const struct looking *l, int delta)
{
    for (int sign = -1; sign <= 1; sign += 2)
        for (int m = 0; m <= 2; m++) {
            const double lambda = l->inputs.lambda * pow(10, -m);
            double q[2];
            for (int k = 0; k < 2; k++) {
                const double theta = sign * (k ? l->largest : l->largest / 100), h = drift(l, lambda, theta);
                q[k] = (theta * h - 2 * lambda * h * h) / pow(fabs(theta), delta);
            }
            if (!(q[0] > 0 && q[1] > 0 && exponent(q[0], q[1], l->largest / 100, l->largest) > -slack))
                return false;
        }
    return true;
}

int pl_poula_check(const struct pl_rule *rule, const struct pl_rule_inputs *inputs, double growth, struct pl_error *err)
{
    struct looking l = {.rule = rule, .inputs = *inputs, .q = growth, .err = err};
    l.largest = growth > 5 ? pow(10, 60 / growth) : 1e12;
    int status = check_first(&l);
    if (!status)
        status = check_second(&l);
    if (!status && !is_dissipative(&l, 1) && !is_dissipative(&l, 2))
        status = fail(&l, 3, "not for lambda = ", inputs->lambda, " and a tenth and a hundredth of it");
    return status;
}
