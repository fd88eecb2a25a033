/* Long lines: a picture has no room for every point, and a figure must not lose one that stands out. */
#include "plot/plot_priv.h"

#include <math.h>

/* A bucket of neighbours keeps its first and last, its lowest and highest, and a gap if it has one. */
static void keep_of(const struct pl_point *list, size_t count, struct pl_points *kept)
{
    size_t keep[5] = {0, count - 1, 0, 0, SIZE_MAX};
    for (size_t i = 0; i < count; i++) {
        if (isfinite(list[i].y) && !(list[i].y >= list[keep[2]].y))
            keep[2] = i;
        if (isfinite(list[i].y) && !(list[i].y <= list[keep[3]].y))
            keep[3] = i;
        if (!isfinite(list[i].y))
            keep[4] = i;
    }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 5; k++)
            if (keep[k] == i) {
                pl_points_add(kept, list[i]);
                break;
            }
}

void pl_points_thin(const struct pl_points *points, size_t most, struct pl_points *kept)
{
    size_t buckets = points->count > most ? most / 4 : points->count, start = 0;
    for (size_t b = 0; b < buckets; b++) {
        size_t end = points->count * (b + 1) / buckets, from = start;
        for (size_t i = start + 1; i <= end; i++)
            if (i == end || points->list[i].parted) { /* one strand ends and another begins */
                keep_of(points->list + from, i - from, kept);
                from = i;
            }
        start = end;
    }
}
