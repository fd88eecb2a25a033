/* optim: the optimizers behind one driver.
 *
 * An optimizer is one file and one const descriptor; this header is all that the rest of poula sees.
 * Parameters, gradients and state are contiguous arenas of float or double; a layout names the tensors
 * in them. The whole arena is one parameter group: norms such as |theta| run over all of it. A step is
 * one pass over the arena: gradient in, parameter in and out, state in and out, noise made in registers.
 *
 * Invariants: a step allocates nothing; its result depends on theta, the gradient, the state, the
 * learning rate and the noise stream's (key, step number), not on the number of threads; padding
 * between tensors is never read into a result. One pl_optim must not be stepped by two threads at once;
 * different ones may.
 *
 * The learning rate is `lambda` in every optimizer's settings (aliases lr, learning_rate, λ). Formulas:
 * docs/optimizers.md, which cites the paper or the published code for each. */
#ifndef PL_OPTIM_H
#define PL_OPTIM_H

#include "base/base.h"

enum { PL_TENSOR_DIMS = 8 }; /* most dimensions of a tensor */

struct pl_tensor {
    size_t offset;                /* of the first element in the arena, a multiple of PL_TENSOR_ALIGN */
    size_t count;                 /* elements */
    size_t rows;                  /* first dimension (AdamP projects rows); count / rows elements a row */
    int dims;                     /* number of dimensions */
    size_t shape[PL_TENSOR_DIMS]; /* of each of them, slowest first */
};

struct pl_layout {
    struct pl_tensor *tensors;
    size_t count;
    size_t length; /* arena elements, padding included: a multiple of PL_TENSOR_ALIGN */
};

/* Appends a tensor of the given dimensions behind the last one. */
void pl_layout_add(struct pl_layout *layout, const size_t *dimensions, int dims);
void pl_layout_release(struct pl_layout *layout);

/* What is known of an optimizer without making one. */
struct pl_optimizer_info {
    const char *name;
    const char *help; /* one line: full name and source */
    const struct pl_setting *settings;
    size_t setting_count;
    bool parameters; /* takes numbers of any name, which its formulas use */
    bool matrices;   /* computes with tensors as matrices */
    bool averages;   /* the weights by its own rule, so that the common setting `average` must be off */
};

const struct pl_registry *pl_optim_registry(void); /* for names; what stands behind them is optim's own */
size_t pl_optim_count(void);
const struct pl_optimizer_info *pl_optim_info(size_t index); /* in alphabetical order */
const struct pl_optimizer_info *pl_optim_find(const char *name);

/* Settings that every optimizer takes besides its own: weight averaging and its trigger, Lookahead, SAM. */
const struct pl_setting *pl_optim_common_settings(size_t *count);

struct pl_optim;

/* Makes an optimizer. settings holds the key "optimizer" (the name) and checked values of that
 * optimizer's settings; absent ones take their defaults. The layout is copied. noise is the run's
 * PL_STREAM_NOISE. Fails with PL_EINPUT (unknown name, illegal combination of settings) or PL_EMEMORY. */
int pl_optim_new(struct pl_optim **optim, const struct pl_settings *settings, const struct pl_layout *layout,
                 enum pl_element element, struct pl_random noise, int threads, struct pl_error *err);
void pl_optim_free(struct pl_optim *optim);

/* Bytes of state and working memory that an optimizer of these settings takes for a layout, without making them. Fails
 * as pl_optim_new does, but for memory. */
int pl_optim_bytes(const struct pl_settings *settings, const struct pl_layout *layout, enum pl_element element,
                   uint64_t *bytes, struct pl_error *err);

/* Do steps want the gradient of another point than theta (SAM)? Then pl_optim_climb, before a step, moves theta there
 * by the gradient of where it is; the caller finds the gradient there, of the same data, and the step begins from where
 * theta was. */
bool pl_optim_climbs(const struct pl_optim *optim);
void pl_optim_climb(struct pl_optim *optim, void *theta, const void *gradient);

/* One step. theta and gradient are arenas of the layout and element type; the gradient may be overwritten.
 * xi gives the standard normal draws explicitly (an arena of the same layout); NULL: drawn from the
 * noise stream at (step number, element). */
