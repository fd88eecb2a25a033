/* poula bench cluster: submitting to stubs of Slurm, and taking in journals. */
#include "bench_parts.h"

#include <stdio.h>

int pl_bench_cluster_command(const struct pl_args *args)
{
    const bool json = pl_cmd_format(args, &pl_format_text)->kind == PL_FORMAT_TREE;
    struct pl_bench_studies *studies = NULL;
    struct pl_bench_cluster_time t;
    struct pl_error err;
    int64_t runs, tasks;
    if (!pl_args_integer(args, "runs", 250, 100000000, 1000000, &runs) ||
        !pl_args_integer(args, "tasks", 1, 1000000, 1000, &tasks))
        return 2;
    int status = pl_bench_studies_new(&studies, &err);
    if (status)
        return pl_cmd_fail(args, &err);
    status = pl_bench_cluster(studies, runs, (runs + tasks - 1) / tasks, &t, &err);
    pl_bench_studies_free(studies);
    if (status)
        return pl_cmd_fail(args, &err);
    if (json)
        printf("{\"runs\": %lld, \"tasks\": %lld, \"submit_seconds\": %.3f, \"submit_mb\": %.1f, \"collect_seconds\": "
               "%.3f, \"runs_per_second\": %.0f, \"mb\": %.1f}\n",
               (long long)t.runs, (long long)t.tasks, t.submit, t.submit_megabytes, t.collect,
               (double)t.runs / t.collect, t.megabytes);
    else
        printf("submit   %lld runs in %lld tasks to a stub of sbatch: %.2f s, %.0f MB\n"
               "collect  their journals, 10 values a run: %.2f s, %.0f runs/s, %.0f MB\n",
               (long long)t.runs, (long long)t.tasks, t.submit, t.submit_megabytes, t.collect,
               (double)t.runs / t.collect, t.megabytes);
    return 0;
}
