#include "study/study.h"

#include <math.h>
#include <string.h>

const char *const pl_test_names[PL_TEST_COUNT] = {PL_TESTS(PL_WORD_ITEM, PL_WORD_ITEM)};
const char *const pl_correction_names[PL_CORRECTION_COUNT] = {PL_CORRECTIONS(PL_WORD_ITEM, PL_WORD_ITEM)};
const char *const pl_prior_kind_names[PL_PRIOR_KIND_COUNT] = {PL_PRIOR_KINDS(PL_WORD_ITEM, PL_WORD_ITEM)};
const char *const pl_search_method_names[PL_SEARCH_METHOD_COUNT] = {PL_SEARCH_METHODS(PL_WORD_ITEM, PL_WORD_ITEM)};

bool pl_table_label_is_legal(const char *label)
{
    size_t length = strlen(label);
    return length && length <= 100 &&
           strspn(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:._-+/") == length;
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
