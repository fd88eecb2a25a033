#include "device/cpu/kernels/kernels_priv.h"

#include <assert.h>

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The samples of each step as a pixel. */
static struct pl_cpu_shape by_step(struct pl_cpu_shape shape, int steps, int columns)
{
    shape.batch = columns;
    shape.width = steps;
    shape.pixel = (size_t)columns * 16;
    return shape;
}

static struct pl_cpu_conv product(const struct pl_cpu_shape *x, const struct pl_cpu_shape *y)
{
    return (struct pl_cpu_conv){.x = *x, .y = *y, .kernel = {1, 1}, .stride = {1, 1}};
}

static size_t sums(const struct pl_cpu_conv *conv)
{
    return pl_cpu_conv_workspace(conv, PL_CPU_BACKWARD_WEIGHTS, PL_CPU_DIRECT, 1);
}

struct pl_cpu_lstm_plan pl_cpu_lstm_plan(const struct pl_cpu_lstm *lstm)
{
    assert(lstm->x.batch % lstm->steps == 0 && lstm->x.height == 1 && lstm->x.width == 1);
    const int samples = lstm->x.batch, columns = samples / lstm->steps;
    struct pl_cpu_lstm_plan plan = {.blocks = pl_cpu_blocks(lstm->hidden)};
    plan.gate_blocks = 4 * plan.blocks;
    plan.gates = pl_cpu_shape(samples, 16 * plan.gate_blocks, 1, 1);
    plan.cells = pl_cpu_shape(samples + columns, 16 * plan.blocks, 1, 1);
    plan.input = product(&lstm->x, &plan.gates);
    const struct pl_cpu_shape x = by_step(lstm->x, lstm->steps, columns);
    const struct pl_cpu_shape gates = by_step(plan.gates, lstm->steps, columns);
    struct pl_cpu_shape before = by_step(plan.cells, lstm->steps, columns);
    plan.input_sums = product(&x, &gates);
    plan.recurrent_sums = product(&before, &gates);
    plan.step_block = (size_t)columns * 16 + 16; /* not a power of two */
    plan.step = (size_t)plan.gate_blocks * plan.step_block;
    plan.large = larger(sums(&plan.input_sums), sums(&plan.recurrent_sums));
    plan.large = larger(plan.large, (size_t)plan.gate_blocks * 16 + pl_cpu_norm_workspace(&gates));
    return plan;
}

size_t pl_cpu_lstm_reserve(const struct pl_cpu_lstm *lstm)
{
    const struct pl_cpu_lstm_plan plan = pl_cpu_lstm_plan(lstm);
    return pl_cpu_floats(&plan.gates) + 2 * pl_cpu_floats(&plan.cells);
}

/* Packed weights or sums; two buffers of a step; then biases, or dh and dc of a step. */
size_t pl_cpu_lstm_workspace(const struct pl_cpu_lstm *lstm)
{
    const struct pl_cpu_lstm_plan plan = pl_cpu_lstm_plan(lstm);
    const size_t cells = (size_t)plan.blocks * 16 * (size_t)(lstm->x.batch / lstm->steps);
    return plan.large + 2 * plan.step + larger((size_t)plan.gate_blocks * 16, 2 * cells);
}

struct pl_cpu_locked pl_cpu_lstm_locked(const struct pl_cpu_lstm *lstm)
{
    return (struct pl_cpu_locked){.x = lstm->x,
                                  .y = pl_cpu_shape(lstm->x.batch, 16 * 4 * pl_cpu_blocks(lstm->hidden), 1, 1),
                                  .steps = lstm->steps,
                                  .keep = lstm->locked};
}
