/* ---- checkpoints */
#include "network_parts.h"

static void test_epochs_are_recorded(void **state)
{
    (void)state;
    static const char *const metrics[] = {"train_loss",     "train_accuracy", "valid_loss",   "valid_accuracy",
                                          "test_loss",      "test_accuracy",  "lambda",       "gradient_norm",
                                          "parameter_norm", "seconds",        "seconds_eval", "seconds_load"};
    struct recorder r;
    struct recorded p;
    struct pl_run_result result = run_whole(TASK "optimizer=sgd lambda=0.1 decay=0.5 every=2", 1, &r);
    assert_int_equal(result.outcome, PL_FINISHED);
    assert_recorded(&r, metrics, sizeof metrics / sizeof *metrics);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        assert_int_equal(recorder_find(&r, metrics[i], 0, &p), 3);
        assert_true(p.epoch == 1);
        assert_true(isfinite(p.value));
        assert_int_equal(r.directions[i], strstr(metrics[i], "accuracy") ? PL_MAXIMIZE
                                          : strstr(metrics[i], "loss")   ? PL_MINIMIZE
                                                                         : PL_NEUTRAL);
    }
    static const double lambdas[] = {0.1, 0.1, 0.05}; /* before epoch 2, counted from 0 */
    for (size_t i = 0; i < 3; i++) {
        recorder_find(&r, "lambda", i, &p);
        assert_close(p.value, lambdas[i], 1e-15);
        recorder_find(&r, "valid_accuracy", i, &p);
        assert_close(p.value * 12, round(p.value * 12), 1e-9);
        recorder_find(&r, "test_accuracy", i, &p);
        assert_close(p.value * 20, round(p.value * 20), 1e-9);
        recorder_find(&r, "train_accuracy", i, &p);
        assert_close(p.value * 44, round(p.value * 44), 1e-9);
    }
    recorder_release(&r);
    run_whole("dataset=glyphs model=cnn width=4 depth=2 train_images=20 test_images=20 batch=16 epochs=1 optimizer=sgd",
              1, &r);
    assert_int_equal(recorder_find(&r, "valid_loss", 0, NULL), 0);
    assert_int_equal(recorder_find(&r, "test_loss", 0, NULL), 1);
    recorder_release(&r);
}

static void test_batches_are_recorded(void **state)
{
    (void)state;
    struct recorder r;
    struct recorded p, first, fourth;
    run_whole(TASK "record_batches=4 optimizer=sgd lambda=0.1", 1, &r);
    assert_int_equal(recorder_find(&r, "batch_loss", 0, NULL), 4);
    double sum = 0;
    for (size_t i = 0; i < 3; i++) {
        recorder_find(&r, "batch_loss", i, &p);
        assert_true(p.epoch == i + 1);
        sum += p.value * (i < 2 ? 16 : 12);
    }
    recorder_find(&r, "train_loss", 0, &p);
    assert_close(p.value, sum / 44, 1e-12);
    recorder_release(&r);

    /* With the smallest of steps and nothing drawn but the order, an epoch repeats the one before. */
    for (int shuffles = 0; shuffles < 2; shuffles++) {
        char words[400];
        snprintf(words, sizeof words,
                 TASK "dropout=0 augment=false record_batches=4 shuffle=%s optimizer=sgd lambda=1e-30",
                 shuffles ? "true" : "false");
        run_whole(words, 1, &r);
        recorder_find(&r, "batch_loss", 0, &first);
        recorder_find(&r, "batch_loss", 3, &fourth);
        assert_int_equal(same_value(first.value, fourth.value), !shuffles);
        recorder_release(&r);
    }
}

