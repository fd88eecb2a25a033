/* The task kind `problem`: an optimizer on an analytic objective. An epoch is one iteration. */
#include "optim/formula.h"
#include "optim/optim.h"
#include "problem/problem.h"
#include "train/clipping.h"
#include "train/recording.h"
#include "train/train_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pl_setting objective_settings[] = {
    {.key = "problem",
     .type = PL_STRING,
     .role = PL_CHOOSES | PL_SAYS_TASK | PL_NAMES,
     .help = "name of an analytic objective, or langevin"},
    {.key = "iterations",
     .type = PL_INTEGER,
     .initial = "1000",
     .range = "[1,1000000000000]",
     .help = "steps of the optimizer"},
    {.key = "record",
     .type = PL_INTEGER,
     .initial = "100",
     .range = "[1,1000000]",
     .help = "recorded points, evenly spaced over the iterations"},
};
/* Apart, because networks have them too. */
static const struct pl_setting clip_settings[] = {
    {.key = "clip",
     .type = PL_REAL,
     .initial = ".inf",
     .range = "(0,inf]",
     .help = "largest norm of a gradient (see clip_by): a longer one is scaled down to it; .inf: none is",
     .late = true},
};
enum { CLIP_SETTING_COUNT = sizeof clip_settings / sizeof *clip_settings };

enum { OBJECTIVE_SETTING_COUNT = sizeof objective_settings / sizeof *objective_settings };

enum {
    DRAW_BLOCK = 256,        /* data drawn at a time, when several iterations fit */
    STOP_INTERVAL = 1 << 20, /* coordinate updates between two looks at sink->stop, at most 4096 iterations */
    SHOWN_COORDINATES = 3,
    SERIES_COUNT = 2 + SHOWN_COORDINATES,
};

/* What is reported of one point: the iterate, or the optimizer's average of iterates. */
struct report {
    const char *prefix; /* "" or "averaged_" */
    int series[SERIES_COUNT];
    bool opened;
};

struct descent {
    const struct pl_run_request *request;
    const struct pl_sink *sink;
    struct pl_objective objective;
    struct pl_optim *optim;
    struct pl_layout layout;
    struct pl_schedule schedule;
    struct pl_clipping clipping;
    struct pl_random data;
    bool random, climbs;
    uint64_t recorded; /* points */
    size_t n;
    int64_t iterations, points;
    double *theta, *gradient, *x;
    int64_t block; /* iterations whose data fit into x */
    double rate;   /* the initial learning rate */
    struct report iterate, average;
    struct pl_recording recording;
    int share_series[PL_SHARES];
    double shares[PL_SHARES]; /* summed over the iterations since the last recorded one */
    int64_t share_count;
};

const struct pl_problem *pl_problem_of(const struct pl_settings *settings, const char *key, struct pl_error *err)
{
    const char *name = pl_settings_string(settings, key, NULL);
    if (!name) {
        pl_fail(err, PL_EINPUT, "%s must be the name of a problem", key);
        return NULL;
    }
    const struct pl_problem *problem = pl_problem_find(name);
    if (problem)
        return problem;
    pl_fail_choice(err, key, name);
    return NULL;
}

void pl_objective_choices(struct pl_candidates *names)
{
    pl_registry_names(&pl_problem_registry, names);
}

static void problem_choices(const char *key, struct pl_candidates *names)
{
    if (!strcmp(key, "problem"))
        pl_objective_choices(names);
}

void pl_objective_schema(struct pl_schema *schema, const struct pl_problem *problem)
{
    pl_schema_add(schema, PL_SECTION_TASK, objective_settings, OBJECTIVE_SETTING_COUNT);
    pl_schema_add(schema, PL_SECTION_TASK, clip_settings, CLIP_SETTING_COUNT);
    pl_schema_add(schema, PL_SECTION_TASK, pl_clipping_settings, pl_clipping_setting_count);
    pl_schema_add(schema, PL_SECTION_TASK, problem->settings, problem->setting_count);
}

