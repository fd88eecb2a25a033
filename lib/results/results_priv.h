/* What the files of lib/results share. */
#ifndef PL_RESULTS_PRIV_H
#define PL_RESULTS_PRIV_H

#include "results/results.h"

/* One setting: for each configuration the rank of its value (0: the configuration has no such setting). */
struct pl_column_value {
    const char *bytes; /* as the canonical text spells it */
    size_t length;
    struct pl_value value;
};

struct pl_column {
    char *name;
    const char *key; /* the name as the canonical text spells it */
    size_t key_length;
    uint32_t *ranks;
    struct pl_column_value *values; /* by rank, from 1 at index 0 */
    size_t value_count, value_capacity;
    uint32_t *slots; /* open addressing: rank or 0 */
    size_t slot_count;
};

/* Runs of one configuration under the loaded metric. */
struct pl_tally {
    size_t first; /* of its values */
    int64_t n, never, planned, finished, diverged, failed, stopped, working;
};

struct pl_results {
    struct pl_store *store;
    int64_t sweep;
    char *name;
    struct pl_spec *spec;
    const struct pl_study *study;
    struct pl_results **parts; /* joined studies, or NULL */
    size_t part_count;
    struct pl_study *joined; /* what they declare together */
    struct pl_names split;   /* metrics that are better another way in each */
    struct pl_metric_info *metrics;
    size_t metric_count;
    struct pl_target target; /* the study's, or what was set; its metric is a copy */
    char *validation;        /* the metric that validates the runs, or NULL */
    int64_t *configs;        /* in grid order */
    size_t count;
    size_t *by_number; /* positions sorted by configuration number; NULL while configs is sorted itself */
    struct pl_column *columns;
    size_t column_count, column_capacity;
    struct pl_pool pool;
    struct pl_tally *tallies;
    double *values;
    int64_t *seeds; /* of the values */
    struct pl_working *working;
    size_t working_count;
    char *loaded; /* the metric that tallies and values are of, or NULL */
    enum pl_select select;
};

/* Gives the configurations of joined studies the name of their study. */
int pl_joined_add_column(struct pl_results *results, struct pl_error *err);
void pl_joined_release(struct pl_results *results);
/* Is it a metric of which the joined studies do not think alike? The other says how: "is better lower in study a and
 * is better higher in study b". */
bool pl_joined_is_split(const struct pl_results *results, const char *metric);
void pl_joined_say_split(const struct pl_results *results, const char *metric, struct pl_text *out);

/* Afterwards: some more values are infinite. What that makes infinite becomes NaN. */
void pl_statistics_never(const double *values, size_t n, size_t never, struct pl_summary *summary);

/* The value of a run for one of the two metrics of the target: infinity where it never got there, NaN where nobody took
 * the time. */
int pl_target_value(const struct pl_results *results, int64_t run, const char *metric, double *value,
                    struct pl_error *err);
/* Fails with PL_EINPUT where nobody knows which way the target's metric is better. */
int pl_target_check(const struct pl_results *results, struct pl_error *err);

/* The column of exactly this name, or SIZE_MAX. */
size_t pl_results_find_column(const struct pl_results *results, const char *name);
/* Keeps those of the configurations that meet a condition, and returns how many. */
size_t pl_results_filter(const struct pl_results *results, const struct pl_condition *condition, size_t *configs,
                         size_t count);
/* Which of the joined studies a configuration is of; 0 where there is one study. */
size_t pl_results_part_of(const struct pl_results *results, size_t config);
/* Numbers the groups that agree in some settings, in the order of their first configurations; groups receives the
 * number of each configuration. Returns how many there are. */
size_t pl_results_part(const struct pl_results *results, const size_t *configs, size_t config_count, const size_t *keys,
                       size_t count, uint32_t *groups);

/* Takes the settings of a configuration from their canonical text. */
int pl_columns_take(struct pl_results *results, size_t config, const char *text, struct pl_error *err);
/* Reads the settings of all configurations into columns. */
int pl_columns_read(struct pl_results *results, struct pl_error *err);
/* Gives configurations that lack a late setting of theirs its default, where others of the sweep have another value. */
int pl_columns_complete(struct pl_results *results, struct pl_error *err);
/* Ranks are in the order of the first configurations again. */
void pl_column_renumber(struct pl_column *column, size_t configs);
/* The rank of the value of a canonical text with that one setting; added when it is new. */
int pl_column_rank(struct pl_results *results, struct pl_column *column, const char *canonical, uint32_t *rank,
                   struct pl_error *err);
void pl_columns_free(struct pl_results *results);

#endif
