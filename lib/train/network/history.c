#include "train/network/network.h"

#include <stdlib.h>

void pl_history_add(struct pl_history *h, const char *metric, uint64_t epoch, double value)
{
    size_t before = h->series.count, i = pl_series_open(&h->series, metric, PL_BY_EPOCH);
    if (h->series.count > before) {
        h->numbers = pl_resize(h->numbers, h->series.count, sizeof *h->numbers);
        h->numbers[i] = h->sink->series(h->sink->self, metric, PL_BY_EPOCH);
    }
    pl_series_add(&h->series.all[i], (double)epoch, value);
    h->sink->value(h->sink->self, h->numbers[i], (double)epoch, value);
}

bool pl_history_has(const struct pl_history *h, const char *metric)
{
    return pl_series_find(&h->series, metric, PL_BY_EPOCH);
}

void pl_history_release(struct pl_history *h)
{
    pl_series_release(&h->series);
    free(h->numbers);
    *h = (struct pl_history){0};
}
