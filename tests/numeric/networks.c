#include "networks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- convolution: every kind of size and place */

static int conv_1x1(struct pl_graph *g, int x)
{
    return pl_graph_conv2d(g, x, "a", 5, 1, 1, 0, true);
}
static int conv_1x1_stride(struct pl_graph *g, int x)
{
    return pl_graph_conv2d(g, x, "a", 4, 1, 2, 0, false);
}
static int conv_3x3(struct pl_graph *g, int x)
{
    return pl_graph_conv2d(g, x, "a", 17, 3, 1, 1, true);
}
static int conv_3x3_valid(struct pl_graph *g, int x)
{
    return pl_graph_conv2d(g, x, "a", 4, 3, 1, 0, true);
}
static int conv_3x3_stride(struct pl_graph *g, int x)
{
    return pl_graph_conv2d(g, x, "a", 4, 3, 2, 1, false);
}
static int conv_2x2(struct pl_graph *g, int x)
{
    return pl_graph_conv2d(g, x, "a", 3, 2, 1, 1, true);
}
static int conv_5x5(struct pl_graph *g, int x)
{
    return pl_graph_conv2d(g, x, "a", 3, 5, 2, 2, true);
}
static int conv_4x4(struct pl_graph *g, int x)
{
    return pl_graph_conv2d(g, x, "a", 2, 4, 3, 3, true);
}

static int conv_deep(struct pl_graph *g, int x)
{
    x = pl_graph_conv2d(g, x, "a", 16, 3, 1, 1, false);
    x = pl_graph_conv2d(g, x, "b", 3, 3, 2, 1, true);
    return pl_graph_conv2d(g, x, "c", 20, 3, 1, 1, false);
}

static int linear_deep(struct pl_graph *g, int x)
{
    x = pl_graph_relu(g, pl_graph_linear(g, x, "a", 7, true));
    return pl_graph_relu(g, pl_graph_linear(g, x, "b", 5, false));
}

/* ---- batch norm: alone, before and after others, with what is fused behind it */

static int front(struct pl_graph *g, int x, int channels)
{
    return pl_graph_conv2d(g, x, "front", channels, 3, 1, 1, false);
}

static int norm_of_input(struct pl_graph *g, int x)
{
    return pl_graph_batch_norm(g, x, "n");
}
static int norm_alone(struct pl_graph *g, int x)
{
    return pl_graph_batch_norm(g, front(g, x, 5), "n");
}
static int norm_relu(struct pl_graph *g, int x)
{
    return pl_graph_relu(g, norm_alone(g, x));
}

static int norm_of_norm(struct pl_graph *g, int x)
{
    x = norm_relu(g, x);
    x = pl_graph_batch_norm(g, x, "m");
    return pl_graph_conv2d(g, x, "c", 3, 1, 1, 0, true);
}

static int norms_of_one(struct pl_graph *g, int x) /* two read the same moments */
{
    x = front(g, x, 4);
    int a = pl_graph_relu(g, pl_graph_batch_norm(g, x, "n")), b = pl_graph_batch_norm(g, x, "m");
    return pl_graph_add(g, pl_graph_conv2d(g, a, "a", 4, 1, 1, 0, true), b);
}

static int norm_and_others(struct pl_graph *g, int x) /* the norm's output has two readers: no fusion */
{
    x = norm_alone(g, x);
    return pl_graph_add(g, pl_graph_relu(g, x), x);
}

static int residual(struct pl_graph *g, int x) /* relu(norm + x), x with a gradient from both sides */
{
    x = front(g, x, 4);
    int y = pl_graph_batch_norm(g, pl_graph_conv2d(g, x, "a", 4, 3, 1, 1, false), "n");
    return pl_graph_relu(g, pl_graph_add(g, y, x));
}

static int residual_twice(struct pl_graph *g, int x)
{
    x = residual(g, x);
    int y = pl_graph_batch_norm(g, pl_graph_conv2d(g, x, "b", 4, 3, 1, 1, false), "m");
    x = pl_graph_relu(g, pl_graph_add(g, x, y));
    y = pl_graph_batch_norm(g, pl_graph_conv2d(g, x, "c", 6, 3, 2, 1, false), "o");
    x = pl_graph_batch_norm(g, pl_graph_conv2d(g, x, "d", 6, 1, 2, 0, false), "p");
    return pl_graph_relu(g, pl_graph_add(g, y, x));
}

