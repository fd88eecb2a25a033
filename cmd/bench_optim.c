/* poula bench optim: the time of optimizer steps, beside what the machine's memory allows. */
#include "bench_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct printing {
    const struct pl_bench_steps_wish *wish;
    bool json, any;
};

static void print_json(const struct printing *p, const char *name, const struct pl_bench_steps_time *time)
{
    const struct pl_bench_steps_wish *w = p->wish;
    printf("%s\n  {\"optimizer\": \"%s\", \"params\": %lld, \"threads\": %lld, \"steps\": %lld, \"isa\": \"%s\", "
           "\"ns_per_parameter\": %.4f, \"least\": %.4f, \"stream\": %.4f, \"ratio\": %.3f",
           p->any ? "," : "[", name, (long long)w->parameters, (long long)w->threads, (long long)w->steps,
           pl_isa_name(pl_host_isa()), time->step, time->least, time->stream, time->step / time->stream);
    if (w->beside)
        printf(", \"busy_processes\": %lld, \"rounds\": %lld, \"busy_ratio\": %.4f, \"even_share\": %.4f",
               (long long)w->beside, (long long)w->rounds, time->ratio,
               pl_bench_even_share((int)w->threads, (int)w->beside));
    putchar('}');
}

static void print_text(const struct printing *p, const char *name, const struct pl_bench_steps_time *time)
{
    const struct pl_bench_steps_wish *w = p->wish;
    if (!p->any)
        printf("%lld parameters in float, %lld thread%s, %s, median of %lld steps; ns per parameter and step\n"
               "%-12s %8s %8s %8s %8s\n",
               (long long)w->parameters, (long long)w->threads, w->threads == 1 ? "" : "s", pl_isa_name(pl_host_isa()),
               (long long)(w->steps * w->rounds), "optimizer", "median", "least", "stream", "ratio");
    printf("%-12s %8.3f %8.3f %8.3f %8.2f", name, time->step, time->least, time->stream, time->step / time->stream);
    if (w->beside)
        printf("  %.3f of it beside %lld busy processes; even share %.3f", time->ratio, (long long)w->beside,
               pl_bench_even_share((int)w->threads, (int)w->beside));
    putchar('\n');
}

static int measure(struct pl_bench_steps *steps, struct printing *p, const struct pl_optimizer_info *info, bool lenient,
                   struct pl_error *err)
{
    struct pl_bench_steps_time time;
    int status = pl_bench_steps_measure(steps, info, lenient, &time, err);
    if (status)
        return status;
    if (p->json)
        print_json(p, info->name, &time);
    else
        print_text(p, info->name, &time);
    p->any = true;
    fflush(stdout);
    return 0;
}

static int bench(const char *name, struct printing *p, struct pl_error *err)
{
    const bool all = !strcmp(name, "all");
    const struct pl_optimizer_info *info = pl_optim_find(name);
    struct pl_bench_steps *steps = NULL;
    if (!all && !info)
        return pl_registry_fail(pl_optim_registry(), name, err);
    int status = pl_bench_steps_new(&steps, p->wish, err);
    if (!status && !all)
        status = measure(steps, p, info, false, err);
    for (size_t i = 0; !status && all && i < pl_optim_count(); i++)
        status = measure(steps, p, pl_optim_info(i), true, err);
    pl_bench_steps_free(steps);
    return status;
}

int pl_bench_optim_command(const struct pl_args *args)
{
    struct pl_bench_steps_wish wish = {0};
    struct printing printing = {.wish = &wish, .json = pl_cmd_format(args, &pl_format_text)->kind == PL_FORMAT_TREE};
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
    return status ? pl_cmd_fail(args, &err) : pl_cmd_finish(args, 0);
}
