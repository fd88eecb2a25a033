/* The table of one instruction set. */
#include <assert.h>

#include "device/cpu/kernels/table.h"

static void conv_prepare(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, enum pl_cpu_algorithm algorithm,
                         const float *weights, float *operand, int threads)
{
    static pl_cpu_prepare_function *const functions[PL_CPU_ALGORITHMS] = {
        PL_CPU_NAME(prepare_direct), PL_CPU_NAME(prepare_patches), PL_CPU_NAME(prepare_winograd),
        PL_CPU_NAME(prepare_winograd)};
    assert(pass != PL_CPU_BACKWARD_WEIGHTS && pl_cpu_conv_can(conv, pass, algorithm));
    functions[algorithm](conv, pass, algorithm, weights, operand, threads);
}

static pl_cpu_pass_function *const passes[PL_CPU_ALGORITHMS] = {PL_CPU_NAME(pass_direct), PL_CPU_NAME(pass_patches),
                                                                PL_CPU_NAME(pass_winograd), PL_CPU_NAME(pass_winograd)};

static void conv_forward(const struct pl_cpu_conv *conv, enum pl_cpu_algorithm algorithm, const float *x,
                         const float *operand, const struct pl_cpu_output *output, float *y, float *work, int threads)
{
    assert(pl_cpu_conv_can(conv, PL_CPU_FORWARD, algorithm));
    passes[algorithm](conv, PL_CPU_FORWARD, algorithm, x, operand, output, false, y, work, threads);
    if (output && output->mean)
        PL_CPU_NAME(norm_statistics)(&conv->y, y, output->mean, output->variance, work, threads);
}

static void conv_backward_data(const struct pl_cpu_conv *conv, enum pl_cpu_algorithm algorithm, const float *dy,
                               const float *operand, bool add, float *dx, float *work, int threads)
{
    assert(pl_cpu_conv_can(conv, PL_CPU_BACKWARD_DATA, algorithm));
    passes[algorithm](conv, PL_CPU_BACKWARD_DATA, algorithm, dy, operand, NULL, add, dx, work, threads);
}

static void conv_backward_weights(const struct pl_cpu_conv *conv, enum pl_cpu_algorithm algorithm, const float *x,
                                  const float *dy, float *dweights, float *work, int threads)
{
    static pl_cpu_weights_function *const functions[PL_CPU_ALGORITHMS] = {
        PL_CPU_NAME(weights_direct), PL_CPU_NAME(weights_patches), PL_CPU_NAME(weights_winograd),
        PL_CPU_NAME(weights_winograd)};
    assert(pl_cpu_conv_can(conv, PL_CPU_BACKWARD_WEIGHTS, algorithm));
    functions[algorithm](conv, algorithm, x, dy, dweights, work, threads);
}

const struct pl_cpu_kernels PL_CPU_NAME(kernels) = {
    .from_nchw = PL_CPU_NAME(from_nchw),
    .to_nchw = PL_CPU_NAME(to_nchw),
    .copy_channels = PL_CPU_NAME(copy_channels),
    .conv_prepare = conv_prepare,
    .conv_forward = conv_forward,
    .conv_backward_data = conv_backward_data,
    .conv_backward_weights = conv_backward_weights,
    .bias_backward = PL_CPU_NAME(bias_backward),
    .norm_statistics = PL_CPU_NAME(norm_statistics),
    .norm_forward = PL_CPU_NAME(norm_forward),
    .norm_backward = PL_CPU_NAME(norm_backward),
    .relu_forward = PL_CPU_NAME(relu_forward),
    .relu_backward = PL_CPU_NAME(relu_backward),
    .add = PL_CPU_NAME(add),
    .add_relu = PL_CPU_NAME(add_relu),
    .dropout = PL_CPU_NAME(dropout),
    .max_forward = PL_CPU_NAME(max_forward),
    .max_backward = PL_CPU_NAME(max_backward),
    .average_forward = PL_CPU_NAME(average_forward),
    .average_backward = PL_CPU_NAME(average_backward),
    .lstm_forward = PL_CPU_NAME(lstm_forward),
    .lstm_backward = PL_CPU_NAME(lstm_backward),
    .curve = PL_CPU_NAME(curve),
    .cross_entropy = PL_CPU_NAME(cross_entropy),
    .peak = PL_CPU_NAME(peak),
    .bandwidth = PL_CPU_NAME(bandwidth),
};
