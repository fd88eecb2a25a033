/* Rates of the cpu kernels on the layers of VGG11, ResNet34 and DenseNet121, against what the machine gives.
 *   bench-kernels [-i ISA] [-t THREADS] [-n BATCH] [-s SECONDS] [-a ALGORITHM] [-m MODEL] [-x] [-c]
 * -s is the time for each number (default 0.2), -a and -x (exact) choose the algorithm, -m one model of the
 * list below; -c counts the process's CPU time instead of the wall clock, for one thread on a busy machine.
 * Every number is the median of the calls that fit in the time; GFLOP/s counts two operations for
 * each product of the convolution as defined, padding included, so that algorithms compare. */
#include "base/base.h"
#include "device/cpu/kernels/kernels.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct layer {
    const char *model;
    int in, out, size, kernel, stride, count; /* size of the input image; so many layers are like this one */
};

/* DenseNet's 1x1 convolutions differ in their inputs: one with the mean number stands for those of a block. */
static const struct layer layers[] = {
    {"vgg11", 3, 64, 32, 3, 1, 1},           {"vgg11", 64, 128, 16, 3, 1, 1},
    {"vgg11", 128, 256, 8, 3, 1, 1},         {"vgg11", 256, 256, 8, 3, 1, 1},
    {"vgg11", 256, 512, 4, 3, 1, 1},         {"vgg11", 512, 512, 4, 3, 1, 1},
    {"vgg11", 512, 512, 2, 3, 1, 2},         {"vgg11", 512, 512, 1, 1, 1, 2},
    {"resnet34", 3, 64, 32, 3, 1, 1},        {"resnet34", 64, 64, 32, 3, 1, 6},
    {"resnet34", 64, 128, 32, 3, 2, 1},      {"resnet34", 64, 128, 32, 1, 2, 1},
    {"resnet34", 128, 128, 16, 3, 1, 7},     {"resnet34", 128, 256, 16, 3, 2, 1},
    {"resnet34", 128, 256, 16, 1, 2, 1},     {"resnet34", 256, 256, 8, 3, 1, 11},
    {"resnet34", 256, 512, 8, 3, 2, 1},      {"resnet34", 256, 512, 8, 1, 2, 1},
    {"resnet34", 512, 512, 4, 3, 1, 5},      {"densenet121", 3, 64, 32, 3, 1, 1},
    {"densenet121", 144, 128, 32, 1, 1, 6},  {"densenet121", 128, 32, 32, 3, 1, 6},
    {"densenet121", 304, 128, 16, 1, 1, 12}, {"densenet121", 128, 32, 16, 3, 1, 12},
    {"densenet121", 624, 128, 8, 1, 1, 24},  {"densenet121", 128, 32, 8, 3, 1, 24},
    {"densenet121", 752, 128, 4, 1, 1, 16},  {"densenet121", 128, 32, 4, 3, 1, 16},
    {"densenet121", 256, 128, 16, 1, 1, 1},  {"densenet121", 512, 256, 8, 1, 1, 1},
    {"densenet121", 1024, 512, 4, 1, 1, 1},
};
enum { LAYERS = sizeof layers / sizeof *layers };

struct options {
    enum pl_isa isa;
    int threads, batch;
    double seconds, peak, bandwidth;
    int algorithm; /* -1: chosen */
    bool exact;
    const char *model;
};

/* Buffers that hold the largest of everything. */
struct buffers {
    float *x, *y, *weights, *operand, *work;
    size_t xs; /* floats of x */
};

static float *floats(size_t count)
{
    float *list = pl_arena(count, sizeof *list);
    if (!list) {
        fprintf(stderr, "bench-kernels: no memory for %zu floats\n", count);
        exit(1);
    }
    for (size_t i = 0; i < count; i++) /* first touch, and numbers of both signs */
        list[i] = (float)((i * 2654435761u >> 16) % 2001) * 1e-3f - 1;
    return list;
}

static struct pl_cpu_conv conv_of(const struct layer *l, int batch)
{
    const struct pl_cpu_shape x = pl_cpu_shape(batch, l->in, l->size, l->size);
    const int kernel[2] = {l->kernel, l->kernel}, stride[2] = {l->stride, l->stride};
    const int pad[2] = {l->kernel / 2, l->kernel / 2};
    return pl_cpu_conv(&x, l->out, kernel, stride, pad);
}

