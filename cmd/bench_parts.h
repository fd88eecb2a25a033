/* The measurements of `poula bench`: their options and what is printed. */
#ifndef PL_CMD_BENCH_PARTS_H
#define PL_CMD_BENCH_PARTS_H

#include "answer.h"

#include "bench/training.h"

/* Each returns the exit code. */
int pl_bench_optim_command(const struct pl_args *args);
int pl_bench_sweep_command(const struct pl_args *args);
int pl_bench_cluster_command(const struct pl_args *args);
int pl_bench_train_command(const struct pl_args *args);

/* The words of --set; free() them. */
struct pl_bench_given pl_bench_given_of(const struct pl_args *args);

/* Medians of what was measured (bench_train_print.c). */
void pl_bench_training_print(struct pl_bench_training *b, bool json);

#endif
