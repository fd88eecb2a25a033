#include "train/clipping.h"

const struct pl_setting pl_clipping_settings[] = {
    {.key = "clip_by",
     .type = PL_STRING,
     .initial = "norm",
     .range = "norm value adaptive",
     .help = "what clip is: the largest norm of a gradient; the largest size of an element; the largest norm of a row "
             "relative to that of its parameters (AGC)",
     .idle_when = "clip=inf",
     .late = true},
};
const size_t pl_clipping_setting_count = sizeof pl_clipping_settings / sizeof *pl_clipping_settings;

struct pl_clipping pl_clipping_of(const struct pl_settings *settings)
{
    const char *by = pl_settings_need_string(settings, "clip_by");
    return (struct pl_clipping){*by == 'v'   ? PL_CLIP_VALUE
                                : *by == 'a' ? PL_CLIP_ADAPTIVE
                                             : PL_CLIP_NORM,
                                pl_settings_need_real(settings, "clip")};
}
