/* The toy sweep with everything committed, and tables over databases that are larger than any but the largest study.
 * The databases are filled through lib/store, as a sweep would. */
#include "bench/bench.h"

#include "report/report.h"
#include "sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GRID                                                                                                           \
    "task: {problem: theta30, iterations: 200, record: 20}\n"                                                          \
    "optimizer: {name: theopoula, lambda: [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005],"             \
    " epsilon: [1, 0.3, 0.1, 0.03, 0.01], beta: [1e8, 1e9, 1e10, 1e11, 1e12]}\n"

/* experiments/toy-10k.yaml, here so that an installed program needs no source. */
static const char toy[] = "study: toy-10k\n" GRID "seeds: {from: 1, to: 40}\n";

const struct pl_bench_shape pl_bench_shapes[] = {{"million", 4000, 1, 1}, {"curves", 40, 500, 4}};
const size_t pl_bench_shape_count = sizeof pl_bench_shapes / sizeof *pl_bench_shapes;

struct pl_bench_studies {
    struct pl_text folder, path;
};

int64_t pl_bench_shape_runs(const struct pl_bench_shape *shape)
{
    return INT64_C(250) * shape->seeds;
}

static const char *path_of(struct pl_bench_studies *studies, const char *name)
{
    pl_text_clear(&studies->path);
    pl_text_addf(&studies->path, "%s/%s.db", pl_text(&studies->folder), name);
    return pl_text(&studies->path);
}

static double megabytes(const char *path)
{
    struct stat info;
    return stat(path, &info) ? 0 : (double)info.st_size / 1e6;
}

static int parse(struct pl_spec **spec, const char *text, struct pl_error *err)
{
    struct pl_text problems = {0};
    int status = pl_spec_parse(spec, text, strlen(text), "bench", &problems, err);
    pl_text_release(&problems);
    return status;
}

/* ---- the sweep ---- */

static int sweep_toy(struct pl_bench_studies *studies, struct pl_spec *spec, int jobs, struct pl_error *err)
{
    const char *const worker[] = {"/proc/self/exe", "worker", NULL};
    struct pl_sweep_options options = {.executor = &pl_executor_local,
                                       .worker = worker,
                                       .jobs = jobs,
                                       .threads = 1,
                                       .folders = pl_text(&studies->folder)};
    struct pl_sweep_source source = {spec, "bench"};
    struct pl_store *store = NULL;
    struct pl_sweep_plan plan = {0};
    int stopped_by = 0;
    int status = pl_store_open(&store, path_of(studies, "toy"), PL_STORE_WRITE, err);
    if (!status)
        status = pl_sweep_plan_make(&plan, store, &source, 1, NULL, NULL, err);
    if (!status)
        status = pl_sweep_run(store, &plan, &options, &stopped_by, err);
    if (!status && (stopped_by || plan.studies[0].counts[PL_RUN_FINISHED] != plan.studies[0].runs))
        status = pl_fail(err, PL_ESTOPPED, "the sweep did not come to its end");
    pl_sweep_plan_release(&plan);
    pl_store_close(store);
    return status;
}

int pl_bench_sweep(struct pl_bench_studies *studies, int jobs, struct pl_bench_study_time *time, struct pl_error *err)
{
    struct pl_spec *spec = NULL;
    double begun = pl_clock_steady();
    int status = parse(&spec, toy, err);
    if (!status)
        status = sweep_toy(studies, spec, jobs, err);
    *time = (struct pl_bench_study_time){10000, pl_clock_steady() - begun, megabytes(path_of(studies, "toy"))};
    pl_spec_free(spec);
    return status;
}

/* ---- tables ---- */

/* Values as a run might have recorded them: falling, with noise that depends on the run. */
static int fill_run(struct pl_store *store, const struct pl_bench_shape *shape, const int64_t *series,
                    const double *epochs, double *values, const struct pl_claim *claim, struct pl_error *err)
{
    struct pl_random r = pl_random_stream((uint64_t)claim->run, PL_STREAM_DATA);
    int status = 0;
    for (int m = 0; m < shape->metrics && !status; m++) {
        for (int e = 0; e < shape->epochs; e++)
            values[e] = (1 + 0.1 * pl_random_uniform(&r, (uint64_t)m, (uint64_t)e)) / (1 + e);
        status = pl_store_points(store, claim, series[m], epochs, values, (size_t)shape->epochs, err);
    }
    return status;
}

