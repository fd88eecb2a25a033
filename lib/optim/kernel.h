/* What is compiled for each instruction set and precision: meson gives REAL_BITS (32 or 64) and KERNEL_SUFFIX
 * (avx2_float, ...), and every symbol that leaves such a file is named KERNEL(name).
 *
 * The compiler may not contract products and sums here (-ffp-contract=off); where a fused one pays, multiply_add asks
 * for it. So an element's result is the same in a vector body and in a scalar tail, and on every instruction set
 * that has (or every one that lacks) fused operations. */
#ifndef PL_OPTIM_KERNEL_H
#define PL_OPTIM_KERNEL_H

#include "optim/optim_priv.h"

#include <float.h>
#include <math.h>

#if REAL_BITS == 32
typedef float real;
typedef uint32_t real_bits;
#define REAL_MIN FLT_MIN
#define real_sqrt sqrtf
#define real_abs fabsf
#define real_copysign copysignf
#else
typedef double real;
typedef uint64_t real_bits;
#define REAL_MIN DBL_MIN
#define real_sqrt sqrt
#define real_abs fabs
#define real_copysign copysign
#endif

#define KERNEL_PASTE(name, suffix) name##_##suffix
#define KERNEL_EXPAND(name, suffix) KERNEL_PASTE(name, suffix)
#define KERNEL(name) KERNEL_EXPAND(name, KERNEL_SUFFIX)

/* a b + c, rounded once where the instruction set can. */
static inline real multiply_add(real a, real b, real c)
{
#if !defined(__FMA__) && !defined(__ARM_FEATURE_FMA)
    return a * b + c;
#elif REAL_BITS == 32
    return __builtin_fmaf(a, b, c);
#else
    return __builtin_fma(a, b, c);
#endif
}

/* 1, -1 or 0; NaN of NaN, so that it shows. */
static inline real sign_of(real x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x * 0;
}

/* Before a loop over more arrays than a compiler compares the places of (gcc: five): they do not overlap. */
#if defined(__clang__)
#define APART _Pragma("clang loop vectorize(assume_safety)")
#else
#define APART _Pragma("GCC ivdep")
#endif

struct pl_arenas {
    real *theta, *gradient;
    const real *xi; /* or NULL */
};

/* One block as its optimizer sees it. */
struct pl_chunk {
    size_t count;
    real *theta;
    real *gradient;
    const real *xi; /* standard normals, or NULL: no noise */
    real *state[PL_ARENAS];
    double sums[PL_SUMS]; /* zero at first */
};

void KERNEL(pl_noise)(struct pl_random key, uint64_t step, size_t first, size_t count, void *out);
void KERNEL(pl_uniforms)(struct pl_random key, uint64_t step, size_t first, size_t count, void *out);

/* Sum of products, in double, in an order that depends on count alone. */
double KERNEL(pl_dot)(const real *x, const real *y, size_t count);
/* The same over blocks [from, to), on all threads. */
double KERNEL(pl_dot_blocks)(struct pl_optim *optim, size_t from, size_t to, const real *x, const real *y);
/* Calls update for each of the blocks [from, to), on all threads, as a step does for all of them; sums gets what the
 * calls left in their chunks' sums, added in the order of the blocks. For begin and tensor, of rules that need a pass
 * over a tensor, or over all of them, before theta moves: such a pass may leave what it found in the gradient. */
typedef void pl_update(const void *self, struct pl_chunk *chunk);
void KERNEL(pl_pass)(struct pl_optim *optim, const struct pl_arenas *arenas, size_t from, size_t to, pl_update *update,
                     double sums[PL_SUMS]);
/* around.c: before the first step, and after every one; after a gradient was taken elsewhere. */
void KERNEL(pl_lookahead_begins)(struct pl_optim *optim, real *theta);
void KERNEL(pl_lookahead_ends)(struct pl_optim *optim, real *theta);
void KERNEL(pl_sam_return)(struct pl_optim *optim, real *theta);

void KERNEL(pl_product_part)(const struct pl_product *p, size_t from, size_t to);
/* Joint squared norm over all tensors. */
double KERNEL(pl_norm2)(struct pl_optim *optim, const real *x);

#endif