static int problem_schema(const struct pl_settings *chosen, struct pl_schema *schema, struct pl_error *err)
{
    const struct pl_problem *problem = pl_problem_of(chosen, "problem", err);
    if (!problem) {
        schema->fault = "problem";
        return PL_EINPUT;
    }
    pl_objective_schema(schema, problem);
    pl_schema_add(schema, PL_SECTION_SCHEDULE, pl_schedule_patience_settings, pl_schedule_patience_setting_count);
    pl_schema_add(schema, PL_SECTION_SCHEDULE, pl_schedule_told_settings, pl_schedule_told_setting_count);
    return pl_schema_add_training(chosen, schema, err);
}

static void problem_sources(struct pl_schema_sources *sources)
{
    pl_source_add(sources, "problem", PL_SECTION_TASK, objective_settings, OBJECTIVE_SETTING_COUNT);
    pl_source_add(sources, "problem", PL_SECTION_TASK, clip_settings, CLIP_SETTING_COUNT);
    pl_source_add(sources, "problem and dataset", PL_SECTION_TASK, pl_clipping_settings, pl_clipping_setting_count);
    for (size_t i = 0; i < pl_problem_count(); i++) {
        const struct pl_problem *problem = pl_problem_at(i);
        pl_source_add(sources, problem->name, PL_SECTION_TASK, problem->settings, problem->setting_count);
    }
    pl_source_add(sources, "problem and images", PL_SECTION_SCHEDULE, pl_schedule_patience_settings,
                  pl_schedule_patience_setting_count);
    pl_source_add(sources, "problem and dataset", PL_SECTION_SCHEDULE, pl_schedule_told_settings,
                  pl_schedule_told_setting_count);
}

static const struct pl_metric problem_metrics[] = {
    {.name = "loss",
     .direction = PL_MINIMIZE,
     .rank = PL_RANK_LOSS + 2,
     .loss = true,
     .help = "u(theta), the expected objective"},
    {.name = "distance",
     .direction = PL_MINIMIZE,
     .rank = PL_RANK_LAST,
     .help = "Euclidean distance to the nearest minimiser, in two dimensions and more"},
    {.name = "theta", .rank = PL_RANK_LAST, .help = "the coordinate, in one dimension"},
    {.name = "theta1", .rank = PL_RANK_LAST, .help = "the first coordinate, in two or three dimensions"},
    {.name = "theta2", .rank = PL_RANK_LAST, .help = "the second"},
    {.name = "theta3", .rank = PL_RANK_LAST, .help = "the third"},
    {.name = "averaged_loss",
     .direction = PL_MINIMIZE,
     .rank = PL_RANK_LAST,
     .loss = true,
     .help = "the same of the averaged iterate, once there is one"},
    {.name = "averaged_distance", .direction = PL_MINIMIZE, .rank = PL_RANK_LAST, .help = "its distance"},
    {.name = "averaged_theta", .rank = PL_RANK_LAST, .help = "its coordinate"},
    {.name = "averaged_theta1", .rank = PL_RANK_LAST, .help = "its first coordinate"},
    {.name = "averaged_theta2", .rank = PL_RANK_LAST, .help = "its second"},
    {.name = "averaged_theta3", .rank = PL_RANK_LAST, .help = "its third"},
};

static void add_metrics(struct pl_metric_source *sources, size_t *count)
{
    pl_metric_add(sources, count, "problem", problem_metrics, sizeof problem_metrics / sizeof *problem_metrics);
}

static int problem_check(const struct pl_settings *settings, struct pl_error *err)
{
    return pl_train_check_training(settings, pl_settings_need_integer(settings, "iterations"), err);
}

/* Draws the data of iterations first, first+1, ... that fit into x. */
static void draw_block(struct descent *o, int64_t first)
{
    for (int64_t k = 0; k < o->block; k++)
        pl_random_uniforms(&o->data, (uint64_t)(first + k), 0, o->n, o->x + (size_t)k * o->n);
    pl_objective_data(&o->objective, o->x, (size_t)o->block * o->n);
}

