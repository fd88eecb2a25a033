/* Curves and trajectories: a metric over time, its mean and spread over the seeds of a configuration. */
#include "plot/plot_priv.h"

#include <gsl/gsl_statistics_double.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STRANDS = 10, MOST_CHANGES = 8 };

struct sample {
    double epoch;
    double x, value; /* x: the epoch, or the seconds of training until its end */
    double measured; /* value before it was smoothed */
    size_t run;
};

struct samples {
    struct sample *list;
    size_t count, capacity;
    size_t run;
    double until; /* later ones are left out */
};

static void add_sample(struct samples *s, double epoch, double value)
{
    void *list = s->list;
    if (epoch > s->until)
        return;
    pl_grow(&list, &s->capacity, s->count + 1, sizeof *s->list);
    s->list = list;
    s->list[s->count++] = (struct sample){epoch, epoch, value, value, s->run};
}

static int take_point(void *self, double epoch, double value)
{
    add_sample(self, epoch, value);
    return 0;
}

/* What a run's epochs took, added up. */
struct clock {
    struct tick {
        double epoch, seconds;
    } * ticks;
    size_t count, capacity;
};

static int take_seconds(void *self, double epoch, double seconds)
{
    struct clock *clock = self;
    double before = clock->count ? clock->ticks[clock->count - 1].seconds : 0;
    void *ticks = clock->ticks;
    pl_grow(&ticks, &clock->capacity, clock->count + 1, sizeof *clock->ticks);
    clock->ticks = ticks;
    clock->ticks[clock->count++] = (struct tick){epoch, before + (isfinite(seconds) && seconds > 0 ? seconds : 0)};
    return 0;
}

/* Moves the samples of a run, which come by epoch, from epochs to seconds. What was recorded without a time, before the
 * first epoch had one, stands at 0; a run without any time loses its samples. */
static void tell_time(struct samples *s, size_t first, const struct clock *clock)
{
    size_t at = 0;
    if (!clock->count)
        s->count = first;
    for (size_t i = first; i < s->count; i++) {
        while (at < clock->count && clock->ticks[at].epoch <= s->list[i].epoch)
            at++;
        s->list[i].x = at ? clock->ticks[at - 1].seconds : 0;
    }
}

/* The runs of the configurations that are drawn. */
struct drawn_run {
    int64_t run, config;
    size_t line; /* number in drawn_runs.lines */
    enum pl_status status;
    double stopped; /* of a stopped one: the epoch */
};

/* A problem starts at a point that its settings name, before anything is recorded. */
static void add_start(const struct pl_gather *g, const struct pl_settings *settings, struct samples *s, size_t first)
{
    double value;
    if (s->count == first || s->list[first].epoch <= 0 || pl_figure_tells_time(g->spec) ||
        !pl_train_start(settings, g->metric, &value))
        return;
    add_sample(s, 0, value);
    struct sample start = s->list[s->count - 1];
    memmove(s->list + first + 1, s->list + first, (s->count - 1 - first) * sizeof start);
    s->list[first] = start;
}

/* Smooths a run, whose samples come by epoch: each finite value becomes the mean or median of the finite ones that are
 * less than half of so many epochs away. What is not finite stays. */
static void smooth_run(struct sample *list, size_t count, const struct pl_smooth *smooth)
{
    double *window = pl_new((count + 1) * sizeof *window), half = 0.5 * smooth->epochs;
    for (size_t i = 0, first = 0; i < count; i++) {
        size_t n = 0;
        while (list[i].epoch - list[first].epoch >= half)
            first++;
        for (size_t k = first; k < count && list[k].epoch - list[i].epoch < half; k++)
            if (isfinite(list[k].measured))
                window[n++] = list[k].measured;
        if (!isfinite(list[i].measured))
            continue;
        list[i].value = smooth->median ? gsl_stats_median(window, 1, n) : gsl_stats_mean(window, 1, n);
    }
    free(window);
}

/* Adds a run's points, and where it began to average. */
static int read_run(const struct pl_gather *g, int64_t run, const struct pl_settings *settings, struct samples *samples,
                    struct samples *turns, int64_t *untimed, struct pl_error *err)
{
    struct pl_store *store = pl_results_store(g->results);
    struct clock clock = {0};
    size_t first = samples->count, first_turn = turns->count;
    int status = pl_store_each_point_along(store, run, g->metric, g->axis, take_point, samples, err);
    add_start(g, settings, samples, first);
    if (!status && g->spec->smooth.epochs && samples->count > first)
        smooth_run(samples->list + first, samples->count - first, &g->spec->smooth);
    if (!status && g->averages)
        status = pl_store_each_point(store, run, PL_METRIC_AVERAGED, take_point, turns, err);
    if (!status && pl_figure_tells_time(g->spec)) {
        status = pl_store_each_point(store, run, PL_METRIC_SECONDS, take_seconds, &clock, err);
        *untimed += samples->count > first && !clock.count;
        tell_time(samples, first, &clock);
        tell_time(turns, first_turn, &clock);
    }
    free(clock.ticks);
    return status;
}

