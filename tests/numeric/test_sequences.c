/* Networks of sequences: gradients on the reference device against central differences of what is minimised,
 * every device against ref, and what a plan of sequences promises. */
#include "nn/nn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "devices.h"

enum { VOCABULARY = 11 };

struct sequence {
    const char *name;
    int columns, steps, features;
    int (*build)(struct pl_graph *g, int x); /* from the embedded words to something with `features` features */
};

static int nothing(struct pl_graph *g, int x)
{
    (void)g;
    return x;
}
static int lstm(struct pl_graph *g, int x)
{
    return pl_graph_lstm(g, x, "a", 5, 0);
}
static int lstm_dropped(struct pl_graph *g, int x)
{
    return pl_graph_lstm(g, x, "a", 18, 0.5);
}
static int locked(struct pl_graph *g, int x)
{
    return pl_graph_locked_dropout(g, x, 0.4);
}
static int plain_dropout(struct pl_graph *g, int x)
{
    return pl_graph_dropout(g, x, 0.4);
}
static int activation(struct pl_graph *g, int x)
{
    return pl_graph_penalty(g, x, PL_PENALTY_ACTIVATION, 2);
}
static int change(struct pl_graph *g, int x)
{
    return pl_graph_penalty(g, x, PL_PENALTY_CHANGE, 3);
}

static int shared(struct pl_graph *g, int x) /* an LSTM and its input are read twice, penalties pass both */
{
    int y = pl_graph_penalty(g, pl_graph_lstm(g, x, "a", 4, 0.3), PL_PENALTY_CHANGE, 1);
    int z = pl_graph_lstm(g, y, "b", 4, 0);
    return pl_graph_add(g, pl_graph_add(g, y, z), x);
}

static int deep(struct pl_graph *g, int x)
{
    x = pl_graph_locked_dropout(g, pl_graph_lstm(g, x, "a", 17, 0.5), 0.25);
    x = pl_graph_penalty(g, pl_graph_lstm(g, x, "b", 6, 0.5), PL_PENALTY_CHANGE, 1);
    return pl_graph_penalty(g, pl_graph_locked_dropout(g, x, 0.4), PL_PENALTY_ACTIVATION, 2);
}

/* Steps enough for devices that leave out what a locked dropout has zeroed. */
static int locked_twice(struct pl_graph *g, int x) /* read by an LSTM and a sum */
{
    x = pl_graph_locked_dropout(g, x, 0.4);
    return pl_graph_locked_dropout(g, pl_graph_add(g, pl_graph_lstm(g, x, "a", 20, 0.3), x), 0.3);
}

static const struct sequence sequences[] = {
    {"embedding", 3, 4, 5, nothing},
    {"lstm", 2, 5, 5, lstm},
    {"lstm, one step", 3, 1, 5, lstm},
    {"lstm, one column", 1, 6, 5, lstm},
    {"lstm, weights dropped", 3, 4, 18, lstm_dropped},
    {"locked dropout", 4, 3, 5, locked},
    {"dropout", 4, 3, 17, plain_dropout},
    {"activation penalty", 3, 4, 5, activation},
    {"change penalty", 3, 4, 5, change},
    {"change penalty of one step", 3, 1, 5, change},
    {"shared", 2, 4, 4, shared},
    {"deep", 20, 7, 6, deep},
    {"deep, many steps", 5, 31, 6, deep},
    {"locked twice", 3, 37, 20, locked_twice},
    {"locked twice, one column", 1, 12, 20, locked_twice},
};

/* The embedding has as many features as the network ends in, so that the decoder can be tied to it. */
static struct pl_graph *graph_of(const struct sequence *s, bool tied)
{
    struct pl_graph *g = pl_graph_new();
    struct pl_error err;
    int embedding = pl_graph_embedding(g, pl_graph_tokens(g), "encoder", VOCABULARY, s->features, 0.2, -1);
    int x = s->build(g, embedding);
    x = tied ? pl_graph_tied_linear(g, x, "decoder", embedding) : pl_graph_linear(g, x, "decoder", VOCABULARY, true);
    pl_graph_cross_entropy(g, x, 0.1);
    if (pl_graph_check(g, &err))
        fail_msg("%s: %s", s->name, err.text);
    return g;
}

/* ---- a net on a device, with numbers that are a function of the seed */

struct trained {
    struct pl_device *device;
    struct pl_net *net;
    struct pl_plan *plan;
    double *state;
    int32_t tokens[200], labels[200];
};

