/* Every convolution algorithm of the cpu kernels, on every instruction set, against sums in double. */
#include "cpu_tensor.h"

/* A convolution with its reference results. */
struct problem {
    struct pl_cpu_conv conv;
    struct tensor x, y, dx, dy;
    float *weights, *bias, *dweights;
    double *dweights_wanted;
    size_t weight_count;
};

struct size {
    int batch, in, out, height, width, kernel[2], stride[2], pad[2];
};

static const struct size sizes[] = {
    {1, 1, 1, 1, 1, {1, 1}, {1, 1}, {0, 0}},     {5, 3, 17, 7, 5, {3, 3}, {1, 1}, {1, 1}},
    {80, 3, 33, 7, 5, {3, 3}, {1, 1}, {1, 1}},   {5, 17, 3, 7, 5, {3, 3}, {1, 1}, {1, 1}},
    {80, 17, 32, 4, 4, {3, 3}, {1, 1}, {1, 1}},  {1, 17, 17, 7, 5, {3, 3}, {2, 2}, {1, 1}},
    {5, 16, 48, 9, 7, {3, 3}, {2, 2}, {1, 1}},   {80, 33, 17, 7, 5, {1, 1}, {2, 2}, {0, 0}},
    {5, 48, 80, 7, 5, {1, 1}, {1, 1}, {0, 0}},   {1, 32, 32, 1, 1, {3, 3}, {1, 1}, {1, 1}},
    {5, 64, 64, 8, 8, {3, 3}, {1, 1}, {1, 1}},   {80, 16, 16, 2, 2, {3, 3}, {1, 1}, {1, 1}},
    {3, 17, 40, 6, 11, {3, 3}, {1, 1}, {0, 0}},  {3, 20, 20, 5, 6, {3, 3}, {1, 1}, {2, 2}},
    {3, 1, 5, 7, 6, {5, 3}, {2, 1}, {2, 0}},     {3, 4, 20, 9, 8, {5, 5}, {1, 2}, {4, 1}},
    {5, 17, 10, 4, 3, {4, 3}, {1, 1}, {0, 0}},   {2, 16, 16, 7, 7, {1, 1}, {3, 3}, {0, 0}},
    {80, 200, 10, 1, 1, {1, 1}, {1, 1}, {0, 0}}, {1, 300, 40, 3, 3, {2, 3}, {1, 2}, {1, 1}},
    {128, 64, 32, 5, 5, {3, 3}, {1, 1}, {1, 1}}, {130, 8, 16, 4, 8, {3, 3}, {1, 1}, {1, 1}},
    {2, 160, 144, 4, 5, {3, 3}, {1, 1}, {1, 1}}, {31, 2, 2, 3, 3, {10, 10}, {1, 1}, {5, 5}},
    {2, 290, 280, 3, 5, {3, 3}, {1, 1}, {1, 1}}, /* Winograd's sums in more than one piece */
    {300, 1, 2, 30, 30, {3, 3}, {1, 1}, {1, 1}}, /* beyond the caches: results are stored past them */
};

static const double limits[PL_CPU_ALGORITHMS] = {1e-6, 1e-6, 1e-6, 1e-5};

/* Runs over the products of the convolution: y[oy][ox] += x[iy][ix] * w[o][i][ky][kx]. */
static void reference(struct problem *p)
{
    const struct pl_cpu_conv *v = &p->conv;
    const int ins = v->x.channels;
    memset(p->y.plain, 0, p->y.count * sizeof *p->y.plain);
    memset(p->dx.plain, 0, p->dx.count * sizeof *p->dx.plain);
    memset(p->dweights_wanted, 0, p->weight_count * sizeof *p->dweights_wanted);
    FOR_ELEMENTS (&v->y, n, o, oy, ox) {
        const size_t out = plain_at(&v->y, n, o, oy, ox);
        for (int i = 0; i < ins; i++)
            for (int ky = 0; ky < v->kernel[0]; ky++)
                for (int kx = 0; kx < v->kernel[1]; kx++) {
                    const int iy = oy * v->stride[0] + ky - v->pad[0], ix = ox * v->stride[1] + kx - v->pad[1];
                    if (iy < 0 || iy >= v->x.height || ix < 0 || ix >= v->x.width)
                        continue;
                    const size_t in = plain_at(&v->x, n, i, iy, ix);
                    const size_t w = (((size_t)o * (size_t)ins + (size_t)i) * (size_t)v->kernel[0] + (size_t)ky) *
                                         (size_t)v->kernel[1] +
                                     (size_t)kx;
                    p->y.plain[out] += p->x.plain[in] * (double)p->weights[w];
                    p->dx.plain[in] += p->dy.plain[out] * (double)p->weights[w];
                    p->dweights_wanted[w] += p->dy.plain[out] * p->x.plain[in];
                }
    }
}

