/* device/cpu/kernels: the float kernels of the cpu device, which know nothing of devices, views or networks
 * (device/cpu/adapter translates). Pure functions on raw buffers; nothing is allocated, kept between calls
 * or reported: sizes come from the functions below, wrong use is an assert.
 *
 * Activations and their gradients lie as [channel block][pixel][sample][16 channels]. Channels are
 * padded to blocks of 16, and what the padding channels hold is zero: every kernel relies on it and
 * keeps it so. Strides are padded too (powers of two alias in the caches); the floats between pixels
 * and blocks are neither read nor written. Strides depend on batch, height and width alone, so blocks
 * k.. of a buffer are a tensor of their own at x + k * shape.block: a dense block writes and reads
 * slices of one buffer. Buffers, operands and workspaces are aligned to 64 bytes.
 *
 * Weights, biases and other parameters and their gradients are plain: [out][in][height][width] and
 * unpadded, as the optimizer and the weight files see them, at any float address. A convolution reads
 * its weights as an operand, which conv_prepare makes once per step.
 * A linear layer over channels x height x width is a convolution whose kernel is the whole image.
 *
 * Threading: a call runs on `threads` threads of OpenMP and returns when they are done. Results do not
 * depend on the number of threads, bit for bit; they do depend on the instruction set. */
#ifndef PL_CPU_KERNELS_H
#define PL_CPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/host.h"

struct pl_cpu_shape {
    int batch, channels, height, width;
    size_t pixel; /* floats from one pixel to the next */
    size_t block; /* floats from one block of 16 channels to the next */
};

struct pl_cpu_shape pl_cpu_shape(int batch, int channels, int height, int width);
int pl_cpu_blocks(int channels);                        /* blocks of 16 that hold so many channels */
size_t pl_cpu_floats(const struct pl_cpu_shape *shape); /* of a whole buffer */

/* Index of one element in its buffer: for tests and debugging. */
size_t pl_cpu_index(const struct pl_cpu_shape *shape, int sample, int channel, int y, int x);

/* y = x convolved with weights; the shapes agree by (extent + 2 * pad - kernel) / stride + 1 (floor). */
struct pl_cpu_norm;
struct pl_cpu_conv {
    struct pl_cpu_shape x, y;
    int kernel[2], stride[2], pad[2]; /* height, width; pad < kernel */
    /* Not NULL: the convolution is of norm_forward's result, and x what that reads: the passes that read x normalise it
     * meanwhile, with the same bits as if it had been stored. For DIRECT of 1x1 kernels at stride 1. */
    const struct pl_cpu_norm *norm;
};

/* Fills in y's shape. */
struct pl_cpu_conv pl_cpu_conv(const struct pl_cpu_shape *x, int channels, const int kernel[2], const int stride[2],
                               const int pad[2]);

enum pl_cpu_pass { PL_CPU_FORWARD, PL_CPU_BACKWARD_DATA, PL_CPU_BACKWARD_WEIGHTS, PL_CPU_PASSES };

/* DIRECT takes any convolution. PATCHES gathers the kernel's window of every sample first, for few input
 * channels (forward and backward weights only). The Winograd algorithms take 3x3 kernels at stride 1;
 * relative RMS errors: direct and patches up to 1e-6, F(2x2) up to 1e-6, F(4x4) up to 1e-5. */
enum pl_cpu_algorithm {
    PL_CPU_DIRECT,
    PL_CPU_PATCHES,
    PL_CPU_WINOGRAD2, /* F(2x2, 3x3) */
    PL_CPU_WINOGRAD4, /* F(4x4, 3x3) */
    PL_CPU_ALGORITHMS
};
const char *pl_cpu_algorithm_name(enum pl_cpu_algorithm algorithm);
bool pl_cpu_conv_can(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, enum pl_cpu_algorithm algorithm);

/* The fastest algorithm by arithmetic and measurement; exact: no Winograd. */
enum pl_cpu_algorithm pl_cpu_conv_choose(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, bool exact);

