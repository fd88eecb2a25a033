/* The task kind `problem: langevin`: many independent chains of a Langevin algorithm, and how far their law is from
 * the one it should have, pi_beta with density proportional to exp(-beta u). An epoch is one iteration.
 *
 * Distances are between the empirical law of all chains at one iteration and pi_beta; in two dimensions the mean (W2:
 * root of the mean square) over the projections to evenly spaced directions. Exact samples have a distance too, of
 * the order of one over the root of their number: it is recorded beside, as the floor below which nothing is seen. */
#include "optim/chains.h"
#include "problem/gibbs.h"
#include "train/clipping.h"
#include "train/train_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct pl_setting langevin_settings[] = {
    {.key = "target",
     .type = PL_STRING,
     .role = PL_CHOOSES,
     .help = "the problem u whose law exp(-beta u) the chains should have"},
    {.key = "chains", .type = PL_INTEGER, .initial = "10000", .range = "[2,10000000]", .help = "independent chains"},
    {.key = "burn_in",
     .type = PL_INTEGER,
     .initial = "0",
     .range = "[0,1000000000000]",
     .help = "iterations before the first recorded point may come"},
    {.key = "gradient",
     .type = PL_STRING,
     .initial = "stochastic",
     .range = "stochastic exact",
     .help = "the problem's stochastic gradient, or its mean",
     .idle_when = "noise=0"},
    {.key = "directions",
     .type = PL_INTEGER,
     .initial = "8",
     .range = "[1,64]",
     .help = "projections that distances are averaged over, in two dimensions",
     .idle_when = "dimension=1"},
};
enum { LANGEVIN_SETTING_COUNT = sizeof langevin_settings / sizeof *langevin_settings };

enum {
    STOP_INTERVAL = 1 << 23, /* coordinate updates between two looks at sink->stop */
    FLOOR_DRAWS = 300000,    /* of all samples that the floor is estimated from, but at least two samples */
    FLOOR_SAMPLES = 32       /* most samples */
};

enum series { W1, W2, TV, W1_FLOOR, W2_FLOOR, TV_FLOOR, EXCESS_RISK, ESCAPED, SERIES_COUNT };

/* Distances over all directions: sums, and what is reported of them. */
struct distance {
    double first, second, variation;
};

struct langevin {
    const struct pl_run_request *request;
    const struct pl_sink *sink;
    struct pl_objective target;
    struct pl_gibbs *gibbs;
    struct pl_chains *chains;
    struct pl_chains_field field;
    struct pl_clipping clipping;
    struct pl_schedule schedule;
    size_t dimension, count, directions;
    int64_t iterations, burn_in, points;
    double rate;
    struct pl_law_parts *parts[PL_GIBBS_DIRECTIONS];
    double *theta, *projected; /* coordinate by coordinate; along one direction */
    struct distance floor;
    int series[SERIES_COUNT];
    int64_t bad;    /* the first iteration that left a chain without a finite value, or 0 */
    size_t escaped; /* chains without one */
};

static int langevin_schema(const struct pl_settings *chosen, struct pl_schema *schema, struct pl_error *err)
{
    if (!pl_settings_find(chosen, "target"))
        return pl_fail(err, PL_EINPUT,
                       "problem langevin needs a target, as in "
                       "task: {problem: langevin, target: double_well}");
    const struct pl_problem *target = pl_problem_of(chosen, "target", err);
    if (!target) {
        schema->fault = "target";
        return PL_EINPUT;
    }
    pl_objective_schema(schema, target);
    pl_schema_add(schema, PL_SECTION_TASK, langevin_settings, LANGEVIN_SETTING_COUNT);
    return pl_schema_add_training(chosen, schema, err);
}

static void langevin_choices(const char *key, struct pl_candidates *names)
{
    if (!strcmp(key, "target"))
        pl_objective_choices(names);
    else if (!strcmp(key, pl_task_langevin.key))
        pl_candidates_add(names, pl_task_langevin.value);
}

static void langevin_sources(struct pl_schema_sources *sources)
{
    pl_source_add(sources, "langevin", PL_SECTION_TASK, langevin_settings, LANGEVIN_SETTING_COUNT);
}

