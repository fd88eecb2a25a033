/* chains: many independent copies of one optimizer, each with a few coordinates of its own, to study the law of its
 * iterates. A norm such as |theta| is taken over one chain.
 *
 * The rules are those of lib/optim: the very functions that pl_optim_step calls, applied to blocks of
 * PL_CHAINS_STRIDE chains that stay in the first-level cache for many steps. Noise and data of a chain depend on
 * the stream's key, the step and the chain only: not on the number of chains, on threads or on how steps are dealt
 * out to calls. A state of the optimizer (a velocity, a second moment) is each chain's own and starts at 0. A chain
 * that has become infinite or NaN stays so. All arithmetic is double. */
#ifndef PL_OPTIM_CHAINS_H
#define PL_OPTIM_CHAINS_H

#include "base/base.h"

enum {
    PL_CHAINS_STRIDE = 256, /* chains of a block */
    PL_CHAINS_DIMENSION = 8 /* most coordinates of a chain */
};

struct pl_chains;

/* Where gradients come from. Called from several threads at once, for one block of chains: coordinate i of chain k is
 * element i * PL_CHAINS_STRIDE + k of theta, of x (uniform draws on (0,1), which may be changed; NULL where not random)
 * and of gradient. */
struct pl_chains_field {
    void (*gradient)(const void *self, const double *theta, double *x, double *gradient);
    const void *self;
    bool random;
    struct pl_random data; /* stream of the uniform draws */
};

/* Whether an optimizer can run as independent chains: the samplers can, whose steps do not depend on their number. */
bool pl_chains_are_possible(const char *optimizer);

/* Makes count chains of the given dimension, all coordinates at start. settings are those of pl_optim_new. Fails with
 * PL_EINPUT (the optimizer cannot, or averages) or PL_EMEMORY. */
int pl_chains_new(struct pl_chains **chains, const struct pl_settings *settings, size_t count, size_t dimension,
                  double start, struct pl_random noise, int threads, struct pl_error *err);
void pl_chains_free(struct pl_chains *chains);

/* Takes steps at the rate in force. */
void pl_chains_run(struct pl_chains *chains, const struct pl_chains_field *field, uint64_t steps);
double pl_chains_rate(const struct pl_chains *chains);
void pl_chains_set_rate(struct pl_chains *chains, double lambda);
struct pl_tuned;
void pl_chains_tune(struct pl_chains *chains, const struct pl_tuned *values, size_t count); /* pl_optim_tune */

/* The first step after which some chain was not finite, or 0. */
uint64_t pl_chains_lost_at(const struct pl_chains *chains);

/* Copies one coordinate of all chains to out, in the order of chains. */
void pl_chains_read(const struct pl_chains *chains, size_t coordinate, double *out);

#endif
