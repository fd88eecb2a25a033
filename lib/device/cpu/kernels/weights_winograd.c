/* Backward weights by Winograd: for every point, the product of the transformed inputs and the transformed
 * output gradients over all tiles and samples, transformed back once at the end.
 *
 * Few channels: the gradients of all points fit in L2, and a thread runs whole tasks through transform and
 * product, adding to one of a fixed number of copies. Many channels: all threads share one task at a time,
 * first its transforms, then its points, each of whose slices of input, gradient and result fits in L2. */
#include "device/cpu/kernels/transpose.h"
#include "device/cpu/kernels/winograd_tile.h"

struct weights {
    struct pl_cpu_winograd_plan plan;
    const struct pl_cpu_conv *conv;
    const float *x, *dy;
    size_t in_point, out_point;
    float *work; /* sums, and then transformed inputs and gradients */
    int number;  /* of the task that all threads share */
};

/* Transforms block `unit` of x, or of dy behind x's blocks. */
static void transform(const struct weights *w, const struct winograd_task *task, int unit, float *inputs,
                      float *gradients)
{
    const struct pl_cpu_winograd_plan *plan = &w->plan;
    const size_t block = (size_t)plan->rows * 16;
    const bool gradient = unit >= plan->in_blocks;
    const int at = gradient ? unit - plan->in_blocks : unit;
    const struct pl_cpu_shape *shape = gradient ? &w->conv->y : &w->conv->x;
    const float *from = (gradient ? w->dy : w->x) + at * shape->block;
    const int place = place_of(at, gradient ? plan->out_blocks : plan->in_blocks);
    float *to = (gradient ? gradients : inputs) + at * block;
    if (!gradient && plan->m == 4)
        task_points(4, false, plan, task, shape, from, place, to, w->in_point);
    else if (!gradient)
        task_points(2, false, plan, task, shape, from, place, to, w->in_point);
    else if (plan->m == 4)
        task_points(4, true, plan, task, shape, from, place, to, w->out_point);
    else
        task_points(2, true, plan, task, shape, from, place, to, w->out_point);
}

/* Adds a task's products at one point, for some of the panels of output channels; the first task's are the
 * sums. */
static void product(const struct weights *w, bool first, int rows, int point, int panel, int end, const float *inputs,
                    const float *gradients, float *sums)
{
    const size_t block = (size_t)w->plan.rows * 16;
    const float *a = NULL, *b = NULL;
    const struct outer_sum s = {.a = &a, .b = &b, .b_panel = block, .segments = 1, .n = rows, .first = first};
    for (int panels; panel < end; panel += panels) {
        panels = pl_cpu_min(OUTER_PANELS, end - panel);
        b = gradients + point * w->out_point + panel * block;
        for (int in = 0; in < w->plan.in_blocks; in++) {
            a = inputs + point * w->in_point + in * block;
            PL_CPU_NAME(outers)
            (panels, &s, sums + point * w->plan.operand_point + ((size_t)panel * w->plan.in_blocks + in) * 256,
             (size_t)w->plan.in_blocks * 256);
        }
    }
}

/* A thread takes all tasks of a split, one after another. */
static void split_tasks(const struct weights *w, int split, float *inputs, float *gradients, float *sums)
{
    const struct pl_cpu_winograd_plan *plan = &w->plan;
    const long tasks = plan->tasks, begin = tasks * split / plan->splits;
    for (long number = begin; number < tasks * (split + 1) / plan->splits; number++) {
        const struct winograd_task task = winograd_task(plan, w->conv->x.batch, (int)number);
        for (int unit = 0; unit < plan->in_blocks + plan->out_blocks; unit++)
            transform(w, &task, unit, inputs, gradients);
        for (int point = 0; point < plan->points; point++)
            product(w, number == begin, task.tiles * task.samples, point, 0, plan->out_blocks, inputs, gradients, sums);
    }
}

static void run_splits(void *self, size_t from, size_t to, int thread)
{
    const struct weights *w = self;
    const size_t size = w->plan.points * w->plan.operand_point;
    const size_t inputs = w->plan.points * w->in_point, gradients = w->plan.points * w->out_point;
    float *own = w->work + w->plan.splits * size + (size_t)thread * (inputs + gradients);
    for (int split = (int)from; split < (int)to; split++)
        split_tasks(w, split, own, own + inputs, w->work + split * size);
}

static void transform_units(void *self, size_t from, size_t to, int thread)
{
    const struct weights *w = self;
    const struct winograd_task task = winograd_task(&w->plan, w->conv->x.batch, w->number);
    float *inputs = w->work + w->plan.points * w->plan.operand_point;
    (void)thread;
    for (int unit = (int)from; unit < (int)to; unit++)
        transform(w, &task, unit, inputs, inputs + w->plan.points * w->in_point);
}

