/* The epoch loop. Everything that a batch depends on is a function of its number, of n->progress and of what a
 * checkpoint holds, so a run may end behind any batch and go on from there. */
#include "train/network/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OVER = 1, NOT_FINITE }; /* what a batch may find besides an error: no more batches; nothing to go on with */

static int interrupt(struct pl_network *n, struct pl_run_result *result)
{
    const struct pl_progress *p = &n->progress;
    pl_checkpoint_write(n);
    pl_result_set(result, PL_INTERRUPTED, "stopped in epoch %llu of %zu, after %llu batches",
                  (unsigned long long)p->epoch + 1, n->epochs, (unsigned long long)p->batch);
    return 1;
}

static int diverge(struct pl_network *n, struct pl_run_result *result, const char *what)
{
    result->bad_epoch = (double)n->progress.epoch + 1;
    pl_result_set(result, PL_DIVERGED, "the %s is not finite in epoch %llu", what,
                  (unsigned long long)n->progress.epoch + 1);
    return 1;
}

static bool is_time_to_save(const struct pl_network *n)
{
    double minutes = pl_settings_need_real(n->request->settings, "checkpoint_minutes");
    return minutes > 0 && pl_clock_steady() - n->saved >= 60 * minutes;
}

/* The optimizer's part of a batch, on the host. */
static int take_step(struct pl_network *n, double lambda, struct pl_error *err)
{
    const int threads = n->request->threads;
    void *gradient = pl_net_lend(n->net, PL_GRADIENTS, PL_LEND_SPEND);
    void *theta = pl_net_lend(n->net, PL_PARAMETERS, PL_LEND_CHANGE);
    double norm = pl_gradient_clip(gradient, theta, &n->layout, n->element, n->clipping.by, n->clipping.limit, threads);
    pl_network_sum(n, "gradient_norm", norm);
    pl_optim_set_rate(n->optim, lambda);
    if (n->recording.on)
        pl_recording_add(&n->recording, lambda, &n->layout, n->element, theta, gradient, threads, n->progress.shares);
    pl_optim_step(n->optim, theta, gradient, NULL);
    pl_net_take_back(n->net, PL_PARAMETERS, PL_LEND_CHANGE, theta);
    pl_net_take_back(n->net, PL_GRADIENTS, PL_LEND_SPEND, gradient);
    return pl_device_synchronize(n->device, err);
}

/* Moves the weights to where the optimizer wants the gradient. */
static void climb(struct pl_network *n)
{
    void *gradient = pl_net_lend(n->net, PL_GRADIENTS, PL_LEND_SPEND);
    void *theta = pl_net_lend(n->net, PL_PARAMETERS, PL_LEND_CHANGE);
    pl_optim_climb(n->optim, theta, gradient);
    pl_net_take_back(n->net, PL_PARAMETERS, PL_LEND_CHANGE, theta);
    pl_net_take_back(n->net, PL_GRADIENTS, PL_LEND_SPEND, gradient);
}

/* The gradient at the point that the optimizer climbs to, of the same batch with the same dropout. Running statistics
 * and the recurrent state stay those of the point where the step begins; before is the state that the batch began with.
 */
static int find_gradient_elsewhere(struct pl_network *n, uint64_t number, const double *before, struct pl_error *err)
{
    const size_t length = pl_net_length(n->net, PL_STATISTICS);
    struct pl_network_batch batch;
    double *after = before ? pl_new((pl_plan_state_length(n->recurrent) + 1) * sizeof *after) : NULL;
    double *statistics = length ? pl_new(length * sizeof *statistics) : NULL;
    climb(n);
    if (before) {
        pl_plan_state_get(n->recurrent, after);
        pl_plan_state_set(n->recurrent, before);
    }
    pl_network_copy_statistics(n, statistics, PL_LEND_READ);
    int status = n->type->feed(n, &batch, err);
    if (!status) {
        pl_plan_forward(batch.plan, number);
        pl_plan_backward(batch.plan);
    }
    pl_network_copy_statistics(n, statistics, PL_LEND_CHANGE);
    if (before)
        pl_plan_state_set(n->recurrent, after);
    free(statistics);
    free(after);
    return status;
}

