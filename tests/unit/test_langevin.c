/* Runs of `problem: langevin` against laws that are known exactly. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "recorder.h"
#include "train_settings.h"

static struct pl_run_result run(const char *words, int threads, double stop_after, struct recorder *r)
{
    struct pl_settings s = {0};
    struct pl_run_result result = {0};
    struct pl_error err;
    settings_of(&s, words);
    struct pl_sink sink = recorder_sink(r);
    r->stop_after = stop_after;
    struct pl_run_request request = {.settings = &s, .seed = 3, .threads = threads, .folder = NULL};
    if (pl_train_check(&s, &err) || pl_train_run(&request, &sink, &result, &err))
        fail_msg("%s", err.text);
    pl_settings_release(&s);
    return result;
}

static double last(const struct recorder *r, const char *metric)
{
    struct recorded point;
    size_t count = recorder_find(r, metric, 0, NULL);
    assert_true(count > 0);
    recorder_find(r, metric, count - 1, &point);
    return point.value;
}

static void close_to(double found, double wanted, double most, const char *what)
{
    if (!(fabs(found - wanted) <= most))
        fail_msg("%s: %.12g is not %.12g", what, found, wanted);
}

/* theta <- (1 - lambda) theta - lambda s x + sqrt(2 lambda / beta) xi, x of variance 1 and mean 0, has the stationary
 * variance (2 lambda / beta + lambda^2 s^2) / (1 - (1 - lambda)^2), which is Gaussian where s = 0. */
static void sgld_on_a_quadratic_has_its_exact_law(void **state)
{
    (void)state;
    static const double noises[] = {0, 1.5};
    for (int i = 0; i < 2; i++) {
        const double lambda = 0.5, beta = 2, mean_size = sqrt(2 / M_PI);
        double drawn = lambda * noises[i];
        double sigma = sqrt((2 * lambda / beta + drawn * drawn) / (1 - (1 - lambda) * (1 - lambda)));
        char words[250];
        snprintf(words, sizeof words,
                 "problem=langevin target=quadratic dimension=1 optimizer=sgld lambda=%g beta=%g "
                 "noise=%g chains=40000 iterations=60 record=3",
                 lambda, beta, noises[i]);
        struct recorder r;
        assert_int_equal(run(words, 2, INFINITY, &r).outcome, PL_FINISHED);
        close_to(last(&r, "excess_risk"), sigma * sigma / 2, 0.015 * sigma * sigma, "excess risk");
        if (i == 0) { /* two Gaussians */
            close_to(last(&r, "w2"), sigma - sqrt(1 / beta), 0.01, "W2");
            close_to(last(&r, "w1"), mean_size * (sigma - sqrt(1 / beta)), 0.01, "W1");
        } else {
            assert_true(last(&r, "w2") > 0.9 * (sigma - sqrt(1 / beta)));
        }
        assert_true(last(&r, "w1_floor") < 0.01 && last(&r, "w1_floor") > 0.001);
        assert_true(last(&r, "w2_floor") > last(&r, "w1_floor"));
        /* Two Gaussians of one mean: their densities cross at +-x, x^2 = ln(s1^2/s2^2) / (1/s2^2 - 1/s1^2). */
        double s2 = 1 / beta, s1 = sigma * sigma, x = sqrt(log(s1 / s2) / (1 / s2 - 1 / s1));
        double variation = erf(x / sqrt(2 * s2)) - erf(x / sqrt(2 * s1));
        if (i == 0)
            close_to(last(&r, "tv"), variation, 0.01, "total variation");
        assert_true(last(&r, "tv_floor") < 0.04 && last(&r, "tv_floor") > 0.001);
        assert_true(last(&r, "escaped") == 0);
        recorder_release(&r);
    }
}

