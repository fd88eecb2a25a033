#include "base/random.h"

#include "base/host.h"

#include <Random123/philox.h>

#include <math.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

struct pl_random pl_random_stream(uint64_t seed, enum pl_stream stream)
{
    philox4x32_ctr_t counter = {{(uint32_t)seed, (uint32_t)(seed >> 32), (uint32_t)stream, 0}};
    philox4x32_key_t key = {{0x706f756c, 0x61}}; /* "poula" */
    philox4x32_ctr_t bits = philox4x32(counter, key);
    return (struct pl_random){{bits.v[0], bits.v[1]}};
}

void pl_random_bits(const struct pl_random *r, uint64_t step, uint64_t index, uint32_t bits[4])
{
    philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)step, (uint32_t)(step >> 32)}};
    philox4x32_key_t key = {{r->key[0], r->key[1]}};
    philox4x32_ctr_t out = philox4x32(counter, key);
    for (int i = 0; i < 4; i++)
        bits[i] = out.v[i];
}

static uint64_t join(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

static double unit(uint64_t bits)
{
    return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

double pl_random_uniform(const struct pl_random *r, uint64_t step, uint64_t index)
{
    uint32_t bits[4];
    pl_random_bits(r, step, index, bits);
    return unit(join(bits[0], bits[1]));
}

#ifdef __x86_64__
enum { LANES = 16 };

enum { VECTORS = LANES / 4 };

/* The blocks of LANES counters. A vector holds one 32-bit word of four blocks, each in the low half of 64 bits; the
 * high halves may hold anything between rounds, because multiplication ignores them. Afterwards pairs[0][j] holds words
 * 0 and 1 of the j-th four blocks, pairs[1][j] words 2 and 3. */
__attribute__((target("avx2"), always_inline)) static inline void block_lanes(const struct pl_random *r, uint64_t step,
                                                                              uint64_t index, __m256i pairs[2][VECTORS])
{
    const __m256i low = _mm256_set1_epi64x(0xffffffff);
    __m256i a[VECTORS], b[VECTORS], c[VECTORS], d[VECTORS];
    for (int j = 0; j < VECTORS; j++) {
        a[j] = _mm256_add_epi64(_mm256_set1_epi64x((int64_t)(index + 4 * (uint64_t)j)), _mm256_set_epi64x(3, 2, 1, 0));
        b[j] = _mm256_srli_epi64(a[j], 32);
        c[j] = _mm256_set1_epi64x((int64_t)step);
        d[j] = _mm256_set1_epi64x((int64_t)(step >> 32));
    }
    const __m256i first = _mm256_set1_epi64x(PHILOX_M4x32_0), second = _mm256_set1_epi64x(PHILOX_M4x32_1);
    uint32_t key0 = r->key[0], key1 = r->key[1];
    for (int round = 0; round < 10; round++) {
        __m256i k0 = _mm256_set1_epi64x(key0), k1 = _mm256_set1_epi64x(key1);
        for (int j = 0; j < VECTORS; j++) {
            __m256i p = _mm256_mul_epu32(a[j], first), q = _mm256_mul_epu32(c[j], second);
            a[j] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(q, 32), b[j]), k0);
            c[j] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p, 32), d[j]), k1);
            b[j] = q;
            d[j] = p;
        }
        key0 += PHILOX_W32_0;
        key1 += PHILOX_W32_1;
    }
    for (int j = 0; j < VECTORS; j++) {
        pairs[0][j] = _mm256_or_si256(_mm256_slli_epi64(b[j], 32), _mm256_and_si256(a[j], low));
        pairs[1][j] = _mm256_or_si256(_mm256_slli_epi64(d[j], 32), _mm256_and_si256(c[j], low));
    }
}

__attribute__((target("avx2"))) static void uniform_lanes(const struct pl_random *r, uint64_t step, uint64_t index,
                                                          double out[LANES])
{
    __m256i pairs[2][VECTORS];
    block_lanes(r, step, index, pairs);
    for (int j = 0; j < VECTORS; j++) {
        uint64_t bits[4];
        _mm256_storeu_si256((__m256i *)bits, pairs[0][j]);
        for (int k = 0; k < 4; k++)
            out[4 * j + k] = unit(bits[k]);
    }
}

__attribute__((target("avx2"))) static void store_lanes(const struct pl_random *r, uint64_t step, uint64_t index,
                                                        uint32_t bits[LANES][4])
{
    __m256i pairs[2][VECTORS];
    block_lanes(r, step, index, pairs);
    for (int j = 0; j < VECTORS; j++) {
        __m256i even = _mm256_unpacklo_epi64(pairs[0][j], pairs[1][j]),
                odd = _mm256_unpackhi_epi64(pairs[0][j], pairs[1][j]);
        _mm256_storeu_si256((__m256i *)bits[4 * j], _mm256_permute2x128_si256(even, odd, 0x20));
        _mm256_storeu_si256((__m256i *)bits[4 * j + 2], _mm256_permute2x128_si256(even, odd, 0x31));
    }
}
#endif

void pl_random_blocks(const struct pl_random *r, uint64_t step, uint64_t index, size_t count, uint32_t (*bits)[4])
{
    size_t i = 0;
#ifdef __x86_64__
    if (count >= LANES && pl_host_isa() >= PL_ISA_AVX2)
        for (; i + LANES <= count; i += LANES)
            store_lanes(r, step, index + i, bits + i);
#endif
    for (; i < count; i++)
        pl_random_bits(r, step, index + i, bits[i]);
}

void pl_random_uniforms(const struct pl_random *r, uint64_t step, uint64_t index, size_t count, double *out)
{
    size_t i = 0;
#ifdef __x86_64__
    if (count >= LANES && pl_host_isa() >= PL_ISA_AVX2)
        for (; i + LANES <= count; i += LANES)
            uniform_lanes(r, step, index + i, out + i);
#endif
    for (; i < count; i++)
        out[i] = pl_random_uniform(r, step, index + i);
}

uint64_t pl_random_below(const struct pl_random *r, uint64_t step, uint64_t index, uint64_t bound)
{
    uint32_t bits[4];
    pl_random_bits(r, step, index, bits);
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)join(bits[0], bits[1]) * bound >> 64);
}

double pl_random_normal(const struct pl_random *r, uint64_t step, uint64_t index)
{
    uint32_t bits[4];
    pl_random_bits(r, step, index / 2, bits);
    double radius = sqrt(-2 * log(unit(join(bits[0], bits[1]))));
    double angle = 2 * M_PI * unit(join(bits[2], bits[3]));
    return radius * (index % 2 ? sin(angle) : cos(angle));
}
