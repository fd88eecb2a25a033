#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct pl_shape cifar = {3, 32, 32};

struct sizes {
    const char *model;
    int classes;
    bool batchnorm;
    size_t parameters, tensors;
    uint64_t multiplications;
};

/* As published (CIFAR-10 and CIFAR-100). */
static const struct sizes published[] = {
    {"vgg11", 10, true, 9756426, 38, 153293824},        {"vgg11", 100, true, 9802596, 38, 153339904},
    {"vgg11", 10, false, 9750922, 22, 153293824},       {"resnet34", 10, true, 21282122, 110, 1159402496},
    {"resnet34", 100, true, 21328292, 110, 1159448576}, {"resnet18", 10, true, 11173962, 62, 555422720},
    {"densenet121", 10, true, 6956298, 362, 888350720}, {"densenet121", 100, true, 7048548, 362, 888442880},
    {"awd_lstm", 10000, true, 24221600, 14, 24190000},
};

static struct pl_graph *build(const struct pl_settings *settings, int classes)
{
    struct pl_graph *g = NULL;
    struct pl_error err = {0};
    int logits;
    bool text = pl_model_find(pl_settings_string(settings, "model", ""))->text;
    if (pl_model_build(&g, settings, text ? (struct pl_shape){0, 0, 0} : cifar, classes, &logits, &err))
        fail_msg("%s", err.text);
    struct pl_shape out = pl_graph_shape(g, logits);
    assert_int_equal(out.channels, classes);
    assert_int_equal(out.height * out.width, 1);
    return g;
}

static void sizes_are_the_published_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const struct sizes *want = &published[i];
        struct pl_settings s = {0};
        size_t tensors;
        pl_settings_set_string(&s, "model", want->model);
        pl_settings_set_boolean(&s, "batchnorm", want->batchnorm);
        struct pl_graph *g = build(&s, want->classes);
        pl_graph_parameters(g, &tensors);
        assert_int_equal(pl_graph_parameter_count(g), want->parameters);
        assert_int_equal(tensors, want->tensors);
        assert_int_equal(pl_graph_multiplications(g), want->multiplications);
        pl_graph_free(g);
        pl_settings_release(&s);
    }
}

/* Every default can be read, is legal, and is what the builder takes when nothing is said. */
static void defaults_are_what_is_built(void **state)
{
    (void)state;
    for (size_t i = 0; i < pl_model_count(); i++) {
        const struct pl_model *m = pl_model_at(i);
        struct pl_settings bare = {0}, filled = {0};
        assert_ptr_equal(pl_model_find(m->name), m);
        if (i > 0)
            assert_true(strcmp(pl_model_at(i - 1)->name, m->name) < 0);
        pl_settings_set_string(&bare, "model", m->name);
        if (!strcmp(m->name, "layers"))
            pl_settings_set_string(&bare, "layers", "[\"conv 4\",\"relu\",\"globalpool\",\"linear classes\"]");
        pl_settings_copy(&filled, &bare);
        pl_settings_fill(&filled, m->settings, m->setting_count);
        struct pl_graph *a = build(&bare, 10), *b = build(&filled, 10);
        assert_int_equal(pl_graph_parameter_count(a), pl_graph_parameter_count(b));
        assert_int_equal(pl_graph_layer_count(a), pl_graph_layer_count(b));
        pl_graph_free(a);
        pl_graph_free(b);
        pl_settings_release(&bare);
        pl_settings_release(&filled);
    }
}

static void settings_change_the_network(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    pl_settings_set_string(&s, "model", "resnet34");
    pl_settings_set_integer(&s, "width", 8);
    pl_settings_set_string(&s, "blocks", "[1,2,1,1]");
    struct pl_graph *g = build(&s, 10);
    assert_int_equal(pl_graph_parameter_count(g), 82674);
    pl_graph_free(g);
    pl_settings_clear(&s);
    pl_settings_set_string(&s, "model", "densenet121");
    pl_settings_set_integer(&s, "growth", 4);
    pl_settings_set_string(&s, "blocks", "[2,3,2,2]");
    g = build(&s, 10);
    assert_int_equal(pl_graph_parameter_count(g), 8336);
    pl_graph_free(g);
    pl_settings_clear(&s);
    pl_settings_set_string(&s, "model", "mlp");
    pl_settings_set_string(&s, "hidden", "[20]");
    g = build(&s, 10);
    assert_int_equal(pl_graph_parameter_count(g), 20 * 3073 + 10 * 21);
    pl_graph_free(g);
    pl_settings_release(&s);
}

