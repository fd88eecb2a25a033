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

/* to[c * to_step + r] = row r [c] for 4 x 4 values */
INLINE void store_columns(quad a, quad b, quad c, quad d, float *to, size_t to_step)
{
    const quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const quad cd = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    store_quad(to, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
    store_quad(to + to_step, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
    store_quad(to + 2 * to_step, __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5));
    store_quad(to + 3 * to_step, __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7));
}

/* to[c * to_step + r] = from[r * from_step + c] for 4 x 4 values */
INLINE void transpose4(const float *from, size_t from_step, float *to, size_t to_step)
{
    store_columns(load_quad(from), load_quad(from + from_step), load_quad(from + 2 * from_step),
                  load_quad(from + 3 * from_step), to, to_step);
}

/* The same with fewer rows, or none: the others are zeros. */
INLINE void transpose_few(const float *from, size_t from_step, int rows, float *to, size_t to_step)
{
    const quad none = {0};
    if (rows >= 4)
        transpose4(from, from_step, to, to_step);
    else
        store_columns(rows > 0 ? load_quad(from) : none, rows > 1 ? load_quad(from + from_step) : none,
                      rows > 2 ? load_quad(from + 2 * from_step) : none, none, to, to_step);
}

/* Columns whose rows are taken four at a time: lines are read and written whole, though rows that lie a multiple of 4
 * KB apart soon leave the first-level cache. */
enum { CHUNK = 16 };

/* to[c * to_step + r] = from[r * from_step + c] for r < rows, c < columns; rows up to 16 are filled with
 * zeros. */
static inline void gather16(const float *from, size_t from_step, int rows, int columns, float *to, size_t to_step)
{
    const int whole = columns & ~3;
    for (int first = 0; first < whole; first += CHUNK) {
        const int end = first + CHUNK < whole ? first + CHUNK : whole;
        UNROLL_FOR (int r = 0; r < 16; r += 4)
            for (int c = first; c < end; c += 4)
                transpose_few(from + (size_t)r * from_step + c, from_step, rows - r, to + (size_t)c * to_step + r,
                              to_step);
    }
    for (int c = whole; c < columns; c++)
        for (int r = 0; r < 16; r++)
            to[(size_t)c * to_step + r] = r < rows ? from[(size_t)r * from_step + c] : 0;
}

/* to[r * to_step + c] = from[c * from_step + r] for r < rows (at most 16), c < columns */
static inline void scatter16(const float *from, size_t from_step, int columns, float *to, size_t to_step, int rows)
{
    const int whole = columns & ~3, full = rows & ~3;
    for (int first = 0; first < whole; first += CHUNK) {
        const int end = first + CHUNK < whole ? first + CHUNK : whole;
        for (int r = 0; r < full; r += 4)
            for (int c = first; c < end; c += 4)
                transpose4(from + (size_t)c * from_step + r, from_step, to + (size_t)r * to_step + c, to_step);
    }
    for (int c = 0; c < columns; c++)
        for (int r = c < whole ? full : 0; r < rows; r++)
            to[(size_t)r * to_step + c] = from[(size_t)c * from_step + r];
}

#endif
