/* The inner loop of independent chains: one block of chains after another, each for all steps of a call. */
#include "optim/kernel.h"

#include <string.h>

#if REAL_BITS == 64

enum { STRIDE = PL_CHAINS_STRIDE, MOST = STRIDE * PL_CHAINS_DIMENSION };

void KERNEL(pl_chains_part)(const struct pl_chains_pass *pass, size_t from, size_t to);

/* power[k] = |theta_k|^(2r): by repeated squaring where 2r is a whole number, because pow would take most of the time.
 */
static void raise_norms(const double *theta, size_t dimension, double r, double *power)
{
    double square[STRIDE], base[STRIDE];
    for (size_t k = 0; k < STRIDE; k++) {
        square[k] = 0;
        power[k] = 1;
    }
    for (size_t i = 0; i < dimension; i++)
        for (size_t k = 0; k < STRIDE; k++)
            square[k] = multiply_add(theta[i * STRIDE + k], theta[i * STRIDE + k], square[k]);
    if (r == 0)
        return;
    if (2 * r != floor(2 * r)) {
        for (size_t k = 0; k < STRIDE; k++)
            power[k] = pow(square[k], r);
        return;
    }
    unsigned exponent = (unsigned)r;
    for (size_t k = 0; k < STRIDE; k++) {
        power[k] = r == exponent ? 1 : sqrt(square[k]);
        base[k] = square[k];
    }
    for (; exponent; exponent >>= 1) {
        for (size_t k = 0; (exponent & 1) && k < STRIDE; k++)
            power[k] *= base[k];
        for (size_t k = 0; exponent > 1 && k < STRIDE; k++)
            base[k] *= base[k];
    }
}

/* Infinities and NaN times 0 are NaN. */
static bool all_finite(const double *theta, size_t count)
{
    double sum[8] = {0};
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (size_t k = 0; k < 8; k++)
            sum[k] = multiply_add(theta[i + k], 0, sum[k]);
    for (; i < count; i++)
        sum[0] += theta[i] * 0;
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7] == 0;
}

/* Buffers of a block, all of them in the first-level cache. */
struct block {
    double *theta;
    double gradient[MOST], xi[MOST], x[MOST], power[STRIDE];
};

static void step(const struct pl_chains_pass *pass, struct block *b, uint64_t number, size_t first)
{
    const struct pl_optim *o = pass->optim;
    const size_t length = STRIDE * pass->dimension;
    double r;
    if (pass->field->random)
        KERNEL(pl_uniforms)(pass->field->data, number, first, length, b->x);
    pass->field->gradient(pass->field->self, b->theta, pass->field->random ? b->x : NULL, b->gradient);
    if (o->noisy)
        KERNEL(pl_noise)(o->noise, number, first, length, b->xi);
    struct pl_chunk chunk = {
        .count = length, .theta = b->theta, .gradient = b->gradient, .xi = o->noisy ? b->xi : NULL};
    for (size_t k = 0; k < o->arena_count; k++)
        chunk.state[k] = pass->state[k] + first;
    if (o->type->chain_step) {
        o->type->chain_step(o->self, &chunk, pass->dimension, number);
        return;
    }
    if (!o->type->chain_power || !o->type->chain_power(o->self, &r)) {
        o->type->update(o->self, &chunk);
        return;
    }
    raise_norms(b->theta, pass->dimension, r, b->power);
    chunk.count = STRIDE;
    for (size_t i = 0; i < pass->dimension; i++) {
        o->type->chain_update(o->self, &chunk, b->power);
        chunk.theta += STRIDE;
        chunk.gradient += STRIDE;
        chunk.xi = chunk.xi ? chunk.xi + STRIDE : NULL;
    }
}

void KERNEL(pl_chains_part)(const struct pl_chains_pass *pass, size_t from, size_t to)
{
    struct block b __attribute__((aligned(64)));
    for (size_t i = from; i < to; i++) {
        size_t first = i * STRIDE * pass->dimension, left = pass->count - i * STRIDE;
        size_t chains = left < STRIDE ? left : STRIDE; /* those behind them fill the block up and are never looked at */
        b.theta = pass->theta + first;
        for (uint64_t t = 0; t < pass->steps; t++) {
            step(pass, &b, pass->first + t, first);
            for (size_t k = 0; k < pass->dimension && !pass->lost[i]; k++)
                if (!all_finite(b.theta + k * STRIDE, chains))
                    pass->lost[i] = pass->first + t;
        }
    }
}

#endif
