/* From specs to the rows of the database, and the same without writing for --dry-run. */
#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

int64_t pl_study_missing(const struct pl_sweep_study *study, bool retry_failed)
{
    const int64_t *counts = study->counts;
    int64_t settled = counts[PL_RUN_FINISHED] + counts[PL_RUN_DIVERGED];
    if (!retry_failed)
        settled += counts[PL_RUN_FAILED];
    return study->runs - settled;
}

enum pl_direction pl_study_direction(const struct pl_study *study, const char *metric, enum pl_direction reported)
{
    for (size_t i = 0; study && i < study->metric_count; i++)
        if (!strcmp(study->metrics[i].name, metric))
            return study->metrics[i].direction;
    return reported;
}

static void begin_plan(struct pl_plan *plan, const struct pl_source *sources, size_t count)
{
    size_t studies = 0;
    for (size_t i = 0; i < count; i++)
        studies += pl_spec_study_count(sources[i].spec);
    *plan = (struct pl_plan){.studies = pl_new((studies ? studies : 1) * sizeof *plan->studies)};
}

static int write_study(struct pl_sweep_study *entry, struct pl_store *store, struct pl_error *err)
{
    struct pl_text canonical = {0};
    struct pl_walk *walk = pl_walk_new(entry->study);
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    int status = 0;
    for (size_t i = 0; i < entry->study->metric_count && !status; i++) {
        const struct pl_metric_spec *metric = &entry->study->metrics[i];
        int64_t series;
        status = pl_store_series(store, metric->name, metric->direction, &series, err);
    }
    while (!status && !pl_walk_next(walk, &settings, &seeds, &seed_count)) {
        int64_t config, run;
        entry->surveyed = entry->surveyed || pl_settings_find(settings, "dataset");
        pl_text_clear(&canonical);
        pl_settings_write(settings, &canonical);
        status = pl_store_put_config(store, settings, pl_text(&canonical), &config, err);
        for (size_t i = 0; i < seed_count && !status; i++) {
            unsigned char key[PL_DIGEST_SIZE];
            enum pl_status found;
            pl_run_key(pl_text(&canonical), seeds[i], key);
            status = pl_store_put_run(store, entry->sweep, config, seeds[i], key, &run, &found, err);
            if (!status) {
                entry->counts[found]++;
                entry->runs++;
            }
        }
    }
    pl_walk_free(walk);
    pl_text_release(&canonical);
    return status;
}

int pl_plan_make(struct pl_plan *plan, struct pl_store *store, const struct pl_source *sources, size_t count,
                 struct pl_error *err)
{
    begin_plan(plan, sources, count);
    int status = pl_store_begin(store, err);
    if (status)
        goto done;
    int64_t launch = 0;
    double now = pl_clock();
    for (size_t i = 0; i < count && !status; i++) {
        for (size_t k = 0; k < pl_spec_study_count(sources[i].spec) && !status; k++) {
            struct pl_sweep_study *entry = &plan->studies[plan->count++];
            entry->study = pl_spec_study(sources[i].spec, k);
            struct pl_sweep_info info = {.study = entry->study->name, .path = sources[i].path,
                                         .spec = pl_spec_text(sources[i].spec),
                                         .seeds = (int64_t)entry->study->seed_count, .created = now, .started = now};
            status = pl_store_put_sweep(store, &info, &launch, &entry->sweep, err);
            if (!status)
                status = write_study(entry, store, err);
        }
    }
    if (!status)
        status = pl_store_commit(store, err);
    if (status)
        pl_store_rollback(store);
done:
    if (status)
        pl_plan_release(plan);
    return status;
}

/* The runs seen so far, by the first half of their keys: an open-addressing table at most half full. */
struct seen {
    uint64_t (*keys)[2]; /* {0, 0}: free */
    size_t count, room;  /* room is a power of two */
};

static bool seen_add(struct seen *seen, const uint64_t key[2])
{
    size_t at = (size_t)key[0] & (seen->room - 1);
    while (seen->keys[at][0] || seen->keys[at][1]) {
        if (seen->keys[at][0] == key[0] && seen->keys[at][1] == key[1])
            return false;
        at = (at + 1) & (seen->room - 1);
    }
    memcpy(seen->keys[at], key, sizeof *seen->keys);
    seen->count++;
    return true;
}

/* Is the run new? Remembers it. */
static bool first_sight(struct seen *seen, const unsigned char digest[PL_DIGEST_SIZE])
{
    uint64_t key[2];
    if (2 * (seen->count + 1) > seen->room) {
        struct seen larger = {.room = seen->room ? 2 * seen->room : 1024};
        larger.keys = pl_new(larger.room * sizeof *larger.keys);
        for (size_t i = 0; i < seen->room; i++)
            if (seen->keys[i][0] || seen->keys[i][1])
                seen_add(&larger, seen->keys[i]);
        free(seen->keys);
        *seen = larger;
    }
    memcpy(key, digest, sizeof key);
    return seen_add(seen, key);
}

struct preview {
    struct pl_store *store;
    struct seen *seen;
    struct pl_sweep_study *shared;
    int (*row)(void *self, const struct pl_study *study, const struct pl_settings *settings, int64_t seed,
               enum pl_status status);
    void *self;
};

static int preview_run(struct pl_sweep_study *entry, const struct preview *p, const struct pl_settings *settings,
                       const char *canonical, int64_t seed, struct pl_error *err)
{
    unsigned char key[PL_DIGEST_SIZE];
    enum pl_status found = PL_RUN_PLANNED;
    int64_t run;
    pl_run_key(canonical, seed, key);
    int status = p->store ? pl_store_find_run(p->store, key, &run, &found, err) : 0;
    if (status < 0)
        return status;
    if (status)
        found = PL_RUN_PLANNED;
    entry->counts[found]++;
    entry->runs++;
    if (!first_sight(p->seen, key)) {
        p->shared->counts[found]++;
        p->shared->runs++;
    }
    return p->row(p->self, entry->study, settings, seed, found);
}

static int preview_study(struct pl_sweep_study *entry, const struct preview *p, struct pl_error *err)
{
    struct pl_text canonical = {0};
    struct pl_walk *walk = pl_walk_new(entry->study);
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    int status = 0;
    while (!status && !pl_walk_next(walk, &settings, &seeds, &seed_count)) {
        pl_text_clear(&canonical);
        pl_settings_write(settings, &canonical);
        for (size_t i = 0; i < seed_count && !status; i++)
            status = preview_run(entry, p, settings, pl_text(&canonical), seeds[i], err);
    }
    pl_walk_free(walk);
    pl_text_release(&canonical);
    return status;
}

int pl_plan_preview(struct pl_plan *plan, struct pl_store *store, const struct pl_source *sources, size_t count,
                    int (*row)(void *self, const struct pl_study *study, const struct pl_settings *settings,
                               int64_t seed, enum pl_status status),
                    void *self, struct pl_error *err)
{
    begin_plan(plan, sources, count);
    struct seen seen = {0};
    struct preview p = {store, &seen, &plan->shared, row, self};
    int status = 0;
    for (size_t i = 0; i < count && !status; i++) {
        for (size_t k = 0; k < pl_spec_study_count(sources[i].spec) && !status; k++) {
            struct pl_sweep_study *entry = &plan->studies[plan->count++];
            entry->study = pl_spec_study(sources[i].spec, k);
            status = preview_study(entry, &p, err);
        }
    }
    free(seen.keys);
    if (status < 0)
        pl_plan_release(plan);
    return status;
}

void pl_plan_release(struct pl_plan *plan)
{
    free(plan->studies);
    *plan = (struct pl_plan){0};
}
