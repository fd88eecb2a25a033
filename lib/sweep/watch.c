#include "sweep/watch.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double show_every = 0.1;

void pl_view_note(const struct pl_sweep_view *view, const char *format, ...)
{
    if (!view->note)
        return;
    struct pl_text text = {0};
    va_list args;
    va_start(args, format);
    pl_text_addv(&text, format, args);
    va_end(args);
    view->note(view->self, pl_text(&text));
    pl_text_release(&text);
}

/* ---- best values ---- */

/* The number of the series to follow: the one that the study follows already, or what a reader wants first; or -1. */
static int followed(const struct pl_claimed *run)
{
    const struct pl_series *all = run->series.all;
    const char *metric = run->study->best.metric;
    int found = -1;
    for (size_t i = 0; i < run->series.count; i++) {
        if (isnan(run->marks[i].best) || (*metric && strcmp(metric, all[i].metric)))
            continue;
        if (found < 0 || pl_train_metric_rank(all[i].metric) < pl_train_metric_rank(all[found].metric))
            found = (int)i;
    }
    return found;
}

void pl_watch_finished(const struct pl_claimed *run)
{
    struct pl_sweep_best *best = &run->study->best;
    int number = followed(run);
    if (number < 0)
        return;
    const struct pl_claimed_mark *mark = &run->marks[number];
    if (best->run && !pl_direction_better(mark->direction, mark->best, best->value))
        return;
    snprintf(best->metric, sizeof best->metric, "%s", run->series.all[number].metric);
    best->direction = mark->direction;
    best->value = mark->best;
    best->run = run->claim.run;
}

/* ---- rates ---- */

void pl_watch_init(struct pl_watch *watch)
{
    *watch = (struct pl_watch){.begun = pl_clock_steady()};
    watch->rate_time = watch->begun;
}

bool pl_watch_is_due(const struct pl_watch *watch)
{
    return pl_clock_steady() - watch->shown >= show_every;
}

/* The rate of the last runs that ended, once there were enough of them to tell. */
static void measure_rate(struct pl_watch *watch, int64_t ran, double now)
{
    enum { ENOUGH = 20 };
    double seconds = now - watch->rate_time;
    if (seconds < 0.5 || ran - watch->rate_ran < ENOUGH)
        return;
    double rate = (double)(ran - watch->rate_ran) / seconds;
    double weight = seconds < 5 ? 0.3 : 0.8;
    watch->rate = watch->rate > 0 ? (1 - weight) * watch->rate + weight * rate : rate;
    watch->rate_time = now;
    watch->rate_ran = ran;
}

/* Runs a second, as best known: the latest, unless there was none or the runs have become slower since. */
static double rate_now(const struct pl_watch *watch, int64_t ran, double now)
{
    double elapsed = now - watch->begun, since = now - watch->rate_time;
    double average = elapsed > 0 ? (double)ran / elapsed : 0;
    if (!(watch->rate > 0) || elapsed <= 2)
        return average;
    double slower = since > 0 ? (double)(ran - watch->rate_ran + 1) / since : watch->rate;
    return slower < watch->rate ? slower : watch->rate;
}

static void fill_state(const struct pl_watch *watch, double now, struct pl_sweep_state *state)
{
    const struct pl_sweep_plan *plan = state->plan;
    state->elapsed = now - watch->begun;
    state->left = NAN;
    for (size_t i = 0; i < plan->count; i++) {
        state->total += plan->studies[i].runs;
        state->missing += pl_sweep_study_missing(&plan->studies[i], false);
    }
    state->total -= plan->shared.runs;
    state->missing -= pl_sweep_study_missing(&plan->shared, false);
    state->done = state->total - state->missing;
    state->rate = rate_now(watch, state->ran, now);
    if (state->rate > 0)
        state->left = (double)state->missing / state->rate;
}

void pl_watch_show(struct pl_watch *watch, const struct pl_sweep_view *view, struct pl_sweep_state *state)
{
    double now = pl_clock_steady();
    if (!view->progress)
        return;
    measure_rate(watch, state->ran, now);
    fill_state(watch, now, state);
    view->progress(view->self, state);
    watch->shown = now;
}