static int residual_of_input(struct pl_graph *g, int x) /* the shortcut has no gradient */
{
    int y = pl_graph_batch_norm(g, pl_graph_conv2d(g, x, "a", 3, 3, 1, 1, false), "n");
    return pl_graph_relu(g, pl_graph_add(g, y, x));
}

static int residual_plain(struct pl_graph *g, int x) /* no ReLU behind the sum */
{
    x = front(g, x, 4);
    int y = pl_graph_batch_norm(g, pl_graph_conv2d(g, x, "a", 4, 3, 1, 1, false), "n");
    x = pl_graph_add(g, y, x);
    return pl_graph_conv2d(g, x, "b", 4, 1, 1, 0, true);
}

static int norm_plus_itself(struct pl_graph *g, int x) /* norm(x) + x: dx is added where dy still lies */
{
    x = front(g, x, 4);
    return pl_graph_add(g, pl_graph_batch_norm(g, x, "n"), x);
}

/* ---- sums and ReLUs */

static int sum_of_one(struct pl_graph *g, int x)
{
    x = front(g, x, 3);
    return pl_graph_add(g, x, x);
}

static int sum_relu(struct pl_graph *g, int x)
{
    int a = pl_graph_conv2d(g, x, "a", 4, 3, 1, 1, true), b = pl_graph_conv2d(g, x, "b", 4, 1, 1, 0, true);
    return pl_graph_relu(g, pl_graph_add(g, a, b));
}

static int sum_shared(struct pl_graph *g, int x) /* both terms are read again behind the sum */
{
    int a = pl_graph_conv2d(g, x, "a", 4, 3, 1, 1, true), b = pl_graph_conv2d(g, x, "b", 4, 1, 1, 0, true);
    int s = pl_graph_add(g, a, b), t = pl_graph_relu(g, pl_graph_add(g, s, a));
    return pl_graph_add(g, pl_graph_add(g, t, b), s);
}

static int relu_read_before(struct pl_graph *g, int x) /* the ReLU may not overwrite its input */
{
    x = front(g, x, 4);
    int y = pl_graph_relu(g, x);
    return pl_graph_add(g, pl_graph_conv2d(g, y, "a", 4, 3, 1, 1, true), pl_graph_conv2d(g, x, "b", 4, 1, 1, 0, true));
}

static int relu_of_relu(struct pl_graph *g, int x)
{
    return pl_graph_conv2d(g, pl_graph_relu(g, pl_graph_relu(g, front(g, x, 4))), "a", 4, 1, 1, 0, true);
}

/* ---- pooling and dropout */

static int max_pool(struct pl_graph *g, int x)
{
    return pl_graph_max_pool(g, front(g, x, 5), 2, 2, 0);
}
static int max_pool_3(struct pl_graph *g, int x)
{
    return pl_graph_max_pool(g, front(g, x, 5), 3, 2, 1);
}
static int max_pool_1(struct pl_graph *g, int x)
{
    return pl_graph_max_pool(g, front(g, x, 5), 3, 1, 1);
}
static int average_pool(struct pl_graph *g, int x)
{
    return pl_graph_average_pool(g, norm_relu(g, x), 2, 2, 0);
}
static int average_pool_3(struct pl_graph *g, int x)
{
    return pl_graph_average_pool(g, norm_relu(g, x), 3, 2, 1);
}
static int global_pool(struct pl_graph *g, int x)
{
    return pl_graph_global_pool(g, front(g, x, 5));
}
static int relu_pool(struct pl_graph *g, int x)
{
    return pl_graph_max_pool(g, norm_relu(g, x), 2, 2, 0);
}
static int dropout(struct pl_graph *g, int x)
{
    return pl_graph_dropout(g, front(g, x, 5), 0.4);
}

static int pool_twice(struct pl_graph *g, int x) /* two pools add to one gradient */
{
    x = front(g, x, 4);
    return pl_graph_add(g, pl_graph_max_pool(g, x, 2, 2, 0), pl_graph_average_pool(g, x, 2, 2, 0));
}

static int conv_then_average(struct pl_graph *g, int x) /* exchanged when planned */
{
    x = norm_relu(g, x);
    x = pl_graph_average_pool(g, pl_graph_conv2d(g, x, "a", 3, 1, 1, 0, true), 2, 2, 0);
    return pl_graph_relu(g, pl_graph_batch_norm(g, x, "m"));
}

static int dropout_shared(struct pl_graph *g, int x)
{
    x = front(g, x, 4);
    int y = pl_graph_dropout(g, pl_graph_relu(g, x), 0.5);
    return pl_graph_add(g, pl_graph_dropout(g, y, 0.25), x);
}

