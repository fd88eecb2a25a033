#include "device/cpu/kernels/curves.h"
#include "device/cpu/kernels/table.h"

struct operands {
    const struct pl_cpu_shape *shape;
    const float *x, *dy; /* dy NULL: forward */
    bool add;
    float *out;
};

static vec slope(vec x)
{
    const vec s = sigmoid_vec(x);
    return s * (splat(1) + x * (splat(1) - s));
}

static void part(void *self, size_t from, size_t to, int thread)
{
    const struct operands *o = self;
    const size_t pixels = (size_t)pl_cpu_pixels(o->shape);
    (void)thread;
    for (size_t task = from; task < to; task++) {
        const size_t begin = task / pixels * o->shape->block + task % pixels * o->shape->pixel;
        for (size_t at = begin; at < begin + (size_t)o->shape->batch * 16; at += LANES) {
            vec value = o->dy ? slope(load(o->x + at)) : sigmoid_vec(load(o->x + at));
            value *= load((o->dy ? o->dy : o->x) + at);
            if (o->add)
                value += load(o->out + at);
            store(o->out + at, value);
        }
    }
}

static void run(struct operands o, int threads)
{
    pl_parallel(threads, (size_t)pl_cpu_blocks(o.shape->channels) * (size_t)pl_cpu_pixels(o.shape), 0, part, &o);
}

void PL_CPU_NAME(silu_forward)(const struct pl_cpu_shape *shape, const float *x, float *y, int threads)
{
    run((struct operands){.shape = shape, .x = x, .out = y}, threads);
}

void PL_CPU_NAME(silu_backward)(const struct pl_cpu_shape *shape, const float *x, const float *dy, bool add, float *dx,
                                int threads)
{
    run((struct operands){shape, x, dy, add, dx}, threads);
}
