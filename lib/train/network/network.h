/* Parts of the task kind `dataset`: a network being trained, on images (images.c) or text (language.c). What both share
 * knows only batches and splits. docs/training.md says what is computed when. */
#ifndef PL_TRAIN_NETWORK_H
#define PL_TRAIN_NETWORK_H

#include "data/text/corpus.h"
#include "model/model.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "train/network/safetensors.h"
#include "train/clipping.h"
#include "train/recording.h"
#include "train/train_priv.h"

/* ---- history.c: every value reported so far, to be told again after a checkpoint was loaded */

struct pl_history {
    const struct pl_sink *sink;
    struct pl_series_list series;
    int *numbers; /* of the sink, by series */
};
/* Reports a value and keeps it. */
void pl_history_add(struct pl_history *history, const char *metric, uint64_t epoch, double value);
bool pl_history_has(const struct pl_history *history, const char *metric);
void pl_history_release(struct pl_history *history);

/* ---- the network */

enum { PL_NETWORK_SUMS = 16 }; /* room for the metrics that are summed */

/* How far training has come, and the sums over the batches of this epoch that are done. */
struct pl_progress {
    uint64_t epoch, batch;
    uint64_t at;       /* where the next batch begins: an image of the epoch's order, a row of the text */
    uint64_t examples; /* images or predicted tokens */
    uint64_t correct;
    double loss;                  /* loss times examples */
    double sums[PL_NETWORK_SUMS]; /* by pl_network_sum_at; NaN: not known, as a part of the epoch had no such metric */
    double shares[PL_SHARES];     /* of every batch's step, when they are recorded */
};

struct pl_network {
    const struct pl_run_request *request;
    const struct pl_sink *sink;
    const struct pl_network_type *type;
    void *self; /* of the type: its data and plans */
    struct pl_history history;
    struct pl_device *device;
    struct pl_graph *graph;
    struct pl_net *net;
    struct pl_optim *optim;
    struct pl_layout layout;
    struct pl_schedule schedule;
    enum pl_element element; /* of theta, gradient and the optimizer */
    double rate, lambda;     /* the initial learning rate, that of this epoch or step */
    struct pl_clipping clipping;
    uint64_t epoch_batches; /* of this epoch */
    size_t epochs;
    uint64_t recorded_batches; /* whose loss is a value of its own */
    struct pl_recording recording;
    struct pl_plan *recurrent; /* whose state one batch hands to the next; NULL: none */
    double *carried;           /* that state, when it goes to a checkpoint or comes from one */
    struct pl_progress progress;
    char words[2 * PL_DIGEST_SIZE + 1]; /* of a text: pl_corpus_words_digest */
    int slot;                           /* where the next checkpoint goes */
    int64_t unsaved;                    /* checkpoints and weights that could not be written, */
    char unsaved_example[300];          /* and why the first of them could not */
    double saved;                       /* when the last one was written, by pl_clock_steady */
};

struct pl_evaluation {
    double loss, accuracy;
};

/* A batch of training that was given to its plan. */
struct pl_network_batch {
    struct pl_plan *plan;
    size_t examples, next; /* in it; where the batch after it begins */
    double factor;         /* on the learning rate */
};

