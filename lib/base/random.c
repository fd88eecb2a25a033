#include "base/random.h"

#include <Random123/philox.h>

#include <math.h>

struct pl_random pl_random_stream(uint64_t seed, enum pl_stream stream)
{
    philox4x32_ctr_t counter = {{(uint32_t)seed, (uint32_t)(seed >> 32), (uint32_t)stream, 0}};
    philox4x32_key_t key = {{0x706f756c, 0x61}}; /* "poula" */
    philox4x32_ctr_t bits = philox4x32(counter, key);
    return (struct pl_random){{bits.v[0], bits.v[1]}};
}

void pl_random_bits(const struct pl_random *r, uint64_t step, uint64_t index, uint32_t bits[4])
{
    philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)step,
                                 (uint32_t)(step >> 32)}};
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
