/* Parts of the task kind `dataset`: a network being trained. docs/training.md says what is computed when. */
#ifndef PL_TRAIN_NETWORK_H
#define PL_TRAIN_NETWORK_H

#include "data/data.h"
#include "model/model.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "train/train_priv.h"

/* ---- history.c: every value reported so far, to be told again after a checkpoint was loaded */

struct pl_history {
    const struct pl_sink *sink;
    struct pl_history_series {
        char *metric;
        int number; /* of the sink's series */
        uint64_t *epochs;
        double *values;
        size_t count, capacity;
    } *series;
    size_t count, capacity;
};
/* Reports a value and keeps it. */
void pl_history_add(struct pl_history *history, const char *metric, uint64_t epoch, double value);
void pl_history_release(struct pl_history *history);

/* ---- the network */

/* How far training has come, and the sums over the batches of this epoch that are done. */
struct pl_progress {
    uint64_t epoch, batch, correct;
    double loss;           /* loss times images */
    double gradient_norm;  /* of every batch, before clipping */
    double seconds, seconds_load;
};

struct pl_network {
    const struct pl_run_request *request;
    const struct pl_sink *sink;
    struct pl_history history;
    struct pl_dataset *data;
    struct pl_device *device;
    struct pl_graph *graph;
    struct pl_net *net;
    struct pl_network_plan {
        enum pl_mode mode;
        size_t count; /* images of a batch */
        struct pl_plan *plan;
    } plans[8]; /* whole and last batches of training and of each split */
    size_t plan_count;
    struct pl_optim *optim;
    struct pl_layout layout;
    struct pl_schedule schedule;
    enum pl_precision precision; /* of theta, gradient and the optimizer */
    void *theta, *gradient;      /* the net's own arenas, of layout.length elements */
    double *statistics;
    double rate, clip;           /* the initial learning rate; INFINITY: no clipping */
    size_t epochs, images, batch, batches;
    bool augments, shuffles;
    uint64_t recorded_batches;   /* whose loss is a value of its own */
    struct pl_random shuffle, augment;
    uint32_t *order;             /* of the epoch's images; numbers of a batch in evaluation */
    float *pixels;               /* of a batch */
    int32_t *labels;
    struct pl_progress progress;
    char key[2 * PL_DIGEST_SIZE + 1]; /* of the run */
    int slot;                    /* where the next checkpoint goes */
    double saved;                /* when the last one was written, by pl_clock_steady */
};

extern const struct pl_setting pl_network_settings[];
extern const size_t pl_network_setting_count;

/* The folder of data sets: $POULA_DATA, or data. */
const char *pl_train_data_folder(void);

/* Graph with the loss at its end. */
int pl_network_graph(struct pl_graph **graph, const struct pl_settings *settings, struct pl_image_shape shape,
                     int classes, struct pl_error *err);
int pl_network_device(struct pl_device **device, const struct pl_settings *settings, int threads, struct pl_error *err);
size_t pl_network_batch(const struct pl_settings *settings, size_t images); /* at most the images there are */

/* Opens the data, builds the net at its initial weights and everything that a step needs. */
int pl_network_open(struct pl_network *n, const struct pl_run_request *request, const struct pl_sink *sink,
                    struct pl_error *err);
void pl_network_close(struct pl_network *n);
/* The plan for a batch of so many images, made when there is none. */
int pl_network_plan(struct pl_network *n, enum pl_mode mode, size_t count, struct pl_plan **plan, struct pl_error *err);
/* Makes a batch and gives it to the plan. */
void pl_network_feed(struct pl_network *n, struct pl_plan *plan, enum pl_split split, const uint32_t *indices,
                     size_t count, const struct pl_random *augment);
void pl_network_log(struct pl_network *n, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- epoch.c, evaluate.c */

/* Trains from n->progress to the end, an interruption or a divergence. */
int pl_network_train(struct pl_network *n, struct pl_run_result *result, struct pl_error *err);
struct pl_evaluation {
    double loss, accuracy;
};
/* Mean loss and accuracy over a split, with the averaged weights once there are any. Returns 1 when the sink asked to
 * stop before the end. */
int pl_network_evaluate(struct pl_network *n, enum pl_split split, struct pl_evaluation *evaluation,
                        struct pl_error *err);
/* The first images in the order of their set: n->order[i] = i. */
void pl_network_stored_order(struct pl_network *n, size_t images);
/* Exchanges the weights and their average, where there is one: returns whether there is. */
bool pl_network_exchange(struct pl_network *n);

/* ---- norm.c: sums over arenas, in double and the same for any number of threads */

double pl_arena_norm(const void *values, enum pl_precision precision, size_t count, int threads);
void pl_arena_scale(void *values, enum pl_precision precision, size_t count, double factor, int threads);

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
/* Metadata that every file of this run carries. */
void pl_network_describe(const struct pl_network *n, struct pl_settings *metadata);

#endif
