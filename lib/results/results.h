/* results: a sweep read back from the database as settings, values and statistics. Tables, figures, studies that take
 * settings from others, exports and pages all read results here, so that they agree.
 *
 * The unit is the configuration: settings that were run with several seeds. Statistics are taken over the finished
 * runs of one configuration and never over two: whoever leaves a varying setting out must tell configurations apart by
 * it all the same (pl_results_extend). Non-finite values and diverged runs enter no mean. Values of a setting are
 * ordered as the grid of the spec gives them.
 *
 * Threading: one pl_results per thread; it reads through the pl_store it was opened with. */
#ifndef PL_RESULTS_H
#define PL_RESULTS_H

#include "base/base.h"
#include "statistics/statistics.h"
#include "store/store.h"
#include "study/study.h"

/* ---- the results of one sweep ---- */

struct pl_results;

/* Reads the metrics of a sweep and the declarations of its spec. The store must stay open. PL_EMISSING when the sweep
 * has recorded nothing yet. Configurations and settings are there after the first pl_results_load. */
int pl_results_open(struct pl_results **results, struct pl_store *store, const struct pl_sweep_info *sweep,
                    struct pl_error *err);
/* The same for who has the study's declarations already, which must stay there; also of a sweep that has recorded
 * nothing: its main metric must not be asked for then. */
int pl_results_open_study(struct pl_results **results, struct pl_store *store, int64_t sweep,
                          const struct pl_study *study, struct pl_error *err);
/* Several studies as one: a configuration counts in each study that has it, as do its runs, and the study's name is the
 * setting PL_STUDY_KEY of all configurations. Tables and figures are those that the first study declares. The parts (of
 * one store) belong to *joined on success. PL_EINPUT where a study is named twice; the first load fails so where one
 * has a setting of that name. A metric that is better another way in each has no best value: loading it is PL_EINPUT,
 * and its last values have no best among them. */
int pl_results_join(struct pl_results **joined, struct pl_results **parts, size_t count, struct pl_error *err);
#define PL_STUDY_KEY "study"
/* The studies that were joined; otherwise one, the results themselves. */
size_t pl_results_part_count(const struct pl_results *results);
const struct pl_results *pl_results_part_at(const struct pl_results *results, size_t index);
/* As pl_store_each_result, over all of them. What numbers configurations here is not their number in the database where
 * several studies were joined: that is pl_results_config_number. */
int pl_results_each(const struct pl_results *results, const char *metric, enum pl_select select,
                    int (*row)(void *self, const struct pl_result *result), void *self, struct pl_error *err);
int64_t pl_results_config_number(int64_t config);
void pl_results_free(struct pl_results *results);

const char *pl_results_name(const struct pl_results *results); /* of the study */
/* The declarations of the study, or NULL where the spec in the database cannot be read by this version. */
const struct pl_study *pl_results_study(const struct pl_results *results);
struct pl_store *pl_results_store(const struct pl_results *results);
int64_t pl_results_sweep(const struct pl_results *results);

size_t pl_results_count(const struct pl_results *results); /* configurations */
/* The configuration's position (in grid order) by its number in the database, or SIZE_MAX. */
size_t pl_results_position(const struct pl_results *results, int64_t config);

/* Settings are named by their column. SIZE_MAX when no run has the setting; aliases (λ, lr) are understood. */
size_t pl_results_key(const struct pl_results *results, const char *name);
const char *pl_results_key_name(const struct pl_results *results, size_t key);
/* The rank of a configuration's value among all values of the setting, in the order of the grid, counted from 1; 0
 * when the configuration has no such setting. */
uint32_t pl_results_rank(const struct pl_results *results, size_t config, size_t key);
/* The value of that rank; NULL for 0. */
const struct pl_value *pl_results_value(const struct pl_results *results, size_t key, uint32_t rank);

/* Is there what a label may be for: a setting or a value of one, spelled as it is shown, or a metric? After the first
 * pl_results_load. */
bool pl_results_has_label(const struct pl_results *results, const char *label);

/* Of a formula that is too long for a table: its beginning, with a number where other values of the setting begin so
 * too ("theta - lambda*m/(1 - 0.9^t)/(sqrt..., 2"). Writes nothing for what is shown whole, and returns whether it
 * did. */
bool pl_results_shorten(const struct pl_results *results, size_t key, uint32_t rank, struct pl_text *out);

/* Looks names up as columns; PL_EINPUT (with the nearest name) when there is no such setting. keys has room for
 * names->count. */
int pl_results_keys(const struct pl_results *results, const struct pl_names *names, size_t *keys, struct pl_error *err);
/* Names as the database has them, since a command line may spell a setting by its alias; without the rank, which is no
 * setting there. Free spelt->names, also after a failure; the names themselves are the results'. */
int pl_results_spell(const struct pl_results *results, const struct pl_names *names, struct pl_names *spelt,
                     struct pl_error *err);
/* The settings by which configurations are told apart when nothing is declared: the axes of the study that vary. */
size_t pl_results_axes(const struct pl_results *results, const size_t *configs, size_t count, size_t *keys,
                       size_t capacity);

