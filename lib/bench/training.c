/* The measurement of training steps. */
#include "bench/training.h"

#include "bench/bench_priv.h"
#include "device/cpu/kernels/kernels.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WARM_UP = 1 };
static const double LONGEST = 0.01; /* a text's gradient is clipped to this norm: every one is longer, and is scaled */
enum { STREAMED = 1 << 24 };        /* floats copied to measure the bandwidth: more than any cache holds */

/* ---- settings ---- */

static int read_setting(struct pl_bench_training *b, const char *given, struct pl_error *err)
{
    const struct pl_model *model = b->model;
    const struct pl_optimizer_info *info = b->optimizer;
    const char *spelling;
    char *key;
    int status = pl_bench_split(given, &key, &spelling, err);
    if (status)
        return status;
    size_t count;
    const struct pl_setting *common = pl_optim_common_settings(&count);
    const struct pl_setting *setting = pl_setting_find(model->settings, model->setting_count, key);
    if (!setting)
        setting = pl_setting_find(info->settings, info->setting_count, key);
    if (!setting)
        setting = pl_setting_find(common, count, key);
    struct pl_value value;
    status = setting ? pl_setting_read(setting, spelling, &value, err)
                     : pl_fail(err, PL_EINPUT, "neither model %s nor optimizer %s has a setting %.100s", model->name,
                               info->name, key);
    if (!status)
        pl_settings_set(&b->settings, setting->key, value);
    free(key);
    return status;
}

/* The paper's settings for Penn Treebank (with the defaults, which suit images, the gates are soon all open or closed,
 * and numbers below the normal range, which take a processor long, would be what is measured), and three layers for
 * the network that has none of its own: of the size that most studies have. */
static int preset(struct pl_bench_training *b, struct pl_error *err)
{
    static const char *const text[] = {"lambda=30", "epsilon=100", "beta=1e10"};
    static const char small[] = "layers=[\"conv 16\", \"batchnorm\", \"relu\", \"maxpool 2\", \"conv 32\", "
                                "\"batchnorm\", \"relu\", \"maxpool 2\", "
                                "\"linear classes\"]";
    int status = 0;
    for (size_t i = 0; i < sizeof text / sizeof *text && !status; i++)
        if (b->model->text && !strcmp(b->optimizer->name, "theopoula"))
            status = read_setting(b, text[i], err);
    return status || strcmp(b->model->name, "layers") ? status : read_setting(b, small, err);
}

static int read_layers(struct pl_bench_training *b, struct pl_error *err)
{
    const struct pl_setting *setting = pl_setting_find(b->model->settings, b->model->setting_count, "nlayers");
    struct pl_value value;
    if (!b->layers)
        return 0;
    if (!setting)
        return pl_fail(err, PL_EINPUT, "--layers is for models of text; %s has no setting nlayers", b->model->name);
    int status = pl_setting_read(setting, b->layers, &value, err);
    if (!status)
        pl_settings_set(&b->settings, "nlayers", value);
    return status;
}

static int read_settings(struct pl_bench_training *b, struct pl_error *err)
{
    const struct pl_model *model = b->model;
    int status = preset(b, err);
    if (!status)
        status = read_layers(b, err);
    for (size_t i = 0; !status && i < b->given.count; i++)
        status = read_setting(b, b->given.words[i], err);
    if (status)
        return status;
    for (size_t i = 0; i < model->setting_count; i++)
        if (!model->settings[i].initial && !pl_settings_find(&b->settings, model->settings[i].key))
            return pl_fail(err, PL_EINPUT, "model %s needs --set '%s=...'", model->name, model->settings[i].key);
    pl_settings_fill(&b->settings, model->settings, model->setting_count);
    pl_settings_set_string(&b->settings, "model", model->name);
    pl_settings_set_string(&b->settings, "optimizer", b->optimizer->name);
    return 0;
}

/* ---- what a step needs ---- */

/* A benchmark that swaps, or is killed, measures nothing. */
static int check_memory(const struct pl_bench_training *b, struct pl_error *err)
{
    size_t needed = b->model->text
                        ? pl_plan_estimate_sequence(b->graph, b->device, (int)b->batch, (int)b->bptt, PL_TRAINING)
                        : pl_plan_estimate(b->graph, b->device, (int)b->batch, PL_TRAINING);
    if (needed > pl_host_memory_free())
        return pl_fail(err, PL_EMEMORY, "a step of %.0f %s needs %.1f GB, and %.1f GB are free", b->examples,
                       b->model->text ? "tokens" : "images", (double)needed / 1e9, (double)pl_host_memory_free() / 1e9);
    return 0;
}

