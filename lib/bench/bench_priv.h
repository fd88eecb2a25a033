/* Parts that the measurements share. */
#ifndef PL_BENCH_PRIV_H
#define PL_BENCH_PRIV_H

#include "bench/bench.h"

/* Processes that only compute, as many as asked for, halted at first; whatever ends this process ends them. Free with
 * pl_bench_busy_free also after a failure. Start them before other threads. */
struct pl_bench_busy;
int pl_bench_busy_new(struct pl_bench_busy **busy, int count, struct pl_error *err);
void pl_bench_busy_turn(struct pl_bench_busy *busy, bool on);
double pl_bench_busy_cpu(const struct pl_bench_busy *busy); /* seconds that one of them computed so far, on average */
void pl_bench_busy_free(struct pl_bench_busy *busy);

/* Cuts KEY=VALUE: key is the caller's to free, value points into given. Fails with PL_EINPUT where there is no =. */
int pl_bench_split(const char *given, char **key, const char **value, struct pl_error *err);

#endif
