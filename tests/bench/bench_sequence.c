/* Times the engine on AWD-LSTM at its published sizes: words a second of forward and backward pass together, and where
 * the time goes. The optimizer is not part of it. Of one thread the seconds it computed are counted, which other
 * programs disturb least; of several those that passed.
 *
 *   bench-sequence [LAYERS] [THREADS] [REPEATS] [COLUMNS] [STEPS]      3 1 5 20 70 */
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WORDS = 10000 };

static clockid_t clock_used = CLOCK_MONOTONIC;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(clock_used, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct bench {
    int layers, threads, repeats, columns, steps;
    struct pl_graph *graph;
    struct pl_device *device;
    struct pl_net *net;
    struct pl_plan *plan;
};

static int prepare(struct bench *b, struct pl_error *err)
{
    struct pl_settings s = {0};
    int logits;
    pl_settings_set_string(&s, "model", "awd_lstm");
    pl_settings_set_integer(&s, "nlayers", b->layers);
    int status = pl_model_build(&b->graph, &s, (struct pl_shape){0, 0, 0}, WORDS, &logits, err);
    pl_settings_release(&s);
    if (status)
        return status;
    pl_graph_cross_entropy(b->graph, logits, 0);
    struct pl_device_options options = {.threads = b->threads};
    status = pl_device_open(&b->device, "cpu", &options, err);
    if (!status)
        status = pl_net_new(&b->net, b->graph, b->device, err);
    if (status)
        return status;
    pl_net_initialise(b->net, pl_random_stream(1, PL_STREAM_INIT));
    pl_net_dropout(b->net, pl_random_stream(1, PL_STREAM_DROPOUT));
    return pl_plan_new_sequence(&b->plan, b->net, b->columns, b->steps, PL_TRAINING, err);
}

static void run(struct bench *b, const int32_t *tokens, uint64_t step, double seconds[2])
{
    double begin = seconds_now();
    pl_plan_tokens(b->plan, tokens);
    pl_plan_labels(b->plan, tokens + b->columns);
    pl_plan_forward(b->plan, step);
    seconds[0] = seconds_now() - begin;
    pl_plan_backward(b->plan);
    seconds[1] = seconds_now() - begin - seconds[0];
}

static void print_operators(const struct bench *b)
{
    struct pl_text text = {0};
    printf("%-12s %-20s %11s %7s %11s %7s\n", "", "operation", "forward ms", "GF/s", "backward ms", "GF/s");
    for (size_t i = 0; i < pl_plan_step_count(b->plan); i++) {
        struct pl_plan_step s;
        pl_plan_step(b->plan, i, &s, &text);
        double work = 2e-9 * (double)s.multiplications;
        double forward = s.forward_seconds / b->repeats, backward = s.backward_seconds / b->repeats;
        printf("%-12s %-20s %11.2f %7.1f %11.2f %7.1f\n", s.name, s.operation, 1e3 * forward,
               work > 0 ? work / forward : 0, 1e3 * backward, work > 0 ? 2 * work / backward : 0);
    }
    pl_text_release(&text);
}

static void measure(struct bench *b)
{
    size_t count = (size_t)b->columns * ((size_t)b->steps + 1);
    int32_t *tokens = pl_new(count * sizeof *tokens);
    double *total = pl_new((size_t)b->repeats * sizeof *total), parts[2], sums[2] = {0};
    struct pl_random r = pl_random_stream(1, PL_STREAM_DATA);
    for (size_t i = 0; i < count; i++)
        tokens[i] = (int32_t)pl_random_below(&r, 0, i, WORDS);
    run(b, tokens, 0, parts);
    pl_plan_profile(b->plan, true);
    for (int i = 0; i < b->repeats; i++) {
        run(b, tokens, 1 + (uint64_t)i, parts);
        total[i] = parts[0] + parts[1];
        sums[0] += parts[0] / b->repeats;
        sums[1] += parts[1] / b->repeats;
    }
    qsort(total, (size_t)b->repeats, sizeof *total, by_value);
    double words = (double)b->columns * b->steps, median = total[b->repeats / 2];
    double work = 6e-9 * (double)pl_graph_multiplications(b->graph) * words;
    print_operators(b);
    printf("%d layers, %d threads, %d columns of %d steps: %.0f words/s (most %.0f), %.1f GFLOP/s, forward %.0f ms, "
           "backward %.0f ms, plan %.0f MB, loss %.6f\n",
           b->layers, b->threads, b->columns, b->steps, words / median, words / total[0], work / median, 1e3 * sums[0],
           1e3 * sums[1], (double)pl_plan_memory(b->plan) / 1e6, pl_plan_loss(b->plan, NULL));
    free(tokens);
    free(total);
}

static int argument(int argc, char **argv, int index, int otherwise)
{
    int value = argc > index ? atoi(argv[index]) : otherwise;
    if (value >= 1)
        return value;
    fprintf(stderr, "usage: bench-sequence [LAYERS] [THREADS] [REPEATS] [COLUMNS] [STEPS]\n");
    exit(2);
}

int main(int argc, char **argv)
{
    struct bench b = {.layers = argument(argc, argv, 1, 3),
                      .threads = argument(argc, argv, 2, 1),
                      .repeats = argument(argc, argv, 3, 5),
                      .columns = argument(argc, argv, 4, 20),
                      .steps = argument(argc, argv, 5, 70)};
    struct pl_error err;
    clock_used = b.threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    int status = prepare(&b, &err);
    if (status)
        fprintf(stderr, "bench-sequence: %s\n", err.text);
    else
        measure(&b);
    pl_plan_free(b.plan);
    pl_net_free(b.net);
    pl_device_close(b.device);
    pl_graph_free(b.graph);
    return status ? 1 : 0;
}