static int make_net(struct pl_bench_training *b, struct pl_error *err)
{
    struct pl_device_options options = {.threads = (int)b->threads, .exact = !strcmp(b->precision, "exact")};
    const struct pl_shape none = {0}, image = {PL_BENCH_CHANNELS, PL_BENCH_SIDE, PL_BENCH_SIDE};
    const int classes = b->model->text ? (int)b->words : PL_BENCH_CLASSES;
    int logits;
    int status = pl_model_build(&b->graph, &b->settings, b->model->text ? none : image, classes, &logits, err);
    if (status)
        return status;
    pl_graph_cross_entropy(b->graph, logits, 0);
    status = pl_graph_check(b->graph, err);
    if (!status)
        status = pl_device_open(&b->device, "cpu", &options, err);
    if (!status)
        status = check_memory(b, err);
    if (!status)
        status = pl_net_new(&b->net, b->graph, b->device, err);
    if (status)
        return status;
    pl_net_initialise(b->net, pl_random_stream(1, PL_STREAM_INIT));
    pl_net_dropout(b->net, pl_random_stream(1, PL_STREAM_DROPOUT));
    return b->model->text ? pl_plan_new_sequence(&b->plan, b->net, (int)b->batch, (int)b->bptt, PL_TRAINING, err)
                          : pl_plan_new(&b->plan, b->net, (int)b->batch, PL_TRAINING, err);
}

static int make_optimizer(struct pl_bench_training *b, struct pl_error *err)
{
    size_t count;
    const struct pl_parameter *parameters = pl_graph_parameters(b->graph, &count);
    for (size_t i = 0; i < count; i++)
        pl_layout_add(&b->layout, parameters[i].shape, parameters[i].dims);
    assert(b->layout.length == pl_net_length(b->net, PL_PARAMETERS));
    return pl_optim_new(&b->optim, &b->settings, &b->layout, PL_FLOAT32, pl_random_stream(1, PL_STREAM_NOISE),
                        (int)b->threads, err);
}

/* ---- measuring ---- */

/* One step; clock receives its beginning and the end of each part. */
static void step(struct pl_bench_training *b, uint64_t number, double clock[PL_PART_STEP + 1])
{
    clock[0] = pl_clock_steady();
    pl_bench_training_give(b);
    clock[1] = pl_clock_steady();
    pl_plan_forward(b->plan, number);
    b->loss = pl_plan_loss(b->plan, NULL);
    clock[2] = pl_clock_steady();
    pl_plan_backward(b->plan);
    clock[3] = pl_clock_steady();
    void *gradient = pl_net_lend(b->net, PL_GRADIENTS, PL_LEND_SPEND);
    void *theta = pl_net_lend(b->net, PL_PARAMETERS, PL_LEND_CHANGE);
    if (b->model->text)
        pl_arena_clip(gradient, PL_FLOAT32, b->layout.length, LONGEST, (int)b->threads);
    clock[4] = pl_clock_steady();
    pl_optim_step(b->optim, theta, gradient, NULL);
    pl_net_take_back(b->net, PL_PARAMETERS, PL_LEND_CHANGE, theta);
    pl_net_take_back(b->net, PL_GRADIENTS, PL_LEND_SPEND, gradient);
    clock[5] = pl_clock_steady();
}

/* Seconds that the threads of this process computed. Unlike the time that passed they hardly depend on what else runs
 * on the machine, but waiting for one another in a loop counts as well. */
/* The most that this process had in memory: VmHWM, since the kernel's other count survives an exec. */
static double peak_memory(void)
{
    char line[256];
    unsigned long long kibibytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    if (!status)
        return NAN;
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %llu kB", &kibibytes) == 1)
            break;
    fclose(status);
    return kibibytes ? 1024 * (double)kibibytes : NAN;
}

static const struct pl_cpu_kernels *kernels(void)
{
    enum pl_isa isa = pl_host_isa();
    while (isa > PL_ISA_BASE && !pl_cpu_kernels(isa))
        isa--;
    return pl_cpu_kernels(isa);
}