/* In two dimensions the coordinates are independent Gaussians, so every projection is one. */
static void projections_have_their_exact_laws(void **state)
{
    (void)state;
    const double lambda = 0.4, beta = 1;
    double first = 0, second = 0;
    for (int k = 0; k < 4; k++) {
        double a = cos(M_PI * k / 4) * cos(M_PI * k / 4), b = 1 - a;
        double wanted = sqrt((a + b / 3) / beta),
               is = sqrt((a / (1 - lambda / 2) + b / 3 / (1 - 3 * lambda / 2)) / beta);
        first += sqrt(2 / M_PI) * (is - wanted) / 4;
        second += (is - wanted) * (is - wanted) / 4;
    }
    struct recorder r;
    assert_int_equal(run("problem=langevin target=quadratic dimension=2 condition=3 optimizer=sgld lambda=0.4 beta=1 "
                         "chains=40000 iterations=60 record=1 directions=4",
                         2, INFINITY, &r)
                         .outcome,
                     PL_FINISHED);
    close_to(last(&r, "sliced_w1"), first, 0.01, "W1");
    close_to(last(&r, "sliced_w2"), sqrt(second), 0.01, "W2");
    recorder_release(&r);
}

/* Small steps come near every target, with exact and with drawn gradients; distances come down to the floor. */
static void small_steps_reach_every_target(void **state)
{
    (void)state;
    static const char *const targets[] = {"double_well", "quartic", "theta30", "mixture radius=1"};
    static const char *const optimizers[] = {"sgld", "tusla r=1 eta=0.1", "theopoula epsilon=1 r=1 eta=0.1"};
    for (size_t t = 0; t < 4; t++)
        for (size_t o = 0; o < 3; o++) {
            char words[300];
            snprintf(words, sizeof words,
                     "problem=langevin target=%s optimizer=%s dimension=1 lambda=0.001 beta=3 "
                     "chains=1024 iterations=4000 record=4 burn_in=2000 start=0 gradient=%s",
                     targets[t], optimizers[o], o % 2 ? "exact" : "stochastic");
            struct recorder r;
            assert_int_equal(run(words, 2, INFINITY, &r).outcome, PL_FINISHED);
            double sum = 0;
            for (size_t i = 0; i < 4; i++) {
                struct recorded point;
                recorder_find(&r, "w1", i, &point);
                assert_true(point.epoch == 2500 + 500 * (int)i);
                sum += point.value / 4;
            }
            if (!(sum < 2.5 * last(&r, "w1_floor") + 0.02))
                fail_msg("%s: W1 is %g, the floor %g", words, sum, last(&r, "w1_floor"));
            recorder_release(&r);
        }
}

/* Where the step is too large, some chains of plain SGLD leave for good, and none of the tamed ones do. */
static void divergence_is_recorded(void **state)
{
    (void)state;
    static const char
        words[] = "problem=langevin target=quartic lambda=0.3 beta=0.5 chains=4000 iterations=90 record=30 "
                  "optimizer=";
    char all[300];
    struct recorder r;
    snprintf(all, sizeof all, "%ssgld", words);
    struct pl_run_result result = run(all, 2, INFINITY, &r);
    assert_int_equal(result.outcome, PL_DIVERGED);
    assert_true(result.bad_epoch > 1 && result.bad_epoch < 90);
    assert_non_null(strstr(result.reason, "of 4000 chains are not finite, the first since iteration"));
    assert_int_equal(recorder_find(&r, "escaped", 0, NULL), 30);
    double before = 0;
    for (size_t i = 0; i < 30; i++) {
        struct recorded escaped, w1;
        recorder_find(&r, "escaped", i, &escaped);
        recorder_find(&r, "w1", i, &w1);
        assert_true(escaped.value >= before);
        assert_true((escaped.epoch >= result.bad_epoch) == (escaped.value > 0));
        assert_true(isinf(w1.value) == (escaped.value > 0));
        before = escaped.value;
    }
    assert_true(before > 0.1 && before < 1);
    recorder_release(&r);
    snprintf(all, sizeof all, "%ssgld start=1e100", words); /* at once and all of them: there is nothing more to do */
    result = run(all, 1, INFINITY, &r);
    assert_int_equal(result.outcome, PL_DIVERGED);
    assert_int_equal(recorder_find(&r, "escaped", 0, NULL), 1);
    assert_true(last(&r, "escaped") == 1);
    recorder_release(&r);
    static const char *const tamed[] = {"theopoula epsilon=0.1", "tusla r=1"};
    for (int i = 0; i < 2; i++) {
        snprintf(all, sizeof all, "%s%s start=100", words, tamed[i]);
        assert_int_equal(run(all, 2, INFINITY, &r).outcome, PL_FINISHED);
        assert_true(last(&r, "escaped") == 0 && isfinite(last(&r, "w2")));
        recorder_release(&r);
    }
}

