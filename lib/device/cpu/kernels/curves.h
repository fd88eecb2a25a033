/* Exponentials on vectors, within 2 units in the last place of the true value wherever that is a normal number. A NaN
 * stays one. The polynomials are those of the Cephes library (S. L. Moshier, expf.c and tanhf.c). */
#ifndef PL_DEVICE_CPU_CURVES_H
#define PL_DEVICE_CPU_CURVES_H

#include "device/cpu/kernels/vec.h"

typedef uint32_t word __attribute__((vector_size(LANES * sizeof(float)), may_alias));

/* 2^i, i in [-126, 127] */
INLINE vec power_vec(mask i)
{
    return (vec)(((word)i + 127) << 23);
}

/* e^x = 2^n e^r with n whole and |r| <= log(2)/2. The power is multiplied in two parts, so that results below the
 * normal range come out rounded, and those above it infinite. */
INLINE vec exp_vec(vec x)
{
    const vec most = splat(89), least = splat(-104); /* e^most is infinite, e^least zero */
    x = select_vec((mask)(x > most), most, x);
    x = select_vec((mask)(x < least), least, x);
    const vec shift = splat(0x1.8p23f); /* adding it rounds to a whole number, which its lowest bits then hold */
    const vec shifted = x * splat(0x1.715476p0f) + shift, n = shifted - shift;
    const mask i = (mask)((word)shifted - 0x4b400000), half = i >> 1;
    const vec r = (x - n * splat(0.693359375f)) + n * splat(2.12194440e-4f);
    vec p = splat(1.9875691500e-4f);
    p = p * r + splat(1.3981999507e-3f);
    p = p * r + splat(8.3334519073e-3f);
    p = p * r + splat(4.1665795894e-2f);
    p = p * r + splat(1.6666665459e-1f);
    p = p * r + splat(5.0000001201e-1f);
    p = p * (r * r) + r + splat(1);
    return p * power_vec(half) * power_vec(i - half);
}

INLINE vec sigmoid_vec(vec x)
{
    return splat(1) / (splat(1) + exp_vec(-x));
}

INLINE vec tanh_vec(vec x)
{
    const mask sign = (mask)splat(-0.0f);
    const vec a = (vec)((mask)x & ~sign), z = x * x;
    const vec far = splat(1) - splat(2) / (exp_vec(a + a) + splat(1));
    vec p = splat(-5.70498872745e-3f);
    p = p * z + splat(2.06390887954e-2f);
    p = p * z - splat(5.37397155531e-2f);
    p = p * z + splat(1.33314422036e-1f);
    p = p * z - splat(3.33332819422e-1f);
    const vec near = p * z * a + a;
    return (vec)((mask)select_vec((mask)(a < splat(0.625f)), near, far) | ((mask)x & sign));
}

#endif
