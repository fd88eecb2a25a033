/* optim, inside: what the driver, the kernels and the optimizers share.
 *
 * Two kinds of file. Those compiled once (optim.c, average.c, chains.c, clip.c, kernels.c, layout.c, norm.c,
 * parallel.c, shares.c) see arenas as void pointers. Those compiled once for each instruction set and each of float and
 * double (step.c, noise.c, table.c and every optimizer) also include kernel.h, which defines `real`.
 *
 * Work is cut into blocks: at most PL_BLOCK elements of one tensor each, the same blocks whatever the
 * number of threads. A block is always computed by one call with the same arguments, and sums over
 * elements are made per block in double and then added in block order, so no result can depend on how
 * blocks are dealt out. Padding belongs to no block. */
#ifndef PL_OPTIM_PRIV_H
#define PL_OPTIM_PRIV_H

#include "optim/chains.h"
#include "optim/optim.h"

enum {
    PL_BLOCK = 256, /* elements; a multiple of PL_TENSOR_ALIGN, small beside the first-level cache */
    PL_ARENAS = 12, /* most arenas of state that an optimizer has, those of averaging and Lookahead included */
    PL_NOTES = 8,   /* most named lists of doubles, tables included */
    PL_SELF = 512,  /* most bytes of an optimizer's own constants */
    PL_SUMS = 2,    /* sums that an update may make over a block */
};

struct pl_chunk;  /* kernel.h: a block with its pointers */
struct pl_arenas; /* kernel.h: theta, gradient and noise of a step */
struct pl_chains_pass;

struct pl_optimizer {
    struct pl_optimizer_info info;
    size_t self_size; /* of the optimizer's own constants, kept in pl_optim.self; plain doubles and flags */
    int (*check)(const struct pl_settings *settings, struct pl_error *err); /* illegal combinations; or NULL */
    /* Reads the settings into self, which is all zero, and asks for state (pl_optim_want_arena, pl_optim_want_notes).
     * Is called again when settings change during a run: whatever else it does must be the same then. */
    void (*configure)(struct pl_optim *optim, const struct pl_settings *settings);
    /* Makes of self, begun for a step, that of a tensor without weight decay; again of such a one: the same. NULL: the
     * optimizer has no weight decay. */
    void (*spare)(void *self);
    void (*release)(void *self); /* what self holds beside constants; or NULL */
    /* Once a step, before any parameter changes: what depends on the step number, the rate and norms. */
    void (*begin)(struct pl_optim *optim, const struct pl_arenas *arenas);
    /* For optimizers that treat tensors one after another: called before and after each; or NULL. */
    void (*tensor)(struct pl_optim *optim, const struct pl_arenas *arenas, size_t index);
    void (*tensor_done)(struct pl_optim *optim, size_t index, const double sums[PL_SUMS]);
    /* The pass over one block. */
    void (*update)(const void *self, struct pl_chunk *chunk);
    /* Independent chains (chains.h). begin is then called without arenas, because each chain has a norm of its own.
     * Where chain_power says that |theta|^(2r) of a chain enters its step, chain_update takes the place of update: for
     * one coordinate of a block of chains, whose powers it is given. */
    bool chains;
    bool (*chain_power)(const void *self, double *r); /* NULL: it never enters */
    void (*chain_update)(const void *self, struct pl_chunk *chunk, const void *power);
    /* In the place of all that, if there: a step of a block of chains, by its number and their dimension. */
    void (*chain_step)(const void *self, struct pl_chunk *chunk, size_t dimension, uint64_t number);
    bool elsewhere; /* info.averages, and the average is the one to look at, while theta is where gradients are taken */
    bool replaced;  /* becomes another method when the trigger fires (nt_asgd) */
};

enum { PL_PRODUCT_ROWS = 16 }; /* of a product of matrices that are computed by one call */

/* c = a b, of the build's precision, row by row: rows x inner times inner x columns. */
struct pl_product {
    const void *a, *b;
    void *c;
    size_t rows, inner, columns;
};

/* What one build for an instruction set and a precision exports. */
struct pl_kernels {
    struct pl_registry optimizers;
    void (*step)(struct pl_optim *optim, void *theta, void *gradient, const void *xi);
    void (*average)(struct pl_optim *optim, const void *theta, double weight); /* theta joins the average */
    void (*climb)(struct pl_optim *optim, void *theta, const void *gradient);  /* of SAM */
    /* first is a multiple of 32 */
    void (*noise)(struct pl_random key, uint64_t step, size_t first, size_t count, void *out);
    void (*uniforms)(struct pl_random key, uint64_t step, size_t first, size_t count, void *out); /* likewise */
    void (*chains)(const struct pl_chains_pass *pass, size_t from, size_t to); /* blocks of chains, double only */
    void (*product)(const struct pl_product *product, size_t from, size_t to); /* groups of PL_PRODUCT_ROWS rows */
};
const struct pl_kernels *pl_optim_kernels(enum pl_isa isa, enum pl_element element);

