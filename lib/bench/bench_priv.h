/* Parts that the measurements share. */
#ifndef PL_BENCH_PRIV_H
#define PL_BENCH_PRIV_H

#include "bench/bench.h"

/* Processes that only compute, as many as asked for, halted at first; whatever ends this process ends them. Free with
 * pl_bench_busy_free also after a failure. Start them before other threads. */
struct pl_bench_busy;
int pl_bench_busy_new(struct pl_bench_busy **busy, int count, struct pl_error *err);
void pl_bench_busy_free(struct pl_bench_busy *busy);

/* Seconds that all threads of this process have computed so far. */
double pl_bench_cpu(void);

/* A step beside the busy processes, and what each of the others computed meanwhile: seconds, on average. Not medians:
 * of steps shorter than a scheduler's slices most are not interrupted at all. */
struct pl_bench_beside {
    double wall, cpu, others_cpu;
};
/* Lets the processes run, does steps until they have begun, and then measures at least count of them, and so many that
 * each process has had its turn many times. */
struct pl_bench_beside pl_bench_beside(struct pl_bench_busy *busy, int64_t count, void (*step)(void *self), void *self);

/* Cuts KEY=VALUE: key is the caller's to free, value points into given. Fails with PL_EINPUT where there is no =. */
int pl_bench_split(const char *given, char **key, const char **value, struct pl_error *err);

#endif