static int langevin_check(const struct pl_settings *settings, struct pl_error *err)
{
    const char *optimizer = pl_settings_string(settings, "optimizer", "");
    int64_t dimension = pl_settings_need_integer(settings, "dimension");
    int64_t iterations = pl_settings_need_integer(settings, "iterations");
    double beta = pl_settings_real(settings, "beta", INFINITY);
    if (!pl_chains_are_possible(optimizer))
        return pl_fail(err, PL_EINPUT,
                       "problem langevin runs theopoula, tusla, sgld, sghmc, psgld and formula, not %.100s", optimizer);
    if (strcmp(pl_settings_need_string(settings, "average"), "off"))
        return pl_fail(err, PL_EINPUT, "problem langevin is about the law of the iterates, so average must be off");
    if (pl_settings_boolean(settings, "record_shares", false))
        return pl_fail(err, PL_EINPUT,
                       "problem langevin records laws of many chains and no shares of single steps, so "
                       "record_shares must be left out");
    if (!isfinite(beta))
        return pl_fail(err, PL_EINPUT, "problem langevin needs a finite beta");
    if (beta == 1 && !strcmp(pl_settings_string(settings, "variant", ""), "official"))
        return pl_fail(err, PL_EINPUT, "beta is 1, by which the official variant of theopoula switches its noise off");
    if (dimension > PL_GIBBS_DIMENSION)
        return pl_fail(err, PL_EINPUT,
                       "dimension is %lld, but problem langevin knows the law of targets in 1 or 2 only",
                       (long long)dimension);
    if (pl_settings_need_integer(settings, "burn_in") >= iterations)
        return pl_fail(err, PL_EINPUT, "burn_in must be smaller than iterations, %lld", (long long)iterations);
    return pl_train_check_training(settings, iterations, err);
}

static double norm_of(const struct langevin *l, const double *of, size_t chain)
{
    double sum = 0;
    for (size_t i = 0; i < l->dimension; i++)
        sum += of[i * PL_CHAINS_STRIDE + chain] * of[i * PL_CHAINS_STRIDE + chain];
    return sqrt(sum);
}

/* As pl_gradient_clip, of each chain. */
static void clip(const struct langevin *l, const double *theta, double *out)
{
    const double limit = l->clipping.limit;
    for (size_t i = 0; i < l->dimension * PL_CHAINS_STRIDE && l->clipping.by == PL_CLIP_VALUE; i++)
        out[i] = out[i] > limit ? limit : out[i] < -limit ? -limit : out[i];
    for (size_t k = 0; k < PL_CHAINS_STRIDE && l->clipping.by != PL_CLIP_VALUE; k++) {
        double size = norm_of(l, out, k), factor = 1;
        if (l->clipping.by == PL_CLIP_NORM && size > limit)
            factor = limit / (size + 1e-6);
        double most = l->clipping.by == PL_CLIP_ADAPTIVE ? limit * fmax(norm_of(l, theta, k), PL_CLIP_LEAST) : 0;
        if (l->clipping.by == PL_CLIP_ADAPTIVE && !(size < most))
            factor = most / fmax(size, 1e-6);
        for (size_t i = 0; i < l->dimension && factor != 1; i++)
            out[i * PL_CHAINS_STRIDE + k] *= factor;
    }
}

