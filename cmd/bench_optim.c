/* poula bench optim: the time of optimizer steps, beside what the machine's memory allows. */
#include "bench_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *title;
} kinds[PL_BENCH_KINDS] = {
    [PL_BENCH_PLAIN] = {"plain", "Element by element, without noise (beta = inf where there is one)"},
    [PL_BENCH_NOISY] = {"noisy", "With noise"},
    [PL_BENCH_MATRICES] = {"matrices", "Tensors as matrices of 256 x 256"}};

struct printing {
    const struct pl_bench_steps_wish *wish;
    bool json, any;
    enum pl_bench_kind kind; /* PL_BENCH_KINDS: one optimizer by itself */
};

/* The processor time of a step beside the stream's for as many bytes as the optimizer must move. */
static double of_bytes(const struct pl_bench_steps_time *time)
{
    return time->cpu / time->stream_cpu * 12 / time->bytes;
}

static void print_json(const struct printing *p, const char *name, const struct pl_bench_steps_time *time)
{
    const struct pl_bench_steps_wish *w = p->wish;
    printf("%s\n  {\"optimizer\": \"%s\", \"params\": %lld, \"threads\": %lld, \"steps\": %lld, \"isa\": \"%s\", "
           "\"ns_per_parameter\": %.4f, \"least\": %.4f, \"stream\": %.4f, \"ratio\": %.3f, "
           "\"cpu_ns_per_parameter\": %.4f, \"stream_cpu\": %.4f, \"bytes\": %.0f, \"ratio_to_bytes\": %.3f",
           p->any ? "," : "[", name, (long long)time->parameters, (long long)w->threads, (long long)w->steps,
           pl_isa_name(pl_host_isa()), time->step, time->least, time->stream, time->step / time->stream, time->cpu,
           time->stream_cpu, time->bytes, of_bytes(time));
    if (p->kind < PL_BENCH_KINDS)
        printf(", \"kind\": \"%s\"", kinds[p->kind].name);
    if (w->beside)
        printf(", \"busy_processes\": %lld, \"rounds\": %lld, \"busy_ratio\": %.4f, \"even_share\": %.4f",
               (long long)w->beside, (long long)w->rounds, time->ratio,
               pl_bench_even_share((int)w->threads, (int)w->beside));
    putchar('}');
}

static void print_head(const struct printing *p, int64_t parameters)
{
    const struct pl_bench_steps_wish *w = p->wish;
    if (!p->any)
        printf("float, %lld thread%s, %s, medians of %lld steps; ns per parameter and step; cpu: processor time, its "
               "ratio to that of the stream, which is of 12 bytes, and to that of the optimizer's own bytes\n",
               (long long)w->threads, w->threads == 1 ? "" : "s", pl_isa_name(pl_host_isa()),
               (long long)(w->steps * w->rounds));
    if (p->kind < PL_BENCH_KINDS)
        printf("\n%s, ", kinds[p->kind].title);
    printf("%lld parameters\n%-19s %8s %8s %8s %8s %8s %8s %6s %8s\n", (long long)parameters, "optimizer", "median",
           "least", "stream", "ratio", "cpu", "ratio", "bytes", "ratio");
}

static void print_text(const struct printing *p, const char *name, const struct pl_bench_steps_time *time)
{
    const struct pl_bench_steps_wish *w = p->wish;
    printf("%-19s %8.3f %8.3f %8.3f %8.2f %8.3f %8.2f %6.0f %8.2f", name, time->step, time->least, time->stream,
           time->step / time->stream, time->cpu, time->cpu / time->stream_cpu, time->bytes, of_bytes(time));
    if (w->beside)
        printf("  %.3f of it beside %lld busy processes; even share %.3f", time->ratio, (long long)w->beside,
               pl_bench_even_share((int)w->threads, (int)w->beside));
    putchar('\n');
}

static void print(struct printing *p, const char *name, const struct pl_bench_steps_time *time, bool first)
{
    if (p->json)
        print_json(p, name, time);
    else if (first)
        print_head(p, time->parameters);
    if (!p->json)
        print_text(p, name, time);
    p->any = true;
    fflush(stdout);
}

static int measure_all(struct pl_bench_steps *steps, struct printing *p, struct pl_error *err)
{
    int status = 0;
    for (int kind = 0; kind < PL_BENCH_KINDS; kind++) {
        bool first = true;
        p->kind = (enum pl_bench_kind)kind;
        for (size_t i = 0; i < pl_optim_count() && !status; i++) {
            struct pl_bench_steps_time time;
            if (!pl_bench_is_of_kind(pl_optim_info(i), p->kind))
                continue;
            status = pl_bench_steps_measure_kind(steps, pl_optim_info(i), p->kind, &time, err);
            if (!status)
                print(p, pl_optim_info(i)->name, &time, first);
            first = false;
        }
    }
    return status;
}

static int bench(const char *name, struct printing *p, struct pl_error *err)
{
    const bool all = !strcmp(name, "all");
    const struct pl_optimizer_info *info = pl_optim_find(name);
    struct pl_bench_steps *steps = NULL;
    if (!all && !info)
        return pl_registry_fail(pl_optim_registry(), name, err);
    struct pl_bench_steps_time time;
    int status = pl_bench_steps_new(&steps, p->wish, err);
    if (!status && all) {
        status = measure_all(steps, p, err);
    } else if (!status) {
        status = pl_bench_steps_measure(steps, info, false, &time, err);
        if (!status)
            print(p, info->name, &time, true);
    }
    pl_bench_steps_free(steps);
    return status;
}

int pl_bench_optim_command(const struct pl_args *args)
{
    struct pl_bench_steps_wish wish = {0};
    struct printing printing = {
        .wish = &wish, .kind = PL_BENCH_KINDS, .json = pl_cmd_format(args, &pl_format_text)->kind == PL_FORMAT_TREE};
    struct pl_error err;
    if (!pl_args_integer(args, "params", 1, 10000000000, 10000000, &wish.parameters) ||
        !pl_args_integer(args, "steps", 1, 100000, 21, &wish.steps) ||
        !pl_args_integer(args, "busy", 0, 1000, 0, &wish.beside) ||
        !pl_args_integer(args, "rounds", 1, 1000, wish.beside ? 5 : 1, &wish.rounds) ||
        !pl_args_integer(args, "threads", 1, 1024, 1, &wish.threads))
        return 2;
    if (pl_args_has(args, "rounds") && !wish.beside)
        return pl_cmd_usage_error(args, "--rounds goes with --busy");
    wish.given = pl_bench_given_of(args);
    int status = bench(pl_args_get(args, "optimizer", "theopoula"), &printing, &err);
    if (printing.json && printing.any)
        printf("\n]\n");
    free((void *)wish.given.words);
    return status ? pl_cmd_fail(args, &err) : 0;
}