/* ---- concatenation */

static int concat(struct pl_graph *g, int x)
{
    return pl_graph_concat(g, pl_graph_conv2d(g, x, "a", 3, 3, 1, 1, true),
                           pl_graph_conv2d(g, x, "b", 18, 1, 1, 0, true));
}

static int concat_input(struct pl_graph *g, int x)
{
    return pl_graph_concat(g, front(g, x, 4), x);
}

static int concat_itself(struct pl_graph *g, int x)
{
    x = front(g, x, 3);
    return pl_graph_relu(g, pl_graph_concat(g, x, x));
}

static int concat_relu(struct pl_graph *g, int x) /* a part is read after the ReLU: it may not be overwritten */
{
    int a = pl_graph_conv2d(g, x, "a", 3, 3, 1, 1, true), b = pl_graph_conv2d(g, x, "b", 2, 1, 1, 0, true);
    int y = pl_graph_relu(g, pl_graph_concat(g, a, b));
    return pl_graph_add(g, pl_graph_conv2d(g, y, "c", 3, 3, 1, 1, true), a);
}

static int concat_shared(struct pl_graph *g, int x) /* one value in two concatenations, and read besides */
{
    int a = pl_graph_conv2d(g, x, "a", 3, 3, 1, 1, true), b = pl_graph_conv2d(g, x, "b", 2, 1, 1, 0, true);
    int p = pl_graph_concat(g, a, b), q = pl_graph_concat(g, b, a);
    int s = pl_graph_conv2d(g, pl_graph_add(g, p, q), "c", 3, 1, 1, 0, true);
    return pl_graph_add(g, s, a);
}

static int concat_of_sums(struct pl_graph *g, int x)
{
    int a = sum_relu(g, x), b = pl_graph_conv2d(g, x, "c", 4, 3, 1, 1, false);
    int s = pl_graph_concat(g, pl_graph_relu(g, pl_graph_batch_norm(g, b, "n")), pl_graph_add(g, a, b));
    return pl_graph_conv2d(g, pl_graph_max_pool(g, s, 2, 2, 0), "d", 3, 1, 1, 0, true);
}

static int dense(struct pl_graph *g, int x, int growth, int layers)
{
    x = pl_graph_conv2d(g, x, "front", 2 * growth, 3, 1, 1, false);
    for (int i = 0; i < layers; i++) {
        int y = pl_graph_relu(g, pl_graph_batch_norm(g, x, pl_graph_name(g, "n%d", i)));
        y = pl_graph_conv2d(g, y, pl_graph_name(g, "a%d", i), 4, 1, 1, 0, false);
        y = pl_graph_relu(g, pl_graph_batch_norm(g, y, pl_graph_name(g, "m%d", i)));
        x = pl_graph_concat(g, pl_graph_conv2d(g, y, pl_graph_name(g, "b%d", i), growth, 3, 1, 1, false), x);
    }
    x = pl_graph_relu(g, pl_graph_batch_norm(g, x, "last"));
    return pl_graph_average_pool(g, pl_graph_conv2d(g, x, "transition", 3, 1, 1, 0, false), 2, 2, 0);
}

static int dense_narrow(struct pl_graph *g, int x)
{
    return dense(g, x, 3, 3);
}
static int dense_wide(struct pl_graph *g, int x)
{
    return dense(g, x, 16, 2);
}

static int concat_norms(struct pl_graph *g, int x) /* a norm reads what a recomputed norm wrote */
{
    x = pl_graph_batch_norm(g, concat(g, x), "n");
    return pl_graph_conv2d(g, pl_graph_relu(g, pl_graph_batch_norm(g, x, "m")), "c", 3, 1, 1, 0, true);
}

static int concat_norms_read(struct pl_graph *g, int x) /* the second norm is done while its input is read */
{
    x = pl_graph_batch_norm(g, concat(g, x), "n");
    return pl_graph_conv2d(g, pl_graph_relu(g, pl_graph_batch_norm(g, x, "m")), "c", 20, 1, 1, 0, true);
}

static int concat_dropout(struct pl_graph *g, int x) /* in evaluation the dropout becomes a copy into its slice */
{
    x = front(g, x, 4);
    return pl_graph_concat(g, pl_graph_dropout(g, x, 0.5), pl_graph_conv2d(g, x, "a", 3, 1, 1, 0, true));
}

