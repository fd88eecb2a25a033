/* From specs to the rows of the database, and the same without writing for --dry-run. */
#include "sweep/choices.h"
#include "sweep/halving.h"

#include <stdlib.h>
#include <string.h>

int64_t pl_sweep_study_missing(const struct pl_sweep_study *study, bool retry_failed)
{
    const int64_t *counts = study->counts;
    int64_t ended = counts[PL_RUN_FINISHED] + counts[PL_RUN_DIVERGED] + counts[PL_RUN_STOPPED];
    if (!retry_failed)
        ended += counts[PL_RUN_FAILED];
    return study->runs - ended;
}

/* The runs seen so far, by the first half of their keys: an open-addressing table at most half full. */
struct pl_seen {
    uint64_t (*keys)[2]; /* {0, 0}: free */
    size_t count, room;  /* room is a power of two */
};

static bool seen_add(struct pl_seen *seen, const uint64_t key[2])
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
static bool first_sight(struct pl_seen *seen, const unsigned char digest[PL_DIGEST_SIZE])
{
    uint64_t key[2];
    if (2 * (seen->count + 1) > seen->room) {
        struct pl_seen larger = {.room = seen->room ? 2 * seen->room : 1024};
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

/* Counts a run for its study and, when an earlier one has it too, among the shared ones. */
static void count_run(struct pl_sweep_plan *plan, struct pl_sweep_study *entry, const unsigned char *key,
                      enum pl_status status)
{
    entry->counts[status]++;
    entry->runs++;
    if (first_sight(plan->seen, key))
        return;
    plan->shared.counts[status]++;
    plan->shared.runs++;
}

static void begin_plan(struct pl_sweep_plan *plan, const struct pl_sweep_source *sources, size_t count)
{
    size_t studies = 0;
    for (size_t i = 0; i < count; i++)
        studies += pl_spec_study_count(sources[i].spec);
    *plan = (struct pl_sweep_plan){.studies = pl_new((studies ? studies : 1) * sizeof *plan->studies),
                                   .sources = sources,
                                   .choices = pl_choices_new(sources, count),
                                   .seen = pl_new(sizeof *plan->seen)};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < pl_spec_study_count(sources[i].spec); k++) {
            const struct pl_study *study = pl_spec_study(sources[i].spec, k);
            plan->studies[plan->count++] = (struct pl_sweep_study){
                .study = study, .source = i, .index = k, .runs = study->waiting ? (int64_t)study->runs : 0};
        }
}

enum { TOLD_EVERY = 4096 }; /* runs from one word of progress to the next */

/* A study while it is written. */
struct writing {
    struct pl_sweep_plan *plan;
    struct pl_sweep_study *entry;
    struct pl_store *store;
    struct pl_brackets brackets;
    struct pl_walk_place place; /* of the configuration at hand */
};

static size_t seed_number(const struct pl_study *study, int64_t seed)
{
    for (size_t i = 0; i < study->seed_count; i++)
        if (study->seeds[i] == seed)
            return i;
    return 0;
}

static int write_run(struct writing *w, const struct pl_settings *settings, int64_t config, const char *canonical,
                     int64_t seed, struct pl_error *err)
{
    struct pl_sweep_plan *plan = w->plan;
    unsigned char key[PL_DIGEST_SIZE];
    enum pl_status found;
    int64_t run;
    pl_run_key(canonical, seed, key);
    int status = pl_store_put_run(w->store, w->entry->sweep, config, seed, key, &run, &found, err);
    if (!status && w->entry->study->stop)
        status = pl_brackets_put(&w->brackets, w->entry, w->store, &w->place, settings,
                                 seed_number(w->entry->study, seed), run, err);
    if (!status)
        count_run(plan, w->entry, key, found);
    if (plan->progress && !(++plan->planned % TOLD_EVERY))
        plan->progress(plan->progress_self, plan->planned, plan->total);
    return status;
}

static int write_study(struct pl_sweep_plan *plan, struct pl_sweep_study *entry, struct pl_store *store,
                       struct pl_error *err)
{
    struct writing writing = {.plan = plan, .entry = entry, .store = store};
    struct pl_text canonical = {0};
    struct pl_walk *walk = pl_walk_new(entry->study);
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    int status = 0;
    entry->runs = 0;
    entry->undecided = entry->study->stop;
    if (entry->study->metric_count)
        status = pl_store_declare(store, entry->sweep, entry->study->metrics, entry->study->metric_count, err);
    while (!status && !pl_walk_next(walk, &settings, &seeds, &seed_count)) {
        int64_t config;
        entry->surveyed = entry->surveyed || pl_settings_find(settings, "dataset");
        pl_text_clear(&canonical);
        pl_settings_write(settings, &canonical);
        status = pl_store_put_config(store, settings, pl_text(&canonical), &config, err);
        pl_walk_where(walk, &writing.place);
        for (size_t i = 0; i < seed_count && !status; i++)
            status = write_run(&writing, settings, config, pl_text(&canonical), seeds[i], err);
    }
    pl_walk_free(walk);
    pl_brackets_release(&writing.brackets);
    pl_text_release(&canonical);
    return status;
}

static int write_sweep(struct pl_sweep_plan *plan, struct pl_sweep_study *entry, struct pl_store *store,
                       struct pl_error *err)
{
    const struct pl_sweep_source *source = &plan->sources[entry->source];
    double now = pl_clock();
    struct pl_sweep_info info = {.study = entry->study->name,
                                 .path = source->path,
                                 .spec = pl_spec_text(source->spec),
                                 .seeds = (int64_t)entry->study->seed_count,
                                 .created = now,
                                 .started = now};
    int status = pl_store_put_sweep(store, &info, &plan->launch, &entry->sweep, err);
    if (!status)
        status = write_study(plan, entry, store, err);
    if (!status && entry->study->source_count)
        status = pl_store_trim_sweep(store, entry->sweep, err);
    return status || !entry->study->metric_count ? status : pl_store_judge_sweep(store, entry->sweep, err);
}

int pl_sweep_plan_make(struct pl_sweep_plan *plan, struct pl_store *store, const struct pl_sweep_source *sources,
                       size_t count, void (*progress)(void *self, int64_t runs, int64_t total), void *self,
                       struct pl_error *err)
{
    begin_plan(plan, sources, count);
    plan->progress = progress;
    plan->progress_self = self;
    for (size_t i = 0; i < plan->count; i++)
        plan->total += plan->studies[i].study->waiting ? 0 : (int64_t)plan->studies[i].study->runs;
    int status = pl_store_begin(store, err);
    if (status)
        goto done;
    for (size_t i = 0; i < plan->count && !status; i++)
        if (!plan->studies[i].study->waiting)
            status = write_sweep(plan, &plan->studies[i], store, err);
    if (!status)
        status = pl_store_commit(store, err);
    if (status)
        pl_store_rollback(store);
done:
    if (status)
        pl_sweep_plan_release(plan);
    return status;
}

/* A study may wait for one that waited itself. */
static int advance(struct pl_sweep_plan *plan, struct pl_store *store, size_t *advanced, struct pl_text *problems,
                   struct pl_error *err)
{
    for (size_t i = 0; i < plan->count;) {
        struct pl_sweep_study *entry = &plan->studies[i++];
        if (!entry->study->waiting || pl_sweep_plan_blocking(plan, entry))
            continue;
        int status = pl_sweep_plan_choose(plan, entry, store, problems, err);
        if (!status)
            status = write_sweep(plan, entry, store, err);
        if (status)
            return status;
        ++*advanced;
        i = 0;
    }
    return 0;
}

int pl_sweep_plan_advance(struct pl_sweep_plan *plan, struct pl_store *store, size_t *advanced,
                          struct pl_text *problems, struct pl_error *err)
{
    bool waiting = false;
    *advanced = 0;
    for (size_t i = 0; i < plan->count; i++)
        waiting = waiting || plan->studies[i].study->waiting;
    int status = waiting ? pl_store_begin(store, err) : 1;
    if (status)
        return status < 0 ? status : 0;
    status = advance(plan, store, advanced, problems, err);
    if (!status)
        status = pl_store_commit(store, err);
    if (status)
        pl_store_rollback(store);
    return status;
}

int pl_sweep_plan_recount(struct pl_sweep_plan *plan, struct pl_store *store, struct pl_error *err)
{
    int status = 0;
    for (size_t i = 0; i < plan->count && !status; i++)
        if (plan->studies[i].sweep)
            status = pl_store_counts(store, plan->studies[i].sweep, plan->studies[i].counts, err);
    return status;
}

struct preview {
    struct pl_store *store;
    struct pl_sweep_plan *plan;
    const struct pl_sweep_preview *as;
    int64_t sweep;  /* of this very spec, which has stopped some of the study's runs; 0: none */
    int64_t newest; /* of the study: it says which of its runs diverged; 0: none */
};

static int preview_run(struct pl_sweep_study *entry, const struct preview *p, const struct pl_settings *settings,
                       const char *canonical, int64_t seed, struct pl_error *err)
{
    unsigned char key[PL_DIGEST_SIZE];
    enum pl_status found = PL_RUN_PLANNED;
    int64_t run = 0;
    pl_run_key(canonical, seed, key);
    int status = p->store ? pl_store_find_run(p->store, key, &run, &found, err) : 1;
    if (!status && (p->newest || p->as->retry))
        status = pl_store_foresee_run(p->store, run, p->sweep, p->newest, p->as->retry, &found, err);
    if (status < 0)
        return status;
    status = p->as->row(p->as->self, entry->study, settings, seed, run, &found);
    count_run(p->plan, entry, key, found);
    return status;
}

/* The sweep of that very spec: what it stopped stays stopped. */
static int64_t same_sweep(const struct pl_sweep_plan *plan, const struct pl_sweep_study *entry, struct pl_store *store)
{
    const struct pl_sweep_info *sweeps;
    size_t count;
    if (!store || pl_store_sweeps(store, entry->study->name, &sweeps, &count, NULL) ||
        strcmp(sweeps[0].spec, pl_spec_text(plan->sources[entry->source].spec)) != 0)
        return 0;
    return sweeps[0].id;
}

static int64_t newest_sweep(const struct pl_sweep_study *entry, struct pl_store *store)
{
    const struct pl_sweep_info *sweeps;
    size_t count;
    return !store || pl_store_sweeps(store, entry->study->name, &sweeps, &count, NULL) ? 0 : sweeps[0].id;
}

static int preview_study(struct pl_sweep_study *entry, struct preview *p, struct pl_error *err)
{
    struct pl_text canonical = {0};
    struct pl_walk *walk = pl_walk_new(entry->study);
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    int status = 0;
    struct pl_brackets brackets = {0};
    entry->runs = 0;
    p->sweep = entry->study->stop ? same_sweep(p->plan, entry, p->store) : 0;
    p->newest = newest_sweep(entry, p->store);
    while (!status && !pl_walk_next(walk, &settings, &seeds, &seed_count)) {
        struct pl_walk_place place;
        pl_text_clear(&canonical);
        pl_settings_write(settings, &canonical);
        pl_walk_where(walk, &place);
        for (size_t i = 0; i < seed_count && !status; i++) {
            if (entry->study->stop)
                pl_brackets_foresee(&brackets, entry->study, &place, settings, seed_number(entry->study, seeds[i]));
            status = preview_run(entry, p, settings, pl_text(&canonical), seeds[i], err);
        }
    }
    if (entry->study->stop) {
        entry->rungs = pl_resize(entry->rungs, 1, sizeof *entry->rungs);
        pl_brackets_sum(&brackets, entry->study, entry->rungs);
    }
    pl_brackets_release(&brackets);
    pl_walk_free(walk);
    pl_text_release(&canonical);
    return status;
}

/* Finds the sweeps, in the database, of the studies that an entry takes settings from: the same file must have been
 * swept. */
static bool find_sources(struct pl_sweep_plan *plan, const struct pl_sweep_study *entry, struct pl_store *store)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct pl_sweep_study *source = &plan->studies[i];
        if (!pl_sweep_plan_feeds(source, entry) || source->sweep)
            continue;
        source->sweep = same_sweep(plan, source, store);
        if (!source->sweep)
            return false;
    }
    return true;
}

