#include "sweep/recorder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int series_number(struct pl_recorder *r, const struct pl_series *series, int64_t *number, struct pl_error *err)
{
    for (size_t i = 0; i < r->number_count; i++)
        if (r->numbers[i].axis == series->axis && !strcmp(r->numbers[i].metric, series->metric)) {
            *number = r->numbers[i].number;
            return 0;
        }
    int status = pl_store_series(r->store, series->metric, series->axis, number, err);
    if (status)
        return status;
    void *list = r->numbers;
    pl_grow(&list, &r->number_capacity, r->number_count + 1, sizeof *r->numbers);
    r->numbers = list;
    struct pl_series_number *entry = &r->numbers[r->number_count++];
    snprintf(entry->metric, sizeof entry->metric, "%s", series->metric);
    entry->axis = series->axis;
    entry->number = *number;
    return 0;
}

/* A new attempt takes the place of earlier ones from the first position on that it states: a program that went on from
 * its own checkpoint states no earlier ones, a network reports all that it knows. */
static int forget_earlier(struct pl_recorder *r, struct pl_claimed *run, enum pl_series_axis axis, struct pl_error *err)
{
    double from = INFINITY;
    for (size_t i = 0; i < run->series.count; i++)
        if (run->series.all[i].axis == axis && run->series.all[i].count)
            from = fmin(from, run->series.all[i].epochs[0]);
    if (run->forgotten[axis] || from == INFINITY)
        return 0;
    run->forgotten[axis] = true;
    return pl_store_forget_points(r->store, &run->claim, axis, from, err);
}

int pl_recorder_points(struct pl_recorder *r, struct pl_claimed *run, struct pl_error *err)
{
    int status = 0;
    for (int axis = 0; axis < PL_AXIS_COUNT && !status && run->claim.attempt > 1; axis++)
        status = forget_earlier(r, run, (enum pl_series_axis)axis, err);
    for (size_t i = 0; i < run->series.count && !status; i++) {
        struct pl_series *series = &run->series.all[i];
        int64_t number;
        if (!series->count)
            continue;
        status = series_number(r, series, &number, err);
        if (!status)
            status = pl_store_points(r->store, &run->claim, number, series->epochs, series->values, series->count, err);
        series->count = 0;
    }
    return status;
}

int pl_recorder_begun(struct pl_recorder *r, struct pl_claimed *run, struct pl_error *err)
{
    if (!run->started || run->begun)
        return 0;
    run->begun = true;
    return pl_store_begun(r->store, &run->claim, run->ending.started, err);
}

int pl_recorder_end(struct pl_recorder *r, struct pl_claimed *run, struct pl_error *err)
{
    int status = pl_recorder_points(r, run, err);
    if (!status && run->host && !run->host->number)
        status = pl_store_put_host(r->store, &run->host->what, &run->host->number, err);
    if (status)
        return status;
    struct pl_ending ending = run->ending;
    ending.session = r->session;
    ending.host = run->host ? run->host->number : 0;
    ending.threads = r->threads;
    ending.reason = run->reason[0] ? run->reason : NULL;
    ending.log = run->log.length ? pl_text(&run->log) : NULL;
    ending.unread_example = run->unread_example;
    ending.unsaved_example = run->unsaved_example;
    return pl_store_end(r->store, &run->claim, &ending, err);
}

void pl_recorder_forget(struct pl_recorder *r)
{
    r->number_count = 0;
}

void pl_recorder_release(struct pl_recorder *r)
{
    free(r->numbers);
}