/* Besides what is recorded without them, which they leave as it is. */
static void test_shares_are_recorded(void **state)
{
    (void)state;
    static const char *const metrics[] = {"tamed_share", "boosted_share", "stepsize"};
    static const char task[] = TASK "optimizer=theopoula lambda=0.5 epsilon=0.7 beta=1e8 weight_decay=0.001 ";
    struct recorder plain;
    struct recorded p, q;
    struct pl_settings s = {0};
    struct breaker b;
    char words[400];
    run_whole(task, 1, &plain);
    snprintf(words, sizeof words, "%srecord_shares=true", task);
    settings_of(&s, words);
    assert_int_equal(run_broken(&s, 1, NULL, 0, false, &b).outcome, PL_FINISHED);
    assert_int_equal(b.recorder.metric_count, plain.metric_count + 3);
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal(recorder_find(&b.recorder, metrics[k], i, &p), 3);
            assert_true(p.epoch == i + 1);
            assert_true(k ? p.value > 0 && p.value < 1 : p.value >= 0 && p.value < 0.5); /* no gradient here is large */
        }
        recorder_find(&plain, "train_loss", i, &p);
        recorder_find(&b.recorder, "train_loss", i, &q);
        assert_true(same_value(p.value, q.value));
        assert_int_equal(pl_train_direction(metrics[i]), PL_NEUTRAL);
    }
    for (int after = 1; after < b.questions; after++)
        check_stop(&s, after, &b.recorder, "shares");
    recorder_release(&b.recorder);
    recorder_release(&plain);
    pl_settings_release(&s);
    settings_of(&s, task);
    assert_null(pl_settings_find(&s, "record_shares")); /* so that keys of runs without them are what they were */
    pl_settings_release(&s);
}

static void test_training_learns(void **state)
{
    (void)state;
    struct recorder r;
    struct recorded first, last;
    run_whole("dataset=glyphs model=cnn width=8 depth=3 train_images=200 test_images=50 clutter=0 pixel_noise=0 "
              "batch=10 epochs=15 augment=false optimizer=adam lambda=0.003",
              2, &r);
    recorder_find(&r, "train_loss", 0, &first);
    recorder_find(&r, "train_loss", 14, &last);
    assert_true(last.value < 0.7 * first.value);
    recorder_find(&r, "train_accuracy", 14, &last);
    assert_true(last.value > 0.35); /* by chance: 0.1 */
    recorder_release(&r);
}

static void test_threads_have_the_same_bits(void **state)
{
    (void)state;
    check_threads(TASK "optimizer=theopoula lambda=0.1 beta=1e8 precision=exact");
    check_threads(TASK "optimizer=adam lambda=0.01");
    check_threads("dataset=glyphs model=vgg11 width=32 train_images=24 test_images=8 batch=16 epochs=1 optimizer=adam "
                  "lambda=0.001");
}

static void test_devices_agree(void **state)
{
    (void)state;
    static const char words[] = TASK "optimizer=theopoula lambda=0.1 beta=1e8 precision=exact";
    struct recorder one, ref;
    struct recorded p, q;
    run_whole(words, 1, &one);
    struct pl_text text = {0};
    pl_text_addf(&text, "%s device=ref", words);
    run_whole(pl_text(&text), 1, &ref);
    for (size_t i = 0; i < 3; i++) {
        recorder_find(&one, "train_loss", i, &p);
        recorder_find(&ref, "train_loss", i, &q);
        assert_false(same_value(p.value, q.value));
        assert_close(p.value, q.value, 1e-3);
    }
    pl_text_release(&text);
    recorder_release(&one);
    recorder_release(&ref);
}

static void test_seeds_differ(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct recorder r[2];
    struct recorded p, q;
    settings_of(&s, TASK "optimizer=sgd");
    for (int seed = 0; seed < 2; seed++) {
        struct pl_sink sink = recorder_sink(&r[seed]);
        struct pl_run_request request = {.settings = &s, .seed = seed, .threads = 1, .folder = NULL};
        struct pl_run_result result;
        assert_int_equal(pl_train_run(&request, &sink, &result, NULL), 0);
    }
    recorder_find(&r[0], "train_loss", 0, &p);
    recorder_find(&r[1], "train_loss", 0, &q);
    assert_false(same_value(p.value, q.value));
    recorder_release(&r[0]);
    recorder_release(&r[1]);
    pl_settings_release(&s);
}

static void test_divergence_is_an_outcome(void **state)
{
    (void)state;
    struct recorder r;
    struct recorded p;
    struct pl_run_result result = run_whole(TASK "optimizer=sgd lambda=1e30", 1, &r);
    assert_int_equal(result.outcome, PL_DIVERGED);
    assert_true(result.bad_epoch == 1);
    assert_int_equal(recorder_find(&r, "train_loss", 0, &p), 1);
    assert_false(isfinite(p.value));
    recorder_release(&r);
}

