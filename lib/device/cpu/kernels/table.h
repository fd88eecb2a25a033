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

/* The first half of locked_backward_weights: sums[out block][in channel][16 outs]; work is its workspace without those.
 */
void PL_CPU_NAME(locked_sums)(const struct pl_cpu_locked *l, const float *x, const float *dy, float *sums, float *work,
                              int threads);

/* The kernels of this instruction set. */
#define KERNEL(type, name, parameters) type PL_CPU_NAME(name) parameters;
PL_CPU_EACH_KERNEL(KERNEL)
#undef KERNEL

#endif
