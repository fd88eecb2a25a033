/* Gaussian noise: Philox4x32-10 (Salmon et al., SC 2011) and Box-Muller, on whole vectors.
 *
 * Elements come in groups of 32 and Philox blocks in groups of 8: element e of group g has lane k = e mod 16
 * and takes its bits from the block with counter (step, 8 g + k / 2): word k mod 2 gives the radius, word
 * 2 + k mod 2 the angle. Elements 0..15 take the first coordinate of that point in the plane, 16..31 the
 * second. So a draw depends on key, step and element only, and float and double see the same points.
 *
 * The radius is sqrt(-2 log u) with u = (2 floor(a/2) + 1) 2^-32. The angle's 30 low bits place it within an
 * eighth of a turn to either side of an axis; bit 30 swaps the axes and bit 31 changes the sign of both. */
#include "optim/kernel.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { LANES = 16, GROUP = 2 * LANES, BATCH = 8 /* groups whose bits are drawn before they are used */ };

/* 64-bit lanes that hold 32-bit words in their low halves, and how many groups are drawn at a time: enough vectors
 * to hide the latency of multiplication, few enough to stay in registers. */
#if defined(__AVX512F__)
enum { WIDTH = 8, DRAWN = 2 };
#elif defined(__AVX2__)
enum { WIDTH = 4, DRAWN = 1 };
#else
enum { WIDTH = 2, DRAWN = 1 };
#endif
typedef uint64_t words __attribute__((vector_size(8 * WIDTH)));
enum { VECTORS = DRAWN * 8 / WIDTH };
#if defined(__AVX512F__)
static const words counting = {0, 1, 2, 3, 4, 5, 6, 7};
#elif defined(__AVX2__)
static const words counting = {0, 1, 2, 3};
#else
static const words counting = {0, 1};
#endif

static inline words multiply(words a, words b)
{
#if defined(__AVX512F__)
    return (words)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (words)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (words)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    const words low = (words){0} + 0xffffffffu;
    return (a & low) * (b & low);
#endif
}

static inline words join(words low, words high)
{
#if defined(__AVX512F__)
    return (words)_mm512_mask_shuffle_epi32((__m512i)low, 0xaaaa, (__m512i)high, 0xa0);
#elif defined(__AVX2__)
    return (words)_mm256_blend_epi32((__m256i)low, (__m256i)(high << 32), 0xaa);
#else
    return (low & ((words){0} + 0xffffffffu)) | high << 32;
#endif
}

/* The keys of the ten rounds. */
struct schedule {
    words first[10], second[10];
};

static void make_schedule(struct pl_random key, struct schedule *keys)
{
    const words zero = {0};
    for (uint32_t round = 0; round < 10; round++) {
        keys->first[round] = zero + (key.key[0] + round * 0x9E3779B9u);
        keys->second[round] = zero + (key.key[1] + round * 0xBB67AE85u);
    }
}

/* The bits of DRAWN groups: the radius and angle words of their lanes. High halves of the vectors' lanes may hold
 * anything between rounds: multiplication ignores them. */
static inline void draw_bits(const struct schedule *keys, uint64_t step, uint64_t group, uint32_t *radius,
                             uint32_t *angle)
{
    const words zero = {0};
    words c[VECTORS][4];
    for (int j = 0; j < VECTORS; j++) {
        c[j][0] = zero + (8 * group + (uint64_t)j * WIDTH) + counting;
        c[j][1] = c[j][0] >> 32;
        c[j][2] = zero + (step & 0xffffffffu);
        c[j][3] = zero + (step >> 32);
    }
    for (int round = 0; round < 10; round++)
        for (int j = 0; j < VECTORS; j++) {
            words p0 = multiply(c[j][0], zero + 0xD2511F53u), p1 = multiply(c[j][2], zero + 0xCD9E8D57u);
            c[j][0] = p1 >> 32 ^ (c[j][1] ^ keys->first[round]);
            c[j][2] = p0 >> 32 ^ (c[j][3] ^ keys->second[round]);
            c[j][1] = p1;
            c[j][3] = p0;
        }
    for (int j = 0; j < VECTORS; j++) {
        words a = join(c[j][0], c[j][1]), b = join(c[j][2], c[j][3]);
        memcpy(radius + 2 * WIDTH * j, &a, sizeof a);
        memcpy(angle + 2 * WIDTH * j, &b, sizeof b);
    }
}

/* Coefficients interpolate at the Chebyshev nodes of the interval; largest relative errors in float 3e-9
 * (logarithm), 1e-8 (sine), 8e-10 (cosine), in double below 2e-17. Those of the logarithm are in (4 f / (2 + f))^2. */
#if REAL_BITS == 32
enum { MANTISSA = 23 };
static const real_bits root_half = 0x3f3504f3; /* sqrt(1/2) */
static const real log_terms[] = {0.02083333907661126f, 0.0007810308258234923f, 3.610846318748589e-05f};
static const real sine_terms[] = {-0.1666666466231438f, 0.008332748270629749f, -0.00019587890880412386f};
static const real cosine_terms[] = {-0.5f, 0.04166666465950221f, -0.0013888303035894866f, 2.4547942085071572e-05f};
#else
enum { MANTISSA = 52 };
static const real_bits root_half = 0x3fe6a09e667f3bcd;
static const real log_terms[] = {0.020833333333333343,  0.000781249999998036,  3.487723220947665e-05,
                                 1.695420160694876e-06, 8.670277335965608e-08, 4.5692058259876885e-09,
                                 2.72255119399887e-10};
