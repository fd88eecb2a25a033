/* Are the numbers of a checkpoint those of a place that this run can be at? A digest says that a file is as it was
 * written, not that what it says can be: positions are where batches are read from, and an epoch too far would end a
 * run early. */
#include "train/network/network.h"
#include "train/network/safetensors.h"

#include <math.h>
#include <string.h>

struct place {
    const struct pl_safetensors *file;
    struct pl_error *err;
};

static uint64_t whole(const struct place *p, const char *name)
{
    uint64_t value = 0;
    pl_safetensors_copy(p->file, name, "U64", 1, &value, NULL);
    return value;
}

static double real(const struct place *p, const char *name)
{
    double value = 0;
    pl_safetensors_copy(p->file, name, "F64", 1, &value, NULL);
    return value;
}

static int between(const struct place *p, const char *name, uint64_t least, uint64_t most)
{
    uint64_t value = whole(p, name);
    if (value >= least && value <= most)
        return 0;
    return pl_fail(p->err, PL_ECORRUPT, "its %s is %llu, and there it is %s %llu", name, (unsigned long long)value,
                   least == most   ? ""
                   : value < least ? "at least"
                                   : "at most",
                   (unsigned long long)(value < least ? least : most));
}

static int at_least_zero(const struct place *p, const char *name)
{
    double value = real(p, name);
    if (isfinite(value) && value >= 0)
        return 0;
    return pl_fail(p->err, PL_ECORRUPT, "its %s is %g, which it cannot be", name, value);
}

/* ---- where training is */

static int check_sum(const struct place *p, const struct pl_metric *metric)
{
    struct pl_text name = {0};
    pl_text_addf(&name, "poula/progress/%s", metric->name);
    bool there = pl_safetensors_find(p->file, pl_text(&name));
    int status = there && metric->clock ? at_least_zero(p, pl_text(&name)) : 0;
    pl_text_release(&name);
    return status;
}

/* steps: of all epochs up to there */
static int check_progress(const struct place *p, const struct pl_network *n, uint64_t *steps)
{
    uint64_t epoch = whole(p, "poula/progress/epoch"), at = whole(p, "poula/progress/at"), batches, examples;
    int status = between(p, "poula/progress/epoch", 0, n->epochs - 1);
    if (status)
        return status;
    if (at == UINT64_MAX || !n->type->reach(n, epoch, at, &batches, &examples))
        return pl_fail(p->err, PL_ECORRUPT, "its poula/progress/at is %llu, where no batch of epoch %llu begins",
                       (unsigned long long)at, (unsigned long long)epoch + 1);
    status = between(p, "poula/progress/batch", batches, batches);
    if (!status)
        status = between(p, "poula/progress/examples", examples, examples);
    if (!status)
        status = between(p, "poula/progress/correct", 0, examples);
    if (!status && !isfinite(real(p, "poula/progress/loss"))) /* a run ends there, without a checkpoint */
        status = pl_fail(p->err, PL_ECORRUPT, "its poula/progress/loss is not finite");
    for (size_t i = 0; !status && pl_network_sum_at(n, i); i++)
        status = check_sum(p, pl_network_sum_at(n, i));
    *steps = batches;
    for (uint64_t e = 0; !status && e < epoch; e++) {
        n->type->reach(n, e, UINT64_MAX, &batches, &examples);
        *steps += batches;
    }
    return status;
}

static int check_schedule(const struct place *p, const struct pl_network *n)
{
    uint64_t epoch = n->schedule.patience ? whole(p, "poula/progress/epoch") : 0;
    uint64_t patience = (uint64_t)n->schedule.patience, stale = patience && patience - 1 < epoch ? patience - 1 : epoch;
    int status = between(p, "poula/schedule/stale", 0, stale);
    if (!status)
        status = between(p, "poula/schedule/decays", 0, patience ? epoch / patience : 0);
    if (!status && n->schedule.cooldown)
        status = between(p, "poula/schedule/cooling", 0, (uint64_t)n->schedule.cooldown);
    if (!status && isnan(real(p, "poula/schedule/best")))
        status = pl_fail(p->err, PL_ECORRUPT, "its poula/schedule/best is not a number");
    return status;
}