static enum pl_cpu_algorithm algorithm_of(const struct options *o, const struct pl_cpu_conv *conv,
                                          enum pl_cpu_pass pass)
{
    if (o->algorithm >= 0 && pl_cpu_conv_can(conv, pass, (enum pl_cpu_algorithm)o->algorithm))
        return (enum pl_cpu_algorithm)o->algorithm;
    return pl_cpu_conv_choose(conv, pass, o->exact);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static struct buffers allocate(const struct options *o)
{
    size_t x = 0, weights = 0, operand = 0, work = 0;
    for (int i = 0; i < LAYERS; i++) {
        const struct pl_cpu_conv conv = conv_of(&layers[i], o->batch);
        x = larger(x, larger(pl_cpu_floats(&conv.x), pl_cpu_floats(&conv.y)));
        weights = larger(weights, (size_t)layers[i].in * (size_t)layers[i].out * 9);
        for (enum pl_cpu_pass pass = 0; pass < PL_CPU_PASSES; pass++) {
            const enum pl_cpu_algorithm a = algorithm_of(o, &conv, pass);
            operand = larger(operand, pl_cpu_conv_operand(&conv, pass, a));
            work = larger(work, pl_cpu_conv_workspace(&conv, pass, a, o->threads));
        }
        work = larger(work, pl_cpu_norm_workspace(&conv.y));
    }
    return (struct buffers){floats(x), floats(x), floats(weights), floats(operand), floats(work), x};
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One thing to time. */
struct job {
    const struct pl_cpu_kernels *kernels;
    const struct buffers *b;
    struct pl_cpu_conv conv;
    enum pl_cpu_pass pass;
    enum pl_cpu_algorithm algorithm;
    int threads;
    void (*run)(const struct job *job);
};

static clockid_t clock_used = CLOCK_MONOTONIC;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(clock_used, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Median seconds of a call. */
static double median(const struct job *job, double seconds)
{
    enum { CALLS = 1000 };
    static double times[CALLS];
    int calls = 0;
    job->run(job);
    for (double total = 0; calls < CALLS && (calls < 3 || total < seconds); calls++) {
        const double begin = seconds_now();
        job->run(job);
        times[calls] = seconds_now() - begin;
        total += times[calls];
    }
    qsort(times, (size_t)calls, sizeof *times, by_value);
    return times[calls / 2];
}

static void run_pass(const struct job *j)
{
    const struct buffers *b = j->b;
    if (j->pass == PL_CPU_FORWARD)
        j->kernels->conv_forward(&j->conv, j->algorithm, b->x, b->operand, NULL, b->y, b->work, j->threads);
    else if (j->pass == PL_CPU_BACKWARD_DATA)
        j->kernels->conv_backward_data(&j->conv, j->algorithm, b->y, b->operand, false, b->x, b->work, j->threads);
    else
        j->kernels->conv_backward_weights(&j->conv, j->algorithm, b->x, b->y, b->weights, b->work, j->threads);
}

static void run_prepare(const struct job *j)
{
    j->kernels->conv_prepare(&j->conv, j->pass, j->algorithm, j->b->weights, j->b->operand, j->threads);
}

/* Prints one layer's passes; adds to the model's total seconds. */
static void bench_layer(const struct options *o, const struct buffers *b, const struct layer *l, double *total,
                        double *products)
{
    struct job job = {.kernels = pl_cpu_kernels(o->isa), .b = b, .conv = conv_of(l, o->batch), .threads = o->threads};
    const double gflop = 2e-9 * o->batch * job.conv.y.height * job.conv.y.width * l->in * l->out * l->kernel *
                         l->kernel;
    printf("%-11s %4d %4d %2d %dx%d/%d x%-2d", l->model, l->in, l->out, l->size, l->kernel, l->kernel, l->stride,
           l->count);
    for (job.pass = 0; job.pass < PL_CPU_PASSES; job.pass++) {
        if (l->in == 3 && job.pass == PL_CPU_BACKWARD_DATA) {
            printf(" |%38s", "");
            continue;
        }
        double prepare = 0;
        job.algorithm = algorithm_of(o, &job.conv, job.pass);
        if (job.pass != PL_CPU_BACKWARD_WEIGHTS) {
            job.run = run_prepare;
            prepare = median(&job, o->seconds / 4);
        }
        job.run = run_pass;
        const double time = median(&job, o->seconds);
        printf(" | %-9s %6.2f ms %4.0f GF %4.2f %5.2f", pl_cpu_algorithm_name(job.algorithm), 1e3 * time, gflop / time,
               gflop / time / o->peak, 1e3 * prepare);
        fflush(stdout);
        *total += l->count * (time + prepare);
        *products += l->count * gflop;
    }
    printf("\n");
}

static void run_statistics(const struct job *j)
{
    static double mean[1024], variance[1024];
    j->kernels->norm_statistics(&j->conv.y, j->b->y, mean, variance, j->b->work, j->threads);
}

static float gamma_beta[1024];
static double mean_variance[1024];

static struct pl_cpu_norm norm(void)
{
    for (int c = 0; c < 1024; c++)
        mean_variance[c] = gamma_beta[c] = 1;
    return (struct pl_cpu_norm){mean_variance, mean_variance, gamma_beta, gamma_beta, 1e-5, true};
}

static void run_norm_forward(const struct job *j)
{
    const struct pl_cpu_norm n = norm();
    j->kernels->norm_forward(&j->conv.y, &n, j->b->y, NULL, j->b->x, j->threads);
}

static void run_norm_backward(const struct job *j)
{
    static float dgamma[1024], dbeta[1024];
    const struct pl_cpu_norm n = norm();
    j->kernels->norm_backward(&j->conv.y, &n, j->b->y, NULL, j->b->x, false, j->b->x, NULL, dgamma, dbeta, j->b->work,
                              j->threads);
}

/* Batch norm on a layer's output: bytes that must be moved if nothing stays in a cache. */
static void bench_norm(const struct options *o, const struct buffers *b, int channels, int size)
{
    static const struct {
        const char *name;
        int passes;
        void (*run)(const struct job *);
    } parts[] = {
        {"statistics", 1, run_statistics}, {"forward", 2, run_norm_forward}, {"backward", 5, run_norm_backward}};
    const struct layer l = {"", channels, channels, size, 1, 1, 1};
    struct job job = {.kernels = pl_cpu_kernels(o->isa), .b = b, .conv = conv_of(&l, o->batch), .threads = o->threads};
    const double bytes = 4e-9 * o->batch * pl_cpu_blocks(channels) * 16 * size * size;
    printf("batch norm  %4d channels %2d x %-2d", channels, size, size);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        job.run = parts[i].run;
        const double time = median(&job, o->seconds);
        printf(" | %-10s %6.2f ms %5.1f GB/s", parts[i].name, 1e3 * time, parts[i].passes * bytes / time);
    }
    printf("\n");
}

static int usage(void)
{
    fprintf(stderr, "usage: bench-kernels [-i ISA] [-t THREADS] [-n BATCH] [-s SECONDS] [-a ALGORITHM] [-m MODEL] "
                    "[-x] [-c]\n");
    return 2;
}

static int read_options(int argc, char **argv, struct options *o)
{
    for (int letter; (letter = getopt(argc, argv, "i:t:n:s:a:m:xc")) != -1;) {
        int found = letter != 'i' && letter != 'a';
        for (int i = 0; letter == 'i' && i < PL_ISA_COUNT; i++)
            if (!strcmp(optarg, pl_isa_name((enum pl_isa)i)) && pl_cpu_kernels((enum pl_isa)i)) {
                o->isa = (enum pl_isa)i;
                found = 1;
            }
        for (int i = 0; letter == 'a' && i < PL_CPU_ALGORITHMS; i++)
            if (!strcmp(optarg, pl_cpu_algorithm_name((enum pl_cpu_algorithm)i))) {
                o->algorithm = i;
                found = 1;
            }
        if (letter == 't')
            o->threads = atoi(optarg);
        else if (letter == 'n')
            o->batch = atoi(optarg);
        else if (letter == 's')
            o->seconds = atof(optarg);
        else if (letter == 'm')
            o->model = optarg;
        else if (letter == 'x')
            o->exact = true;
        else if (letter == 'c')
            clock_used = CLOCK_PROCESS_CPUTIME_ID;
        if (!found || letter == '?')
            return usage();
    }
    return optind < argc || o->threads < 1 || o->batch < 1 ? usage() : 0;
}

int main(int argc, char **argv)
{
    struct options o = {
        .isa = pl_host_isa(), .threads = pl_host_cores(), .batch = 128, .seconds = 0.2, .algorithm = -1};
    if (read_options(argc, argv, &o))
        return 2;
    const struct pl_cpu_kernels *kernels = pl_cpu_kernels(o.isa);
    struct buffers b = allocate(&o);
    o.peak = kernels->peak(0.3, o.threads);
    o.bandwidth = kernels->bandwidth(b.x, b.xs, o.threads);
    printf("%s, %d threads, batch %d: %.0f GFLOP/s of multiply-adds, copying %.1f GB/s\n", pl_isa_name(o.isa),
           o.threads, o.batch, o.peak, o.bandwidth);
    printf(
        "model, in, out, image, kernel/stride, layers | forward | backward data | backward weights; each: algorithm, "
        "time, nominal rate, part of the peak, ms to prepare the weights\n");
    double total = 0, products = 0;
    for (int i = 0; i < LAYERS; i++) {
        if (!o.model || !strcmp(o.model, layers[i].model))
            bench_layer(&o, &b, &layers[i], &total, &products);
        if (total > 0 && (i + 1 == LAYERS || strcmp(layers[i].model, layers[i + 1].model))) {
            printf("%-11s convolutions of a step: %.1f ms, %.0f GFLOP/s (%.2f of the peak), %.1f images/s\n",
                   layers[i].model, 1e3 * total, products / total, products / total / o.peak, o.batch / total);
            total = products = 0;
        }
    }
    if (!o.model) {
        bench_norm(&o, &b, 64, 32);
        bench_norm(&o, &b, 128, 16);
        bench_norm(&o, &b, 256, 8);
        bench_norm(&o, &b, 512, 4);
    }
    return 0;
}
