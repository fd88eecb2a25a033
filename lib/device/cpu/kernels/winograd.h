/* The transforms of Winograd's minimal filtering (Lavin and Gray, Fast Algorithms for Convolutional Neural
 * Networks, 2015): m x m outputs of a 3x3 convolution from (m+2) x (m+2) products, where a direct one takes
 * 9 m m. With the input tile d, the kernel g, the output y and its gradient e, and . elementwise:
 *
 *   forward           y = A^T [ (B^T d B) . (G g G^T) ] A
 *   backward weights  dg = G^T [ (B^T d B) . (A e A^T) ] G
 *
 * F(2x2) interpolates at the points 0, 1, -1 and infinity, F(4x4) at 2 and -2 besides. Summed over channels or
 * samples, the elementwise products become one matrix product per point. */
#ifndef PL_DEVICE_CPU_WINOGRAD_H
#define PL_DEVICE_CPU_WINOGRAD_H

#include "device/cpu/kernels/vec.h"

static const float winograd2_bt[4][4] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, -1, 0, 1}};
static const float winograd2_g[4][3] = {{1, 0, 0}, {0.5f, 0.5f, 0.5f}, {0.5f, -0.5f, 0.5f}, {0, 0, 1}};
static const float winograd2_at[2][4] = {{1, 1, 1, 0}, {0, 1, -1, 1}};

static const float winograd4_bt[6][6] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
                                         {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
static const float winograd4_g[6][3] = {{1 / 4.f, 0, 0},
                                        {-1 / 6.f, -1 / 6.f, -1 / 6.f},
                                        {-1 / 6.f, 1 / 6.f, -1 / 6.f},
                                        {1 / 24.f, 1 / 12.f, 1 / 6.f},
                                        {1 / 24.f, -1 / 12.f, 1 / 6.f},
                                        {0, 0, 1}};
static const float winograd4_at[4][6] = {
    {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};

/* A matrix, or its transpose: element (i, k) is at[i * down + k * across]. */
struct matrix {
    const float *at;
    int rows, columns, down, across;
};

INLINE struct matrix matrix_of(const float *at, const int rows, const int columns, const bool transposed)
{
    if (transposed)
        return (struct matrix){at, columns, rows, 1, columns};
    return (struct matrix){at, rows, columns, columns, 1};
}

INLINE float element(const struct matrix m, const int i, const int k)
{
    return m.at[i * m.down + k * m.across];
}

/* The points come in pairs p, -p: in B^T, G and A their two rows agree in the even columns and differ in
 * sign in the odd ones, so both are even part +- odd part. */
INLINE bool rows_mirror(const struct matrix m, const int i)
{
    if (i < 0 || i + 1 >= m.rows)
        return false;
    bool mirror = true;
    UNROLL_FOR (int k = 0; k < m.columns; k++)
        mirror &= element(m, i + 1, k) == (k % 2 ? -element(m, i, k) : element(m, i, k));
    return mirror;
}

/* The same of columns, in A^T and G^T. */
INLINE bool columns_mirror(const struct matrix m, const int k)
{
    if (k < 0 || k + 1 >= m.columns)
        return false;
    bool mirror = true;
    UNROLL_FOR (int i = 0; i < m.rows; i++)
        mirror &= element(m, i, k + 1) == (i % 2 ? -element(m, i, k) : element(m, i, k));
    return mirror;
}

/* Adds c * x to the sum, which is empty yet when !any; the branches go when the matrix is known. */
INLINE vec plus_term(vec sum, const bool any, const float c, vec x)
{
    if (!any)
        return c == 1 ? x : (vec)(c * x);
    if (c == 1)
        return sum + x;
    return c == -1 ? (vec)(sum - x) : (vec)(sum + c * x);
}

/* Row i of the matrix times the vectors in[k * step], over columns first, first + stride, ... */
INLINE vec row_part(const struct matrix m, const int i, const int first, const int stride, const vec *in,
                    const int step)
{
    vec sum = {0};
    bool any = false;
    UNROLL_FOR (int k = first; k < m.columns; k += stride) {
        if (element(m, i, k) == 0)
            continue;
        sum = plus_term(sum, any, element(m, i, k), in[k * step]);
        any = true;
    }
    return sum;
}

/* The same over all columns, mirrored pairs of columns first added or subtracted. */
INLINE vec row_pairs(const struct matrix m, const int i, const vec *in, const int step)
{
    vec sum = {0};
    bool any = false;
    UNROLL_FOR (int k = 0; k < m.columns; k++) {
        if (element(m, i, k) == 0 || columns_mirror(m, k - 1))
            continue;
        const vec x = in[k * step], next = in[(k + 1 < m.columns ? k + 1 : k) * step];
        const vec both = !columns_mirror(m, k) ? x : i % 2 ? (vec)(x - next) : (vec)(x + next);
        sum = plus_term(sum, any, element(m, i, k), both);
        any = true;
    }
    return sum;
}

/* out = matrix times in, vectors of 16 channels (or LANES of them) being the numbers. */
INLINE void multiply(const struct matrix m, const vec *in, const int in_step, vec *out, const int out_step)
{
    UNROLL_FOR (int i = 0; i < m.rows; i++) {
        if (m.rows < m.columns)
            out[i * out_step] = row_pairs(m, i, in, in_step);
        else if (rows_mirror(m, i))
            out[i * out_step] = row_part(m, i, 0, 2, in, in_step) + row_part(m, i, 1, 2, in, in_step);
        else if (rows_mirror(m, i - 1))
            out[i * out_step] = row_part(m, i - 1, 0, 2, in, in_step) - row_part(m, i - 1, 1, 2, in, in_step);
        else
            out[i * out_step] = row_part(m, i, 0, 1, in, in_step);
    }
}

/* out = M in M^T, in being columns x columns and out rows x rows. */
INLINE void sandwich(const struct matrix m, const vec *in, vec *out)
{
    vec half[36];
    UNROLL_FOR (int j = 0; j < m.columns; j++)
        multiply(m, in + j, m.columns, half + j, m.columns);
    UNROLL_FOR (int i = 0; i < m.rows; i++)
        multiply(m, half + i * m.columns, 1, out + i * m.rows, 1);
}

INLINE void transform_input(const int m, const vec *d, vec *out)
{
    sandwich(m == 4 ? matrix_of(&winograd4_bt[0][0], 6, 6, false) : matrix_of(&winograd2_bt[0][0], 4, 4, false), d,
             out);
}

INLINE void transform_kernel(const int m, const vec g[9], vec *out)
{
    sandwich(m == 4 ? matrix_of(&winograd4_g[0][0], 6, 3, false) : matrix_of(&winograd2_g[0][0], 4, 3, false), g, out);
}

INLINE void transform_output(const int m, const vec *products, vec *y)
{
    sandwich(m == 4 ? matrix_of(&winograd4_at[0][0], 4, 6, false) : matrix_of(&winograd2_at[0][0], 2, 4, false),
             products, y);
}

INLINE void transform_gradient(const int m, const vec *e, vec *out) /* A e A^T */
{
    sandwich(m == 4 ? matrix_of(&winograd4_at[0][0], 4, 6, true) : matrix_of(&winograd2_at[0][0], 2, 4, true), e, out);
}

INLINE void transform_back(const int m, const vec *products, vec dg[9]) /* G^T products G */
{
    sandwich(m == 4 ? matrix_of(&winograd4_g[0][0], 6, 3, true) : matrix_of(&winograd2_g[0][0], 4, 3, true), products,
             dg);
}

#endif
