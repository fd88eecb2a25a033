/* Products with locked sequences, on every instruction set, against sums in double and against dense products. */
#include "cpu_tensor.h"

struct size {
    int columns, steps, in, out;
    double dropped; /* share of the features; 2: all of the first column, none of the others */
};

static const struct size sizes[] = {
    {1, 1, 1, 1, 0},        {3, 5, 17, 33, 0.4},      {2, 13, 16, 16, 2},    {5, 12, 40, 70, 0.9},
    {4, 29, 300, 50, 0.25}, {20, 70, 48, 90, 0.4},    {7, 75, 130, 20, 0.4}, {3, 83, 257, 260, 0.5},
    {6, 35, 64, 3, 0.1},    {20, 130, 20, 1700, 0.4},
};

struct problem {
    struct pl_cpu_locked l;
    struct tensor x, y, dx, dy;
    float *weights, *bias, *dweights;
    double *dweights_wanted;
    size_t weight_count;
    uint8_t *keep;
};

static void reference(struct problem *p)
{
    const int ins = p->l.x.channels, columns = p->l.x.batch / p->l.steps;
    FOR_ELEMENTS (&p->l.y, n, o, oy, ox) {
        const size_t out = plain_at(&p->l.y, n, o, oy, ox);
        p->y.plain[out] = (double)p->bias[o];
        for (int i = 0; i < ins; i++) {
            const size_t in = plain_at(&p->l.x, n, i, 0, 0), w = (size_t)o * (size_t)ins + (size_t)i;
            p->y.plain[out] += p->x.plain[in] * (double)p->weights[w];
            p->dweights_wanted[w] += p->dy.plain[out] * p->x.plain[in];
            if (p->keep[n % columns * ins + i])
                p->dx.plain[in] += p->dy.plain[out] * (double)p->weights[w];
        }
    }
}

static void draw_mask(struct problem *p, const struct size *s)
{
    const struct pl_random r = pl_random_stream(5, PL_STREAM_DROPOUT);
    for (int i = 0; i < s->columns * s->in; i++)
        p->keep[i] = s->dropped > 1 ? i >= s->in : pl_random_uniform(&r, 0, (uint64_t)i) >= s->dropped;
    FOR_ELEMENTS (&p->l.x, n, c, y, x)
        if (!p->keep[n % s->columns * s->in + c])
            p->x.plain[plain_at(&p->l.x, n, c, y, x)] = 0;
    tensor_push(&p->x);
}

static struct problem problem_new(const struct size *s)
{
    struct problem p = {.l = {.x = pl_cpu_shape(s->columns * s->steps, s->in, 1, 1),
                              .y = pl_cpu_shape(s->columns * s->steps, s->out, 1, 1),
                              .steps = s->steps}};
    p.x = tensor_new(&p.l.x);
    p.dx = tensor_new(&p.l.x);
    p.y = tensor_new(&p.l.y);
    p.dy = tensor_new(&p.l.y);
    p.weight_count = (size_t)s->in * (size_t)s->out;
    p.weights = random_floats(p.weight_count, 3, 0.1, 0);
    p.bias = random_floats((size_t)s->out, 4, 1, 0);
    p.dweights = pl_new(p.weight_count * sizeof *p.dweights);
    p.dweights_wanted = pl_new(p.weight_count * sizeof *p.dweights_wanted);
    p.keep = pl_new((size_t)(s->columns * s->in));
    p.l.keep = p.keep;
    tensor_fill(&p.x, 1);
    tensor_fill(&p.dy, 2);
    draw_mask(&p, s);
    reference(&p);
    return p;
}

static void problem_free(struct problem *p)
{
    tensor_free(&p->x);
    tensor_free(&p->y);
    tensor_free(&p->dx);
    tensor_free(&p->dy);
    free(p->weights);
    free(p->bias);
    free(p->dweights);
    free(p->dweights_wanted);
    free(p->keep);
}

