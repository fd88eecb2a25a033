/* Values along an axis, as runs report them: one buffer for whoever keeps some of them, a network that tells them again
 * after a checkpoint, a worker that sends them, a sweep that writes them down. A list belongs to one thread. */
#ifndef PL_TRAIN_SERIES_H
#define PL_TRAIN_SERIES_H

#include <stddef.h>

/* What the positions of a series count: epochs (iterations of a problem), or the steps of a program that counts those.
 */
enum pl_series_axis { PL_BY_EPOCH, PL_BY_STEP, PL_AXIS_COUNT };

struct pl_series {
    char *metric;
    enum pl_series_axis axis;
    double *epochs, *values; /* positions along the axis, in the order in which they came */
    size_t count, capacity;
};
void pl_series_add(struct pl_series *series, double epoch, double value);
void pl_series_append(struct pl_series *series, const double *epochs, const double *values, size_t count);

/* The series of a run, in order of first use. Zero-initialise. */
struct pl_series_list {
    struct pl_series *all;
    size_t count, capacity;
};
/* Returns the number of the series of a metric along an axis, which is empty where it is new. */
size_t pl_series_open(struct pl_series_list *list, const char *metric, enum pl_series_axis axis);
/* NULL where there is none. */
struct pl_series *pl_series_find(const struct pl_series_list *list, const char *metric, enum pl_series_axis axis);
void pl_series_clear(struct pl_series_list *list); /* forgets all series and keeps their memory */
void pl_series_release(struct pl_series_list *list);

#endif
