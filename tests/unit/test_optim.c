/* The optimizers as their callers see them. That the formulas are right is golden-optim's business. */
#include "optim_parts.h"

static void descriptors_are_complete(void **state)
{
    static const char *const published[] = {
        "adabelief", "adabound", "adagrad", "adam",    "adamp", "adamw", "amsbound", "amsgrad",   "asgd",  "fromage",
        "msvag",     "nt_asgd",  "radam",   "rmsprop", "sgd",   "sgld",  "swats",    "theopoula", "tusla", "yogi"};
    (void)state;
    size_t common_count;
    const struct pl_setting *common = pl_optim_common_settings(&common_count);
    for (size_t i = 0; i < sizeof published / sizeof *published;
         i++) /* new ones may join; databases have runs of these */
        if (!pl_optim_find(published[i]))
            fail_msg("there is no optimizer %s any more", published[i]);
    for (size_t i = 0; i < pl_optim_count(); i++) {
        const struct pl_optimizer_info *info = pl_optim_info(i);
        assert_ptr_equal(pl_optim_find(info->name), info);
        assert_true(i == 0 || strcmp(pl_optim_info(i - 1)->name, info->name) < 0);
        assert_true(strlen(info->help) > 10 && info->help[strlen(info->help) - 1] != '.');
        assert_string_equal(pl_setting_find(info->settings, info->setting_count, "lr")->key, "lambda");
        assert_string_equal(pl_setting_find(info->settings, info->setting_count, "λ")->key, "lambda");
        for (size_t k = 0; k < info->setting_count + common_count; k++) {
            const struct pl_setting *s = k < info->setting_count ? &info->settings[k]
                                                                 : &common[k - info->setting_count];
            struct pl_value value;
            struct pl_error err;
            assert_non_null(s->initial);
            assert_true(strlen(s->help) > 7);
            if (*s->initial && pl_setting_read(s, s->initial, &value, &err))
                fail_msg("%s: %s", info->name, err.text);
            assert_true(k >= info->setting_count || !pl_setting_find(common, common_count, s->key));
        }
    }
    assert_null(pl_optim_find("adamant"));
}

static void ranges_are_the_legal_ones(void **state)
{
    (void)state;
    static const struct {
        const char *optimizer, *key, *bad, *good;
    } cases[] = {
        {"adam", "lambda", "0", "1e-300"},
        {"adam", "lambda", ".inf", "100"},
        {"adam", "beta1", "1", "0"},
        {"theopoula", "epsilon", "-1", ".inf"},
        {"theopoula", "beta", "0", ".inf"},
        {"theopoula", "eta", "-0.1", "0"},
        {"theopoula", "variant", "pure", "paper"},
        {"adam", "epsilon", ".inf", "0"},
        {"rmsprop", "alpha", "1", "0.5"},
        {"nt_asgd", "nonmono", "0", "1"},
        {"adabound", "gamma", "0", "0.5"},
        {"sgd", "average", "true", "nonmono"},
        {"sgd", "weight_decay", "-1", "0"},
        {"sgd", "nesterov", "1", "true"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct pl_setting *s = setting_of(cases[i].optimizer, cases[i].key);
        struct pl_value value;
        struct pl_error err;
        assert_non_null(s);
        assert_int_equal(pl_setting_read(s, cases[i].bad, &value, &err), PL_EINPUT);
        assert_int_equal(pl_setting_read(s, cases[i].good, &value, &err), 0);
    }
}

static void illegal_requests_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"sgd nesterov=true",
                                      "sgd nesterov=true momentum=0.9 dampening=0.1",
                                      "asgd average=on",
                                      "nt_asgd average=patience",
                                      "schedule_free_sgd lookahead=5",
                                      "sghmc friction=0.1 noise_estimate=0.2",
                                      "rprop step_min=1 step_max=0.5"};
    struct pl_layout layout = {0};
    struct pl_error err;
    struct pl_optim *optim = NULL;
    struct pl_random noise = {{0, 0}};
    add_tensors(&layout, 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pl_settings settings = {0};
        read_form(bad[i], &settings);
        assert_int_equal(pl_optim_new(&optim, &settings, &layout, PL_FLOAT32, noise, 1, &err), PL_EINPUT);
        assert_true(strlen(err.text) > 20);
        pl_settings_release(&settings);
    }
    struct pl_settings settings = {0};
    assert_int_equal(pl_optim_new(&optim, &settings, &layout, PL_FLOAT32, noise, 1, &err), PL_EINPUT);
    pl_settings_set_string(&settings, "optimizer", "adamant");
    assert_int_equal(pl_optim_new(&optim, &settings, &layout, PL_FLOAT32, noise, 1, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "adamant"));
    pl_settings_set_string(&settings, "optimizer", "adam");
    layout.length = SIZE_MAX / 64 * 32;
    assert_int_equal(pl_optim_new(&optim, &settings, &layout, PL_FLOAT32, noise, 1, &err), PL_EMEMORY);
    assert_null(optim);
    pl_settings_release(&settings);
    pl_layout_release(&layout);
    pl_optim_free(NULL);
}

