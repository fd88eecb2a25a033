/* One attempt of a program at its run: what it reports, beside what earlier attempts have left, and what it puts into
 * the run's folder. */
#include "train/command/command_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int take_series(void *self, const char *metric, enum pl_series_axis axis)
{
    struct pl_attempt *attempt = self;
    int number = attempt->sink->series(attempt->sink->self, metric, axis);
    void *list = attempt->axes;
    size_t before = attempt->capacity;
    pl_grow(&list, &attempt->capacity, (size_t)number + 1, sizeof *attempt->axes);
    attempt->axes = list;
    for (size_t i = before; i < attempt->capacity; i++)
        attempt->axes[i] = PL_BY_EPOCH;
    attempt->axes[number] = axis;
    return number;
}

/* Where the last epoch begins that the run is to come to; INFINITY: it is to come to its end. */
static double last_position(const struct pl_attempt *attempt, double position)
{
    const struct pl_run_request *request = attempt->request;
    double first = fmin(attempt->seen[PL_BY_EPOCH].first, position);
    if (request->kept)
        first = fmin(first, request->kept[PL_BY_EPOCH].first);
    return request->until > 0 ? request->until - (first == 0) : INFINITY;
}

/* An epoch is complete when something of a later one is reported. What a program that goes on has said of that is
 * true, and will not be said again; one that begins anew says it again. */
static void take_value(void *self, int series, double position, double value)
{
    struct pl_attempt *attempt = self;
    struct pl_kept *seen = &attempt->seen[attempt->axes[series]];
    if (attempt->axes[series] == PL_BY_EPOCH && ceil(position) > last_position(attempt, position))
        attempt->beyond = true;
    if (attempt->beyond && attempt->request->restart)
        return;
    seen->first = fmin(seen->first, position); /* of a number and NaN: the number */
    seen->last = fmax(seen->last, position);
    attempt->sink->value(attempt->sink->self, series, position, value);
}

static void take_log(void *self, const char *line)
{
    const struct pl_attempt *attempt = self;
    attempt->sink->log(attempt->sink->self, line);
}

/* A program that has already reported the last of its epochs is left to end by itself. */
static bool ask_stop(void *self)
{
    struct pl_attempt *attempt = self;
    pl_attempt_mark(attempt);
    return attempt->sink->stop(attempt->sink->self) || (attempt->beyond && !pl_attempt_is_complete(attempt));
}

static double ask_late(void *self)
{
    const struct pl_attempt *attempt = self;
    return attempt->sink->late ? attempt->sink->late(attempt->sink->self) : 0;
}

struct pl_sink pl_attempt_begin(struct pl_attempt *attempt, const struct pl_run_request *request,
                                const struct pl_sink *sink)
{
    *attempt = (struct pl_attempt){.sink = sink, .request = request};
    for (int axis = 0; axis < PL_AXIS_COUNT; axis++)
        attempt->seen[axis] = (struct pl_kept){NAN, NAN};
    return (struct pl_sink){attempt, take_series, take_value, take_log, ask_stop, ask_late};
}

void pl_attempt_mark(struct pl_attempt *attempt)
{
    const char *folder = attempt->request->folder;
    if (attempt->marked || pl_folder_is_empty(folder, PL_FOLDER_MARK))
        return;
    attempt->marked = true;
    pl_train_folder_mark(attempt->request);
}

/* Epochs that the run has come to with this attempt, counted from 1 whether the program counts from 0 or 1; 0: none. */
static double epochs_done(const struct pl_attempt *attempt)
{
    const struct pl_kept *seen = &attempt->seen[PL_BY_EPOCH],
                         *kept = attempt->request->kept ? &attempt->request->kept[PL_BY_EPOCH] : seen;
    double first = fmin(seen->first, kept->first), last = isnan(seen->last) ? kept->last : seen->last;
    return isnan(last) ? 0 : ceil(last) + (first == 0);
}

static bool has_values(const struct pl_attempt *attempt)
{
    const struct pl_kept *kept = attempt->request->kept;
    for (int axis = 0; axis < PL_AXIS_COUNT; axis++)
        if (!isnan(attempt->seen[axis].last) || (kept && !isnan(kept[axis].last)))
            return true;
    return false;
}

bool pl_attempt_suffices(const struct pl_attempt *attempt, struct pl_run_result *result)
{
    const struct pl_run_request *request = attempt->request;
    double done = epochs_done(attempt), declared = request->until > 0 ? request->until : request->epochs;
    if (!has_values(attempt))
        pl_result_set(result, PL_FAILED, "exited 0 without reporting any metric");
    else if (done < declared && done > 0)
        pl_result_set(result, PL_FAILED, "exited 0 after epoch %g of %g", done, declared);
    else if (done < declared)
        pl_result_set(result, PL_FAILED, "exited 0 without reporting any of %g epochs", declared);
    return result->outcome != PL_FAILED;
}

bool pl_attempt_has_reached(const struct pl_attempt *attempt)
{
    double until = attempt->request->until;
    return until > 0 && (attempt->beyond || epochs_done(attempt) >= until);
}

bool pl_attempt_is_complete(const struct pl_attempt *attempt)
{
    double epochs = attempt->request->epochs;
    return epochs > 0 && epochs_done(attempt) >= epochs;
}

void pl_attempt_release(struct pl_attempt *attempt)
{
    free(attempt->axes);
}