/* Floats of the operand that conv_prepare writes (0 for backward weights), and of the workspace. */
size_t pl_cpu_conv_operand(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, enum pl_cpu_algorithm algorithm);
size_t pl_cpu_conv_workspace(const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, enum pl_cpu_algorithm algorithm,
                             int threads);

/* What a convolution does to its output besides, NULL or zero for nothing: y = relu(conv + bias). */
struct pl_cpu_output {
    const float *bias; /* y's channels */
    bool relu;
    double *mean; /* when not NULL: the batch statistics of y, as norm_statistics gives them */
    double *variance;
};

/* Workspaces of the reductions (norm_statistics, norm_backward, bias_backward), in floats. */
size_t pl_cpu_norm_workspace(const struct pl_cpu_shape *shape);

/* Batch norm in one form for training (batch statistics) and evaluation (running statistics). */
struct pl_cpu_norm {
    const double *mean, *variance; /* per channel; the variance is the biased one */
    const float *gamma, *beta;     /* per channel */
    double epsilon;
    bool relu; /* a ReLU follows, fused */
};

struct pl_cpu_pool {
    struct pl_cpu_shape x, y;
    int kernel[2], stride[2], pad[2]; /* pad < kernel */
};
struct pl_cpu_pool pl_cpu_pool(const struct pl_cpu_shape *x, const int kernel[2], const int stride[2],
                               const int pad[2]);

/* A product with a sequence x over `steps` steps (sample step * columns + column) that a locked mask has made. Height
 * and width are 1. */
struct pl_cpu_locked {
    struct pl_cpu_shape x, y;
    int steps;
    const uint8_t *keep; /* [column][x's channels]: 0 where x is zero in all steps */
};

/* An LSTM layer over `steps` steps: sample step * columns + column. Weights and biases are plain, the rows being the
 * gates i, f, g, o, one after another. */
struct pl_cpu_lstm {
    struct pl_cpu_shape x, y; /* y has `hidden` channels */
    int steps, hidden;
    const float *weight_ih, *weight_hh, *bias_ih, *bias_hh;
    const uint8_t *keep; /* a byte an entry of weight_hh, which is multiplied with scale or 0; NULL: with 1 */
    float scale;
    const uint8_t *locked; /* the mask that made x, as in struct pl_cpu_locked, or NULL */
};
struct pl_cpu_lstm_gradients {
    float *weight_ih, *weight_hh, *bias_ih, *bias_hh;
};
/* Floats that a forward pass leaves for the backward pass, and of the workspace of both; where x is locked, that of its
 * product (lstm_locked) comes behind. */
size_t pl_cpu_lstm_reserve(const struct pl_cpu_lstm *lstm);
size_t pl_cpu_lstm_workspace(const struct pl_cpu_lstm *lstm);
struct pl_cpu_locked pl_cpu_lstm_locked(const struct pl_cpu_lstm *lstm);

enum pl_cpu_curve { PL_CPU_EXP, PL_CPU_SIGMOID, PL_CPU_TANH, PL_CPU_CURVES };

/* All kernels: KERNEL(TYPE OF THE RESULT, NAME, PARAMETERS). Each is PL_CPU_NAME(NAME) in a source that is compiled for
 * every instruction set; its prototypes, its member of struct pl_cpu_kernels and the entries of all tables come from
 * here. */