static int by_epoch(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    if (x->epoch != y->epoch)
        return x->epoch < y->epoch ? -1 : 1;
    return x->run < y->run ? -1 : x->run > y->run;
}

static void add_strands(struct pl_plot_line *line, const struct samples *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct sample *at = &s->list[i];
        pl_points_add(&line->strands, (struct pl_point){.x = at->x,
                                                        .place = at->x,
                                                        .y = at->value,
                                                        .low = NAN,
                                                        .high = NAN,
                                                        .least = NAN,
                                                        .n = isfinite(at->value),
                                                        .parted = i && at->run != at[-1].run});
    }
}

/* What some runs have in common at an epoch: mean and sample standard deviation of the finite values. Where there is
 * none the point is a gap, infinite if all of them are. */
static struct pl_point mean_of(const struct sample *list, size_t count, enum pl_around around, bool measured,
                               double *values)
{
    struct pl_point p = {.y = NAN, .low = NAN, .high = NAN, .least = NAN};
    size_t n = 0, above = 0, below = 0;
    for (size_t i = 0; i < count; i++) {
        double value = measured ? list[i].measured : list[i].value;
        p.x += (list[i].x - p.x) / (double)(i + 1);
        above += value == INFINITY;
        below += value == -INFINITY;
        if (isfinite(value))
            values[n++] = value;
    }
    p.place = p.x;
    p.n = (int64_t)n;
    if (n) {
        struct pl_summary s = {.deviation = NAN};
        pl_statistics(values, n, &s);
        pl_spread_set(around, values, n, s.mean, s.deviation, &p);
    } else if (above == count || below == count) {
        p.y = above ? INFINITY : -INFINITY;
    }
    return p;
}

/* Where x is time, it is the mean of the runs'. */
static void add_means(const struct pl_gather *g, struct pl_plot_line *line, struct samples *s,
                      const struct samples *ends)
{
    double *values = pl_new((s->count + 1) * sizeof *values);
    if (s->count)
        qsort(s->list, s->count, sizeof *s->list, by_epoch);
    for (size_t i = 0, count; i < s->count; i += count) {
        for (count = 1; i + count < s->count && s->list[i + count].epoch == s->list[i].epoch; count++)
            ;
        pl_points_add(&line->means, mean_of(s->list + i, count, g->spec->around, false, values));
        for (size_t k = 0; k < ends->count; k++)
            if (ends->list[k].epoch == s->list[i].epoch) {
                bool stopped = ends->list[k].value > 0;
                pl_points_add(stopped ? &line->ended : &line->open, line->means.list[line->means.count - 1]);
                break;
            }
        if (g->spec->smooth.epochs)
            pl_points_add(&line->measured, mean_of(s->list + i, count, g->spec->around, true, values));
    }
    free(values);
}

/* Where the number of runs changes, the mean may jump though no run does. Where it changes all the time, only a number
 * that was not there before counts. */
static void add_changes(struct pl_plot_line *line)
{
    const struct pl_points *means = &line->means;
    int64_t before = 0, least = 0, most = 0;
    for (int round = 0; round < 2; round++, before = 0)
        for (size_t i = 0; i < means->count; i++) {
            int64_t n = means->list[i].n;
            if (!n)
                continue;
            bool changed = before && n != before, extreme = before && (n < least || n > most);
            least = before && n > least ? least : n;
            most = before && n < most ? most : n;
            before = n;
            line->changes += changed && !round;
            if (round && changed && (line->changes <= MOST_CHANGES || extreme))
                pl_points_add(&line->changed, means->list[i]);
        }
    line->fewest = least;
    line->most = most;
}

/* The point of the line nearest to the mean of where its runs were first measured with averaged weights. Where that is
 * its first there is no turn: all of it is averaged. */