static struct problem problem_new(const struct size *s)
{
    const struct pl_cpu_shape x = pl_cpu_shape(s->batch, s->in, s->height, s->width);
    struct problem p = {.conv = pl_cpu_conv(&x, s->out, s->kernel, s->stride, s->pad)};
    p.x = tensor_new(&p.conv.x);
    p.dx = tensor_new(&p.conv.x);
    p.y = tensor_new(&p.conv.y);
    p.dy = tensor_new(&p.conv.y);
    p.weight_count = (size_t)s->in * (size_t)s->out * (size_t)s->kernel[0] * (size_t)s->kernel[1];
    p.weights = random_floats(p.weight_count, 3, 0.1, 0);
    p.bias = random_floats((size_t)s->out, 4, 1, 0);
    p.dweights = pl_new(p.weight_count * sizeof *p.dweights);
    p.dweights_wanted = pl_new(p.weight_count * sizeof *p.dweights_wanted);
    tensor_fill(&p.x, 1);
    tensor_fill(&p.dy, 2);
    reference(&p);
    return p;
}

static void problem_free(struct problem *p)
{
    tensor_free(&p->x);
    tensor_free(&p->dx);
    tensor_free(&p->y);
    tensor_free(&p->dy);
    free(p->weights);
    free(p->bias);
    free(p->dweights);
    free(p->dweights_wanted);
}

/* A workspace or operand filled with NaN, with a guard behind it. */
enum { GUARD = 16 };
static float *scratch(size_t count)
{
    float *work = pl_arena(count + GUARD, sizeof *work);
    assert_non_null(work);
    for (size_t i = 0; i < count + GUARD; i++)
        work[i] = NAN;
    return work;
}

static void scratch_free(float *work, size_t count)
{
    for (size_t i = count; i < count + GUARD; i++)
        assert_true(isnan(work[i]));
    free(work);
}

static void run(const struct pl_cpu_kernels *k, struct problem *p, enum pl_cpu_pass pass,
                enum pl_cpu_algorithm algorithm, const struct pl_cpu_output *output, bool add, int threads)
{
    const size_t operands = pl_cpu_conv_operand(&p->conv, pass, algorithm);
    const size_t works = pl_cpu_conv_workspace(&p->conv, pass, algorithm, threads);
    float *operand = scratch(operands), *work = scratch(works);
    if (pass != PL_CPU_BACKWARD_WEIGHTS)
        k->conv_prepare(&p->conv, pass, algorithm, p->weights, operand, threads);
    if (pass == PL_CPU_FORWARD)
        k->conv_forward(&p->conv, algorithm, p->x.data, operand, output, p->y.data, work, threads);
    else if (pass == PL_CPU_BACKWARD_DATA)
        k->conv_backward_data(&p->conv, algorithm, p->dy.data, operand, add, p->dx.data, work, threads);
    else
        k->conv_backward_weights(&p->conv, algorithm, p->x.data, p->dy.data, p->dweights, work, threads);
    scratch_free(operand, operands);
    scratch_free(work, works);
}

/* The result of a pass, as bits, to be compared between numbers of threads. */
static const float *result(const struct problem *p, enum pl_cpu_pass pass, size_t *count)
{
    *count = pass == PL_CPU_FORWARD         ? pl_cpu_floats(&p->y.shape)
             : pass == PL_CPU_BACKWARD_DATA ? pl_cpu_floats(&p->dx.shape)
                                            : p->weight_count;
    return pass == PL_CPU_FORWARD ? p->y.data : pass == PL_CPU_BACKWARD_DATA ? p->dx.data : p->dweights;
}

static double error_of(const struct problem *p, enum pl_cpu_pass pass)
{
    if (pass == PL_CPU_BACKWARD_WEIGHTS)
        return list_error(p->dweights, p->dweights_wanted, p->weight_count);
    return tensor_error(pass == PL_CPU_FORWARD ? &p->y : &p->dx);
}