static void test_clipping_shortens_steps(void **state)
{
    (void)state;
    struct recorder free_run, clipped;
    struct recorded p, q;
    run_whole(TASK "optimizer=sgd lambda=1 momentum=0 weight_decay=0", 1, &free_run);
    run_whole(TASK "optimizer=sgd lambda=1 momentum=0 weight_decay=0 clip=1e-9", 1, &clipped);
    recorder_find(&clipped, "parameter_norm", 0, &p);
    recorder_find(&clipped, "parameter_norm", 2, &q);
    assert_close(p.value, q.value, 1e-6); /* nothing moves */
    recorder_find(&free_run, "parameter_norm", 2, &q);
    assert_true(fabs(p.value - q.value) > 1e-3);
    recorder_release(&free_run);
    recorder_release(&clipped);
    double x[100], sum = 0;
    float y[100];
    for (int i = 0; i < 100; i++) {
        y[i] = (float)(x[i] = i - 30);
        sum += x[i] * x[i];
    }
    assert_close(pl_arena_norm(x, PL_FLOAT64, 100, 1), sqrt(sum), 1e-12);
    assert_close(pl_arena_norm(y, PL_FLOAT32, 100, 2), sqrt(sum), 1e-12);
    assert_close(pl_arena_clip(x, PL_FLOAT64, 100, 1e9, 1), sqrt(sum), 1e-12);
    assert_close(x[99], 69, 0); /* short enough */
    assert_close(pl_arena_clip(y, PL_FLOAT32, 100, 2, 2), sqrt(sum), 1e-12);
    assert_close(pl_arena_norm(y, PL_FLOAT32, 100, 1), 2, 1e-6);
    pl_arena_clip(x, PL_FLOAT64, 100, 2, 1);
    assert_close(x[99], 69 * 2 / (sqrt(sum) + 1e-6), 1e-15);
}

/* In the terms of PyTorch's clip_grad_value_ and of timm's adaptive_clip_grad. */
static void test_ways_of_clipping(void **state)
{
    (void)state;
    enum { ROWS = 3, COLUMNS = 5, MATRIX = ROWS * COLUMNS, PLACE = PL_TENSOR_ALIGN, VECTOR = 4 };
    struct pl_layout layout = {0};
    const size_t shape[] = {ROWS, COLUMNS}, length = VECTOR;
    double theta[2 * PLACE] = {0}, gradient[2 * PLACE] = {0}, clipped[2 * PLACE];
    float narrow[2 * PLACE], narrow_theta[2 * PLACE];
    pl_layout_add(&layout, shape, 2);
    pl_layout_add(&layout, &length, 1);
    assert_int_equal(layout.tensors[1].offset, PLACE);
    for (int i = 0; i < MATRIX; i++) {
        theta[i] = i < COLUMNS ? 1e-5 * i : 0.1 * i;
        gradient[i] = i / COLUMNS == 2 ? 1e-4 * i : 2 * sin(i + 1.0);
    }
    for (int i = PLACE; i < PLACE + VECTOR; i++) {
        theta[i] = i - PLACE - 1;
        gradient[i] = 3;
    }
    for (int i = 0; i < 2 * PLACE; i++) {
        narrow[i] = (float)gradient[i];
        narrow_theta[i] = (float)theta[i];
    }
    memcpy(clipped, gradient, sizeof clipped);
    pl_gradient_clip(clipped, theta, &layout, PL_FLOAT64, PL_CLIP_VALUE, 0.5, 2);
    for (int i = 0; i < 2 * PLACE; i++)
        assert_close(clipped[i], fmin(fmax(gradient[i], -0.5), 0.5), 0);
    memcpy(clipped, gradient, sizeof clipped);
    pl_gradient_clip(clipped, theta, &layout, PL_FLOAT64, PL_CLIP_ADAPTIVE, 0.01, 2);
    pl_gradient_clip(narrow, narrow_theta, &layout, PL_FLOAT32, PL_CLIP_ADAPTIVE, 0.01, 1);
    for (int unit = 0; unit < ROWS + 1; unit++) {
        int from = unit < ROWS ? unit * COLUMNS : PLACE, count = unit < ROWS ? COLUMNS : VECTOR;
        double p = 0, g = 0;
        for (int i = from; i < from + count; i++) {
            p += theta[i] * theta[i];
            g += gradient[i] * gradient[i];
        }
        double most = fmax(sqrt(p), 1e-3) * 0.01, factor = sqrt(g) < most ? 1 : most / fmax(sqrt(g), 1e-6);
        assert_true(unit == 2 ? factor == 1 : factor < 0.1);
        for (int i = from; i < from + count; i++) {
            assert_close(clipped[i], gradient[i] * factor, 1e-15);
            assert_close((double)narrow[i], gradient[i] * factor, 1e-6);
        }
    }
    double large[PLACE] = {3e200, -4e200};
    struct pl_layout one = {layout.tensors, 1, PLACE};
    assert_close(pl_gradient_clip(large, theta, &one, PL_FLOAT64, PL_CLIP_NORM, 1, 1), 5e200, 1e186);
    assert_close(large[1], -0.8, 1e-15);
    pl_layout_release(&layout);
}

