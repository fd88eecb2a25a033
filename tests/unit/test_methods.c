/* Methods that ask more of training than a gradient and a step. */
#include "train/network/network.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "recorder.h"
#include "train_settings.h"

#define NET                                                                                                            \
    "dataset=glyphs train_images=90 test_images=20 valid=10 batch=30 model=cnn width=4 depth=2 epochs=2 shuffle=true "

/* An epoch of one window. */
#define TEXT                                                                                                           \
    "dataset=markov model=awd_lstm nlayers=1 emsize=8 nhid=12 vocabulary=10 branches=3 train_tokens=82 "               \
    "valid_tokens=41 test_tokens=41 batch=2 bptt=40 epochs=1 vary_bptt=false "

static void *copy_of(struct pl_network *n, enum pl_arena_kind kind, size_t bytes)
{
    const char *lent = pl_net_lend(n->net, kind, PL_LEND_READ);
    void *copy = pl_copy_bytes(lent, bytes);
    pl_net_take_back(n->net, kind, PL_LEND_READ, (void *)(uintptr_t)lent);
    return copy;
}

struct view {
    void *theta;
    double *statistics;
};

static struct view view_of(struct pl_network *n)
{
    return (struct view){copy_of(n, PL_PARAMETERS, n->layout.length * pl_element_size(n->element)),
                         copy_of(n, PL_STATISTICS, pl_net_length(n->net, PL_STATISTICS) * sizeof(double))};
}

static void forget(struct view *view)
{
    free(view->theta);
    free(view->statistics);
}

static bool equal(struct pl_network *n, const void *a, const void *b, bool statistics)
{
    return !memcmp(a, b,
                   statistics ? pl_net_length(n->net, PL_STATISTICS) * sizeof(double)
                              : n->layout.length * pl_element_size(n->element));
}

/* Schedule-free methods are looked at in another point than they train in: its running statistics are found for it, the
 * same whenever that is asked for, and what training goes on from is left as it was. */
static void statistics_belong_to_the_average(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        bool moves; /* the statistics */
    } cases[] = {
        {NET "optimizer=schedule_free_sgd lambda=0.5", true},
        {NET "optimizer=schedule_free_adamw lambda=0.05 device=ref", true},
        {NET "optimizer=sgd average=on", false},
        {NET "optimizer=sgd average=ema average_decay=0.5", true},
        {NET "optimizer=sgd average=swa average_after=1 epochs=3", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pl_settings s = {0};
        struct recorder r;
        struct pl_sink sink = recorder_sink(&r);
        struct pl_network n;
        struct pl_run_result result = {0};
        struct pl_network_shown shown;
        struct pl_error err;
        settings_of(&s, cases[i].words);
        struct pl_run_request request = {.settings = &s, .seed = 1, .threads = 1};
        assert_int_equal(pl_network_open(&n, &request, &sink, &err), 0);
        assert_int_equal(pl_network_train(&n, &result, &err), 0);
        assert_true(pl_net_length(n.net, PL_STATISTICS) > 0);
        struct view before = view_of(&n);
        assert_int_equal(pl_network_show_average(&n, &shown, &err), 0);
        struct view first = view_of(&n);
        pl_network_hide_average(&n, &shown);
        struct view after = view_of(&n);
        assert_int_equal(pl_network_show_average(&n, &shown, &err), 0);
        struct view second = view_of(&n);
        pl_network_hide_average(&n, &shown);
        assert_true(equal(&n, before.theta, after.theta, false) &&
                    equal(&n, before.statistics, after.statistics, true));
        assert_true(equal(&n, first.theta, second.theta, false) &&
                    equal(&n, first.statistics, second.statistics, true));
        assert_false(equal(&n, before.theta, first.theta, false));
        assert_int_equal(equal(&n, before.statistics, first.statistics, true), !cases[i].moves);
        forget(&before);
        forget(&first);
        forget(&after);
        forget(&second);
        pl_network_close(&n);
        recorder_release(&r);
        pl_settings_release(&s);
    }
}

static void open_and_train(struct pl_network *n, const char *words, struct pl_settings *s,
                           struct pl_run_request *request, struct recorder *r, struct pl_sink *sink)
{
    struct pl_run_result result = {0};
    struct pl_error err;
    *s = (struct pl_settings){0};
    settings_of(s, words);
    *request = (struct pl_run_request){.settings = s, .seed = 1, .threads = 1};
    *sink = recorder_sink(r);
    if (pl_network_open(n, request, sink, &err) || pl_network_train(n, &result, &err))
        fail_msg("%s", err.text);
}