static int check_optimizer(const struct place *p, uint64_t steps)
{
    uint64_t epoch = whole(p, "poula/progress/epoch"), losses, fired;
    int status = between(p, "poula/optimizer/count/steps", steps, steps);
    losses = whole(p, "poula/optimizer/count/losses");
    fired = whole(p, "poula/optimizer/count/fired");
    if (!status)
        status = between(p, "poula/optimizer/count/averaged", 0, steps);
    if (!status)
        status = between(p, "poula/optimizer/count/losses", 0, epoch);
    if (!status)
        status = between(p, "poula/optimizer/count/stale", 0, losses);
    if (!status)
        status = between(p, "poula/optimizer/count/fired", 0, 1);
    if (!status)
        status = between(p, "poula/optimizer/count/fired_at", 0, fired ? steps : 0);
    if (!status)
        status = at_least_zero(p, "poula/optimizer/rate");
    return status ? status : at_least_zero(p, "poula/optimizer/scheduled_rate");
}

/* ---- the curves */

static uint64_t element(const struct pl_safetensor *t, size_t index)
{
    uint64_t value;
    memcpy(&value, (const char *)t->data + index * sizeof value, sizeof value);
    return value;
}

/* A metric has a value for each epoch that is done, in order; two have others. */
static int check_curve(const struct place *p, const struct pl_network *n, const char *metric,
                       const struct pl_safetensor *epochs, const struct pl_safetensor *values)
{
    uint64_t epoch = whole(p, "poula/progress/epoch"), steps = whole(p, "poula/optimizer/count/steps"), count = epoch;
    bool once = !strcmp(metric, PL_METRIC_AVERAGED), good;
    if (!strcmp(metric, "batch_loss"))
        count = steps < n->recorded_batches ? steps : n->recorded_batches;
    if (once)
        count = 1;
    good = !strcmp(epochs->type, "U64") && !strcmp(values->type, "F64") && epochs->count == count &&
           values->count == count;
    for (size_t i = 0; i < count && good; i++)
        good = once ? element(epochs, i) >= 1 && element(epochs, i) <= epoch : element(epochs, i) == i + 1;
    if (good)
        return 0;
    return pl_fail(p->err, PL_ECORRUPT, "its curve of %.60s is not that of a run in epoch %llu", metric,
                   (unsigned long long)epoch + 1);
}

static int check_curves(const struct place *p, const struct pl_network *n)
{
    uint64_t done = whole(p, "poula/progress/epoch");
    int status = 0;
    for (size_t i = 0; i < p->file->count && !status; i++) {
        const struct pl_safetensor *one = &p->file->tensors[i], *epochs, *values;
        const char *metric = pl_state_metric(one->name);
        if (!metric)
            continue;
        pl_state_find_curve(p->file, metric, &epochs, &values);
        status = epochs && values ? check_curve(p, n, metric, epochs, values)
                                  : pl_fail(p->err, PL_ECORRUPT, "its curve of %.60s lacks a half", metric);
    }
    if (!status && done && !pl_safetensors_find(p->file, "poula/record/train_loss"))
        status = pl_fail(p->err, PL_ECORRUPT, "it has no curve of train_loss");
    return status;
}

int pl_state_check_place(const struct pl_network *n, const struct pl_safetensors *file, struct pl_error *err)
{
    struct place place = {file, err};
    uint64_t steps = 0;
    int status = check_progress(&place, n, &steps);
    if (!status)
        status = check_schedule(&place, n);
    if (!status)
        status = check_optimizer(&place, steps);
    return status ? status : check_curves(&place, n);
}
