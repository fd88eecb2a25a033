/* The table of one instruction set, and its convolutions, whose algorithms are chosen for each call. */
#include <assert.h>

#include "device/cpu/kernels/table.h"

void PL_CPU_NAME(conv_prepare)(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, enum pl_cpu_algorithm algorithm,
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

void PL_CPU_NAME(conv_forward)(const struct pl_cpu_conv *conv, enum pl_cpu_algorithm algorithm, const float *x,
                               const float *operand, const struct pl_cpu_output *output, float *y, float *work,
                               int threads)
{
    assert(pl_cpu_conv_can(conv, PL_CPU_FORWARD, algorithm));
    passes[algorithm](conv, PL_CPU_FORWARD, algorithm, x, operand, output, false, y, work, threads);
    if (output && output->mean)
        PL_CPU_NAME(norm_statistics)(&conv->y, y, output->mean, output->variance, work, threads);
}

void PL_CPU_NAME(conv_backward_data)(const struct pl_cpu_conv *conv, enum pl_cpu_algorithm algorithm, const float *dy,
                                     const float *operand, bool add, float *dx, float *work, int threads)
{
    assert(pl_cpu_conv_can(conv, PL_CPU_BACKWARD_DATA, algorithm));
    passes[algorithm](conv, PL_CPU_BACKWARD_DATA, algorithm, dy, operand, NULL, add, dx, work, threads);
}

void PL_CPU_NAME(conv_backward_weights)(const struct pl_cpu_conv *conv, enum pl_cpu_algorithm algorithm, const float *x,
                                        const float *dy, float *dweights, float *work, int threads)
{
    static pl_cpu_weights_function *const functions[PL_CPU_ALGORITHMS] = {
        PL_CPU_NAME(weights_direct), PL_CPU_NAME(weights_patches), PL_CPU_NAME(weights_winograd),
        PL_CPU_NAME(weights_winograd)};
    assert(pl_cpu_conv_can(conv, PL_CPU_BACKWARD_WEIGHTS, algorithm));
    functions[algorithm](conv, algorithm, x, dy, dweights, work, threads);
}

const struct pl_cpu_kernels PL_CPU_NAME(kernels) = {
#define KERNEL(type, name, parameters) .name = PL_CPU_NAME(name),
    PL_CPU_EACH_KERNEL(KERNEL)
#undef KERNEL
};