/* SAM's second gradient, of one batch, leaves no trace but in the weights: running statistics and the recurrent state
 * are those of the first pass, which is the pass without SAM. */
static void sam_leaves_no_trace(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {NET "batch=90 epochs=1 optimizer=sgd lambda=0.1 device=ref",
         NET "batch=90 epochs=1 optimizer=sgd lambda=0.1 device=ref sam=0.5"},
        {TEXT "optimizer=sgd lambda=1", TEXT "optimizer=sgd lambda=1 sam=0.5"},
        {TEXT "optimizer=sgd lambda=1 sam=0.5", TEXT "optimizer=sgd lambda=1 sam=0.5 sam_adaptive=true"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pl_network n[2];
        struct pl_settings s[2];
        struct pl_run_request request[2];
        struct recorder r[2];
        struct pl_sink sink[2];
        struct view view[2];
        for (int k = 0; k < 2; k++) {
            open_and_train(&n[k], cases[i][k], &s[k], &request[k], &r[k], &sink[k]);
            assert_int_equal(pl_optim_steps(n[k].optim), 1);
            view[k] = view_of(&n[k]);
        }
        assert_false(equal(&n[0], view[0].theta, view[1].theta, false));
        assert_true(equal(&n[0], view[0].statistics, view[1].statistics, true));
        if (n[0].recurrent) {
            size_t length = pl_plan_state_length(n[0].recurrent);
            double *states = pl_new(2 * length * sizeof *states);
            for (int k = 0; k < 2; k++)
                pl_plan_state_get(n[k].recurrent, states + (size_t)k * length);
            assert_memory_equal(states, states + length, length * sizeof *states);
            assert_true(states[0] != 0);
            free(states);
        } else {
            assert_true(pl_net_length(n[0].net, PL_STATISTICS) > 0);
        }
        for (int k = 0; k < 2; k++) {
            forget(&view[k]);
            pl_network_close(&n[k]);
            recorder_release(&r[k]);
            pl_settings_release(&s[k]);
        }
    }
}

enum { N = 5 };

static struct pl_optim *make(const char *words, struct pl_layout *layout)
{
    struct pl_settings s = {0};
    struct pl_optim *optim;
    struct pl_error err;
    char all[300];
    snprintf(all, sizeof all, "problem=quadratic %s", words);
    settings_of(&s, all);
    pl_layout_add(layout, (const size_t[]){2}, 1);
    pl_layout_add(layout, (const size_t[]){3}, 1);
    if (pl_optim_new(&optim, &s, layout, PL_FLOAT64, pl_random_stream(1, PL_STREAM_NOISE), 1, &err))
        fail_msg("%s", err.text);
    pl_settings_release(&s);
    return optim;
}

static size_t place(const struct pl_layout *layout, size_t i)
{
    return i < 2 ? i : layout->tensors[1].offset + i - 2;
}

/* Of sum of c_i theta_i^4 / 4. */
static double slope(size_t i, double theta)
{
    return (double)(i + 1) * theta * theta * theta;
}

static void sam_steps_by_the_gradient_uphill(void **state)
{
    (void)state;
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        struct pl_layout layout = {0};
        struct pl_optim *optim = make(adaptive ? "optimizer=sgd lambda=0.1 sam=0.3 sam_adaptive=true"
                                               : "optimizer=sgd lambda=0.1 sam=0.3",
                                      &layout);
        double theta[64] = {0}, gradient[64] = {0}, want[N];
        assert_true(pl_optim_climbs(optim));
        for (size_t i = 0; i < N; i++)
            theta[place(&layout, i)] = want[i] = 0.3 * (double)(i + 1) - 0.5;
        for (int step = 0; step < 4; step++) {
            double norm = 0;
            for (size_t i = 0; i < N; i++)
                norm += pow(slope(i, want[i]) * (adaptive ? want[i] : 1), 2);
            for (size_t i = 0; i < N; i++) {
                double way = 0.3 * slope(i, want[i]) * (adaptive ? want[i] * want[i] : 1) / (sqrt(norm) + 1e-12);
                want[i] -= 0.1 * slope(i, want[i] + way);
            }
            for (size_t i = 0; i < N; i++)
                gradient[place(&layout, i)] = slope(i, theta[place(&layout, i)]);
            pl_optim_climb(optim, theta, gradient);
            for (size_t i = 0; i < N; i++)
                gradient[place(&layout, i)] = slope(i, theta[place(&layout, i)]);
            pl_optim_step(optim, theta, gradient, NULL);
            for (size_t i = 0; i < N; i++)
                assert_true(fabs(theta[place(&layout, i)] - want[i]) < 1e-14);
        }
        pl_optim_free(optim);
        pl_layout_release(&layout);
    }
}

