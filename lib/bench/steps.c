/* Steps of optimizers on one arena. */
#include "bench/bench_priv.h"

#include <stdlib.h>
#include <string.h>

struct pl_bench_steps {
    struct pl_bench_steps_wish wish;
    struct pl_bench_busy *busy; /* the processes beside, or NULL */
    struct pl_layout layout;
    float *theta, *gradient;
    double *step_times, *stream_times;
    double *ratios; /* of each round: speed beside the others / quiet speed */
};

static void stream(void *self, size_t from, size_t to, int thread)
{
    const struct pl_bench_steps *b = self;
    float *restrict theta = b->theta;
    const float *restrict gradient = b->gradient;
    (void)thread;
    for (size_t i = from; i < to; i++)
        theta[i] += 1e-6f * gradient[i];
}

static void fill(struct pl_bench_steps *b)
{
    for (int64_t i = 0; i < b->wish.parameters; i++) {
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

/* Takes one given setting. With lenient, a key is taken by those that have it. */
static int read_setting(const struct pl_optimizer_info *info, const char *given, bool lenient,
                        struct pl_settings *settings, struct pl_error *err)
{
    const char *spelling;
    char *key;
    int status = pl_bench_split(given, &key, &spelling, err);
    if (status)
        return status;
    const struct pl_setting *setting = find_setting(info, key);
    struct pl_value value;
    if (setting)
        status = pl_setting_read(setting, spelling, &value, err);
    else if (!lenient)
        status = pl_fail(err, PL_EINPUT, "%s has no setting %.100s", info->name, key);
    if (setting && !status)
        pl_settings_set(settings, setting->key, value);
    free(key);
    return status;
}

struct stepping {
    struct pl_bench_steps *bench;
    struct pl_optim *optim;
};

static void step_beside(void *self)
{
    const struct stepping *s = self;
    pl_optim_step(s->optim, s->bench->theta, s->bench->gradient, NULL);
}

static void measure(struct pl_bench_steps *b, struct pl_optim *optim)
{
    const double per_parameter = 1e9 / (double)b->wish.parameters;
    fill(b);
    pl_optim_step(optim, b->theta, b->gradient, NULL); /* the first touch of the state is not a step's business */
    for (int64_t i = 0; i < b->wish.steps * b->wish.rounds; i++) {
        double start = pl_clock_steady();
        pl_optim_step(optim, b->theta, b->gradient, NULL);
        double middle = pl_clock_steady();
        pl_parallel((int)b->wish.threads, (size_t)b->wish.parameters, 0, stream, b);
        b->step_times[i] = (middle - start) * per_parameter;
        b->stream_times[i] = (pl_clock_steady() - middle) * per_parameter;
        if (b->busy && (i + 1) % b->wish.steps == 0) {
            double quiet = pl_bench_median(b->step_times + i + 1 - b->wish.steps, (size_t)b->wish.steps);
            struct stepping stepping = {b, optim};
            b->ratios[i / b->wish.steps] = quiet /
                                           (pl_bench_beside(b->busy, b->wish.steps, step_beside, &stepping).wall *
                                            per_parameter);
        }
    }
}

static struct pl_bench_steps_time summarise(struct pl_bench_steps *b)
{
    const size_t count = (size_t)(b->wish.steps * b->wish.rounds);
    struct pl_bench_steps_time time = {.step = pl_bench_median(b->step_times, count),
                                       .least = b->step_times[0], /* pl_bench_median sorts */
                                       .stream = pl_bench_median(b->stream_times, count)};
    if (b->busy)
        time.ratio = pl_bench_median(b->ratios, (size_t)b->wish.rounds);
    return time;
}

int pl_bench_steps_measure(struct pl_bench_steps *steps, const struct pl_optimizer_info *info, bool lenient,
                           struct pl_bench_steps_time *time, struct pl_error *err)
{
    struct pl_settings settings = {0};
    struct pl_optim *optim = NULL;
    int status = 0;
    pl_settings_set_string(&settings, "optimizer", info->name);
    for (size_t i = 0; i < steps->wish.given.count && !status; i++)
        status = read_setting(info, steps->wish.given.words[i], lenient, &settings, err);
    if (!status)
        status = pl_optim_new(&optim, &settings, &steps->layout, PL_FLOAT32, pl_random_stream(1, PL_STREAM_NOISE),
                              (int)steps->wish.threads, err);
    if (!status) {
        measure(steps, optim);
        *time = summarise(steps);
    }
    pl_optim_free(optim);
    pl_settings_release(&settings);
    return status;
}

int pl_bench_steps_new(struct pl_bench_steps **steps, const struct pl_bench_steps_wish *wish, struct pl_error *err)
{
    struct pl_bench_steps *b = pl_new(sizeof *b);
    size_t n = (size_t)wish->parameters;
    b->wish = *wish;
    pl_layout_add(&b->layout, &n, 1);
    b->step_times = pl_new((size_t)(wish->steps * wish->rounds) * sizeof(double));
    b->stream_times = pl_new((size_t)(wish->steps * wish->rounds) * sizeof(double));
    b->ratios = pl_new((size_t)wish->rounds * sizeof(double));
    int status = wish->beside ? pl_bench_busy_new(&b->busy, (int)wish->beside, err) : 0;
    b->theta = pl_arena(b->layout.length, sizeof(float));
    b->gradient = pl_arena(b->layout.length, sizeof(float));
    if (!status && (!b->theta || !b->gradient))
        status = pl_fail(err, PL_EMEMORY, "there is no memory for %zu parameters", n);
    if (status)
        pl_bench_steps_free(b);
    else
        *steps = b;
    return status;
}

void pl_bench_steps_free(struct pl_bench_steps *b)
{
    if (!b)
        return;
    pl_bench_busy_free(b->busy);
    pl_layout_release(&b->layout);
    free(b->theta);
    free(b->gradient);
    free(b->step_times);
    free(b->stream_times);
    free(b->ratios);
    free(b);
}