static int fill(struct pl_store *store, const struct pl_bench_shape *shape, struct pl_sweep_plan *plan,
                struct pl_error *err)
{
    enum { BATCH = 2000 };
    static const char *const names[] = {"loss", "test_loss", "test_accuracy", "theta"};
    struct pl_claim *claims = pl_new(BATCH * sizeof *claims);
    int64_t series[4], session;
    double *epochs = pl_new((size_t)shape->epochs * sizeof *epochs);
    double *values = pl_new((size_t)shape->epochs * sizeof *values);
    struct pl_provenance provenance = {.version = PL_VERSION, .jobs = 1, .threads = 1};
    size_t taken = 1;
    int status = pl_store_join(store, &provenance, &session, err);
    for (int m = 0; m < shape->metrics && !status; m++)
        status = pl_store_series(store, names[m], PL_BY_EPOCH, &series[m], err);
    for (int e = 0; e < shape->epochs; e++)
        epochs[e] = e + 1;
    while (taken && !status) {
        status = pl_store_begin(store, err);
        if (!status)
            status = pl_store_claim(store, session, &plan->studies[0].sweep, 1, NULL, claims, BATCH, &taken, err);
        for (size_t i = 0; i < taken && !status; i++) {
            struct pl_ending ending = {.session = session,
                                       .outcome = PL_FINISHED,
                                       .bad_epoch = -1,
                                       .exit_code = -1,
                                       .started = 1.7e9,
                                       .seconds = 0.01,
                                       .threads = 1};
            status = fill_run(store, shape, series, epochs, values, &claims[i], err);
            if (!status)
                status = pl_store_end(store, &claims[i], &ending, err);
        }
        if (!status)
            status = pl_store_commit(store, err);
    }
    if (!status)
        status = pl_store_leave(store, session, err);
    free(claims);
    free(epochs);
    free(values);
    return status;
}

static int make_database(struct pl_bench_studies *studies, const struct pl_bench_shape *shape, struct pl_error *err)
{
    struct pl_text text = {0};
    struct pl_spec *spec = NULL;
    struct pl_store *store = NULL;
    struct pl_sweep_plan plan = {0};
    pl_text_addf(&text,
                 "study: %s\n" GRID "seeds: {from: 1, to: %d}\n"
                 "tables:\n  - {rows: [lambda, epsilon], columns: beta, value: best loss}\n",
                 shape->study, shape->seeds);
    int status = parse(&spec, pl_text(&text), err);
    struct pl_sweep_source source = {spec, "bench"};
    if (!status)
        status = pl_store_open(&store, path_of(studies, shape->study), PL_STORE_WRITE, err);
    if (!status)
        status = pl_sweep_plan_make(&plan, store, &source, 1, NULL, NULL, err);
    if (!status)
        status = fill(store, shape, &plan, err);
    pl_sweep_plan_release(&plan);
    pl_store_close(store);
    pl_spec_free(spec);
    pl_text_release(&text);
    return status;
}

/* Everything that `poula report --table` does, from opening the file to the finished text. */
static int make_table(const char *path, size_t *length, struct pl_error *err)
{
    struct pl_store *store = NULL;
    const struct pl_sweep_info *sweeps;
    struct pl_results *results = NULL;
    struct pl_table *table = NULL;
    size_t count;
    int status = pl_store_open(&store, path, PL_STORE_READ, err);
    if (!status)
        status = pl_store_sweeps(store, NULL, &sweeps, &count, err);
    if (!status)
        status = pl_results_open(&results, store, &sweeps[0], err);
    if (!status)
        status = pl_table_build(&table, results, &pl_results_study(results)->tables[0], err);
    if (!status) {
        struct pl_text text = {0};
        pl_table_write(&table, 1, &pl_format_text, &text);
        *length = text.length;
        pl_text_release(&text);
    }
    pl_table_free(table);
    pl_results_free(results);
    pl_store_close(store);
    return status;
}

int pl_bench_table(struct pl_bench_studies *studies, const struct pl_bench_shape *shape,
                   struct pl_bench_study_time *time, struct pl_error *err)
{
    int status = make_database(studies, shape, err);
    size_t length = 0;
    *time = (struct pl_bench_study_time){.runs = pl_bench_shape_runs(shape), .seconds = 1e9};
    for (int i = 0; i < 3 && !status; i++) {
        double begun = pl_clock_steady();
        status = make_table(path_of(studies, shape->study), &length, err);
        double seconds = pl_clock_steady() - begun;
        time->seconds = seconds < time->seconds ? seconds : time->seconds;
    }
    time->megabytes = megabytes(path_of(studies, shape->study));
    unlink(path_of(studies, shape->study));
    return status;
}

/* ---- folder ---- */

static void free_studies(struct pl_bench_studies *studies)
{
    pl_text_release(&studies->folder);
    pl_text_release(&studies->path);
    free(studies);
}

int pl_bench_studies_new(struct pl_bench_studies **studies, struct pl_error *err)
{
    struct pl_bench_studies *s = pl_new(sizeof *s);
    int status = pl_folder_make_temporary(&s->folder, err);
    if (!status)
        *studies = s;
    else
        free_studies(s);
    return status;
}

const char *pl_bench_studies_folder(const struct pl_bench_studies *studies)
{
    return pl_text(&studies->folder);
}

void pl_bench_studies_free(struct pl_bench_studies *studies)
{
    if (!studies)
        return;
    pl_folder_remove(pl_text(&studies->folder));
    free_studies(studies);
}
