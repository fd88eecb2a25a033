/* A sweep read back: its configurations, its metrics, and the values of one metric at a time. */
#include "results/results_priv.h"
#include "spec/spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The database keeps the text of the whole file; the study is found by its name. */
static void read_declarations(struct pl_results *results, const struct pl_sweep_info *sweep)
{
    struct pl_text problems = {0};
    if (!pl_spec_parse_declarations(&results->spec, sweep->spec, strlen(sweep->spec), sweep->path, &problems, NULL)) {
        for (size_t i = 0; i < pl_spec_study_count(results->spec); i++)
            if (!strcmp(pl_spec_study(results->spec, i)->name, sweep->study))
                results->study = pl_spec_study(results->spec, i);
    }
    pl_text_release(&problems);
}

/* Nothing is recorded: says what there is instead. */
static int say_what_there_is(const struct pl_results *results, struct pl_error *err)
{
    int64_t counts[PL_STATUS_COUNT];
    struct pl_text there = {0};
    int status = pl_store_counts(results->store, results->sweep, counts, err);
    for (int s = 0; s < PL_STATUS_COUNT && !status; s++)
        if (counts[s])
            pl_text_addf(&there, "%s%lld %s", there.length ? ", " : "", (long long)counts[s],
                         pl_status_name((enum pl_status)s));
    if (!status)
        status = pl_fail(err, PL_EMISSING,
                         "no run of study %s that has finished or is at work has recorded anything yet (%s)",
                         results->name, there.length ? pl_text(&there) : "it has no runs");
    pl_text_release(&there);
    return status;
}

static int read_metrics(struct pl_results *results, struct pl_error *err)
{
    const struct pl_metric_info *metrics;
    size_t count;
    int status = pl_store_metrics(results->store, results->sweep, &metrics, &count, err);
    if (status)
        return status;
    results->metrics = pl_new(count * sizeof *results->metrics);
    results->metric_count = count;
    for (size_t i = 0; i < count; i++)
        results->metrics[i] = (struct pl_metric_info){pl_copy(metrics[i].name), metrics[i].direction,
                                                      metrics[i].migrated};
    const char *validation;
    status = pl_store_validation(results->store, results->sweep, &validation, err);
    results->validation = pl_copy(validation);
    return status;
}

static int by_number(const void *a, const void *b, void *results)
{
    const int64_t *configs = ((const struct pl_results *)results)->configs;
    int64_t x = configs[*(const size_t *)a], y = configs[*(const size_t *)b];
    return (x > y) - (x < y);
}

static void index_configs(struct pl_results *results)
{
    bool sorted = true;
    for (size_t i = 1; i < results->count; i++)
        sorted &= results->configs[i - 1] < results->configs[i];
    free(results->by_number);
    results->by_number = NULL;
    if (sorted)
        return;
    results->by_number = pl_new(results->count * sizeof *results->by_number);
    for (size_t i = 0; i < results->count; i++)
        results->by_number[i] = i;
    qsort_r(results->by_number, results->count, sizeof *results->by_number, by_number, results);
}

size_t pl_results_position(const struct pl_results *results, int64_t config)
{
    size_t low = 0, high = results->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        size_t at = results->by_number ? results->by_number[middle] : middle;
        if (results->configs[at] == config)
            return at;
        if (results->configs[at] < config)
            low = middle + 1;
        else
            high = middle;
    }
    return SIZE_MAX;
}

static void take_target(struct pl_results *results)
{
    const struct pl_target *declared = results->study ? &results->study->target : NULL;
    if (declared && declared->metric)
        results->target = (struct pl_target){pl_copy(declared->metric), declared->value};
}

/* What a load collects; it replaces the results' own only when it succeeded. */
struct loading {
    const struct pl_results *results;
    const char *timed; /* the metric, where it is a time to the target */
    struct pl_error *err;
    int64_t *configs;
    size_t count, capacity;
    struct pl_tally *tallies;
    size_t tally_capacity;
    double *values;
    int64_t *seeds;
    size_t value_count, value_capacity, seed_capacity;
    struct pl_working *working;
    size_t working_count, working_capacity;
};

