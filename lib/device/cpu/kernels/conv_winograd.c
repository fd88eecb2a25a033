/* Winograd convolution, forward and backward data (which is the same on flipped weights).
 *
 * A task is one tile of the output for a piece of the batch (or, with few samples, several tiles): transform
 * the tile of all input channels; then, panel of output channels by panel, one matrix product per point, and
 * the transform back into the output. The transformed input of a task (36 points x channels x 32 samples) is
 * meant to stay in L2 over all panels, and the products of one panel in L1 and L2; only the transformed
 * weights are streamed, once per task. Tasks are given to threads as they come free. */
#include <string.h>

#include "device/cpu/kernels/transpose.h"
#include "device/cpu/kernels/winograd_tile.h"

struct winograd {
    struct pl_cpu_winograd_plan plan;
    const struct pl_cpu_shape *in, *out;
    const float *x, *operand, *bias;
    float *y;
    bool add, relu, past;
    float *work; /* of every thread: transformed inputs and products of a task */
};

/* The 16 channels of pixel p of a tile, y[part][p]. */
INLINE void output_line(const struct winograd *w, vec y[PARTS][16], int p, const float *bias, float *to)
{
    vec v[PARTS];
    UNROLL_FOR (int j = 0; j < PARTS; j++) {
        v[j] = y[j][p] + (w->add ? load(to + j * LANES) : load_loose(bias + j * LANES));
        if (w->relu)
            v[j] = relu_vec(v[j]);
    }
    UNROLL_FOR (int j = 0; j < PARTS; j++)
        if (w->past)
            store_past(to + j * LANES, v[j]);
        else
            store(to + j * LANES, v[j]);
}

/* One panel's outputs of one tile from its products, which lie at products[point * point_step]. */
INLINE void output_tile(const int m, const struct winograd *w, int tile, int sample, int samples, int panel,
                        const float *products, size_t point_step)
{
    float bias[16] = {0};
    float *to[16];
    if (w->bias)
        channels_of(w->bias, w->out->channels, panel, bias);
    for (int p = 0; p < m * m; p++) {
        const int y = tile / w->plan.across * m + p / m, x = tile % w->plan.across * m + p % m;
        to[p] = y < w->out->height && x < w->out->width
                    ? w->y + (size_t)panel * w->out->block + (size_t)(y * w->out->width + x) * w->out->pixel +
                          (size_t)sample * 16
                    : NULL;
    }
    for (int q = 0; q < samples * 16; q += 16) {
        vec y[PARTS][16];
        UNROLL_FOR (int j = 0; j < PARTS; j++) {
            vec points[36];
            UNROLL_FOR (int p = 0; p < (m + 2) * (m + 2); p++)
                points[p] = load(products + p * point_step + q + j * LANES);
            transform_output(m, points, y[j]);
        }
        UNROLL_FOR (int p = 0; p < m * m; p++)
            if (to[p])
                output_line(w, y, p, bias, to[p] + q);
    }
}

enum { PIECE = 16 }; /* blocks of 16 input channels in a piece of the sum: a panel's weights of a piece stay in L1 */

/* One point's products of a task, for some panels from `panel` on. */
static void point_products(const struct winograd *w, int p, int panel, int panels, int rows, const float *inputs,
                           float *products)
{
    static const float zeros[16 * TILE_PANELS];
    const struct pl_cpu_winograd_plan *plan = &w->plan;
    const size_t a_block = (size_t)plan->rows * 16, b_panel = (size_t)plan->in_blocks * 256;
    const float *weights = w->operand + p * plan->operand_point + (size_t)panel * b_panel;
    const int after = p + 1 < plan->points ? p + 1 : 0; /* then the next panel's first point */
    struct tile_start start = {zeros, 0, 16};
    for (int block = 0, blocks; block < plan->in_blocks; block += blocks) {
        blocks = pl_cpu_min(PIECE, plan->in_blocks - block);
        const float *a = inputs + block * a_block, *b = weights + (size_t)block * 256;
        const float *next = b + (size_t)blocks * 256;
        if (block + blocks == plan->in_blocks)
            next = weights + (after - p) * (ptrdiff_t)plan->operand_point + (after ? 0 : panels * b_panel);
        const struct tile_sum sum = {
            .a = &a, .b = &b, .a_block = a_block, .b_panel = b_panel, .taps = 1, .blocks = blocks, .next = next};
        PL_CPU_NAME(tiles)(rows, panels, &sum, &start, products, a_block, 0);
        start = (struct tile_start){products, 16, a_block};
    }
}

INLINE void run_task(const int m, const struct winograd *w, int number, float *inputs, float *products)
{
    const struct pl_cpu_winograd_plan *plan = &w->plan;
    const struct winograd_task task = winograd_task(plan, w->in->batch, number);
    const int rows = task.tiles * task.samples;
    const size_t in_point = pl_cpu_winograd_point(plan, plan->in_blocks);
    const size_t out_panel = (size_t)plan->rows * 16, out_point = pl_cpu_winograd_point(plan, 2);
    for (int block = 0; block < plan->in_blocks; block++)
        task_points(m, false, plan, &task, w->in, w->x + (size_t)block * w->in->block, place_of(block, plan->in_blocks),
                    inputs + (size_t)block * plan->rows * 16, in_point);
    for (int panel = 0, panels; panel < plan->out_blocks; panel += panels) {
        panels = pl_cpu_min(TILE_PANELS, plan->out_blocks - panel);
        for (int p = 0; p < plan->points; p++)
            point_products(w, p, panel, panels, rows, inputs + p * in_point, products + p * out_point);
        for (int i = 0; i < panels; i++)
            for (int t = 0; t < task.tiles; t++)
                output_tile(m, w, task.tile + t, task.sample, task.samples, panel + i,
                            products + i * out_panel + (size_t)t * task.samples * 16, out_point);
    }
}

