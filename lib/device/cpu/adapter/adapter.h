/* device/cpu/adapter: the cpu device as device.h wants it. Nothing is computed here that takes time: views are turned
 * into the shapes and buffers of device/cpu/kernels, an algorithm is chosen for each convolution, workspaces are cut.
 *
 * A piece of a concatenation begins at a block of 16 channels, so that where growth is no multiple of 16 a
 * view has gaps between its pieces. To the kernels the channels in a gap are channels like any other, that
 * happen to hold zeros; what they need for them (weights, scales) is spread out with zeros in a workspace, and
 * gradients are gathered from there. */
#ifndef PL_CPU_ADAPTER_H
#define PL_CPU_ADAPTER_H

#include "device/cpu/kernels/kernels.h"
#include "device/device_priv.h"

static inline const struct pl_cpu_kernels *cpu_kernels(const struct pl_device *d)
{
    return d->state;
}

struct pl_cpu_shape cpu_shape(const struct pl_view *v); /* the view as a tensor, gaps included */
float *cpu_data(const struct pl_view *v);
bool cpu_has_gaps(const struct pl_view *v);

/* Between plain arrays of the view's channels and arrays with gaps: count rows of channels x size numbers. */
void cpu_spread(const struct pl_view *v, const float *plain, size_t rows, size_t size, float *spread);
void cpu_gather(const struct pl_view *v, const float *spread, size_t rows, size_t size, float *plain);

/* Cuts count elements of the given size from a workspace, aligned to 64 bytes. */
void *cpu_cut(void **work, size_t count, size_t size);
static inline size_t cpu_cut_bytes(size_t count, size_t size)
{
    return (count * size + 63) / 64 * 64;
}

void cpu_convolution_choose(struct pl_device *d, const struct pl_window *c, const struct pl_view *x,
                            const struct pl_view *y, struct pl_convolution_choice *choice);
void cpu_convolution_forward(struct pl_device *d, const struct pl_window *c, const struct pl_view *x,
                             const void *weight, const void *bias, const struct pl_view *y, bool moments, void *work);
void cpu_convolution_backward_data(struct pl_device *d, const struct pl_window *c, const struct pl_view *dy,
                                   const void *weight, const struct pl_view *dx, bool accumulate, void *work);
void cpu_convolution_backward_weights(struct pl_device *d, const struct pl_window *c, const struct pl_view *x,
                                      const struct pl_view *dy, void *dweight, void *dbias, void *work);

size_t cpu_norm_workspace(const struct pl_view *x);
void cpu_moments(struct pl_device *d, const struct pl_view *x, void *work);
void cpu_norm_running(struct pl_device *d, const struct pl_batch_norm *n, const struct pl_view *x, double *mean,
                      double *variance);
void cpu_norm_forward(struct pl_device *d, const struct pl_batch_norm *n, const struct pl_view *x, const void *weight,
                      const void *bias, const double *mean, const double *variance, const struct pl_view *residual,
                      const struct pl_view *y, void *work);
void cpu_norm_backward(struct pl_device *d, const struct pl_batch_norm *n, const struct pl_view *x,
                       const struct pl_view *y, const struct pl_view *dy, const void *weight, const void *bias,
                       void *dweight, void *dbias, const struct pl_view *dx, bool accumulate,
                       const struct pl_view *dresidual, void *work);

void cpu_embedding_forward(struct pl_device *d, const void *matrix, const void *tokens, const struct pl_drop *drop,
                           const struct pl_view *y, void *work);
void cpu_embedding_backward(struct pl_device *d, const void *tokens, const struct pl_drop *drop,
                            const struct pl_view *dy, int vocabulary, int padding, void *dmatrix, bool accumulate,
                            void *work);
void cpu_penalty_forward(struct pl_device *d, enum pl_penalty kind, double coefficient, const struct pl_view *x,
                         void *value, void *work);
void cpu_penalty_backward(struct pl_device *d, enum pl_penalty kind, double coefficient, const struct pl_view *x,
                          const struct pl_view *dy, const struct pl_view *dx);
size_t cpu_lstm_reserve(struct pl_device *d, const struct pl_view *x, int hidden, bool drop);
size_t cpu_lstm_workspace(struct pl_device *d, const struct pl_view *x, int hidden);
void cpu_lstm_forward(struct pl_device *d, const struct pl_lstm *w, const struct pl_drop *drop, const struct pl_view *x,
                      void *state, const struct pl_view *y, void *reserve, void *work);
void cpu_lstm_backward(struct pl_device *d, const struct pl_lstm *w, const struct pl_drop *drop,
                       const struct pl_view *x, const struct pl_view *dy, const struct pl_lstm *dw,
                       const struct pl_view *dx, bool accumulate, void *reserve, void *work);

#endif