static int take_result(void *self, const struct pl_result *result)
{
    struct loading *l = self;
    if (!l->count || l->configs[l->count - 1] != result->config) {
        void *configs = l->configs, *tallies = l->tallies;
        pl_grow(&configs, &l->capacity, l->count + 1, sizeof *l->configs);
        pl_grow(&tallies, &l->tally_capacity, l->count + 1, sizeof *l->tallies);
        l->configs = configs;
        l->tallies = tallies;
        l->configs[l->count] = result->config;
        l->tallies[l->count++] = (struct pl_tally){.first = l->value_count};
    }
    struct pl_tally *tally = &l->tallies[l->count - 1];
    tally->planned++;
    tally->diverged += result->status == PL_RUN_DIVERGED;
    tally->failed += result->status == PL_RUN_FAILED;
    tally->stopped += result->status == PL_RUN_STOPPED;
    if (result->status == PL_RUN_RUNNING) {
        void *working = l->working;
        pl_grow(&working, &l->working_capacity, l->working_count + 1, sizeof *l->working);
        l->working = working;
        l->working[l->working_count++] = (struct pl_working){result->run, result->seed, l->count - 1};
        tally->working++;
    }
    if (result->status != PL_RUN_FINISHED)
        return 0;
    tally->finished++;
    double value = result->has_value ? result->value : NAN;
    if (l->timed) {
        int status = pl_target_value(l->results, result->run, l->timed, &value, l->err);
        if (status)
            return status;
        tally->never += isinf(value);
    }
    if (!isfinite(value))
        return 0;
    void *values = l->values, *seeds = l->seeds;
    pl_grow(&values, &l->value_capacity, l->value_count + 1, sizeof *l->values);
    pl_grow(&seeds, &l->seed_capacity, l->value_count + 1, sizeof *l->seeds);
    l->values = values;
    l->seeds = seeds;
    l->seeds[l->value_count] = result->seed;
    l->values[l->value_count++] = value;
    tally->n++;
    return 0;
}

static int check_split(const struct pl_results *results, const char *metric, struct pl_error *err)
{
    struct pl_text how = {0};
    if (!pl_joined_is_split(results, metric))
        return 0;
    pl_joined_say_split(results, metric, &how);
    int status = pl_fail(err, PL_EINPUT, "%s %s, so it has no best value for both: take the last one", metric,
                         pl_text(&how));
    pl_text_release(&how);
    return status;
}

int pl_results_load(struct pl_results *results, const char *metric, enum pl_select select, struct pl_error *err)
{
    bool timed = results->target.metric && pl_metric_is_to_target(metric);
    struct loading l = {.results = results, .timed = timed ? metric : NULL, .err = err};
    if (results->loaded && !strcmp(results->loaded, metric) && results->select == select)
        return 0;
    int status = l.timed                    ? pl_target_check(results, err)
                 : select == PL_SELECT_BEST ? check_split(results, metric, err)
                                            : 0;
    if (!status)
        status = pl_results_each(results, l.timed ? results->target.metric : metric, l.timed ? PL_SELECT_LAST : select,
                                 take_result, &l, err);
    if (status) {
        free(l.configs);
        free(l.tallies);
        free(l.values);
        free(l.seeds);
        free(l.working);
        return status;
    }
    bool same = results->count == l.count &&
                (!l.count || !memcmp(results->configs, l.configs, l.count * sizeof *l.configs));
    free(results->configs);
    free(results->tallies);
    free(results->values);
    free(results->seeds);
    free(results->working);
    results->working = l.working;
    results->working_count = l.working_count;
    results->configs = l.configs;
    results->count = l.count;
    results->tallies = l.tallies;
    results->values = l.values;
    results->seeds = l.seeds;
    free(results->loaded);
    results->loaded = pl_copy(metric);
    results->select = select;
    if (same)
        return 0;
    index_configs(results);
    pl_columns_free(results);
    return pl_columns_read(results, err);
}