/* What a network is trained on: a const descriptor for images, and one for text. */
struct pl_network_type {
    bool text;                         /* the models that fit: those of text, or the others */
    const char *what;                  /* "a set of images" */
    const struct pl_setting *settings; /* besides pl_network_settings, the data set's and the model's */
    size_t setting_count;
    const char *quality; /* the metric beside every loss: "accuracy" */
    double (*quality_of)(const struct pl_evaluation *evaluation);
    const char *speed;               /* the metric of examples a second; NULL: none */
    const struct pl_metric *metrics; /* besides those of every network */
    size_t metric_count;
    /* The data sets: how many, their names and settings, and the settings that all of them have. */
    size_t (*count)(void);
    const char *(*dataset)(size_t index, const struct pl_setting **settings, size_t *setting_count);
    const struct pl_setting *(*common_settings)(size_t *count);
    /* Does the model fit the data, as far as can be told without a file? */
    int (*check)(const struct pl_settings *settings, struct pl_error *err);
    /* Opens the data and fills in what is needed; see pl_train_survey. */
    int (*survey)(const struct pl_settings *settings, const char *data, int threads, struct pl_train_needs *needs,
                  struct pl_error *err);
    /* Opens the data, which becomes n->self, and makes n->graph; then, for the net, every plan that will be used, so
     * that no later step can lack memory. close copes with what was not opened. */
    int (*open)(struct pl_network *n, struct pl_error *err);
    int (*plan)(struct pl_network *n, struct pl_error *err);
    void (*close)(struct pl_network *n);
    bool (*has)(const struct pl_network *n, enum pl_split split);
    /* Prepares for the batches of n->progress.epoch from n->progress.at on. */
    void (*begin)(struct pl_network *n);
    /* Makes the batch at n->progress.at; returns 1 when the epoch has no more. */
    int (*feed)(struct pl_network *n, struct pl_network_batch *batch, struct pl_error *err);
    /* The batches of an epoch, and the examples in them, that lie before a position (UINT64_MAX: the end). Returns
     * false when no batch begins there. */
    bool (*reach)(const struct pl_network *n, uint64_t epoch, uint64_t at, uint64_t *batches, uint64_t *examples);
    /* Mean loss and accuracy over a split, with the weights as they are. Returns 1 when the sink asked to stop. */
    int (*evaluate)(struct pl_network *n, enum pl_split split, struct pl_evaluation *evaluation, struct pl_error *err);
};
extern const struct pl_network_type pl_network_images, pl_network_text;

extern const struct pl_setting pl_network_settings[];
extern const size_t pl_network_setting_count;
/* By the setting "dataset", or NULL. */
const struct pl_network_type *pl_network_type_of(const struct pl_settings *settings);

/* The instruction set with which the newest checkpoint in a request's folder was written; false where there is none of
 * this run. */
bool pl_checkpoint_isa(const struct pl_run_request *request, enum pl_isa *isa);

int pl_network_device(struct pl_device **device, const struct pl_settings *settings, int threads, struct pl_error *err);

/* Opens the data, builds the net at its initial weights and everything that a step needs. */
int pl_network_open(struct pl_network *n, const struct pl_run_request *request, const struct pl_sink *sink,
                    struct pl_error *err);