static void measure_bandwidth(struct pl_bench_training *b)
{
    float *buffer = pl_arena(STREAMED, sizeof *buffer);
    b->bandwidth = buffer ? kernels()->bandwidth(buffer, STREAMED, (int)b->threads) : NAN;
    free(buffer);
}

static void measure_step(struct pl_bench_training *b, int64_t i)
{
    double clock[PL_PART_STEP + 1], begun = pl_bench_cpu();
    step(b, WARM_UP + (uint64_t)i, clock);
    b->cpu[i] = pl_bench_cpu() - begun;
    for (int part = 0; part < PL_PART_STEP; part++)
        b->times[part][i] = clock[part + 1] - clock[part];
    b->times[PL_PART_STEP][i] = clock[PL_PART_STEP] - clock[0];
}

static void step_beside(void *self)
{
    double clock[PL_PART_STEP + 1];
    step(self, WARM_UP, clock);
}

/* A round beside other processes. Its busy steps are not among those of the parts. */
static void measure_round(struct pl_bench_training *b, struct pl_bench_busy *busy, int64_t round)
{
    struct pl_bench_load *load = &b->loads[round];
    double *times = pl_new((size_t)b->steps * sizeof *times), *cpu = pl_new((size_t)b->steps * sizeof *cpu);
    for (int64_t i = 0; i < b->steps; i++) {
        const int64_t at = round * b->steps + i;
        measure_step(b, at);
        times[i] = b->times[PL_PART_STEP][at];
        cpu[i] = b->cpu[at];
    }
    load->quiet = pl_bench_median(times, (size_t)b->steps);
    load->quiet_cpu = pl_bench_median(cpu, (size_t)b->steps);
    const struct pl_bench_beside beside = pl_bench_beside(busy, b->steps, step_beside, b);
    load->busy = beside.wall;
    load->busy_cpu = beside.cpu;
    load->others_cpu = beside.others_cpu;
    free(times);
    free(cpu);
}

static void measure(struct pl_bench_training *b, struct pl_bench_busy *busy)
{
    double clock[PL_PART_STEP + 1];
    for (uint64_t i = 0; i < WARM_UP; i++) /* the first touch of the memory is not a step's business */
        step(b, i, clock);
    if (b->profile)
        pl_plan_profile(b->plan, true);
    b->peak_gflops = kernels()->peak(0.1, (int)b->threads);
    for (int64_t i = 0; i < b->steps && !busy; i++)
        measure_step(b, i);
    for (int64_t round = 0; round < b->rounds && busy; round++)
        measure_round(b, busy, round);
    b->peak_memory = peak_memory();
    b->peak_gflops = fmax(b->peak_gflops, kernels()->peak(0.1, (int)b->threads));
    if (b->profile)
        measure_bandwidth(b);
}

void pl_bench_training_release(struct pl_bench_training *b)
{
    for (int part = 0; part < PL_PART_COUNT; part++)
        free(b->times[part]);
    free(b->cpu);
    free(b->loads);
    pl_optim_free(b->optim);
    pl_layout_release(&b->layout);
    pl_plan_free(b->plan);
    pl_net_free(b->net);
    pl_device_close(b->device);
    pl_graph_free(b->graph);
    pl_settings_release(&b->settings);
    pl_bench_training_data_release(b);
}

int pl_bench_training_run(struct pl_bench_training *b, struct pl_error *err)
{
    const size_t steps = (size_t)(b->steps * b->rounds);
    struct pl_bench_busy *busy = NULL;
    b->examples = (double)b->batch * (double)(b->model->text ? b->bptt : 1);
    for (int part = 0; part < PL_PART_COUNT; part++)
        b->times[part] = pl_new(steps * sizeof(double));
    b->cpu = pl_new(steps * sizeof(double));
    b->loads = pl_new((size_t)b->rounds * sizeof *b->loads);
    int status = read_settings(b, err);
    if (!status && b->busy)
        status = pl_bench_busy_new(&busy, (int)b->busy, err);
    if (!status)
        status = make_net(b, err);
    if (!status)
        status = make_optimizer(b, err);
    if (!status)
        status = pl_bench_training_data(b, err);
    if (!status)
        measure(b, busy);
    pl_bench_busy_free(busy);
    return status;
}