int pl_results_open_study(struct pl_results **results, struct pl_store *store, int64_t sweep,
                          const struct pl_study *study, struct pl_error *err)
{
    struct pl_results *r = pl_new(sizeof *r);
    *r = (struct pl_results){.store = store, .sweep = sweep, .name = pl_copy(study->name), .study = study};
    take_target(r);
    int status = read_metrics(r, err);
    if (status)
        pl_results_free(r);
    else
        *results = r;
    return status;
}

int pl_results_open(struct pl_results **results, struct pl_store *store, const struct pl_sweep_info *sweep,
                    struct pl_error *err)
{
    struct pl_results *r = pl_new(sizeof *r);
    *r = (struct pl_results){.store = store, .sweep = sweep->id, .name = pl_copy(sweep->study)};
    read_declarations(r, sweep); /* first: the texts of a sweep live until the store is asked again */
    take_target(r);
    int status = read_metrics(r, err);
    if (!status && !r->metric_count)
        status = say_what_there_is(r, err);
    if (status)
        pl_results_free(r);
    else
        *results = r;
    return status;
}

void pl_results_free(struct pl_results *results)
{
    if (!results)
        return;
    pl_columns_free(results);
    for (size_t i = 0; i < results->metric_count; i++)
        free((char *)results->metrics[i].name);
    free(results->metrics);
    free(results->configs);
    free(results->by_number);
    free(results->tallies);
    free(results->values);
    free(results->seeds);
    free(results->working);
    free(results->loaded);
    free(results->validation);
    free(results->target.metric);
    pl_joined_release(results);
    free(results->name);
    pl_spec_free(results->spec);
    free(results);
}

size_t pl_results_value_count(const struct pl_results *results, size_t config)
{
    return (size_t)results->tallies[config].n;
}

void pl_results_summary(const struct pl_results *results, size_t config, struct pl_summary *summary)
{
    const struct pl_tally *t = &results->tallies[config];
    const double *values = t->n ? results->values + t->first : NULL;
    size_t n = (size_t)t->n;
    *summary = (struct pl_summary){.planned = t->planned,
                                   .finished = t->finished,
                                   .diverged = t->diverged,
                                   .failed = t->failed,
                                   .stopped = t->stopped,
                                   .missing = t->planned - t->finished - t->diverged - t->failed - t->stopped,
                                   .working = t->working,
                                   .n = t->n,
                                   .never = t->never,
                                   .values = values,
                                   .seeds = t->n ? results->seeds + t->first : NULL,
                                   .mean = NAN,
                                   .median = NAN,
                                   .least = NAN,
                                   .most = NAN,
                                   .deviation = NAN};
    if (!n)
        return;
    pl_statistics(values, n, summary);
    if (t->never)
        pl_statistics_never(values, n, (size_t)t->never, summary);
}

const char *pl_results_name(const struct pl_results *results)
{
    return results->name;
}

const struct pl_study *pl_results_study(const struct pl_results *results)
{
    return results->study;
}

struct pl_store *pl_results_store(const struct pl_results *results)
{
    return results->store;
}

int64_t pl_results_sweep(const struct pl_results *results)
{
    return results->sweep;
}

size_t pl_results_count(const struct pl_results *results)
{
    return results->count;
}

bool pl_results_has_metric(const struct pl_results *results, const char *metric)
{
    if (pl_metric_is_to_target(metric) && results->target.metric)
        return pl_results_has_metric(results, results->target.metric);
    for (size_t i = 0; i < results->metric_count; i++)
        if (!strcmp(results->metrics[i].name, metric))
            return true;
    return false;
}

