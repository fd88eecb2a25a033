/* Every value of a run, kept in memory: for workers, which send them on, and for commands that train one run. */
#include "sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int add_series(void *self, const char *metric, enum pl_series_axis axis)
{
    return (int)pl_series_open(&((struct pl_run_values *)self)->series, metric, axis);
}

static void add_value(void *self, int number, double epoch, double value)
{
    pl_series_add(&((struct pl_run_values *)self)->series.all[number], epoch, value);
}

static void add_log(void *self, const char *line)
{
    struct pl_run_values *values = self;
    pl_text_add(&values->log, line);
    pl_text_add_char(&values->log, '\n');
}

static bool never(void *self)
{
    (void)self;
    return false;
}

struct pl_sink pl_run_values_sink(struct pl_run_values *values)
{
    return (struct pl_sink){.self = values, .series = add_series, .value = add_value, .log = add_log, .stop = never};
}

void pl_run_values_clear(struct pl_run_values *values)
{
    pl_series_clear(&values->series);
    pl_text_clear(&values->log);
}

void pl_run_values_release(struct pl_run_values *values)
{
    pl_series_release(&values->series);
    pl_text_release(&values->log);
}

/* ---- comparison ---- */

struct point {
    double epoch, value;
    size_t order;
};

static int by_epoch(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    if (p->epoch != q->epoch)
        return p->epoch < q->epoch ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

/* The points of a series by epoch; of an epoch that was reported twice, the later one, as the database keeps it. */
static struct point *sorted_points(const struct pl_series *series, size_t *count)
{
    struct point *points = pl_new((series->count + 1) * sizeof *points);
    for (size_t i = 0; i < series->count; i++)
        points[i] = (struct point){series->epochs[i], series->values[i], i};
    qsort(points, series->count, sizeof *points, by_epoch);
    *count = 0;
    for (size_t i = 0; i < series->count; i++)
        if (i + 1 == series->count || points[i + 1].epoch != points[i].epoch)
            points[(*count)++] = points[i];
    return points;
}

static void add_point(struct pl_text *out, const struct point *point)
{
    if (point)
        pl_text_add_number(out, point->value);
    else
        pl_text_add(out, "nothing");
}

/* The database keeps neither the sign of a zero nor what a NaN carries, so those are no differences. */
static bool same_value(const struct point *a, const struct point *b)
{
    return a && b && (a->value == b->value || (isnan(a->value) && isnan(b->value)));
}

static size_t compare_series(const struct pl_series *before, const struct pl_series *now, bool thinned, size_t most,
                             struct pl_text *out)
{
    static const struct pl_series none;
    size_t before_count, now_count, differing = 0, i = 0, k = 0;
    struct point *a = sorted_points(before ? before : &none, &before_count);
    struct point *b = sorted_points(now ? now : &none, &now_count);
    while (i < before_count || k < now_count) {
        const struct point *p = i < before_count ? &a[i] : NULL, *q = k < now_count ? &b[k] : NULL;
        if (p && q && p->epoch != q->epoch) {
            if (p->epoch < q->epoch)
                q = NULL;
            else
                p = NULL;
        }
        i += p != NULL;
        k += q != NULL;
        if (same_value(p, q) || (thinned && !p) || differing++ >= most)
            continue;
        pl_text_addf(out, "  %s at ", before ? before->metric : now->metric);
        pl_text_add_number(out, p ? p->epoch : q->epoch);
        pl_text_add(out, " was ");
        add_point(out, p);
        pl_text_add(out, " and is ");
        add_point(out, q);
        pl_text_add_char(out, '\n');
    }
    free(a);
    free(b);
    return differing;
}

size_t pl_run_values_compare(const struct pl_run_values *before, const struct pl_run_values *now, bool thinned,
                             size_t most, struct pl_text *out)
{
    size_t differing = 0;
    for (size_t i = 0; i < before->series.count; i++) {
        const struct pl_series *was = &before->series.all[i];
        if (pl_train_is_repeatable(was->metric))
            differing += compare_series(was, pl_series_find(&now->series, was->metric, was->axis), thinned,
                                        most > differing ? most - differing : 0, out);
    }
    for (size_t i = 0; i < now->series.count; i++) {
        const struct pl_series *is = &now->series.all[i];
        if (pl_train_is_repeatable(is->metric) && !pl_series_find(&before->series, is->metric, is->axis))
            differing += compare_series(NULL, is, false, most > differing ? most - differing : 0, out);
    }
    return differing;
}
