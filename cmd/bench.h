/* Parts of `poula bench`. */
#ifndef PL_CMD_BENCH_H
#define PL_CMD_BENCH_H

#include "cmd.h"

int pl_bench_optim(const struct pl_args *args);
int pl_bench_sweep(const struct pl_args *args);
int pl_bench_train(const struct pl_args *args);

/* Processes that only compute, as many as asked for, halted at first; whatever ends this process ends them. Free with
 * pl_bench_busy_free also after a failure. Start them before other threads. */
struct pl_bench_busy;
int pl_bench_busy_new(struct pl_bench_busy **busy, int count, struct pl_error *err);
void pl_bench_busy_turn(struct pl_bench_busy *busy, bool on);
double pl_bench_busy_cpu(const struct pl_bench_busy *busy); /* seconds that one of them computed so far, on average */
void pl_bench_busy_free(struct pl_bench_busy *busy);
/* The speed of threads, as a part of their speed alone, beside that many processes, if each has the same share of the
 * allowed cores. */
double pl_bench_even_share(int threads, int count);

/* Sorts the times in rising order and returns their median. */
double pl_bench_median(double *times, size_t count);

#endif
