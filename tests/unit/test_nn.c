#include "device/device_priv.h"
#include "nn/nn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The linker sends this program's requests for memory through these (see meson.build). */
static size_t requests;
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    requests++;
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    requests++;
    return __real_calloc(count, bytes);
}

void *__wrap_realloc(void *block, size_t bytes)
{
    requests++;
    return __real_realloc(block, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    requests++;
    return __real_aligned_alloc(alignment, bytes);
}

static struct pl_device *open_device(const char *name)
{
    struct pl_device *device;
    struct pl_error err;
    assert_int_equal(pl_device_open(&device, name, &(struct pl_device_options){.threads = 1}, &err), 0);
    return device;
}

/* conv, norm, relu, pool, dropout, concat, sum, linear, loss. */
static struct pl_graph *everything(void)
{
    struct pl_graph *g = pl_graph_new();
    int x = pl_graph_input(g, (struct pl_shape){3, 8, 6});
    x = pl_graph_relu(g, pl_graph_batch_norm(g, pl_graph_conv2d(g, x, "conv1", 6, 3, 1, 1, false), "bn1"));
    int y = pl_graph_conv2d(g, x, "conv2", 4, 3, 1, 1, true);
    x = pl_graph_concat(g, y, x);
    y = pl_graph_batch_norm(g, pl_graph_conv2d(g, x, "conv3", 10, 1, 1, 0, false), "bn2");
    x = pl_graph_relu(g, pl_graph_add(g, y, x));
    x = pl_graph_dropout(g, pl_graph_max_pool(g, x, 2, 2, 0), 0.5);
    pl_graph_cross_entropy(g, pl_graph_linear(g, x, "linear", 4, true), 0.1);
    assert_int_equal(pl_graph_check(g, NULL), 0);
    return g;
}

static void shapes_are_inferred(void **state)
{
    (void)state;
    struct pl_graph *g = pl_graph_new();
    int x = pl_graph_input(g, (struct pl_shape){3, 7, 5});
    struct pl_shape s = pl_graph_shape(g, pl_graph_conv2d(g, x, "a", 4, 3, 2, 1, true));
    assert_int_equal(s.channels, 4);
    assert_int_equal(s.height, 4);
    assert_int_equal(s.width, 3);
    s = pl_graph_shape(g, pl_graph_max_pool(g, x, 2, 2, 0)); /* the last row and column are left out */
    assert_int_equal(s.height, 3);
    assert_int_equal(s.width, 2);
    s = pl_graph_shape(g, pl_graph_concat(g, x, pl_graph_conv2d(g, x, "b", 2, 1, 1, 0, false)));
    assert_int_equal(s.channels, 5);
    s = pl_graph_shape(g, pl_graph_global_pool(g, x));
    assert_int_equal(s.height * s.width, 1);
    size_t count;
    const struct pl_parameter *all = pl_graph_parameters(g, &count);
    assert_int_equal(count, 3);
    assert_string_equal(all[1].name, "a.bias");
    assert_int_equal(all[0].count, 4 * 3 * 9);
    assert_int_equal(all[0].offset, 0);
    assert_int_equal(all[1].offset, 128); /* 108 elements, rounded up to a multiple of 32 */
    assert_int_equal(pl_graph_parameter_count(g), 108 + 4 + 6);
    assert_int_equal(pl_graph_multiplications(g), 108 * 12 + 6 * 35);
    pl_graph_free(g);
}

static void expect_error(struct pl_graph *g, int x, const char *part)
{
    struct pl_error err = {0};
    assert_int_equal(x, -1);
    assert_int_equal(pl_graph_check(g, &err), PL_EINPUT);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" does not say \"%s\"", err.text, part);
    pl_graph_free(g);
}

static struct pl_graph *image(int *x)
{
    struct pl_graph *g = pl_graph_new();
    *x = pl_graph_input(g, (struct pl_shape){3, 4, 4});
    return g;
}

