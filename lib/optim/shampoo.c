/* Shampoo: Gupta, Koren and Singer, "Shampoo: preconditioned stochastic tensor optimization" (ICML 2018,
 * arXiv:1802.09568), as pytorch_optimizer has it. For each tensor of n dimensions, H_i = epsilon I before the first
 * step: momentum: g <- (1 - momentum) g + momentum b, but in the first step;  then either kind of weight decay for
 * every dimension H_i <- H_i + G_i G_i' (G_i: g with the dimension first, the rest flattened) every refresh steps R_i =
 * H_i^(-1 / (2 n)): in steps 1, 1 + refresh, .. (first_root early) or refresh, 2 refresh, .. (late, so that nothing
 * moves before the first of them) b <- g multiplied along every dimension by R_i;  theta <- theta - lambda b Dimensions
 * of more than max_dimension are left out. */
#include "optim/kernel.h"
#include "optim/matrix.h"

#include <string.h>

static const struct pl_setting settings[] = {
    PL_SETTING_LAMBDA("0.001"),
    PL_SETTING_RATE_OF("momentum", NULL, "0", "the last direction, which is mixed into the gradient"),
    PL_SETTING_WEIGHT_DECAY("0", PL_EITHER),
    PL_SETTING_DECOUPLE("false"),
    {.key = "refresh",
     .aliases = "preconditioning_compute_steps",
     .type = PL_INTEGER,
     .initial = "1",
     .range = "[1,1000000000]",
     .help = "steps from one look at the preconditioners to the next"},
    {.key = "epsilon",
     .aliases = "matrix_eps eps ε",
     .type = PL_REAL,
     .initial = "1e-6",
     .range = "(0,inf)",
     .help = "times the unit matrix: the preconditioners at the start"},
    {.key = "first_root",
     .type = PL_STRING,
     .initial = "early",
     .range = "early late",
     .help = "the first look is in the first step, or in step number refresh",
     .idle_when = "refresh=1"},
    {.key = "max_dimension",
     .aliases = "max_precondition_dim",
     .type = PL_INTEGER,
     .initial = "10000",
     .range = "[0,1000000000]",
     .help = "longest dimension that has a preconditioner"},
};

struct shampoo {
    double momentum, weight_decay, epsilon;
    bool decouple, late;
    uint64_t refresh;
    size_t max_dimension;
    double *h, *roots;        /* of all sides, one behind the other */
    double rate, keep, mixed; /* of this step: mixed is 0 in the first */
};

static void configure(struct pl_optim *optim, const struct pl_settings *s)
{
    struct shampoo *o = optim->self;
    o->momentum = pl_settings_need_real(s, "momentum");
    o->weight_decay = pl_settings_need_real(s, "weight_decay");
    o->decouple = pl_settings_need_boolean(s, "decouple");
    o->refresh = (uint64_t)pl_settings_need_integer(s, "refresh");
    o->epsilon = pl_settings_need_real(s, "epsilon");
    o->late = !strcmp(pl_settings_need_string(s, "first_root"), "late");
    o->max_dimension = (size_t)pl_settings_need_integer(s, "max_dimension");
    size_t length = pl_side_place(&optim->layout, optim->layout.count, o->max_dimension, true), most = 0;
    for (size_t i = 0; i < optim->layout.count; i++) {
        const struct pl_tensor *t = &optim->layout.tensors[i];
        for (int side = 0; side < pl_side_count(t); side++) {
            size_t n = pl_side_counts(t, side, o->max_dimension, true) ? pl_side_length(t, side) : 0;
            size_t room = 3 * t->count + 2 * n * n;
            most = room > most ? room : most;
        }
    }
    pl_optim_want_table(optim, "h", length, &o->h);
    pl_optim_want_table(optim, "roots", length, &o->roots);
    pl_optim_want_scratch(optim, most);
    if (o->momentum != 0)
        pl_optim_want_arena(optim, "momentum", 0);
}

