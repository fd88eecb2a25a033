/* What the missing runs of a plan need, and how many of them fit into memory at a time. */
#include "sweep/executor.h"

#include <stdlib.h>
#include <string.h>

/* Texts that were seen. */
struct seen {
    char **texts;
    size_t count, capacity;
};

static bool is_seen(const struct seen *seen, const char *text)
{
    for (size_t i = seen->count; i-- > 0;)
        if (!strcmp(seen->texts[i], text))
            return true;
    return false;
}

static bool is_new(struct seen *seen, const char *text)
{
    if (is_seen(seen, text))
        return false;
    void *list = seen->texts;
    pl_grow(&list, &seen->capacity, seen->count + 1, sizeof *seen->texts);
    seen->texts = list;
    seen->texts[seen->count++] = pl_copy(text);
    return true;
}

static void release(struct seen *seen)
{
    for (size_t i = 0; i < seen->count; i++)
        free(seen->texts[i]);
    free(seen->texts);
}

struct survey {
    const char *folder; /* of data sets */
    int threads;
    struct seen keys, data, warnings;
    struct pl_sweep_needs *needs;
};

static int survey_config(struct survey *survey, const struct pl_settings *settings, struct pl_error *err)
{
    struct pl_train_needs needs;
    int status = pl_train_survey(settings, survey->folder, survey->threads, &needs, err);
    if (status)
        return status;
    if (needs.memory > survey->needs->memory)
        survey->needs->memory = needs.memory;
    if (needs.data[0] && is_new(&survey->data, needs.data))
        pl_text_addf(&survey->needs->data, "%s%s", survey->needs->data.length ? "; " : "", needs.data);
    if (needs.warning[0] && is_new(&survey->warnings, needs.warning))
        pl_text_addf(&survey->needs->warnings, "%s\n", needs.warning);
    return 0;
}

int pl_sweep_plan_survey(const struct pl_sweep_plan *plan, const char *data, int threads, bool retry_failed,
                         struct pl_sweep_needs *needs, struct pl_error *err)
{
    struct survey survey = {.folder = data, .threads = threads, .needs = needs};
    struct pl_text key = {0};
    int status = 0;
    for (size_t i = 0; i < plan->count && !status; i++) {
        const struct pl_sweep_study *study = &plan->studies[i];
        if (!study->surveyed || !pl_sweep_study_missing(study, retry_failed))
            continue;
        struct pl_walk *walk = pl_walk_new(study->study);
        const struct pl_settings *settings;
        const int64_t *seeds;
        size_t seed_count;
        while (!status && !pl_walk_next(walk, &settings, &seeds, &seed_count)) {
            pl_train_survey_key(settings, &key);
            if (key.length && is_new(&survey.keys, key.text))
                status = survey_config(&survey, settings, err);
        }
        pl_walk_free(walk);
    }
    pl_text_release(&key);
    release(&survey.keys);
    release(&survey.data);
    release(&survey.warnings);
    return status;
}

/* Is a run of this configuration still to be run? */
static int is_missing(struct pl_store *store, const struct pl_settings *settings, const int64_t *seeds, size_t count,
                      bool retry_failed, bool *missing, struct pl_error *err)
{
    struct pl_text canonical = {0};
    int status = 0;
    *missing = !store;
    pl_settings_write(settings, &canonical);
    for (size_t i = 0; i < count && store && !*missing && status >= 0; i++) {
        unsigned char key[PL_DIGEST_SIZE];
        enum pl_status found;
        pl_run_key(pl_text(&canonical), seeds[i], key);
        status = pl_store_find_run(store, key, NULL, &found, err);
        *missing = status > 0 || (!status && found != PL_RUN_FINISHED && found != PL_RUN_DIVERGED &&
                                  (found != PL_RUN_FAILED || retry_failed));
    }
    pl_text_release(&canonical);
    return status < 0 ? status : 0;
}

static int survey_study(struct survey *survey, const struct pl_study *study, struct pl_store *store, bool retry_failed,
                        struct pl_error *err)
{
    struct pl_walk *walk = pl_walk_new(study);
    struct pl_text key = {0};
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    int status = 0;
    while (!status && !pl_walk_next(walk, &settings, &seeds, &seed_count)) {
        bool missing = false;
        if (!pl_settings_find(settings, "dataset"))
            break; /* the tasks of a study are of one kind, and others need nothing */
        pl_train_survey_key(settings, &key);
        if (!key.length || is_seen(&survey->keys, key.text))
            continue;
        status = is_missing(store, settings, seeds, seed_count, retry_failed, &missing, err);
        if (!status && missing && is_new(&survey->keys, key.text))
            status = survey_config(survey, settings, err);
    }
    pl_walk_free(walk);
    pl_text_release(&key);
    return status;
}

int pl_sweep_survey_sources(const struct pl_sweep_source *sources, size_t count, struct pl_store *store,
                            const char *data, int threads, bool retry_failed, struct pl_sweep_needs *needs,
                            struct pl_error *err)
{
    struct survey survey = {.folder = data, .threads = threads, .needs = needs};
    int status = 0;
    for (size_t i = 0; i < count && !status; i++)
        for (size_t k = 0; k < pl_spec_study_count(sources[i].spec) && !status; k++)
            if (!pl_spec_study(sources[i].spec, k)->waiting)
                status = survey_study(&survey, pl_spec_study(sources[i].spec, k), store, retry_failed, err);
    release(&survey.keys);
    release(&survey.data);
    release(&survey.warnings);
    return status;
}

void pl_sweep_needs_release(struct pl_sweep_needs *needs)
{
    pl_text_release(&needs->data);
    pl_text_release(&needs->warnings);
}

static double gigabytes(uint64_t bytes)
{
    return (double)bytes / 1e9;
}

void pl_sweep_capacity(const struct pl_executor *executor, struct pl_capacity *capacity)
{
    executor->capacity(capacity);
}

int pl_sweep_fit(const struct pl_capacity *capacity, uint64_t memory, int *jobs, struct pl_text *message,
                 struct pl_error *err)
{
    uint64_t room = capacity->memory;
    if (!memory || !room || memory * (uint64_t)*jobs <= room)
        return 0;
    if (memory > room)
        return pl_fail(err, PL_EMEMORY,
                       "a run needs about %.2f GB of memory, and %.2f GB are free: a smaller batch needs less",
                       gigabytes(memory), gigabytes(room));
    int fitting = (int)(room / memory);
    pl_text_addf(message, "%d jobs instead of %d: a run needs about %.2f GB of memory, and %.2f GB are free", fitting,
                 *jobs, gigabytes(memory), gigabytes(room));
    *jobs = fitting;
    return 1;
}