/* Sets the learning rate before an iteration (counted from 0) and returns when to come again. */
static int64_t apply_schedule(struct descent *o, int64_t iteration)
{
    const struct pl_moment moment = {(double)iteration, 1};
    size_t count;
    pl_optim_set_rate(o->optim, o->rate * pl_schedule_factor(&o->schedule, moment));
    const struct pl_tuned *tunings = pl_schedule_tunings(&o->schedule, moment, &count);
    pl_optim_tune(o->optim, tunings, count);
    return pl_schedule_next(&o->schedule, iteration);
}

static bool all_finite(const double *theta, size_t n)
{
    /* Infinities and NaN times 0 are NaN. Four sums keep the additions from waiting for one another. */
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += theta[i + k] * 0;
    for (; i < n; i++)
        sum[0] += theta[i] * 0;
    return sum[0] + sum[1] + sum[2] + sum[3] == 0;
}

static int open_series(struct descent *o, const struct report *report, const char *name, int number)
{
    char metric[40], digits[12] = "";
    if (number)
        snprintf(digits, sizeof digits, "%d", number);
    snprintf(metric, sizeof metric, "%s%s%s", report->prefix, name, digits);
    return o->sink->series(o->sink->self, metric, PL_BY_EPOCH);
}

static void open_report(struct descent *o, struct report *report)
{
    report->opened = true;
    report->series[0] = open_series(o, report, "loss", 0);
    if (o->n > 1)
        report->series[1] = open_series(o, report, "distance", 0);
    if (o->n <= SHOWN_COORDINATES)
        for (size_t i = 0; i < o->n; i++)
            report->series[2 + i] = open_series(o, report, "theta", o->n > 1 ? (int)i + 1 : 0);
}

/* Reports one point and returns its loss. */
static double report_point(struct descent *o, struct report *report, const double *theta, int64_t iteration)
{
    const struct pl_sink *sink = o->sink;
    if (!report->opened)
        open_report(o, report);
    double loss = pl_objective_value(&o->objective, theta);
    sink->value(sink->self, report->series[0], (double)iteration, loss);
    if (o->n > 1)
        sink->value(sink->self, report->series[1], (double)iteration, pl_objective_distance(&o->objective, theta));
    if (o->n <= SHOWN_COORDINATES)
        for (size_t i = 0; i < o->n; i++)
            sink->value(sink->self, report->series[2 + i], (double)iteration, theta[i]);
    return loss;
}

static void report_shares(struct descent *o, int64_t iteration)
{
    for (int k = 0; k < PL_SHARES; k++) {
        o->sink->value(o->sink->self, o->share_series[k], (double)iteration, o->shares[k] / (double)o->share_count);
        o->shares[k] = 0;
    }
    o->share_count = 0;
}

static double record(struct descent *o, int64_t iteration)
{
    bool first = !o->iterate.opened;
    pl_optim_epoch_ends(o->optim, o->theta, ++o->recorded);
    const double *average = pl_optim_average(o->optim);
    const bool elsewhere = average && pl_optim_is_elsewhere(o->optim); /* then theta is not the point to look at */
    double loss = report_point(o, &o->iterate, elsewhere ? average : o->theta, iteration);
    for (int k = 0; k < PL_SHARES && first && o->recording.on; k++)
        o->share_series[k] = o->sink->series(o->sink->self, pl_recording_metrics[k].name, PL_BY_EPOCH);
    if (o->recording.on)
        report_shares(o, iteration);
    pl_optim_validated(o->optim, loss);
    average = pl_optim_average(o->optim); /* which may have begun */
    if (average && !elsewhere)
        report_point(o, &o->average, average, iteration);
    return loss;
}

/* The index-th recorded iteration, counted from 1: round(index * iterations / points). */
static int64_t recorded_iteration(const struct descent *o, int64_t index)
{
    return (2 * index * o->iterations + o->points) / (2 * o->points);
}