static void check(enum pl_isa isa, struct problem *p, const struct size *s, enum pl_cpu_pass pass,
                  enum pl_cpu_algorithm algorithm, double *worst)
{
    const struct pl_cpu_kernels *k = pl_cpu_kernels(isa);
    size_t count;
    run(k, p, pass, algorithm, NULL, false, 1);
    const double error = error_of(p, pass);
    assert_error(error, limits[algorithm], "%s, %s, pass %d, batch %d, %d -> %d channels, %d x %d, kernel %d x %d",
                 pl_isa_name(isa), pl_cpu_algorithm_name(algorithm), (int)pass, s->batch, s->in, s->out, s->height,
                 s->width, s->kernel[0], s->kernel[1]);
    if (error > *worst)
        *worst = error;
    const float *bits = result(p, pass, &count);
    float *before = pl_new(count * sizeof *before);
    memcpy(before, bits, count * sizeof *before);
    for (int threads = 2; threads <= 3; threads++) {
        run(k, p, pass, algorithm, NULL, false, threads);
        assert_memory_equal(before, bits, count * sizeof *before);
    }
    free(before);
}

static void algorithms_agree_with_double(void **state)
{
    (void)state;
    double worst[PL_CPU_ALGORITHMS][PL_CPU_PASSES] = {{0}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct problem p = problem_new(&sizes[i]);
        FOR_ISAS (isa, kernels)
            for (enum pl_cpu_pass pass = 0; pass < PL_CPU_PASSES; pass++)
                for (enum pl_cpu_algorithm a = 0; a < PL_CPU_ALGORITHMS; a++)
                    if (pl_cpu_conv_can(&p.conv, pass, a))
                        check(isa, &p, &sizes[i], pass, a, &worst[a][pass]);
        problem_free(&p);
    }
    for (enum pl_cpu_algorithm a = 0; a < PL_CPU_ALGORITHMS; a++)
        print_message("%-9s largest relative RMS error: forward %.2g, data %.2g, weights %.2g\n",
                      pl_cpu_algorithm_name(a), worst[a][PL_CPU_FORWARD], worst[a][PL_CPU_BACKWARD_DATA],
                      worst[a][PL_CPU_BACKWARD_WEIGHTS]);
}

/* Bias, ReLU and statistics of the forward pass; adding to dx in backward data. */
static void outputs_are_finished(void **state)
{
    (void)state;
    static const struct size some[] = {{5, 17, 33, 7, 5, {3, 3}, {1, 1}, {1, 1}},
                                       {80, 3, 17, 6, 5, {3, 3}, {1, 1}, {1, 1}}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        struct problem p = problem_new(&some[i]);
        const struct pl_cpu_shape *s = &p.y.shape;
        double mean[64], variance[64], sum[64] = {0}, square[64] = {0};
        FOR_ELEMENTS (s, n, c, y, x) {
            double *v = &p.y.plain[plain_at(s, n, c, y, x)];
            *v = fmax(*v + (double)p.bias[c], 0);
            sum[c] += *v;
            square[c] += *v * *v;
        }
        for (size_t j = 0; j < p.dx.count; j++)
            p.dx.plain[j] += p.x.plain[j];
        const double count = (double)p.y.count / s->channels;
        FOR_ISAS (isa, k)
            for (enum pl_cpu_algorithm a = 0; a < PL_CPU_ALGORITHMS; a++) {
                if (!pl_cpu_conv_can(&p.conv, PL_CPU_FORWARD, a))
                    continue;
                const struct pl_cpu_output output = {p.bias, true, mean, variance};
                run(k, &p, PL_CPU_FORWARD, a, &output, false, 2);
                assert_error(tensor_error(&p.y), limits[a], "%s, %s", pl_isa_name(isa), pl_cpu_algorithm_name(a));
                for (int c = 0; c < s->channels; c++) {
                    const double m = sum[c] / count, v = square[c] / count - m * m;
                    assert_error(fabs(mean[c] - m), 10 * limits[a], "mean of channel %d", c);
                    assert_error(fabs(variance[c] - v), 10 * limits[a] * (1 + v), "variance of channel %d", c);
                }
                if (!pl_cpu_conv_can(&p.conv, PL_CPU_BACKWARD_DATA, a))
                    continue;
                FOR_ELEMENTS (&p.x.shape, n, c, y, x)
                    p.dx.data[pl_cpu_index(&p.x.shape, n, c, y, x)] = p.x.data[pl_cpu_index(&p.x.shape, n, c, y, x)];
                run(k, &p, PL_CPU_BACKWARD_DATA, a, NULL, true, 2);
                assert_error(tensor_error(&p.dx), limits[a], "%s, %s, added", pl_isa_name(isa),
                             pl_cpu_algorithm_name(a));
            }
        problem_free(&p);
    }
}

