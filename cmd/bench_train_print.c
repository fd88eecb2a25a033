/* What `poula bench train` prints. Rates count two operations for a multiply-add, and three times the forward pass for
 * a whole step: backward, the gradient of the input and that of the weights cost as much each. (The first layer needs
 * no gradient of its input; this is counted nevertheless, as is usual.) */
#include "bench_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct numbers {
    double median[PL_PART_COUNT];    /* seconds */
    double least;                    /* the shortest step */
    double cpu;                      /* seconds that all threads computed */
    double examples, gflops, update; /* images or tokens a second, GFLOP/s, nanoseconds a parameter */
    double parameters;
};

static struct numbers summarise(struct pl_bench_training *b)
{
    struct numbers n = {.parameters = (double)pl_graph_parameter_count(b->graph)};
    for (int part = 0; part < PL_PART_COUNT; part++)
        n.median[part] = pl_bench_median(b->times[part], (size_t)(b->steps * b->rounds));
    n.cpu = pl_bench_median(b->cpu, (size_t)(b->steps * b->rounds));
    n.least = b->times[PL_PART_STEP][0]; /* pl_bench_median sorts */
    n.examples = b->examples / n.median[PL_PART_STEP];
    n.gflops = 6e-9 * (double)pl_graph_multiplications(b->graph) * n.examples;
    n.update = 1e9 * n.median[PL_PART_UPDATE] / n.parameters;
    return n;
}

/* What an operator did, per step. Operators without multiply-adds are bound by memory: the least that they can move is
 * to read what is as large as their output and to write it, and backwards one operand more. */
struct rates {
    double forward, backward;           /* seconds a step */
    double forward_rate, backward_rate; /* GFLOP/s, or GB/s */
    bool multiplies;
};

static struct rates rate(const struct pl_bench_training *b, const struct pl_plan_step *s)
{
    struct rates r = {.forward = s->forward_seconds / (double)b->steps,
                      .backward = s->backward_seconds / (double)b->steps,
                      .multiplies = s->multiplications > 0};
    double work = r.multiplies ? 2e-9 * (double)s->multiplications : 1e-9 * (double)s->bytes;
    r.forward_rate = r.forward > 0 ? (r.multiplies ? 1 : 2) * work / r.forward : 0;
    r.backward_rate = r.backward > 0 ? (r.multiplies ? 2 : 3) * work / r.backward : 0;
    return r;
}

/* The input is written before the step begins. */
static bool is_step(const struct pl_plan_step *s)
{
    return strcmp(s->operation, "input") != 0 && strcmp(s->operation, "tokens") != 0;
}

static void print_operator(const struct pl_bench_training *b, const struct pl_plan_step *s, int width)
{
    struct rates r = rate(b, s);
    double best = r.multiplies ? b->peak_gflops : b->bandwidth, spent = r.forward + r.backward;
    double reached = spent > 0 ? (r.forward * r.forward_rate + r.backward * r.backward_rate) / spent / best : 0;
    printf("%-*s  %-27s %9.2f %9.1f %9.2f %9.1f %5.0f%%", width, s->name ? s->name : "", s->operation, 1e3 * r.forward,
           r.forward_rate, 1e3 * r.backward, r.backward_rate, 100 * reached);
    if (*s->forward)
        printf("  %s/%s/%s", s->forward, s->backward_data, s->backward_weights);
    putchar('\n');
}

static void print_profile(const struct pl_bench_training *b)
{
    struct pl_text text = {0};
    struct pl_plan_step s;
    int width = 5;
    for (size_t i = 0; i < pl_plan_step_count(b->plan); i++) {
        pl_plan_step(b->plan, i, &s, &text);
        if (s.name && (int)strlen(s.name) > width)
            width = (int)strlen(s.name);
    }
    printf("\nmilliseconds a step; what multiplies matrices in GFLOP/s of %.1f, the others in GB/s of %.1f\n"
           "%-*s  %-27s %9s %9s %9s %9s %6s  %s\n",
           b->peak_gflops, b->bandwidth, width, "name", "operation", "forward", "rate", "backward", "rate", "limit",
           "algorithms: forward/data/weights");
    double forward = 0, backward = 0;
    for (size_t i = 0; i < pl_plan_step_count(b->plan); i++) {
        pl_plan_step(b->plan, i, &s, &text);
        if (!is_step(&s))
            continue;
        print_operator(b, &s, width);
        forward += s.forward_seconds / (double)b->steps;
        backward += s.backward_seconds / (double)b->steps;
    }
    printf("%-*s  %-27s %9.2f %9s %9.2f\n", width, "all", "", 1e3 * forward, "", 1e3 * backward);
    pl_text_release(&text);
}