/* Steps of independent chains. Coordinate i of chain k of a block is its element i * PL_CHAINS_STRIDE + k. */
struct pl_chains_pass {
    const struct pl_optim *optim;
    const struct pl_chains_field *field;
    size_t count, dimension; /* chains, and coordinates of each */
    uint64_t first, steps;   /* number of the first step, from 1; how many */
    double *theta;
    double *const *state; /* the optimizer's arenas, laid out as theta is */
    uint64_t *lost;       /* for each block: the first step after which a chain was not finite, or 0 */
};

struct pl_optim_block {
    size_t offset;
    uint32_t count, tensor;
};

enum pl_count {
    PL_COUNT_STEPS,    /* steps taken */
    PL_COUNT_AVERAGED, /* iterates in the average */
    PL_COUNT_LOSSES,   /* validation losses told */
    PL_COUNT_STALE,    /* validations since the best one */
    PL_COUNT_FIRED,    /* the trigger has fired */
    PL_COUNT_FIRED_AT, /* steps taken when it did */
    PL_COUNTS
};

enum pl_averaging {
    PL_AVERAGE_OFF,
    PL_AVERAGE_ON,
    PL_AVERAGE_PATIENCE,
    PL_AVERAGE_NONMONO,
    PL_AVERAGE_EMA,
    PL_AVERAGE_SWA
};

struct pl_optim {
    const struct pl_optimizer *type;
    const struct pl_kernels *kernels, *wide; /* of its precision; of double */
    enum pl_element element;
    int threads;
    struct pl_random noise;
    double initial_rate;
    void *self;
    struct pl_settings settings; /* all of them, as they are in force */
    bool again;                  /* configure is called once more, and what it wants is there */
    double *kept_notes;          /* room for them meanwhile */
    struct pl_layout layout;
    struct pl_optim_block *blocks;
    size_t block_count;
    size_t *first_block; /* of each tensor, and the end */
    double *sums;        /* PL_SUMS for each block */
    double *scratch;     /* what configure asked for; not part of the state */
    size_t scratch_count;

    uint64_t counts[PL_COUNTS];
    double rates[2]; /* in force; as last scheduled */
    bool noisy;      /* begin says: does this step add noise? */
    struct pl_state_arena {
        const char *name;
        double initial;
        void *data;
    } arenas[PL_ARENAS];
    size_t arena_count;
    struct pl_notes {
        const char *name;
        double *values;
        size_t count;
        double **where; /* of a table: gets its address once there is one */
    } notes[PL_NOTES];
    size_t notes_count;

    enum pl_averaging averaging; /* of the wrapper */
    int average;                 /* index of the arena that holds an average, or -1 */
    enum pl_averaging trigger;   /* what pl_optim_validated decides by */
    int64_t trigger_after;       /* n of the trigger */
    double *best_loss;           /* note of the trigger; NULL: none decides by losses */
    double *last_losses;         /* note of nonmono: the last n, a ring */
    double average_decay;        /* of ema */
    double *averaged_epoch;      /* note of swa: the last epoch whose end it has seen */

    double decoupled;   /* weight decay that the driver sees to */
    bool spares;        /* vectors and scalars have no weight decay */
    uint64_t lookahead; /* steps from one look back to the next, 0: none */
    double lookahead_alpha;
    int slow;   /* index of the arena that it looks back at */
    double sam; /* how far away SAM's gradient is taken, 0: it is not */
    bool sam_adaptive, away;
    void *kept; /* theta while it is away */
};

static inline bool pl_optim_is_spared(const struct pl_optim *o, size_t tensor)
{
    return o->spares && o->layout.tensors[tensor].dims < 2;
}

/* For configure. Arenas start at initial everywhere; they are allocated afterwards, in this order. Notes are
 * doubles, zero at first, whose address stays valid. */
void pl_optim_want_arena(struct pl_optim *optim, const char *name, double initial);
double *pl_optim_want_notes(struct pl_optim *optim, const char *name, size_t count);
/* A long list of doubles, zero at first, which begin may use: memory for it can be lacking. *where is in self. */
void pl_optim_want_table(struct pl_optim *optim, const char *name, size_t count, double **where);
void pl_optim_want_scratch(struct pl_optim *optim, size_t count); /* likewise, and not part of the state */

/* For configure of optimizers whose own decay is L2: its coefficient. With decouple that is 0, and a step begins with
 * theta
 * <- (1 - lambda weight_decay) theta. */
