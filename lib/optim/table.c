/* All optimizers of one build, in alphabetical order. */
#include "optim/kernel.h"

#define OPTIMIZERS(X) \
    X(adabelief) X(adabound) X(adagrad) X(adam) X(adamp) X(adamw) X(amsbound) X(amsgrad) X(asgd) X(fromage) X(msvag) \
    X(nt_asgd) X(radam) X(rmsprop) X(sgd) X(sgld) X(swats) X(theopoula) X(tusla) X(yogi)

#define DECLARE(name) extern const struct pl_optimizer KERNEL(pl_##name);
#define ADDRESS(name) &KERNEL(pl_##name),

OPTIMIZERS(DECLARE)
static const struct pl_optimizer *const all[] = {OPTIMIZERS(ADDRESS)};

#if REAL_BITS == 64
void KERNEL(pl_chains_part)(const struct pl_chains_pass *pass, size_t from, size_t to);
#endif
void KERNEL(pl_step)(struct pl_optim *optim, void *theta, void *gradient, const void *xi);

extern const struct pl_kernels KERNEL(pl_kernels);
const struct pl_kernels KERNEL(pl_kernels) = {
    .optimizers = all,
    .count = sizeof all / sizeof *all,
    .step = KERNEL(pl_step),
    .noise = KERNEL(pl_noise),
    .uniforms = KERNEL(pl_uniforms),
#if REAL_BITS == 64
    .chains = KERNEL(pl_chains_part),
#endif
};