static void lookahead_goes_back(void **state)
{
    (void)state;
    struct pl_layout layout = {0};
    struct pl_optim *optim = make("optimizer=sgd lambda=0.1 lookahead=3 lookahead_alpha=0.4", &layout);
    double theta[64] = {0}, gradient[64] = {0}, want[N], slow[N];
    assert_false(pl_optim_climbs(optim));
    for (size_t i = 0; i < N; i++)
        theta[place(&layout, i)] = want[i] = slow[i] = (double)i - 1.5;
    for (int step = 1; step <= 10; step++) {
        for (size_t i = 0; i < N; i++) {
            gradient[place(&layout, i)] = (double)(i + (size_t)step);
            want[i] -= 0.1 * (double)(i + (size_t)step);
            if (step % 3 == 0)
                want[i] = slow[i] += 0.4 * (want[i] - slow[i]);
        }
        pl_optim_step(optim, theta, gradient, NULL);
        for (size_t i = 0; i < N; i++)
            assert_true(fabs(theta[place(&layout, i)] - want[i]) < 1e-14);
    }
    pl_optim_free(optim);
    pl_layout_release(&layout);
}

/* Some steps of a matrix and a vector; false where the settings are refused. */
static bool step_both(const char *words, struct pl_layout *layout, double theta[64])
{
    struct pl_settings s = {0};
    struct pl_optim *optim;
    struct pl_error err;
    double gradient[64] = {0};
    settings_of(&s, words);
    pl_layout_add(layout, (const size_t[]){3, 2}, 2);
    pl_layout_add(layout, (const size_t[]){N}, 1);
    int status = pl_optim_new(&optim, &s, layout, PL_FLOAT64, pl_random_stream(1, PL_STREAM_NOISE), 1, &err);
    pl_settings_release(&s);
    if (status)
        return false;
    for (size_t i = 0; i < 64; i++)
        theta[i] = 1 + 0.1 * (double)(i % 7);
    for (int step = 0; step < 12; step++) {
        for (size_t i = 0; i < 64; i++)
            gradient[i] = sin((double)i * (step + 1)) * 0.3 + 0.1;
        pl_optim_step(optim, theta, gradient, NULL);
    }
    pl_optim_free(optim);
    return true;
}

/* decay_on: matrices is weight decay for the matrix and none for the vector, whatever kind of decay an optimizer has.
 */
static void decay_spares_vectors(void **state)
{
    (void)state;
    size_t checked = 0;
    for (size_t i = 0; i < pl_optim_count(); i++) {
        const struct pl_optimizer_info *info = pl_optim_info(i);
        static const char *const forms[] = {"decay_on=matrices weight_decay=0.3", "weight_decay=0", "weight_decay=0.3"};
        const bool decays = pl_setting_find(info->settings, info->setting_count, "weight_decay");
        double theta[3][64];
        for (int k = 0; k < 3; k++) {
            struct pl_layout layout = {0};
            char words[200];
            const char *more = !strcmp(info->name, "muon") ? k == 1 ? "adamw_weight_decay=0" : "adamw_weight_decay=0.2"
                                                           : "";
            snprintf(words, sizeof words, "problem=quadratic optimizer=%s %s %s", info->name,
                     decays   ? forms[k]
                     : k == 0 ? "decay_on=matrices"
                              : "",
                     more);
            assert_int_equal(step_both(words, &layout, theta[k]), decays || k > 0);
            pl_layout_release(&layout);
        }
        if (!decays || pl_has_word("prodigy tusla", info->name)) /* whose steps depend on all tensors together */
            continue;
        for (size_t at = 0; at < 6; at++)
            if (!(fabs(theta[0][at] - theta[2][at]) <= 1e-13 * fabs(theta[2][at])))
                fail_msg("%s: the matrix does not decay as it does without decay_on", info->name);
        for (size_t at = 32; at < 32 + N; at++)
            if (!(fabs(theta[0][at] - theta[1][at]) <= 1e-13 * fabs(theta[1][at])))
                fail_msg("%s: the vector decays", info->name);
        if (theta[0][32] == theta[2][32])
            fail_msg("%s: weight decay does nothing", info->name);
        checked++;
    }
    assert_true(checked > 30);
}