void pl_network_close(struct pl_network *n);
void pl_network_log(struct pl_network *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Logs and counts a file of the run's folder that could not be written ("no checkpoint was written"). */
void pl_network_miss(struct pl_network *n, const char *what, const struct pl_error *err);
/* The net's numbers while the device lends them to the host. */
struct pl_network_loan {
    enum pl_lending how;
    void *theta; /* layout.length elements */
    double *statistics;
};
struct pl_network_loan pl_network_lend(struct pl_network *n, enum pl_lending how);
void pl_network_take_back(struct pl_network *n, const struct pl_network_loan *loan);
/* Copies the running statistics to kept (PL_LEND_READ) or back (PL_LEND_CHANGE). */
void pl_network_copy_statistics(struct pl_network *n, double *kept, enum pl_lending how);
/* Puts the averaged weights, where there are such, in the place of the weights, to be looked at, until they are hidden
 * again. Where pl_optim_wants_statistics says so the running statistics become those of the
 * average as well, by forward passes over the first batches of training, as its authors ask: always the same ones. */
struct pl_network_shown {
    bool exchanged;
    double *statistics; /* as they were, or NULL */
};
int pl_network_show_average(struct pl_network *n, struct pl_network_shown *shown, struct pl_error *err);
void pl_network_hide_average(struct pl_network *n, struct pl_network_shown *shown);

/* Trains from n->progress to the end, an interruption or a divergence. */
int pl_network_train(struct pl_network *n, struct pl_run_result *result, struct pl_error *err);

/* ---- metrics.c */

extern const struct pl_metric pl_network_metrics[]; /* of every network; a type has some besides */
extern const size_t pl_network_metric_count;
/* The metrics that are summed over the batches of an epoch, of every network and then of its type; NULL behind the
 * last. */
const struct pl_metric *pl_network_sum_at(const struct pl_network *n, size_t index);
/* Adds the value of a batch to such a metric; its value for the batches of this epoch that are done. */
void pl_network_sum(struct pl_network *n, const char *metric, double value);
double pl_network_summed(const struct pl_network *n, const char *metric);

/* ---- survey.c: what networks of both kinds need */

/* Bytes of the program and of the optimizer's state for the weights of a graph. Fails with PL_EINPUT where the device
 * lacks an operator of it. */
int pl_survey_network(const struct pl_settings *settings, const struct pl_graph *graph, const struct pl_device *device,
                      uint64_t *bytes, struct pl_error *err);
/* Says which data a run is trained on. */
void pl_survey_data(const struct pl_settings *settings, const char *checksum, bool official, const char *warning,
                    struct pl_train_needs *needs);

/* ---- state.c: what a checkpoint holds, by name */

/* Every number has a tensor of its own, so that none can be taken for another one when members come or go. The format
 * changes when a name gets another meaning; earlier ones are read (pl_state_renew). */
#define PL_STATE_FORMAT "poula checkpoint 3"

/* Tensors of a checkpoint. Zero-initialise. */
struct pl_state {
    struct pl_safetensor *tensors;
    size_t count, capacity;
    struct pl_pool pool; /* of names */
};
/* Adds everything that training goes on from, where it lies: to be written, or to be read into, before the loan ends.
 */
void pl_state_add(struct pl_state *state, struct pl_network *n, const struct pl_network_loan *loan);
void pl_state_add_history(struct pl_state *state, const struct pl_history *history);
void pl_state_release(struct pl_state *state);

bool pl_state_knows(const char *format);
/* Gives the tensors of a file in an earlier format the names of today. */
void pl_state_renew(struct pl_safetensors *file);
/* Is a further than b? */
bool pl_state_is_later(const struct pl_safetensors *a, const struct pl_safetensors *b);
/* The metric whose curve (values or their epochs) a tensor is of, or NULL; both tensors of a metric, or NULL. */
const char *pl_state_metric(const char *name);
void pl_state_find_curve(const struct pl_safetensors *file, const char *metric, const struct pl_safetensor **epochs,
                         const struct pl_safetensor **values);
/* Are its numbers those of a place that this run can be at (place.c)? PL_ECORRUPT names one that is not. */
int pl_state_check_place(const struct pl_network *n, const struct pl_safetensors *file, struct pl_error *err);
/* Copies everything, or nothing when something does not fit or cannot be: PL_ECORRUPT. */
int pl_state_restore(struct pl_network *n, const struct pl_safetensors *file, struct pl_error *err);
void pl_state_restore_history(struct pl_network *n, const struct pl_safetensors *file);

/* ---- checkpoint.c, weights.c: files in the run's folder; a run without a folder keeps none */

/* Goes on from the newest checkpoint that is whole and of this very run: then n->progress is where it ended, and its
 * values are reported. What cannot be used is named in the log. Returns 1 when there is none. */
int pl_checkpoint_load(struct pl_network *n);
/* Writes one, keeping the one before; a failure is logged and nothing else. */
void pl_checkpoint_write(struct pl_network *n);
void pl_checkpoint_remove(struct pl_network *n);

/* Writes weights (averaged, once there is an average) and running statistics. */
int pl_weights_write(struct pl_network *n, struct pl_error *err);
/* Replaces the initial weights by those of a file that has the same tensors. */
int pl_weights_load(struct pl_network *n, const char *path, struct pl_error *err);
/* Opens the weights that the run with this key left in its folder. Fails with PL_EMISSING where there are none,
 * PL_ECORRUPT when they are another run's. */
int pl_weights_open(struct pl_safetensors *file, const char *folder, const char *key, struct pl_error *err);
/* Sets the net of that graph to the tensors of a file. Fails with PL_EINPUT where they do not fit. */
int pl_weights_take(struct pl_net *net, const struct pl_graph *graph, const struct pl_safetensors *file,
                    struct pl_error *err);
/* Metadata that every file of this run carries. */
void pl_network_describe(const struct pl_network *n, struct pl_settings *metadata);

#endif