static void run_task2(const struct winograd *w, int number, float *inputs, float *products)
{
    run_task(2, w, number, inputs, products);
}

static void run_task4(const struct winograd *w, int number, float *inputs, float *products)
{
    run_task(4, w, number, inputs, products);
}

static void run_tasks(void *self, size_t from, size_t to, int thread)
{
    const struct winograd *w = self;
    const size_t inputs = w->plan.points * pl_cpu_winograd_point(&w->plan, w->plan.in_blocks);
    const size_t products = w->plan.points * pl_cpu_winograd_point(&w->plan, 2);
    float *own = w->work + (size_t)thread * (inputs + products);
    for (int number = (int)from; number < (int)to; number++)
        (w->plan.m == 4 ? run_task4 : run_task2)(w, number, own, own + inputs);
    settle();
}

void PL_CPU_NAME(pass_winograd)(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, enum pl_cpu_algorithm algorithm,
                                const float *in, const float *operand, const struct pl_cpu_output *output, bool add,
                                float *out, float *work, int threads)
{
    const bool forward = pass == PL_CPU_FORWARD;
    struct winograd w = {.plan = pl_cpu_winograd_plan(conv, pass, algorithm),
                         .in = forward ? &conv->x : &conv->y,
                         .out = forward ? &conv->y : &conv->x,
                         .x = in,
                         .operand = operand,
                         .bias = output ? output->bias : NULL,
                         .y = out,
                         .add = add,
                         .relu = output && output->relu,
                         .past = !add && pl_cpu_past(forward ? &conv->y : &conv->x),
                         .work = work};
    pl_parallel(threads, (size_t)w.plan.tasks, 1, run_tasks, &w);
}

/* The kernels of 16 input channels (of the pass) and 16 output channels, [in][tap][out]; backward data turns
 * them by 180 degrees, which its caller does by reading the taps backwards. */
static void kernels_of(const struct pl_cpu_conv *conv, bool forward, const float *weights, int block, int panel,
                       float kernels[16][9][16])
{
    const int ins = forward ? conv->x.channels : conv->y.channels;
    const int outs = forward ? conv->y.channels : conv->x.channels;
    const int some = pl_cpu_min(16, ins - block * 16), rows = pl_cpu_min(16, outs - panel * 16);
    if (some < 16)
        memset(kernels, 0, 16 * sizeof *kernels);
    if (forward)
        gather16(weights + ((size_t)panel * 16 * ins + block * 16) * 9, (size_t)ins * 9, rows, some * 9, kernels[0][0],
                 16);
    for (int i = 0; !forward && i < some; i++)
        gather16(weights + ((size_t)(block * 16 + i) * outs + panel * 16) * 9, 9, rows, 9, kernels[i][0], 16);
}

INLINE void transform_weights(const int m, bool turned, bool past, float kernel[9][16], float *to, size_t point_step)
{
    vec points[PARTS][36];
    for (int j = 0; j < PARTS; j++) {
        vec g[9];
        UNROLL_FOR (int t = 0; t < 9; t++)
            g[t] = load_loose(kernel[turned ? 8 - t : t] + j * LANES);
        transform_kernel(m, g, points[j]);
    }
    for (int p = 0; p < (m + 2) * (m + 2); p++)
        UNROLL_FOR (int j = 0; j < PARTS; j++)
            if (past)
                store_past(to + p * point_step + j * LANES, points[j][p]);
            else
                store(to + p * point_step + j * LANES, points[j][p]);
}

struct preparing {
    const struct pl_cpu_conv *conv;
    struct pl_cpu_winograd_plan plan;
    bool forward;
    const float *weights;
    float *operand;
};

static void prepare_tasks(void *self, size_t from, size_t to_task, int thread)
{
    const struct preparing *p = self;
    const struct pl_cpu_winograd_plan *plan = &p->plan;
    const bool past = plan->points * plan->operand_point > PL_CPU_CACHED;
    (void)thread;
    for (int task = (int)from; task < (int)to_task; task++) {
        const int panel = task / plan->in_blocks, block = task % plan->in_blocks;
        float kernels[16][9][16], *to = p->operand + (size_t)task * 256;
        kernels_of(p->conv, p->forward, p->weights, block, panel, kernels);
        for (int i = 0; i < 16; i++)
            if (plan->m == 4)
                transform_weights(4, !p->forward, past, kernels[i], to + i * 16, plan->operand_point);
            else
                transform_weights(2, !p->forward, past, kernels[i], to + i * 16, plan->operand_point);
    }
    settle();
}

/* [point][out block][in channel][16 out channels] */
void PL_CPU_NAME(prepare_winograd)(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass,
                                   enum pl_cpu_algorithm algorithm, const float *weights, float *operand, int threads)
{
    struct preparing p = {conv, pl_cpu_winograd_plan(conv, pass, algorithm), pass == PL_CPU_FORWARD, weights, operand};
    pl_parallel(threads, (size_t)p.plan.out_blocks * (size_t)p.plan.in_blocks, 1, prepare_tasks, &p);
}
