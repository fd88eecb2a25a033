#include "sweep/claimed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_LIMIT = 8000 }; /* bytes of a run's log that are kept: the last ones */

void pl_claimed_push(struct pl_claimed_queue *queue, struct pl_claimed *run)
{
    run->next = NULL;
    if (queue->last)
        queue->last->next = run;
    else
        queue->first = run;
    queue->last = run;
    queue->count++;
}

void pl_claimed_prepend(struct pl_claimed_queue *queue, struct pl_claimed_queue *more)
{
    if (!more->first)
        return;
    more->last->next = queue->first;
    if (!queue->first)
        queue->last = more->last;
    queue->first = more->first;
    queue->count += more->count;
    *more = (struct pl_claimed_queue){0};
}

struct pl_claimed *pl_claimed_pop(struct pl_claimed_queue *queue)
{
    struct pl_claimed *run = queue->first;
    if (!run)
        return NULL;
    queue->first = run->next;
    if (!queue->first)
        queue->last = NULL;
    queue->count--;
    run->next = NULL;
    return run;
}

void pl_claimed_free_all(struct pl_claimed_queue *queue)
{
    struct pl_claimed *run;
    while ((run = pl_claimed_pop(queue)))
        pl_claimed_free(run);
}

struct pl_config_text *pl_config_text_new(int64_t config, const struct pl_settings *settings)
{
    struct pl_text text = {0};
    pl_settings_write(settings, &text);
    struct pl_config_text *shared = pl_new(sizeof *shared);
    *shared = (struct pl_config_text){.config = config, .users = 1, .text = pl_text_take(&text)};
    return shared;
}

void pl_config_text_drop(struct pl_config_text *shared)
{
    if (shared && !--shared->users) {
        free(shared->text);
        free(shared);
    }
}

struct pl_claimed *pl_claimed_new(struct pl_claimed_queue *spare)
{
    struct pl_claimed *run = pl_claimed_pop(spare);
    if (!run)
        run = pl_new(sizeof *run);
    run->ending = (struct pl_ending){.bad_epoch = -1, .exit_code = -1};
    return run;
}

void pl_claimed_recycle(struct pl_claimed *run, struct pl_claimed_queue *spare)
{
    struct pl_claimed empty = {
        .series = run->series, .marks = run->marks, .mark_capacity = run->mark_capacity, .log = run->log};
    pl_series_clear(&empty.series);
    pl_text_clear(&empty.log);
    pl_config_text_drop(run->settings);
    *run = empty;
    pl_claimed_push(spare, run);
}

void pl_claimed_free(struct pl_claimed *run)
{
    pl_series_release(&run->series);
    free(run->marks);
    pl_text_release(&run->log);
    pl_config_text_drop(run->settings);
    free(run);
}

/* The number of a series; a long name is cut. */
static size_t open_series(struct pl_claimed *run, const char *metric, enum pl_series_axis axis)
{
    char name[PL_METRIC_SIZE];
    size_t length = strnlen(metric, sizeof name - 1), before = run->series.count;
    memcpy(name, metric, length);
    name[length] = '\0';
    size_t number = pl_series_open(&run->series, name, axis);
    if (run->series.count == before)
        return number;
    void *list = run->marks;
    pl_grow(&list, &run->mark_capacity, run->series.count, sizeof *run->marks);
    run->marks = list;
    run->marks[number] = (struct pl_claimed_mark){
        .direction = pl_study_direction(run->study ? run->study->study : NULL, name), .best = NAN};
    return number;
}

static void keep_best(struct pl_claimed_mark *mark, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pl_direction_better(mark->direction, values[i], mark->best))
            mark->best = values[i];
}

void pl_claimed_points(struct pl_claimed *run, const struct pl_event *event)
{
    for (size_t i = 0; i < event->series_count; i++) {
        const struct pl_event_series *series = &event->series[i];
        size_t number = open_series(run, series->metric, series->axis);
        pl_series_append(&run->series.all[number], event->epochs, series->values, event->count);
        keep_best(&run->marks[number], series->values, event->count);
        run->received += (int64_t)event->count;
    }
}

void pl_claimed_end(struct pl_claimed *run, const struct pl_event *event)
{
    struct pl_ending *ending = &run->ending;
    ending->outcome = event->outcome;
    ending->bad_epoch = event->bad_epoch;
    ending->reached = event->reached;
    ending->exit_code = event->exit_code;
    ending->signal = event->signal;
    ending->seconds = event->seconds;
    ending->unread = event->unread;
    if (event->unread)
        snprintf(run->unread_example, sizeof run->unread_example, "%s", event->unread_example);
    ending->unsaved = event->unsaved;
    if (event->unsaved)
        snprintf(run->unsaved_example, sizeof run->unsaved_example, "%s", event->unsaved_example);
    if (event->reason)
        snprintf(run->reason, sizeof run->reason, "%s", event->reason);
    if (event->values != run->received) {
        ending->outcome = PL_FAILED;
        snprintf(run->reason, sizeof run->reason, "the worker reported %lld values, but %lld arrived",
                 (long long)event->values, (long long)run->received);
    }
}

void pl_claimed_result(const struct pl_claimed *run, struct pl_run_result *result)
{
    const struct pl_ending *ending = &run->ending;
    *result = (struct pl_run_result){.outcome = ending->outcome,
                                     .bad_epoch = ending->bad_epoch,
                                     .reached = ending->reached,
                                     .exit_code = ending->exit_code,
                                     .signal = ending->signal,
                                     .unread = ending->unread,
                                     .unsaved = ending->unsaved};
    snprintf(result->reason, sizeof result->reason, "%s", run->reason);
    snprintf(result->unread_example, sizeof result->unread_example, "%s", run->unread_example);
    snprintf(result->unsaved_example, sizeof result->unsaved_example, "%s", run->unsaved_example);
}

void pl_claimed_log(struct pl_claimed *run, const char *line, size_t length)
{
    pl_text_add_bytes(&run->log, line, length);
    pl_text_add_char(&run->log, '\n');
    run->said += (int64_t)length + 1;
    pl_log_keep_end(&run->log);
}

/* Drops what is far from the end, in whole lines where there are any. */
void pl_log_keep_end(struct pl_text *text)
{
    if (text->length <= 2 * LOG_LIMIT) /* rarely, not at every line */
        return;
    char *start = text->text + text->length - LOG_LIMIT;
    char *line = memchr(start, '\n', LOG_LIMIT - 1);
    if (line)
        start = line + 1;
    size_t kept = (size_t)(text->text + text->length - start);
    memmove(text->text, start, kept);
    pl_text_cut(text, kept);
}

size_t pl_claimed_pending(const struct pl_claimed *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->series.count; i++)
        count += run->series.all[i].count;
    return count * 2 * sizeof(double);
}