/* From the gradient at theta. */
static void take_step(struct descent *o, const double *x)
{
    if (o->climbs) {
        pl_optim_climb(o->optim, o->theta, o->gradient);
        pl_objective_gradient(&o->objective, o->theta, x, o->gradient);
    }
    if (isfinite(o->clipping.limit))
        pl_gradient_clip(o->gradient, o->theta, &o->layout, PL_FLOAT64, o->clipping.by, o->clipping.limit,
                         o->request->threads);
    if (o->recording.on) {
        pl_recording_add(&o->recording, pl_optim_rate(o->optim), &o->layout, PL_FLOAT64, o->theta, o->gradient, 1,
                         o->shares);
        o->share_count++;
    }
    pl_optim_step(o->optim, o->theta, o->gradient, NULL);
}

static void iterate(struct descent *o, struct pl_run_result *result)
{
    int64_t next_change = 0, next_point = 1, next_record = recorded_iteration(o, 1);
    int64_t look = STOP_INTERVAL / (int64_t)o->n;
    look = look < 1 ? 1 : look > 4096 ? 4096 : look;
    int64_t next_look = look, block_start = 1 - o->block;
    const int64_t until = o->request->until < (double)o->iterations ? (int64_t)o->request->until : 0;
    for (int64_t t = 1; t <= o->iterations; t++) {
        if (t - 1 >= next_change)
            next_change = apply_schedule(o, t - 1);
        if (o->random && t - block_start >= o->block)
            draw_block(o, block_start = t);
        const double *x = o->random ? o->x + (size_t)(t - block_start) * o->n : NULL;
        pl_objective_gradient(&o->objective, o->theta, x, o->gradient);
        take_step(o, x);
        bool finite = all_finite(o->theta, o->n), loss_finite = true;
        if (!finite || t == next_record) {
            double loss = record(o, t);
            loss_finite = isfinite(loss);
            if (pl_schedule_validated(&o->schedule, loss))
                next_change = t;
            next_record = recorded_iteration(o, ++next_point);
        }
        if (!finite || !loss_finite) {
            result->bad_epoch = (double)t;
            pl_result_set(result, PL_DIVERGED, "%s is not finite after iteration %lld", finite ? "the loss" : "theta",
                          (long long)t);
            return;
        }
        if (t == until) {
            pl_result_reached(result, (double)t);
            return;
        }
        if (t == next_look && t < o->iterations) {
            next_look += look;
            if (o->sink->stop(o->sink->self)) {
                pl_result_set(result, PL_INTERRUPTED, "stopped after iteration %lld of %lld", (long long)t,
                              (long long)o->iterations);
                return;
            }
        }
    }
}

static int prepare(struct descent *o, struct pl_error *err)
{
    const struct pl_settings *settings = o->request->settings;
    const struct pl_problem *problem = pl_problem_of(settings, "problem", err);
    if (!problem)
        return PL_EINPUT;
    o->n = (size_t)pl_settings_need_integer(settings, "dimension");
    pl_objective_init(&o->objective, problem, settings, o->n);
    o->iterations = pl_settings_need_integer(settings, "iterations");
    o->points = pl_settings_need_integer(settings, "record");
    if (o->points > o->iterations)
        o->points = o->iterations;
    o->random = o->objective.random;
    o->block = o->n >= DRAW_BLOCK ? 1 : DRAW_BLOCK / (int64_t)o->n;
    if (o->block > o->iterations)
        o->block = o->iterations;
    o->data = pl_random_stream((uint64_t)o->request->seed, PL_STREAM_DATA);
    int status = pl_schedule_init(&o->schedule, settings, o->iterations, err);
    if (status)
        return status;
    pl_layout_add(&o->layout, &o->n, 1);
    o->theta = pl_arena(o->layout.length, sizeof(double));
    o->gradient = pl_arena(o->layout.length, sizeof(double));
    o->x = o->random ? pl_arena((size_t)o->block * o->n, sizeof(double)) : NULL;
    if (!o->theta || !o->gradient || (o->random && !o->x))
        return pl_fail(err, PL_EMEMORY, "there is not enough memory for %zu coordinates", o->n);
    double start = pl_settings_need_real(settings, "start");
    for (size_t i = 0; i < o->n; i++)
        o->theta[i] = start;
    status = pl_optim_new(&o->optim, settings, &o->layout, PL_FLOAT64,
                          pl_random_stream((uint64_t)o->request->seed, PL_STREAM_NOISE), o->request->threads, err);
    if (status)
        return status;
    o->rate = pl_optim_rate(o->optim);
    o->clipping = pl_clipping_of(settings);
    o->climbs = pl_optim_climbs(o->optim);
    return pl_recording_init(&o->recording, settings, err);
}