#define PL_CPU_EACH_KERNEL(KERNEL)                                                                                     \
    /* Plain [batch][channels][height][width] floats to and from the layout above. */                                  \
    KERNEL(void, from_nchw, (const struct pl_cpu_shape *shape, const float *plain, float *x, int threads))             \
    KERNEL(void, to_nchw, (const struct pl_cpu_shape *shape, const float *x, float *plain, int threads))               \
    /* Copies (add: adds) count channels between tensors of equal batch, height and width, also where they do          \
     * not begin at a block. A block of y is left as it was where no channel goes to it. */                            \
    KERNEL(void, copy_channels,                                                                                        \
           (const struct pl_cpu_shape *x_shape, const float *x, int x_first, const struct pl_cpu_shape *y_shape,       \
            float *y, int y_first, int count, bool add, int threads))                                                  \
    /* The operand of a forward or backward data pass from plain weights. */                                           \
    KERNEL(void, conv_prepare,                                                                                         \
           (const struct pl_cpu_conv *conv, enum pl_cpu_pass pass, enum pl_cpu_algorithm algorithm,                    \
            const float *weights, float *operand, int threads))                                                        \
    KERNEL(void, conv_forward,                                                                                         \
           (const struct pl_cpu_conv *conv, enum pl_cpu_algorithm algorithm, const float *x, const float *operand,     \
            const struct pl_cpu_output *output, float *y, float *work, int threads))                                   \
    /* dx = the gradient by x (add: added to dx). */                                                                   \
    KERNEL(void, conv_backward_data,                                                                                   \
           (const struct pl_cpu_conv *conv, enum pl_cpu_algorithm algorithm, const float *dy, const float *operand,    \
            bool add, float *dx, float *work, int threads))                                                            \
    /* dweights, plain, is overwritten. */                                                                             \
    KERNEL(void, conv_backward_weights,                                                                                \
           (const struct pl_cpu_conv *conv, enum pl_cpu_algorithm algorithm, const float *x, const float *dy,          \
            float *dweights, float *work, int threads))                                                                \
    /* dbias[c] = sum of dy over batch and pixels. */                                                                  \
    KERNEL(void, bias_backward,                                                                                        \
           (const struct pl_cpu_shape *shape, const float *dy, float *dbias, float *work, int threads))                \
    /* Mean and biased variance of every channel over batch and pixels, summed in double. */                           \
    KERNEL(                                                                                                            \
        void, norm_statistics,                                                                                         \
        (const struct pl_cpu_shape *shape, const float *x, double *mean, double *variance, float *work, int threads))  \
    /* y = act(gamma * (x - mean) / sqrt(variance + epsilon) + beta + residual); residual may be NULL, y may be        \
     * x or residual. */                                                                                               \
    KERNEL(void, norm_forward,                                                                                         \
           (const struct pl_cpu_shape *shape, const struct pl_cpu_norm *norm, const float *x, const float *residual,   \
            float *y, int threads))                                                                                    \
    /* Gradients of the training form. y is norm_forward's result where it had a residual and a ReLU, else NULL        \
     * (the ReLU's mask is then recomputed from x). dx may be dy; add: dx += instead (dx not dy). dresidual,           \
     * NULL where there was none, receives the masked dy and may be dy too when dx is not. */                          \
    KERNEL(void, norm_backward,                                                                                        \
           (const struct pl_cpu_shape *shape, const struct pl_cpu_norm *norm, const float *x, const float *y,          \
            const float *dy, bool add, float *dx, float *dresidual, float *dgamma, float *dbeta, float *work,          \
            int threads))                                                                                              \
    /* Elementwise; outputs may be inputs. relu_backward masks by the forward result y. NaN passes. */                 \
    KERNEL(void, relu_forward, (const struct pl_cpu_shape *shape, const float *x, float *y, int threads))              \
    KERNEL(void, relu_backward,                                                                                        \
           (const struct pl_cpu_shape *shape, const float *y, const float *dy, float *dx, int threads))                \
    KERNEL(void, add, (const struct pl_cpu_shape *shape, const float *a, const float *b, float *y, int threads))       \
    KERNEL(void, add_relu, (const struct pl_cpu_shape *shape, const float *a, const float *b, float *y, int threads))  \
    /* y = keep ? x * scale : 0, keep one byte per element in plain [batch][channels][height][width] order (so         \
     * that the mask does not depend on the device); the same call serves backward. */                                 \
    KERNEL(                                                                                                            \
        void, dropout,                                                                                                 \
        (const struct pl_cpu_shape *shape, const float *x, const uint8_t *keep, float scale, float *y, int threads))   \
    /* Pooling. The maximum skips the padding and hands a NaN on; its gradient goes to the first maximum of each       \
     * window. The average divides by the whole window, padding included. backward overwrites dx, or adds to it.       \
     * Global pooling is a kernel of the image's size. */                                                              \
    KERNEL(void, max_forward, (const struct pl_cpu_pool *pool, const float *x, float *y, int threads))                 \
    KERNEL(void, max_backward,                                                                                         \
           (const struct pl_cpu_pool *pool, const float *x, const float *y, const float *dy, bool add, float *dx,      \
            int threads))                                                                                              \
    KERNEL(void, average_forward, (const struct pl_cpu_pool *pool, const float *x, float *y, int threads))             \
    KERNEL(void, average_backward,                                                                                     \
           (const struct pl_cpu_pool *pool, const float *dy, bool add, float *dx, int threads))                        \
    /* Products with a locked sequence. Operands are those of conv_prepare for the 1x1 convolution, DIRECT; bias may   \
     * be NULL. dx is written (add: added to) for kept features, and zero (unchanged) for the others. */               \
    KERNEL(size_t, locked_workspace, (const struct pl_cpu_locked *l, int threads)) /* floats */                        \
    KERNEL(void, locked_forward,                                                                                       \
           (const struct pl_cpu_locked *l, const float *x, const float *operand, const float *bias, float *y,          \
            float *work, int threads))                                                                                 \
    KERNEL(void, locked_backward_data,                                                                                 \
           (const struct pl_cpu_locked *l, const float *dy, const float *operand, bool add, float *dx, float *work,    \
            int threads))                                                                                              \
    KERNEL(                                                                                                            \
        void, locked_backward_weights,                                                                                 \
        (const struct pl_cpu_locked *l, const float *x, const float *dy, float *dweights, float *work, int threads))   \
    /* state, plain, is h[column][hidden] and then c likewise: before the first step, and then after the last. */      \
    KERNEL(void, lstm_forward,                                                                                         \
           (const struct pl_cpu_lstm *lstm, const float *x, float *state, float *y, float *reserve, float *work,       \
            int threads))                                                                                              \
    /* Gradients are overwritten; dx may be NULL. Once for a reserve. */                                               \
    KERNEL(void, lstm_backward,                                                                                        \
           (const struct pl_cpu_lstm *lstm, const float *x, const float *dy,                                           \
            const struct pl_cpu_lstm_gradients *gradients, float *dx, bool add, float *reserve, float *work,           \
            int threads))                                                                                              \
    /* The functions that gates are made of, for tests: count is a multiple of 16. */                                  \
    KERNEL(void, curve, (enum pl_cpu_curve curve, const float *x, float *y, size_t count))                             \
    /* Softmax cross-entropy of logits (height and width 1). The target of a sample is 1 - smoothing at its            \
     * label plus smoothing / channels everywhere. losses (may be NULL) receives every sample's loss, best (may        \
     * be NULL) its first largest class, dlogits (may be NULL, may be logits) scale times the gradient; scale is       \
     * 1 / batch for a mean. */                                                                                        \
    KERNEL(void, cross_entropy,                                                                                        \
           (const struct pl_cpu_shape *shape, const float *logits, const int32_t *labels, double smoothing,            \
            double scale, double *losses, int32_t *best, float *dlogits, int threads))                                 \
    /* Limits to compare measurements with: multiply-adds in registers, in 1e9 operations (two each) a second;         \
     * and reading one half of a buffer and writing the other, in 1e9 bytes moved a second. */                         \
    KERNEL(double, peak, (double seconds, int threads))                                                                \
    KERNEL(double, bandwidth, (float *buffer, size_t count, int threads))

/* The kernels of one instruction set. */
struct pl_cpu_kernels {
#define PL_CPU_MEMBER(type, name, parameters) type(*name) parameters;
    PL_CPU_EACH_KERNEL(PL_CPU_MEMBER)
#undef PL_CPU_MEMBER
};

/* NULL where this build has no kernels of that instruction set. */
const struct pl_cpu_kernels *pl_cpu_kernels(enum pl_isa isa);

#endif
