#include "sweep/halving.h"

#include "statistics/statistics.h"
#include "store/bracket.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- planning ---- */

static size_t bracket_count(const struct pl_stop *stop)
{
    return stop->hyperband ? stop->count + 1 : 1;
}

static size_t hyperband_of(struct pl_brackets *b, const struct pl_stop *stop, uint64_t index)
{
    if (!stop->hyperband)
        return 0;
    if (index >= b->count) {
        struct pl_hyperband all = {0};
        void *list = b->of;
        pl_grow(&list, &b->capacity, (size_t)index + 1, sizeof *b->of);
        b->of = list;
        for (b->count = 0; b->count < b->capacity; b->count++)
            b->of[b->count] = (unsigned char)pl_hyperband_next(&all, stop->count, stop->keep);
    }
    return b->of[index];
}

static double length_of(const struct pl_study *study, const struct pl_settings *settings)
{
    double own = pl_train_epochs(settings);
    return own > 0 ? own : pl_study_epochs(study, settings);
}

static uint64_t number_of(struct pl_brackets *brackets, const struct pl_study *study, const struct pl_walk_place *place,
                          size_t seed, size_t *hyperband)
{
    *hyperband = hyperband_of(brackets, study->stop, place->index);
    return (place->group * study->seed_count + seed) * bracket_count(study->stop) + *hyperband;
}

int pl_brackets_put(struct pl_brackets *brackets, const struct pl_sweep_study *entry, struct pl_store *store,
                    const struct pl_walk_place *place, const struct pl_settings *settings, size_t seed, int64_t run,
                    struct pl_error *err)
{
    const struct pl_stop *stop = entry->study->stop;
    size_t hyperband;
    uint64_t bracket = number_of(brackets, entry->study, place, seed, &hyperband);
    double epochs = length_of(entry->study, settings);
    double first = hyperband < stop->count ? stop->at[hyperband] : NAN;
    return pl_store_compete(store, entry->sweep, run, (int64_t)bracket, epochs, first < epochs ? first : NAN, err);
}

void pl_brackets_foresee(struct pl_brackets *brackets, const struct pl_study *study, const struct pl_walk_place *place,
                         const struct pl_settings *settings, size_t seed)
{
    size_t hyperband, number = (size_t)number_of(brackets, study, place, seed, &hyperband);
    double epochs = length_of(study, settings);
    if (number >= brackets->number) {
        void *list = brackets->list;
        pl_grow(&list, &brackets->room, number + 1, sizeof *brackets->list);
        brackets->list = list;
        memset(brackets->list + brackets->number, 0, (number + 1 - brackets->number) * sizeof *brackets->list);
        brackets->number = number + 1;
    }
    struct pl_bracket *bracket = &brackets->list[number];
    bracket->runs++;
    bracket->epochs += epochs;
    bracket->longest = fmax(bracket->longest, epochs);
}

/* Runs that compete are taken to be equally long. What begins anew at each rung is trained again. */
static void sum_bracket(const struct pl_bracket *bracket, const struct pl_stop *stop, size_t first,
                        struct pl_rungs *rungs)
{
    size_t left = bracket->runs, last = stop->count;
    double length = bracket->epochs / (double)bracket->runs, again = 0;
    rungs->runs[first] += (int64_t)bracket->runs;
    rungs->planned += bracket->epochs;
    rungs->even = rungs->even && bracket->epochs == bracket->longest * (double)bracket->runs;
    for (size_t k = first; k < last && !stop->median && stop->at[k] < length; k++) {
        size_t kept = pl_halving_kept(left, stop->keep);
        rungs->reach[first][k] += (int64_t)left;
        rungs->epochs += (double)(left - kept) * (stop->at[k] + again);
        again += stop->repeats ? stop->at[k] : 0;
        left = kept;
    }
    rungs->reach[first][last] += (int64_t)left;
    rungs->epochs += (double)left * (length + again);
}

void pl_brackets_sum(const struct pl_brackets *brackets, const struct pl_study *study, struct pl_rungs *rungs)
{
    *rungs = (struct pl_rungs){.brackets = bracket_count(study->stop), .even = true};
    for (size_t i = 0; i < brackets->number; i++)
        if (brackets->list[i].runs)
            sum_bracket(&brackets->list[i], study->stop, i % rungs->brackets, rungs);
}

void pl_brackets_release(struct pl_brackets *brackets)
{
    free(brackets->of);
    free(brackets->list);
    *brackets = (struct pl_brackets){0};
}

/* ---- deciding ---- */

struct deciding {
    struct pl_sweep_study *entry;
    const struct pl_competitor *all, *before; /* in the same order; before: what was decided before */
    struct pl_store *store;
    struct pl_rung_query query;
    struct pl_entrant *entrants; /* at the rung at hand */
    struct pl_competitor **in;   /* who they are */
    size_t count;
    bool *goes_on;
    struct pl_error *err;
};