/* One step of one parameter. */
static double one_step(const char *words, double theta, double gradient)
{
    struct pl_settings s = {0};
    struct pl_layout layout = {0};
    struct pl_optim *optim;
    struct pl_error err;
    double t[32] = {theta}, g[32] = {gradient};
    char all[300];
    snprintf(all, sizeof all, "problem=quadratic lambda=0.1 %s", words);
    settings_of(&s, all);
    pl_layout_add(&layout, (const size_t[]){1, 1}, 2);
    if (pl_optim_new(&optim, &s, &layout, PL_FLOAT64, pl_random_stream(1, PL_STREAM_NOISE), 1, &err))
        fail_msg("%s", err.text);
    pl_optim_step(optim, t, g, NULL);
    pl_optim_free(optim);
    pl_layout_release(&layout);
    pl_settings_release(&s);
    return t[0];
}

static void assert_near(const char *what, double got, double want)
{
    if (!(fabs(got - want) <= 1e-13 * fabs(want)))
        fail_msg("%s: %.17g is not %.17g", what, got, want);
}

/* Decoupled decay is theta scaled before the step. */
static void decoupled_decay_scales_theta(void **state)
{
    (void)state;
    static const char *const names[] = {"adabound", "adadelta", "adagrad", "adamax", "adamw",  "amsbound", "msvag",
                                        "nadam",    "radam",    "rmsprop", "sgd",    "signum", "swats",    "yogi"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char with[200], without[200];
        const bool always = !strcmp(names[i], "adamw");
        snprintf(with, sizeof with, "optimizer=%s weight_decay=0.4%s", names[i], always ? "" : " decouple=true");
        snprintf(without, sizeof without, "optimizer=%s weight_decay=0", names[i]);
        assert_near(names[i], one_step(with, 2, 0.3), one_step(without, 2 * (1 - 0.1 * 0.4), 0.3));
        if (!always) { /* and L2 is another gradient */
            snprintf(with, sizeof with, "optimizer=%s weight_decay=0.4 decouple=false", names[i]);
            assert_near(names[i], one_step(with, 2, 0.3), one_step(without, 2, 0.3 + 0.4 * 2));
        }
    }
    assert_near("fixed", one_step("optimizer=adamw weight_decay=0.04 fixed_decay=true", 2, 0.3),
                one_step("optimizer=adamw weight_decay=0.4", 2, 0.3));
}

/* Of first steps from 0, by hand. */
static void epsilon_stands_where_it_is_put(void **state)
{
    (void)state;
    const double g = 0.3, e = 0.05;
    assert_near("adam", one_step("optimizer=adam epsilon=0.05", 0, g), -0.1 * g / (g + e));
    assert_near("adam, root", one_step("optimizer=adam epsilon=0.05 epsilon_in=root", 0, g),
                -0.1 * g / sqrt(g * g + e));
    assert_near("adam, uncorrected", one_step("optimizer=adamw epsilon=0.05 epsilon_in=uncorrected beta2=0.75", 0, g),
                -0.1 * g * 0.5 / (0.5 * g + e));
    assert_near("amsgrad", one_step("optimizer=amsgrad epsilon=0.05 epsilon_in=root", 0, g),
                -0.1 * g / sqrt(g * g + e));
    assert_near("rmsprop", one_step("optimizer=rmsprop epsilon=0.05 epsilon_in=root alpha=0.75", 0, g),
                -0.1 * g / sqrt(0.25 * g * g + e));
    assert_near("adagrad", one_step("optimizer=adagrad epsilon=0.05 epsilon_in=root", 0, g),
                -0.1 * g / sqrt(g * g + e));
}

