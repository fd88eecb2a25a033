/* Steps of optimizers on one arena. */
#include "bench/bench_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 256, SQUARES = 4 }; /* of matrices */
enum { STREAM_BYTES = 12 };

struct pl_bench_steps {
    struct pl_bench_steps_wish wish;
    struct pl_bench_busy *busy;       /* the processes beside, or NULL */
    struct pl_layout layout, squares; /* one long tensor; a few matrices */
    int64_t parameters;               /* of what is measured */
    float *theta, *gradient;
    double *step_times, *stream_times, *step_cpu, *stream_cpu;
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
    for (int64_t i = 0; i < b->parameters; i++) {
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
    const double per_parameter = 1e9 / (double)b->parameters;
    fill(b);
    pl_optim_step(optim, b->theta, b->gradient, NULL); /* the first touch of the state is not a step's business */
    for (int64_t i = 0; i < b->wish.steps * b->wish.rounds; i++) {
        double start = pl_clock_steady(), start_cpu = pl_bench_cpu();
        pl_optim_step(optim, b->theta, b->gradient, NULL);
        double middle = pl_clock_steady(), middle_cpu = pl_bench_cpu();
        pl_parallel((int)b->wish.threads, (size_t)b->parameters, 0, stream, b);
        b->step_times[i] = (middle - start) * per_parameter;
        b->stream_times[i] = (pl_clock_steady() - middle) * per_parameter;
        b->step_cpu[i] = (middle_cpu - start_cpu) * per_parameter;
        b->stream_cpu[i] = (pl_bench_cpu() - middle_cpu) * per_parameter;
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
                                       .stream = pl_bench_median(b->stream_times, count),
                                       .cpu = pl_bench_median(b->step_cpu, count),
                                       .stream_cpu = pl_bench_median(b->stream_cpu, count),
                                       .parameters = b->parameters};
    if (b->busy)
        time.ratio = pl_bench_median(b->ratios, (size_t)b->wish.rounds);
    return time;
}

/* Of Langevin methods: the inverse temperature. */
static const struct pl_setting *find_beta(const struct pl_optimizer_info *info)
{
    return pl_setting_find(info->settings, info->setting_count, "beta");
}

bool pl_bench_is_of_kind(const struct pl_optimizer_info *info, enum pl_bench_kind kind)
{
    struct pl_value value;
    const struct pl_setting *beta = find_beta(info);
    bool silent = !beta || !pl_setting_read(beta, ".inf", &value, NULL);
    return kind == PL_BENCH_MATRICES ? info->matrices : !info->matrices && (kind == PL_BENCH_NOISY ? !!beta : silent);
}

/* Of an optimizer's arenas in float. What else it has, working memory and tables, is as long in double. */
static int state_bytes(const struct pl_settings *settings, const struct pl_layout *layout, double *bytes,
                       struct pl_error *err)
{
    uint64_t single, twice;
    int status = pl_optim_bytes(settings, layout, PL_FLOAT32, &single, err);
    if (!status)
        status = pl_optim_bytes(settings, layout, PL_FLOAT64, &twice, err);
    if (!status)
        *bytes = (double)twice - (double)single;
    return status;
}

static int measure_on(struct pl_bench_steps *steps, const struct pl_layout *layout, struct pl_settings *settings,
                      const struct pl_optimizer_info *info, bool lenient, struct pl_bench_steps_time *time,
                      struct pl_error *err)
{
    struct pl_optim *optim = NULL;
    double state = 0;
    int status = 0;
    pl_settings_set_string(settings, "optimizer", info->name);
    for (size_t i = 0; i < steps->wish.given.count && !status; i++)
        status = read_setting(info, steps->wish.given.words[i], lenient, settings, err);
    if (!status)
        status = state_bytes(settings, layout, &state, err);
    if (!status)
        status = pl_optim_new(&optim, settings, layout, PL_FLOAT32, pl_random_stream(1, PL_STREAM_NOISE),
                              (int)steps->wish.threads, err);
    if (!status) {
        steps->parameters = 0;
        for (size_t i = 0; i < layout->count; i++)
            steps->parameters += (int64_t)layout->tensors[i].count;
        measure(steps, optim);
        *time = summarise(steps);
        time->bytes = STREAM_BYTES + 2 * round(state / (double)steps->parameters);
    }
    pl_optim_free(optim);
    pl_settings_release(settings);
    return status;
}

int pl_bench_steps_measure(struct pl_bench_steps *steps, const struct pl_optimizer_info *info, bool lenient,
                           struct pl_bench_steps_time *time, struct pl_error *err)
{
    struct pl_settings settings = {0};
    return measure_on(steps, &steps->layout, &settings, info, lenient, time, err);
}

int pl_bench_steps_measure_kind(struct pl_bench_steps *steps, const struct pl_optimizer_info *info,
                                enum pl_bench_kind kind, struct pl_bench_steps_time *time, struct pl_error *err)
{
    struct pl_settings settings = {0};
    if (kind == PL_BENCH_PLAIN && find_beta(info))
        pl_settings_set_real(&settings, "beta", INFINITY);
    return measure_on(steps, kind == PL_BENCH_MATRICES ? &steps->squares : &steps->layout, &settings, info, true, time,
                      err);
}

int pl_bench_steps_new(struct pl_bench_steps **steps, const struct pl_bench_steps_wish *wish, struct pl_error *err)
{
    struct pl_bench_steps *b = pl_new(sizeof *b);
    size_t n = (size_t)wish->parameters;
    b->wish = *wish;
    pl_layout_add(&b->layout, &n, 1);
    for (size_t i = 0; i < SQUARES && (!i || (i + 1) * SIDE * SIDE <= n); i++)
        pl_layout_add(&b->squares, (const size_t[]){SIDE, SIDE}, 2);
    b->step_times = pl_new((size_t)(wish->steps * wish->rounds) * sizeof(double));
    b->stream_times = pl_new((size_t)(wish->steps * wish->rounds) * sizeof(double));
    b->step_cpu = pl_new((size_t)(wish->steps * wish->rounds) * sizeof(double));
    b->stream_cpu = pl_new((size_t)(wish->steps * wish->rounds) * sizeof(double));
    b->ratios = pl_new((size_t)wish->rounds * sizeof(double));
    int status = wish->beside ? pl_bench_busy_new(&b->busy, (int)wish->beside, err) : 0;
    size_t length = b->layout.length > b->squares.length ? b->layout.length : b->squares.length;
    b->theta = pl_arena(length, sizeof(float));
    b->gradient = pl_arena(length, sizeof(float));
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
    pl_layout_release(&b->squares);
    free(b->theta);
    free(b->gradient);
    free(b->step_times);
    free(b->stream_times);
    free(b->step_cpu);
    free(b->stream_cpu);
    free(b->ratios);
    free(b);
}