static void mistakes_are_named(void **state)
{
    (void)state;
    int x;
    struct pl_graph *g = image(&x);
    expect_error(g, pl_graph_conv2d(g, x, "conv9", 4, 7, 1, 1, true), "conv9: a 7x7 kernel does not fit in a 4x4");
    g = image(&x);
    expect_error(g, pl_graph_conv2d(g, x, "c", 0, 3, 1, 1, true), "at least 1");
    g = image(&x);
    expect_error(g, pl_graph_conv2d(g, x, "c", 4, 3, 1, 3, true), "padding 3 is not smaller");
    g = image(&x);
    expect_error(g, pl_graph_max_pool(g, x, 5, 1, 0), "5x5 does not fit in a 4x4");
    g = image(&x);
    expect_error(g, pl_graph_max_pool(g, x, 3, 1, 2), "at most half the kernel");
    g = image(&x);
    expect_error(g, pl_graph_linear(g, x, "l", 0, true), "at least one feature");
    g = image(&x);
    expect_error(g, pl_graph_dropout(g, x, 1), "[0,1)");
    g = image(&x);
    expect_error(g, pl_graph_cross_entropy(g, x, 0), "images of 4x4");
    g = image(&x);
    expect_error(g, pl_graph_cross_entropy(g, pl_graph_linear(g, x, "l", 2, true), 1), "smoothing");
    g = image(&x);
    expect_error(g, pl_graph_add(g, x, pl_graph_max_pool(g, x, 2, 2, 0)), "3x4x4 and 3x2x2");
    g = image(&x);
    expect_error(g, pl_graph_concat(g, x, pl_graph_max_pool(g, x, 2, 2, 0)), "4x4 and 2x2");
    g = pl_graph_new();
    expect_error(g, pl_graph_input(g, (struct pl_shape){3, 0, 4}), "no pixels");
    g = image(&x); /* the first mistake is the one that is told */
    x = pl_graph_conv2d(g, x, "first", 4, 9, 1, 0, true);
    expect_error(g, pl_graph_conv2d(g, x, "second", 0, 3, 1, 1, true), "first");
}

static void wrong_graphs_make_no_net(void **state)
{
    (void)state;
    struct pl_device *device = open_device("ref");
    struct pl_net *net;
    struct pl_error err = {0};
    struct pl_graph *g = pl_graph_new();
    assert_int_equal(pl_net_new(&net, g, device, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "no layers"));
    pl_graph_input(g, (struct pl_shape){0, 1, 1});
    assert_int_equal(pl_net_new(&net, g, device, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "no pixels"));
    pl_graph_free(g);
    pl_device_close(device);
    assert_int_equal(pl_device_open(&device, "gpu", &(struct pl_device_options){.threads = 1}, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "did you mean cpu?"));
}

static void tensors_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < pl_device_registry.count; i++) {
        struct pl_graph *g = everything();
        struct pl_device *device = open_device(pl_device_type_at(i)->name);
        struct pl_net *net;
        struct pl_error err = {0};
        double in[6 * 27], out[6 * 27];
        assert_int_equal(pl_net_new(&net, g, device, &err), 0);
        for (int k = 0; k < 6 * 27; k++)
            in[k] = 0.5 * k - 3;
        assert_int_equal(pl_net_set(net, PL_PARAMETERS, "conv1.weight", in, &err), 0);
        assert_int_equal(pl_net_get(net, PL_PARAMETERS, "conv1.weight", out, &err), 0);
        assert_memory_equal(in, out, sizeof in);
        assert_int_equal(pl_net_get(net, PL_GRADIENTS, "conv1.weight", out, &err), 0);
        assert_true(out[5] == 0);
        assert_int_equal(pl_net_get(net, PL_PARAMETERS, "conv1.bias", out, &err), PL_EMISSING);
        assert_non_null(strstr(err.text, "conv1.bias"));
        assert_int_equal(pl_net_get(net, PL_PARAMETERS, "bn1.running_mean", out, &err), PL_EMISSING);
        assert_int_equal(pl_net_get(net, PL_STATISTICS, "bn1.running_mean", out, &err), 0);
        pl_net_free(net);
        pl_device_close(device);
        pl_graph_free(g);
    }
}

