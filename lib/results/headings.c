/* The rows and columns that a set of configurations makes. */
#include "results/results_priv.h"

#include <stdlib.h>
#include <string.h>

static int by_ranks(const void *a, const void *b, void *headings)
{
    const uint32_t *x = a, *y = b;
    for (size_t i = 0; i < ((const struct pl_headings *)headings)->width; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Sorts the headings and drops repetitions. */
static void tidy(struct pl_headings *h)
{
    size_t width = h->width, kept = 0;
    qsort_r(h->ranks, h->count, width * sizeof *h->ranks, by_ranks, h);
    for (size_t i = 0; i < h->count; i++) {
        if (kept && !by_ranks(h->ranks + i * width, h->ranks + (kept - 1) * width, h))
            continue;
        memmove(h->ranks + kept * width, h->ranks + i * width, width * sizeof *h->ranks);
        kept++;
    }
    h->count = kept;
}

void pl_headings_find(const struct pl_results *results, const size_t *configs, size_t config_count, const size_t *keys,
                      size_t width, struct pl_headings *headings)
{
    struct pl_headings *h = headings;
    h->width = width;
    h->count = width ? config_count : 1;
    h->keys = pl_new((width + 1) * sizeof *h->keys);
    if (width)
        memcpy(h->keys, keys, width * sizeof *keys);
    h->ranks = pl_new((width * config_count + 1) * sizeof *h->ranks);
    for (size_t i = 0; i < config_count; i++)
        for (size_t k = 0; k < width; k++)
            h->ranks[i * width + k] = pl_results_rank(results, configs[i], keys[k]);
    if (width)
        tidy(h);
}

size_t pl_headings_of(const struct pl_results *results, const struct pl_headings *headings, size_t config)
{
    const struct pl_headings *h = headings;
    size_t low = 0, high = h->count;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        const uint32_t *ranks = h->ranks + middle * h->width;
        size_t k = 0;
        while (k < h->width && ranks[k] == pl_results_rank(results, config, h->keys[k]))
            k++;
        if (k == h->width)
            return middle;
        if (ranks[k] < pl_results_rank(results, config, h->keys[k]))
            low = middle;
        else
            high = middle;
    }
    return low;
}

void pl_headings_release(struct pl_headings *headings)
{
    free(headings->keys);
    free(headings->ranks);
    *headings = (struct pl_headings){0};
}