static void threads_and_stops(void **state)
{
    (void)state;
    struct recorder r[2];
    for (int i = 0; i < 2; i++)
        run("problem=langevin target=theta30 optimizer=theopoula lambda=0.1 beta=4 chains=6000 iterations=47 record=5 "
            "anneal=cosine",
            i ? 3 : 1, INFINITY, &r[i]);
    assert_int_equal(r[0].count, r[1].count);
    for (size_t i = 0; i < r[0].count; i++)
        assert_true(r[0].points[i].epoch == r[1].points[i].epoch && r[0].points[i].value == r[1].points[i].value);
    recorder_release(&r[0]);
    recorder_release(&r[1]);
    struct pl_run_result result = run("problem=langevin target=theta30 optimizer=theopoula chains=1000 beta=4 "
                                      "iterations=100000000000 record=5",
                                      2, 0.05, &r[0]);
    assert_int_equal(result.outcome, PL_INTERRUPTED);
    assert_non_null(strstr(result.reason, "of 100000000000"));
    recorder_release(&r[0]);
}

static void refuse(const char *words, const char *part)
{
    struct pl_settings s = {0};
    struct pl_error err = {0};
    settings_of(&s, words);
    assert_int_equal(pl_train_check(&s, &err), PL_EINPUT);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" does not say \"%s\"", err.text, part);
    pl_settings_release(&s);
}

static void no_schema(const char *target, const char *part)
{
    struct pl_settings chosen = {0};
    struct pl_schema schema;
    struct pl_error err = {0};
    pl_settings_set_string(&chosen, "problem", "langevin");
    pl_settings_set_string(&chosen, "optimizer", "sgld");
    if (target)
        pl_settings_set_string(&chosen, "target", target);
    assert_int_equal(pl_train_schema(&chosen, &schema, &err), PL_EINPUT);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" does not say \"%s\"", err.text, part);
    pl_settings_release(&chosen);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    refuse("problem=langevin target=quartic optimizer=adam",
           "theopoula, tusla, sgld, sghmc, psgld and formula, not adam");
    refuse("problem=langevin target=quartic optimizer=sgld beta=.inf", "finite beta");
    refuse("problem=langevin target=quartic optimizer=sgld average=on", "average must be off");
    refuse("problem=langevin target=quadratic optimizer=sgld", "dimension is 10");
    refuse("problem=langevin target=quartic optimizer=sgld burn_in=1000", "burn_in must be smaller");
    refuse("problem=langevin target=quartic optimizer=theopoula variant=official beta=1", "switches its noise off");
    refuse("problem=langevin target=quartic optimizer=theopoula record_shares=true", "record_shares must be left out");
    no_schema(NULL, "needs a target");
    no_schema("quatric", "did you mean quartic?");
    no_schema("langevin", "there is no target \"langevin\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sgld_on_a_quadratic_has_its_exact_law),
        cmocka_unit_test(projections_have_their_exact_laws),
        cmocka_unit_test(small_steps_reach_every_target),
        cmocka_unit_test(divergence_is_recorded),
        cmocka_unit_test(threads_and_stops),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