static void initial_distributions(void **state)
{
    (void)state;
    enum { IN = 40, OUT = 50, COUNT = OUT * IN * 9 };
    struct pl_graph *g = pl_graph_new();
    int x = pl_graph_input(g, (struct pl_shape){IN, 3, 3});
    int a = pl_graph_conv2d(g, x, "uniform", OUT, 3, 1, 1, true),
        b = pl_graph_conv2d(g, x, "normal", OUT, 3, 1, 1, true);
    pl_graph_initial(g, b, (struct pl_initial){PL_INITIAL_NORMAL, 0.25}, (struct pl_initial){PL_INITIAL_CONSTANT, -2});
    pl_graph_batch_norm(g, pl_graph_add(g, a, b), "bn");
    struct pl_device *device = open_device("ref");
    struct pl_net *net;
    assert_int_equal(pl_net_new(&net, g, device, NULL), 0);
    pl_net_initialise(net, pl_random_stream(9, PL_STREAM_INIT));
    double *v = pl_new(COUNT * sizeof *v), bound = 1 / sqrt(IN * 9.0), square = 0, largest = 0;
    assert_int_equal(pl_net_get(net, PL_PARAMETERS, "uniform.weight", v, NULL), 0);
    for (int i = 0; i < COUNT; i++) {
        square += v[i] * v[i] / COUNT;
        largest = fmax(largest, fabs(v[i]));
    }
    assert_true(largest <= bound && largest > 0.999 * bound);
    assert_true(fabs(square / (bound * bound / 3) - 1) < 0.03);
    square = 0;
    assert_int_equal(pl_net_get(net, PL_PARAMETERS, "normal.weight", v, NULL), 0);
    for (int i = 0; i < COUNT; i++)
        square += v[i] * v[i] / COUNT;
    assert_true(fabs(square / 0.0625 - 1) < 0.05);
    assert_int_equal(pl_net_get(net, PL_PARAMETERS, "normal.bias", v, NULL), 0);
    assert_true(v[0] == -2 && v[OUT - 1] == -2);
    assert_int_equal(pl_net_get(net, PL_PARAMETERS, "bn.weight", v, NULL), 0);
    assert_true(v[0] == 1);
    assert_int_equal(pl_net_get(net, PL_STATISTICS, "bn.running_var", v, NULL), 0);
    assert_true(v[0] == 1);
    free(v);
    pl_net_free(net);
    pl_device_close(device);
    pl_graph_free(g);
}

struct fixture {
    struct pl_graph *g;
    struct pl_device *device;
    struct pl_net *net;
    float images[5 * 3 * 8 * 6];
    int32_t labels[5];
};

static struct fixture *fixture_new(void)
{
    struct fixture *f = pl_new(sizeof *f);
    struct pl_random r = pl_random_stream(1, PL_STREAM_DATA);
    f->g = everything();
    f->device = open_device("cpu");
    assert_int_equal(pl_net_new(&f->net, f->g, f->device, NULL), 0);
    pl_net_initialise(f->net, pl_random_stream(1, PL_STREAM_INIT));
    pl_net_dropout(f->net, pl_random_stream(1, PL_STREAM_DROPOUT));
    for (size_t i = 0; i < sizeof f->images / sizeof *f->images; i++)
        f->images[i] = (float)pl_random_normal(&r, 0, i);
    for (int i = 0; i < 5; i++)
        f->labels[i] = i % 4;
    return f;
}

static void fixture_free(struct fixture *f)
{
    pl_net_free(f->net);
    pl_device_close(f->device);
    pl_graph_free(f->g);
    free(f);
}

static double step(struct fixture *f, struct pl_plan *plan, uint64_t number)
{
    pl_plan_input(plan, f->images, PL_FLOAT32);
    pl_plan_labels(plan, f->labels);
    pl_plan_forward(plan, number);
    return pl_plan_loss(plan, NULL);
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct pl_plan *plan;
    size_t before = requests;
    assert_int_equal(pl_plan_new(&plan, f->net, 5, PL_TRAINING, NULL), 0);
    assert_true(requests > before); /* they are counted */
    before = requests;
    float logits[5 * 4];
    for (uint64_t i = 0; i < 3; i++) {
        step(f, plan, i);
        pl_plan_backward(plan);
        pl_plan_output(plan, logits, PL_FLOAT32);
    }
    assert_int_equal(requests, before);
    pl_plan_free(plan);
    fixture_free(f);
}

