/* Runs that are at work: what they have come to so far. */
#include "results/results_priv.h"

#include <math.h>

const struct pl_working *pl_results_working(const struct pl_results *results, size_t *count)
{
    *count = results->working_count;
    return results->working;
}

struct so_far {
    enum pl_direction direction; /* PL_NEUTRAL: the last value counts */
    double value, epoch;         /* NaN: none yet */
};

static int take_point(void *self, double epoch, double value)
{
    struct so_far *so_far = self;
    so_far->epoch = epoch;
    if (!isfinite(value))
        return 0;
    bool better = isnan(so_far->value) || (so_far->direction == PL_MAXIMIZE   ? value > so_far->value
                                           : so_far->direction == PL_MINIMIZE ? value < so_far->value
                                                                              : true);
    so_far->value = better ? value : so_far->value;
    return 0;
}

int pl_results_so_far(const struct pl_results *results, int64_t run, double *value, double *epoch, struct pl_error *err)
{
    struct so_far so_far = {PL_NEUTRAL, NAN, NAN};
    if (results->target.metric && pl_metric_is_to_target(results->loaded))
        return 1;
    if (results->select == PL_SELECT_BEST)
        so_far.direction = pl_results_direction(results, results->loaded);
    int status = pl_store_each_point(results->store, run, results->loaded, take_point, &so_far, err);
    *value = so_far.value;
    *epoch = so_far.epoch;
    return status ? status : isnan(so_far.value);
}
