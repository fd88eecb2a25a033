/* bench: measures this machine and this program. What is measured is given back; nobody here prints or judges.
 *
 * Measurements are taken in turns where two are compared, so that other load on the machine disturbs both alike. All
 * that a run needs is drawn, so that no data set, spec or database has to be there. Threading: one measurement at a
 * time in a process, from one thread; processes of pl_bench_busy_new are started before other threads. */
#ifndef PL_BENCH_H
#define PL_BENCH_H

#include "base/base.h"
#include "optim/optim.h"

/* Sorts the times in rising order and returns their median. */
double pl_bench_median(double *times, size_t count);
/* The speed of threads, as a part of their speed alone, beside that many processes, if each has the same share of the
 * allowed cores. */
double pl_bench_even_share(int threads, int count);

/* Settings as somebody gives them, KEY=VALUE each. */
struct pl_bench_given {
    const char *const *words;
    size_t count;
};

/* ---- optimizer steps, beside the plain loop theta += a g, which reads and writes the 12 bytes per parameter that no
 * optimizer in float can avoid */

struct pl_bench_steps_wish {
    int64_t parameters, steps, threads;
    int64_t beside,
        rounds; /* processes that compute meanwhile (0: none), and how often quiet and busy steps take turns */
    struct pl_bench_given given;
};
/* How an optimizer is measured: without noise, with that of its default beta (one that has none is not), or on matrices
 * of 256 x 256 (those that compute with tensors as matrices, of at most four of them). */
enum pl_bench_kind { PL_BENCH_PLAIN, PL_BENCH_NOISY, PL_BENCH_MATRICES, PL_BENCH_KINDS };
bool pl_bench_is_of_kind(const struct pl_optimizer_info *info, enum pl_bench_kind kind);

/* Of an optimizer: medians in nanoseconds per parameter and step. */
struct pl_bench_steps_time {
    double step, least, stream;
    double cpu, stream_cpu; /* the same of the processor time of all threads */
    int64_t parameters;
    double bytes; /* a parameter's value and its state read and written, and its gradient read, once each */
    double ratio; /* speed beside the processes / quiet speed, the median over the rounds; 0 without processes */
};
struct pl_bench_steps;
/* Allocates the arenas and starts the processes. Fails with PL_EMEMORY or PL_EIO. */
int pl_bench_steps_new(struct pl_bench_steps **steps, const struct pl_bench_steps_wish *wish, struct pl_error *err);
/* Measures one optimizer, as it is with the given settings, or as one of a kind, for which it is of that kind. lenient:
 * given settings that it does not have are left out, else they are a PL_EINPUT. */
int pl_bench_steps_measure(struct pl_bench_steps *steps, const struct pl_optimizer_info *info, bool lenient,
                           struct pl_bench_steps_time *time, struct pl_error *err);
int pl_bench_steps_measure_kind(struct pl_bench_steps *steps, const struct pl_optimizer_info *info,
                                enum pl_bench_kind kind, struct pl_bench_steps_time *time, struct pl_error *err);
void pl_bench_steps_free(struct pl_bench_steps *steps);

/* ---- sweeps and tables, in a folder of their own which pl_bench_studies_free removes */

/* A synthetic database: a grid of 250 configurations with that many seeds. */
struct pl_bench_shape {
    const char *study;
    int seeds, epochs, metrics;
};
extern const struct pl_bench_shape pl_bench_shapes[]; /* a million runs; long curves */
extern const size_t pl_bench_shape_count;
int64_t pl_bench_shape_runs(const struct pl_bench_shape *shape);

struct pl_bench_study_time {
    int64_t runs;
    double seconds, megabytes; /* of the whole, and of its database */
};
struct pl_bench_studies;
int pl_bench_studies_new(struct pl_bench_studies **studies, struct pl_error *err);
/* Runs the toy sweep of 10000 runs, everything committed, with that many workers: this program itself, as `worker`. */
int pl_bench_sweep(struct pl_bench_studies *studies, int jobs, struct pl_bench_study_time *time, struct pl_error *err);
/* Fills a database as a sweep would, and makes its table three times; seconds are those of the fastest. */
int pl_bench_table(struct pl_bench_studies *studies, const struct pl_bench_shape *shape,
                   struct pl_bench_study_time *time, struct pl_error *err);
/* Plans that many runs of a quick problem, submits them to stubs of Slurm's commands, writes the journals that tasks
 * would have left (10 values a run), and takes them in. */
struct pl_bench_cluster_time {
    int64_t runs, tasks;
    double submit, submit_megabytes; /* seconds from the plan to the last sbatch; most memory until then */
    double collect, megabytes;       /* the same of taking in */
};
int pl_bench_cluster(struct pl_bench_studies *studies, int64_t runs, int64_t runs_per_task,
                     struct pl_bench_cluster_time *time, struct pl_error *err);
const char *pl_bench_studies_folder(const struct pl_bench_studies *studies);
void pl_bench_studies_free(struct pl_bench_studies *studies);

#endif