/* One parameter, one step. */
static double single(const char *form, enum pl_element element, double theta, double gradient)
{
    struct pl_settings settings = {0};
    struct pl_layout layout = {0};
    struct pl_optim *optim;
    struct pl_error err;
    double t[32] = {theta}, g[32] = {gradient};
    float tf[32] = {(float)theta}, gf[32] = {(float)gradient};
    read_form(form, &settings);
    pl_layout_add(&layout, (const size_t[]){1}, 1);
    assert_int_equal(pl_optim_new(&optim, &settings, &layout, element, pl_random_stream(1, PL_STREAM_NOISE), 1, &err),
                     0);
    pl_optim_step(optim, element == PL_FLOAT32 ? (void *)tf : (void *)t, element == PL_FLOAT32 ? (void *)gf : (void *)g,
                  NULL);
    pl_optim_free(optim);
    pl_layout_release(&layout);
    pl_settings_release(&settings);
    return element == PL_FLOAT32 ? (double)tf[0] : t[0];
}

static void extremes_have_their_limits(void **state)
{
    (void)state;
    const double root = sqrt(0.1);
    static const double huge[] = {1e16, 1e19, 1e20, 1e30, 3e38};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) { /* a tamed step is sqrt(lambda) long */
        assert_near(single("theopoula beta=inf epsilon=0.01", PL_FLOAT32, 1, huge[i]), 1 - root, 1e-6);
        assert_near(single("theopoula beta=inf epsilon=inf", PL_FLOAT32, 1, -huge[i]), 1 + root, 1e-6);
        assert_near(single("theopoula beta=inf epsilon=0.01", PL_FLOAT64, 1, huge[i]), 1 - root, 1e-12);
    }
    assert_near(single("theopoula beta=inf lambda=1e-10", PL_FLOAT32, 0, 1e30), -1e-5, 1e-11);
    assert_near(single("theopoula beta=inf lambda=1e4 epsilon=1", PL_FLOAT32, 0, 1e30), -100, 1e-6);
    assert_near(single("theopoula beta=inf epsilon=0.01", PL_FLOAT64, 1, 1e300), 1 - root, 1e-12);
    assert_near(single("theopoula beta=inf epsilon=0.01", PL_FLOAT64, 1, INFINITY), 1 - root, 1e-12);
    assert_true(isnan(single("theopoula beta=inf", PL_FLOAT32, 1, NAN)));
    for (int p = PL_FLOAT32; p <= PL_FLOAT64; p++) {
        enum pl_element element = (enum pl_element)p;
        assert_near(single("theopoula beta=inf epsilon=0", element, 1, 0), 1, 0); /* not 0/0 */
        assert_near(single("theopoula beta=inf epsilon=0", element, 1, 1e-20), 1 - 0.1 * root, 1e-6);
        /* N = |theta|^20 = 1e100: eta / (1/N + s) is eta / s */
        assert_near(single("theopoula beta=inf r=10 eta=0.1", element, 1e5, 0), 1e5 * (1 - 0.01 / root), 1e-6);
        assert_near(single("theopoula beta=inf r=200 eta=0.1", element, 1e5, 0), 1e5 * (1 - 0.01 / root), 1e-6);
        assert_near(single("theopoula beta=inf r=10 eta=0.1", element, 0, 0), 0, 0);
        assert_near(single("theopoula beta=inf r=0 eta=0.1", element, 2, 0), 2 * (1 - 0.01 / (1 + root)), 1e-6);
        assert_near(single("tusla beta=inf r=10 eta=0.1", element, 1e5, 1), 1e5 * (1 - 0.01 / root), 1e-6);
        assert_near(single("tusla beta=inf r=2 eta=0.1", element, 0, 3), -0.3, 1e-6);
        assert_near(single("theopoula beta=1 variant=official weight_decay=0", element, 1, 0), 1, 0); /* no noise */
        assert_true(single("theopoula beta=1 variant=paper", element, 1, 0) != 1);
        assert_near(single("fromage lambda=1", element, 0, 2), -2 / sqrt(2), 1e-6);
        assert_near(single("fromage lambda=1", element, 2, 0), 2 / sqrt(2), 1e-6);
        assert_near(single("msvag", element, 3, 5), 3, 1e-6);
    }
}

/* The coefficient of theta inside the taming. */
static double inside(const char *form, double norm2, double rate)
{
    if (strstr(form, "weight_decay=0.5"))
        return 0.5;
    return strstr(form, "eta=0.4") ? 0.4 / (1 / pow(norm2, 0.1) + sqrt(rate)) : 0;
}

static void fill(struct pl_settings *settings)
{
    const struct pl_optimizer_info *info = pl_optim_find(pl_settings_string(settings, "optimizer", ""));
    pl_settings_fill(settings, info->settings, info->setting_count);
}

