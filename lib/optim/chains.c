/* Independent chains: making, dealing blocks out to threads, reading. The steps are in chain_steps.c. */
#include "optim/optim_priv.h"

#include <stdlib.h>
#include <string.h>

struct pl_chains {
    struct pl_optim *optim; /* the optimizer's constants and rate; its own arena is not used */
    size_t count, blocks, dimension;
    double *theta, *state[PL_ARENAS];
    uint64_t *lost; /* of each block */
};

static const struct pl_optimizer *type_of(const char *name)
{
    return pl_registry_find(pl_optim_registry(), name);
}

bool pl_chains_are_possible(const char *optimizer)
{
    const struct pl_optimizer *type = type_of(optimizer);
    return type && type->chains;
}

static int make_optim(struct pl_chains *c, const struct pl_settings *settings, struct pl_random noise, int threads,
                      struct pl_error *err)
{
    const char *name = pl_settings_string(settings, "optimizer", "");
    if (type_of(name) && !pl_chains_are_possible(name))
        return pl_fail(err, PL_EINPUT, "%s cannot run as independent chains", name);
    struct pl_tensor tensor = {0, 1, 1, 1, {1}};
    struct pl_layout layout = {&tensor, 1, PL_TENSOR_ALIGN};
    int status = pl_optim_new(&c->optim, settings, &layout, PL_FLOAT64, noise, threads, err);
    if (!status && c->optim->averaging != PL_AVERAGE_OFF)
        status = pl_fail(err, PL_EINPUT, "independent chains do not average their iterates, so average must be off");
    if (!status && (c->optim->lookahead || c->optim->sam > 0))
        status = pl_fail(err, PL_EINPUT, "independent chains take single steps, so lookahead and sam must be 0");
    return status;
}

int pl_chains_new(struct pl_chains **chains, const struct pl_settings *settings, size_t count, size_t dimension,
                  double start, struct pl_random noise, int threads, struct pl_error *err)
{
    if (dimension < 1 || dimension > PL_CHAINS_DIMENSION)
        return pl_fail(err, PL_EINPUT, "a chain has 1 to %d coordinates, not %zu", PL_CHAINS_DIMENSION, dimension);
    struct pl_chains *c = pl_new(sizeof *c);
    c->count = count;
    c->dimension = dimension;
    c->blocks = (count + PL_CHAINS_STRIDE - 1) / PL_CHAINS_STRIDE;
    int status = make_optim(c, settings, noise, threads, err);
    if (!status) {
        size_t length = c->blocks * PL_CHAINS_STRIDE * dimension;
        c->theta = pl_arena(length + 1, sizeof *c->theta);
        c->lost = pl_new((c->blocks + 1) * sizeof *c->lost);
        bool enough = c->theta;
        for (size_t i = 0; enough && i < length; i++)
            c->theta[i] = start;
        for (size_t k = 0; k < c->optim->arena_count && enough; k++)
            enough = (c->state[k] = pl_arena(length + 1, sizeof *c->theta)); /* 0, as samplers begin */
        if (!enough)
            status = pl_fail(err, PL_EMEMORY, "there is not enough memory for %zu chains", count);
    }
    if (status) {
        pl_chains_free(c);
        return status;
    }
    *chains = c;
    return 0;
}

void pl_chains_free(struct pl_chains *c)
{
    if (!c)
        return;
    pl_optim_free(c->optim);
    free(c->theta);
    for (size_t k = 0; k < PL_ARENAS; k++)
        free(c->state[k]);
    free(c->lost);
    free(c);
}

static void run_part(void *self, size_t from, size_t to, int thread)
{
    (void)thread;
    const struct pl_chains_pass *pass = self;
    pass->optim->kernels->chains(pass, from, to);
}

void pl_chains_run(struct pl_chains *c, const struct pl_chains_field *field, uint64_t steps)
{
    struct pl_optim *o = c->optim;
    o->type->begin(o, NULL);
    struct pl_chains_pass pass = {o,     field,    c->count, c->dimension, o->counts[PL_COUNT_STEPS] + 1,
                                  steps, c->theta, c->state, c->lost};
    pl_optim_parallel(o->threads, c->blocks, run_part, &pass);
    o->counts[PL_COUNT_STEPS] += steps;
}

double pl_chains_rate(const struct pl_chains *c)
{
    return pl_optim_rate(c->optim);
}

void pl_chains_set_rate(struct pl_chains *c, double lambda)
{
    pl_optim_set_rate(c->optim, lambda);
}

void pl_chains_tune(struct pl_chains *c, const struct pl_tuned *values, size_t count)
{
    pl_optim_tune(c->optim, values, count);
}

uint64_t pl_chains_lost_at(const struct pl_chains *c)
{
    uint64_t first = 0;
    for (size_t i = 0; i < c->blocks; i++)
        if (c->lost[i] && (!first || c->lost[i] < first))
            first = c->lost[i];
    return first;
}

void pl_chains_read(const struct pl_chains *c, size_t coordinate, double *out)
{
    for (size_t b = 0; b < c->blocks; b++) {
        const double *from = c->theta + (b * c->dimension + coordinate) * PL_CHAINS_STRIDE;
        size_t done = b * PL_CHAINS_STRIDE, left = c->count - done;
        memcpy(out + done, from, (left < PL_CHAINS_STRIDE ? left : PL_CHAINS_STRIDE) * sizeof *out);
    }
}