static void open_on(struct trained *t, const struct pl_graph *g, const struct sequence *s, const char *device,
                    int threads)
{
    struct pl_random r = pl_random_stream(3, PL_STREAM_DATA);
    size_t count;
    assert_int_equal(pl_device_open(&t->device, device, &(struct pl_device_options){.threads = threads}, NULL), 0);
    assert_int_equal(pl_net_new(&t->net, g, t->device, NULL), 0);
    const struct pl_parameter *all = pl_graph_parameters(g, &count);
    for (size_t k = 0; k < count; k++) {
        double *values = pl_new(all[k].count * sizeof *values);
        for (size_t i = 0; i < all[k].count; i++)
            values[i] = (double)(float)(0.5 * pl_random_normal(&r, k, i));
        pl_net_set(t->net, PL_PARAMETERS, all[k].name, values, NULL);
        free(values);
    }
    pl_net_dropout(t->net, pl_random_stream(3, PL_STREAM_DROPOUT));
    assert_int_equal(pl_plan_new_sequence(&t->plan, t->net, s->columns, s->steps + 2, PL_TRAINING, NULL), 0);
    pl_plan_steps(t->plan, s->steps);
    t->state = pl_new((pl_plan_state_length(t->plan) + 1) * sizeof *t->state);
    for (size_t i = 0; i < pl_plan_state_length(t->plan); i++)
        t->state[i] = (double)(float)(0.3 * pl_random_normal(&r, 100, i));
    for (int i = 0; i < s->columns * s->steps; i++) {
        t->tokens[i] = (int32_t)pl_random_below(&r, 101, (uint64_t)i, VOCABULARY);
        t->labels[i] = (int32_t)pl_random_below(&r, 102, (uint64_t)i, VOCABULARY);
    }
}

static void close_it(struct trained *t)
{
    pl_plan_free(t->plan);
    pl_net_free(t->net);
    pl_device_close(t->device);
    free(t->state);
}

/* A forward pass from the same state; what is minimised. */
static double minimised(struct trained *t)
{
    pl_plan_state_set(t->plan, t->state);
    pl_plan_tokens(t->plan, t->tokens);
    pl_plan_labels(t->plan, t->labels);
    pl_plan_forward(t->plan, 7);
    return pl_plan_loss(t->plan, NULL) + pl_plan_penalty(t->plan, PL_PENALTY_ACTIVATION) +
           pl_plan_penalty(t->plan, PL_PENALTY_CHANGE);
}

/* ---- gradients */

static int check_tensor(struct trained *t, const struct pl_parameter *p, const char *name)
{
    const double step = 1e-6;
    double *values = pl_new(p->count * sizeof *values), *gradient = pl_new(p->count * sizeof *gradient), largest = 0;
    int wrong = 0;
    pl_net_get(t->net, PL_PARAMETERS, p->name, values, NULL);
    pl_net_get(t->net, PL_GRADIENTS, p->name, gradient, NULL);
    for (size_t i = 0; i < p->count; i++)
        largest = fmax(largest, fabs(gradient[i]));
    for (size_t i = 0; i < p->count; i += p->count / 20 + 1) {
        double middle = values[i], at[2];
        for (int side = 0; side < 2; side++) {
            values[i] = middle + (side ? step : -step);
            pl_net_set(t->net, PL_PARAMETERS, p->name, values, NULL);
            at[side] = minimised(t);
        }
        values[i] = middle;
        pl_net_set(t->net, PL_PARAMETERS, p->name, values, NULL);
        double want = (at[1] - at[0]) / (2 * step);
        if (!(fabs(gradient[i] - want) <= 2e-6 * (largest + 1e-2))) {
            print_error("%s: gradient %zu of %s is %.12g, but should be %.12g\n", name, i, p->name, gradient[i], want);
            wrong++;
        }
    }
    free(values);
    free(gradient);
    return wrong;
}

static void gradients_are_those_of_the_loss(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < 2 * sizeof sequences / sizeof *sequences; i++) {
        const struct sequence *s = &sequences[i / 2];
        struct pl_graph *g = graph_of(s, i % 2);
        struct trained t = {0};
        size_t count;
        open_on(&t, g, s, "ref", 1);
        minimised(&t);
        pl_plan_backward(t.plan);
        const struct pl_parameter *all = pl_graph_parameters(g, &count);
        for (size_t k = 0; k < count; k++)
            wrong += check_tensor(&t, &all[k], s->name);
        close_it(&t);
        pl_graph_free(g);
    }
    assert_int_equal(wrong, 0);
}

