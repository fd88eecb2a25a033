/* What can be put around every optimizer.
 *
 * Lookahead: Zhang, Lucas, Hinton and Ba, "Lookahead optimizer: k steps forward, 1 step back" (NeurIPS 2019). s = theta
 * at first; after every k-th step s <- s + alpha (theta - s), theta <- s. The optimizer's own state goes on as it is.
 *
 * SAM: Foret, Kleiner, Mobahi and Neyshabur, "Sharpness-aware minimization for efficiently improving generalization"
 * (ICLR 2021). The step is taken from theta with the gradient at theta + sam g / (|g| + 1e-12), the norm running over
 * all tensors; adaptive (Kwon et al., "ASAM", ICML 2021): theta + sam theta^2 g / (|theta g| + 1e-12). */
#include "optim/kernel.h"

#include <string.h>

struct around {
    struct pl_optim *optim;
    real *theta, *other; /* lookahead: s; SAM: theta as it was */
    const real *gradient;
    double factor;
    bool adaptive;
};

static void follow_part(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct around *a = self;
    const real alpha = (real)a->factor;
    for (size_t i = from; i < to; i++) {
        const struct pl_optim_block *block = &a->optim->blocks[i];
        real *restrict theta = a->theta + block->offset, *restrict slow = a->other + block->offset;
        for (size_t j = 0; j < block->count; j++)
            theta[j] = slow[j] += alpha * (theta[j] - slow[j]);
    }
}

static void copy_part(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct around *a = self;
    for (size_t i = from; i < to; i++) {
        const struct pl_optim_block *block = &a->optim->blocks[i];
        memcpy(a->other + block->offset, a->theta + block->offset, block->count * sizeof *a->theta);
    }
}

void KERNEL(pl_lookahead_begins)(struct pl_optim *o, real *theta)
{
    struct around around = {.optim = o, .theta = theta, .other = o->arenas[o->slow].data};
    if (o->counts[PL_COUNT_STEPS] == 0)
        pl_optim_parallel(o->threads, o->block_count, copy_part, &around);
}

void KERNEL(pl_lookahead_ends)(struct pl_optim *o, real *theta)
{
    struct around around = {.optim = o, .theta = theta, .other = o->arenas[o->slow].data, .factor = o->lookahead_alpha};
    if (o->counts[PL_COUNT_STEPS] % o->lookahead == 0)
        pl_optim_parallel(o->threads, o->block_count, follow_part, &around);
}

static void weigh_part(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct around *a = self;
    real products[PL_BLOCK] = {0};
    for (size_t i = from; i < to; i++) {
        const struct pl_optim_block *block = &a->optim->blocks[i];
        const real *theta = a->theta + block->offset, *gradient = a->gradient + block->offset;
        for (size_t j = 0; j < block->count; j++)
            products[j] = theta[j] * gradient[j];
        a->optim->sums[PL_SUMS * i] = KERNEL(pl_dot)(products, products, block->count);
    }
}

static double find_norm(struct around *a)
{
    if (!a->adaptive)
        return sqrt(KERNEL(pl_norm2)(a->optim, a->gradient));
    double sum = 0;
    pl_optim_parallel(a->optim->threads, a->optim->block_count, weigh_part, a);
    for (size_t i = 0; i < a->optim->block_count; i++)
        sum += a->optim->sums[PL_SUMS * i];
    return sqrt(sum);
}

static void climb_part(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct around *a = self;
    const real factor = (real)a->factor;
    for (size_t i = from; i < to; i++) {
        const struct pl_optim_block *block = &a->optim->blocks[i];
        real *restrict theta = a->theta + block->offset, *restrict kept = a->other + block->offset;
        const real *restrict gradient = a->gradient + block->offset;
        for (size_t j = 0; j < block->count; j++) {
            kept[j] = theta[j];
            theta[j] += factor * gradient[j] * (a->adaptive ? theta[j] * theta[j] : 1);
        }
    }
}

void KERNEL(pl_sam_climb)(struct pl_optim *o, void *theta, const void *gradient);

void KERNEL(pl_sam_climb)(struct pl_optim *o, void *theta, const void *gradient)
{
    struct around around = {
        .optim = o, .theta = theta, .other = o->kept, .gradient = gradient, .adaptive = o->sam_adaptive};
    around.factor = o->sam / (find_norm(&around) + 1e-12);
    pl_optim_parallel(o->threads, o->block_count, climb_part, &around);
}

void KERNEL(pl_sam_return)(struct pl_optim *o, real *theta)
{
    struct around around = {.optim = o, .theta = o->kept, .other = theta};
    pl_optim_parallel(o->threads, o->block_count, copy_part, &around);
}