/* Has some configuration the which-th alternative of a condition (its values, then its ranges)? */
bool pl_results_has(const struct pl_results *results, const struct pl_condition *condition, size_t which);
/* The configurations that meet all conditions, in grid order; free() *configs. PL_EINPUT on an unknown setting,
 * PL_EMISSING on a value that no run has (err says which there are), and on a setting that only other studies have. */
int pl_results_where(const struct pl_results *results, const struct pl_condition *where, size_t where_count,
                     size_t **configs, size_t *count, struct pl_error *err);
/* Appends settings to keys (count of them, room for capacity) until no two of the configurations agree in all:
 * first axes of the study, then dataset, model, optimizer, then the others by name. Returns the new count. */
size_t pl_results_extend(const struct pl_results *results, const size_t *configs, size_t config_count, size_t *keys,
                         size_t count, size_t capacity);

/* The distinct combinations of values that configurations take in some settings, in the order of the grid: the rows
 * of a table, the lines of a figure. Without keys there is one empty combination. */
struct pl_headings {
    size_t *keys;
    uint32_t *ranks; /* width numbers for each */
    size_t width, count;
};
void pl_headings_find(const struct pl_results *results, const size_t *configs, size_t config_count, const size_t *keys,
                      size_t width, struct pl_headings *headings);
/* Which of them a configuration (one of those they were found in) belongs to. */
size_t pl_headings_of(const struct pl_results *results, const struct pl_headings *headings, size_t config);
void pl_headings_release(struct pl_headings *headings);

/* The metric a reader wants first: the first that the spec declares, else accuracy, perplexity, loss, else the first
 * recorded one that has a better direction. */
const char *pl_results_main_metric(const struct pl_results *results);
/* How it is picked from a curve when nobody says: where it is of test data and the runs were validated, at the best
 * validation, so that no test value is chosen by itself; else the best. */
enum pl_select pl_results_main_select(const struct pl_results *results);
/* The selection that is possible: where nobody knows which way a metric is better, its last value takes the place of
 * the best. */
enum pl_select pl_results_select(const struct pl_results *results, const char *metric, enum pl_select select);
/* The metric by which best-valid goes, or NULL. */
const char *pl_results_validation(const struct pl_results *results);
/* Appends what a reader must know of the direction: that there is none, or that it is an older database's. */
void pl_results_note_direction(const struct pl_results *results, const char *metric, struct pl_text *notes);
/* Metrics of a study with a target (PL_EPOCHS_TO_TARGET, PL_SECONDS_TO_TARGET) are loaded like recorded ones, whatever
 * select is; lower is better. What is declared may be replaced: PL_EINPUT where nothing like metric was recorded. */
int pl_results_set_target(struct pl_results *results, const char *metric, double value, struct pl_error *err);
/* The target of the study; its metric is NULL where there is none. */
const struct pl_target *pl_results_target(const struct pl_results *results);
bool pl_results_has_metric(const struct pl_results *results, const char *metric);
/* Fails with PL_EINPUT where the study has not recorded it: err names the nearest and all there are. */
int pl_results_need_metric(const struct pl_results *results, const char *metric, struct pl_error *err);
/* Which way a metric is better in this study: declared, else by its name. */
enum pl_direction pl_results_direction(const struct pl_results *results, const char *metric);

/* ---- statistics of a configuration ---- */

struct pl_summary {
    int64_t planned;                             /* runs the sweep holds */
    int64_t finished, diverged, failed, missing; /* they add up to planned, with those */
    int64_t stopped;                             /* that the study has stopped early */
    int64_t working;                             /* of those that are missing: being run at this moment */
    int64_t n;                                   /* finished runs with a finite value */
    int64_t never;                               /* finished runs that never reached the target; their time, the metric,
                                                    is infinite, and so is (NaN here) what depends on it: mean,
                                                    deviation, most, and the median where half of them never did */
    const double *values;                        /* those n values, in the order of the seeds */
    const int64_t *seeds;                        /* of these values */
    double mean, median, least, most;            /* NaN when n is 0 */
    double deviation;                            /* sample standard deviation (n-1); NaN when n is below 2 */
};

/* Mean, median, extremes and deviation of n values, n > 0, of any size; the deviation stays as it is
 * where n is 1. */
void pl_statistics(const double *values, size_t n, struct pl_summary *summary);

/* Loads the runs' values of a metric (unless they are loaded already); afterwards pl_results_summary gives the
 * statistics of a configuration. */
int pl_results_load(struct pl_results *results, const char *metric, enum pl_select select, struct pl_error *err);
void pl_results_summary(const struct pl_results *results, size_t config, struct pl_summary *summary);
/* How often a search drew each configuration (times has pl_results_count of them): 1 where nothing is drawn. After the
 * first pl_results_load. */
int pl_results_times_drawn(const struct pl_results *results, size_t *times, struct pl_error *err);
size_t pl_results_value_count(const struct pl_results *results, size_t config); /* its n */