const struct network networks[] = {
    {"conv 1x1", 2, {3, 4, 4}, conv_1x1},
    {"conv 1x1, one pixel", 5, {17, 1, 1}, conv_1x1},
    {"conv 1x1 stride 2", 2, {3, 7, 5}, conv_1x1_stride},
    {"conv 3x3", 1, {3, 7, 5}, conv_3x3},
    {"conv 3x3, one channel", 3, {1, 4, 9}, conv_3x3},
    {"conv 3x3, one pixel", 3, {2, 1, 1}, conv_3x3},
    {"conv 3x3 valid", 2, {2, 3, 6}, conv_3x3_valid},
    {"conv 3x3 stride 2", 2, {3, 7, 5}, conv_3x3_stride},
    {"conv 3x3 stride 2, even", 2, {3, 6, 4}, conv_3x3_stride},
    {"conv 2x2", 2, {2, 4, 3}, conv_2x2},
    {"conv 5x5 stride 2", 2, {2, 7, 8}, conv_5x5},
    {"conv 4x4 stride 3", 2, {2, 8, 5}, conv_4x4},
    {"conv deep", 2, {3, 5, 6}, conv_deep},
    {"linear", 5, {3, 3, 2}, linear_deep},
    {"norm of the input", 3, {3, 3, 2}, norm_of_input},
    {"norm", 3, {3, 4, 3}, norm_alone},
    {"norm, relu", 3, {3, 4, 3}, norm_relu},
    {"norm of norm", 3, {2, 3, 4}, norm_of_norm},
    {"two norms of one", 3, {2, 4, 4}, norms_of_one},
    {"norm and others", 3, {2, 4, 4}, norm_and_others},
    {"residual", 3, {2, 4, 4}, residual},
    {"residual twice", 3, {2, 5, 4}, residual_twice},
    {"residual of the input", 3, {3, 4, 4}, residual_of_input},
    {"residual without relu", 3, {2, 4, 4}, residual_plain},
    {"norm plus its input", 3, {2, 4, 4}, norm_plus_itself},
    {"sum of one", 2, {2, 3, 3}, sum_of_one},
    {"sum, relu", 2, {2, 4, 3}, sum_relu},
    {"sums that share", 2, {2, 4, 3}, sum_shared},
    {"relu of something read elsewhere", 2, {2, 4, 3}, relu_read_before},
    {"relu of relu", 2, {2, 4, 3}, relu_of_relu},
    {"max pool", 2, {2, 5, 4}, max_pool},
    {"max pool 3x3", 2, {2, 7, 6}, max_pool_3},
    {"max pool 3x3 stride 1", 2, {2, 4, 5}, max_pool_1},
    {"average pool", 2, {2, 5, 4}, average_pool},
    {"average pool 3x3", 2, {2, 6, 5}, average_pool_3},
    {"global pool", 2, {2, 3, 5}, global_pool},
    {"relu, pool", 3, {2, 4, 4}, relu_pool},
    {"two pools", 2, {2, 4, 6}, pool_twice},
    {"conv, average pool", 3, {2, 4, 4}, conv_then_average},
    {"dropout", 3, {2, 4, 3}, dropout},
    {"dropouts that share", 3, {2, 4, 3}, dropout_shared},
    {"concat", 2, {2, 3, 4}, concat},
    {"concat with the input", 2, {3, 3, 4}, concat_input},
    {"concat with itself", 2, {2, 3, 4}, concat_itself},
    {"relu of a concat", 2, {2, 3, 4}, concat_relu},
    {"concats that share", 2, {2, 3, 4}, concat_shared},
    {"concat of sums", 3, {2, 4, 4}, concat_of_sums},
    {"norms of a concat", 3, {2, 4, 4}, concat_norms},
    {"norms of a concat, before a 1x1", 3, {2, 4, 4}, concat_norms_read},
    {"concat of dropout", 3, {2, 4, 4}, concat_dropout},
    {"dense block", 3, {2, 4, 4}, dense_narrow},
    {"dense block of whole channel blocks", 2, {2, 4, 2}, dense_wide},
};
const size_t network_count = sizeof networks / sizeof *networks;

static struct pl_graph *finish(struct pl_graph *g, int x)
{
    x = pl_graph_linear(g, x, "head", NETWORK_CLASSES, true);
    pl_graph_cross_entropy(g, x, 0.1);
    struct pl_error err;
    int status = pl_graph_check(g, &err);
    assert(!status);
    (void)status;
    return g;
}

