/* Bands for a distribution, and the probability that order statistics stay within theirs. */
#include "statistics/statistics.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const pl_band_names[PL_BAND_COUNT] = {"dkw", "ks", "ld"};

/* ---- the noncrossing probability ---- */

/* How many variables may have come by a time: at least as many as must have, at most as many as may. */
struct walk {
    size_t n;
    const double *low, *high;
    double *now, *next; /* probabilities of counts 0..n */
    double *logs;       /* log k! */
};

static double binomial(const struct walk *w, size_t of, size_t count, double p, double q)
{
    if (p <= 0)
        return count == 0;
    if (q <= 0)
        return count == of;
    return exp(w->logs[of] - w->logs[count] - w->logs[of - count] + (double)count * log(p) +
               (double)(of - count) * log(q));
}

/* From a time to a later one: each variable that has not come does so with probability share. */
static void advance(struct walk *w, double from, double to, size_t least, size_t most, size_t least_before,
                    size_t most_before)
{
    double share = from < 1 ? (to - from) / (1 - from) : 1;
    double stay = from < 1 ? (1 - to) / (1 - from) : 0;
    for (size_t m = least; m <= most; m++) {
        double sum = 0;
        for (size_t j = least_before; j <= most_before && j <= m; j++)
            if (w->now[j] > 0)
                sum += w->now[j] * binomial(w, w->n - j, m - j, share, stay);
        w->next[m] = sum;
    }
    double *swap = w->now;
    w->now = w->next;
    w->next = swap;
}

static int rising(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double pl_noncrossing(size_t n, const double *low, const double *high)
{
    struct walk w = {.n = n, .low = low, .high = high};
    size_t ends = 0;
    double *times = pl_new((2 * n + 1) * sizeof *times);
    w.now = pl_new((n + 1) * sizeof *w.now);
    w.next = pl_new((n + 1) * sizeof *w.next);
    w.logs = pl_new((n + 1) * sizeof *w.logs);
    bool possible = true;
    for (size_t i = 0; i < n; i++) {
        times[ends++] = fmin(1, fmax(0, low[i]));
        times[ends++] = fmin(1, fmax(0, high[i]));
        w.logs[i + 1] = gsl_sf_lnfact((unsigned)i + 1);
        possible = possible && low[i] <= high[i] && high[i] > 0 && low[i] < 1;
    }
    qsort(times, ends, sizeof *times, rising);
    w.now[0] = 1;
    /* By time t the i-th must have come if its interval is over, and may have if it has begun. */
    size_t must = 0, may = 0, least = 0, most = 0;
    double before = 0;
    for (size_t k = 0; k < ends && possible; k++) {
        double t = times[k];
        if (k && t == times[k - 1])
            continue;
        /* Those whose interval begins at t cannot have come before it; those whose interval ends at t have by then. */
        while (must < n && fmin(1, high[must]) <= t)
            must++;
        size_t may_now = may;
        while (may < n && fmax(0, low[may]) <= t)
            may++;
        if (t > 0) {
            advance(&w, before, t, must, may_now, least, most);
            least = must;
            most = may_now;
            before = t;
        }
        possible = least <= most;
    }
    double result = 0;
    if (possible && before < 1) { /* the last interval reaches to 1 */
        advance(&w, before, 1, n, n, least, most);
        result = w.now[n];
    } else if (possible) {
        result = n >= least && n <= most ? w.now[n] : 0;
    }
    free(times);
    free(w.now);
    free(w.next);
    free(w.logs);
    return fmin(1, fmax(0, result));
}

/* ---- bands ---- */

static void fill_width(struct pl_band *band, double width)
{
    for (size_t i = 0; i < band->n; i++) {
        band->low[i] = fmax(0, (double)(i + 1) / (double)band->n - width);
        band->high[i] = fmin(1, (double)i / (double)band->n + width);
    }
}

/* The x at which a beta distribution has come to p, by halving: gsl's own inverse does not reach all parameters. */
static double beta_quantile(double p, double a, double b)
{
    double low = 0, high = 1;
    for (int i = 0; i < 200 && high - low > 1e-16 * (high + low); i++) {
        double middle = 0.5 * (low + high);
        if (gsl_cdf_beta_P(middle, a, b) < p)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* Each order statistic within its own equal-tailed interval of level 1 - tail. */
static void fill_tails(struct pl_band *band, double tail)
{
    for (size_t i = 0; i < band->n; i++) {
        double a = (double)i + 1, b = (double)(band->n - i);
        band->low[i] = beta_quantile(tail / 2, a, b);
        band->high[i] = 1 - beta_quantile(tail / 2, b, a);
    }
}

/* Halves until the band covers with that probability: coverage rises with the parameter of fill, or falls. */
static void solve(struct pl_band *band, void (*fill)(struct pl_band *band, double x), double low, double high,
                  bool rises, double confidence)
{
    for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
        double middle = 0.5 * (low + high);
        fill(band, middle);
        bool covers = pl_noncrossing(band->n, band->low, band->high) >= confidence;
        if (covers == rises)
            high = middle;
        else
            low = middle;
    }
    fill(band, 0.5 * (low + high));
}

int pl_band_make(struct pl_band *band, enum pl_band_kind kind, size_t n, double confidence, struct pl_error *err)
{
    if (!(confidence > 0 && confidence < 1) || !n)
        return pl_fail(err, PL_EINPUT, "a band needs values and a confidence between 0 and 1");
    *band = (struct pl_band){.n = n, .low = pl_new(n * sizeof *band->low), .high = pl_new(n * sizeof *band->high)};
    double dkw = sqrt(log(2 / (1 - confidence)) / (2 * (double)n));
    switch (kind) {
    case PL_BAND_KS:
        solve(band, fill_width, 0.5 / (double)n, fmin(1, dkw * 1.000001), true, confidence);
        break;
    case PL_BAND_LD:
        solve(band, fill_tails, (1 - confidence) / (double)n * 0.5, 1 - confidence, false, confidence);
        break;
    default:
        fill_width(band, dkw);
        break;
    }
    return 0;
}

void pl_band_release(struct pl_band *band)
{
    free(band->low);
    free(band->high);
    *band = (struct pl_band){0};
}
