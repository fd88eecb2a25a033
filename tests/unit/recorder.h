/* A sink that keeps everything, for tests of lib/train. */
#ifndef PL_TEST_RECORDER_H
#define PL_TEST_RECORDER_H

#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct recorder {
    char *metrics[1100];
    enum pl_direction directions[1100]; /* that their names tell */
    enum pl_series_axis axes[1100];
    int metric_count;
    struct recorded {
        int series;
        double epoch, value;
    } * points;
    size_t count, capacity;
    struct pl_text log;
    double stop_after; /* seconds from the first question on; INFINITY: never */
    int questions;
    double first_question;
};

static int recorder_series(void *self, const char *metric, enum pl_series_axis axis)
{
    struct recorder *r = self;
    r->metrics[r->metric_count] = pl_copy(metric);
    r->directions[r->metric_count] = pl_train_direction(metric);
    r->axes[r->metric_count] = axis;
    return r->metric_count++;
}

static void recorder_value(void *self, int series, double epoch, double value)
{
    struct recorder *r = self;
    void *list = r->points;
    pl_grow(&list, &r->capacity, r->count + 1, sizeof *r->points);
    r->points = list;
    r->points[r->count++] = (struct recorded){series, epoch, value};
}

static void recorder_log(void *self, const char *line)
{
    struct recorder *r = self;
    pl_text_addf(&r->log, "%s\n", line);
}

static bool recorder_stop(void *self)
{
    struct recorder *r = self;
    if (!r->questions++)
        r->first_question = pl_clock_steady();
    return pl_clock_steady() - r->first_question >= r->stop_after;
}

static inline struct pl_sink recorder_sink(struct recorder *r)
{
    *r = (struct recorder){.stop_after = INFINITY};
    return (struct pl_sink){
        .self = r, .series = recorder_series, .value = recorder_value, .log = recorder_log, .stop = recorder_stop};
}

/* The number of recorded values of a metric; the index-th goes to point if that is not NULL (NaN at epoch -1 if there
 * are not so many). */
static inline size_t recorder_find(const struct recorder *r, const char *metric, size_t index, struct recorded *point)
{
    size_t found = 0;
    if (point)
        *point = (struct recorded){-1, -1, NAN};
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->metrics[r->points[i].series], metric) && found++ == index && point)
            *point = r->points[i];
    return found;
}

static inline void recorder_release(struct recorder *r)
{
    for (int i = 0; i < r->metric_count; i++)
        free(r->metrics[i]);
    free(r->points);
    pl_text_release(&r->log);
}

#endif
