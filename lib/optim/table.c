/* All optimizers of one build; meson.build has the list. */
#include "optim/kernel.h"

#define PL_OPTIMIZER(name) extern const struct pl_optimizer KERNEL(pl_##name);
#include "optim_list.h"
#undef PL_OPTIMIZER

static const void *const all[] = {
#define PL_OPTIMIZER(name) &KERNEL(pl_##name),
#include "optim_list.h"
#undef PL_OPTIMIZER
};

#if REAL_BITS == 64
void KERNEL(pl_chains_part)(const struct pl_chains_pass *pass, size_t from, size_t to);
#endif
void KERNEL(pl_average)(struct pl_optim *optim, const void *theta, double weight);
void KERNEL(pl_sam_climb)(struct pl_optim *optim, void *theta, const void *gradient);
void KERNEL(pl_step)(struct pl_optim *optim, void *theta, void *gradient, const void *xi);

extern const struct pl_kernels KERNEL(pl_kernels);
const struct pl_kernels KERNEL(pl_kernels) = {
    .optimizers = PL_REGISTRY("optimizer", all, struct pl_optimizer, info.name),
    .step = KERNEL(pl_step),
    .average = KERNEL(pl_average),
    .climb = KERNEL(pl_sam_climb),
    .noise = KERNEL(pl_noise),
    .uniforms = KERNEL(pl_uniforms),
    .product = KERNEL(pl_product_part),
#if REAL_BITS == 64
    .chains = KERNEL(pl_chains_part),
#endif
};
