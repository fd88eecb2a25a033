/* Whole networks on every device against the reference device: outputs, loss, gradients and statistics of a
 * training step, outputs of an evaluation; and the same bits with any number of threads and whatever the
 * plan's memory held before. */
#include "networks.h"

#include "nn/nn_priv.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "devices.h"

/* All results of one net, in one array. */
struct results {
    double *values;
    size_t count, capacity;
    size_t starts[1000]; /* of each array */
    size_t arrays;
};

static double *add_array(struct results *r, size_t count)
{
    void *list = r->values;
    pl_grow(&list, &r->capacity, r->count + count, sizeof *r->values);
    r->values = list;
    r->starts[r->arrays++] = r->count;
    r->count += count;
    r->starts[r->arrays] = r->count;
    return r->values + r->count - count;
}

static void add_table(struct results *r, struct pl_net *net, enum pl_arena_kind kind, const struct pl_parameter *all,
                      size_t count)
{
    for (size_t t = 0; t < count; t++)
        assert_int_equal(pl_net_get(net, kind, all[t].name, add_array(r, all[t].count), NULL), 0);
}

struct run {
    const struct pl_graph *graph;
    int batch;
    uint64_t seed;
    double *images;
    int32_t *labels;
};

/* No pass may see what the memory held before: NaN, as numbers of either size. */
static void spoil(struct pl_net *net)
{
    void *nans = pl_new(net->shared_bytes);
    memset(nans, 0xff, net->shared_bytes);
    net->device->type->upload(net->device, net->shared, nans, net->shared_bytes);
    free(nans);
}

static void step(const struct run *run, struct pl_net *net, enum pl_mode mode, bool used, struct results *r)
{
    struct pl_plan *plan;
    struct pl_error err;
    size_t count;
    assert_int_equal(pl_plan_new(&plan, net, run->batch, mode, &err), 0);
    if (used)
        spoil(net);
    pl_plan_input(plan, run->images, PL_FLOAT64);
    pl_plan_labels(plan, run->labels);
    pl_plan_forward(plan, 3);
    if (mode == PL_TRAINING)
        pl_plan_backward(plan);
    int64_t correct;
    *add_array(r, 1) = pl_plan_loss(plan, &correct);
    *add_array(r, 1) = (double)correct;
    pl_plan_output(plan, add_array(r, (size_t)run->batch * NETWORK_CLASSES), PL_FLOAT64);
    if (mode == PL_TRAINING) {
        const struct pl_parameter *all = pl_graph_parameters(run->graph, &count);
        add_table(r, net, PL_GRADIENTS, all, count);
    }
    pl_plan_free(plan);
}

/* Training, evaluation, and the running statistics; without what a device does while it does something else, where
 * `apart`. */
static struct results run_so(const struct run *run, const char *name, bool exact, int threads, bool used, bool apart)
{
    struct pl_device *device;
    struct pl_device_type type;
    struct pl_net *net;
    struct pl_error err;
    struct results r = {0};
    size_t count;
    assert_int_equal(pl_device_open(&device, name, &(struct pl_device_options){threads, exact}, &err), 0);
    type = *device->type;
    type.normalises = false;
    if (apart)
        device->type = &type;
    assert_int_equal(pl_net_new(&net, run->graph, device, &err), 0);
    network_fill(net, run->graph, run->seed);
    step(run, net, PL_TRAINING, used, &r);
    step(run, net, PL_EVALUATION, used, &r);
    const struct pl_parameter *all = pl_graph_statistics(run->graph, &count);
    add_table(&r, net, PL_STATISTICS, all, count);
    pl_net_free(net);
    pl_device_close(device);
    return r;
}

static struct results run_on(const struct run *run, const char *name, bool exact, int threads, bool used)
{
    return run_so(run, name, exact, threads, used, false);
}