struct pl_graph *network_graph(const struct network *network)
{
    struct pl_graph *g = pl_graph_new();
    return finish(g, network->build(g, pl_graph_input(g, network->image)));
}

/* ---- random wirings */

struct dice {
    struct pl_random stream;
    uint64_t thrown;
};

static int throw_dice(struct dice *d, int sides)
{
    return (int)pl_random_below(&d->stream, 0, d->thrown++, (uint64_t)sides);
}

static int random_operator(struct pl_graph *g, struct dice *d, int i, const int *values, int count)
{
    int x = values[throw_dice(d, count)], y = values[throw_dice(d, count)];
    struct pl_shape s = pl_graph_shape(g, x), t = pl_graph_shape(g, y);
    const char *name = pl_graph_name(g, "op%d", i);
    bool together = s.height == t.height && s.width == t.width;
    switch (throw_dice(d, 9)) {
    case 0:
        return pl_graph_conv2d(g, x, name, 1 + throw_dice(d, 20), 3, 1, 1, throw_dice(d, 2));
    case 1:
        return pl_graph_conv2d(g, x, name, s.channels, 1, 1, 0, throw_dice(d, 2));
    case 2:
        return pl_graph_batch_norm(g, x, name);
    case 3:
        return pl_graph_relu(g, x);
    case 4:
        return pl_graph_dropout(g, x, 0.3);
    case 5:
        return together && s.channels == t.channels ? pl_graph_add(g, x, y) : pl_graph_relu(g, x);
    case 6:
        return together && s.channels + t.channels < 60 ? pl_graph_concat(g, x, y) : pl_graph_batch_norm(g, x, name);
    case 7:
        return pl_graph_max_pool(g, x, 3, 1, 1);
    default:
        return pl_graph_average_pool(g, x, 3, 1, 1);
    }
}

struct pl_graph *network_random(uint64_t seed, int *batch)
{
    enum { OPERATORS = 14 };
    struct dice d = {pl_random_stream(seed, PL_STREAM_DATA), 0};
    struct pl_graph *g = pl_graph_new();
    int values[OPERATORS + 2], count = 0;
    struct pl_shape image = {1 + throw_dice(&d, 4), 2 + throw_dice(&d, 4), 2 + throw_dice(&d, 4)};
    *batch = 2 + throw_dice(&d, 3);
    values[count++] = pl_graph_input(g, image);
    values[count] = pl_graph_conv2d(g, values[0], "front", 1 + throw_dice(&d, 6), 3, 1, 1, false);
    count++;
    for (int i = 0; i < OPERATORS; i++, count++)
        values[count] = random_operator(g, &d, i, values, count);
    int x = values[count - 1];
    for (int i = count - 2; i > count - 7; i--) /* and some that may otherwise be read by nobody */
        x = pl_graph_concat(g, x, values[i]);
    return finish(g, x);
}

/* ---- numbers */

void network_fill(struct pl_net *net, const struct pl_graph *g, uint64_t seed)
{
    struct pl_random stream = pl_random_stream(seed, PL_STREAM_INIT);
    pl_net_initialise(net, stream);
    size_t count;
    const struct pl_parameter *all = pl_graph_parameters(g, &count);
    for (size_t t = 0; t < count; t++) { /* batch norms too start at random */
        if (all[t].initial.kind != PL_INITIAL_CONSTANT)
            continue;
        double *values = pl_new(all[t].count * sizeof *values);
        for (size_t i = 0; i < all[t].count; i++)
            values[i] = all[t].initial.value + pl_random_uniform(&stream, 1000 + t, i) - 0.5;
        pl_net_set(net, PL_PARAMETERS, all[t].name, values, NULL);
        free(values);
    }
    pl_net_dropout(net, pl_random_stream(seed, PL_STREAM_DROPOUT));
}

void network_batch(const struct pl_graph *g, int batch, uint64_t seed, double **images, int32_t **labels)
{
    struct pl_random stream = pl_random_stream(seed, PL_STREAM_DATA);
    struct pl_shape s = pl_graph_shape(g, 0);
    size_t count = (size_t)batch * (size_t)(s.channels * s.height * s.width);
    *images = pl_new(count * sizeof **images);
    *labels = pl_new((size_t)batch * sizeof **labels);
    for (size_t i = 0; i < count; i++)
        (*images)[i] = (float)pl_random_normal(&stream, 1, i); /* the same numbers in float */
    for (int i = 0; i < batch; i++)
        (*labels)[i] = (int32_t)pl_random_below(&stream, 2, (uint64_t)i, NETWORK_CLASSES);
}
