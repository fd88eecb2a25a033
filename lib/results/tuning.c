/* Tuning curves: how good the best of k points is, for each group of configurations that are the points of one search.
 */
#include "results/results_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BANDED = 2000, MOST_ROWS = 100, MOST_GROUP_KEYS = 64 };

/* What the curves are made of while they are. */
struct making {
    struct pl_results *results;
    const struct pl_tuning_spec *spec;
    struct pl_tuning_curves *curves;
    size_t *configs, count;
    size_t *times;              /* by configuration: how often it was drawn */
    double *epochs;             /* by configuration: that all of its runs have taken together */
    double *scores;             /* of one group at a time */
    struct pl_band band;        /* of the group before: it depends on its size alone, and large ones take seconds */
    size_t unfinished, stopped; /* points */
    bool *independent;          /* by study: its points are independent draws */
};

/* Does a search of the study, or of one of several, draw the setting? */
static bool is_drawn(const struct pl_results *results, const char *name)
{
    for (size_t i = 0; i < pl_results_part_count(results); i++) {
        const struct pl_study *study = pl_results_part_at(results, i)->study;
        for (size_t k = 0; study && study->search && k < study->search->key_count; k++)
            if (!strcmp(study->search->keys[k], name))
                return true;
    }
    return false;
}

size_t pl_results_extend_search(const struct pl_results *results, const size_t *configs, size_t count, size_t *keys,
                                size_t named, size_t capacity)
{
    size_t axes[MOST_GROUP_KEYS], all = named;
    size_t varying = pl_results_axes(results, configs, count, axes, MOST_GROUP_KEYS);
    for (size_t i = 0; i < varying && all < capacity; i++) {
        const char *name = pl_results_key_name(results, axes[i]);
        bool is_study = results->part_count && !strcmp(name, PL_STUDY_KEY);
        bool known = strcmp(name, "optimizer") && !is_study && !(pl_train_roles(name) & PL_SAYS_TASK);
        for (size_t k = 0; k < all && !known; k++)
            known = keys[k] == axes[i];
        if (!known && !is_drawn(results, name))
            keys[all++] = axes[i];
    }
    return all;
}

/* Scores of the points of one group: the mean over seeds; the worst there is where a run diverged, never reached the
 * target, or was stopped early because others were better. Points that have not finished are left out and counted. A
 * point that was drawn again counts again. */
static size_t collect(struct making *m, size_t group, struct pl_tuning_curve *curve)
{
    double worst_score = m->curves->minimize ? INFINITY : -INFINITY, spent = 0;
    size_t n = 0;
    curve->config = SIZE_MAX;
    for (size_t i = 0; i < m->count; i++) {
        struct pl_summary s;
        size_t config = m->configs[i], times = m->times[config];
        if (pl_headings_of(m->results, &m->curves->groups, config) != group)
            continue;
        pl_results_summary(m->results, config, &s);
        bool worst = s.diverged || s.never || s.stopped, finished = worst || (s.n && s.n == s.planned);
        for (size_t k = 0; k < times && finished; k++)
            m->scores[n++] = worst ? worst_score : s.mean;
        m->stopped += s.stopped ? times : 0;
        if (finished) {
            spent += (double)times * m->epochs[config];
            curve->config = curve->config == SIZE_MAX ? config : curve->config;
        } else {
            m->unfinished += times;
        }
    }
    curve->n = n;
    curve->epochs = n ? spent / (double)n : 0;
    return n;
}

/* Every k up to a hundred or so, then in even steps of its logarithm; the last is n. */
static size_t next_k(size_t k, size_t n)
{
    size_t step = n <= MOST_ROWS ? 1 : (size_t)fmax(1, floor((double)k * 0.07));
    return k < n && k + step > n ? n : k + step;
}

static int need_band(struct making *m, size_t n, struct pl_error *err)
{
    if (m->band.n == n)
        return 0;
    pl_band_release(&m->band);
    return pl_band_make(&m->band, m->spec->band, n, m->spec->confidence, err);
}

static int fill_curve(struct making *m, struct pl_tuning_curve *curve, struct pl_error *err)
{
    static const double anything[2] = {-INFINITY, INFINITY};
    struct pl_tuning tuning;
    size_t rows = 0;
    curve->banded = m->independent[pl_results_part_of(m->results, curve->config)] && curve->n > 1 &&
                    curve->n <= MOST_BANDED;
    int status = curve->banded ? need_band(m, curve->n, err) : 0;
    if (status)
        return status;
    for (size_t k = 1; k <= curve->n; k = next_k(k, curve->n))
        rows++;
    curve->points = pl_new((rows + 1) * sizeof *curve->points);
    pl_tuning_init(&tuning, m->scores, curve->n, m->curves->minimize);
    for (size_t k = 1; k <= curve->n; k = next_k(k, curve->n)) {
        struct pl_tuning_point *p = &curve->points[curve->count++];
        *p = (struct pl_tuning_point){.k = k,
                                      .median = pl_tuning_median(&tuning, (double)k),
                                      .low = NAN,
                                      .high = NAN,
                                      .mean = pl_tuning_mean_u(&tuning, (int64_t)k),
                                      .mean_v = pl_tuning_mean_v(&tuning, (double)k)};
        if (curve->banded)
            pl_tuning_ends(&tuning, &m->band, (double)k, anything, &p->low, &p->high);
    }
    pl_tuning_release(&tuning);
    return 0;
}

