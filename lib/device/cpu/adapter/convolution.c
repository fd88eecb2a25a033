#include "device/cpu/adapter/adapter.h"

/* One pass of one convolution, and what it needs in its workspace. */
struct pass {
    struct pl_cpu_conv conv;
    enum pl_cpu_pass pass;
    enum pl_cpu_algorithm algorithm;
    size_t weights; /* floats of the weights with gaps, 0 where there are none */
    size_t operand, work;
    bool locked; /* a linear layer that multiplies only what a locked dropout has kept */
    size_t mask; /* bytes of that */
    struct pl_cpu_locked product;
    struct pl_cpu_norm norm; /* that x is still to have */
    size_t norm_bytes;
};

/* The samples of each step as a pixel: sums over the samples of a pixel are short enough for L1. */
static void by_step(struct pl_cpu_shape *shape, int steps)
{
    shape->batch /= steps;
    shape->width = steps;
    shape->pixel = (size_t)shape->batch * 16;
}

static void plan_locked(const struct pl_device *d, const struct pl_view *x, struct pass *p)
{
    p->locked = true;
    p->mask = cpu_locked_mask_size(x);
    p->product = (struct pl_cpu_locked){.x = cpu_shape(x), .y = pl_cpu_shape(x->batch, p->conv.y.channels, 1, 1)};
    p->product.steps = x->steps;
    size_t work = cpu_kernels(d)->locked_workspace(&p->product, d->options.threads);
    p->work = work > p->work ? work : p->work;
}

/* What a pass is; conv.norm, where there is one, says no more than that until `defer` fills it in. */
static struct pass plan_pass(const struct pl_device *d, const struct pl_window *c, const struct pl_view *x,
                             const struct pl_view *y, enum pl_cpu_pass pass)
{
    static const struct pl_cpu_norm some;
    struct pl_cpu_shape shape = cpu_shape(x);
    struct pass p = {.conv = pl_cpu_conv(&shape, y->channels, c->kernel, c->stride, c->padding), .pass = pass};
    if (x->steps > 1 && pass == PL_CPU_BACKWARD_WEIGHTS && x->height * x->width == 1) {
        by_step(&p.conv.x, x->steps);
        by_step(&p.conv.y, x->steps);
    }
    if (x->deferred.norm) {
        p.conv.norm = &some;
        p.norm_bytes = cpu_norm_bytes(x);
    }
    p.algorithm = pl_cpu_conv_choose(&p.conv, pass, d->options.exact);
    p.operand = pl_cpu_conv_operand(&p.conv, pass, p.algorithm);
    p.work = pl_cpu_conv_workspace(&p.conv, pass, p.algorithm, d->options.threads);
    if (cpu_is_locked(x) && p.algorithm == PL_CPU_DIRECT && c->kernel[0] * c->kernel[1] == 1)
        plan_locked(d, x, &p);
    if (cpu_has_gaps(x))
        p.weights = (size_t)y->channels * (size_t)shape.channels * (size_t)c->kernel[0] * (size_t)c->kernel[1];
    return p;
}

static size_t bytes_of(const struct pass *p, const struct pl_view *y)
{
    struct pl_cpu_shape shape = cpu_shape(y);
    size_t work = p->work;
    if (p->pass == PL_CPU_BACKWARD_WEIGHTS && pl_cpu_norm_workspace(&shape) > work)
        work = pl_cpu_norm_workspace(&shape); /* the bias, afterwards */
    return p->norm_bytes + cpu_cut_bytes(p->mask, 1) + cpu_cut_bytes(p->weights, sizeof(float)) +
           cpu_cut_bytes(p->operand, sizeof(float)) + cpu_cut_bytes(work, sizeof(float));
}

void cpu_convolution_choose(struct pl_device *d, const struct pl_window *c, const struct pl_view *x,
                            const struct pl_view *y, struct pl_convolution_choice *choice)
{
    const char **names[PL_CPU_PASSES] = {&choice->forward, &choice->backward_data, &choice->backward_weights};
    choice->workspace = 0;
    for (int pass = 0; pass < PL_CPU_PASSES; pass++) {
        struct pass p = plan_pass(d, c, x, y, (enum pl_cpu_pass)pass);
        size_t bytes = bytes_of(&p, y);
        *names[pass] = pl_cpu_algorithm_name(p.algorithm);
        if (bytes > choice->workspace)
            choice->workspace = bytes;
    }
}