static void plans_share_memory(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct pl_plan *full, *part, *evaluation;
    assert_int_equal(pl_plan_new(&part, f->net, 2, PL_TRAINING, NULL), 0);
    assert_int_equal(pl_plan_new(&full, f->net, 5, PL_TRAINING, NULL), 0); /* moves the memory of the first */
    assert_int_equal(pl_plan_new(&evaluation, f->net, 5, PL_EVALUATION, NULL), 0);
    double a = step(f, full, 0), b = step(f, part, 0);
    assert_true(isfinite(a) && isfinite(b) && a != b);
    step(f, evaluation, 0);
    assert_true(step(f, full, 0) == a);
    assert_true(step(f, part, 0) == b);
    size_t all = pl_plan_estimate(f->g, f->device, 5, PL_TRAINING);
    size_t arenas = 2 * pl_net_length(f->net, PL_PARAMETERS) * sizeof(float) +
                    pl_net_length(f->net, PL_STATISTICS) * sizeof(double);
    assert_int_equal(all, arenas + pl_plan_memory(full));
    assert_true(pl_plan_memory(evaluation) < pl_plan_memory(full));
    pl_plan_free(part);
    pl_plan_free(full);
    pl_plan_free(evaluation);
    fixture_free(f);
}

static void dropout_is_a_function_of_the_step(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct pl_plan *plan, *evaluation;
    assert_int_equal(pl_plan_new(&plan, f->net, 5, PL_TRAINING, NULL), 0);
    double a = step(f, plan, 0), b = step(f, plan, 1);
    assert_true(a != b);
    assert_true(step(f, plan, 1) == b);
    pl_net_dropout(f->net, pl_random_stream(2, PL_STREAM_DROPOUT));
    assert_true(step(f, plan, 1) != b);
    assert_int_equal(pl_plan_new(&evaluation, f->net, 5, PL_EVALUATION, NULL), 0);
    a = step(f, evaluation, 0);
    assert_true(step(f, evaluation, 1) == a); /* none in evaluation */
    pl_plan_free(plan);
    pl_plan_free(evaluation);
    fixture_free(f);
}

/* An element's draw is word e mod 4 of Philox block e / 4, wherever a mask begins and however long it is. */
static void masks_are_drawn_word_by_word(void **state)
{
    (void)state;
    enum { FIRST = 1001, COUNT = 700 };
    static const double probabilities[] = {0, 0.25, 0.5, 0.999999, 1 - 0x1p-33};
    uint8_t keep[COUNT];
    for (size_t i = 0; i < sizeof probabilities / sizeof *probabilities; i++) {
        const struct pl_drop drop = {probabilities[i], pl_random_stream(3, PL_STREAM_DROPOUT), 7, 2, false, NULL};
        pl_drop_mask(&drop, FIRST, COUNT, keep);
        for (uint64_t e = FIRST; e < FIRST + COUNT; e++) {
            uint32_t bits[4];
            pl_random_bits(&drop.stream, drop.step, drop.layer << 40 | e / 4, bits);
            assert_int_equal(keep[e - FIRST], bits[e % 4] >= floor(drop.probability * 0x1p32));
        }
    }
}

static void running_statistics_move_once_a_step(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct pl_plan *plan, *evaluation;
    double first[6], second[6];
    assert_int_equal(pl_plan_new(&plan, f->net, 5, PL_TRAINING, NULL), 0);
    assert_int_equal(pl_plan_new(&evaluation, f->net, 5, PL_EVALUATION, NULL), 0);
    step(f, plan, 0);
    pl_net_get(f->net, PL_STATISTICS, "bn1.running_mean", first, NULL);
    pl_plan_backward(plan);
    step(f, evaluation, 0);
    pl_net_get(f->net, PL_STATISTICS, "bn1.running_mean", second, NULL);
    assert_memory_equal(first, second, sizeof first);
    step(f, plan, 0); /* from 0.1 m to 0.19 m */
    pl_net_get(f->net, PL_STATISTICS, "bn1.running_mean", second, NULL);
    for (int i = 0; i < 6; i++)
        assert_true(first[i] != 0 && fabs(second[i] / first[i] - 1.9) < 1e-9);
    pl_plan_free(plan);
    pl_plan_free(evaluation);
    fixture_free(f);
}

