/* poula bench optim: the time of optimizer steps, beside what the machine's memory allows. The yardstick is the plain
 * loop theta += a g, which reads and writes the 12 bytes per parameter that no optimizer in float can avoid; it is
 * timed in turns with the steps, so that neighbours on the machine disturb both alike. */
#include "bench.h"

#include "optim/optim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 100000 };

struct bench {
    const struct pl_args *args;
    int64_t params, steps, threads, rounds;
    int64_t beside;             /* processes that compute */
    struct pl_bench_busy *busy; /* these, or NULL */
    bool json;
    struct pl_layout layout;
    float *theta, *gradient;
    double *step_times, *stream_times;
    double *ratios; /* of each round: speed beside the others / quiet speed */
    bool any_printed;
};

static void stream(void *self, size_t from, size_t to, int thread)
{
    const struct bench *b = self;
    float *restrict theta = b->theta;
    const float *restrict gradient = b->gradient;
    (void)thread;
    for (size_t i = from; i < to; i++)
        theta[i] += 1e-6f * gradient[i];
}

static void fill(struct bench *b)
{
    for (int64_t i = 0; i < b->params; i++) {
        b->theta[i] = (float)(i * 7919 % 1000 - 500) * 1e-4f;
        b->gradient[i] = (float)(i * 104729 % 1000 - 500) * 1e-4f;
    }
}

static const struct pl_setting *find_setting(const struct pl_optimizer_info *info, const char *key)
{
    size_t count;
    const struct pl_setting *common = pl_optim_common_settings(&count);
    const struct pl_setting *own = pl_setting_find(info->settings, info->setting_count, key);
    return own ? own : pl_setting_find(common, count, key);
}

/* Takes the --set options. With every optimizer asked for, a key is given to those that have it. */
static int read_settings(const struct bench *b, const struct pl_optimizer_info *info, bool all,
                         struct pl_settings *settings, struct pl_error *err)
{
    const char *given;
    for (size_t i = 0; (given = pl_args_nth(b->args, "set", i)); i++) {
        const char *equals = strchr(given, '=');
        if (!equals)
            return pl_fail(err, PL_EINPUT, "--set is '%.100s', but must be KEY=VALUE", given);
        char *key = pl_copy_bytes(given, (size_t)(equals - given));
        const struct pl_setting *setting = find_setting(info, key);
        struct pl_value value;
        int status = 0;
        if (setting)
            status = pl_setting_read(setting, equals + 1, &value, err);
        else if (!all)
            status = pl_fail(err, PL_EINPUT, "%s has no setting %.100s", info->name, key);
        if (setting && !status)
            pl_settings_set(settings, setting->key, value);
        free(key);
        if (status)
            return status;
    }
    return 0;
}

/* The median of as many steps as of the quiet ones before, beside the busy processes. */
static double measure_busy(struct bench *b, struct pl_optim *optim)
{
    double *times = pl_new((size_t)b->steps * sizeof *times);
    pl_bench_busy_turn(b->busy, true);
    pl_optim_step(optim, b->theta, b->gradient, NULL); /* in which they begin */
    for (int64_t i = 0; i < b->steps; i++) {
        double start = pl_clock_steady();
        pl_optim_step(optim, b->theta, b->gradient, NULL);
        times[i] = (pl_clock_steady() - start) * 1e9 / (double)b->params;
    }
    pl_bench_busy_turn(b->busy, false);
    double median = pl_bench_median(times, (size_t)b->steps);
    free(times);
    return median;
}

static void measure(struct bench *b, struct pl_optim *optim)
{
    const double per_parameter = 1e9 / (double)b->params;
    fill(b);
    pl_optim_step(optim, b->theta, b->gradient, NULL); /* the first touch of the state is not a step's business */
    for (int64_t i = 0; i < b->steps * b->rounds; i++) {
        double start = pl_clock_steady();
        pl_optim_step(optim, b->theta, b->gradient, NULL);
        double middle = pl_clock_steady();
        pl_parallel((int)b->threads, (size_t)b->params, 0, stream, b);
        b->step_times[i] = (middle - start) * per_parameter;
        b->stream_times[i] = (pl_clock_steady() - middle) * per_parameter;
        if (b->busy && (i + 1) % b->steps == 0) {
            double quiet = pl_bench_median(b->step_times + i + 1 - b->steps, (size_t)b->steps);
            b->ratios[i / b->steps] = quiet / measure_busy(b, optim);
        }
    }
}