/* Slices of one buffer are tensors: read blocks 1 and 2 of x, write block 2 of y, leave the rest. */
static void slices_are_tensors(void **state)
{
    (void)state;
    const struct pl_cpu_shape wide = pl_cpu_shape(5, 64, 4, 4);
    const struct size s = {5, 32, 16, 4, 4, {3, 3}, {1, 1}, {1, 1}};
    struct problem p = problem_new(&s);
    FOR_ISAS (isa, k) {
        struct tensor x = tensor_new(&wide), y = tensor_new(&wide);
        k->copy_channels(&p.x.shape, p.x.data, 0, &wide, x.data, 16, 32, false, 2);
        float *own_x = p.x.data, *own_y = p.y.data;
        p.x.data = x.data + wide.block;
        p.y.data = y.data + 2 * wide.block;
        run(k, &p, PL_CPU_FORWARD, PL_CPU_WINOGRAD4, NULL, false, 1);
        p.x.data = own_x;
        p.y.data = own_y;
        k->copy_channels(&wide, y.data, 32, &p.y.shape, p.y.data, 0, 16, false, 1);
        assert_error(tensor_error(&p.y), limits[PL_CPU_WINOGRAD4], "%s", pl_isa_name(isa));
        FOR_ELEMENTS (&wide, n, c, iy, ix)
            assert_true(c / 16 == 2 || y.data[pl_cpu_index(&wide, n, c, iy, ix)] == 0);
        tensor_intact(&y);
        tensor_free(&x);
        tensor_free(&y);
    }
    problem_free(&p);
}

static void fill(struct tensor *t, float value)
{
    FOR_ELEMENTS (&t->shape, n, c, y, x)
        t->data[pl_cpu_index(&t->shape, n, c, y, x)] = value;
}

/* Sums below the normal range become zero where the processor can do that, and the caller's arithmetic stays as it was.
 */
static void tiny_sums_are_zero(void **state)
{
    (void)state;
    const struct size s = {5, 17, 20, 1, 1, {1, 1}, {1, 1}, {0, 0}};
    struct problem p = problem_new(&s);
    volatile float tiny = 1e-20f;
    for (size_t i = 0; i < p.weight_count; i++)
        p.weights[i] = tiny;
    FOR_ISAS (isa, k) {
        fill(&p.x, tiny);
        fill(&p.dy, tiny);
        for (enum pl_cpu_pass pass = 0; pass < PL_CPU_PASSES; pass++) {
            size_t count;
            run(k, &p, pass, PL_CPU_DIRECT, NULL, false, 2);
            const float *sums = result(&p, pass, &count);
#if defined(__x86_64__)
            for (size_t i = 0; i < count; i++)
                assert_true(isnan(sums[i]) || sums[i] == 0); /* NaN: gaps */
#else
            (void)sums;
#endif
            assert_true(tiny * tiny > 0);
        }
    }
    problem_free(&p);
}

