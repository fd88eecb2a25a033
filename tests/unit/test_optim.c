/* The optimizers as their callers see them. That the formulas are right is golden-optim's business. */
#include "optim/shares.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Every optimizer in the forms that keep state of their own. */
static const char *const forms[] = {
    "adabelief",
    "adabelief amsgrad=true rectify=true beta2=0.9",
    "adabound average=patience average_after=1",
    "adadelta",
    "adafactor weight_decay=0.1",
    "adafactor variant=published beta1=0.9 average=on",
    "adagrad rate_decay=0.1 average=on",
    "adam",
    "adam average=nonmono average_after=1",
    "adam average=ema average_decay=0.9",
    "adam lookahead=2 average=on",
    "adamax weight_decay=0.1",
    "adamp nesterov=true delta=3",
    "adamp average=on",
    "adamw amsgrad=true",
    "adan weight_decay=0.1",
    "ademamix ramp=7 average=on",
    "adopt weight_decay=0.1 decouple=true",
    "amsbound",
    "amsgrad",
    "asgd t0=3 kappa=0.01",
    "fromage",
    "lamb always_adapt=true weight_decay=0.1 trust_clip=true",
    "lamb variant=published debias=true weight_decay=0.1",
    "lars weight_decay=0.1 momentum=0.9 nesterov=true",
    "lion weight_decay=0.1",
    "msvag",
    "muon",
    "muon nesterov=false adjust=match_rms_adamw average=on",
    "nadam momentum_decay=0.1",
    "nadam variant=nadamw weight_decay=0.1",
    "nt_asgd lambda=0.1 nonmono=1",
    "prodigy d0=0.01 bias_correction=true weight_decay=0.1",
    "psgld beta=1e4 weight_decay=0.1",
    "radam beta2=0.8 lambda=0.05",
    "rmsprop centered=true momentum=0.9",
    "rmsprop momentum=0.5",
    "rprop",
    "rmsprop momentum=0.5 lookahead=5 lookahead_alpha=0.8",
    "schedule_free_adamw warmup_steps=5 weight_decay=0.1 lambda=0.01",
    "schedule_free_sgd lambda=0.1 step_power=1",
    "sgd momentum=0.9 dampening=0.1",
    "sgd momentum=0.9 weight_decay=0.1 decouple=true nesterov=true",
    "sgd",
    "sghmc beta=1e4 friction=0.3 noise_estimate=0.1 average=on",
    "sgld beta=1000 average=patience average_after=1",
    "shampoo refresh=3 momentum=0.5 weight_decay=0.1 max_dimension=100",
    "shampoo first_root=late refresh=2 max_dimension=40 average=on",
    "signum momentum=0.9 weight_decay=0.1",
    "signum momentum=0 decouple=false weight_decay=0.1",
    "soap refresh=2 max_dimension=100 weight_decay=0.1",
    "soap refresh=1 max_dimension=40 precondition_1d=true normalize_gradient=true",
    "swats beta1=0.9 beta2=0 lambda=0.02 epsilon=0.001",
    "swats beta1=0.6 beta2=0 lambda=0.02 nesterov=true amsgrad=true",
    "theopoula beta=1e4 eta=0.01 r=0.5",
    "theopoula beta=1e4 epsilon=inf variant=official weight_decay=0.1 average=on",
    "theopoula beta=inf eta=0.1 r=10",
    "tusla beta=1e4 eta=0.01",
    "yogi",
};
enum { FORMS = sizeof forms / sizeof *forms, MOST_ARRAYS = 16 };

static const struct pl_setting *setting_of(const char *optimizer, const char *key)
{
    size_t count;
    const struct pl_setting *common = pl_optim_common_settings(&count);
    const struct pl_optimizer_info *info = pl_optim_find(optimizer);
    assert_non_null(info);
    const struct pl_setting *own = pl_setting_find(info->settings, info->setting_count, key);
    return own ? own : pl_setting_find(common, count, key);
}