/* ---- what a run needs, and what is refused */

#define FEW "dataset=glyphs train_images=300 test_images=20 "

static uint64_t memory_of(const char *words)
{
    struct pl_settings s = {0};
    struct pl_train_needs needs;
    struct pl_error err;
    settings_of(&s, words);
    if (pl_train_survey(&s, "data", 1, &needs, &err))
        fail_msg("%s", err.text);
    pl_settings_release(&s);
    return needs.memory;
}

static void test_memory_is_estimated(void **state)
{
    (void)state;
    uint64_t small = memory_of(FEW "model=vgg11 width=8 batch=8 optimizer=sgd");
    uint64_t images = memory_of(FEW "model=vgg11 width=8 batch=256 optimizer=sgd");
    uint64_t wide = memory_of(FEW "model=vgg11 width=64 batch=8 optimizer=sgd");
    uint64_t adam = memory_of(FEW "model=vgg11 width=64 batch=8 optimizer=adam");
    uint64_t exact = memory_of(FEW "model=vgg11 width=64 batch=8 optimizer=adam average=on device=ref");
    assert_true(images > small + 20000000);
    assert_true(wide > small + 2 * 4 * 9000000);
    assert_in_range(adam - wide, 2 * 4 * 9700000, 2 * 4 * 9900000); /* m and v */
    assert_true(exact > adam + 4 * 4 * 9700000);
    assert_int_equal(memory_of("problem=theta30 optimizer=sgd"), 0);
    struct pl_settings s = {0};
    struct pl_text key = {0}, other = {0};
    settings_of(&s, TASK "optimizer=sgd lambda=0.1");
    pl_train_survey_key(&s, &key);
    pl_settings_set_real(&s, "lambda", 0.3);
    pl_settings_set_integer(&s, "epochs", 5);
    pl_train_survey_key(&s, &other);
    assert_string_equal(pl_text(&key), pl_text(&other));
    pl_settings_set_integer(&s, "width", 5);
    pl_train_survey_key(&s, &other);
    assert_string_not_equal(pl_text(&key), pl_text(&other));
    pl_text_release(&key);
    pl_text_release(&other);
    pl_settings_release(&s);
}

/* A setting that is put aside changes no need, whatever its value. */
static void test_settings_aside_change_no_need(void **state)
{
    (void)state;
    /* Few images, because every survey draws all of them. */
    static const char *const words[] = {FEW "model=cnn optimizer=sgd", FEW "model=mlp optimizer=sgd",
                                        FEW "model=vgg11 width=8 optimizer=sgd",
                                        "dataset=markov model=awd_lstm nlayers=1 emsize=32 optimizer=sgd"};
    static const char *const values[] = {"0", "0.5", "1", "3", "true", "false", "rows"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        struct pl_settings s = {0};
        struct pl_schema schema;
        struct pl_error err;
        settings_of(&s, words[w]);
        uint64_t memory = memory_of(words[w]);
        assert_int_equal(pl_train_schema(&s, &schema, &err), 0);
        for (size_t p = 0; p < schema.count; p++)
            for (size_t k = 0; k < schema.parts[p].count; k++)
                for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
                    const struct pl_setting *setting = &schema.parts[p].settings[k];
                    struct pl_value value;
                    char text[200];
                    if (!(setting->role & PL_ASIDE) || pl_setting_read(setting, values[v], &value, &err))
                        continue;
                    snprintf(text, sizeof text, "%s %s=%s", words[w], setting->key, values[v]);
                    if (memory_of(text) != memory)
                        fail_msg("%s: %llu bytes, not %llu", text, (unsigned long long)memory_of(text),
                                 (unsigned long long)memory);
                }
        pl_settings_release(&s);
    }
}