static void check_shares(const char *form, double epsilon, enum pl_element element)
{
    struct run one;
    struct pl_settings settings = {0};
    struct pl_share_rule rule;
    double shares[PL_SHARES], again[PL_SHARES], want[PL_SHARES] = {0}, norm2 = 0, count = 0;
    read_form(form, &settings);
    fill(&settings);
    assert_true(pl_share_rule_read(&rule, &settings));
    pl_settings_release(&settings);
    start(&one, form, element, 1, 64); /* tensors large enough for threads */
    take_step(&one, 1, NULL);          /* leaves its gradient behind */
    double rate = pl_optim_rate(one.optim), root = sqrt(rate);
    void *before = pl_arena(one.layout.length, one.size);
    memcpy(before, one.theta, one.layout.length * one.size);
    pl_shares_find(&rule, rate, &one.layout, element, one.theta, one.gradient, 1, shares);
    pl_shares_find(&rule, rate, &one.layout, element, one.theta, one.gradient, 3, again);
    assert_memory_equal(shares, again, sizeof shares);
    for (size_t t = 0; t < one.layout.count; t++)
        for (size_t i = one.layout.tensors[t].offset, k = 0; k < one.layout.tensors[t].count; k++, i++, count++)
            norm2 += get(&one, before, i) * get(&one, before, i);
    double *sizes = pl_new(one.layout.length * sizeof *sizes), decay = inside(form, norm2, rate);
    for (size_t i = 0; i < one.layout.length; i++)
        sizes[i] = fabs(get(&one, one.gradient, i) + decay * get(&one, before, i));
    pl_optim_step(one.optim, one.theta, one.gradient, NULL);
    for (size_t t = 0; t < one.layout.count; t++)
        for (size_t i = one.layout.tensors[t].offset, k = 0; k < one.layout.tensors[t].count; k++, i++) {
            want[PL_SHARE_TAMED] += (1 + root * sizes[i] > 2) / count;
            want[PL_SHARE_BOOSTED] += (1 + root / (epsilon + sizes[i]) > 2) / count;
            want[PL_SHARE_STEP] += fabs(get(&one, one.theta, i) - get(&one, before, i)) / count;
        }
    assert_near(shares[PL_SHARE_TAMED], want[PL_SHARE_TAMED], 1e-12);
    assert_near(shares[PL_SHARE_BOOSTED], want[PL_SHARE_BOOSTED], 1e-12);
    assert_near(shares[PL_SHARE_STEP], want[PL_SHARE_STEP], element == PL_FLOAT32 ? 1e-6 : 1e-12);
    assert_true(shares[PL_SHARE_TAMED] > 0.02 && shares[PL_SHARE_TAMED] < 0.98);
    assert_true(isinf(epsilon) ? shares[PL_SHARE_BOOSTED] == 0 : shares[PL_SHARE_BOOSTED] > 0.02);
    assert_true(shares[PL_SHARE_BOOSTED] < 0.98);
    free(before);
    free(sizes);
    finish(&one);
}

static void shares_are_those_of_the_step(void **state)
{
    (void)state;
    static const struct {
        const char *form;
        double epsilon;
    } cases[] = {{"theopoula beta=inf lambda=0.6 epsilon=0.2", 0.2},
                 {"theopoula beta=inf lambda=0.6 epsilon=inf", INFINITY},
                 {"theopoula beta=inf lambda=0.6 epsilon=0", 0},
                 {"theopoula beta=inf lambda=0.6 sync_epsilon=true", 0.6},
                 {"theopoula beta=inf lambda=0.6 epsilon=0.1 weight_decay=0.5", 0.1},
                 {"theopoula beta=inf lambda=0.6 epsilon=0.1 variant=official eta=0.4 r=0.1", 0.1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int p = PL_FLOAT32; p <= PL_FLOAT64; p++)
            check_shares(cases[i].form, cases[i].epsilon, (enum pl_element)p);
    for (size_t i = 0; i < FORMS; i++) {
        struct pl_settings settings = {0};
        struct pl_share_rule rule;
        read_form(forms[i], &settings);
        fill(&settings);
        assert_int_equal(pl_share_rule_read(&rule, &settings), !strncmp(forms[i], "theopoula", 9));
        pl_settings_release(&settings);
    }
}

static void a_schedule_scales_the_rate_swats_chose(void **state)
{
    (void)state;
    struct run run;
    start(&run, "swats beta1=0.9 beta2=0 lambda=0.02 epsilon=0.001", PL_FLOAT64, 1, 1);
    train(&run, 1, 4, NULL);
    double chosen = pl_optim_rate(run.optim);
    assert_true(chosen != 0.02);
    pl_optim_set_rate(run.optim, 0.02);
    assert_near(pl_optim_rate(run.optim), chosen, 0);
    pl_optim_set_rate(run.optim, 0.002);
    assert_near(pl_optim_rate(run.optim), 0.1 * chosen, 1e-15);
    finish(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_are_complete),     cmocka_unit_test(ranges_are_the_legal_ones),
        cmocka_unit_test(illegal_requests_are_refused), cmocka_unit_test(extremes_have_their_limits),
        cmocka_unit_test(shares_are_those_of_the_step), cmocka_unit_test(a_schedule_scales_the_rate_swats_chose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