/* "sgd momentum=0.9" as settings. */
static void read_form(const char *form, struct pl_settings *settings)
{
    size_t length;
    char *name = NULL;
    for (const char *w = form; (w = pl_next_word(w, &length)); w += length) {
        char *word = pl_copy_bytes(w, length), *equals = strchr(word, '=');
        if (!equals) {
            name = word;
            pl_settings_set_string(settings, "optimizer", name);
            continue;
        }
        *equals = '\0';
        struct pl_value value;
        struct pl_error err;
        const struct pl_setting *setting = setting_of(name, word);
        assert_non_null(setting);
        if (pl_setting_read(setting, equals + 1, &value, &err))
            fail_msg("%s", err.text);
        pl_settings_set(settings, setting->key, value);
        free(word);
    }
    free(name);
}

/* A training run with made-up gradients. */
struct run {
    struct pl_layout layout;
    struct pl_optim *optim;
    enum pl_element element;
    size_t size;
    double rate; /* initial */
    void *theta, *gradient;
};

static void add_tensors(struct pl_layout *layout, size_t scale)
{
    pl_layout_add(layout, (const size_t[]){7 * scale, 13, 3}, 3);
    pl_layout_add(layout, (const size_t[]){37}, 1);
    pl_layout_add(layout, (const size_t[]){1}, 1);
    pl_layout_add(layout, (const size_t[]){3, 601 * scale}, 2);
    pl_layout_add(layout, (const size_t[]){1025 * scale}, 1);
}

/* A made-up number in (-2, 2), by splitmix64. */
static double mix(uint64_t i, uint64_t step)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15 + step * 0xd1342543de82ef95;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-51 - 2;
}

static void put(struct run *run, void *arena, size_t i, double value)
{
    if (run->element == PL_FLOAT32)
        ((float *)arena)[i] = (float)value;
    else
        ((double *)arena)[i] = value;
}

static double get(const struct run *run, const void *arena, size_t i)
{
    return run->element == PL_FLOAT32 ? (double)((const float *)arena)[i] : ((const double *)arena)[i];
}

/* Padding holds NaN from the start: whatever reads it shows. */
static void start(struct run *run, const char *form, enum pl_element element, int threads, size_t scale)
{
    struct pl_settings settings = {0};
    struct pl_error err;
    *run = (struct run){.element = element, .size = element == PL_FLOAT32 ? sizeof(float) : sizeof(double)};
    add_tensors(&run->layout, scale);
    read_form(form, &settings);
    if (pl_optim_new(&run->optim, &settings, &run->layout, element, pl_random_stream(1, PL_STREAM_NOISE), threads,
                     &err))
        fail_msg("%s: %s", form, err.text);
    pl_settings_release(&settings);
    run->rate = pl_optim_rate(run->optim);
    run->theta = pl_arena(run->layout.length, run->size);
    run->gradient = pl_arena(run->layout.length, run->size);
    for (size_t i = 0; i < run->layout.length; i++) {
        put(run, run->theta, i, NAN);
        put(run, run->gradient, i, NAN);
    }
    for (size_t t = 0; t < run->layout.count; t++)
        for (size_t k = 0; k < run->layout.tensors[t].count; k++)
            put(run, run->theta, run->layout.tensors[t].offset + k, mix(k, t));
}

static void finish(struct run *run)
{
    pl_optim_free(run->optim);
    pl_layout_release(&run->layout);
    free(run->theta);
    free(run->gradient);
}

static void take_step(struct run *run, uint64_t step, const void *xi)
{
    for (size_t t = 0; t < run->layout.count; t++) {
        const struct pl_tensor *tensor = &run->layout.tensors[t];
        for (size_t k = 0; k < tensor->count; k++)
            put(run, run->gradient, tensor->offset + k,
                mix(tensor->offset + k, 0) * (1 + 0.1 * (double)(step % 3)) + 0.01 * mix(k, step));
    }
    pl_optim_set_rate(run->optim, run->rate * (step >= 9 ? 0.5 : 1));
    pl_optim_step(run->optim, run->theta, run->gradient, xi);
}

