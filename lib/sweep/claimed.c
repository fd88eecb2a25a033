/* Tasks: claimed runs with what is known of them until it is in the database. Their memory is used again, since
 * quick runs come by the thousand a second. */
#include "sweep/sweep_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_LIMIT = 8000 }; /* bytes of a run's log that are kept: the last ones */

void pl_claimed_push(struct pl_claimed_queue *tasks, struct pl_claimed *task)
{
    task->next = NULL;
    if (tasks->last)
        tasks->last->next = task;
    else
        tasks->first = task;
    tasks->last = task;
    tasks->count++;
}

void pl_claimed_prepend(struct pl_claimed_queue *tasks, struct pl_claimed_queue *more)
{
    if (!more->first)
        return;
    more->last->next = tasks->first;
    if (!tasks->first)
        tasks->last = more->last;
    tasks->first = more->first;
    tasks->count += more->count;
    *more = (struct pl_claimed_queue){0};
}

struct pl_claimed *pl_claimed_pop(struct pl_claimed_queue *tasks)
{
    struct pl_claimed *task = tasks->first;
    if (!task)
        return NULL;
    tasks->first = task->next;
    if (!tasks->first)
        tasks->last = NULL;
    tasks->count--;
    task->next = NULL;
    return task;
}

void pl_claimed_free_all(struct pl_claimed_queue *tasks)
{
    struct pl_claimed *task;
    while ((task = pl_claimed_pop(tasks)))
        pl_claimed_free(task);
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
    struct pl_claimed *task = pl_claimed_pop(spare);
    if (!task)
        task = pl_new(sizeof *task);
    task->ending = (struct pl_ending){.bad_epoch = -1, .exit_code = -1};
    return task;
}

void pl_claimed_recycle(struct pl_claimed *task, struct pl_claimed_queue *spare)
{
    struct pl_claimed empty = {.series = task->series, .series_capacity = task->series_capacity, .log = task->log};
    pl_text_clear(&empty.log);
    pl_config_text_drop(task->settings);
    *task = empty;
    pl_claimed_push(spare, task);
}

void pl_claimed_free(struct pl_claimed *task)
{
    for (size_t i = 0; i < task->series_capacity; i++) {
        free(task->series[i].epochs);
        free(task->series[i].values);
    }
    free(task->series);
    pl_text_release(&task->log);
    pl_config_text_drop(task->settings);
    free(task);
}

static struct pl_claimed_series *find_series(struct pl_claimed *task, const char *metric, enum pl_series_axis axis)
{
    for (size_t i = 0; i < task->series_count; i++)
        if (task->series[i].axis == axis && !strcmp(task->series[i].metric, metric))
            return &task->series[i];
    void *list = task->series;
    size_t before = task->series_capacity;
    pl_grow(&list, &task->series_capacity, task->series_count + 1, sizeof *task->series);
    task->series = list;
    memset(task->series + before, 0, (task->series_capacity - before) * sizeof *task->series);
    struct pl_claimed_series *series = &task->series[task->series_count++];
    size_t length = strnlen(metric, sizeof series->metric - 1);
    memcpy(series->metric, metric, length);
    series->metric[length] = '\0';
    series->axis = axis;
    series->direction = pl_study_direction(task->study ? task->study->study : NULL, metric);
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

void pl_claimed_points(struct pl_claimed *task, const struct pl_event *event)
{
    for (size_t i = 0; i < event->series_count; i++) {
        struct pl_claimed_series *series = find_series(task, event->series[i].metric, event->series[i].axis);
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
        task->received += (int64_t)event->count;
    }
}

void pl_claimed_log(struct pl_claimed *task, const char *line, size_t length)
{
    pl_text_add_bytes(&task->log, line, length);
    pl_text_add_char(&task->log, '\n');
    pl_log_keep_end(&task->log);
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

size_t pl_claimed_pending(const struct pl_claimed *task)
{
    size_t count = 0;
    for (size_t i = 0; i < task->series_count; i++)
        count += task->series[i].count;
    return count * 2 * sizeof(double);
}