static const real sine_terms[] = {-0.16666666666666666,  0.008333333333330948,    -0.00019841269836758574,
                                  2.755731610255244e-06, -2.5051131845003624e-08, 1.5918129294866608e-10};
static const real cosine_terms[] = {-0.5,
                                    0.041666666666666664,
                                    -0.0013888888888887398,
                                    2.480158729876569e-05,
                                    -2.7557317271729793e-07,
                                    2.08761462684032e-09,
                                    -1.1382632425521717e-11};
#endif
#define POLYNOMIAL(terms, x) polynomial(terms, sizeof(terms) / sizeof *(terms), x)

static inline real polynomial(const real *terms, size_t count, real x)
{
    real sum = terms[count - 1];
    for (size_t i = count - 1; i-- > 0;)
        sum = multiply_add(sum, x, terms[i]);
    return sum;
}

static inline real_bits bits_of(real x)
{
    real_bits bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline real from_bits(real_bits bits)
{
    real x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* -2 log u, u = (k + 1/2) 2^-31: u = 2^n m with m in [sqrt(1/2), sqrt(2)), and log m = 2 artanh(f / (2 + f)) with
 * f = m - 1. Where n = 0 f comes straight from k, because u - 1 would lose its last bits to rounding. */
static inline real minus_twice_log(uint32_t word)
{
    int32_t k = (int32_t)(word >> 1);
    real_bits u = bits_of(multiply_add((real)k, (real)0x1p-31, (real)0x1p-32));
    real_bits exponent = (u - root_half) & ((real_bits)-1 << MANTISSA); /* n, in the place of an exponent */
    real m = from_bits(u - exponent), n = (real)(int32_t)(exponent >> (REAL_BITS - 32));
    real near_one = multiply_add((real)(int32_t)((uint32_t)k | 0x80000000u), (real)0x1p-31, (real)0x1p-32);
    real f = exponent ? m - 1 : near_one;
    real s = f / multiply_add((real)-0.25, f, (real)-0.5), z = s * s; /* s is -4 f / (2 + f) */
    real minus_twice_log_m = multiply_add(s * z, POLYNOMIAL(log_terms, z), s);
    return multiply_add(n, (real)(-2 * M_LN2 / (1 << (MANTISSA + 32 - REAL_BITS))), minus_twice_log_m);
}

static inline void point(uint32_t radius_word, uint32_t angle_word, real *first, real *second)
{
    real radius = real_sqrt(minus_twice_log(radius_word));
    radius = from_bits(bits_of(radius) ^ (real_bits)(angle_word & 0x80000000u) << (REAL_BITS - 32));
    real angle = (real)(int32_t)(angle_word << 2) * (real)(0.78539816339744831 * 0x1p-31), z = angle * angle;
    real sine = multiply_add(angle * z, POLYNOMIAL(sine_terms, z), angle);
    real cosine = multiply_add(POLYNOMIAL(cosine_terms, z), z, 1);
    bool swap = (int32_t)(angle_word << 1) < 0;
    *first = radius * (swap ? sine : cosine);
    *second = radius * (swap ? cosine : sine);
}

void KERNEL(pl_noise)(struct pl_random key, uint64_t step, size_t first, size_t count, void *out)
{
    uint32_t radius[BATCH * LANES] __attribute__((aligned(64))), angle[BATCH * LANES] __attribute__((aligned(64)));
    struct schedule keys;
    make_schedule(key, &keys);
    real *restrict z = out;
    uint64_t group = first / GROUP;
    while (count >= GROUP) {
        size_t groups = count / GROUP < BATCH ? count / GROUP : BATCH;
        for (size_t i = 0; i < groups; i += DRAWN)
            draw_bits(&keys, step, group + i, radius + LANES * i, angle + LANES * i);
        for (size_t i = 0; i < groups; i++, z += GROUP)
            for (size_t k = 0; k < LANES; k++)
                point(radius[LANES * i + k], angle[LANES * i + k], &z[k], &z[k + LANES]);
        group += groups;
        count -= groups * GROUP;
    }
    if (!count)
        return;
    draw_bits(&keys, step, group, radius, angle);
    for (size_t k = 0; k < LANES && k < count; k++) {
        real second;
        point(radius[k], angle[k], &z[k], &second);
        if (k + LANES < count)
            z[k + LANES] = second;
    }
}

/* Uniform on (0,1): (w + 1/2) 2^-32 of the words that would make a normal's radius (elements 0..15 of a group) and
 * angle (elements 16..31). */
void KERNEL(pl_uniforms)(struct pl_random key, uint64_t step, size_t first, size_t count, void *out)
{
    uint32_t radius[DRAWN * LANES] __attribute__((aligned(64))), angle[DRAWN * LANES] __attribute__((aligned(64)));
    struct schedule keys;
    make_schedule(key, &keys);
    real *u = out, drawn[DRAWN * GROUP];
    for (uint64_t group = first / GROUP; count; group += DRAWN) {
        draw_bits(&keys, step, group, radius, angle);
        for (size_t i = 0; i < DRAWN; i++)
            for (size_t k = 0; k < LANES; k++) {
                drawn[GROUP * i + k] = multiply_add((real)radius[LANES * i + k], (real)0x1p-32, (real)0x1p-33);
                drawn[GROUP * i + LANES + k] = multiply_add((real)angle[LANES * i + k], (real)0x1p-32, (real)0x1p-33);
            }
        size_t taken = count < DRAWN * GROUP ? count : DRAWN * GROUP;
        memcpy(u, drawn, taken * sizeof *u);
        u += taken;
        count -= taken;
    }
}
