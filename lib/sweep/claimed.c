#include "sweep/claimed.h"

#include <math.h>
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
    struct pl_claimed empty = {.series = run->series, .series_capacity = run->series_capacity, .log = run->log};
    pl_text_clear(&empty.log);
    pl_config_text_drop(run->settings);
    *run = empty;
    pl_claimed_push(spare, run);
}

void pl_claimed_free(struct pl_claimed *run)
{
    for (size_t i = 0; i < run->series_capacity; i++) {
        free(run->series[i].epochs);
        free(run->series[i].values);
    }
    free(run->series);
    pl_text_release(&run->log);
    pl_config_text_drop(run->settings);
    free(run);
}

static struct pl_claimed_series *find_series(struct pl_claimed *run, const char *metric, enum pl_series_axis axis)
{
    for (size_t i = 0; i < run->series_count; i++)
        if (run->series[i].axis == axis && !strcmp(run->series[i].metric, metric))
            return &run->series[i];
    void *list = run->series;
    size_t before = run->series_capacity;
    pl_grow(&list, &run->series_capacity, run->series_count + 1, sizeof *run->series);
    run->series = list;
    memset(run->series + before, 0, (run->series_capacity - before) * sizeof *run->series);
    struct pl_claimed_series *series = &run->series[run->series_count++];
    size_t length = strnlen(metric, sizeof series->metric - 1);
    memcpy(series->metric, metric, length);
    series->metric[length] = '\0';
    series->axis = axis;
    series->direction = pl_study_direction(run->study ? run->study->study : NULL, metric);
    series->count = 0;
    series->best = NAN;
    return series;
}

static void keep_best(struct pl_claimed_series *series, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pl_direction_better(series->direction, values[i], series->best))
            series->best = values[i];
}

void pl_claimed_points(struct pl_claimed *run, const struct pl_event *event)
{
    for (size_t i = 0; i < event->series_count; i++) {
        struct pl_claimed_series *series = find_series(run, event->series[i].metric, event->series[i].axis);
        size_t need = series->count + event->count;
        if (need > series->capacity) {
            size_t capacity = need > 2 * series->capacity ? need : 2 * series->capacity;
            series->epochs = pl_resize(series->epochs, capacity, sizeof *series->epochs);
            series->values = pl_resize(series->values, capacity, sizeof *series->values);
            series->capacity = capacity;
        }
        if (event->count) {
            memcpy(series->epochs + series->count, event->epochs, event->count * sizeof *series->epochs);
            memcpy(series->values + series->count, event->series[i].values, event->count * sizeof *series->values);
        }
        series->count = need;
        keep_best(series, event->series[i].values, event->count);
        run->received += (int64_t)event->count;
    }
}

void pl_claimed_log(struct pl_claimed *run, const char *line, size_t length)
{
    pl_text_add_bytes(&run->log, line, length);
    pl_text_add_char(&run->log, '\n');
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
    for (size_t i = 0; i < run->series_count; i++)
        count += run->series[i].count;
    return count * 2 * sizeof(double);
}