/* What an entrant shows at the rung; one that ended before takes part with what it came to. */
static int look_at(struct deciding *d, size_t i, bool *any)
{
    const struct pl_stop *stop = d->entry->study->stop;
    const struct pl_competitor *c = d->in[i];
    struct pl_entrant *entrant = &d->entrants[i];
    struct pl_rung_value value;
    *entrant = (struct pl_entrant){PL_ENTRANT_LAST, 0, c->key};
    if (c->status == PL_RUN_DIVERGED && !(c->bad_epoch > d->query.epoch)) {
        *any = true;
        return 0;
    }
    int status = pl_store_rung(d->store, c, &d->query, &value, d->err);
    if (status)
        return status;
    *any = *any || value.any || !value.reached;
    if (!value.reached)
        entrant->state = c->status == PL_RUN_FAILED && stop->failed_last ? PL_ENTRANT_LAST : PL_ENTRANT_OPEN;
    else if (value.any && isfinite(value.value))
        *entrant = (struct pl_entrant){PL_ENTRANT_VALUE, value.value, c->key};
    return 0;
}

/* Why nothing can be decided, as far as somebody has to do something about it. */
static void note_held(struct deciding *d, bool any)
{
    struct pl_sweep_study *entry = d->entry;
    size_t failed = 0;
    int64_t run = 0;
    for (size_t i = 0; i < d->count; i++)
        if (d->entrants[i].state == PL_ENTRANT_OPEN && d->in[i]->status == PL_RUN_FAILED && !failed++)
            run = d->in[i]->run;
    if (entry->held[0])
        return;
    if (!any)
        snprintf(entry->held, sizeof entry->held,
                 "no run has recorded %.100s by epoch %g, by which it is decided there", d->query.metric,
                 d->query.epoch);
    else if (failed)
        snprintf(
            entry->held, sizeof entry->held,
            "run %lld failed before epoch %g, where it is decided which runs go on; --retry-failed tries it again, "
            "and stop: {failed: last} ranks it last",
            (long long)run, d->query.epoch);
}

/* A run that ended by itself is not stopped, nor is one that failed and may be tried again. */
static void leave_at(struct pl_competitor *c, const struct pl_entrant *entrant, double epoch)
{
    bool last = entrant->state == PL_ENTRANT_LAST, failed = c->status == PL_RUN_FAILED && last;
    bool own = (c->status == PL_RUN_DIVERGED && last) ||
               (c->status == PL_RUN_FINISHED && c->epochs > 0 && c->epochs <= epoch);
    c->until = failed ? epoch : 0;
    c->stopped = own || failed ? 0 : epoch;
}

/* Looks at a rung, and lets those through that go on. Returns 1 when it is still open. */
static int pass_rung(struct deciding *d, double epoch)
{
    const struct pl_stop *stop = d->entry->study->stop;
    bool any = false;
    d->query.epoch = epoch;
    for (size_t i = 0; i < d->count; i++) {
        int status = look_at(d, i, &any);
        if (status)
            return status;
    }
    bool maximize = d->query.direction == PL_MAXIMIZE;
    if (!any || !pl_halving_decide(d->entrants, d->count, stop->keep, maximize, d->goes_on)) {
        note_held(d, any);
        for (size_t i = 0; i < d->count; i++)
            d->in[i]->until = d->entrants[i].state == PL_ENTRANT_OPEN ? epoch : 0;
        return 1;
    }
    size_t kept = 0;
    for (size_t i = 0; i < d->count; i++)
        if (d->goes_on[i])
            d->in[kept++] = d->in[i];
        else
            leave_at(d->in[i], &d->entrants[i], epoch);
    d->count = kept;
    return 0;
}

/* Has it been decided that a run goes on from a rung, or has it long gone on? */
static bool was_let_through(const struct pl_competitor *before, double epoch)
{
    bool over = before->status == PL_RUN_FINISHED || before->status == PL_RUN_DIVERGED;
    return over || before->until > epoch || before->reached > epoch || before->stopped > epoch;
}

/* The same by medians: each run that has come to the rung is judged at once, by those that have come there before or
 * with it. Who was let through is not judged again. */
