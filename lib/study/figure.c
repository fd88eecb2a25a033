#include "study/figure.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

const char *const pl_figure_kind_names[PL_FIGURE_KIND_COUNT] = {PL_FIGURE_KINDS(PL_WORD_ITEM, PL_WORD_ITEM)};
const char *const pl_figure_time_names[PL_FIGURE_TIME_COUNT] = {PL_FIGURE_TIMES(PL_WORD_ITEM, PL_WORD_ITEM)};
const char *const pl_figure_spending_names[PL_FIGURE_SPENDING_COUNT] = {
    PL_FIGURE_SPENDINGS(PL_WORD_ITEM, PL_WORD_ITEM)};
const char *const pl_statistic_names[PL_STATISTIC_COUNT] = {PL_STATISTICS(PL_WORD_ITEM, PL_WORD_ITEM)};

const struct pl_figure_traits pl_figure_traits[PL_FIGURE_KIND_COUNT] = {
    [PL_FIGURE_CURVES] = {.x = PL_OF_TIME,
                          .y = PL_OF_METRIC,
                          .panels = true,
                          .fit = true,
                          .axes = true,
                          .spread = true,
                          .curves = true,
                          .shared = true},
    [PL_FIGURE_TRAJECTORIES] = {.x = PL_OF_TIME,
                                .y = PL_OF_METRIC,
                                .panels = true,
                                .fit = true,
                                .axes = true,
                                .spread = true,
                                .curves = true,
                                .shared = true},
    [PL_FIGURE_SENSITIVITY] = {.x = PL_OF_SETTING,
                               .y = PL_OF_METRIC,
                               .panels = true,
                               .fit = true,
                               .axes = true,
                               .spread = true,
                               .shared = true},
    [PL_FIGURE_HEATMAP] = {.x = PL_OF_SETTING, .y = PL_OF_SETTING, .z = PL_OF_METRIC, .panels = true, .axes = true},
    [PL_FIGURE_SCATTER] = {.x = PL_OF_SETTING,
                           .y = PL_OF_METRIC,
                           .z = PL_OF_SETTING,
                           .z_optional = true,
                           .panels = true,
                           .axes = true,
                           .shared = true},
    [PL_FIGURE_TUNING] = {.x = PL_OF_SPENT,
                          .y = PL_OF_METRIC,
                          .panels = true,
                          .axes = true,
                          .tuned = true,
                          .level = true,
                          .shared = true},
    [PL_FIGURE_PROFILE] = {.y = PL_OF_METRIC, .axes = true, .tasks = true},
    [PL_FIGURE_RANKS] = {.y = PL_OF_METRIC, .tasks = true, .level = true},
    [PL_FIGURE_BOX] =
        {.x = PL_OF_SETTING, .y = PL_OF_METRIC, .panels = true, .axes = true, .shared = true, .seeds = true},
    [PL_FIGURE_STRIP] =
        {.x = PL_OF_SETTING, .y = PL_OF_METRIC, .panels = true, .axes = true, .shared = true, .seeds = true},
    [PL_FIGURE_PARALLEL] = {.x = PL_OF_SETTINGS, .y = PL_OF_METRIC, .panels = true},
};

const struct pl_figure_spec pl_figure_neutral = {
    .x_range = {NAN, NAN}, .y_range = {NAN, NAN}, .band = PL_BAND_LD, .confidence = 0.95, .tau_max = 4};

const char *const pl_around_names[PL_AROUND_COUNT] = {PL_AROUNDS(PL_WORD_ITEM, PL_WORD_ITEM)};

bool pl_figure_kind_read(const char *name, enum pl_figure_kind *kind)
{
    for (size_t i = 0; i < PL_FIGURE_KIND_COUNT; i++)
        if (!strcmp(pl_figure_kind_names[i], name)) {
            *kind = (enum pl_figure_kind)i;
            return true;
        }
    return false;
}

bool pl_length_read(const char *text, double *inches)
{
    static const struct {
        const char *name;
        double inches;
    } units[] = {{"in", 1}, {"cm", 1 / 2.54}, {"mm", 1 / 25.4}, {"pt", 1 / 72.27}};
    size_t length = strlen(text), digits = length - (length < 2 ? length : 2);
    char number[32];
    double value;
    while (digits && text[digits - 1] == ' ')
        digits--;
    if (!digits || digits >= sizeof number)
        return false;
    memcpy(number, text, digits);
    number[digits] = '\0';
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(text + length - 2, units[i].name) && pl_number_read(number, &value)) {
            value *= units[i].inches;
            if (!(value >= 1 && value <= 40))
                return false;
            *inches = value;
            return true;
        }
    return false;
}

static bool read_size(const char *text, double *size)
{
    return pl_number_read(text, size) && *size >= 4 && *size <= 48;
}

bool pl_font_read(const char *text, struct pl_font *font)
{
    const char *comma = strchr(text, ',');
    struct pl_font read = {0};
    size_t length = comma ? (size_t)(comma - text) : strlen(text);
    static const char legal[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -";
    if (!*text || length >= sizeof read.family || (comma && !read_size(comma + 1, &read.size)))
        return false;
    if (!comma && pl_number_read(text, &read.size)) {
        if (!read_size(text, &read.size))
            return false;
    } else {
        memcpy(read.family, text, length);
        if (strspn(text, legal) < length || *text == ' ' || *text == '-')
            return false;
    }
    *font = read;
    return true;
}

bool pl_smooth_read(const char *text, struct pl_smooth *smooth)
{
    struct pl_smooth read = {0};
    int64_t epochs;
    size_t word = strcspn(text, " ");
    if (text[word]) {
        read.median = word == strlen("median") && !strncmp(text, "median", word);
        if (!read.median && !(word == strlen("mean") && !strncmp(text, "mean", word)))
            return false;
        text += word + strspn(text + word, " ");
    }
    if (!pl_integer_read(text, &epochs) || epochs < 2 || epochs > 100000)
        return false;
    read.epochs = (int)epochs;
    *smooth = read;
    return true;
}
