#include "base/base.h"
#include "train/series.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

static void make_room(struct pl_series *series, size_t need)
{
    if (need <= series->capacity)
        return;
    size_t capacity = series->capacity ? 2 * series->capacity : FIRST_ROOM;
    series->capacity = need > capacity ? need : capacity;
    series->epochs = pl_resize(series->epochs, series->capacity, sizeof *series->epochs);
    series->values = pl_resize(series->values, series->capacity, sizeof *series->values);
}

void pl_series_add(struct pl_series *series, double epoch, double value)
{
    make_room(series, series->count + 1);
    series->epochs[series->count] = epoch;
    series->values[series->count++] = value;
}

void pl_series_append(struct pl_series *series, const double *epochs, const double *values, size_t count)
{
    if (!count)
        return;
    make_room(series, series->count + count);
    memcpy(series->epochs + series->count, epochs, count * sizeof *epochs);
    memcpy(series->values + series->count, values, count * sizeof *values);
    series->count += count;
}

struct pl_series *pl_series_find(const struct pl_series_list *list, const char *metric, enum pl_series_axis axis)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->all[i].axis == axis && !strcmp(list->all[i].metric, metric))
            return &list->all[i];
    return NULL;
}

size_t pl_series_open(struct pl_series_list *list, const char *metric, enum pl_series_axis axis)
{
    const struct pl_series *found = pl_series_find(list, metric, axis);
    if (found)
        return (size_t)(found - list->all);
    void *block = list->all;
    size_t before = list->capacity;
    pl_grow(&block, &list->capacity, list->count + 1, sizeof *list->all);
    list->all = block;
    memset(list->all + before, 0, (list->capacity - before) * sizeof *list->all);
    struct pl_series *series = &list->all[list->count];
    if (!series->metric || strcmp(series->metric, metric)) { /* of one that was cleared, the name is often the same */
        free(series->metric);
        series->metric = pl_copy(metric);
    }
    series->axis = axis;
    series->count = 0;
    return list->count++;
}

void pl_series_clear(struct pl_series_list *list)
{
    list->count = 0;
}

void pl_series_release(struct pl_series_list *list)
{
    for (size_t i = 0; i < list->capacity; i++) {
        free(list->all[i].metric);
        free(list->all[i].epochs);
        free(list->all[i].values);
    }
    free(list->all);
    *list = (struct pl_series_list){0};
}
