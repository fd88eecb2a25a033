/* Counter-based randomness: Philox4x32-10 (Salmon et al., SC 2011; Random123). A draw is a pure
 * function of (seed, stream, step, index), so it does not depend on threads, on the order of runs or
 * on where a run was interrupted. There is no generator object to share or to save. */
#ifndef PL_BASE_RANDOM_H
#define PL_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

enum pl_stream {
    PL_STREAM_INIT = 1, /* initial parameters */
    PL_STREAM_SHUFFLE,  /* order of the training examples */
    PL_STREAM_AUGMENT,  /* crops and flips, per (epoch, image) */
    PL_STREAM_DROPOUT,
    PL_STREAM_NOISE,  /* the optimizer's Langevin noise */
    PL_STREAM_DATA,   /* synthetic data, the toy example's X */
    PL_STREAM_TEXT,   /* words drawn from a trained model */
    PL_STREAM_SEARCH, /* points of a search, per (key, point) */
};

/* The Philox key of one stream of one run. */
struct pl_random {
    uint32_t key[2];
};

/* Keys of different (seed, stream) pairs are images of one another under Philox itself, so streams of
 * neighbouring seeds are unrelated. */
struct pl_random pl_random_stream(uint64_t seed, enum pl_stream stream);

/* 128 random bits for counter (step, index): words index low, index high, step low, step high. */
void pl_random_bits(const struct pl_random *r, uint64_t step, uint64_t index, uint32_t bits[4]);

/* bits[i] = pl_random_bits(r, step, index + i), several blocks at a time. */
void pl_random_blocks(const struct pl_random *r, uint64_t step, uint64_t index, size_t count, uint32_t (*bits)[4]);

/* Uniform on the open interval (0,1), 53 bits: ((bits >> 11) + 1/2) * 2^-53 of words 0 and 1. */
double pl_random_uniform(const struct pl_random *r, uint64_t step, uint64_t index);

/* out[i] = pl_random_uniform(r, step, index + i), the same bits on every machine, several draws at a time. */
void pl_random_uniforms(const struct pl_random *r, uint64_t step, uint64_t index, size_t count, double *out);

/* Whole number uniform on [0, bound), by 64 x 64 bit multiplication (bias below bound * 2^-64). */
uint64_t pl_random_below(const struct pl_random *r, uint64_t step, uint64_t index, uint64_t bound);

/* Standard normal in double precision: Box-Muller; indices 2k and 2k+1 share one Philox block. */
double pl_random_normal(const struct pl_random *r, uint64_t step, uint64_t index);

#endif
