/* poula bench sweep: runs per second of the toy sweep, and the time of tables over large databases. */
#include "bench_parts.h"

#include <stdio.h>
#include <string.h>

static int measure_sweep(struct pl_bench_studies *studies, int jobs, bool json, struct pl_error *err)
{
    struct pl_bench_study_time time;
    int status = pl_bench_sweep(studies, jobs, &time, err);
    if (status)
        return status;
    const double rate = (double)time.runs / time.seconds;
    if (json)
        printf("{\"jobs\": %d, \"runs\": %lld, \"seconds\": %.4f, \"runs_per_second\": %.1f, \"database_mb\": %.3f",
               jobs, (long long)time.runs, time.seconds, rate, time.megabytes);
    else
        printf("sweep   %lld runs of the toy example, %d jobs: %.2f s, %.0f runs/s, database %.1f MB\n",
               (long long)time.runs, jobs, time.seconds, rate, time.megabytes);
    fflush(stdout);
    return 0;
}

static int measure_table(struct pl_bench_studies *studies, const struct pl_bench_shape *shape, bool json,
                         struct pl_error *err)
{
    struct pl_bench_study_time time;
    pl_cmd_note("filling a database with %lld runs of %d epochs and %d metrics ...",
                (long long)pl_bench_shape_runs(shape), shape->epochs, shape->metrics);
    int status = pl_bench_table(studies, shape, &time, err);
    if (status)
        return status;
    if (json)
        printf(", \"table_%s\": {\"runs\": %lld, \"epochs\": %d, \"metrics\": %d, \"seconds\": %.4f, "
               "\"database_mb\": %.1f}",
               shape->study, (long long)time.runs, shape->epochs, shape->metrics, time.seconds, time.megabytes);
    else
        printf("table   %lld runs x %d epochs x %d metrics: %.3f s, database %.0f MB\n", (long long)time.runs,
               shape->epochs, shape->metrics, time.seconds, time.megabytes);
    fflush(stdout);
    return 0;
}

int pl_bench_sweep_command(const struct pl_args *args)
{
    const bool json = pl_cmd_format(args, &pl_format_text)->kind == PL_FORMAT_TREE;
    struct pl_bench_studies *studies = NULL;
    struct pl_error err;
    int64_t jobs;
    if (!pl_args_integer(args, "jobs", 1, 4096, pl_host_cores(), &jobs))
        return 2;
    int status = pl_bench_studies_new(&studies, &err);
    if (status)
        return pl_cmd_fail(args, &err);
    status = measure_sweep(studies, (int)jobs, json, &err);
    for (size_t i = 0; i < pl_bench_shape_count && !status; i++)
        status = measure_table(studies, &pl_bench_shapes[i], json, &err);
    if (json)
        puts("}");
    pl_bench_studies_free(studies);
    return status ? pl_cmd_fail(args, &err) : 0;
}