/* Are the points of the study independent draws of one distribution? If not, why there is no band. Which ones are
 * stopped early depends on the others. */
static bool has_independent(const struct pl_results *results, struct pl_text *notes)
{
    const struct pl_study *study = results->study;
    bool independent = study && study->search && pl_search_is_independent(study->search);
    if (independent && study->stop) {
        pl_text_addf(notes, "There is no band: study %s stops runs early, and which ones depends on the others.\n",
                     results->name);
        return false;
    }
    if (!independent)
        pl_text_addf(notes,
                     "There is no band: it needs points drawn with method: random, and those of study %s are %s.\n",
                     results->name, study && study->search ? pl_search_method_names[study->search->method] : "a grid");
    return independent;
}

static int take_epochs(void *self, const struct pl_result *result)
{
    const struct making *m = self;
    size_t config = pl_results_position(m->results, result->config);
    bool ended = result->status == PL_RUN_FINISHED || result->status == PL_RUN_DIVERGED;
    if (config != SIZE_MAX && result->status == PL_RUN_STOPPED)
        m->epochs[config] += result->stopped;
    else if (config != SIZE_MAX && ended && isfinite(result->epoch))
        m->epochs[config] += result->epoch;
    return 0;
}

static int fill(struct making *m, struct pl_error *err)
{
    struct pl_tuning_curves *curves = m->curves;
    size_t all = 0, most = m->count;
    const char *recorded = pl_metric_is_to_target(curves->metric) ? m->results->target.metric : curves->metric;
    m->times = pl_new((m->results->count + 1) * sizeof *m->times);
    m->epochs = pl_new((m->results->count + 1) * sizeof *m->epochs);
    int status = pl_results_times_drawn(m->results, m->times, err);
    if (!status)
        status = pl_results_each(m->results, recorded, PL_SELECT_LAST, take_epochs, m, err);
    for (size_t i = 0; i < m->count; i++)
        most += m->times[m->configs[i]];
    m->scores = pl_new((most + 1) * sizeof *m->scores);
    curves->list = pl_new((curves->groups.count + 1) * sizeof *curves->list);
    for (size_t g = 0; g < curves->groups.count && !status; g++) {
        struct pl_tuning_curve *curve = &curves->list[curves->count];
        *curve = (struct pl_tuning_curve){.group = g};
        if (!collect(m, g, curve))
            continue;
        curves->count++;
        all += curve->n;
        status = fill_curve(m, curve, err);
    }
    if (!status && !all)
        status = pl_fail(err, PL_EMISSING, "no point of study %s has finished with a value of %s", m->results->name,
                         curves->metric);
    if (m->unfinished)
        pl_text_addf(&curves->notes, "%zu point%s not finished and left out.\n", m->unfinished,
                     m->unfinished == 1 ? " is" : "s are");
    if (m->stopped)
        pl_text_addf(&curves->notes, "%zu point%s stopped early and count%s as worse than all that finished.\n",
                     m->stopped, m->stopped == 1 ? " was" : "s were", m->stopped == 1 ? "s" : "");
    pl_band_release(&m->band);
    free(m->times);
    free(m->epochs);
    free(m->scores);
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
    if (spec->groups.count > MOST_GROUP_KEYS / 2)
        return pl_fail(err, PL_EINPUT, "a tuning curve takes at most %d settings", MOST_GROUP_KEYS / 2);
    return 0;
}

int pl_results_tuning(struct pl_results *results, const struct pl_tuning_spec *spec, struct pl_tuning_curves *curves,
                      struct pl_error *err)
{
    const char *metric = spec->metric ? spec->metric : pl_results_main_metric(results);
    struct making m = {.results = results, .spec = spec, .curves = curves};
    size_t keys[2 * MOST_GROUP_KEYS];
    *curves = (struct pl_tuning_curves){.metric = metric, .select = pl_results_select(results, metric, spec->select)};
    int status = check(results, spec, metric, err);
    if (!status)
        status = pl_results_load(results, metric, curves->select, err);
    if (!status)
        status = pl_results_where(results, spec->where, spec->where_count, &m.configs, &m.count, err);
    if (!status)
        status = pl_results_keys(results, &spec->groups, keys, err);
    if (!status) {
        curves->minimize = pl_results_direction(results, metric) == PL_MINIMIZE;
        m.independent = pl_new(pl_results_part_count(results) * sizeof *m.independent);
        for (size_t i = 0; i < pl_results_part_count(results); i++) {
            m.independent[i] = has_independent(pl_results_part_at(results, i), &curves->notes);
            curves->independent = curves->independent || m.independent[i];
        }
        size_t named = spec->groups.count;
        size_t width = pl_results_extend_search(results, m.configs, m.count, keys, named, 2 * MOST_GROUP_KEYS);
        for (size_t i = named; i < width && named; i++)
            pl_text_addf(&curves->notes, "Curves are split by %s, which varies but was not asked for.\n",
                         pl_results_key_name(results, keys[i]));
        pl_headings_find(results, m.configs, m.count, keys, width, &curves->groups);
        status = fill(&m, err);
    }
    free(m.configs);
    free(m.independent);
    if (status)
        pl_tuning_curves_release(curves);
    return status;
}

void pl_tuning_curves_release(struct pl_tuning_curves *curves)
{
    for (size_t i = 0; i < curves->count; i++)
        free(curves->list[i].points);
    free(curves->list);
    pl_headings_release(&curves->groups);
    pl_text_release(&curves->notes);
    *curves = (struct pl_tuning_curves){0};
}