enum { STRIP = 4 }; /* panels that a thread takes at a time */

static int strips_of(const struct pl_cpu_winograd_plan *plan)
{
    return (plan->out_blocks + STRIP - 1) / STRIP;
}

static void product_units(void *self, size_t from, size_t to, int thread)
{
    const struct weights *w = self;
    const struct pl_cpu_winograd_plan *plan = &w->plan;
    const struct winograd_task task = winograd_task(plan, w->conv->x.batch, w->number);
    const float *inputs = w->work + plan->points * plan->operand_point;
    const int strips = strips_of(plan);
    (void)thread;
    for (int unit = (int)from; unit < (int)to; unit++)
        product(w, w->number == 0, task.tiles * task.samples, unit / strips, unit % strips * STRIP,
                pl_cpu_min(unit % strips * STRIP + STRIP, plan->out_blocks), inputs,
                inputs + plan->points * w->in_point, w->work);
}

/* All threads share one task after another. */
static void run_shared(struct weights *w, int threads)
{
    for (w->number = 0; w->number < w->plan.tasks; w->number++) {
        pl_parallel(threads, (size_t)(w->plan.in_blocks + w->plan.out_blocks), 1, transform_units, w);
        pl_parallel(threads, (size_t)w->plan.points * (size_t)strips_of(&w->plan), 1, product_units, w);
    }
}

/* The kernel gradients of one input channel and 16 output channels. */
INLINE void back(const int m, const float *sums, size_t point_step, int copies, size_t copy_step, float to[9][16])
{
    for (int q = 0; q < 16; q += LANES) {
        vec points[36], dg[9];
        UNROLL_FOR (int p = 0; p < (m + 2) * (m + 2); p++)
            points[p] = load(sums + p * point_step + q);
        for (int copy = 1; copy < copies; copy++)
            UNROLL_FOR (int p = 0; p < (m + 2) * (m + 2); p++)
                points[p] += load(sums + copy * copy_step + p * point_step + q);
        transform_back(m, points, dg);
        UNROLL_FOR (int t = 0; t < 9; t++)
            *(loose *)(to[t] + q) = dg[t];
    }
}

struct result {
    const struct weights *weights;
    float *dweights;
};

static void back_tasks(void *self, size_t from, size_t to, int thread)
{
    const struct result *r = self;
    const struct pl_cpu_winograd_plan *plan = &r->weights->plan;
    const struct pl_cpu_conv *conv = r->weights->conv;
    const int ins = conv->x.channels, copies = plan->splits ? plan->splits : 1;
    const size_t size = plan->points * plan->operand_point;
    (void)thread;
    for (int task = (int)from; task < (int)to; task++) {
        const int panel = task / plan->in_blocks, first = task % plan->in_blocks * 16;
        const int count = pl_cpu_min(16, conv->y.channels - panel * 16);
        const int some = pl_cpu_min(16, ins - first);
        float dg[16][9][16];
        for (int i = 0; i < some; i++) {
            const float *sums = r->weights->work + ((size_t)panel * plan->in_blocks * 16 + first + i) * 16;
            if (plan->m == 4)
                back(4, sums, plan->operand_point, copies, size, dg[i]);
            else
                back(2, sums, plan->operand_point, copies, size, dg[i]);
        }
        scatter16(dg[0][0], 16, some * 9, r->dweights + ((size_t)panel * 16 * ins + first) * 9, (size_t)ins * 9, count);
    }
}

void PL_CPU_NAME(weights_winograd)(const struct pl_cpu_conv *conv, enum pl_cpu_algorithm algorithm, const float *x,
                                   const float *dy, float *dweights, float *work, int threads)
{
    struct weights w = {.plan = pl_cpu_winograd_plan(conv, PL_CPU_BACKWARD_WEIGHTS, algorithm),
                        .conv = conv,
                        .x = x,
                        .dy = dy,
                        .work = work};
    const struct pl_cpu_winograd_plan *plan = &w.plan;
    w.in_point = pl_cpu_winograd_point(plan, plan->in_blocks);
    w.out_point = pl_cpu_winograd_point(plan, plan->out_blocks);
    if (plan->splits)
        pl_parallel(threads, (size_t)plan->splits, 1, run_splits, &w);
    else
        run_shared(&w, threads);
    struct result result = {&w, dweights};
    pl_parallel(threads, (size_t)plan->out_blocks * (size_t)plan->in_blocks, 1, back_tasks, &result);
}
