/* The time that a run takes to become good enough: read from its curve, never stored with it, for what is good enough
 * is a decision of a study, and runs are shared. */
#include "results/results_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct crossing {
    double target, epoch; /* infinite until it is reached */
    bool maximize;
};

static int take_point(void *self, double epoch, double value)
{
    struct crossing *c = self;
    if (isinf(c->epoch) && (c->maximize ? value >= c->target : value <= c->target))
        c->epoch = epoch;
    return 0;
}

struct duration {
    double until, seconds;
    bool any;
};

static int take_seconds(void *self, double epoch, double seconds)
{
    struct duration *d = self;
    d->any = true;
    if (epoch <= d->until && isfinite(seconds) && seconds > 0)
        d->seconds += seconds;
    return 0;
}

int pl_target_value(const struct pl_results *results, int64_t run, const char *metric, double *value,
                    struct pl_error *err)
{
    const struct pl_target *target = &results->target;
    struct crossing c = {target->value, INFINITY, pl_results_direction(results, target->metric) == PL_MAXIMIZE};
    int status = pl_store_each_point_along(results->store, run, target->metric, PL_BY_EPOCH, take_point, &c, err);
    *value = c.epoch;
    if (status || isinf(c.epoch) || strcmp(metric, PL_SECONDS_TO_TARGET))
        return status;
    struct duration d = {c.epoch, 0, false};
    status = pl_store_each_point_along(results->store, run, PL_METRIC_SECONDS, PL_BY_EPOCH, take_seconds, &d, err);
    *value = d.any ? d.seconds : NAN;
    return status;
}

int pl_target_check(const struct pl_results *results, struct pl_error *err)
{
    const char *metric = results->target.metric;
    enum pl_direction direction = pl_results_direction(results, metric);
    if (pl_direction_is_choice(direction))
        return 0;
    struct pl_text ask = {0};
    int status = direction == PL_NEUTRAL
                     ? pl_fail(err, PL_EINPUT, "%s cannot be a target: it is neither better up nor down", metric)
                     : pl_fail(err, PL_EINPUT, "%s cannot be a target: %s", metric, pl_metric_ask(metric, &ask));
    pl_text_release(&ask);
    return status;
}

const struct pl_target *pl_results_target(const struct pl_results *results)
{
    return &results->target;
}

int pl_results_set_target(struct pl_results *results, const char *metric, double value, struct pl_error *err)
{
    int status = pl_results_need_metric(results, metric, err);
    if (status)
        return status;
    char *copy = pl_copy(metric);
    free(results->target.metric);
    results->target = (struct pl_target){copy, value};
    if (results->loaded && pl_metric_is_to_target(results->loaded)) {
        free(results->loaded);
        results->loaded = NULL;
    }
    return 0;
}
