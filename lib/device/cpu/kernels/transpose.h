/* Between plain arrays, where the values of one channel lie together, and groups of 16 channels. */
#ifndef PL_DEVICE_CPU_TRANSPOSE_H
#define PL_DEVICE_CPU_TRANSPOSE_H

#include <string.h>

#include "device/cpu/kernels/vec.h"

typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));

INLINE quad load_quad(const float *p)
{
    return *(const quad *)p;
}

INLINE void store_quad(float *p, quad v)
{
    *(quad *)p = v;
}

/* to[c * to_step + r] = from[r * from_step + c] for 4 x 4 values */
INLINE void transpose4(const float *from, size_t from_step, float *to, size_t to_step)
{
    const quad a = load_quad(from), b = load_quad(from + from_step), c = load_quad(from + 2 * from_step),
               d = load_quad(from + 3 * from_step);
    const quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const quad cd = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    store_quad(to, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
    store_quad(to + to_step, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
    store_quad(to + 2 * to_step, __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5));
    store_quad(to + 3 * to_step, __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7));
}

/* to[c * to_step + r] = from[r * from_step + c] for r < rows, c < columns; rows up to 16 are filled with
 * zeros. */
static inline void gather16(const float *from, size_t from_step, int rows, int columns, float *to, size_t to_step)
{
    int c = 0;
    for (; rows == 16 && c + 4 <= columns; c += 4)
        UNROLL_FOR (int r = 0; r < 16; r += 4)
            transpose4(from + (size_t)r * from_step + c, from_step, to + (size_t)c * to_step + r, to_step);
    for (; c < columns; c++)
        for (int r = 0; r < 16; r++)
            to[(size_t)c * to_step + r] = r < rows ? from[(size_t)r * from_step + c] : 0;
}

/* to[r * to_step + c] = from[c * from_step + r] for r < rows (at most 16), c < columns */
static inline void scatter16(const float *from, size_t from_step, int columns, float *to, size_t to_step, int rows)
{
    int c = 0;
    for (; rows == 16 && c + 4 <= columns; c += 4)
        UNROLL_FOR (int r = 0; r < 16; r += 4)
            transpose4(from + (size_t)c * from_step + r, from_step, to + (size_t)r * to_step + c, to_step);
    for (; c < columns; c++)
        for (int r = 0; r < rows; r++)
            to[(size_t)r * to_step + c] = from[(size_t)c * from_step + r];
}

#endif