/* Medians over the rounds; the ratio is that of each round's own speeds. */
struct load {
    double busy, busy_cpu, ratio, share;
    double fair; /* work that a thread did, as a part of what each of the others did in that time */
};

static struct load summarise_load(const struct pl_bench_training *b)
{
    const size_t rounds = (size_t)b->rounds;
    const double threads = fmin((double)b->threads, pl_host_cores());
    double *values = pl_new(4 * rounds * sizeof *values);
    for (size_t i = 0; i < rounds; i++) {
        values[i] = b->loads[i].busy;
        values[rounds + i] = b->loads[i].busy_cpu;
        values[2 * rounds + i] = b->loads[i].quiet / b->loads[i].busy;
        values[3 * rounds + i] = b->loads[i].quiet_cpu / threads / b->loads[i].others_cpu;
    }
    struct load load = {.busy = pl_bench_median(values, rounds),
                        .busy_cpu = pl_bench_median(values + rounds, rounds),
                        .ratio = pl_bench_median(values + 2 * rounds, rounds),
                        .fair = pl_bench_median(values + 3 * rounds, rounds),
                        .share = pl_bench_even_share((int)b->threads, (int)b->busy)};
    free(values);
    return load;
}

static void print_load(const struct pl_bench_training *b)
{
    const struct load load = summarise_load(b);
    printf("beside %-4lld %.1f a second, %.1f ms a step, %.1f ms of processor time\n", (long long)b->busy,
           b->examples / load.busy, 1e3 * load.busy, 1e3 * load.busy_cpu);
    printf("            %.3f of the quiet speed, median of %lld rounds in turns; an even share of %d core%s would be "
           "%.3f: "
           "%.2f of that\n",
           load.ratio, (long long)b->rounds, pl_host_cores(), pl_host_cores() == 1 ? "" : "s", load.share,
           load.ratio / load.share);
    printf("            a thread did %.2f of the work that each of the others could do meanwhile\n", load.fair);
}

static void print_text(const struct pl_bench_training *b, const struct numbers *n)
{
    const double *m = n->median, whole = m[PL_PART_STEP] / 100;
    printf("%s with %s, ", b->model->name, pl_settings_string(&b->settings, "optimizer", ""));
    if (b->model->text)
        printf("%lld columns of %lld tokens, %lld words", (long long)b->batch, (long long)b->bptt, (long long)b->words);
    else
        printf("batch %lld", (long long)b->batch);
    printf(" in float, precision %s, %lld thread%s, %s, median of %lld step%s\n", b->precision, (long long)b->threads,
           b->threads == 1 ? "" : "s", pl_isa_name(pl_host_isa()), (long long)(b->steps * b->rounds),
           b->steps * b->rounds == 1 ? "" : "s");
    printf("%-11s %.1f a second\n", b->model->text ? "tokens" : "images", n->examples);
    printf("step        %.1f ms, least %.1f (input %.1f%%, forward %.1f%%, backward %.1f%%, ", 1e3 * m[PL_PART_STEP],
           1e3 * n->least, m[PL_PART_INPUT] / whole, m[PL_PART_FORWARD] / whole, m[PL_PART_BACKWARD] / whole);
    if (b->model->text)
        printf("clipping %.1f%%, ", m[PL_PART_CLIP] / whole);
    printf("update %.1f%%)\n            %.1f ms of processor time\n", m[PL_PART_UPDATE] / whole, 1e3 * n->cpu);
    printf("arithmetic  %.1f GFLOP/s, %.0f%% of the %.1f that multiply-adds in registers reach here\n", n->gflops,
           100 * n->gflops / b->peak_gflops, b->peak_gflops);
    printf("update      %.2f ns for each of %.0f parameters\n", n->update, n->parameters);
    printf("memory      %.1f MB at the peak\n", b->peak_memory / 1e6);
    if (b->busy)
        print_load(b);
    if (!b->model->text && !strcmp(b->precision, "fast"))
        puts("Rates count a plain convolution's operations; Winograd's need fewer, so they may pass the peak.");
}

/* JSON has no infinities. */
static void add_number(struct pl_text *out, const char *key, double value)
{
    if (isfinite(value))
        pl_text_addf(out, ", \"%s\": %.6g", key, value);
    else
        pl_text_addf(out, ", \"%s\": null", key);
}