static void add_turn(struct pl_plot_line *line, const struct samples *turns)
{
    const struct pl_points *means = &line->means;
    size_t nearest = 0;
    double x = 0;
    for (size_t i = 0; i < turns->count; i++)
        x += turns->list[i].x / (double)turns->count;
    for (size_t i = 1; i < means->count && turns->count; i++)
        if (means->list[i].n && fabs(means->list[i].x - x) < fabs(means->list[nearest].x - x))
            nearest = i;
    if (nearest)
        pl_points_add(&line->turn, means->list[nearest]);
}

struct drawn_runs {
    const struct pl_gather *gather;
    size_t *line_of; /* by configuration: 1 + its line, or 0 */
    struct drawn_run *list;
    size_t count, capacity;
};

static int take_run(void *self, const struct pl_result *result)
{
    struct drawn_runs *runs = self;
    size_t config = pl_results_position(runs->gather->results, result->config);
    bool drawn = result->status == PL_RUN_FINISHED || result->status == PL_RUN_DIVERGED ||
                 result->status == PL_RUN_RUNNING || result->status == PL_RUN_STOPPED ||
                 result->status == PL_RUN_INTERRUPTED;
    if (config == SIZE_MAX || !runs->line_of[config] || !drawn)
        return 0;
    void *list = runs->list;
    pl_grow(&list, &runs->capacity, runs->count + 1, sizeof *runs->list);
    runs->list = list;
    runs->list[runs->count++] = (struct drawn_run){result->run, result->config, runs->line_of[config] - 1,
                                                   result->status, result->stopped};
    return 0;
}

static void make_lines(struct pl_figure *figure, const struct pl_gather *g, size_t *line_of,
                       struct pl_plot_line **lines)
{
    for (size_t i = 0; i < g->config_count; i++) {
        struct pl_panel *panel = &figure->panels[pl_headings_of(g->results, &g->panels, g->configs[i])];
        panel->line_count += g->metric_count;
    }
    for (size_t p = 0; p < figure->panel_count; p++) {
        figure->panels[p].lines = pl_new((figure->panels[p].line_count + 1) * sizeof *figure->panels[p].lines);
        figure->panels[p].line_count = 0;
    }
    for (size_t i = 0; i < g->config_count; i++) {
        struct pl_panel *panel = &figure->panels[pl_headings_of(g->results, &g->panels, g->configs[i])];
        size_t heading = pl_headings_of(g->results, &g->lines, g->configs[i]);
        line_of[g->configs[i]] = i + 1;
        lines[i] = &panel->lines[panel->line_count];
        for (size_t m = 0; m < g->metric_count; m++) {
            struct pl_plot_line *line = &panel->lines[panel->line_count++];
            line->style = heading * g->metric_count + m;
            line->config = g->configs[i];
        }
    }
}

static int read_line(const struct pl_gather *g, struct pl_plot_line *line, const struct drawn_run *runs, size_t count,
                     int64_t *untimed, struct pl_error *err)
{
    struct samples samples = {0}, turns = {0}, ends = {.until = INFINITY}; /* ends: 1 is early */
    struct pl_settings settings = {0};
    bool all_stopped = true;
    for (size_t i = 0; i < count; i++)
        all_stopped = all_stopped && runs[i].status == PL_RUN_STOPPED;
    int status = pl_store_config(pl_results_store(g->results), pl_results_config_number(runs->config), &settings, err);
    for (size_t i = 0; i < count && !status; i++) {
        size_t before = samples.count;
        bool stopped = runs[i].status == PL_RUN_STOPPED;
        line->stopped += stopped && all_stopped;
        if (stopped && !all_stopped)
            continue; /* in no mean with those that were not */
        samples.run = i;
        samples.until = turns.until = stopped ? runs[i].stopped : INFINITY;
        status = read_run(g, runs[i].run, &settings, &samples, &turns, untimed, err);
        bool working = runs[i].status == PL_RUN_RUNNING, waiting = runs[i].status == PL_RUN_INTERRUPTED;
        bool begun = samples.count > before;
        if (begun && (working || waiting || stopped))
            add_sample(&ends, samples.list[samples.count - 1].epoch, stopped);
        line->runs += (!working && !waiting) || begun;
        line->working += working && begun;
        line->waiting += waiting && begun;
        line->diverged += runs[i].status == PL_RUN_DIVERGED;
    }
    if (!status && g->spec->kind == PL_FIGURE_TRAJECTORIES && count > 1 && count <= MOST_STRANDS && samples.count)
        add_strands(line, &samples);
    if (!status) {
        add_means(g, line, &samples, &ends);
        add_changes(line);
        add_turn(line, &turns);
    }
    free(samples.list);
    free(turns.list);
    free(ends.list);
    pl_settings_release(&settings);
    return status;
}

