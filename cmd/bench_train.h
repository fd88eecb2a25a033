/* What `poula bench train` measures (bench_train.c) and prints (bench_train_print.c). */
#ifndef PL_CMD_BENCH_TRAIN_H
#define PL_CMD_BENCH_TRAIN_H

#include "bench.h"

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

struct pl_bench_training {
    const struct pl_args *args;
    const struct pl_model *model;
    int64_t batch, steps, threads; /* batch: images, or columns of a text */
    int64_t bptt, words;           /* of a text: steps of a window, size of the vocabulary */
    double examples;               /* images or tokens of a step */
    const char *what;              /* these are: "images", "tokens" */
    const char *precision;
    int64_t busy, rounds; /* processes beside it, and how often quiet and busy steps take turns */
    bool json, profile;
    struct pl_settings settings; /* model, optimizer and theirs */

    struct pl_graph *graph;
    struct pl_device *device;
    struct pl_net *net;
    struct pl_plan *plan;
    struct pl_optim *optim;
    struct pl_layout layout;
    void *theta, *gradient;
    uint8_t *bytes;      /* the images as a data set stores them, NCHW */
    float *pixels;       /* the same, normalised */
    int32_t *labels;
    struct pl_columns text;
    size_t row;          /* of the text, where the next window begins */

    double *times[PL_PART_COUNT]; /* of every timed step, in seconds */
    double *cpu;                  /* of every timed step: seconds that all threads computed */
    struct pl_bench_load *loads;  /* of every round */
    double loss;                  /* of the last step */
    double peak_memory;           /* bytes */
    double peak_gflops;           /* of this machine in registers, on as many threads */
    double bandwidth;             /* GB/s of copying on as many threads; with a profile only */
};

/* Draws what is trained on. */
int pl_bench_training_data(struct pl_bench_training *b, struct pl_error *err);
void pl_bench_training_data_release(struct pl_bench_training *b);
/* Gives the plan the batch of a step. */
void pl_bench_training_give(struct pl_bench_training *b);

void pl_bench_training_print(struct pl_bench_training *b);

#endif
