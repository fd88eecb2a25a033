/* Parts of `poula bench`. */
#ifndef PL_CMD_BENCH_H
#define PL_CMD_BENCH_H

#include "cmd.h"

int pl_bench_optim(const struct pl_args *args);
int pl_bench_sweep(const struct pl_args *args);
int pl_bench_train(const struct pl_args *args);

/* Sorts the times in rising order and returns their median. */
double pl_bench_median(double *times, size_t count);

#endif
