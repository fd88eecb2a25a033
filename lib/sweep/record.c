/* Every value of a run, kept in memory: for workers, which send them on, and for commands that train one run. */
#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

static int add_series(void *self, const char *metric, enum pl_direction direction)
{
    struct pl_record *record = self;
    for (size_t i = 0; i < record->count; i++)
        if (!strcmp(record->series[i].metric, metric))
            return (int)i;
    void *list = record->series;
    size_t before = record->capacity;
    pl_grow(&list, &record->capacity, record->count + 1, sizeof *record->series);
    record->series = list;
    memset(record->series + before, 0, (record->capacity - before) * sizeof *record->series);
    struct pl_record_series *series = &record->series[record->count];
    free(series->metric); /* left from before a clear */
    series->metric = pl_copy(metric);
    series->direction = direction;
    series->count = 0;
    return (int)record->count++;
}

static void add_value(void *self, int number, int64_t epoch, double value)
{
    struct pl_record_series *series = &((struct pl_record *)self)->series[number];
    if (series->count == series->capacity) {
        size_t capacity = series->capacity ? 2 * series->capacity : 64;
        series->epochs = pl_resize(series->epochs, capacity, sizeof *series->epochs);
        series->values = pl_resize(series->values, capacity, sizeof *series->values);
        series->capacity = capacity;
    }
    series->epochs[series->count] = epoch;
    series->values[series->count++] = value;
}

static void add_log(void *self, const char *line)
{
    struct pl_record *record = self;
    pl_text_add(&record->log, line);
    pl_text_add_char(&record->log, '\n');
}

static bool never(void *self)
{
    (void)self;
    return false;
}

struct pl_sink pl_record_sink(struct pl_record *record)
{
    return (struct pl_sink){.self = record, .series = add_series, .value = add_value, .log = add_log, .stop = never};
}

const struct pl_record_series *pl_record_find(const struct pl_record *record, const char *metric)
{
    for (size_t i = 0; i < record->count; i++)
        if (!strcmp(record->series[i].metric, metric))
            return &record->series[i];
    return NULL;
}

void pl_record_clear(struct pl_record *record)
{
    record->count = 0;
    pl_text_clear(&record->log);
}

void pl_record_release(struct pl_record *record)
{
    for (size_t i = 0; i < record->capacity; i++) {
        free(record->series[i].metric);
        free(record->series[i].epochs);
        free(record->series[i].values);
    }
    free(record->series);
    pl_text_release(&record->log);
    *record = (struct pl_record){0};
}
