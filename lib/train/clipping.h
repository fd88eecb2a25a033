/* The settings clip and clip_by, which problems and networks have in common. */
#ifndef PL_TRAIN_CLIPPING_H
#define PL_TRAIN_CLIPPING_H

#include "optim/optim.h"

extern const struct pl_setting
    pl_clipping_settings[]; /* clip_by; clip has other defaults in networks than in problems */
extern const size_t pl_clipping_setting_count;

struct pl_clipping {
    enum pl_clip_by by;
    double limit; /* INFINITY: nothing is clipped */
};
struct pl_clipping pl_clipping_of(const struct pl_settings *settings);

#endif
