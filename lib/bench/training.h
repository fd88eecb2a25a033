/* Whole training steps, as lib/train makes them: stored bytes are normalised and laid out (or a window of a text is
 * given, and the recurrent state goes on), forward and backward pass, a text's gradient is clipped, one step of the
 * optimizer. Images and texts are drawn; what they show does not matter to the time of a step. */
#ifndef PL_BENCH_TRAINING_H
#define PL_BENCH_TRAINING_H

#include "bench/bench.h"

#include "data/text/corpus.h"
#include "model/model.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* A step's parts, in their order, and the whole of it. */
enum pl_bench_part {
    PL_PART_INPUT,
    PL_PART_FORWARD,
    PL_PART_BACKWARD,
    PL_PART_CLIP, /* of a text's gradient */
    PL_PART_UPDATE,
    PL_PART_STEP,
    PL_PART_COUNT
};
enum { PL_BENCH_CHANNELS = 3, PL_BENCH_SIDE = 32, PL_BENCH_CLASSES = 10 }; /* of the images */

/* A round of steps in quiet and of as many beside other processes: medians, in seconds. */
struct pl_bench_load {
    double quiet, busy;         /* of a step */
    double quiet_cpu, busy_cpu; /* that all threads computed */
    double others_cpu;          /* that each of the other processes computed during a busy step, on average */
};

/* Zero-initialise, and fill the first part. */
struct pl_bench_training {
    const struct pl_model *model;
    const struct pl_optimizer_info *optimizer;
    const char *layers;            /* nlayers of a model of text, as it is spelled; NULL: the default */
    struct pl_bench_given given;   /* settings of the optimizer or the model */
    int64_t batch, steps, threads; /* batch: images, or columns of a text */
    int64_t bptt, words;           /* of a text: steps of a window, size of the vocabulary */
    const char *precision;         /* "fast", "exact" */
    int64_t busy, rounds; /* processes beside it, and how often quiet and busy steps take turns (1 without any) */
    bool profile;         /* the time of every operator too */

    double examples;             /* images or tokens of a step */
    struct pl_settings settings; /* model, optimizer and theirs */
    struct pl_graph *graph;
    struct pl_device *device;
    struct pl_net *net;
    struct pl_plan *plan;
    struct pl_optim *optim;
    struct pl_layout layout;
    uint8_t *bytes; /* the images as a data set stores them, NCHW */
    float *pixels;  /* the same, normalised */
    int32_t *labels;
    struct pl_columns text;
    size_t row; /* of the text, where the next window begins */

    double *times[PL_PART_COUNT]; /* of every timed step, in seconds */
    double *cpu;                  /* of every timed step: seconds that all threads computed */
    struct pl_bench_load *loads;  /* of every round */
    double loss;                  /* of the last step */
    double peak_memory;           /* bytes */
    double peak_gflops;           /* of this machine in registers, on as many threads */
    double bandwidth;             /* GB/s of copying on as many threads; with a profile only */
};

/* Measures. Fails with PL_EINPUT where settings make no sense and with PL_EMEMORY where a step needs more than is free.
 */
int pl_bench_training_run(struct pl_bench_training *b, struct pl_error *err);
void pl_bench_training_release(struct pl_bench_training *b);

/* What is trained on (training_data.c): draws it, gives the plan the batch of a step, and releases it. */
int pl_bench_training_data(struct pl_bench_training *b, struct pl_error *err);
void pl_bench_training_give(struct pl_bench_training *b);
void pl_bench_training_data_release(struct pl_bench_training *b);

#endif