double pl_optim_decay(struct pl_optim *optim, const struct pl_settings *settings);

/* average.c: weight averaging, the wrapper around every optimizer. configure reads its settings, and those of what else
 * is put around optimizers (around.c); starts says
 * whether theta as it is before this step is the first iterate of the average; weight is the share that theta
 * gets after this step (0: not averaged, 1: copied). */
int pl_average_configure(struct pl_optim *optim, const struct pl_settings *settings, struct pl_error *err);
bool pl_average_starts(const struct pl_optim *optim);
double pl_average_weight(const struct pl_optim *optim);

/* pl_parallel for blocks, which on few of them takes less time than waking a thread. */
void pl_optim_parallel(int threads, size_t blocks, pl_parallel_body *body, void *self);

/* A product of matrices on as many threads as it is worth; body is called for groups of PL_PRODUCT_ROWS rows of it. */
void pl_product_parallel(int threads, const struct pl_product *product, pl_parallel_body *body, void *self);

/* Settings that many optimizers take. */
#define PL_SETTING_LAMBDA(value)                                                                                       \
    {                                                                                                                  \
        .key = "lambda", .aliases = "lr learning_rate λ", .type = PL_REAL, .initial = value, .range = "(0,inf)",       \
        .help = "learning rate"                                                                                        \
    }
#define PL_SETTING_WEIGHT_DECAY(value, how)                                                                            \
    {                                                                                                                  \
        .key = "weight_decay", .aliases = "wd", .type = PL_REAL, .initial = value, .range = "[0,inf)", .help = how     \
    }
#define PL_L2 "L2 regularisation: weight_decay * theta is added to the gradient"
#define PL_DECOUPLED "decoupled weight decay: theta is scaled by 1 - lambda * weight_decay"
#define PL_SETTING_EPSILON(value)                                                                                      \
    {                                                                                                                  \
        .key = "epsilon", .aliases = "eps ε", .type = PL_REAL, .initial = value, .range = "[0,inf)",                   \
        .help = "added to the denominator"                                                                             \
    }
#define PL_SETTING_BETAS                                                                                               \
    {.key = "beta1", .type = PL_REAL, .initial = "0.9", .range = "[0,1)", .help = "decay rate of the first moment"},   \
    {                                                                                                                  \
        .key = "beta2", .type = PL_REAL, .initial = "0.999", .range = "[0,1)",                                         \
        .help = "decay rate of the second moment"                                                                      \
    }
#define PL_SETTING_BETA(value)                                                                                         \
    {                                                                                                                  \
        .key = "beta", .aliases = "β", .type = PL_REAL, .initial = value, .range = "(0,inf]",                          \
        .help = "inverse temperature of the Langevin noise; .inf switches it off"                                      \
    }
#define PL_SETTING_SWITCH(name, alias, value, text)                                                                    \
    {                                                                                                                  \
        .key = name, .aliases = alias, .type = PL_BOOLEAN, .initial = value, .help = text                              \
    }
#define PL_SETTING_DECOUPLE_AS(value, is_late)                                                                         \
    {                                                                                                                  \
        .key = "decouple", .aliases = "weight_decouple decoupled decoupled_weight_decay decoupled_decay",              \
        .type = PL_BOOLEAN, .initial = value, .late = is_late,                                                         \
        .help = "scale theta by 1 - lambda * weight_decay instead of changing the gradient",                           \
        .idle_when = "weight_decay=0"                                                                                  \
    }
#define PL_SETTING_DECOUPLE(value) PL_SETTING_DECOUPLE_AS(value, false)
/* The same for optimizers whose runs are older than it. */
#define PL_SETTING_DECOUPLE_LATE PL_SETTING_DECOUPLE_AS("false", true)
#define PL_EITHER "L2 regularisation, or decoupled weight decay with decouple"
#define PL_SETTING_RATE_OF(name, alias, value, what)                                                                   \
    {                                                                                                                  \
        .key = name, .aliases = alias, .type = PL_REAL, .initial = value, .range = "[0,1)",                            \
        .help = "decay rate of " what                                                                                  \
    }
/* Where epsilon stands, besides the denominator, words says; for optimizers whose runs are older than it. */
#define PL_SETTING_EPSILON_IN(words)                                                                                   \
    {                                                                                                                  \
        .key = "epsilon_in", .type = PL_STRING, .initial = "denominator", .range = "denominator " words,               \
        .help = "where epsilon is added", .idle_when = "epsilon=0", .late = true                                       \
    }
#define PL_SETTINGS(table) .settings = table, .setting_count = sizeof table / sizeof *table

#endif
