/* The vector type of the instruction set that this object is compiled for, and the sizes of the register
 * tiles that suit it. Every kernel works on 16 channels at a time: PARTS vectors of LANES floats. */
#ifndef PL_DEVICE_CPU_VEC_H
#define PL_DEVICE_CPU_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define PL_CPU_NAME(name) pl_cpu_##name##_avx512
enum { LANES = 16 };
#elif defined(__AVX2__)
#define PL_CPU_NAME(name) pl_cpu_##name##_avx2
enum { LANES = 8 };
#else
#define PL_CPU_NAME(name) pl_cpu_##name##_base
enum { LANES = 4 };
#endif
enum { PARTS = 16 / LANES };

/* may_alias: the vectors look into buffers of float. */
typedef float vec __attribute__((vector_size(LANES * sizeof(float)), may_alias));
typedef float loose __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));
typedef int32_t mask __attribute__((vector_size(LANES * sizeof(float)), may_alias));

#define INLINE static inline __attribute__((always_inline))

/* A loop that is unrolled completely: its trip count is a small constant after inlining. */
#if defined(__clang__)
#define UNROLL_FOR _Pragma("clang loop unroll(full)") for
#else
#define UNROLL_FOR _Pragma("GCC unroll 64") for
#endif

INLINE vec load(const float *p)
{
    return *(const vec *)p;
}

INLINE vec load_loose(const float *p) /* from any float address */
{
    return *(const loose *)p;
}

INLINE void store_loose(float *p, vec v)
{
    *(loose *)p = v;
}

INLINE void store(float *p, vec v)
{
    *(vec *)p = v;
}

/* Stores past the caches, for a tensor too large to be found there by its reader: the line is then not read
 * first, which a plain store would do. Whole lines of 64 bytes must be written at once. */
INLINE void store_past(float *p, vec v)
{
#if defined(__AVX512F__)
    _mm512_stream_ps(p, (__m512)v);
#elif defined(__AVX2__)
    _mm256_stream_ps(p, (__m256)v);
#elif defined(__x86_64__)
    _mm_stream_ps(p, (__m128)v);
#else
    store(p, v);
#endif
}

/* Makes such stores visible to the other threads: before a thread leaves its part of the work. */
INLINE void settle(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

/* Until flush_end, this thread takes numbers below the normal range for zero: sums of them would take a processor a
 * hundred times as long, and gradients of gates that are open or closed consist of them. */
INLINE unsigned flush_begin(void)
{
#if defined(__x86_64__)
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040); /* results, operands */
    return before;
#else
    return 0;
#endif
}

INLINE void flush_end(unsigned before)
{
#if defined(__x86_64__)
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

INLINE vec splat(float x)
{
    return x - (vec){0};
}

INLINE vec select_vec(mask yes, vec a, vec b)
{
    return (vec)(((mask)a & yes) | ((mask)b & ~yes));
}

/* max(x, 0); a NaN stays one. */
INLINE vec relu_vec(vec x)
{
    return (vec)((mask)x & ~(mask)(x < (vec){0}));
}

INLINE void prefetch(const float *p)
{
    __builtin_prefetch(p, 0, 3);
}

INLINE void prefetch_later(const float *p) /* to L2 */
{
    __builtin_prefetch(p, 0, 2);
}

/* The 16 channels' values of block b from a plain array of count floats; zero beyond its end. */
INLINE void channels_of(const float *plain, int count, int b, float out[16])
{
    for (int k = 0; k < 16; k++)
        out[k] = b * 16 + k < count ? plain[b * 16 + k] : 0;
}

#endif
