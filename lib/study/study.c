#include "study/study.h"

#include <math.h>
#include <string.h>

const char *const pl_cell_names[PL_CELL_COUNT] = {PL_CELLS(PL_WORD_ITEM, PL_WORD_ITEM)};
const char *const pl_test_names[PL_TEST_COUNT] = {PL_TESTS(PL_WORD_ITEM, PL_WORD_ITEM)};
const char *const pl_correction_names[PL_CORRECTION_COUNT] = {PL_CORRECTIONS(PL_WORD_ITEM, PL_WORD_ITEM)};
const char *const pl_figure_kind_names[PL_FIGURE_KIND_COUNT] = {PL_FIGURE_KINDS(PL_WORD_ITEM, PL_WORD_ITEM)};
const char *const pl_prior_kind_names[PL_PRIOR_KIND_COUNT] = {PL_PRIOR_KINDS(PL_WORD_ITEM, PL_WORD_ITEM)};
const char *const pl_search_method_names[PL_SEARCH_METHOD_COUNT] = {PL_SEARCH_METHODS(PL_WORD_ITEM, PL_WORD_ITEM)};
const char *const pl_figure_time_names[PL_FIGURE_TIME_COUNT] = {PL_FIGURE_TIMES(PL_WORD_ITEM, PL_WORD_ITEM)};

const char *const pl_figure_spending_names[PL_FIGURE_SPENDING_COUNT] = {
    PL_FIGURE_SPENDINGS(PL_WORD_ITEM, PL_WORD_ITEM)};
const char *const pl_statistic_names[PL_STATISTIC_COUNT] = {PL_STATISTICS(PL_WORD_ITEM, PL_WORD_ITEM)};

const struct pl_figure_traits pl_figure_traits[PL_FIGURE_KIND_COUNT] = {
    [PL_FIGURE_CURVES] = {.x = PL_OF_TIME, .y = PL_OF_METRIC, .panels = true, .fit = true, .axes = true},
    [PL_FIGURE_TRAJECTORIES] = {.x = PL_OF_TIME, .y = PL_OF_METRIC, .panels = true, .fit = true, .axes = true},
    [PL_FIGURE_SENSITIVITY] = {.x = PL_OF_SETTING, .y = PL_OF_METRIC, .panels = true, .fit = true, .axes = true},
    [PL_FIGURE_HEATMAP] = {.x = PL_OF_SETTING, .y = PL_OF_SETTING, .z = PL_OF_METRIC, .panels = true, .axes = true},
    [PL_FIGURE_SCATTER] =
        {.x = PL_OF_SETTING, .y = PL_OF_METRIC, .z = PL_OF_SETTING, .z_optional = true, .panels = true, .axes = true},
    [PL_FIGURE_TUNING] =
        {.x = PL_OF_SPENT, .y = PL_OF_METRIC, .panels = true, .axes = true, .tuned = true, .level = true},
    [PL_FIGURE_PROFILE] = {.y = PL_OF_METRIC, .axes = true, .tasks = true},
    [PL_FIGURE_RANKS] = {.y = PL_OF_METRIC, .tasks = true, .level = true},
};

const struct pl_figure_spec pl_figure_neutral = {
    .x_range = {NAN, NAN}, .y_range = {NAN, NAN}, .band = PL_BAND_LD, .confidence = 0.95, .tau_max = 4};

bool pl_cell_is_mean(const char *cell)
{
    return !cell || !strcmp(cell, "mean") || !strcmp(cell, "mean(std)");
}

bool pl_figure_kind_read(const char *name, enum pl_figure_kind *kind)
{
    for (size_t i = 0; i < PL_FIGURE_KIND_COUNT; i++)
        if (!strcmp(pl_figure_kind_names[i], name)) {
            *kind = (enum pl_figure_kind)i;
            return true;
        }
    return false;
}

bool pl_metric_is_to_target(const char *metric)
{
    return !strcmp(metric, PL_EPOCHS_TO_TARGET) || !strcmp(metric, PL_SECONDS_TO_TARGET);
}

const struct pl_prior *pl_search_prior(const struct pl_search *search, const char *key)
{
    const struct pl_prior *found = NULL;
    for (size_t i = 0; search && i < search->drawn_count; i++) {
        if (strcmp(search->drawn[i].key, key))
            continue;
        if (found && found->kind != search->drawn[i].prior->kind)
            return NULL;
        found = search->drawn[i].prior;
    }
    return found;
}

enum pl_direction pl_study_direction(const struct pl_study *study, const char *metric)
{
    for (size_t i = 0; study && i < study->metric_count; i++)
        if (!strcmp(study->metrics[i].name, metric))
            return study->metrics[i].direction;
    return pl_train_direction(metric);
}

double pl_study_epochs(const struct pl_study *study, const struct pl_settings *settings)
{
    if (!study)
        return 0;
    return study->epochs_key ? pl_settings_real(settings, study->epochs_key, 0) : study->epochs;
}