/* The mask of a locked x, cut from work. */
static void draw(struct pass *p, const struct pl_view *x, void **work)
{
    uint8_t *keep = cpu_cut(work, p->mask, 1);
    cpu_locked_mask(x, keep);
    p->product.keep = keep;
}

/* The batch norm that x is still to have, cut from work. */
static void defer(struct pass *p, const struct pl_view *x, void **work)
{
    const struct pl_deferred *n = &x->deferred;
    if (!n->norm)
        return;
    p->norm = cpu_norm_of(n->norm, x, n->weight, n->bias, n->mean, n->variance, work);
    p->conv.norm = &p->norm;
}

/* The operand of a forward or backward data pass, cut from work. */
static const float *prepare(const struct pl_device *d, const struct pass *p, const struct pl_view *x,
                            const float *weight, void **work)
{
    size_t taps = (size_t)p->conv.kernel[0] * (size_t)p->conv.kernel[1];
    float *spread = cpu_cut(work, p->weights, sizeof(float)), *operand = cpu_cut(work, p->operand, sizeof(float));
    if (p->weights) {
        cpu_spread(x, weight, (size_t)p->conv.y.channels, taps, spread);
        weight = spread;
    }
    cpu_kernels(d)->conv_prepare(&p->conv, p->pass, p->algorithm, weight, operand, d->options.threads);
    return operand;
}

void cpu_convolution_forward(struct pl_device *d, const struct pl_window *c, const struct pl_view *x,
                             const void *weight, const void *bias, const struct pl_view *y, bool moments, void *work)
{
    struct pass p = plan_pass(d, c, x, y, PL_CPU_FORWARD);
    if (p.locked && !moments)
        draw(&p, x, &work);
    defer(&p, x, &work);
    const float *operand = prepare(d, &p, x, weight, &work);
    struct pl_cpu_output output = {.bias = bias};
    if (p.locked && !moments) {
        cpu_kernels(d)->locked_forward(&p.product, cpu_data(x), operand, bias, cpu_data(y), work, d->options.threads);
        return;
    }
    if (moments) {
        output.mean = y->moments + y->first;
        output.variance = y->moments + y->stored + y->first;
    }
    cpu_kernels(d)->conv_forward(&p.conv, p.algorithm, cpu_data(x), operand, &output, cpu_data(y), work,
                                 d->options.threads);
}

void cpu_convolution_backward_data(struct pl_device *d, const struct pl_window *c, const struct pl_view *dy,
                                   const void *weight, const struct pl_view *dx, bool accumulate, void *work)
{
    struct pass p = plan_pass(d, c, dx, dy, PL_CPU_BACKWARD_DATA);
    if (p.locked)
        draw(&p, dx, &work);
    const float *operand = prepare(d, &p, dx, weight, &work);
    if (p.locked) {
        cpu_kernels(d)->locked_backward_data(&p.product, cpu_data(dy), operand, accumulate, cpu_data(dx), work,
                                             d->options.threads);
        return;
    }
    cpu_kernels(d)->conv_backward_data(&p.conv, p.algorithm, cpu_data(dy), operand, accumulate, cpu_data(dx), work,
                                       d->options.threads);
}

void cpu_convolution_backward_weights(struct pl_device *d, const struct pl_window *c, const struct pl_view *x,
                                      const struct pl_view *dy, void *dweight, void *dbias, void *work)
{
    struct pass p = plan_pass(d, c, x, dy, PL_CPU_BACKWARD_WEIGHTS);
    if (p.locked)
        draw(&p, x, &work);
    defer(&p, x, &work);
    float *spread = cpu_cut(&work, p.weights, sizeof(float));
    if (p.locked)
        cpu_kernels(d)->locked_backward_weights(&p.product, cpu_data(x), cpu_data(dy), dweight, work,
                                                d->options.threads);
    else
        cpu_kernels(d)->conv_backward_weights(&p.conv, p.algorithm, cpu_data(x), cpu_data(dy),
                                              p.weights ? spread : dweight, work, d->options.threads);
    if (p.weights)
        cpu_gather(x, spread, (size_t)dy->channels, (size_t)c->kernel[0] * (size_t)c->kernel[1], dweight);
    if (dbias)
        cpu_kernels(d)->bias_backward(&p.conv.y, cpu_data(dy), dbias, work, d->options.threads);
}
