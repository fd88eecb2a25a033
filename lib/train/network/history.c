#include "train/network/network.h"

#include <stdlib.h>
#include <string.h>

static struct pl_history_series *find(const struct pl_history *h, const char *metric)
{
    for (size_t i = 0; i < h->count; i++)
        if (!strcmp(h->series[i].metric, metric))
            return &h->series[i];
    return NULL;
}

static struct pl_history_series *open_series(struct pl_history *h, const char *metric)
{
    struct pl_history_series *found = find(h, metric);
    if (found)
        return found;
    void *list = h->series;
    pl_grow(&list, &h->capacity, h->count + 1, sizeof *h->series);
    h->series = list;
    h->series[h->count] = (struct pl_history_series){
        .metric = pl_copy(metric), .number = h->sink->series(h->sink->self, metric, PL_BY_EPOCH)};
    return &h->series[h->count++];
}

void pl_history_add(struct pl_history *h, const char *metric, uint64_t epoch, double value)
{
    struct pl_history_series *s = open_series(h, metric);
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 64;
        s->epochs = pl_resize(s->epochs, s->capacity, sizeof *s->epochs);
        s->values = pl_resize(s->values, s->capacity, sizeof *s->values);
    }
    s->epochs[s->count] = epoch;
    s->values[s->count++] = value;
    h->sink->value(h->sink->self, s->number, (double)epoch, value);
}

bool pl_history_has(const struct pl_history *h, const char *metric)
{
    return find(h, metric);
}

void pl_history_release(struct pl_history *h)
{
    for (size_t i = 0; i < h->count; i++) {
        free(h->series[i].metric);
        free(h->series[i].epochs);
        free(h->series[i].values);
    }
    free(h->series);
    *h = (struct pl_history){0};
}