void pl_optim_step(struct pl_optim *optim, void *theta, void *gradient, const void *xi);

/* The learning rate in force; the schedule sets it. pl_optim_set_rate acts from the next step on and
 * leaves the initial rate (which AdaBound's final_lambda refers to) as it was. A method that has chosen its
 * own rate (SWATS) follows what the schedule sets in proportion: lambda is always the scheduled rate itself,
 * never one computed from pl_optim_rate. */
double pl_optim_rate(const struct pl_optim *optim);
void pl_optim_set_rate(struct pl_optim *optim, double lambda);
uint64_t pl_optim_steps(const struct pl_optim *optim); /* steps taken */

/* Can a schedule change the setting? Numbers of the optimizer's own can, but for the learning rate, which has
 * pl_optim_set_rate, and those that count at the start only. */
bool pl_setting_is_tunable(const struct pl_setting *setting);
/* Gives tunable settings, which were not 0 or infinite when the optimizer was made (what needs no state has none),
 * other legal values from the next step on. State and learning rate stay as they are: it is as if the optimizer had
 * been made with these values and had gone on from its checkpoint. Not part of the state. */
struct pl_tuned {
    const char *key;
    double value;
};
void pl_optim_tune(struct pl_optim *optim, const struct pl_tuned *values, size_t count);

/* Tells the trigger of averaging the newest validation loss (lower is better), once an epoch. Returns 1
 * in the epoch in which it fires, else 0. */
int pl_optim_validated(struct pl_optim *optim, double loss);

/* Tells what averages the ends of epochs that one is there, numbered from 1; of an epoch that was told already nothing
 * is taken again. */
void pl_optim_epoch_ends(struct pl_optim *optim, const void *theta, uint64_t epoch);

/* Does theta only say where gradients are taken, while the average is what counts (schedule-free methods)? */
bool pl_optim_is_elsewhere(const struct pl_optim *optim);
/* Should what belongs to the parameters, such as running statistics, be found for the average anew? */
bool pl_optim_wants_statistics(const struct pl_optim *optim);

/* The averaged parameters, or NULL while nothing is averaged (or averaging is off). */
const void *pl_optim_average(const struct pl_optim *optim);

/* Everything that a checkpoint must hold besides theta: named arrays, to be written and read in place.
 * Returns the number of arrays; fills at most capacity of them. The set does not change during a run. */
struct pl_optim_array {
    const char *name; /* "m", "v", "counters", "average", ... */
    void *data;
    size_t count; /* elements */
    char kind;    /* 'f' float, 'd' double, 'u' uint64 */
};
size_t pl_optim_state(struct pl_optim *optim, struct pl_optim_array *arrays, size_t capacity);

/* The square root of the sum of squares, which is in double and the same for any number of threads. */
double pl_arena_norm(const void *values, enum pl_element element, size_t count, int threads);
/* Multiplies a gradient whose norm exceeds limit by limit / (norm + 1e-6), as PyTorch's clip_grad_norm_ does. Returns
 * the norm as it was; INFINITY as limit only finds it. */
double pl_arena_clip(void *gradient, enum pl_element element, size_t count, double limit, int threads);

/* How gradients are clipped: scaled so that the norm of the whole is at most the limit, as pl_arena_clip does; every
 * element cut to +-limit, as PyTorch's clip_grad_value_; or adaptively (Brock et al., "High-performance large-scale
 * image recognition without normalization", ICML 2021, as timm's adaptive_clip_grad): each row of a tensor of two or
 * more dimensions, and each other tensor, scaled so that its norm is at most limit times that of its parameters, which
 * counts as PL_CLIP_LEAST at least. Returns the norm of the whole as it was. NaN stays NaN. */
enum pl_clip_by { PL_CLIP_NORM, PL_CLIP_VALUE, PL_CLIP_ADAPTIVE };
#define PL_CLIP_LEAST 1e-3
double pl_gradient_clip(void *gradient, const void *theta, const struct pl_layout *layout, enum pl_element element,
                        enum pl_clip_by by, double limit, int threads);

/* Fills out (length elements) with the noise of one step, as pl_optim_step would draw it. */
void pl_optim_noise(struct pl_random noise, uint64_t step, enum pl_element element, size_t length, int threads,
                    void *out);

#endif