/* A workspace of exactly the size, so that sanitizers see what is written beyond it. */
static float *workspace(const struct pl_cpu_kernels *k, const struct problem *p, int threads)
{
    return pl_arena(k->locked_workspace(&p->l, threads), sizeof(float));
}

static float *operand(const struct pl_cpu_kernels *k, const struct problem *p, enum pl_cpu_pass pass)
{
    const struct pl_cpu_conv conv = {.x = p->l.x, .y = p->l.y, .kernel = {1, 1}, .stride = {1, 1}};
    float *made = pl_arena(pl_cpu_conv_operand(&conv, pass, PL_CPU_DIRECT), sizeof *made);
    k->conv_prepare(&conv, pass, PL_CPU_DIRECT, p->weights, made, 1);
    return made;
}

static void forward(const struct pl_cpu_kernels *k, struct problem *p, int threads, const char *what)
{
    float *work = workspace(k, p, threads), *w = operand(k, p, PL_CPU_FORWARD);
    tensor_clear(&p->y);
    k->locked_forward(&p->l, p->x.data, w, p->bias, p->y.data, work, threads);
    assert_error(tensor_error(&p->y), 1e-6, "forward, %s", what);
    /* The dense product has the same bits. */
    struct tensor dense = tensor_new(&p->l.y);
    const struct pl_cpu_conv conv = {.x = p->l.x, .y = p->l.y, .kernel = {1, 1}, .stride = {1, 1}};
    const struct pl_cpu_output output = {.bias = p->bias};
    k->conv_forward(&conv, PL_CPU_DIRECT, p->x.data, w, &output, dense.data, NULL, 1);
    if (memcmp(dense.data, p->y.data, pl_cpu_floats(&p->l.y) * sizeof *dense.data))
        fail_msg("forward, %s: not the bits of the dense product", what);
    tensor_free(&dense);
    free(work);
    free(w);
}

static void backward_data(const struct pl_cpu_kernels *k, struct problem *p, int threads, const char *what)
{
    float *work = workspace(k, p, threads), *w = operand(k, p, PL_CPU_BACKWARD_DATA);
    tensor_clear(&p->dx);
    k->locked_backward_data(&p->l, p->dy.data, w, false, p->dx.data, work, threads);
    assert_error(tensor_error(&p->dx), 1e-6, "backward data, %s", what);
    k->locked_backward_data(&p->l, p->dy.data, w, true, p->dx.data, work, threads);
    for (size_t i = 0; i < p->dx.count; i++)
        p->dx.plain[i] *= 2;
    assert_error(tensor_error(&p->dx), 1e-6, "backward data, added, %s", what);
    for (size_t i = 0; i < p->dx.count; i++)
        p->dx.plain[i] /= 2;
    free(work);
    free(w);
}

static void backward_weights(const struct pl_cpu_kernels *k, struct problem *p, int threads, const char *what)
{
    float *work = workspace(k, p, threads);
    k->locked_backward_weights(&p->l, p->x.data, p->dy.data, p->dweights, work, threads);
    assert_error(list_error(p->dweights, p->dweights_wanted, p->weight_count), 2e-6, "backward weights, %s", what);
    free(work);
}

static void locked_products_are_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct problem p = problem_new(&sizes[i]);
        float *kept = pl_new(p.weight_count * sizeof *kept);
        FOR_ISAS (isa, k)
            for (int threads = 1; threads <= 3; threads += 2) {
                char what[100];
                snprintf(what, sizeof what, "size %zu, %s, %d threads", i, pl_isa_name(isa), threads);
                forward(k, &p, threads, what);
                backward_data(k, &p, threads, what);
                backward_weights(k, &p, threads, what);
                if (threads == 1)
                    memcpy(kept, p.dweights, p.weight_count * sizeof *kept);
                else if (memcmp(kept, p.dweights, p.weight_count * sizeof *kept))
                    fail_msg("backward weights, %s: the bits depend on the number of threads", what);
            }
        free(kept);
        problem_free(&p);
    }
}

int main(void)
{
    pl_parallel_assume_cores(3);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locked_products_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