/* ---- devices */

/* All gradients, the state and the loss of one step, and its evaluation: *count numbers. */
static double *results(struct trained *t, const struct pl_graph *g, size_t *count)
{
    size_t length = pl_plan_state_length(t->plan), total = pl_graph_parameter_count(g) + length + 1, tensors, at = 0;
    double *values = pl_new(total * sizeof *values);
    values[at++] = minimised(t);
    pl_plan_backward(t->plan);
    pl_plan_state_get(t->plan, values + at);
    at += length;
    const struct pl_parameter *all = pl_graph_parameters(g, &tensors);
    for (size_t k = 0; k < tensors; at += all[k++].count)
        pl_net_get(t->net, PL_GRADIENTS, all[k].name, values + at, NULL);
    assert_int_equal(at, total);
    *count = total;
    return values;
}

static void check_device(const struct sequence *s, const struct pl_graph *g, const struct pl_device_type *type)
{
    const char *const devices[] = {"ref", type->name, type->name};
    static const int threads[] = {1, 1, 3};
    double *values[3], largest = 0, bound = device_bounds(type)->sequences;
    size_t count;
    for (int k = 0; k < 3; k++) {
        struct trained t = {0};
        open_on(&t, g, s, devices[k], threads[k]);
        values[k] = results(&t, g, &count);
        close_it(&t);
    }
    for (size_t v = 1; v < count; v++)
        largest = fmax(largest, fabs(values[0][v]));
    for (size_t v = 0; v < count; v++)
        if (!(fabs(values[1][v] - values[0][v]) <= bound * fmax(largest, fabs(values[0][v]))))
            fail_msg("%s on %s: number %zu is %g, but should be %g", s->name, type->name, v, values[1][v],
                     values[0][v]);
    if (memcmp(values[1], values[2], count * sizeof **values))
        fail_msg("%s on %s: the results depend on the number of threads", s->name, type->name);
    for (int k = 0; k < 3; k++)
        free(values[k]);
}

static void devices_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof sequences / sizeof *sequences; i++) {
        struct pl_graph *g = graph_of(&sequences[i / 2], i % 2);
        for (size_t d = 0; d < pl_device_registry.count; d++)
            if (!is_ref(pl_device_type_at(d)))
                check_device(&sequences[i / 2], g, pl_device_type_at(d));
        pl_graph_free(g);
    }
}

/* ---- promises */

/* With every weight zero all words are equally likely: the loss is log V, to the last bit of its sum. */
static void uniform_logits_give_log_of_the_vocabulary(void **state)
{
    (void)state;
    for (int words = 2; words < 3000; words = words * 3 + 1)
        for (size_t k = 0; k < pl_device_registry.count; k++) {
            struct pl_graph *g = pl_graph_new();
            int x = pl_graph_embedding(g, pl_graph_tokens(g), "encoder", words, 3, 0, -1);
            pl_graph_cross_entropy(g, pl_graph_tied_linear(g, x, "decoder", x), 0);
            struct pl_device *device;
            struct pl_net *net;
            struct pl_plan *plan;
            int32_t tokens[8] = {0, 1, 1, 0, 1, 0, 0, 1};
            assert_int_equal(
                pl_device_open(&device, pl_device_type_at(k)->name, &(struct pl_device_options){.threads = 1}, NULL),
                0);
            assert_int_equal(pl_net_new(&net, g, device, NULL), 0);
            assert_int_equal(pl_plan_new_sequence(&plan, net, 2, 4, PL_EVALUATION, NULL), 0);
            pl_plan_tokens(plan, tokens);
            pl_plan_labels(plan, tokens);
            pl_plan_forward(plan, 0);
            if (!(fabs(pl_plan_loss(plan, NULL) - log(words)) <= 1e-14))
                fail_msg("%s, %d words: %.17g", pl_device_type_at(k)->name, words, pl_plan_loss(plan, NULL));
            pl_plan_free(plan);
            pl_net_free(net);
            pl_device_close(device);
            pl_graph_free(g);
        }
}