static void averages_are_what_they_say(void **state)
{
    (void)state;
    struct pl_layout layout = {0}, same = {0};
    struct pl_optim *ema = make("optimizer=sgd lambda=0.1 average=ema average_decay=0.75", &layout);
    struct pl_optim *swa = make("optimizer=sgd lambda=0.1 average=swa average_after=2", &same);
    double theta[64] = {0}, other[64] = {0}, gradient[64] = {0}, mean = 0, ends = 0;
    assert_null(pl_optim_average(ema));
    for (uint64_t step = 1; step <= 12; step++) {
        gradient[0] = (double)step;
        pl_optim_step(ema, theta, gradient, NULL);
        gradient[0] = (double)step;
        pl_optim_step(swa, other, gradient, NULL);
        mean = step == 1 ? theta[0] : 0.75 * mean + 0.25 * theta[0];
        assert_near("ema", ((const double *)pl_optim_average(ema))[0], mean);
        if (step % 3)
            continue;
        for (int twice = 0; twice < 2; twice++) /* as a run that was interrupted in its measures tells it */
            pl_optim_epoch_ends(swa, other, step / 3);
        assert_int_equal(pl_optim_average(swa) != NULL, step > 6);
        ends += step > 6 ? other[0] : 0;
        if (step > 6)
            assert_near("swa", ((const double *)pl_optim_average(swa))[0], ends / (double)(step / 3 - 2));
    }
    pl_optim_free(ema);
    pl_optim_free(swa);
    pl_layout_release(&layout);
    pl_layout_release(&same);
}

/* Steps of a matrix and a vector of floats that begin at start, all gradients alike but the last element's in the
 * vector. */
static void take_extremes(const char *words, float start, float slope, float last, float theta[64])
{
    struct pl_settings s = {0};
    struct pl_layout layout = {0};
    struct pl_optim *optim;
    struct pl_error err;
    float gradient[64];
    settings_of(&s, words);
    pl_layout_add(&layout, (const size_t[]){3, 2}, 2);
    pl_layout_add(&layout, (const size_t[]){N}, 1);
    if (pl_optim_new(&optim, &s, &layout, PL_FLOAT32, pl_random_stream(1, PL_STREAM_NOISE), 1, &err))
        fail_msg("%s", err.text);
    pl_settings_release(&s);
    for (size_t i = 0; i < 64; i++)
        theta[i] = start;
    for (int step = 0; step < 6; step++) {
        for (size_t i = 0; i < 64; i++)
            gradient[i] = i == 31 + N ? last : slope;
        pl_optim_step(optim, theta, gradient, NULL);
    }
    pl_optim_free(optim);
    pl_layout_release(&layout);
}

/* Gradients of 0 and tiny ones keep every optimizer finite, from 0 and from elsewhere; one that is not a number shows.
 */
static void extremes_make_no_nonsense(void **state)
{
    (void)state;
    static const float starts[] = {0, 1, -1000}, slopes[] = {0, 1e-30F, -1e-36F, 1};
    for (size_t i = 0; i < pl_optim_count(); i++) {
        const char *name = pl_optim_info(i)->name;
        char words[100];
        float theta[64];
        snprintf(words, sizeof words, "problem=quadratic optimizer=%s", name);
        for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
            for (size_t j = 0; j < sizeof slopes / sizeof *slopes; j++) {
                take_extremes(words, starts[k], slopes[j], slopes[j], theta);
                for (size_t at = 0; at < 32 + N; at++)
                    if ((at < 6 || at >= 32) && !isfinite(theta[at]))
                        fail_msg("%s: %g from %g with gradients %g", name, (double)theta[at], (double)starts[k],
                                 (double)slopes[j]);
            }
        take_extremes(words, 1, 0.5F, NAN, theta);
        if (!isnan(theta[31 + N]))
            fail_msg("%s: a gradient that is not a number leaves %g", name, (double)theta[31 + N]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extremes_make_no_nonsense),
        cmocka_unit_test(averages_are_what_they_say),
        cmocka_unit_test(decoupled_decay_scales_theta),
        cmocka_unit_test(epsilon_stands_where_it_is_put),
        cmocka_unit_test(decay_spares_vectors),
        cmocka_unit_test(sam_leaves_no_trace),
        cmocka_unit_test(sam_steps_by_the_gradient_uphill),
        cmocka_unit_test(lookahead_goes_back),
        cmocka_unit_test(statistics_belong_to_the_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