/* Steps first..last, an epoch of two steps each; validation gets worse from the first epoch on. */
static void train(struct run *run, uint64_t first, uint64_t last, const void *xi)
{
    for (uint64_t step = first; step <= last; step++) {
        take_step(run, step, xi);
        if (step % 2 == 0)
            pl_optim_validated(run->optim, (double)step);
    }
}

static void assert_same_run(const struct run *a, const struct run *b, const char *what)
{
    const void *average_a = pl_optim_average(a->optim), *average_b = pl_optim_average(b->optim);
    assert_true((average_a != NULL) == (average_b != NULL));
    for (size_t t = 0; t < a->layout.count; t++) {
        size_t from = a->layout.tensors[t].offset * a->size, bytes = a->layout.tensors[t].count * a->size;
        if (memcmp((char *)a->theta + from, (char *)b->theta + from, bytes))
            fail_msg("%s: theta differs in tensor %zu", what, t);
        if (average_a && memcmp((const char *)average_a + from, (const char *)average_b + from, bytes))
            fail_msg("%s: the average differs in tensor %zu", what, t);
    }
}

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

/* Copies of all state, as a checkpoint would hold them. */
struct snapshot {
    struct pl_optim_array arrays[MOST_ARRAYS];
    size_t count;
};

static size_t bytes_of(const struct pl_optim_array *array)
{
    return array->count * (array->kind == 'f' ? sizeof(float) : sizeof(double));
}

static void save(struct pl_optim *optim, struct snapshot *saved)
{
    saved->count = pl_optim_state(optim, saved->arrays, MOST_ARRAYS);
    assert_true(saved->count <= MOST_ARRAYS);
    for (size_t i = 0; i < saved->count; i++)
        saved->arrays[i].data = pl_copy_bytes(saved->arrays[i].data, bytes_of(&saved->arrays[i]));
}

static void restore(struct pl_optim *optim, struct snapshot *saved)
{
    struct pl_optim_array arrays[MOST_ARRAYS];
    assert_int_equal(pl_optim_state(optim, arrays, MOST_ARRAYS), saved->count);
    for (size_t i = 0; i < saved->count; i++) {
        assert_string_equal(arrays[i].name, saved->arrays[i].name);
        assert_int_equal(arrays[i].count, saved->arrays[i].count);
        assert_int_equal(arrays[i].kind, saved->arrays[i].kind);
        memcpy(arrays[i].data, saved->arrays[i].data, bytes_of(&arrays[i]));
        free(saved->arrays[i].data);
    }
}

/* Stops after each of the first steps and goes on in a fresh optimizer, whose settings and state are all it has. */
static void restored_state_continues_with_the_same_bits(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (int element = PL_FLOAT32; element <= PL_FLOAT64; element++) {
            struct run whole;
            start(&whole, forms[f], (enum pl_element)element, 1, 1);
            train(&whole, 1, 12, NULL);
            for (uint64_t stop = 1; stop < 12; stop++) {
                struct run before, after;
                struct snapshot saved;
                start(&before, forms[f], (enum pl_element)element, 1, 1);
                start(&after, forms[f], (enum pl_element)element, 1, 1);
                train(&before, 1, stop, NULL);
                save(before.optim, &saved);
                restore(after.optim, &saved);
                memcpy(after.theta, before.theta, before.layout.length * before.size);
                assert_int_equal(pl_optim_steps(after.optim), stop);
                train(&after, stop + 1, 12, NULL);
                assert_same_run(&whole, &after, forms[f]);
                finish(&before);
                finish(&after);
            }
            finish(&whole);
        }
}

static void threads_make_no_difference(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (int element = PL_FLOAT32; element <= PL_FLOAT64; element++) {
            struct run one;
            start(&one, forms[f], (enum pl_element)element, 1, 11);
            train(&one, 1, 5, NULL);
            for (int threads = 2; threads <= 3; threads++) {
                struct run more;
                start(&more, forms[f], (enum pl_element)element, threads, 11);
                train(&more, 1, 5, NULL);
                assert_same_run(&one, &more, forms[f]);
                finish(&more);
            }
            finish(&one);
        }
}

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * fmax(1, fabs(want))))
        fail_msg("%.17g is not %.17g", got, want);
}