/* One batch; when its loss is not finite the parameters stay as they were. */
static int train_batch(struct pl_network *n, struct pl_error *err)
{
    struct pl_progress *p = &n->progress;
    struct pl_network_batch batch;
    double begun = pl_clock_steady();
    int status = n->type->feed(n, &batch, err);
    if (status)
        return status < 0 ? status : OVER;
    pl_network_sum(n, "seconds_load", pl_clock_steady() - begun);
    int64_t correct;
    uint64_t number = pl_optim_steps(n->optim);
    const bool climbs = pl_optim_climbs(n->optim);
    if (climbs && n->carried)
        pl_plan_state_get(n->recurrent, n->carried);
    pl_plan_forward(batch.plan, number);
    double loss = pl_plan_loss(batch.plan, &correct);
    if (number < n->recorded_batches)
        pl_history_add(&n->history, "batch_loss", number + 1, loss);
    p->loss += loss * (double)batch.examples;
    p->examples += batch.examples;
    if (!isfinite(loss))
        return NOT_FINITE;
    pl_plan_backward(batch.plan);
    if (climbs)
        status = find_gradient_elsewhere(n, number, n->carried, err);
    if (status)
        return status;
    status = take_step(n, n->lambda * batch.factor, err);
    if (status)
        return status;
    p->correct += (uint64_t)correct;
    p->at = batch.next;
    p->batch++;
    pl_network_sum(n, PL_METRIC_SECONDS, pl_clock_steady() - begun);
    return 0;
}

static void record(struct pl_network *n, const char *metric, double value)
{
    pl_history_add(&n->history, metric, n->progress.epoch + 1, value);
}

static void record_sum(struct pl_network *n, const char *metric)
{
    record(n, metric, pl_network_summed(n, metric));
}

static void record_split(struct pl_network *n, const char *split, const struct pl_evaluation *evaluation)
{
    char metric[40];
    snprintf(metric, sizeof metric, "%s_loss", split);
    record(n, metric, evaluation->loss);
    snprintf(metric, sizeof metric, "%s_%s", split, n->type->quality);
    record(n, metric, n->type->quality_of(evaluation));
}

/* What was found in the batches of this epoch so far. */
static struct pl_evaluation sum_up(const struct pl_progress *p)
{
    return (struct pl_evaluation){p->loss / (double)p->examples, (double)p->correct / (double)p->examples};
}

/* The learning rate of the epoch, or of the step that comes; at the end of an epoch still that of the last one. */
static void follow_schedule(struct pl_network *n)
{
    const struct pl_progress *p = &n->progress;
    const uint64_t over = p->batch >= n->epoch_batches;
    size_t count;
    struct pl_moment moment = {(double)p->epoch, 1};
    if (n->schedule.unit == PL_UNIT_STEP)
        moment.at = (double)(pl_optim_steps(n->optim) - over);
    if (n->schedule.unit == PL_UNIT_FRACTION) {
        moment.tick = 1 / (double)n->epoch_batches;
        moment.at += (double)(p->batch - over) / (double)n->epoch_batches;
    }
    n->lambda = n->rate * pl_schedule_factor(&n->schedule, moment);
    const struct pl_tuned *tunings = pl_schedule_tunings(&n->schedule, moment, &count);
    pl_optim_tune(n->optim, tunings, count);
}

/* Trains what is left of the epoch. Returns 1 when the run ends here. */
static int train_batches(struct pl_network *n, struct pl_run_result *result, struct pl_error *err)
{
    uint64_t examples;
    n->type->begin(n);
    n->type->reach(n, n->progress.epoch, UINT64_MAX, &n->epoch_batches, &examples);
    for (;;) {
        follow_schedule(n);
        int status = train_batch(n, err);
        if (status == OVER)
            return 0;
        if (status == NOT_FINITE) {
            record(n, "train_loss", sum_up(&n->progress).loss);
            return diverge(n, result, "training loss");
        }
        if (status)
            return status;
        if (n->sink->stop(n->sink->self))
            return interrupt(n, result);
        if (is_time_to_save(n))
            pl_checkpoint_write(n);
    }
}

struct measures {
    struct pl_evaluation of[PL_SPLIT_COUNT]; /* valid and test, where there is such data */
    double norm, seconds;
};