int pl_sweep_plan_preview(struct pl_sweep_plan *plan, struct pl_store *store, const struct pl_sweep_source *sources,
                          size_t count, const struct pl_sweep_preview *preview, struct pl_error *err)
{
    begin_plan(plan, sources, count);
    struct preview p = {.store = store, .plan = plan, .as = preview};
    int status = 0;
    for (size_t i = 0; i < plan->count && !status; i++)
        if (!plan->studies[i].study->waiting)
            status = preview_study(&plan->studies[i], &p, err);
    for (size_t i = 0; i < plan->count && !status && store;) {
        struct pl_sweep_study *entry = &plan->studies[i++];
        if (!entry->study->waiting || pl_sweep_plan_blocking(plan, entry) || !find_sources(plan, entry, store))
            continue;
        struct pl_text problems = {0}; /* what does not work out will be said by the sweep itself */
        if (!pl_sweep_plan_choose(plan, entry, store, &problems, NULL)) {
            status = preview_study(entry, &p, err);
            i = 0;
        }
        pl_text_release(&problems);
    }
    if (status < 0)
        pl_sweep_plan_release(plan);
    return status;
}

void pl_sweep_plan_release(struct pl_sweep_plan *plan)
{
    for (size_t i = 0; i < plan->count;
         i++) { /* what was chosen goes: the specs may be planned again, after a preview */
        pl_spec_unsettle(plan->sources[plan->studies[i].source].spec, plan->studies[i].index);
        free(plan->studies[i].rungs);
    }
    pl_choices_free(plan->choices);
    free(plan->seen ? plan->seen->keys : NULL);
    free(plan->seen);
    free(plan->studies);
    *plan = (struct pl_sweep_plan){0};
}
