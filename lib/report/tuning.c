/* Tuning curves: how good the best of k points is, for each group of configurations that are the points of one search.
 */
#include "report/report_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BANDED = 2000, MOST_ROWS = 100 };

/* Scores of the points of one group: the mean over seeds; the worst there is where a run diverged. Points that have not
 * finished are left out and counted. A point that was drawn again counts again. */
static size_t collect(struct pl_results *results, const size_t *configs, size_t count, const size_t *times,
                      const struct pl_headings *groups, size_t group, bool minimize, double *scores, size_t *unfinished)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        struct pl_summary s;
        if (pl_headings_of(results, groups, configs[i]) != group)
            continue;
        pl_results_summary(results, configs[i], &s);
        bool worst = s.diverged || s.never, finished = worst || (s.n && s.n == s.planned);
        for (size_t k = 0; k < times[configs[i]] && finished; k++)
            scores[n++] = !worst ? s.mean : minimize ? INFINITY : -INFINITY;
        *unfinished += finished ? 0 : times[configs[i]];
    }
    return n;
}

/* Every k up to a hundred or so, then in even steps of its logarithm; the last is n. */
static size_t next_k(size_t k, size_t n)
{
    size_t step = n <= MOST_ROWS ? 1 : (size_t)fmax(1, floor((double)k * 0.07));
    return k < n && k + step > n ? n : k + step;
}

static double if_finite(double value)
{
    return isfinite(value) ? value : NAN;
}

static void add_curve(struct pl_listing *l, const char *name, bool named, struct pl_tuning *tuning,
                      const struct pl_band *band, int decimals)
{
    static const double anything[2] = {-INFINITY, INFINITY};
    for (size_t k = 1; k <= tuning->n; k = next_k(k, tuning->n)) {
        double low = NAN, high = NAN;
        if (band)
            pl_tuning_ends(tuning, band, (double)k, anything, &low, &high);
        if (named)
            pl_listing_text(l, name);
        pl_listing_integer(l, (int64_t)k);
        pl_listing_real(l, if_finite(pl_tuning_median(tuning, (double)k)), decimals);
        pl_listing_real(l, if_finite(low), decimals);
        pl_listing_real(l, if_finite(high), decimals);
        pl_listing_real(l, if_finite(pl_tuning_mean_u(tuning, (int64_t)k)), decimals);
        pl_listing_real(l, if_finite(pl_tuning_mean_v(tuning, (double)k)), decimals);
        pl_listing_integer(l, (int64_t)tuning->n);
    }
}

static void name_group(const struct pl_results *results, const struct pl_headings *groups, size_t group,
                       struct pl_text *out)
{
    for (size_t i = 0; i < groups->width; i++) {
        uint32_t rank = groups->ranks[group * groups->width + i];
        const struct pl_value *value = pl_results_value(results, groups->keys[i], rank);
        pl_text_add(out, i ? ", " : "");
        if (value && value->type != PL_STRING)
            pl_text_addf(out, "%s=", pl_results_key_name(results, groups->keys[i]));
        if (value && !pl_results_shorten(results, groups->keys[i], rank, out))
            pl_value_write(value, out);
        else if (!value)
            pl_text_add_char(out, '-');
    }
}

/* Are the points of the study independent draws of one distribution? If not, why there is no band. */
static bool has_independent(const struct pl_results *results, struct pl_text *notes)
{
    const struct pl_study *study = pl_results_study(results);
    bool independent = study && study->search && pl_search_is_independent(study->search);
    if (!independent)
        pl_text_addf(notes,
                     "There is no band: it needs points drawn with method: random, and those of study %s are %s.\n",
                     pl_results_name(results),
                     study && study->search ? pl_search_method_names[study->search->method] : "a grid");
    return independent;
}

