#include "train/recording.h"

#include <string.h>

const struct pl_setting pl_recording_settings[] = {
    {.key = "record_shares",
     .type = PL_BOOLEAN,
     .initial = "",
     .help = "record the stepsize and the shares of coordinates that are tamed and boosted (theopoula)"},
};
const size_t pl_recording_setting_count = sizeof pl_recording_settings / sizeof *pl_recording_settings;

const struct pl_metric pl_recording_metrics[PL_SHARES] = {
    [PL_SHARE_TAMED] = {.name = "tamed_share",
                        .rank = PL_RANK_LAST,
                        .help = "share of the coordinates of which taming at least halves the step"},
    [PL_SHARE_BOOSTED] = {.name = "boosted_share",
                          .rank = PL_RANK_LAST,
                          .help = "share of those of which boosting at least doubles it"},
    [PL_SHARE_STEP] = {.name = "stepsize", .rank = PL_RANK_LAST, .help = "mean step of a coordinate, without noise"},
};
const size_t pl_recording_metric_count = PL_SHARES;

/* What shares are computed from, besides lambda. */
static const char *const of_rule[] = {"epsilon", "weight_decay", "eta", "r"};

/* Is it a setting of that number's schedule? */
static bool begins_with(const char *key, const char *number)
{
    size_t length = strlen(number);
    return !strncmp(key, number, length) && key[length] == '_';
}

int pl_recording_init(struct pl_recording *recording, const struct pl_settings *settings, struct pl_error *err)
{
    bool possible = pl_share_rule_read(&recording->rule, settings);
    recording->on = pl_settings_boolean(settings, "record_shares", false);
    if (recording->on && possible && pl_settings_real(settings, "sam", 0) > 0)
        return pl_fail(err, PL_EINPUT,
                       "record_shares looks at a step from where its gradient is taken, so sam must be 0");
    for (size_t i = 0; recording->on && possible && i < sizeof of_rule / sizeof *of_rule; i++)
        for (size_t k = 0; k < settings->count; k++)
            if (begins_with(settings->entries[k].key, of_rule[i]))
                return pl_fail(err, PL_EINPUT, "record_shares knows %s as it is given, so there must be no %s",
                               of_rule[i], settings->entries[k].key);
    if (!recording->on || possible)
        return 0;
    return pl_fail(err, PL_EINPUT,
                   "record_shares is for optimizers that tame each coordinate on its own, as theopoula "
                   "does; %s does not",
                   pl_settings_string(settings, "optimizer", ""));
}

void pl_recording_add(const struct pl_recording *recording, double lambda, const struct pl_layout *layout,
                      enum pl_element element, const void *theta, const void *gradient, int threads,
                      double sums[PL_SHARES])
{
    double shares[PL_SHARES];
    pl_shares_find(&recording->rule, lambda, layout, element, theta, gradient, threads, shares);
    for (int k = 0; k < PL_SHARES; k++)
        sums[k] += shares[k];
}
