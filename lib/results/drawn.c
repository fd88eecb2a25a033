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

static int find_places(const struct pl_results *results, struct place *places, struct pl_error *err)
{
    struct pl_text canonical = {0};
    int status = 0;
    for (size_t i = 0; i < results->count && !status; i++) {
        status = pl_store_config_text(results->store, pl_results_config_number(results->configs[i]), &canonical, err);
        pl_digest(pl_text(&canonical), canonical.length, places[i].digest);
        places[i].config = i;
    }
    pl_text_release(&canonical);
    qsort(places, results->count, sizeof *places, by_digest);
    return status;
}

/* Points that are excluded have no configuration and are not found. */
static void count_draws(const struct pl_results *results, const struct place *places, size_t *times)
{
    struct pl_walk *walk = pl_walk_new(results->study);
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
        const struct place *place = bsearch(&wanted, places, results->count, sizeof *places, by_digest);
        if (place)
            times[place->config]++;
    }
    pl_walk_free(walk);
    pl_text_release(&canonical);
}

int pl_results_times_drawn(const struct pl_results *results, size_t *times, struct pl_error *err)
{
    bool search = results->study && results->study->search;
    for (size_t i = 0; i < results->count; i++)
        times[i] = search ? 0 : 1;
    if (!search)
        return 0;
    struct place *places = pl_new((results->count + 1) * sizeof *places);
    int status = find_places(results, places, err);
    if (!status)
        count_draws(results, places, times);
    free(places);
    /* What the spec gives no more, was drawn once. */
    for (size_t i = 0; i < results->count; i++)
        times[i] += !times[i];
    return status;
}