static void add_load(struct pl_text *out, const struct pl_bench_training *b)
{
    const struct load load = summarise_load(b);
    pl_text_addf(out, ", \"busy_processes\": %lld, \"rounds\": %lld, \"cores\": %d", (long long)b->busy,
                 (long long)b->rounds, pl_host_cores());
    add_number(out, b->model->text ? "busy_tokens_per_second" : "busy_images_per_second", b->examples / load.busy);
    add_number(out, "busy_step_seconds", load.busy);
    add_number(out, "busy_step_cpu_seconds", load.busy_cpu);
    add_number(out, "busy_ratio", load.ratio);
    add_number(out, "even_share", load.share);
    add_number(out, "fair", load.fair);
}

static void add_profile(struct pl_text *out, const struct pl_bench_training *b)
{
    struct pl_text text = {0};
    struct pl_plan_step s;
    bool any = false;
    add_number(out, "bandwidth", b->bandwidth);
    pl_text_add(out, ", \"operators\": [");
    for (size_t i = 0; i < pl_plan_step_count(b->plan); i++) {
        pl_plan_step(b->plan, i, &s, &text);
        if (!is_step(&s))
            continue;
        struct rates r = rate(b, &s);
        pl_text_add(out, any ? ",\n  {\"name\": " : "\n  {\"name\": ");
        any = true;
        pl_text_add_json(out, s.name ? s.name : "");
        pl_text_add(out, ", \"operation\": ");
        pl_text_add_json(out, s.operation);
        pl_text_addf(out, ", \"forward\": \"%s\", \"backward_data\": \"%s\", \"backward_weights\": \"%s\"", s.forward,
                     s.backward_data, s.backward_weights);
        add_number(out, "forward_seconds", r.forward);
        add_number(out, "backward_seconds", r.backward);
        add_number(out, r.multiplies ? "forward_gflops" : "forward_gb_per_second", r.forward_rate);
        add_number(out, r.multiplies ? "backward_gflops" : "backward_gb_per_second", r.backward_rate);
        pl_text_add(out, "}");
    }
    pl_text_add(out, "\n]");
    pl_text_release(&text);
}

static void print_json(const struct pl_bench_training *b, const struct numbers *n)
{
    struct pl_text out = {0};
    pl_text_addf(&out, "{\"model\": \"%s\", \"optimizer\": \"%s\", \"precision\": \"%s\", \"isa\": \"%s\"",
                 b->model->name, pl_settings_string(&b->settings, "optimizer", ""), b->precision,
                 pl_isa_name(pl_host_isa()));
    pl_text_addf(&out, ", \"batch\": %lld, ", (long long)b->batch);
    if (b->model->text)
        pl_text_addf(&out, "\"bptt\": %lld, \"words\": %lld, \"layers\": %lld, ", (long long)b->bptt,
                     (long long)b->words, (long long)pl_settings_integer(&b->settings, "nlayers", 1));
    pl_text_addf(&out, "\"threads\": %lld, \"steps\": %lld, \"parameters\": %.0f", (long long)b->threads,
                 (long long)b->steps, n->parameters);
    add_number(&out, b->model->text ? "tokens_per_second" : "images_per_second", n->examples);
    add_number(&out, "gflops", n->gflops);
    pl_text_addf(&out, ", \"gflops_are\": \"2 x 3 x multiply-adds of %s's forward pass x %s_per_second\"",
                 b->model->text ? "a token" : "an image", b->model->text ? "tokens" : "images");
    add_number(&out, "peak_gflops", b->peak_gflops);
    add_number(&out, "optimizer_ns_per_parameter", n->update);
    add_number(&out, "peak_memory_mb", b->peak_memory / 1e6);
    add_number(&out, "step_seconds", n->median[PL_PART_STEP]);
    add_number(&out, "step_seconds_least", n->least);
    add_number(&out, "step_cpu_seconds", n->cpu);
    add_number(&out, "input_seconds", n->median[PL_PART_INPUT]);
    add_number(&out, "forward_seconds", n->median[PL_PART_FORWARD]);
    add_number(&out, "backward_seconds", n->median[PL_PART_BACKWARD]);
    if (b->model->text)
        add_number(&out, "clipping_seconds", n->median[PL_PART_CLIP]);
    add_number(&out, "optimizer_seconds", n->median[PL_PART_UPDATE]);
    add_number(&out, "loss", b->loss);
    if (b->busy)
        add_load(&out, b);
    if (b->profile)
        add_profile(&out, b);
    printf("%s}\n", pl_text(&out));
    pl_text_release(&out);
}

void pl_bench_training_print(struct pl_bench_training *b, bool json)
{
    struct numbers n = summarise(b);
    if (json) {
        print_json(b, &n);
        return;
    }
    print_text(b, &n);
    if (b->profile)
        print_profile(b);
}
