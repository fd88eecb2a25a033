/* The setting record_shares, which problems and networks have in common: means over steps of optim/shares.h. */
#ifndef PL_TRAIN_RECORDING_H
#define PL_TRAIN_RECORDING_H

#include "optim/shares.h"
#include "train/metric.h"

extern const struct pl_setting pl_recording_settings[];
extern const size_t pl_recording_setting_count;
extern const struct pl_metric pl_recording_metrics[PL_SHARES]; /* by enum pl_share */
extern const size_t pl_recording_metric_count;

struct pl_recording {
    bool on;
    struct pl_share_rule rule;
};

/* Fails with PL_EINPUT when shares are wanted of an optimizer that has none. */
int pl_recording_init(struct pl_recording *recording, const struct pl_settings *settings, struct pl_error *err);
/* Adds the shares of the step that comes now to sums; only when recording is on. See pl_shares_find. */
void pl_recording_add(const struct pl_recording *recording, double lambda, const struct pl_layout *layout,
                      enum pl_element element, const void *theta, const void *gradient, int threads,
                      double sums[PL_SHARES]);

#endif