/* A run that is at work, or claimed by who will begin it: it is in no statistics. */
struct pl_working {
    int64_t run, seed;
    size_t config; /* position */
};
/* All of them, in grid order; they live until the next load. */
const struct pl_working *pl_results_working(const struct pl_results *results, size_t *count);
/* What a run at work has come to by the loaded metric: the best value so far (the last one, where the metric was loaded
 * by another selection than the best) and the last epoch that was recorded. 1 where nothing finite was recorded yet. */
int pl_results_so_far(const struct pl_results *results, int64_t run, double *value, double *epoch,
                      struct pl_error *err);

/* ---- choosing ---- */

/* A configuration among those it competes with for a place in a table with `select`. */
struct pl_rival {
    int64_t config;
    size_t group, place; /* place 1 is the best of its group */
    int64_t planned, finished, diverged, failed, stopped;
    int64_t n;     /* finished runs with a finite value of the criterion */
    int64_t never; /* finished runs of which it is infinite */
    double mean;   /* of these values; NaN when n is 0 */
};

/* The ranking of a sweep's configurations by the rule of a table. */
struct pl_choice {
    struct pl_rival *rivals; /* by group, in grid order of their first configurations, then by place */
    size_t count, group_count;
    struct pl_names groups; /* settings whose values part the groups: rows and columns of the table, then whatever else
                               tells configurations apart that agree in those and in what is chosen over */
    char *metric;           /* the criterion */
    enum pl_select select;
    enum pl_direction direction;
};

/* What a selection goes by: what it names, else the best of the metric that validates the runs; NULL where there is
 * none. */
const char *pl_results_criterion(const struct pl_results *results, const struct pl_selection *wanted,
                                 enum pl_select *select);
/* Ranks the configurations that meet the table's conditions. Those of which every planned run finished come first,
 * then those with runs that are missing, failed or were stopped early, then those with a diverged run, then those
 * without a value; among each kind the mean decides, and grid order where means are equal. The criterion of a table
 * that names none is the best of the metric that validates the sweep (PL_EINPUT when there is none, or when nobody
 * knows which way it is better); it is the loaded metric afterwards. pl_choice_free releases *choice. */
int pl_results_choose(struct pl_results *results, const struct pl_table_spec *table, struct pl_choice **choice,
                      struct pl_error *err);
/* The ranking that a reader of the study wants first: of its first table with select; where there is none, for each
 * task and optimizer, over all that is drawn (of a grid: over its other axes), by the metric that validates the runs,
 * else by the main one. over receives what was chosen over, also on failure; pl_names_release frees it. */
int pl_results_choose_best(struct pl_results *results, struct pl_names *over, struct pl_choice **choice,
                           struct pl_error *err);
void pl_choice_free(struct pl_choice *choice);

/* Makes the places up to best a setting like any other (PL_RANK_KEY), the last of all keys, until they are dropped. */
void pl_results_add_places(struct pl_results *results, const struct pl_choice *choice, size_t best);
void pl_results_drop_places(struct pl_results *results);

/* ---- tuning curves ---- */

/* A tuning curve for each combination of some settings, whose configurations are the points of a search. */
struct pl_tuning_spec {
    struct pl_names groups;
    const char *metric; /* NULL: the main metric */
    enum pl_select select;
    struct pl_condition *where;
    size_t where_count;
    enum pl_band_kind band;
    double confidence;
};

/* The best of k points. Scores of points with a diverged run, or with one that never reached the target, are infinite,
 * and so may these be; NaN where there is no band. */
struct pl_tuning_point {
    size_t k;
    double median, low, high; /* the ends of the band of the median */
    double mean, mean_v;      /* without replacement (U-statistic), and with (V) */
};

struct pl_tuning_curve {
    size_t group;  /* of the headings */
    size_t config; /* one of its configurations */
    size_t n;      /* finished points, as often as they were drawn */
    double epochs; /* that the runs of a point have taken together, on average over the points */
    bool banded;
    struct pl_tuning_point *points; /* every k up to n; of more than 100 about even steps of the logarithm */
    size_t count;
};

struct pl_tuning_curves {
    struct pl_headings groups; /* what was asked for, and the task and optimizer where they vary */
    struct pl_tuning_curve *list;
    size_t count; /* of groups with a finished point */
    const char *metric;
    enum pl_select select;
    bool minimize, independent; /* independent: those of a study are, so that there are bands */
    struct pl_text notes;       /* what was left out, and why there is no band: a sentence a line */
};

/* Appends to keys what tells searches apart, where it varies among the configurations and is not drawn: what the task
 * is, and the optimizer. Points of one search agree in these, whatever is asked for. Returns the new count. */
size_t pl_results_extend_search(const struct pl_results *results, const size_t *configs, size_t count, size_t *keys,
                                size_t named, size_t capacity);
/* Works them out; the metric is the loaded one afterwards. PL_EINPUT: a metric without a better direction, or a setting
 * that is none; PL_EMISSING: no point has finished. Only success leaves something to be released. */
int pl_results_tuning(struct pl_results *results, const struct pl_tuning_spec *spec, struct pl_tuning_curves *curves,
                      struct pl_error *err);
void pl_tuning_curves_release(struct pl_tuning_curves *curves);

#endif
