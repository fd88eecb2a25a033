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
size_t cpu_elements(const struct pl_cpu_shape *s);      /* numbers in it, without the padding */
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

/* A batch norm of x as the kernels want it: the running mean and variance, or NULL for the batch's moments. Vectors
 * with gaps are cut from work, of which it takes cpu_norm_bytes. */
struct pl_cpu_norm cpu_norm_of(const struct pl_batch_norm *n, const struct pl_view *x, const void *weight,
                               const void *bias, const double *mean, const double *variance, void **work);
size_t cpu_norm_bytes(const struct pl_view *x);

/* Does it pay to multiply only what the locked dropout that made x has kept? And the mask of it, [column][channel]. */
bool cpu_is_locked(const struct pl_view *x);
size_t cpu_locked_mask_size(const struct pl_view *x);
void cpu_locked_mask(const struct pl_view *x, uint8_t *keep);

/* The passes, of which each file here has some. */
#define PASS(name, parameters, arguments) void cpu_##name(struct pl_device *d, PL_LIST parameters);
#define SIZE(name, parameters, arguments) size_t cpu_##name(struct pl_device *d, PL_LIST parameters);
PL_EACH_PASS(PASS, SIZE)
#undef PASS
#undef SIZE

#endif
