/* Which runs go on: successive halving, the brackets of Hyperband, and the median rule. */
#include "statistics/statistics.h"

#include <gsl/gsl_statistics_double.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t pl_halving_kept(size_t n, double keep)
{
    double kept = floor((double)n * keep + 1e-9); /* a third of 9 is 3 */
    return kept < 1 ? n > 0 : (size_t)kept;
}

struct ranking {
    const struct pl_entrant *entrants;
    bool maximize;
};

static int by_rank(const void *a, const void *b, void *self)
{
    const struct ranking *r = self;
    const struct pl_entrant *x = &r->entrants[*(const size_t *)a], *y = &r->entrants[*(const size_t *)b];
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    if (x->state == PL_ENTRANT_VALUE && x->value != y->value)
        return (x->value > y->value) == r->maximize ? -1 : 1;
    return memcmp(x->key, y->key, PL_DIGEST_SIZE);
}

bool pl_halving_decide(const struct pl_entrant *entrants, size_t count, double keep, bool maximize, bool *goes_on)
{
    for (size_t i = 0; i < count; i++)
        if (entrants[i].state == PL_ENTRANT_OPEN)
            return false;
    struct ranking ranking = {entrants, maximize};
    size_t *order = pl_new((count + 1) * sizeof *order), kept = pl_halving_kept(count, keep);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, by_rank, &ranking);
    for (size_t i = 0; i < count; i++)
        goes_on[order[i]] = i < kept && entrants[order[i]].state == PL_ENTRANT_VALUE;
    free(order);
    return true;
}

bool pl_median_goes_on(const struct pl_entrant *entrants, size_t count, size_t which, size_t startup, bool maximize)
{
    double *others = pl_new((count + 1) * sizeof *others), sign = maximize ? -1 : 1;
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (i != which && entrants[i].state == PL_ENTRANT_VALUE)
            others[found++] = sign * entrants[i].value;
    bool on = found < startup || !found || sign * entrants[which].value <= gsl_stats_median(others, 1, found);
    free(others);
    return on;
}

size_t pl_hyperband_next(struct pl_hyperband *h, size_t rungs, double keep)
{
    double sum = 0, most = -INFINITY, weights[PL_HYPERBAND_MOST];
    size_t chosen = 0;
    for (size_t b = 0; b <= rungs; b++)
        sum += weights[b] = pow(1 / keep, (double)(rungs - b)) * (double)(rungs + 1) / (double)(rungs - b + 1);
    h->points++;
    for (size_t b = 0; b <= rungs; b++) {
        double lacks = weights[b] / sum * (double)h->points - (double)h->given[b];
        if (lacks > most + 1e-9) {
            most = lacks;
            chosen = b;
        }
    }
    h->given[chosen]++;
    return chosen;
}