static void gradient(const void *self, const double *theta, double *x, double *out)
{
    const struct langevin *l = self;
    if (x)
        pl_objective_data(&l->target, x, l->dimension * PL_CHAINS_STRIDE);
    pl_objective_gradients(&l->target, theta, x, PL_CHAINS_STRIDE, out);
    if (isfinite(l->clipping.limit))
        clip(l, theta, out);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The mean distance over the directions; along the k-th of them from l->projected, which is sorted by then. */
static void add_distance(const struct langevin *l, size_t k, struct distance *sum)
{
    double first, second;
    pl_law_distances(l->parts[k], l->projected, &first, &second);
    sum->first += first;
    sum->second += second;
    sum->variation += pl_law_variation(l->parts[k], l->projected);
}

static struct distance measure(struct langevin *l)
{
    struct distance sum = {0};
    double directions = (double)l->directions;
    for (size_t k = 0; k < l->directions; k++) {
        double e[PL_GIBBS_DIMENSION];
        pl_gibbs_direction(l->gibbs, k, e);
        for (size_t j = 0; j < l->count; j++)
            l->projected[j] = l->dimension == 1 ? l->theta[j] : e[0] * l->theta[j] + e[1] * l->theta[l->count + j];
        qsort(l->projected, l->count, sizeof *l->projected, ascending);
        add_distance(l, k, &sum);
    }
    return (struct distance){sum.first / directions, sqrt(sum.second / directions), sum.variation / directions};
}

/* The same for exact samples: the mean over several, which do not depend on the run. */
static struct distance measure_floor(struct langevin *l)
{
    struct distance sum = {0};
    const struct pl_random random = pl_random_stream(0, PL_STREAM_INIT);
    size_t samples = FLOOR_DRAWS / l->count;
    samples = samples < 2 ? 2 : samples > FLOOR_SAMPLES ? FLOOR_SAMPLES : samples;
    for (size_t s = 0; s < samples; s++)
        for (size_t k = 0; k < l->directions; k++) {
            pl_law_sample(pl_gibbs_law(l->gibbs, k), random, s * PL_GIBBS_DIRECTIONS + k, l->count, l->projected);
            add_distance(l, k, &sum);
        }
    double all = (double)(samples * l->directions);
    return (struct distance){sum.first / all, sqrt(sum.second / all), sum.variation / all};
}

/* The excess risk of the chains, E u(theta) - min u. Counts those whose objective is not finite. */
static double measure_risk(struct langevin *l)
{
    double sum = 0;
    l->escaped = 0;
    for (size_t j = 0; j < l->count; j++) {
        double theta[PL_GIBBS_DIMENSION] = {0};
        bool finite = true;
        for (size_t i = 0; i < l->dimension; i++) {
            theta[i] = l->theta[i * l->count + j];
            finite = finite && isfinite(theta[i]);
        }
        double u = finite ? pl_gibbs_energy(l->gibbs, theta) : INFINITY;
        l->escaped += !isfinite(u);
        sum += u - pl_gibbs_minimum(l->gibbs);
    }
    return l->escaped ? INFINITY : sum / (double)l->count;
}

/* Those of one dimension, and what takes the place of the first six in two. */
static const struct pl_metric langevin_metrics[] = {
    [W1] = {.name = "w1",
            .direction = PL_MINIMIZE,
            .rank = PL_RANK_LAST,
            .help = "Wasserstein distance W1 between the empirical law of all chains and pi_beta"},
    [W2] = {.name = "w2", .direction = PL_MINIMIZE, .rank = PL_RANK_LAST, .help = "the same in W2"},
    [TV] = {.name = "tv",
            .direction = PL_MINIMIZE,
            .rank = PL_RANK_LAST,
            .help = "total variation between them over 64 intervals of equal mass under pi_beta"},
    [W1_FLOOR] = {.name = "w1_floor",
                  .rank = PL_RANK_LAST,
                  .help = "mean of w1 for as many exact independent samples of pi_beta: nothing is seen below"},
    [W2_FLOOR] = {.name = "w2_floor", .rank = PL_RANK_LAST, .help = "the same of w2, as a root of the mean square"},
    [TV_FLOOR] = {.name = "tv_floor", .rank = PL_RANK_LAST, .help = "the same of tv"},
    [EXCESS_RISK] = {.name = "excess_risk",
                     .direction = PL_MINIMIZE,
                     .rank = PL_RANK_LAST,
                     .loss = true,
                     .help = "mean of u over the chains, less its minimum"},
    [ESCAPED] = {.name = "escaped",
                 .direction = PL_MINIMIZE,
                 .rank = PL_RANK_LAST,
                 .help = "share of the chains whose theta or u is not finite"},
    [SERIES_COUNT + W1] = {.name = "sliced_w1",
                           .direction = PL_MINIMIZE,
                           .rank = PL_RANK_LAST,
                           .help = "in two dimensions: mean of w1 over projections"},
    [SERIES_COUNT + W2] = {.name = "sliced_w2",
                           .direction = PL_MINIMIZE,
                           .rank = PL_RANK_LAST,
                           .help = "in two dimensions: root of the mean of w2 squared over projections"},
    [SERIES_COUNT + TV] = {.name = "sliced_tv",
                           .direction = PL_MINIMIZE,
                           .rank = PL_RANK_LAST,
                           .help = "in two dimensions: mean of tv over projections"},
    [SERIES_COUNT + W1_FLOOR] = {.name = "sliced_w1_floor", .rank = PL_RANK_LAST, .help = "floor of sliced_w1"},
    [SERIES_COUNT + W2_FLOOR] = {.name = "sliced_w2_floor", .rank = PL_RANK_LAST, .help = "floor of sliced_w2"},
    [SERIES_COUNT + TV_FLOOR] = {.name = "sliced_tv_floor", .rank = PL_RANK_LAST, .help = "floor of sliced_tv"},
};

static void add_metrics(struct pl_metric_source *sources, size_t *count)
{
    pl_metric_add(sources, count, "langevin", langevin_metrics, sizeof langevin_metrics / sizeof *langevin_metrics);
}

static void open_series(struct langevin *l)
{
    for (size_t i = 0; i < SERIES_COUNT; i++) {
        size_t sliced = l->dimension == 2 && i <= TV_FLOOR ? SERIES_COUNT : 0;
        const char *name = langevin_metrics[sliced + i].name;
        l->series[i] = l->sink->series(l->sink->self, name, PL_BY_EPOCH);
    }
}

/* A law some of whose mass has left is infinitely far from pi_beta. */
static void record(struct langevin *l, int64_t iteration)
{
    for (size_t i = 0; i < l->dimension; i++)
        pl_chains_read(l->chains, i, l->theta + i * l->count);
    double risk = measure_risk(l);
    struct distance distance = l->escaped ? (struct distance){INFINITY, INFINITY, INFINITY} : measure(l);
    double values[SERIES_COUNT] = {
        [W1] = distance.first,        [W2] = distance.second,
        [TV] = distance.variation,    [W1_FLOOR] = l->floor.first,
        [W2_FLOOR] = l->floor.second, [TV_FLOOR] = l->floor.variation,
        [EXCESS_RISK] = risk,         [ESCAPED] = (double)l->escaped / (double)l->count,
    };
    for (size_t i = 0; i < SERIES_COUNT; i++)
        l->sink->value(l->sink->self, l->series[i], (double)iteration, values[i]);
    if (l->escaped && !l->bad)
        l->bad = iteration;
}

/* The index-th recorded iteration, counted from 1: evenly spaced behind the burn-in. */
static int64_t recorded_iteration(const struct langevin *l, int64_t index)
{
    return l->burn_in + (2 * index * (l->iterations - l->burn_in) + l->points) / (2 * l->points);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Chains go on when some have left, because the share that leaves is a result; none left, nothing changes any more. */
static void iterate(struct langevin *l, struct pl_run_result *result)
{
    int64_t look = STOP_INTERVAL / (int64_t)(l->count * l->dimension) + 1;
    int64_t change = 0, point = 1;
    const int64_t until = l->request->until < (double)l->iterations ? (int64_t)l->request->until : 0;
    for (int64_t t = 0; t < l->iterations && l->escaped < l->count;) {
        if (t >= change) {
            size_t count;
            const struct pl_moment moment = {(double)t, 1};
            pl_chains_set_rate(l->chains, l->rate * pl_schedule_factor(&l->schedule, moment));
            const struct pl_tuned *tunings = pl_schedule_tunings(&l->schedule, moment, &count);
            pl_chains_tune(l->chains, tunings, count);
            change = pl_schedule_next(&l->schedule, t);
        }
        int64_t next = earlier(earlier(t + look, change), recorded_iteration(l, point));
        next = until ? earlier(next, until) : next;
        pl_chains_run(l->chains, &l->field, (uint64_t)(next - t));
        t = next;
        if (!l->bad)
            l->bad = (int64_t)pl_chains_lost_at(l->chains);
        if (t == recorded_iteration(l, point)) {
            record(l, t);
            point++;
        }
        if (t == until) {
            pl_result_reached(result, (double)t);
            return;
        }
        if (t < l->iterations && l->sink->stop(l->sink->self)) {
            pl_result_set(result, PL_INTERRUPTED, "stopped after iteration %lld of %lld", (long long)t,
                          (long long)l->iterations);
            return;
        }
    }
    if (!l->bad)
        return;
    result->bad_epoch = (double)l->bad;
    pl_result_set(result, PL_DIVERGED, "%zu of %zu chains are not finite, the first since iteration %lld", l->escaped,
                  l->count, (long long)l->bad);
}

/* pi_beta, its parts and the floor. */
static int prepare_law(struct langevin *l, struct pl_error *err)
{
    const struct pl_settings *settings = l->request->settings;
    struct pl_regulariser regulariser = {
        .eta = pl_settings_real(settings, "eta", 0),
        .r = pl_settings_real(settings, "r", 0),
        .weight_decay = pl_settings_real(settings, "weight_decay", 0),
    };
    int status = pl_gibbs_new(&l->gibbs, &l->target, regulariser, pl_settings_real(settings, "beta", 1), l->directions,
                              err);
    if (status)
        return status;
    l->theta = pl_arena(l->count, l->dimension * sizeof(double));
    l->projected = pl_arena(l->count, sizeof(double));
    bool enough = l->theta && l->projected;
    for (size_t k = 0; k < l->directions && enough; k++)
        enough = (l->parts[k] = pl_law_parts_new(pl_gibbs_law(l->gibbs, k), l->count));
    if (!enough)
        return pl_fail(err, PL_EMEMORY, "there is not enough memory for %zu chains", l->count);
    l->floor = measure_floor(l);
    return 0;
}

static int prepare(struct langevin *l, struct pl_error *err)
{
    const struct pl_settings *settings = l->request->settings;
    uint64_t seed = (uint64_t)l->request->seed;
    const struct pl_problem *target = pl_problem_of(settings, "target", err);
    if (!target)
        return PL_EINPUT;
    int status = langevin_check(settings, err);
    if (status)
        return status;
    l->dimension = (size_t)pl_settings_need_integer(settings, "dimension");
    pl_objective_init(&l->target, target, settings, l->dimension);
    l->count = (size_t)pl_settings_need_integer(settings, "chains");
    l->directions = l->dimension == 1 ? 1 : (size_t)pl_settings_need_integer(settings, "directions");
    l->iterations = pl_settings_need_integer(settings, "iterations");
    l->burn_in = pl_settings_need_integer(settings, "burn_in");
    l->points = earlier(pl_settings_need_integer(settings, "record"), l->iterations - l->burn_in);
    bool random = l->target.random && !strcmp(pl_settings_need_string(settings, "gradient"), "stochastic");
    l->field = (struct pl_chains_field){gradient, l, random, pl_random_stream(seed, PL_STREAM_DATA)};
    status = pl_schedule_init(&l->schedule, settings, l->iterations, err);
    if (!status)
        status = prepare_law(l, err);
    if (!status)
        status = pl_chains_new(&l->chains, settings, l->count, l->dimension, pl_settings_need_real(settings, "start"),
                               pl_random_stream(seed, PL_STREAM_NOISE), l->request->threads, err);
    if (status)
        return status;
    l->rate = pl_chains_rate(l->chains);
    l->clipping = pl_clipping_of(settings);
    open_series(l);
    return 0;
}

static int langevin_run(const struct pl_run_request *request, const struct pl_sink *sink, struct pl_run_result *result,
                        struct pl_error *err)
{
    struct langevin l = {.request = request, .sink = sink};
    struct pl_error own = {0};
    int status = prepare(&l, &own);
    if (!status)
        iterate(&l, result);
    else if (status == PL_EMEMORY) {
        pl_result_set(result, PL_FAILED, "%s", own.text);
        status = 0;
    } else {
        pl_fail(err, status, "%s", own.text);
    }
    for (size_t k = 0; k < l.directions; k++)
        pl_law_parts_free(l.parts[k]);
    pl_chains_free(l.chains);
    pl_gibbs_free(l.gibbs);
    pl_objective_release(&l.target);
    pl_schedule_release(&l.schedule);
    free(l.theta);
    free(l.projected);
    return status;
}

const struct pl_task_kind pl_task_langevin = {
    .key = "problem",
    .value = "langevin",
    .schema = langevin_schema,
    .choices = langevin_choices,
    .sources = langevin_sources,
    .metrics = add_metrics,
    .check = langevin_check,
    .run = langevin_run,
};