static int pass_medians(struct deciding *d, double epoch)
{
    const struct pl_stop *stop = d->entry->study->stop;
    bool any = false, maximize = d->query.direction == PL_MAXIMIZE;
    size_t kept = 0;
    d->query.epoch = epoch;
    for (size_t i = 0; i < d->count; i++) {
        int status = look_at(d, i, &any);
        if (status)
            return status;
    }
    if (d->count && !any)
        note_held(d, any);
    for (size_t i = 0; i < d->count; i++) {
        struct pl_competitor *c = d->in[i];
        const struct pl_competitor *before = &d->before[c - d->all];
        const struct pl_entrant *entrant = &d->entrants[i];
        d->goes_on[i] = entrant->state == PL_ENTRANT_VALUE && before->stopped != epoch &&
                        (was_let_through(before, epoch) ||
                         pl_median_goes_on(d->entrants, d->count, i, (size_t)stop->startup, maximize));
        if (entrant->state == PL_ENTRANT_OPEN)
            c->until = epoch;
        else if (!d->goes_on[i])
            leave_at(c, entrant, epoch);
    }
    for (size_t i = 0; i < d->count; i++)
        if (d->goes_on[i])
            d->in[kept++] = d->in[i];
    d->count = kept;
    return 0;
}

/* Decides the rungs of one bracket, one after the other. */
static int decide_bracket(struct deciding *d, struct pl_competitor *all, size_t count)
{
    const struct pl_stop *stop = d->entry->study->stop;
    double length = 0;
    size_t first = (size_t)all->bracket % bracket_count(stop);
    int status = 0;
    d->count = count;
    for (size_t i = 0; i < count; i++) {
        d->in[i] = &all[i];
        all[i].stopped = 0;
        all[i].until = INFINITY;
        length = fmax(length, all[i].epochs);
    }
    for (size_t k = first; k < stop->count && !status && stop->at[k] < length; k++)
        status = stop->median ? pass_medians(d, stop->at[k]) : pass_rung(d, stop->at[k]);
    return status < 0 ? status : 0;
}

/* What has changed is written. A run that was stopped by nobody and ended is not wanted any more by itself. */
static int write_changes(struct deciding *d, const struct pl_competitor *before, const struct pl_competitor *now,
                         size_t count, bool *changed)
{
    int status = 0;
    for (size_t i = 0; i < count && !status; i++) {
        if (before[i].until == now[i].until && before[i].stopped == now[i].stopped)
            continue;
        *changed = true;
        status = pl_store_decide(d->store, d->entry->sweep, &now[i], d->err);
    }
    return status;
}

/* Epochs that its runs have been trained for, and those of whole runs. Where each leg begins anew, all that is done
 * again counts. */
static void count_epochs(struct pl_sweep_study *entry, const struct pl_competitor *all, size_t count)
{
    const struct pl_stop *stop = entry->study->stop;
    entry->epochs_run = entry->epochs_planned = 0;
    for (size_t i = 0; i < count; i++) {
        const struct pl_competitor *c = &all[i];
        double end = c->stopped > 0                                      ? c->stopped
                     : c->status == PL_RUN_FINISHED                      ? c->epochs
                     : c->status == PL_RUN_DIVERGED && c->bad_epoch >= 0 ? fmin(c->bad_epoch, c->epochs)
                                                                         : c->reached;
        entry->epochs_planned += c->epochs;
        entry->epochs_run += end;
        for (size_t k = (size_t)c->bracket % bracket_count(stop); k < stop->count && stop->repeats; k++)
            entry->epochs_run += stop->at[k] < end ? stop->at[k] : 0;
    }
}

int pl_sweep_decide(struct pl_sweep_study *entry, struct pl_store *store, bool *changed, struct pl_error *err)
{
    const struct pl_stop *stop = entry->study->stop;
    struct pl_competitor *all, *before;
    size_t count;
    *changed = false;
    entry->undecided = false;
    entry->held[0] = '\0';
    int status = pl_store_competitors(store, entry->sweep, &all, &count, err);
    if (status)
        return status;
    struct deciding d = {.entry = entry, .store = store, .all = all, .err = err};
    d.query = (struct pl_rung_query){
        .metric = stop->metric, .best = stop->best, .direction = pl_study_direction(entry->study, stop->metric)};
    d.entrants = pl_new((count + 1) * sizeof *d.entrants);
    d.in = pl_new((count + 1) * sizeof(struct pl_competitor *));
    d.goes_on = pl_new((count + 1) * sizeof *d.goes_on);
    d.before = before = pl_new((count + 1) * sizeof *before);
    if (count)
        memcpy(before, all, count * sizeof *before);
    for (size_t i = 0, next; i < count && !status; i = next) {
        for (next = i; next < count && all[next].bracket == all[i].bracket; next++)
            ;
        status = decide_bracket(&d, &all[i], next - i);
    }
    if (!status)
        status = write_changes(&d, before, all, count, changed);
    int64_t failed = entry->counts[PL_RUN_FAILED]; /* which may be those of this sweep alone */
    if (!status && *changed)
        status = pl_store_counts(store, entry->sweep, entry->counts, err);
    entry->counts[PL_RUN_FAILED] = failed;
    count_epochs(entry, all, count);
    free(before);
    free(d.goes_on);
    free(d.in);
    free(d.entrants);
    free(all);
    return status;
}
