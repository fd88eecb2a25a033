/* The metrics of every network, and the sums over the batches of an epoch that some of them are made of. Adding to a
 * sum and recording it is all that training does about one; checkpoints keep it by its metric's name. */
#include "train/network/network.h"

#include <assert.h>
#include <string.h>

const struct pl_metric pl_network_metrics[] = {
    {.name = "train_loss",
     .unit = "nats",
     .direction = PL_MINIMIZE,
     .set = PL_SET_TRAIN,
     .loss = true,
     .rank = PL_RANK_TRAIN + PL_RANK_LOSS,
     .help = "mean cross-entropy over the epoch, as it was trained"},
    {.name = "valid_loss",
     .unit = "nats",
     .direction = PL_MINIMIZE,
     .set = PL_SET_VALID,
     .loss = true,
     .rank = PL_RANK_LOSS + 1,
     .help = "the same of the validation data, after the epoch"},
    {.name = "test_loss",
     .unit = "nats",
     .direction = PL_MINIMIZE,
     .set = PL_SET_TEST,
     .loss = true,
     .rank = PL_RANK_LOSS,
     .help = "the same of the test data, after the epoch"},
    {.name = "batch_loss",
     .unit = "nats",
     .direction = PL_MINIMIZE,
     .loss = true,
     .rank = PL_RANK_LAST,
     .help = "of the first batches, with record_batches; its epochs are batches"},
    {.name = "lambda", .rank = PL_RANK_LAST, .help = "the learning rate in force"},
    {.name = "gradient_norm",
     .sum = PL_SUM_MEAN,
     .rank = PL_RANK_LAST,
     .help = "mean over the batches of the gradient's Euclidean norm, before clipping and without regularisation"},
    {.name = "parameter_norm", .rank = PL_RANK_LAST, .help = "Euclidean norm of what is trained, after the epoch"},
    {.name = PL_METRIC_SECONDS,
     .unit = "s",
     .clock = true,
     .sum = PL_SUM_TOTAL,
     .rank = PL_RANK_LAST,
     .help = "of training"},
    {.name = "seconds_load",
     .sum = PL_SUM_TOTAL,
     .unit = "s",
     .clock = true,
     .rank = PL_RANK_LAST,
     .help = "the part of it that made the batches"},
    {.name = "seconds_eval", .unit = "s", .clock = true, .rank = PL_RANK_LAST, .help = "of evaluation"},
    {.name = PL_METRIC_AVERAGED,
     .rank = PL_RANK_LAST,
     .help = "once: the first epoch that is measured with averaged weights"},
};

const size_t pl_network_metric_count = sizeof pl_network_metrics / sizeof *pl_network_metrics;

const struct pl_metric *pl_network_sum_at(const struct pl_network *n, size_t index)
{
    for (size_t i = 0; i < pl_network_metric_count + n->type->metric_count; i++) {
        const struct pl_metric *m = i < pl_network_metric_count ? &pl_network_metrics[i]
                                                                : &n->type->metrics[i - pl_network_metric_count];
        if (m->sum != PL_SUM_NONE && !index--)
            return m;
    }
    return NULL;
}

static size_t find(const struct pl_network *n, const char *metric)
{
    size_t i = 0;
    for (const struct pl_metric *m; (m = pl_network_sum_at(n, i)) && strcmp(m->name, metric);)
        i++;
    bool is_declared_as_summed = pl_network_sum_at(n, i);
    assert(is_declared_as_summed && i < PL_NETWORK_SUMS);
    return i;
}

void pl_network_sum(struct pl_network *n, const char *metric, double value)
{
    n->progress.sums[find(n, metric)] += value;
}

double pl_network_summed(const struct pl_network *n, const char *metric)
{
    size_t i = find(n, metric);
    double sum = n->progress.sums[i];
    return pl_network_sum_at(n, i)->sum == PL_SUM_MEAN ? sum / (double)n->progress.batch : sum;
}