static int problem_run(const struct pl_run_request *request, const struct pl_sink *sink, struct pl_run_result *result,
                       struct pl_error *err)
{
    struct descent o = {
        .request = request, .sink = sink, .iterate = {.prefix = ""}, .average = {.prefix = "averaged_"}};
    struct pl_error own = {0};
    int status = prepare(&o, &own);
    if (!status)
        iterate(&o, result);
    else if (status == PL_EMEMORY) {
        pl_result_set(result, PL_FAILED, "%s", own.text);
        status = 0;
    } else {
        pl_fail(err, status, "%s", own.text);
    }
    pl_optim_free(o.optim);
    pl_objective_release(&o.objective);
    pl_layout_release(&o.layout);
    pl_schedule_release(&o.schedule);
    free(o.theta);
    free(o.gradient);
    free(o.x);
    return status;
}

bool pl_train_start(const struct pl_settings *settings, const char *metric, double *value)
{
    const char *name = pl_settings_string(settings, "problem", NULL);
    const struct pl_problem *problem = name ? pl_problem_find(name) : NULL;
    const struct pl_value *start = pl_settings_find(settings, "start");
    int64_t n = pl_settings_integer(settings, "dimension", 1);
    bool theta = !strncmp(metric, "theta", 5);
    if (!problem || !start || n < 1)
        return false;
    if (theta && n <= SHOWN_COORDINATES) {
        bool whole = n == 1 ? !metric[5] : metric[5] >= '1' && metric[5] <= '0' + n && !metric[6];
        *value = pl_settings_real(settings, "start", 0);
        return whole;
    }
    bool loss = !strcmp(metric, "loss"), distance = n > 1 && !strcmp(metric, "distance");
    double *point = loss || distance ? pl_arena((size_t)n, sizeof *point) : NULL;
    if (!point)
        return false;
    for (int64_t i = 0; i < n; i++)
        point[i] = pl_settings_real(settings, "start", 0);
    *value = loss ? problem->value(settings, point, (size_t)n) : problem->distance(settings, point, (size_t)n);
    free(point);
    return true;
}

bool pl_train_draws(const struct pl_settings *settings)
{
    const struct pl_problem *problem = pl_problem_find(pl_settings_string(settings, "problem", ""));
    if (!problem || pl_task_kind_of(settings) != &pl_task_problem)
        return true;
    const char *optimizer = pl_settings_string(settings, "optimizer", "");
    const struct pl_optimizer_info *info = pl_optim_find(optimizer);
    if (info && info->parameters)
        return problem->data || pl_settings_real(settings, "noise", 0) > 0 || pl_formula_draws(settings);
    /* Langevin methods have an inverse temperature; the published TheoPouLa takes 1 for "no noise". */
    double beta = pl_settings_real(settings, "beta", INFINITY);
    bool silent = isinf(beta) || (beta == 1 && !strcmp(pl_settings_string(settings, "variant", ""), "official"));
    return problem->data || pl_settings_real(settings, "noise", 0) > 0 || !silent;
}

const struct pl_task_kind pl_task_problem = {
    .key = "problem",
    .schema = problem_schema,
    .choices = problem_choices,
    .sources = problem_sources,
    .metrics = add_metrics,
    .check = problem_check,
    .run = problem_run,
};
