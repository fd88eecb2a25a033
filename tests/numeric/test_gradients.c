/* Every gradient on the reference device against central differences of the loss:
 * (loss(w + h) - loss(w - h)) / 2h. The loss is a sum of double precision, so that the difference is good to
 * about 1e-9, unless a ReLU or maximum changes its mind between the two. */
#include "networks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static const double STEP = 1e-6, TOLERANCE = 2e-6;

struct check {
    struct pl_net *net;
    struct pl_plan *plan;
    double *images;
    int32_t *labels;
};

static double loss_at(struct check *c)
{
    pl_plan_input(c->plan, c->images, PL_FLOAT64);
    pl_plan_labels(c->plan, c->labels);
    pl_plan_forward(c->plan, 7);
    return pl_plan_loss(c->plan, NULL);
}

static double difference(struct check *c, const char *name, double *values, size_t i)
{
    double middle = values[i], loss[2];
    for (int side = 0; side < 2; side++) {
        values[i] = middle + (side ? STEP : -STEP);
        pl_net_set(c->net, PL_PARAMETERS, name, values, NULL);
        loss[side] = loss_at(c);
    }
    values[i] = middle;
    pl_net_set(c->net, PL_PARAMETERS, name, values, NULL);
    return (loss[1] - loss[0]) / (2 * STEP);
}

/* At most a dozen entries of each tensor, spread over it. Returns how many are wrong. */
static int check_tensor(struct check *c, const struct pl_parameter *p, const char *network)
{
    double *values = pl_new(p->count * sizeof *values), *gradient = pl_new(p->count * sizeof *gradient);
    double largest = 0;
    int wrong = 0;
    pl_net_get(c->net, PL_PARAMETERS, p->name, values, NULL);
    pl_net_get(c->net, PL_GRADIENTS, p->name, gradient, NULL);
    for (size_t i = 0; i < p->count; i++)
        largest = fmax(largest, fabs(gradient[i]));
    size_t stride = p->count / 12 + 1;
    for (size_t i = 0; i < p->count; i += stride) {
        double want = difference(c, p->name, values, i);
        if (fabs(gradient[i] - want) <= TOLERANCE * (largest + 1e-2))
            continue;
        print_error("%s: gradient %zu of %s is %.12g, but should be %.12g\n", network, i, p->name, gradient[i], want);
        wrong++;
    }
    free(values);
    free(gradient);
    return wrong;
}

static int check_graph(const struct pl_graph *g, int batch, const char *name, uint64_t seed)
{
    struct check c = {0};
    struct pl_device *device;
    struct pl_error err;
    int wrong = 0;
    size_t count;
    assert_int_equal(pl_device_open(&device, "ref", &(struct pl_device_options){.threads = 1}, &err), 0);
    assert_int_equal(pl_net_new(&c.net, g, device, &err), 0);
    network_fill(c.net, g, seed);
    network_batch(g, batch, seed, &c.images, &c.labels);
    assert_int_equal(pl_plan_new(&c.plan, c.net, batch, PL_TRAINING, &err), 0);
    loss_at(&c);
    pl_plan_backward(c.plan);
    const struct pl_parameter *all = pl_graph_parameters(g, &count);
    for (size_t t = 0; t < count; t++)
        wrong += check_tensor(&c, &all[t], name);
    pl_plan_free(c.plan);
    pl_net_free(c.net);
    pl_device_close(device);
    free(c.images);
    free(c.labels);
    return wrong;
}

static void gradients_of_operators(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < network_count; i++) {
        struct pl_graph *g = network_graph(&networks[i]);
        wrong += check_graph(g, networks[i].batch, networks[i].name, 1);
        pl_graph_free(g);
    }
    assert_int_equal(wrong, 0);
}

static void gradients_of_random_wirings(void **state)
{
    (void)state;
    int wrong = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        int batch;
        char name[40];
        snprintf(name, sizeof name, "random wiring %d", (int)seed);
        struct pl_graph *g = network_random(seed, &batch);
        wrong += check_graph(g, batch, name, seed);
        pl_graph_free(g);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_operators),
        cmocka_unit_test(gradients_of_random_wirings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
