/* When averages of the weights begin, and what they are. */
#include "optim_parts.h"

static void patience_averages_from_its_trigger(void **state)
{
    (void)state;
    static const double losses[] = {3, 2, 2.5, NAN, 1.5, 1.5, 1.6, 9, 1, 1};
    struct run run;
    start(&run, "sgld beta=100 average=patience average_after=3", PL_FLOAT64, 1, 1);
    double *sum = pl_arena(run.layout.length, sizeof *sum);
    const double *theta = run.theta;
    int fired = -1;
    for (int epoch = 0; epoch < 10; epoch++) {
        take_step(&run, (uint64_t)epoch, NULL);
        if (fired >= 0)
            for (size_t i = 0; i < run.layout.length; i++)
                sum[i] += theta[i];
        assert_true((pl_optim_average(run.optim) != NULL) == (fired >= 0));
        if (pl_optim_validated(run.optim, losses[epoch])) {
            assert_int_equal(fired, -1);
            fired = epoch;
            memcpy(sum, theta, run.layout.length * sizeof *sum); /* theta_Q belongs to the mean */
        }
    }
    assert_int_equal(fired, 7);
    const double *average = pl_optim_average(run.optim);
    for (size_t t = 0; t < run.layout.count; t++)
        for (size_t k = 0; k < run.layout.tensors[t].count; k++) {
            size_t i = run.layout.tensors[t].offset + k;
            assert_near(average[i], sum[i] / 3, 1e-12); /* theta_Q and two steps */
        }
    free(sum);
    finish(&run);
}

/* NT-ASGD is SGD with the non-monotone trigger; its average is the wrapper's. */
static void nt_asgd_is_sgd_with_a_trigger(void **state)
{
    (void)state;
    struct run a, b;
    start(&a, "nt_asgd lambda=0.1 nonmono=2 weight_decay=0", PL_FLOAT64, 1, 1);
    start(&b, "sgd lambda=0.1 average=nonmono average_after=2", PL_FLOAT64, 1, 1);
    for (uint64_t step = 1; step <= 12; step++) {
        train(&a, step, step, NULL);
        train(&b, step, step, NULL);
        assert_same_run(&a, &b, "nt_asgd against sgd");
    }
    assert_non_null(pl_optim_average(a.optim));
    finish(&a);
    finish(&b);
}

/* The rate of a step under ASGD is that of the step before; NT-ASGD's first averaged step takes its own. */
static void asgd_is_one_step_late(void **state)
{
    (void)state;
    struct pl_settings settings = {0};
    struct pl_layout layout = {0};
    struct pl_optim *optim;
    double theta[32] = {0}, gradient[32] = {1};
    static const double rates[] = {1, 2, 4, 8, 16, 32}, steps[] = {1, 2, 4, 8, 8, 16};
    read_form("nt_asgd nonmono=1 weight_decay=0", &settings);
    pl_layout_add(&layout, (const size_t[]){1}, 1);
    assert_int_equal(
        pl_optim_new(&optim, &settings, &layout, PL_FLOAT64, pl_random_stream(1, PL_STREAM_NOISE), 1, NULL), 0);
    for (size_t i = 0; i < 6; i++) {
        double before = theta[0];
        pl_optim_set_rate(optim, rates[i]);
        gradient[0] = 1;
        pl_optim_step(optim, theta, gradient, NULL);
        assert_near(before - theta[0], steps[i], 1e-12);
        assert_int_equal(pl_optim_validated(optim, (double)i), i == 2);
    }
    pl_optim_free(optim);
    pl_layout_release(&layout);
    pl_settings_release(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patience_averages_from_its_trigger),
        cmocka_unit_test(nt_asgd_is_sgd_with_a_trigger),
        cmocka_unit_test(asgd_is_one_step_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