static void assert_refused(const char *words, const char *layers, const char *part)
{
    struct pl_settings s = {0};
    struct pl_error err = {0};
    settings_of(&s, words);
    if (layers)
        pl_settings_set_string(&s, "layers", layers);
    assert_int_equal(pl_train_check(&s, &err), PL_EINPUT);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" lacks \"%s\"", err.text, part);
    pl_settings_release(&s);
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct pl_schema schema;
    struct pl_error err;
    assert_refused("dataset=glyphs model=cnn depth=8 optimizer=sgd", NULL, "model cnn: ");
    assert_refused("dataset=glyphs model=layers layers=[] optimizer=sgd", "[\"conv 8\",\"linear 3\"]", "10 classes");
    assert_refused("dataset=glyphs model=cnn optimizer=sgd decay=0.1", NULL, "neither every nor milestones");
    static const struct {
        const char *dataset, *model, *part;
    } chosen[] = {{"glyps", "cnn", "did you mean glyphs?"},
                  {"glyphs", "cn", "did you mean cnn?"},
                  {"glyphs", NULL, "the model is missing"},
                  {NULL, "cnn", "no dataset"}};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        pl_settings_clear(&s);
        pl_settings_set_string(&s, "optimizer", "sgd");
        if (chosen[i].dataset)
            pl_settings_set_string(&s, "dataset", chosen[i].dataset);
        if (chosen[i].model)
            pl_settings_set_string(&s, "model", chosen[i].model);
        assert_int_equal(pl_train_schema(&s, &schema, &err), PL_EINPUT);
        if (!strstr(err.text, chosen[i].part))
            fail_msg("\"%s\" lacks \"%s\"", err.text, chosen[i].part);
    }
    pl_settings_release(&s);
}

static void test_own_layers_train(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct breaker b;
    settings_of(
        &s, "dataset=glyphs model=layers layers=[] train_images=40 test_images=20 batch=16 epochs=2 optimizer=adam");
    pl_settings_set_string(&s, "layers",
                           "[\"conv 4\",\"batchnorm\",\"relu\",\"maxpool 4\",\"mark a\",\"conv 4\","
                           "\"add a\",\"relu\",\"dropout 0.1\",\"linear classes\"]");
    assert_int_equal(run_broken(&s, 1, folder, 0, false, &b).outcome, PL_FINISHED);
    assert_int_equal(recorder_find(&b.recorder, "test_accuracy", 0, NULL), 2);
    recorder_release(&b.recorder);
    struct pl_safetensors file;
    struct pl_error err;
    assert_int_equal(pl_safetensors_read(&file, file_path("weights.safetensors"), &err), 0);
    assert_non_null(pl_safetensors_find(&file, "layers.0.weight"));
    assert_non_null(pl_safetensors_find(&file, "layers.9.bias"));
    pl_safetensors_release(&file);
    pl_settings_release(&s);
    empty_folder();
}

/* The average is what is measured, what is kept, and is put back where it was. */
static void test_averages_are_evaluated(void **state)
{
    (void)state;
    struct recorder plain, averaged;
    struct recorded p, q;
    run_whole(TASK "optimizer=sgd lambda=0.3", 1, &plain);
    run_whole(TASK "optimizer=sgd lambda=0.3 average=on", 1, &averaged);
    for (size_t i = 0; i < 3; i++) {
        recorder_find(&plain, "train_loss", i, &p);
        recorder_find(&averaged, "train_loss", i, &q);
        assert_true(same_value(p.value, q.value)); /* the iterates are the same */
        recorder_find(&plain, "parameter_norm", i, &p);
        recorder_find(&averaged, "parameter_norm", i, &q);
        assert_true(same_value(p.value, q.value));
        recorder_find(&plain, "test_loss", i, &p);
        recorder_find(&averaged, "test_loss", i, &q);
        assert_false(same_value(p.value, q.value));
    }
    recorder_release(&plain);
    recorder_release(&averaged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_epochs_are_recorded),
        cmocka_unit_test(test_batches_are_recorded),
        cmocka_unit_test(test_shares_are_recorded),
        cmocka_unit_test(test_training_learns),
        cmocka_unit_test(test_threads_have_the_same_bits),
        cmocka_unit_test(test_devices_agree),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_divergence_is_an_outcome),
        cmocka_unit_test(test_clipping_shortens_steps),
        cmocka_unit_test(test_ways_of_clipping),
        cmocka_unit_test(test_memory_is_estimated),
        cmocka_unit_test(test_settings_aside_change_no_need),
        cmocka_unit_test(test_mistakes_are_named),
        cmocka_unit_test(test_own_layers_train),
        cmocka_unit_test(test_averages_are_evaluated),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