int pl_results_need_metric(const struct pl_results *results, const char *metric, struct pl_error *err)
{
    if (pl_results_has_metric(results, metric))
        return 0;
    if (!results->metric_count)
        return pl_fail(err, PL_EINPUT, "study %s has not recorded any metric, and so no '%s'", results->name, metric);
    if (pl_metric_is_to_target(metric) && results->target.metric)
        return pl_results_need_metric(results, results->target.metric, err);
    if (pl_metric_is_to_target(metric))
        return pl_fail(err, PL_EINPUT,
                       "study %s has no target, and so no %s; say which in its spec, as in target: {test_accuracy: "
                       "0.9}, or with --target",
                       results->name, metric);
    struct pl_candidates names = {0};
    struct pl_text hint = {0};
    for (size_t i = 0; i < results->metric_count; i++)
        pl_candidates_add(&names, results->metrics[i].name);
    pl_candidates_tell(&names, metric, "it has", &hint);
    int status = pl_fail(err, PL_EINPUT, "study %s has not recorded a metric \"%s\"%s", results->name, metric,
                         pl_text(&hint));
    pl_text_release(&hint);
    pl_candidates_release(&names);
    return status;
}

const char *pl_results_main_metric(const struct pl_results *results)
{
    const struct pl_study *study = results->study;
    for (size_t i = 0; study && i < study->metric_count; i++)
        if (pl_results_has_metric(results, study->metrics[i].name))
            return study->metrics[i].name;
    const char *first = NULL;
    for (size_t i = 0; i < results->metric_count; i++) {
        const char *name = results->metrics[i].name;
        if (pl_direction_is_choice(results->metrics[i].direction) &&
            (!first || pl_train_metric_rank(name) < pl_train_metric_rank(first)))
            first = name;
    }
    for (size_t i = 0; i < results->metric_count && !first; i++)
        if (results->metrics[i].direction == PL_UNDECLARED)
            first = results->metrics[i].name;
    return first ? first : results->metrics[0].name;
}

enum pl_select pl_results_main_select(const struct pl_results *results)
{
    bool tested = pl_metric_judge(pl_results_main_metric(results)).set == PL_SET_TEST;
    return results->validation && tested ? PL_SELECT_BEST_VALID : PL_SELECT_BEST;
}

enum pl_select pl_results_select(const struct pl_results *results, const char *metric, enum pl_select select)
{
    bool lost = select == PL_SELECT_BEST && pl_results_direction(results, metric) == PL_UNDECLARED;
    return lost ? PL_SELECT_LAST : select;
}

const char *pl_results_validation(const struct pl_results *results)
{
    return results->validation;
}

/* What is recorded is judged as the views judge it; what is not may still be declared. */
enum pl_direction pl_results_direction(const struct pl_results *results, const char *metric)
{
    if (results->target.metric && pl_metric_is_to_target(metric))
        return PL_MINIMIZE;
    if (pl_joined_is_split(results, metric))
        return PL_NEUTRAL;
    for (size_t i = 0; i < results->metric_count; i++)
        if (!strcmp(results->metrics[i].name, metric))
            return results->metrics[i].direction;
    return pl_study_direction(results->study, metric);
}

void pl_results_note_direction(const struct pl_results *results, const char *metric, struct pl_text *notes)
{
    if (pl_joined_is_split(results, metric)) {
        pl_text_addf(notes, "%s ", metric);
        pl_joined_say_split(results, metric, notes);
        pl_text_add(notes, ", so none of its values is best.\n");
    }
    if (pl_results_direction(results, metric) == PL_UNDECLARED) {
        pl_text_addf(notes, "%s has no best value: ", metric);
        pl_metric_ask(metric, notes);
        pl_text_add(notes, ".\n");
    }
    for (size_t i = 0; i < results->metric_count; i++) {
        const struct pl_metric_info *m = &results->metrics[i];
        static const char *const done[] = {"not judged", "minimised", "maximised", ""};
        if (!m->migrated || strcmp(m->name, metric))
            continue;
        pl_text_addf(notes, "%s is %s, as by the older poula that recorded it; ", metric, done[m->direction]);
        enum pl_direction told = pl_train_direction(metric);
        if (told == PL_UNDECLARED)
            pl_text_add(notes, "its name does not tell.");
        else
            pl_text_addf(notes, "by its name %s would be better.",
                         told == PL_MAXIMIZE   ? "higher"
                         : told == PL_MINIMIZE ? "lower"
                                               : "neither");
        pl_text_addf(notes, " Declare metrics: {%s: %s} in the spec to say which.\n", metric,
                     told == PL_UNDECLARED ? "max" : pl_direction_name(told));
    }
}