/* Two windows one after another leave the state that one window of both leaves. */
static void state_is_carried(void **state)
{
    (void)state;
    const struct sequence s = {"lstm", 2, 6, 5, lstm};
    struct pl_graph *g = graph_of(&s, true);
    for (size_t k = 0; k < pl_device_registry.count; k++) {
        struct trained t = {0};
        double whole[20], parts[20];
        open_on(&t, g, &s, pl_device_type_at(k)->name, 1);
        assert_int_equal(pl_plan_state_length(t.plan), 20);
        struct pl_plan *plan;
        assert_int_equal(pl_plan_new_sequence(&plan, t.net, 2, 6, PL_EVALUATION, NULL), 0);
        pl_plan_state_get(plan, whole);
        for (int i = 0; i < 20; i++)
            assert_true(whole[i] == 0);
        for (int windows = 1; windows <= 2; windows++) {
            pl_plan_state_set(plan, t.state);
            for (int w = 0; w < windows; w++) {
                pl_plan_steps(plan, 6 / windows);
                pl_plan_tokens(plan, t.tokens + w * 2 * 6 / windows);
                pl_plan_labels(plan, t.labels + w * 2 * 6 / windows);
                pl_plan_forward(plan, 0);
            }
            pl_plan_state_get(plan, windows == 1 ? whole : parts);
        }
        assert_memory_equal(whole, parts, sizeof whole);
        pl_plan_state_set(plan, NULL);
        pl_plan_state_get(plan, parts);
        assert_true(parts[0] == 0 && parts[19] == 0);
        pl_plan_free(plan);
        close_it(&t);
    }
    pl_graph_free(g);
}

/* A mask of the caller's takes the place of drawn ones, and goes again. */
static void masks_can_be_given(void **state)
{
    (void)state;
    const struct sequence s = {"locked dropout", 4, 3, 5, locked};
    struct pl_graph *g = graph_of(&s, true);
    struct trained t = {0};
    uint8_t none[VOCABULARY] = {0};
    open_on(&t, g, &s, "cpu", 1);
    double drawn = minimised(&t);
    assert_int_equal(pl_net_mask(t.net, 0, none, sizeof none, NULL), 0);
    pl_plan_steps(t.plan, 3);
    double dropped = minimised(&t);
    assert_true(fabs(dropped - drawn) > 1e-6);
    assert_int_equal(pl_net_mask(t.net, 0, NULL, 0, NULL), 0);
    assert_true(minimised(&t) == drawn);
    close_it(&t);
    pl_graph_free(g);
}

static void expect_wrong(struct pl_graph *g, const char *part)
{
    struct pl_error err;
    assert_int_equal(pl_graph_check(g, &err), PL_EINPUT);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" does not say \"%s\"", err.text, part);
    pl_graph_free(g);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    struct pl_graph *g = pl_graph_new();
    pl_graph_relu(g, pl_graph_tokens(g));
    expect_wrong(g, "tokens go into an embedding");
    g = pl_graph_new();
    pl_graph_embedding(g, pl_graph_tokens(g), "e", 10, 4, 1, -1);
    expect_wrong(g, "e: a dropout probability");
    g = pl_graph_new();
    int x = pl_graph_embedding(g, pl_graph_tokens(g), "e", 10, 4, 0, -1);
    assert_int_equal(pl_graph_tied_linear(g, pl_graph_lstm(g, x, "r", 5, 0), "d", x), -1);
    expect_wrong(g, "d: tied weights need as many inputs as the embedding has features, 4, not 5");
    g = pl_graph_new();
    x = pl_graph_embedding(g, pl_graph_tokens(g), "e", 10, 4, 0, -1);
    pl_graph_tied_linear(g, x, "d", x);
    assert_int_equal(pl_graph_tied_linear(g, x, "again", x), -1);
    expect_wrong(g, "again: d is tied to that embedding already");
    g = pl_graph_new();
    pl_graph_lstm(g, pl_graph_input(g, (struct pl_shape){3, 4, 4}), "r", 5, 0);
    expect_wrong(g, "r: an LSTM layer reads");
    g = pl_graph_new();
    pl_graph_penalty(g, pl_graph_embedding(g, pl_graph_tokens(g), "e", 10, 4, 0, -1), PL_PENALTY_CHANGE, -1);
    expect_wrong(g, "coefficient of a penalty");
    g = pl_graph_new();
    pl_graph_locked_dropout(g, pl_graph_input(g, (struct pl_shape){3, 4, 4}), 0.5);
    expect_wrong(g, "locked dropout is for sequences");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_the_loss),
        cmocka_unit_test(devices_agree),
        cmocka_unit_test(uniform_logits_give_log_of_the_vocabulary),
        cmocka_unit_test(state_is_carried),
        cmocka_unit_test(masks_can_be_given),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