/* Returns 1 when the run was interrupted: it will be measured again. */
static int measure(struct pl_network *n, struct measures *m, struct pl_run_result *result, struct pl_error *err)
{
    double begun = pl_clock_steady();
    int status = 0;
    void *theta = pl_net_lend(n->net, PL_PARAMETERS, PL_LEND_READ);
    pl_optim_epoch_ends(n->optim, theta, n->progress.epoch + 1);
    m->norm = pl_arena_norm(theta, n->element, n->layout.length, n->request->threads);
    pl_net_take_back(n->net, PL_PARAMETERS, PL_LEND_READ, theta);
    m->of[PL_SPLIT_TRAIN] = sum_up(&n->progress);
    struct pl_network_shown shown;
    status = pl_network_show_average(n, &shown, err);
    for (enum pl_split split = PL_SPLIT_VALID; split <= PL_SPLIT_TEST && !status; split++)
        if (n->type->has(n, split))
            status = n->type->evaluate(n, split, &m->of[split], err);
    pl_network_hide_average(n, &shown);
    if (!status)
        status = pl_device_synchronize(n->device, err);
    m->seconds = pl_clock_steady() - begun;
    return status > 0 ? interrupt(n, result) : status;
}

static void record_training(struct pl_network *n, const struct measures *m)
{
    const struct pl_progress *p = &n->progress;
    pl_optim_set_rate(n->optim, n->lambda); /* without the last batch's factor */
    record(n, "lambda", pl_optim_rate(n->optim));
    record_sum(n, "gradient_norm");
    record(n, "parameter_norm", m->norm);
    for (int k = 0; k < PL_SHARES && n->recording.on; k++)
        record(n, pl_recording_metrics[k].name, p->shares[k] / (double)p->batch);
    record_sum(n, PL_METRIC_SECONDS);
    record(n, "seconds_eval", m->seconds);
    record_sum(n, "seconds_load");
    if (n->type->speed)
        record(n, n->type->speed, (double)p->examples / pl_network_summed(n, PL_METRIC_SECONDS));
    if (pl_optim_average(n->optim) && !pl_history_has(&n->history, PL_METRIC_AVERAGED))
        record(n, PL_METRIC_AVERAGED, (double)p->epoch + 1);
}

/* Reports the epoch and tells the optimizer and the schedule; returns 1 when something in it is not finite. */
static int record_epoch(struct pl_network *n, const struct measures *m, struct pl_run_result *result)
{
    static const char *const names[PL_SPLIT_COUNT] = {
        [PL_SPLIT_TRAIN] = "train", [PL_SPLIT_VALID] = "valid", [PL_SPLIT_TEST] = "test"};
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT; split++)
        if (split == PL_SPLIT_TRAIN || n->type->has(n, split))
            record_split(n, names[split], &m->of[split]);
    record_training(n, m);
    if (!isfinite(m->norm))
        return diverge(n, result, "norm of the parameters");
    bool validates = n->type->has(n, PL_SPLIT_VALID);
    if (validates && !isfinite(m->of[PL_SPLIT_VALID].loss))
        return diverge(n, result, "validation loss");
    if (n->type->has(n, PL_SPLIT_TEST) && !isfinite(m->of[PL_SPLIT_TEST].loss))
        return diverge(n, result, "test loss");
    double told = m->of[validates ? PL_SPLIT_VALID : PL_SPLIT_TRAIN].loss;
    pl_optim_validated(n->optim, told);
    pl_schedule_validated(&n->schedule, told);
    return 0;
}

static bool has_reached(const struct pl_network *n)
{
    return n->request->until > 0 && (double)n->progress.epoch >= n->request->until;
}

int pl_network_train(struct pl_network *n, struct pl_run_result *result, struct pl_error *err)
{
    struct pl_progress *p = &n->progress;
    size_t every = (size_t)pl_settings_need_integer(n->request->settings, "checkpoint_every");
    if (has_reached(n)) { /* its checkpoint is as far, or further */
        pl_result_reached(result, n->request->until);
        return 0;
    }
    while (p->epoch < n->epochs) {
        struct measures m;
        int status = train_batches(n, result, err);
        if (!status)
            status = measure(n, &m, result, err);
        if (!status)
            status = record_epoch(n, &m, result);
        if (status)
            return status < 0 ? status : 0;
        *p = (struct pl_progress){.epoch = p->epoch + 1};
        bool over = p->epoch >= n->epochs, pause = !over && has_reached(n);
        if (!over && ((every && p->epoch % every == 0) || pause || is_time_to_save(n)))
            pl_checkpoint_write(n);
        if (pause) {
            pl_result_reached(result, n->request->until);
            return 0;
        }
    }
    return 0;
}
