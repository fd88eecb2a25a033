/* Seeds of a study. */
#include "spec/grid/seeds.h"

#include "spec/grid/scale.h"
#include "spec/read/complaint.h"
#include "spec/read/content.h"
#include "spec/read/node.h"
#include "spec/read/reader.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEEDS = 1000000 };

static bool read_seed(struct reader *reader, const struct node *node, int64_t *seed)
{
    if (node->kind == NODE_SCALAR && node->plain && pl_integer_read(node->text, seed) && *seed >= 0)
        return true;
    pl_complain(&reader->complaints, node, "a seed must be a whole number from 0 to %lld, in plain digits",
                (long long)INT64_MAX);
    return false;
}

struct numbered {
    int64_t seed;
    size_t index;
};

static int by_seed(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->seed != y->seed)
        return x->seed < y->seed ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void complain_repeated(struct reader *reader, struct node *const *items, const int64_t *seeds, size_t count)
{
    struct numbered *sorted = pl_new((count + 1) * sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct numbered){seeds[i], i};
    qsort(sorted, count, sizeof *sorted, by_seed);
    for (size_t i = 1; i < count; i++)
        if (sorted[i].seed == sorted[i - 1].seed)
            pl_complain(&reader->complaints, items[sorted[i].index], "the seed %lld is given twice",
                        (long long)sorted[i].seed);
    free(sorted);
}

static void read_list(struct reader *reader, struct node *node, struct pl_study *study)
{
    size_t count;
    struct node **items = pl_node_list(&node, &count);
    if (!count || count > MOST_SEEDS) {
        pl_complain(&reader->complaints, node, "seeds: there must be between 1 and %d seeds", MOST_SEEDS);
        return;
    }
    int64_t *seeds = pl_pool_new(reader->pool, count, sizeof *seeds);
    for (size_t i = 0; i < count; i++)
        if (!read_seed(reader, items[i], &seeds[i]))
            seeds[i] = -1 - (int64_t)i; /* unlike any other */
    complain_repeated(reader, items, seeds, count);
    study->seeds = seeds;
    study->seed_count = count;
}

static void read_range(struct reader *reader, const struct node *map, struct pl_study *study)
{
    const struct node *from = NULL, *to = NULL;
    int64_t first, last;
    for (size_t i = 0; i < map->count; i++) {
        const struct node *key = map->items[2 * i];
        if (!strcmp(key->text, "from"))
            from = map->items[2 * i + 1];
        else if (!strcmp(key->text, "to"))
            to = map->items[2 * i + 1];
        else
            pl_complain(&reader->complaints, key, "seeds cannot have the key %.100s; write {from: 1, to: 40}",
                        key->text);
    }
    if (!from || !to) {
        pl_complain(&reader->complaints, map, "seeds must be a number, a list of numbers, or {from: 1, to: 40}");
        return;
    }
    if (!read_seed(reader, from, &first) || !read_seed(reader, to, &last))
        return;
    if (last < first || last - first >= MOST_SEEDS) {
        pl_complain(&reader->complaints, to, "seeds: to must be at least from, with at most %d seeds", MOST_SEEDS);
        return;
    }
    size_t count = (size_t)(last - first) + 1;
    int64_t *seeds = pl_pool_new(reader->pool, count, sizeof *seeds);
    for (size_t i = 0; i < count; i++)
        seeds[i] = first + (int64_t)i;
    study->seeds = seeds;
    study->seed_count = count;
}

void pl_seeds_read(struct reader *reader, const struct content *defaults, const struct content *content,
                   struct pl_study *study)
{
    static const int64_t one[] = {1};
    struct node *scaled = pl_scale_seeds(reader->scale);
    struct node *node = scaled ? scaled : content->seeds ? content->seeds : defaults ? defaults->seeds : NULL;
    if (node && node->kind == NODE_MAP)
        read_range(reader, node, study);
    else if (node)
        read_list(reader, node, study);
    if (!study->seed_count) {
        study->seeds = one;
        study->seed_count = 1;
    }
}

static int rising(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void pl_seeds_sort(int64_t *seeds, size_t count)
{
    qsort(seeds, count, sizeof *seeds, rising);
}

bool pl_seed_among(int64_t seed, const int64_t *sorted, size_t count)
{
    return bsearch(&seed, sorted, count, sizeof *sorted, rising);
}