static void the_choice_is_sensible(void **state)
{
    (void)state;
    static const struct {
        int in, size, kernel, stride;
        enum pl_cpu_algorithm forward, exact;
    } cases[] = {
        {3, 32, 3, 1, PL_CPU_PATCHES, PL_CPU_PATCHES},   {64, 32, 3, 1, PL_CPU_WINOGRAD4, PL_CPU_DIRECT},
        {512, 4, 3, 1, PL_CPU_WINOGRAD4, PL_CPU_DIRECT}, {512, 2, 3, 1, PL_CPU_DIRECT, PL_CPU_DIRECT},
        {64, 32, 3, 2, PL_CPU_DIRECT, PL_CPU_DIRECT},    {256, 8, 1, 1, PL_CPU_DIRECT, PL_CPU_DIRECT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct pl_cpu_shape x = pl_cpu_shape(128, cases[i].in, cases[i].size, cases[i].size);
        const int k[2] = {cases[i].kernel, cases[i].kernel}, s[2] = {cases[i].stride, cases[i].stride};
        const int pad[2] = {k[0] / 2, k[1] / 2};
        const struct pl_cpu_conv conv = pl_cpu_conv(&x, 64, k, s, pad);
        assert_int_equal(pl_cpu_conv_choose(&conv, PL_CPU_FORWARD, false), cases[i].forward);
        assert_int_equal(pl_cpu_conv_choose(&conv, PL_CPU_FORWARD, true), cases[i].exact);
        for (enum pl_cpu_pass pass = 0; pass < PL_CPU_PASSES; pass++)
            assert_true(pl_cpu_conv_can(&conv, pass, pl_cpu_conv_choose(&conv, pass, false)));
    }
}

/* A copy of what a pass gives. */
static float *copy_of_result(const struct problem *p, enum pl_cpu_pass pass, size_t *count)
{
    const float *values = result(p, pass, count);
    float *copy = pl_new(*count * sizeof *copy);
    memcpy(copy, values, *count * sizeof *copy);
    return copy;
}

/* Both passes that read x, of what norm_forward stores and of x itself, which they normalise: the same bits. */
static void check_normalised(const struct pl_cpu_kernels *k, struct problem *p, const struct pl_cpu_norm *norm)
{
    struct tensor x = p->x, y = tensor_new(&x.shape);
    const struct pl_cpu_output output = {.bias = p->bias};
    size_t count;
    k->norm_forward(&x.shape, norm, x.data, NULL, y.data, 1);
    for (enum pl_cpu_pass pass = PL_CPU_FORWARD; pass < PL_CPU_PASSES; pass++) {
        if (pass == PL_CPU_BACKWARD_DATA)
            continue;
        p->conv.norm = NULL;
        p->x = y;
        run(k, p, pass, PL_CPU_DIRECT, pass == PL_CPU_FORWARD ? &output : NULL, false, 1);
        float *want = copy_of_result(p, pass, &count);
        p->conv.norm = norm;
        p->x = x;
        for (int threads = 1; threads <= 3; threads++) {
            memset(p->dweights, -1, p->weight_count * sizeof *p->dweights);
            tensor_clear(&p->y);
            run(k, p, pass, PL_CPU_DIRECT, pass == PL_CPU_FORWARD ? &output : NULL, false, threads);
            assert_memory_equal(want, result(p, pass, &count), count * sizeof *want);
        }
        free(want);
    }
    p->conv.norm = NULL;
    tensor_free(&y);
}

static void input_is_normalised_while_it_is_read(void **state)
{
    (void)state;
    static const struct size some[] = {
        {5, 17, 33, 7, 5, {1, 1}, {1, 1}, {0, 0}},    {80, 144, 48, 4, 4, {1, 1}, {1, 1}, {0, 0}},
        {130, 300, 24, 2, 3, {1, 1}, {1, 1}, {0, 0}}, {13, 530, 300, 1, 1, {1, 1}, {1, 1}, {0, 0}},
        {300, 3, 20, 3, 3, {1, 1}, {1, 1}, {0, 0}},   {128, 16, 512, 9, 9, {1, 1}, {1, 1}, {0, 0}},
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        struct problem p = problem_new(&some[i]);
        const size_t channels = (size_t)some[i].in;
        float *gamma = random_floats(channels, 5, 1, 0.5), *beta = random_floats(channels, 6, 1, 0);
        double mean[1024], variance[1024];
        for (size_t c = 0; c < channels; c++) {
            mean[c] = 0.01 * (double)c - 1;
            variance[c] = 0.3 + 0.1 * (double)(c % 7);
        }
        struct pl_cpu_norm norm = {mean, variance, gamma, beta, 1e-5, false};
        FOR_ISAS (isa, kernels)
            for (int relu = 0; relu < 2; relu++) {
                norm.relu = relu;
                check_normalised(kernels, &p, &norm);
            }
        free(gamma);
        free(beta);
        problem_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algorithms_agree_with_double), cmocka_unit_test(outputs_are_finished),
        cmocka_unit_test(slices_are_tensors),           cmocka_unit_test(tiny_sums_are_zero),
        cmocka_unit_test(the_choice_is_sensible),       cmocka_unit_test(input_is_normalised_while_it_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