static void layers_are_listed(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct pl_text text = {0};
    struct pl_layer layer;
    pl_settings_set_string(&s, "model", "vgg11");
    struct pl_graph *g = build(&s, 10);
    pl_graph_layer(g, 0, &layer, &text);
    assert_string_equal(layer.operation, "input");
    pl_graph_layer(g, 1, &layer, &text);
    assert_string_equal(layer.name, "features.0");
    assert_string_equal(layer.operation, "conv 3x3");
    assert_int_equal(layer.parameters, 64 * 27 + 64);
    assert_int_equal(layer.multiplications, 64 * 27 * 1024);
    assert_int_equal(layer.shape.height, 32);
    pl_graph_layer(g, pl_graph_layer_count(g) - 1, &layer, &text);
    assert_string_equal(layer.name, "classifier.6");
    assert_string_equal(layer.operation, "linear");
    pl_graph_free(g);
    pl_text_release(&text);
    pl_settings_release(&s);
}

static void own_layers(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    size_t count;
    pl_settings_set_string(&s, "model", "layers");
    pl_settings_set_string(&s, "layers",
                           "[\"conv 8 kernel=5 stride=2 bias=0\",\"batchnorm\",\"relu\",\"mark a\",\"conv 8\","
                           "\"batchnorm\",\"add a\",\"relu\",\"mark b\",\"averagepool 2\",\"conv 4 kernel=1\","
                           "\"mark c\",\"from b\",\"maxpool 2\",\"concat c\",\"dropout 0.5\",\"linear 20\",\"relu\","
                           "\"linear classes\"]");
    struct pl_graph *g = build(&s, 7);
    const struct pl_parameter *all = pl_graph_parameters(g, &count);
    assert_string_equal(all[0].name, "layers.0.weight");
    assert_string_equal(all[count - 1].name, "layers.18.bias");
    assert_int_equal(pl_graph_parameter_count(g), 8 * 75 + 16 + 8 * 73 + 16 + 4 * 9 + 20 * (12 * 64 + 1) + 7 * 21);
    pl_graph_free(g);
    pl_settings_release(&s);
}

static void expect_error(const char *model, const char *key, const char *value, const char *part)
{
    struct pl_settings s = {0};
    struct pl_graph *g = NULL;
    struct pl_error err = {0};
    int logits;
    pl_settings_set_string(&s, "model", model);
    if (key)
        pl_settings_set_string(&s, key, value);
    assert_int_equal(pl_model_build(&g, &s, cifar, 10, &logits, &err), PL_EINPUT);
    assert_null(g);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" does not say \"%s\"", err.text, part);
    pl_settings_release(&s);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_error("vgg1", NULL, NULL, "did you mean vgg11?");
    expect_error("resnet34", "blocks", "[1,0]", "blocks is [1,0]");
    expect_error("resnet34", "blocks", "[]", "whole numbers");
    expect_error("resnet34", "blocks", "3", "whole numbers");
    expect_error("densenet121", "blocks", "[1,1,1,1,1,1,1]", "does not fit");
    expect_error("layers", NULL, NULL, "must be a list");
    expect_error("layers", "layers", "[]", "must be a list");
    expect_error("layers", "layers", "[\"conv\"]", "operator 0 (\"conv\"): conv needs a number of channels");
    expect_error("layers", "layers", "[\"conv 4\",\"pool 2\"]", "operator 1 (\"pool 2\"): operators are");
    expect_error("layers", "layers", "[\"relu 4\"]", "takes no argument");
    expect_error("layers", "layers", "[\"conv 4 4\"]", "more words");
    expect_error("layers", "layers", "[\"conv 4 size=3\"]", "options are");
    expect_error("layers", "layers", "[\"conv 4 kernel=x\"]", "options are");
    expect_error("layers", "layers", "[\"add a\"]", "nothing was marked");
    expect_error("layers", "layers", "[\"mark\"]", "needs a name");
    expect_error("layers", "layers", "[\"dropout much\"]", "needs a probability");
    expect_error("layers", "layers", "[\"linear\"]", "the word classes");
    expect_error("layers", "layers", "[\"maxpool\"]", "the size of its window");
    expect_error("layers", "layers", "[\"maxpool 40\"]", "does not fit");
    expect_error("layers", "layers", "[4]", "every operator is a text");
    expect_error("layers", "layers", "[\"\"]", "no operator");
    expect_error("layers", "layers", "[\"conv 12345678901234567890123456789012345\"]", "too long");
    expect_error("layers", "layers", "[\"conv 4\"]", "must end in one logit");
}

static void small_images_do_not_fit(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct pl_graph *g;
    struct pl_error err = {0};
    int logits;
    pl_settings_set_string(&s, "model", "vgg11");
    assert_int_equal(pl_model_build(&g, &s, (struct pl_shape){3, 16, 16}, 10, &logits, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "model vgg11: "));
    pl_settings_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_the_published_ones),
        cmocka_unit_test(defaults_are_what_is_built),
        cmocka_unit_test(settings_change_the_network),
        cmocka_unit_test(layers_are_listed),
        cmocka_unit_test(own_layers),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(small_images_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