static void plans_fuse_and_tell(void **state)
{
    (void)state;
    struct fixture *f = fixture_new();
    struct pl_plan *plan;
    struct pl_text text = {0}, all = {0};
    assert_int_equal(pl_plan_new(&plan, f->net, 5, PL_TRAINING, NULL), 0);
    pl_plan_profile(plan, true);
    step(f, plan, 0);
    pl_plan_backward(plan);
    double seconds = 0;
    for (size_t i = 0; i < pl_plan_step_count(plan); i++) {
        struct pl_plan_step s;
        pl_plan_step(plan, i, &s, &text);
        pl_text_addf(&all, "%s;", s.operation);
        seconds += s.forward_seconds + s.backward_seconds;
        assert_true((*s.forward != 0) == (!strncmp(s.operation, "conv", 4) || !strcmp(s.operation, "linear")));
    }
    assert_string_equal(pl_text(&all), "input;conv 3x3;batch norm + relu;conv 3x3;concat;conv 1x1;copy;"
                                       "batch norm + sum + relu;max pool 2x2;dropout 0.5;linear;cross-entropy;");
    assert_true(seconds > 0);
    pl_text_release(&text);
    pl_text_release(&all);
    pl_plan_free(plan);
    fixture_free(f);
}

static void loss_counts_right_answers(void **state)
{
    (void)state;
    struct pl_graph *g = pl_graph_new();
    pl_graph_cross_entropy(g, pl_graph_input(g, (struct pl_shape){3, 1, 1}), 0);
    const double logits[4 * 3] = {0, 2, 1, 5, 5, 1, 1, 0, 3, NAN, 0, 0};
    const int32_t labels[4] = {1, 0, 0, 1};
    for (size_t i = 0; i < pl_device_registry.count; i++) {
        struct pl_device *device = open_device(pl_device_type_at(i)->name);
        struct pl_net *net;
        struct pl_plan *plan;
        int64_t correct;
        assert_int_equal(pl_net_new(&net, g, device, NULL), 0);
        assert_int_equal(pl_plan_new(&plan, net, 3, PL_EVALUATION, NULL), 0);
        pl_plan_input(plan, logits, PL_FLOAT64);
        pl_plan_labels(plan, labels);
        pl_plan_forward(plan, 0);
        double a = log(exp(0) + exp(2) + exp(1)) - 2, b = log(2 + exp(-4)), c = log(exp(-2) + exp(-3) + 1) + 2;
        assert_true(fabs(pl_plan_loss(plan, &correct) - (a + b + c) / 3) < 1e-6);
        assert_int_equal(correct, 2); /* of two equal logits the first counts */
        pl_plan_free(plan);
        assert_int_equal(pl_plan_new(&plan, net, 4, PL_EVALUATION, NULL), 0);
        pl_plan_input(plan, logits, PL_FLOAT64);
        pl_plan_labels(plan, labels);
        pl_plan_forward(plan, 0);
        assert_true(isnan(pl_plan_loss(plan, &correct))); /* divergence is seen, and is no right answer */
        assert_int_equal(correct, 2);
        pl_plan_free(plan);
        pl_net_free(net);
        pl_device_close(device);
    }
    pl_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_inferred),          cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(wrong_graphs_make_no_net),     cmocka_unit_test(tensors_by_name),
        cmocka_unit_test(initial_distributions),        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(plans_share_memory),           cmocka_unit_test(dropout_is_a_function_of_the_step),
        cmocka_unit_test(masks_are_drawn_word_by_word), cmocka_unit_test(running_statistics_move_once_a_step),
        cmocka_unit_test(plans_fuse_and_tell),          cmocka_unit_test(loss_counts_right_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
