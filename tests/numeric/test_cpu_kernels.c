/* The cpu kernels other than convolutions, on every instruction set, against plain loops in double. */
#include "cpu_tensor.h"
#include <float.h>

static const int shapes[][4] = {{1, 1, 1, 1},    {5, 3, 7, 5},   {80, 17, 7, 5},
                                {128, 48, 4, 4}, {3, 160, 1, 1}, {2, 33, 9, 9}};

enum { SHAPES = sizeof shapes / sizeof *shapes, MOST = 160 };

#define FOR_SHAPES(s)                                                                                                  \
    for (int shape_number = 0; shape_number < SHAPES; shape_number++)                                                  \
        for (struct pl_cpu_shape s = pl_cpu_shape(shapes[shape_number][0], shapes[shape_number][1],                    \
                                                  shapes[shape_number][2], shapes[shape_number][3]);                   \
             s.batch; s.batch = 0)

/* A float array in plain order, from doubles. */
static float *floats_of(const double *plain, size_t count)
{
    float *list = pl_new(count * sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = (float)plain[i];
    return list;
}

static void layouts_change_both_ways(void **state)
{
    (void)state;
    FOR_SHAPES (s) {
        struct tensor t = tensor_new(&s);
        tensor_fill(&t, 1);
        float *plain = floats_of(t.plain, t.count), *back = pl_new(t.count * sizeof *back);
        FOR_ISAS (isa, k) {
            tensor_clear(&t);
            k->from_nchw(&s, plain, t.data, 2);
            assert_true(tensor_error(&t) == 0);
            k->to_nchw(&s, t.data, back, 2);
            assert_memory_equal(plain, back, t.count * sizeof *back);
        }
        free(plain);
        free(back);
        tensor_free(&t);
    }
}

static void channels_are_copied_anywhere(void **state)
{
    (void)state;
    const struct pl_cpu_shape from = pl_cpu_shape(5, 40, 3, 2), to = pl_cpu_shape(5, 70, 3, 2);
    struct tensor x = tensor_new(&from), y = tensor_new(&to);
    tensor_fill(&x, 1);
    static const int cases[][3] = {{0, 0, 40}, {3, 50, 20}, {16, 32, 16}, {39, 0, 1}, {5, 13, 30}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int add = 0; add < 2; add++)
            FOR_ISAS (isa, k) {
                tensor_fill(&y, 2);
                k->copy_channels(&from, x.data, cases[i][0], &to, y.data, cases[i][1], cases[i][2], add, 2);
                for (int n = 0; n < 5; n++)
                    for (int c = 0; c < cases[i][2]; c++)
                        for (int p = 0; p < 6; p++) {
                            double *v = &y.plain[plain_at(&to, n, cases[i][1] + c, p / 2, p % 2)];
                            const double u = x.plain[plain_at(&from, n, cases[i][0] + c, p / 2, p % 2)];
                            *v = add ? *v + u : u;
                        }
                assert_error(tensor_error(&y), 1e-7, "case %zu", i);
            }
    tensor_free(&x);
    tensor_free(&y);
}

/* Batch norm over one shape: everything that a case needs. */
struct norm_case {
    struct tensor x, residual, y, dy, dx, dresidual;
    float *gamma, *beta, dgamma[MOST], dbeta[MOST];
    double mean[MOST], variance[MOST], dgamma_wanted[MOST], dbeta_wanted[MOST];
    struct pl_cpu_norm norm;
};

static void norm_reference(struct norm_case *t, bool relu, bool residual)
{
    const struct pl_cpu_shape *s = &t->x.shape;
    const double count = (double)t->x.count / s->channels;
    double first[MOST] = {0}, second[MOST] = {0};
    memset(t->mean, 0, sizeof t->mean);
    memset(t->variance, 0, sizeof t->variance);
    FOR_ELEMENTS (s, n, c, y, x)
        t->mean[c] += t->x.plain[plain_at(s, n, c, y, x)] / count;
    FOR_ELEMENTS (s, n, c, y, x)
        t->variance[c] += pow(t->x.plain[plain_at(s, n, c, y, x)] - t->mean[c], 2) / count;
    FOR_ELEMENTS (s, n, c, y, x) {
        const size_t at = plain_at(s, n, c, y, x);
        const double hat = (t->x.plain[at] - t->mean[c]) / sqrt(t->variance[c] + t->norm.epsilon);
        double v = (double)t->gamma[c] * hat + (double)t->beta[c] + (residual ? t->residual.plain[at] : 0);
        t->y.plain[at] = relu && v < 0 ? 0 : v;
        t->dresidual.plain[at] = relu && !(v > 0) ? 0 : t->dy.plain[at];
        first[c] += t->dresidual.plain[at];
        second[c] += t->dresidual.plain[at] * hat;
    }
    FOR_ELEMENTS (s, n, c, y, x) {
        const size_t at = plain_at(s, n, c, y, x);
        const double inverse = 1 / sqrt(t->variance[c] + t->norm.epsilon);
        const double hat = (t->x.plain[at] - t->mean[c]) * inverse;
        t->dx.plain[at] = (double)t->gamma[c] * inverse *
                          (t->dresidual.plain[at] - first[c] / count - hat * second[c] / count);
    }
    memcpy(t->dbeta_wanted, first, sizeof first);
    memcpy(t->dgamma_wanted, second, sizeof second);
}

static struct norm_case norm_case_new(const struct pl_cpu_shape *s)
{
    struct norm_case t = {.x = tensor_new(s),
                          .residual = tensor_new(s),
                          .y = tensor_new(s),
                          .dy = tensor_new(s),
                          .dx = tensor_new(s),
                          .dresidual = tensor_new(s)};
    tensor_fill(&t.x, 1);
    for (size_t i = 0; i < t.x.count; i++) /* a mean that is large beside the spread */
        t.x.plain[i] = t.x.plain[i] * 2 + 30;
    tensor_push(&t.x);
    tensor_fill(&t.residual, 2);
    tensor_fill(&t.dy, 3);
    t.gamma = random_floats((size_t)s->channels, 4, 0.5, 1);
    t.beta = random_floats((size_t)s->channels, 5, 1, 0);
    return t;
}

static void norm_case_free(struct norm_case *t)
{
    struct tensor *const all[] = {&t->x, &t->residual, &t->y, &t->dy, &t->dx, &t->dresidual};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tensor_free(all[i]);
    free(t->gamma);
    free(t->beta);
}

/* With one sample of one pixel, or gradients that cancel, nothing but rounding is left: compare with dy. */
static double gradient_error(const struct norm_case *t)
{
    double error = 0, size = 0;
    tensor_intact(&t->dx);
    FOR_ELEMENTS (&t->x.shape, n, c, y, x) {
        const size_t at = plain_at(&t->x.shape, n, c, y, x);
        const double inverse = 1 / sqrt(t->variance[c] + t->norm.epsilon);
        error += pow((double)t->dx.data[pl_cpu_index(&t->x.shape, n, c, y, x)] - t->dx.plain[at], 2);
        size += pow(t->dy.plain[at] * inverse, 2);
    }
    return sqrt(error / size);
}

static void norm_backward_agrees(const struct pl_cpu_kernels *k, struct norm_case *t, bool relu, bool residual,
                                 float *work, int threads)
{
    const struct pl_cpu_shape *s = &t->x.shape;
    const float *y = relu && residual ? t->y.data : NULL;
    tensor_clear(&t->dx);
    tensor_clear(&t->dresidual);
    k->norm_backward(s, &t->norm, t->x.data, y, t->dy.data, false, t->dx.data, residual ? t->dresidual.data : NULL,
                     t->dgamma, t->dbeta, work, threads);
    assert_error(gradient_error(t), 5e-6, "dx, relu %d, residual %d", relu, residual);
    if (residual)
        assert_error(tensor_error(&t->dresidual), 1e-6, "dresidual");
    assert_error(list_error(t->dbeta, t->dbeta_wanted, (size_t)s->channels), 1e-6, "dbeta");
    assert_error(list_error(t->dgamma, t->dgamma_wanted, (size_t)s->channels), 5e-6, "dgamma");

    struct tensor in_place = tensor_new(s);
    if (residual) {
        struct tensor dx = tensor_new(s);
        memcpy(in_place.data, t->dy.data, pl_cpu_floats(s) * sizeof(float));
        k->norm_backward(s, &t->norm, t->x.data, y, in_place.data, false, dx.data, in_place.data, t->dgamma, t->dbeta,
                         work, threads);
        assert_memory_equal(dx.data, t->dx.data, pl_cpu_floats(s) * sizeof(float));
        FOR_ELEMENTS (s, n, c, i, j)
            assert_true(in_place.data[pl_cpu_index(s, n, c, i, j)] == t->dresidual.data[pl_cpu_index(s, n, c, i, j)]);
        tensor_free(&dx);
    }
    memcpy(in_place.data, t->dy.data, pl_cpu_floats(s) * sizeof(float));
    k->norm_backward(s, &t->norm, t->x.data, y, in_place.data, false, in_place.data, NULL, t->dgamma, t->dbeta, work,
                     threads);
    assert_memory_equal(in_place.data, t->dx.data, pl_cpu_floats(s) * sizeof(float));
    k->norm_backward(s, &t->norm, t->x.data, y, t->dy.data, true, in_place.data, NULL, t->dgamma, t->dbeta, work,
                     threads);
    for (size_t i = 0; i < t->dx.count; i++)
        t->dx.plain[i] *= 2;
    float *once = t->dx.data;
    t->dx.data = in_place.data;
    assert_error(gradient_error(t), 1e-5, "dx added to");
    t->dx.data = once;
    for (size_t i = 0; i < t->dx.count; i++)
        t->dx.plain[i] /= 2;
    tensor_free(&in_place);
}

static void batch_norm_agrees(void **state)
{
    (void)state;
    FOR_SHAPES (s) {
        struct norm_case t = norm_case_new(&s);
        float *work = pl_arena(pl_cpu_norm_workspace(&s), sizeof *work);
        FOR_ISAS (isa, k)
            for (int option = 0; option < 12; option++) {
                const bool relu = option % 2, residual = option / 2 % 2;
                const int threads = option / 4 + 1;
                double mean[MOST], variance[MOST];
                t.norm = (struct pl_cpu_norm){t.mean, t.variance, t.gamma, t.beta, 1e-5, relu};
                norm_reference(&t, relu, residual);
                k->norm_statistics(&s, t.x.data, mean, variance, work, threads);
                for (int c = 0; c < s.channels; c++) {
                    assert_error(fabs(mean[c] - t.mean[c]), 1e-5, "mean");
                    assert_error(fabs(variance[c] - t.variance[c]), 1e-6 * (1 + t.variance[c]), "variance");
                }
                k->norm_forward(&s, &t.norm, t.x.data, residual ? t.residual.data : NULL, t.y.data, threads);
                assert_error(tensor_error(&t.y), 5e-6, "%s, relu %d, residual %d", pl_isa_name(isa), relu, residual);
                norm_backward_agrees(k, &t, relu, residual, work, threads);
            }
        free(work);
        norm_case_free(&t);
    }
}

/* Beyond the caches, results are stored past them. */
static void large_tensors_are_normalised(void **state)
{
    (void)state;
    const struct pl_cpu_shape s = pl_cpu_shape(300, 1, 30, 30);
    struct tensor x = tensor_new(&s), y = tensor_new(&s);
    const double mean = 0.25, variance = 4;
    const float gamma = 3, beta = -1;
    tensor_fill(&x, 1);
    FOR_ISAS (isa, k)
        for (int relu = 0; relu < 2; relu++)
            for (int residual = 0; residual < 2; residual++) {
                const struct pl_cpu_norm norm = {&mean, &variance, &gamma, &beta, 0, relu};
                for (size_t i = 0; i < y.count; i++) {
                    const double v = 3 * (x.plain[i] - 0.25) / 2 - 1 + (residual ? x.plain[i] : 0);
                    y.plain[i] = relu && v < 0 ? 0 : v;
                }
                tensor_clear(&y);
                k->norm_forward(&s, &norm, x.data, residual ? x.data : NULL, y.data, 2);
                assert_error(tensor_error(&y), 1e-6, "%s, relu %d, residual %d", pl_isa_name(isa), relu, residual);
            }
    tensor_free(&x);
    tensor_free(&y);
}

static void sums_do_not_depend_on_threads(void **state)
{
    (void)state;
    FOR_SHAPES (s) {
        struct norm_case t = norm_case_new(&s);
        float *work = pl_arena(pl_cpu_norm_workspace(&s), sizeof *work);
        float *first = pl_new(pl_cpu_floats(&s) * sizeof *first), bias[2][MOST];
        t.norm = (struct pl_cpu_norm){t.mean, t.variance, t.gamma, t.beta, 1e-5, true};
        FOR_ISAS (isa, k)
            for (int threads = 1; threads <= 4; threads++) {
                double mean[MOST];
                memcpy(mean, t.mean, sizeof mean);
                k->norm_statistics(&s, t.x.data, t.mean, t.variance, work, threads);
                k->norm_backward(&s, &t.norm, t.x.data, NULL, t.dy.data, false, t.dx.data, NULL, t.dgamma, t.dbeta,
                                 work, threads);
                k->bias_backward(&s, t.dy.data, bias[threads > 1], work, threads);
                if (threads > 1) {
                    assert_memory_equal(mean, t.mean, (size_t)s.channels * sizeof *mean);
                    assert_memory_equal(first, t.dx.data, pl_cpu_floats(&s) * sizeof *first);
                    assert_memory_equal(bias[0], bias[1], (size_t)s.channels * sizeof **bias);
                }
                memcpy(first, t.dx.data, pl_cpu_floats(&s) * sizeof *first);
            }
        double sums[MOST] = {0};
        FOR_ELEMENTS (&s, n, c, y, x)
            sums[c] += t.dy.plain[plain_at(&s, n, c, y, x)];
        assert_error(list_error(bias[0], sums, (size_t)s.channels), 1e-6, "bias gradient");
        free(first);
        free(work);
        norm_case_free(&t);
    }
}

/* y of the elementwise kernels: 0 relu, 1 relu backward, 2 sum, 3 sum and relu, 4 dropout */
static double elementwise_reference(int which, double a, double b, bool keep)
{
    switch (which) {
    case 0:
        return a > 0 ? a : 0;
    case 1:
        return a > 0 ? b : 0;
    case 2:
        return a + b;
    case 3:
        return a + b > 0 ? a + b : 0;
    default:
        return keep ? a * 1.25 : 0;
    }
}

static void elementwise(const struct pl_cpu_kernels *k, int which, const struct pl_cpu_shape *s, const float *a,
                        const float *b, const uint8_t *keep, float *y, int threads)
{
    if (which == 0)
        k->relu_forward(s, a, y, threads);
    else if (which == 1)
        k->relu_backward(s, a, b, y, threads);
    else if (which == 4)
        k->dropout(s, a, keep, 1.25f, y, threads);
    else
        (which == 2 ? k->add : k->add_relu)(s, a, b, y, threads);
}

static void elementwise_kernels_agree(void **state)
{
    (void)state;
    FOR_SHAPES (s) {
        struct tensor a = tensor_new(&s), b = tensor_new(&s), y = tensor_new(&s);
        tensor_fill(&a, 1);
        tensor_fill(&b, 2);
        uint8_t *keep = pl_new(a.count);
        for (size_t i = 0; i < a.count; i++)
            keep[i] = b.plain[i] > -0.5;
        for (int which = 0; which < 5; which++) {
            for (size_t i = 0; i < y.count; i++)
                y.plain[i] = elementwise_reference(which, a.plain[i], b.plain[i], keep[i]);
            FOR_ISAS (isa, k)
                for (int threads = 1; threads < 3; threads++) {
                    tensor_clear(&y);
                    elementwise(k, which, &s, a.data, b.data, keep, y.data, threads);
                    assert_error(tensor_error(&y), 1e-7, "kernel %d", which);
                }
        }
        free(keep);
        tensor_free(&a);
        tensor_free(&b);
        tensor_free(&y);
    }
}

static void not_a_number_is_handed_on(void **state)
{
    (void)state;
    const struct pl_cpu_shape s = pl_cpu_shape(3, 5, 2, 2);
    const int two[2] = {2, 2}, none[2] = {0, 0};
    const struct pl_cpu_pool pool = pl_cpu_pool(&s, two, two, none);
    struct tensor x = tensor_new(&s), y = tensor_new(&s), small = tensor_new(&pool.y);
    FOR_ISAS (isa, k)
        for (int at = 0; at < 4; at++) {
            tensor_fill(&x, 1);
            x.data[pl_cpu_index(&s, 1, 3, at / 2, at % 2)] = NAN;
            k->relu_forward(&s, x.data, y.data, 1);
            assert_true(isnan(y.data[pl_cpu_index(&s, 1, 3, at / 2, at % 2)]));
            k->max_forward(&pool, x.data, small.data, 1);
            assert_true(isnan(small.data[pl_cpu_index(&pool.y, 1, 3, 0, 0)]));
            assert_false(isnan(small.data[pl_cpu_index(&pool.y, 0, 3, 0, 0)]));
        }
    tensor_free(&x);
    tensor_free(&y);
    tensor_free(&small);
}

/* Reference of both poolings: forward into y, the gradient of dy into dx. */
static void pool_reference(const struct pl_cpu_pool *p, bool most, const struct tensor *x, struct tensor *y,
                           const struct tensor *dy, struct tensor *dx)
{
    memset(dx->plain, 0, dx->count * sizeof *dx->plain);
    FOR_ELEMENTS (&p->y, n, c, oy, ox) {
        const size_t out = plain_at(&p->y, n, c, oy, ox);
        double best = -INFINITY, sum = 0;
        size_t at = 0;
        for (int ky = 0; ky < p->kernel[0]; ky++)
            for (int kx = 0; kx < p->kernel[1]; kx++) {
                const int iy = oy * p->stride[0] + ky - p->pad[0], ix = ox * p->stride[1] + kx - p->pad[1];
                if (iy < 0 || iy >= p->x.height || ix < 0 || ix >= p->x.width)
                    continue;
                const size_t in = plain_at(&p->x, n, c, iy, ix);
                sum += x->plain[in];
                if (x->plain[in] > best) {
                    best = x->plain[in];
                    at = in;
                }
                if (!most)
                    dx->plain[in] += dy->plain[out] / (p->kernel[0] * p->kernel[1]);
            }
        y->plain[out] = most ? best : sum / (p->kernel[0] * p->kernel[1]);
        if (most)
            dx->plain[at] += dy->plain[out];
    }
}

static void pool_agrees(const struct pl_cpu_pool *p, bool most)
{
    struct tensor x = tensor_new(&p->x), dx = tensor_new(&p->x), y = tensor_new(&p->y), dy = tensor_new(&p->y);
    tensor_fill(&x, 1);
    for (size_t i = 0; i < x.count; i++) /* few values, so that maxima tie */
        x.plain[i] = round(2 * x.plain[i]);
    tensor_push(&x);
    tensor_fill(&dy, 2);
    pool_reference(p, most, &x, &y, &dy, &dx);
    FOR_ISAS (isa, k)
        for (int threads = 1; threads <= 3; threads++) {
            tensor_clear(&y);
            tensor_clear(&dx);
            FOR_ELEMENTS (&p->x, n, c, iy, ix)
                dx.data[pl_cpu_index(&p->x, n, c, iy, ix)] = 7; /* what a buffer held before */
            for (int add = 0; add < 2; add++) {
                if (most) {
                    k->max_forward(p, x.data, y.data, threads);
                    k->max_backward(p, x.data, y.data, dy.data, add, dx.data, threads);
                } else {
                    k->average_forward(p, x.data, y.data, threads);
                    k->average_backward(p, dy.data, add, dx.data, threads);
                }
                assert_error(tensor_error(&y), 1e-6, "pooling %d forward", most);
                assert_error(tensor_error(&dx), 1e-6, "pooling %d backward", most);
                for (size_t i = 0; i < dx.count; i++) /* the next round adds the same again */
                    dx.plain[i] *= add ? 0.5 : 2;
            }
        }
    tensor_free(&x);
    tensor_free(&dx);
    tensor_free(&y);
    tensor_free(&dy);
}

static void pooling_agrees(void **state)
{
    (void)state;
    static const struct {
        int kernel[2], stride[2], pad[2];
    } windows[] = {{{1, 1}, {1, 1}, {0, 0}},
                   {{2, 2}, {2, 2}, {0, 0}},
                   {{3, 3}, {2, 2}, {1, 1}},
                   {{3, 2}, {1, 3}, {1, 0}},
                   {{1, 2}, {3, 2}, {0, 0}}}; /* some pixels in no window */
    FOR_SHAPES (s) {
        for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
            if (s.height + 2 * windows[i].pad[0] < windows[i].kernel[0] ||
                s.width + 2 * windows[i].pad[1] < windows[i].kernel[1])
                continue;
            const struct pl_cpu_pool p = pl_cpu_pool(&s, windows[i].kernel, windows[i].stride, windows[i].pad);
            pool_agrees(&p, true);
            pool_agrees(&p, false);
        }
        const int whole[2] = {s.height, s.width}, one[2] = {1, 1}, none[2] = {0, 0};
        const struct pl_cpu_pool p = pl_cpu_pool(&s, whole, one, none);
        pool_agrees(&p, true);
        pool_agrees(&p, false);
    }
    const struct pl_cpu_shape large = pl_cpu_shape(300, 1, 30, 31); /* results are stored past the caches */
    const int two[2] = {2, 2}, none[2] = {0, 0};
    const struct pl_cpu_pool p = pl_cpu_pool(&large, two, two, none);
    pool_agrees(&p, true);
    pool_agrees(&p, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_change_both_ways),
        cmocka_unit_test(channels_are_copied_anywhere),
        cmocka_unit_test(batch_norm_agrees),
        cmocka_unit_test(large_tensors_are_normalised),
        cmocka_unit_test(sums_do_not_depend_on_threads),
        cmocka_unit_test(elementwise_kernels_agree),
        cmocka_unit_test(not_a_number_is_handed_on),
        cmocka_unit_test(pooling_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
