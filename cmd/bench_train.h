/* What `poula bench train` measures (bench_train.c) and prints (bench_train_print.c). */
#ifndef PL_CMD_BENCH_TRAIN_H
#define PL_CMD_BENCH_TRAIN_H

#include "bench.h"

#include "model/model.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* A step's parts, in their order, and the whole of it. */
enum pl_bench_part { PL_PART_INPUT, PL_PART_FORWARD, PL_PART_BACKWARD, PL_PART_UPDATE, PL_PART_STEP, PL_PART_COUNT };

struct pl_bench_training {
    const struct pl_args *args;
    int64_t batch, steps, threads;
    const char *precision;
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

    double *times[PL_PART_COUNT]; /* of every timed step, in seconds */
    double *cpu;                  /* of every timed step: seconds that all threads computed */
    double loss;                  /* of the last step */
    double peak_memory;           /* bytes */
    double peak_gflops;           /* of this machine in registers, on as many threads */
    double bandwidth;             /* GB/s of copying on as many threads; with a profile only */
};

void pl_bench_training_print(struct pl_bench_training *b);

#endif
