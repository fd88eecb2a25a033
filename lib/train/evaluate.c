#include "train/network.h"

#include <string.h>

bool pl_network_exchange(struct pl_network *n)
{
    enum { BLOCK = 1 << 12 };
    char kept[BLOCK], *theta = n->theta, *average = (char *)(uintptr_t)pl_optim_average(n->optim);
    if (!average)
        return false;
    size_t bytes = n->layout.length * (n->precision == PL_FLOAT ? sizeof(float) : sizeof(double));
    for (size_t at = 0; at < bytes; at += BLOCK) {
        size_t length = bytes - at < BLOCK ? bytes - at : BLOCK;
        memcpy(kept, theta + at, length);
        memcpy(theta + at, average + at, length);
        memcpy(average + at, kept, length);
    }
    return true;
}

void pl_network_stored_order(struct pl_network *n, size_t images)
{
    for (size_t i = 0; i < images; i++)
        n->order[i] = (uint32_t)i;
}

int pl_network_evaluate(struct pl_network *n, enum pl_split split, struct pl_evaluation *evaluation,
                        struct pl_error *err)
{
    size_t images = pl_data_size(n->data, split);
    double loss = 0;
    int64_t correct = 0;
    int status = 0;
    pl_network_stored_order(n, images);
    bool exchanged = pl_network_exchange(n);
    for (size_t at = 0; at < images && !status; at += n->batch) {
        size_t count = images - at < n->batch ? images - at : n->batch;
        struct pl_plan *plan;
        status = pl_network_plan(n, PL_EVALUATION, count, &plan, err);
        if (status)
            break;
        int64_t right;
        pl_network_feed(n, plan, split, n->order + at, count, NULL);
        pl_plan_forward(plan, 0);
        loss += pl_plan_loss(plan, &right) * (double)count;
        correct += right;
        if (n->sink->stop(n->sink->self))
            status = 1;
    }
    if (exchanged)
        pl_network_exchange(n);
    *evaluation = (struct pl_evaluation){loss / (double)images, (double)correct / (double)images};
    return status;
}
