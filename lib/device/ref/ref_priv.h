/* The reference device: plain loops in double precision. Activations are [sample][row][column][channel], so
 * that a view is a range of the innermost index and every inner loop runs over channels. */
#ifndef PL_REF_PRIV_H
#define PL_REF_PRIV_H

#include "device/device_priv.h"

/* The channels of view v at one pixel of one sample. */
static inline double *ref_at(const struct pl_view *v, int sample, int row, int column)
{
    size_t pixel = ((size_t)sample * (size_t)v->height + (size_t)row) * (size_t)v->width + (size_t)column;
    return (double *)v->data + pixel * (size_t)v->stored + v->first;
}

/* The channels of the pixel-th pixel, counted over the whole batch. */
static inline double *ref_pixel(const struct pl_view *v, size_t pixel)
{
    return (double *)v->data + pixel * (size_t)v->stored + v->first;
}

static inline size_t ref_pixels(const struct pl_view *v)
{
    return (size_t)v->batch * (size_t)v->height * (size_t)v->width;
}

void ref_convolution_choose(struct pl_device *d, const struct pl_window *c, const struct pl_view *x,
                            const struct pl_view *y, struct pl_convolution_choice *choice);
void ref_convolution_forward(struct pl_device *d, const struct pl_window *c, const struct pl_view *x,
                             const void *weight, const void *bias, const struct pl_view *y, bool moments, void *work);
void ref_convolution_backward_data(struct pl_device *d, const struct pl_window *c, const struct pl_view *dy,
                                   const void *weight, const struct pl_view *dx, bool accumulate, void *work);
void ref_convolution_backward_weights(struct pl_device *d, const struct pl_window *c, const struct pl_view *x,
                                      const struct pl_view *dy, void *dweight, void *dbias, void *work);

void ref_moments(struct pl_device *d, const struct pl_view *x, void *work);
void ref_norm_running(struct pl_device *d, const struct pl_batch_norm *n, const struct pl_view *x, double *mean,
                      double *variance);
void ref_norm_forward(struct pl_device *d, const struct pl_batch_norm *n, const struct pl_view *x, const void *weight,
                      const void *bias, const double *mean, const double *variance, const struct pl_view *residual,
                      const struct pl_view *y, void *work);
void ref_norm_backward(struct pl_device *d, const struct pl_batch_norm *n, const struct pl_view *x,
                       const struct pl_view *y, const struct pl_view *dy, const void *weight, const void *bias,
                       void *dweight, void *dbias, const struct pl_view *dx, bool accumulate,
                       const struct pl_view *dresidual, void *work);

void ref_pool_forward(struct pl_device *d, enum pl_pooling kind, const struct pl_window *p, const struct pl_view *x,
                      const struct pl_view *y);
void ref_pool_backward(struct pl_device *d, enum pl_pooling kind, const struct pl_window *p, const struct pl_view *x,
                       const struct pl_view *y, const struct pl_view *dy, const struct pl_view *dx, bool accumulate);

void ref_cross_entropy(struct pl_device *d, const struct pl_view *x, const void *labels, double smoothing,
                       const struct pl_view *dx, void *result, void *work);

void ref_embedding_forward(struct pl_device *d, const void *matrix, const void *tokens, const struct pl_drop *drop,
                           const struct pl_view *y, void *work);
void ref_embedding_backward(struct pl_device *d, const void *tokens, const struct pl_drop *drop,
                            const struct pl_view *dy, int vocabulary, int padding, void *dmatrix, bool accumulate,
                            void *work);
void ref_penalty_forward(struct pl_device *d, enum pl_penalty kind, double coefficient, const struct pl_view *x,
                         void *value, void *work);
void ref_penalty_backward(struct pl_device *d, enum pl_penalty kind, double coefficient, const struct pl_view *x,
                          const struct pl_view *dy, const struct pl_view *dx);

size_t ref_lstm_reserve(struct pl_device *d, const struct pl_view *x, int hidden, bool drop);
size_t ref_lstm_workspace(struct pl_device *d, const struct pl_view *x, int hidden);
void ref_lstm_forward(struct pl_device *d, const struct pl_lstm *w, const struct pl_drop *drop, const struct pl_view *x,
                      void *state, const struct pl_view *y, void *reserve, void *work);
void ref_lstm_backward(struct pl_device *d, const struct pl_lstm *w, const struct pl_drop *drop,
                       const struct pl_view *x, const struct pl_view *dy, const struct pl_lstm *dw,
                       const struct pl_view *dx, bool accumulate, void *reserve, void *work);

#endif
