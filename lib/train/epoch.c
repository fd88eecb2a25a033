/* The epoch loop. Everything that a batch depends on is a function of its number, of n->progress and of what a
 * checkpoint holds, so a run may end behind any batch and go on from there. */
#include "train/network.h"

#include <math.h>

static int interrupt(struct pl_network *n, struct pl_run_result *result)
{
    const struct pl_progress *p = &n->progress;
    pl_checkpoint_write(n);
    pl_result_set(result, PL_INTERRUPTED, "stopped in epoch %llu of %zu, after %llu of %zu batches",
                  (unsigned long long)p->epoch + 1, n->epochs, (unsigned long long)p->batch, n->batches);
    return 1;
}

static int diverge(struct pl_network *n, struct pl_run_result *result, const char *what)
{
    result->bad_epoch = (int64_t)n->progress.epoch + 1;
    pl_result_set(result, PL_DIVERGED, "the %s is not finite in epoch %llu", what,
                  (unsigned long long)n->progress.epoch + 1);
    return 1;
}

static bool is_time_to_save(const struct pl_network *n)
{
    double minutes = pl_settings_real(n->request->settings, "checkpoint_minutes", 0);
    return minutes > 0 && pl_clock_steady() - n->saved >= 60 * minutes;
}

/* One batch; returns 1 when the loss is not finite, which leaves the parameters as they were. */
static int train_batch(struct pl_network *n, struct pl_error *err)
{
    struct pl_progress *p = &n->progress;
    size_t at = (size_t)p->batch * n->batch, count = n->images - at < n->batch ? n->images - at : n->batch;
    double begun = pl_clock_steady();
    struct pl_plan *plan;
    int status = pl_network_plan(n, PL_TRAINING, count, &plan, err);
    if (status)
        return status;
    pl_network_feed(n, plan, PL_SPLIT_TRAIN, n->order + at, count, n->augments ? &n->augment : NULL);
    p->seconds_load += pl_clock_steady() - begun;
    int64_t correct;
    pl_plan_forward(plan, p->epoch * n->batches + p->batch);
    double loss = pl_plan_loss(plan, &correct);
    uint64_t number = p->epoch * n->batches + p->batch + 1;
    if (number <= n->recorded_batches)
        pl_history_add(&n->history, "batch_loss", number, loss);
    p->loss += loss * (double)count;
    if (!isfinite(loss))
        return 1;
    pl_plan_backward(plan);
    double norm = pl_arena_norm(n->gradient, n->precision, n->layout.length, n->request->threads);
    if (norm > n->clip)
        pl_arena_scale(n->gradient, n->precision, n->layout.length, n->clip / (norm + 1e-6), n->request->threads);
    pl_optim_step(n->optim, n->theta, n->gradient, NULL);
    p->correct += (uint64_t)correct;
    p->gradient_norm += norm;
    p->batch++;
    p->seconds += pl_clock_steady() - begun;
    return 0;
}

/* Trains what is left of the epoch. Returns 1 when the run ends here. */
static int train_batches(struct pl_network *n, struct pl_run_result *result, struct pl_error *err)
{
    struct pl_progress *p = &n->progress;
    if (!p->batch)
        pl_optim_set_rate(n->optim, n->rate * pl_schedule_factor(&n->schedule, (int64_t)p->epoch));
    if (n->shuffles)
        pl_data_order(n->data, n->shuffle, p->epoch, n->order);
    else
        pl_network_stored_order(n, n->images);
    while (p->batch < n->batches) {
        int status = train_batch(n, err);
        if (status < 0)
            return status;
        if (status) {
            pl_history_add(&n->history, "train_loss", p->epoch + 1, p->loss / (double)n->images);
            return diverge(n, result, "training loss");
        }
        if (n->sink->stop(n->sink->self))
            return interrupt(n, result);
        if (is_time_to_save(n))
            pl_checkpoint_write(n);
    }
    return 0;
}

static void record(struct pl_network *n, const char *metric, double value)
{
    pl_history_add(&n->history, metric, n->progress.epoch + 1, value);
}

struct measures {
    struct pl_evaluation of[PL_SPLIT_COUNT]; /* valid and test, where there are such images */
    double norm, seconds;
};

/* Returns 1 when the run was interrupted: it will be measured again. */
static int measure(struct pl_network *n, struct measures *m, struct pl_run_result *result, struct pl_error *err)
{
    double begun = pl_clock_steady();
    int status = 0;
    for (enum pl_split split = PL_SPLIT_VALID; split <= PL_SPLIT_TEST && !status; split++)
        if (pl_data_size(n->data, split))
            status = pl_network_evaluate(n, split, &m->of[split], err);
    m->norm = pl_arena_norm(n->theta, n->precision, n->layout.length, n->request->threads);
    m->seconds = pl_clock_steady() - begun;
    return status > 0 ? interrupt(n, result) : status;
}

/* Reports the epoch and tells the optimizer; returns 1 when something in it is not finite. */
static int record_epoch(struct pl_network *n, const struct measures *m, struct pl_run_result *result)
{
    const struct pl_progress *p = &n->progress;
    bool validates = pl_data_size(n->data, PL_SPLIT_VALID) > 0, tests = pl_data_size(n->data, PL_SPLIT_TEST) > 0;
    const struct pl_evaluation *valid = &m->of[PL_SPLIT_VALID], *test = &m->of[PL_SPLIT_TEST];
    double loss = p->loss / (double)n->images;
    record(n, "train_loss", loss);
    record(n, "train_accuracy", (double)p->correct / (double)n->images);
    if (validates) {
        record(n, "valid_loss", valid->loss);
        record(n, "valid_accuracy", valid->accuracy);
    }
    if (tests) {
        record(n, "test_loss", test->loss);
        record(n, "test_accuracy", test->accuracy);
    }
    record(n, "lambda", pl_optim_rate(n->optim));
    record(n, "gradient_norm", p->gradient_norm / (double)n->batches);
    record(n, "parameter_norm", m->norm);
    record(n, "seconds", p->seconds);
    record(n, "seconds_eval", m->seconds);
    record(n, "seconds_load", p->seconds_load);
    if (!isfinite(m->norm))
        return diverge(n, result, "norm of the parameters");
    if (validates && !isfinite(valid->loss))
        return diverge(n, result, "validation loss");
    if (tests && !isfinite(test->loss))
        return diverge(n, result, "test loss");
    pl_optim_validated(n->optim, validates ? valid->loss : loss);
    return 0;
}

int pl_network_train(struct pl_network *n, struct pl_run_result *result, struct pl_error *err)
{
    struct pl_progress *p = &n->progress;
    size_t every = (size_t)pl_settings_integer(n->request->settings, "checkpoint_every", 0);
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
        if (p->epoch < n->epochs && ((every && p->epoch % every == 0) || is_time_to_save(n)))
            pl_checkpoint_write(n);
    }
    return 0;
}
