/* Wasserstein distances from sorted samples. With part i between the quantiles of i/n and (i+1)/n, mean m_i and
 * sample x_i:
 *   W2^2 = mean of (x_i - m_i)^2 + E X^2 - mean of m_i^2,
 * and W1 is the mean of |x_i - m_i|, except where x_i lies within its own part, which it then divides. */
#include "problem/law_priv.h"

#include <math.h>
#include <stdlib.h>

struct pl_law_parts {
    const struct pl_law *law;
    size_t count;
    double *ends;    /* count + 1 quantiles */
    double *moments; /* first moments of what lies below each end */
    double within;   /* mean variance within the parts */
};

struct pl_law_parts *pl_law_parts_new(const struct pl_law *law, size_t count)
{
    struct pl_law_parts *p = pl_new(sizeof *p);
    double squares = 0, mass;
    p->law = law;
    p->count = count;
    p->ends = pl_arena(count + 1, sizeof *p->ends);
    p->moments = pl_arena(count + 1, sizeof *p->moments);
    if (!p->ends || !p->moments) {
        pl_law_parts_free(p);
        return NULL;
    }
    for (size_t i = 0; i <= count; i++) {
        p->ends[i] = pl_law_quantile(law, (double)i / (double)count);
        pl_law_below(law, p->ends[i], &mass, &p->moments[i]);
    }
    for (size_t i = 0; i < count; i++) {
        double mean = (p->moments[i + 1] - p->moments[i]) * (double)count;
        squares += mean * mean;
    }
    p->within = fmax(law->square / law->mass - squares / (double)count, 0);
    return p;
}

void pl_law_parts_free(struct pl_law_parts *parts)
{
    if (!parts)
        return;
    free(parts->ends);
    free(parts->moments);
    free(parts);
}

/* int |x - Q(p)| dp over the part, for x within it. */
static double divided(const struct pl_law_parts *p, size_t i, double x)
{
    double mass, moment, low = (double)i / (double)p->count, high = (double)(i + 1) / (double)p->count;
    pl_law_below(p->law, x, &mass, &moment);
    return x * (2 * mass - low - high) + p->moments[i] + p->moments[i + 1] - 2 * moment;
}

void pl_law_distances(const struct pl_law_parts *parts, const double *sorted, double *w1, double *w2_squared)
{
    double n = (double)parts->count, first = 0, second = 0;
    for (size_t i = 0; i < parts->count; i++) {
        double x = sorted[i], away = x - (parts->moments[i + 1] - parts->moments[i]) * n;
        bool inside = x > parts->ends[i] && x < parts->ends[i + 1];
        first += inside ? divided(parts, i, x) : fabs(away) / n;
        second += away * away / n;
    }
    *w1 = first;
    *w2_squared = second + parts->within;
}

double pl_law_variation(const struct pl_law_parts *parts, const double *sorted)
{
    enum { MOST = 64, EACH = 16 };
    size_t bins = parts->count / EACH, below = 0;
    double sum = 0;
    bins = bins > MOST ? MOST : bins < 2 ? 2 : bins;
    for (size_t b = 1; b <= bins; b++) {
        size_t first = below, end = parts->count * b / bins, start = parts->count * (b - 1) / bins;
        while (below < parts->count && (b == bins || sorted[below] < parts->ends[end]))
            below++;
        sum += fabs((double)(below - first) - (double)(end - start));
    }
    return sum / (2 * (double)parts->count);
}
