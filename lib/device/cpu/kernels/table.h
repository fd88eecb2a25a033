/* The functions of one instruction set that its sources share; see kernels.h for what they do. */
#ifndef PL_CPU_TABLE_H
#define PL_CPU_TABLE_H

#include "base/parallel.h"
#include "device/cpu/kernels/kernels_priv.h"
#include "device/cpu/kernels/tile.h"

typedef void pl_cpu_prepare_function(const struct pl_cpu_conv *, enum pl_cpu_pass, enum pl_cpu_algorithm, const float *,
                                     float *, int);
typedef void pl_cpu_weights_function(const struct pl_cpu_conv *, enum pl_cpu_algorithm, const float *, const float *,
                                     float *, float *, int);

/* The forward pass, or backward data, where `in` is dy, `out` dx; output is NULL but for forward. */
typedef void pl_cpu_pass_function(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass,
                                  enum pl_cpu_algorithm algorithm, const float *in, const float *operand,
                                  const struct pl_cpu_output *output, bool add, float *out, float *work, int threads);

pl_cpu_prepare_function PL_CPU_NAME(prepare_direct), PL_CPU_NAME(prepare_patches), PL_CPU_NAME(prepare_winograd);
pl_cpu_pass_function PL_CPU_NAME(pass_direct), PL_CPU_NAME(pass_patches), PL_CPU_NAME(pass_winograd);
pl_cpu_weights_function PL_CPU_NAME(weights_direct), PL_CPU_NAME(weights_patches), PL_CPU_NAME(weights_winograd);

/* dweights = the sum of `splits` copies of [out block][row][16 outs], brought into plain order; input
 * channel i of a tap is row tap * tap_rows + i. */
void PL_CPU_NAME(weights_plain)(const struct pl_cpu_conv *conv, const float *sums, int tap_rows, int splits,
                                float *dweights, int threads);

/* The first half of weights_direct: sums[split][out block][tap][in channel][16 outs]. */
void PL_CPU_NAME(weights_sums)(const struct pl_cpu_conv *conv, const float *x, const float *dy, float *sums,
                               int threads);

/* Members of struct pl_cpu_kernels, under the same names. */
void PL_CPU_NAME(from_nchw)(const struct pl_cpu_shape *, const float *, float *, int);
void PL_CPU_NAME(to_nchw)(const struct pl_cpu_shape *, const float *, float *, int);
void PL_CPU_NAME(copy_channels)(const struct pl_cpu_shape *, const float *, int, const struct pl_cpu_shape *, float *,
                                int, int, bool, int);
void PL_CPU_NAME(bias_backward)(const struct pl_cpu_shape *, const float *, float *, float *, int);
void PL_CPU_NAME(norm_statistics)(const struct pl_cpu_shape *, const float *, double *, double *, float *, int);
void PL_CPU_NAME(norm_forward)(const struct pl_cpu_shape *, const struct pl_cpu_norm *, const float *, const float *,
                               float *, int);
void PL_CPU_NAME(norm_backward)(const struct pl_cpu_shape *, const struct pl_cpu_norm *, const float *, const float *,
                                const float *, bool, float *, float *, float *, float *, float *, int);
void PL_CPU_NAME(relu_forward)(const struct pl_cpu_shape *, const float *, float *, int);
void PL_CPU_NAME(relu_backward)(const struct pl_cpu_shape *, const float *, const float *, float *, int);
void PL_CPU_NAME(add)(const struct pl_cpu_shape *, const float *, const float *, float *, int);
void PL_CPU_NAME(add_relu)(const struct pl_cpu_shape *, const float *, const float *, float *, int);
void PL_CPU_NAME(dropout)(const struct pl_cpu_shape *, const float *, const uint8_t *, float, float *, int);
void PL_CPU_NAME(max_forward)(const struct pl_cpu_pool *, const float *, float *, int);
void PL_CPU_NAME(max_backward)(const struct pl_cpu_pool *, const float *, const float *, const float *, bool, float *,
                               int);
void PL_CPU_NAME(average_forward)(const struct pl_cpu_pool *, const float *, float *, int);
void PL_CPU_NAME(average_backward)(const struct pl_cpu_pool *, const float *, bool, float *, int);
void PL_CPU_NAME(lstm_forward)(const struct pl_cpu_lstm *, const float *, float *, float *, float *, float *, int);
void PL_CPU_NAME(lstm_backward)(const struct pl_cpu_lstm *, const float *, const float *,
                                const struct pl_cpu_lstm_gradients *, float *, bool, float *, float *, int);
void PL_CPU_NAME(curve)(enum pl_cpu_curve, const float *, float *, size_t);
void PL_CPU_NAME(cross_entropy)(const struct pl_cpu_shape *, const float *, const int32_t *, double, double, double *,
                                int32_t *, float *, int);
double PL_CPU_NAME(peak)(double, int);
double PL_CPU_NAME(bandwidth)(float *, size_t, int);

#endif
