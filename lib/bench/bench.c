#include "bench/bench_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double pl_bench_median(double *times, size_t count)
{
    qsort(times, count, sizeof *times, ascending);
    return count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
}

double pl_bench_even_share(int threads, int count)
{
    const int cores = pl_host_cores(), own = threads < cores ? threads : cores;
    return fmin(1, (double)cores / (own + count));
}

int pl_bench_split(const char *given, char **key, const char **value, struct pl_error *err)
{
    const char *equals = strchr(given, '=');
    if (!equals)
        return pl_fail(err, PL_EINPUT, "--set is '%.100s', but must be KEY=VALUE", given);
    *key = pl_copy_bytes(given, (size_t)(equals - given));
    *value = equals + 1;
    return 0;
}