static void print(struct bench *b, const char *name)
{
    double step = pl_bench_median(b->step_times, (size_t)(b->steps * b->rounds));
    double own = pl_bench_median(b->stream_times, (size_t)(b->steps * b->rounds));
    double ratio = b->busy ? pl_bench_median(b->ratios, (size_t)b->rounds) : 0;
    double share = pl_bench_even_share((int)b->threads, (int)b->beside);
    char load[160] = "";
    if (b->busy && b->json)
        snprintf(load, sizeof load, ", \"busy_processes\": %lld, \"rounds\": %lld, \"busy_ratio\": %.4f, \"even_share\": %.4f",
                 (long long)b->beside, (long long)b->rounds, ratio, share);
    else if (b->busy)
        snprintf(load, sizeof load, "  %.3f of it beside %lld busy processes; even share %.3f", ratio,
                 (long long)b->beside, share);
    if (b->json)
        printf("%s\n  {\"optimizer\": \"%s\", \"params\": %lld, \"threads\": %lld, \"steps\": %lld, \"isa\": \"%s\", "
               "\"ns_per_parameter\": %.4f, \"least\": %.4f, \"stream\": %.4f, \"ratio\": %.3f%s}",
               b->any_printed ? "," : "[", name, (long long)b->params, (long long)b->threads, (long long)b->steps,
               pl_isa_name(pl_host_isa()), step, b->step_times[0], own, step / own, load);
    else {
        if (!b->any_printed)
            printf("%lld parameters in float, %lld thread%s, %s, median of %lld steps; ns per parameter and step\n"
                   "%-12s %8s %8s %8s %8s\n",
                   (long long)b->params, (long long)b->threads, b->threads == 1 ? "" : "s", pl_isa_name(pl_host_isa()),
                   (long long)(b->steps * b->rounds), "optimizer", "median", "least", "stream", "ratio");
        printf("%-12s %8.3f %8.3f %8.3f %8.2f%s\n", name, step, b->step_times[0], own, step / own, load);
    }
    b->any_printed = true;
    fflush(stdout);
}

static int bench_one(struct bench *b, const struct pl_optimizer_info *info, bool all, struct pl_error *err)
{
    struct pl_settings settings = {0};
    struct pl_optim *optim = NULL;
    pl_settings_set_string(&settings, "optimizer", info->name);
    int status = read_settings(b, info, all, &settings, err);
    if (!status)
        status = pl_optim_new(&optim, &settings, &b->layout, PL_FLOAT32, pl_random_stream(1, PL_STREAM_NOISE),
                              (int)b->threads, err);
    if (!status) {
        measure(b, optim);
        print(b, info->name);
    }
    pl_optim_free(optim);
    pl_settings_release(&settings);
    return status;
}

static int bench_all(struct bench *b, const char *name, struct pl_error *err)
{
    bool all = !strcmp(name, "all");
    const struct pl_optimizer_info *info = pl_optim_find(name);
    if (!all && !info)
        return pl_fail(err, PL_EINPUT, "there is no optimizer '%.100s'; 'all' measures every one", name);
    size_t n = (size_t)b->params;
    pl_layout_add(&b->layout, &n, 1);
    b->theta = pl_arena(b->layout.length, sizeof(float));
    b->gradient = pl_arena(b->layout.length, sizeof(float));
    b->step_times = pl_new((size_t)(b->steps * b->rounds) * sizeof(double));
    b->stream_times = pl_new((size_t)(b->steps * b->rounds) * sizeof(double));
    b->ratios = pl_new((size_t)b->rounds * sizeof(double));
    if (!b->theta || !b->gradient)
        return pl_fail(err, PL_EMEMORY, "there is no memory for %zu parameters", n);
    if (!all)
        return bench_one(b, info, false, err);
    int status = 0;
    for (size_t i = 0; !status && i < pl_optim_count(); i++)
        status = bench_one(b, pl_optim_info(i), true, err);
    return status;
}

int pl_bench_optim(const struct pl_args *args)
{
    struct bench b = {.args = args, .json = !strcmp(pl_args_get(args, "format", "text"), "json")};
    struct pl_error err;
    if (!pl_args_integer(args, "params", 1, 10000000000, 10000000, &b.params) ||
        !pl_args_integer(args, "steps", 1, MOST_STEPS, 21, &b.steps) ||
        !pl_args_integer(args, "busy", 0, 1000, 0, &b.beside) ||
        !pl_args_integer(args, "rounds", 1, 1000, b.beside ? 5 : 1, &b.rounds) ||
        !pl_args_integer(args, "threads", 1, 1024, 1, &b.threads))
        return 2;
    if (pl_args_has(args, "rounds") && !b.beside)
        return pl_cmd_usage_error(args, "--rounds goes with --busy");
    int status = b.beside ? pl_bench_busy_new(&b.busy, (int)b.beside, &err) : 0;
    if (!status)
        status = bench_all(&b, pl_args_get(args, "optimizer", "theopoula"), &err);
    pl_bench_busy_free(b.busy);
    if (b.json && b.any_printed)
        printf("\n]\n");
    pl_layout_release(&b.layout);
    free(b.theta);
    free(b.gradient);
    free(b.step_times);
    free(b.stream_times);
    free(b.ratios);
    return status ? pl_cmd_fail(args, &err) : pl_cmd_finish(args, 0);
}
