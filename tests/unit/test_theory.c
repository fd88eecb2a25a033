/* Expected values were computed by hand, or with 60 digits by mpmath from the formulas written beside them; none comes
 * from the code under test. */
#include "theory/theory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void close_to(const char *what, long double got, long double want, long double tolerance)
{
    if (!(fabsl(got - want) <= tolerance * fmaxl(1, fabsl(want))))
        fail_msg("%s is %.17Lg, but should be %.17Lg", what, got, want);
}

/* min{1, 1/(4 eta^2), 1/(2^14 eta^2 C^2)}, C = (8l choose 4l), l = 2r + 1. */
static void lambda_max_is_the_papers(void **state)
{
    (void)state;
    static const struct {
        double eta, r;
        long double ln;
    } cases[] = {
        {0.5, 0, -16.8147566508180616912535L},         /* C = 70: 1/20070400 */
        {1e-3, 0.5, -14.8138585710553049215811L},      /* C = (16 choose 8) = 12870 */
        {0.5, 1, -37.938366980296437495124L},          /* C = (24 choose 12) = 2704156 */
        {5e-4, 10, -221.821185419301863092657L},       /* C = (168 choose 84), the last that GSL has exactly */
        {5e-4, 14.5, -321.27859732159207662757L},      /* C = (240 choose 120) */
        {0.1, 0.3, -19.8034072385776779132364L},       /* C = Gamma(13.8) / Gamma(7.4)^2 */
        {2, 10.125, -241.170073977491323087782L},      /* C = (170 choose 85) */
        {1e-3, 200, -4434.59571890786160244052L},      /* below what a double holds */
        {0.25, 1000, -22188.5991467968726669128L},
        {7, 0, -22.0928713100485789202986L},
        {1e-9, 0, 0},                                  /* the bounds are above 1 */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        long double ln;
        struct pl_error err;
        assert_int_equal(pl_theory_lambda_max(cases[i].eta, cases[i].r, &ln, &err), 0);
        close_to("ln lambda_max", ln, cases[i].ln, 2e-13L);
    }
    long double ln;
    assert_int_equal(pl_theory_lambda_max(0.5, 0, &ln, NULL), 0);
    close_to("lambda_max", expl(ln) * 20070400, 1, 1e-14L);
}

static void lambda_max_needs_a_regularisation(void **state)
{
    (void)state;
    static const double wrong[][2] = {{0, 1}, {-1, 1}, {NAN, 1}, {INFINITY, 1}, {0.1, -1e-9}, {0.1, 1000.1}, {0.1, NAN}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        long double ln = 42;
        struct pl_error err = {0};
        assert_int_equal(pl_theory_lambda_max(wrong[i][0], wrong[i][1], &ln, &err), PL_EINPUT);
        assert_non_null(strstr(err.text, wrong[i][1] == 1 ? "eta" : "r is"));
        assert_true(ln == 42);
    }
}

static void written(long double ln, bool tex, const char *want)
{
    struct pl_text text = {0};
    pl_theory_write(ln, tex, &text);
    assert_string_equal(pl_text(&text), want);
    pl_text_release(&text);
}

static void magnitudes_are_readable(void **state)
{
    (void)state;
    written(0, false, "1");
    written(logl(0.25L), true, "0.25");
    written(logl(1.5e-6L), false, "1.5e-06");
    written(logl(1.5e-6L), true, "1.5\\cdot10^{-6}");
    written(299.5L * logl(10), false, "3.16228e+299");
    written(-1000 * logl(10), false, "10^-1000");
    written(-1000 * logl(10), true, "10^{-1000}");
    written(1e400L * logl(10), false, "10^1e+400");
    written(-INFINITY, false, "0");
    written(INFINITY, false, "inf");
    written(INFINITY, true, "\\infty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lambda_max_is_the_papers),
        cmocka_unit_test(lambda_max_needs_a_regularisation),
        cmocka_unit_test(magnitudes_are_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