static int has_point(void *self, double position, double value)
{
    (void)position;
    (void)value;
    *(bool *)self = true;
    return 0;
}

/* Chooses what x counts: steps where they are asked for, else epochs; the other where no run has recorded that. Runs
 * that have recorded the other only are noted. */
static int choose_axis(struct pl_figure *figure, struct pl_gather *g, const struct drawn_runs *runs,
                       struct pl_error *err)
{
    static const char *const names[] = {"epoch", "step"};
    enum pl_series_axis wanted = g->spec->x && pl_has_word("step iteration n", g->spec->x) ? PL_BY_STEP : PL_BY_EPOCH;
    int64_t only[PL_AXIS_COUNT] = {0}, both = 0, only_of[PL_AXIS_COUNT][PL_FIGURE_METRICS] = {{0}};
    for (size_t i = 0; i < runs->count; i++) {
        bool has[PL_AXIS_COUNT] = {false};
        for (size_t m = 0; m < g->metric_count; m++) {
            bool this[PL_AXIS_COUNT] = {false};
            for (int axis = 0; axis < PL_AXIS_COUNT; axis++) {
                int status = pl_store_each_point_along(pl_results_store(g->results), runs->list[i].run, g->metrics[m],
                                                       (enum pl_series_axis)axis, has_point, &this[axis], err);
                if (status)
                    return status;
                has[axis] |= this[axis];
            }
            only_of[0][m] += this[0] && !this[1];
            only_of[1][m] += this[1] && !this[0];
        }
        both += has[0] && has[1];
        only[0] += has[0] && !has[1];
        only[1] += has[1] && !has[0];
    }
    bool other = !both && !only[wanted] && only[!wanted];
    g->axis = other ? (enum pl_series_axis) !wanted : wanted;
    bool problem = pl_results_key(g->results, "problem") != SIZE_MAX; /* whose iterations are recorded as epochs */
    if (!pl_figure_tells_time(g->spec) && (g->axis == PL_BY_STEP || (other && !problem))) {
        struct pl_text label = {0};
        pl_label_known(&label, &g->spec->labels, other || !g->spec->x ? names[g->axis] : g->spec->x, figure->plain);
        free(figure->x_label);
        figure->x_label = pl_text_take(&label);
    }
    for (size_t m = 0; m < g->metric_count; m++) {
        int64_t left = only_of[!g->axis][m];
        const char *metric = g->metric_count > 1 ? g->metrics[m] : "";
        if (left)
            pl_text_addf(g->notes, "%s%s%lld %s not drawn: %s was recorded by %s there and not by %s; see x.\n", metric,
                         *metric ? " of " : "", (long long)left,
                         left > 1 && !*metric ? "runs are"
                         : left > 1           ? "runs is"
                                              : "run is",
                         *metric ? "it" : g->metric, names[!g->axis], names[g->axis]);
    }
    return 0;
}

int pl_gather_curves(struct pl_figure *figure, struct pl_gather *g, struct pl_error *err)
{
    struct drawn_runs runs = {.gather = g};
    int64_t untimed = 0, again = 0; /* of the first metric, and of the others: the same runs */
    struct pl_plot_line **lines = pl_new((g->config_count + 1) * sizeof(struct pl_plot_line *));
    runs.line_of = pl_new((pl_results_count(g->results) + 1) * sizeof *runs.line_of);
    make_lines(figure, g, runs.line_of, lines);
    int status = pl_results_each(g->results, g->metric, PL_SELECT_BEST, take_run, &runs, err);
    if (!status)
        status = choose_axis(figure, g, &runs, err);
    for (size_t first = 0, last; first < runs.count && !status; first = last) {
        for (last = first; last < runs.count && runs.list[last].line == runs.list[first].line; last++)
            ;
        for (size_t m = 0; m < g->metric_count && !status; m++) {
            g->metric = g->metrics[m];
            status = read_line(g, &lines[runs.list[first].line][m], &runs.list[first], last - first,
                               m ? &again : &untimed, err);
        }
        g->metric = g->metrics[0];
    }
    if (untimed)
        pl_text_addf(g->notes, "%lld %s not drawn because %s not recorded what an epoch takes.\n", (long long)untimed,
                     untimed > 1 ? "runs are" : "run is", untimed > 1 ? "they have" : "it has");
    if (!status)
        pl_range_panels(figure, g->spec, g->spec->log_x);
    free(runs.list);
    free(runs.line_of);
    free(lines);
    return status;
}