static void begin(struct pl_optim *optim, const struct pl_arenas *arenas)
{
    (void)arenas;
    struct shampoo *o = optim->self;
    o->rate = optim->rates[0];
    o->keep = o->decouple ? 1 - o->rate * o->weight_decay : 1;
    o->mixed = optim->counts[PL_COUNT_STEPS] == 1 ? 0 : o->momentum;
}

/* The gradient with momentum and decay, in its place; the decoupled decay. */
static void prepare(const void *self, struct pl_chunk *c)
{
    const struct shampoo *o = self;
    real *restrict theta = c->theta, *restrict g = c->gradient;
    const real *restrict b = c->state[0];
    const size_t n = c->count;
    const real mixed = (real)o->mixed, rest = (real)(1 - o->mixed), keep = (real)o->keep;
    const real decay = o->decouple ? 0 : (real)o->weight_decay;
    for (size_t i = 0; o->mixed != 0 && i < n; i++)
        g[i] = rest * g[i] + mixed * b[i];
    for (size_t i = 0; i < n; i++) {
        g[i] += decay * theta[i];
        theta[i] *= keep;
    }
}

/* A side's preconditioner; with the first gradient, from epsilon on. */
static void collect(const struct pl_optim *optim, const struct pl_tensor *t, int side, const double *g, size_t at,
                    double *work)
{
    const struct shampoo *o = optim->self;
    const size_t n = pl_side_length(t, side);
    const uint64_t step = optim->counts[PL_COUNT_STEPS];
    for (size_t i = 0; step == 1 && i < n; i++)
        o->h[at + i * n + i] = o->epsilon;
    pl_side_collect(optim, t, side, g, 1, 1, o->h + at, work);
    if (o->late ? step % o->refresh == 0 : (step - 1) % o->refresh == 0)
        pl_matrix_power(optim, o->h + at, n, -1 / (2.0 * pl_side_count(t)), o->epsilon, o->roots + at, work);
}

static void tensor(struct pl_optim *optim, const struct pl_arenas *arenas, size_t index)
{
    const struct shampoo *o = optim->self;
    const struct pl_tensor *t = &optim->layout.tensors[index];
    const size_t from = optim->first_block[index], to = optim->first_block[index + 1];
    const size_t place = pl_side_place(&optim->layout, index, o->max_dimension, true);
    double *g = optim->scratch, *work = g + t->count, sums[PL_SUMS];
    real *gradient = arenas->gradient + t->offset;
    KERNEL(pl_pass)(optim, arenas, from, to, prepare, sums);
    for (size_t i = 0; i < t->count; i++)
        g[i] = (double)gradient[i];
    for (int pass = 0; pass < 2; pass++) { /* all statistics are of g as it was */
        size_t at = place;
        for (int side = 0; side < pl_side_count(t); side++) {
            if (!pl_side_counts(t, side, o->max_dimension, true))
                continue;
            if (pass == 0)
                collect(optim, t, side, g, at, work);
            else
                pl_side_multiply(optim, t, side, o->roots + at, g, work);
            at += pl_side_length(t, side) * pl_side_length(t, side);
        }
    }
    for (size_t i = 0; i < t->count; i++)
        gradient[i] = (real)g[i];
}

static void update(const void *self, struct pl_chunk *c)
{
    const struct shampoo *o = self;
    real *restrict theta = c->theta;
    const real *restrict direction = c->gradient;
    const size_t n = c->count;
    const real rate = (real)o->rate;
    for (size_t i = 0; i < n; i++)
        theta[i] -= rate * direction[i];
    if (o->momentum != 0)
        memcpy(c->state[0], direction, n * sizeof *direction);
}

static void spare(void *self)
{
    struct shampoo *o = self;
    o->weight_decay = 0;
    o->keep = 1;
}

const struct pl_optimizer KERNEL(pl_shampoo) = {
    .info = {"shampoo", "preconditioned along every dimension of a tensor (Gupta, Koren and Singer)",
             PL_SETTINGS(settings), .matrices = true},
    .self_size = sizeof(struct shampoo),
    .configure = configure,
    .spare = spare,
    .begin = begin,
    .tensor = tensor,
    .update = update,
};
