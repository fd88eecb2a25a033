/* How often each configuration was drawn by a search: equal points are one configuration, and statistics of a search
 * count draws. */
#include "results/results_priv.h"
#include "spec/spec.h"

#include <stdlib.h>
#include <string.h>

struct place {
    unsigned char digest[PL_DIGEST_SIZE]; /* of the canonical settings */
    size_t config;
};

static int by_digest(const void *a, const void *b)
{
    return memcmp(a, b, PL_DIGEST_SIZE);
}

/* Of the configurations of one part; as many as *count says then. */
static int find_places(const struct pl_results *results, size_t part, struct place *places, size_t *count,
                       struct pl_error *err)
{
    struct pl_text canonical = {0};
    int status = 0;
    *count = 0;
    for (size_t i = 0; i < results->count && !status; i++) {
        if (pl_results_part_of(results, i) != part)
            continue;
        struct place *place = &places[(*count)++];
        status = pl_store_config_text(results->store, pl_results_config_number(results->configs[i]), &canonical, err);
        pl_digest(pl_text(&canonical), canonical.length, place->digest);
        place->config = i;
    }
    pl_text_release(&canonical);
    qsort(places, *count, sizeof *places, by_digest);
    return status;
}

/* Points that are excluded have no configuration and are not found. */
static void count_draws(const struct pl_study *study, const struct place *places, size_t count, size_t *times)
{
    struct pl_walk *walk = pl_walk_new(study);
    struct pl_text canonical = {0};
    const struct pl_settings *settings;
    const int64_t *seeds;
    size_t seed_count;
    pl_walk_with_repeats(walk);
    while (!pl_walk_next(walk, &settings, &seeds, &seed_count)) {
        struct place wanted;
        pl_text_clear(&canonical);
        pl_settings_write(settings, &canonical);
        pl_digest(pl_text(&canonical), canonical.length, wanted.digest);
        const struct place *place = bsearch(&wanted, places, count, sizeof *places, by_digest);
        if (place)
            times[place->config]++;
    }
    pl_walk_free(walk);
    pl_text_release(&canonical);
}

int pl_results_times_drawn(const struct pl_results *results, size_t *times, struct pl_error *err)
{
    struct place *places = pl_new((results->count + 1) * sizeof *places);
    int status = 0;
    memset(times, 0, results->count * sizeof *times);
    for (size_t part = 0; part < pl_results_part_count(results) && !status; part++) {
        const struct pl_study *study = pl_results_part_at(results, part)->study;
        size_t count;
        if (!study || !study->search)
            continue;
        status = find_places(results, part, places, &count, err);
        if (!status)
            count_draws(study, places, count, times);
    }
    free(places);
    /* What no search draws, or the spec gives no more, counts once. */
    for (size_t i = 0; i < results->count; i++)
        times[i] += !times[i];
    return status;
}