static int curves_of(struct pl_listing *l, struct pl_results *results, const struct pl_tuning_spec *spec,
                     const struct pl_headings *groups, const size_t *configs, size_t count, const char *metric,
                     struct pl_error *err)
{
    bool minimize = pl_results_direction(results, metric) == PL_MINIMIZE,
         independent = has_independent(results, &l->notes);
    size_t unfinished = 0, all = 0, most = count;
    size_t *times = pl_new((pl_results_count(results) + 1) * sizeof *times);
    int status = pl_results_times_drawn(results, times, err);
    for (size_t i = 0; i < count; i++)
        most += times[configs[i]];
    double *scores = pl_new((most + 1) * sizeof *scores);
    for (size_t i = 0; i < count; i++) {
        struct pl_summary s;
        pl_results_summary(results, configs[i], &s);
        scores[i] = s.mean;
    }
    int decimals = pl_report_decimals(scores, count);
    for (size_t g = 0; g < groups->count && !status; g++) {
        struct pl_text name = {0};
        struct pl_tuning tuning;
        struct pl_band band = {0};
        size_t n = collect(results, configs, count, times, groups, g, minimize, scores, &unfinished);
        bool banded = independent && n > 1 && n <= MOST_BANDED;
        if (n && banded)
            status = pl_band_make(&band, spec->band, n, spec->confidence, err);
        if (n && !status) {
            name_group(results, groups, g, &name);
            pl_tuning_init(&tuning, scores, n, minimize);
            add_curve(l, pl_text(&name), groups->width > 0, &tuning, banded ? &band : NULL, decimals);
            pl_tuning_release(&tuning);
        }
        all += n;
        pl_band_release(&band);
        pl_text_release(&name);
    }
    free(scores);
    free(times);
    if (!status && !all)
        status = pl_fail(err, PL_EMISSING, "no point of study %s has finished with a value of %s",
                         pl_results_name(results), metric);
    if (unfinished)
        pl_text_addf(&l->notes, "%zu point%s not finished and left out.\n", unfinished,
                     unfinished == 1 ? " is" : "s are");
    if (independent)
        pl_text_addf(&l->notes, "low and high: the %s band of the median, which holds at all k at once (%.4g%%).\n",
                     pl_band_names[spec->band], 100 * spec->confidence);
    return status;
}

static int check(const struct pl_results *results, const struct pl_tuning_spec *spec, const char *metric,
                 struct pl_error *err)
{
    int status = pl_results_need_metric(results, metric, err);
    if (status)
        return status;
    if (!pl_direction_is_choice(pl_results_direction(results, metric)))
        return pl_fail(err, PL_EINPUT, "a tuning curve needs a metric with a better direction, and %s has none",
                       metric);
    if (spec->groups.count > PL_TABLE_KEYS)
        return pl_fail(err, PL_EINPUT, "a tuning curve takes at most %d settings", PL_TABLE_KEYS);
    return 0;
}

int pl_tuning_list(struct pl_listing **listing, struct pl_results *results, const struct pl_tuning_spec *spec,
                   struct pl_error *err)
{
    static const char *const names[] = {"group", "k", "median", "low", "high", "mean", "mean_v", "points"};
    const char *metric = spec->metric ? spec->metric : pl_results_main_metric(results);
    enum pl_select select = pl_results_select(results, metric, spec->select);
    size_t *configs = NULL, count = 0, keys[PL_TABLE_KEYS];
    struct pl_headings groups = {0};
    int status = check(results, spec, metric, err);
    if (!status)
        status = pl_results_load(results, metric, select, err);
    if (!status)
        status = pl_results_where(results, spec->where, spec->where_count, &configs, &count, err);
    if (!status)
        status = pl_results_keys(results, &spec->groups, keys, err);
    if (status) {
        free(configs);
        return status;
    }
    pl_headings_find(results, configs, count, keys, spec->groups.count, &groups);
    bool named = groups.width > 0;
    struct pl_listing *l = pl_listing_new("tuning", pl_results_name(results), names + !named,
                                          sizeof names / sizeof *names - !named, named);
    l->shown = l->columns - 2;
    pl_text_addf(&l->caption, "%s: %s%s%s of the best of k points", pl_results_name(results),
                 pl_metric_is_to_target(metric) ? "" : pl_select_names[select],
                 pl_metric_is_to_target(metric) ? "" : " ", metric);
    status = curves_of(l, results, spec, &groups, configs, count, metric, err);
    free(configs);
    pl_headings_release(&groups);
    if (status)
        pl_listing_free(l);
    else
        *listing = l;
    return status;
}