/* Each array relative to its largest value, or to a thousandth of the largest of all (where everything cancels). */
static int compare(const struct results *got, const struct results *want, double tolerance, const char *name)
{
    double largest_of_all = 0;
    int wrong = 0;
    assert_int_equal(got->count, want->count);
    for (size_t i = 0; i < want->count; i++)
        largest_of_all = fmax(largest_of_all, fabs(want->values[i]));
    for (size_t a = 0; a < want->arrays; a++) {
        double largest = 1e-3 * largest_of_all, error = 0;
        for (size_t i = want->starts[a]; i < want->starts[a + 1]; i++) {
            largest = fmax(largest, fabs(want->values[i]));
            error = fmax(error, fabs(got->values[i] - want->values[i]));
            if (isnan(got->values[i]))
                error = INFINITY;
        }
        if (error > tolerance * largest) {
            print_error("%s: array %zu is off by %.3g of its largest value\n", name, a, error / largest);
            wrong++;
        }
    }
    return wrong;
}

static int differ(const struct results *a, const struct results *b, const char *name, const char *why)
{
    for (size_t i = 0; i < a->count; i++)
        if (memcmp(&a->values[i], &b->values[i], sizeof(double))) {
            print_error("%s: value %zu depends on %s\n", name, i, why);
            return 1;
        }
    return 0;
}

static int check_device(const struct run *run, const struct pl_device_type *type, const struct results *want,
                        const char *network)
{
    const struct device_bounds *bounds = device_bounds(type);
    struct results exact = run_on(run, type->name, true, 1, false), fast = run_on(run, type->name, false, 1, false);
    struct results again = run_on(run, type->name, false, 3, true),
                   apart = run_so(run, type->name, false, 2, true, true);
    char name[100];
    snprintf(name, sizeof name, "%s on %s", network, type->name);
    int wrong = compare(&exact, want, bounds->exact, name) + compare(&fast, want, bounds->fast, name);
    wrong += differ(&fast, &again, name, "the number of threads or on old memory");
    wrong += differ(&fast, &apart, name, "whether a convolution normalises its input");
    free(exact.values);
    free(fast.values);
    free(again.values);
    free(apart.values);
    return wrong;
}

static int check(const struct pl_graph *g, int batch, const char *name, uint64_t seed)
{
    struct run run = {.graph = g, .batch = batch, .seed = seed};
    network_batch(g, batch, seed, &run.images, &run.labels);
    struct results want = run_on(&run, "ref", true, 1, false);
    int wrong = 0;
    for (size_t d = 0; d < pl_device_registry.count; d++)
        if (!is_ref(pl_device_type_at(d)))
            wrong += check_device(&run, pl_device_type_at(d), &want, name);
    free(want.values);
    free(run.images);
    free(run.labels);
    return wrong;
}

static void devices_agree_on_operators(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < network_count; i++) {
        struct pl_graph *g = network_graph(&networks[i]);
        wrong += check(g, networks[i].batch, networks[i].name, 5);
        wrong += check(g, 80, networks[i].name, 6);
        pl_graph_free(g);
    }
    assert_int_equal(wrong, 0);
}

static void devices_agree_on_random_wirings(void **state)
{
    (void)state;
    int wrong = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        int batch;
        char name[40];
        snprintf(name, sizeof name, "random wiring %d", (int)seed);
        struct pl_graph *g = network_random(seed, &batch);
        wrong += check(g, batch + 3, name, seed);
        pl_graph_free(g);
    }
    assert_int_equal(wrong, 0);
}

/* A new operator is compared once a network of networks.c has it. Those of texts are tried by test_sequences.c. */
static void networks_use_every_operation(void **state)
{
    (void)state;
    bool used[PL_OPERATIONS] = {[PL_OPERATION_NONE] = true,
                                [PL_OPERATION_EMBEDDING] = true,
                                [PL_OPERATION_LSTM] = true,
                                [PL_OPERATION_PENALTY] = true};
    for (size_t i = 0; i < network_count; i++) {
        struct pl_graph *g = network_graph(&networks[i]);
        for (size_t n = 0; n < g->count; n++)
            used[g->nodes[n].op->operation] = true;
        pl_graph_free(g);
    }
#define NAME(name, PASS, SIZE) #name,
    static const char *const names[] = {PL_EACH_OPERATION(NAME, , )};
#undef NAME
    for (int i = 0; i < PL_OPERATIONS; i++)
        if (!used[i])
            fail_msg("no network of tests/numeric/networks.c has the operation %s of device.h", names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_use_every_operation),
        cmocka_unit_test(devices_agree_on_operators),
        cmocka_unit_test(devices_agree_on_random_wirings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