/* With the noise given, instruction sets with fused operations make the same bits, and the one without differs by
 * rounding at most. */
static void instruction_sets_agree(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (int element = PL_FLOAT32; element <= PL_FLOAT64; element++) {
            struct run best, fused, base;
            start(&best, forms[f], (enum pl_element)element, 1, 1);
            setenv("POULA_ISA", "avx2", 1);
            start(&fused, forms[f], (enum pl_element)element, 1, 1);
            setenv("POULA_ISA", "base", 1);
            start(&base, forms[f], (enum pl_element)element, 1, 1);
            unsetenv("POULA_ISA");
            void *xi = pl_arena(best.layout.length, best.size);
            for (size_t i = 0; i < best.layout.length; i++)
                put(&best, xi, i, mix(i, 99));
            train(&best, 1, 8, xi);
            train(&fused, 1, 8, xi);
            train(&base, 1, 8, xi);
            assert_same_run(&best, &fused, forms[f]);
            for (size_t t = 0; t < base.layout.count; t++)
                for (size_t k = 0; k < base.layout.tensors[t].count; k++) {
                    size_t i = base.layout.tensors[t].offset + k;
                    assert_near(get(&base, base.theta, i), get(&best, best.theta, i),
                                element == PL_FLOAT32 ? 1e-5 : 1e-13);
                }
            free(xi);
            finish(&best);
            finish(&fused);
            finish(&base);
        }
}

static void padding_is_never_touched(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++) {
        struct run run;
        start(&run, forms[f], PL_FLOAT32, 1, 1);
        train(&run, 1, 8, NULL);
        size_t used = 0;
        for (size_t t = 0; t < run.layout.count; t++) {
            const struct pl_tensor *tensor = &run.layout.tensors[t];
            assert_int_equal(tensor->offset % PL_TENSOR_ALIGN, 0);
            for (size_t i = used; i < tensor->offset; i++)
                assert_true(isnan(get(&run, run.theta, i)));
            for (size_t i = tensor->offset; i < tensor->offset + tensor->count; i++)
                assert_true(isfinite(get(&run, run.theta, i)));
            used = tensor->offset + tensor->count;
        }
        finish(&run);
    }
}

/* The noise of a step is what pl_optim_noise says. */
static void a_step_draws_the_noise_of_its_number(void **state)
{
    (void)state;
    for (int element = PL_FLOAT32; element <= PL_FLOAT64; element++) {
        struct run drawn, given;
        start(&drawn, "sgld beta=10", (enum pl_element)element, 1, 1);
        start(&given, "sgld beta=10", (enum pl_element)element, 1, 1);
        void *xi = pl_arena(given.layout.length, given.size);
        for (uint64_t step = 1; step <= 3; step++) {
            pl_optim_noise(pl_random_stream(1, PL_STREAM_NOISE), step, (enum pl_element)element, given.layout.length, 2,
                           xi);
            train(&drawn, step, step, NULL);
            train(&given, step, step, xi);
        }
        assert_same_run(&drawn, &given, "sgld");
        free(xi);
        finish(&drawn);
        finish(&given);
    }
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
        cmocka_unit_test(descriptors_are_complete),
        cmocka_unit_test(ranges_are_the_legal_ones),
        cmocka_unit_test(illegal_requests_are_refused),
        cmocka_unit_test(restored_state_continues_with_the_same_bits),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(padding_is_never_touched),
        cmocka_unit_test(a_step_draws_the_noise_of_its_number),
        cmocka_unit_test(extremes_have_their_limits),
        cmocka_unit_test(shares_are_those_of_the_step),
        cmocka_unit_test(patience_averages_from_its_trigger),
        cmocka_unit_test(nt_asgd_is_sgd_with_a_trigger),
        cmocka_unit_test(asgd_is_one_step_late),
        cmocka_unit_test(a_schedule_scales_the_rate_swats_chose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
