/* report: a sweep read back from the database as statistics, and as tables.
 *
 * The unit is the configuration: settings that were run with several seeds. Statistics are taken over the finished
 * runs of one configuration and never over two: where the rows and columns of a table leave a varying setting out,
 * the rows are extended by it (pl_results_extend). Non-finite values and diverged runs enter no mean. Values of a
 * setting are ordered as the grid of the spec gives them.
 *
 * Threading: one pl_results per thread; it reads through the pl_store it was opened with. */
#ifndef PL_REPORT_H
#define PL_REPORT_H

#include "base/base.h"
#include "spec/spec.h"
#include "store/store.h"

/* ---- the results of one sweep ---- */

struct pl_results;

/* Reads the metrics of a sweep and the declarations of its spec. The store must stay open. PL_EMISSING when the sweep
 * has recorded nothing yet. Configurations and settings are there after the first pl_results_load. */
int pl_results_open(struct pl_results **results, struct pl_store *store, const struct pl_sweep_info *sweep,
                    struct pl_error *err);
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

/* Looks names up as columns; PL_EINPUT (with the nearest name) when there is no such setting. keys has room for
 * names->count. */
int pl_results_keys(const struct pl_results *results, const struct pl_names *names, size_t *keys,
                    struct pl_error *err);
/* The settings by which configurations are told apart when nothing is declared: the axes of the study that vary. */
size_t pl_results_axes(const struct pl_results *results, const size_t *configs, size_t count, size_t *keys,
                       size_t capacity);

/* Has some configuration the which-th alternative of a condition (its values, then its ranges)? */
bool pl_results_has(const struct pl_results *results, const struct pl_condition *condition, size_t which);
/* The configurations that meet all conditions, in grid order; free() *configs. PL_EINPUT on an unknown setting, PL_EMISSING
 * on a value that no run has (err says which there are), and on a setting that only other studies have. */
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
void pl_headings_find(const struct pl_results *results, const size_t *configs, size_t config_count,
                      const size_t *keys, size_t width, struct pl_headings *headings);
/* Which of them a configuration (one of those they were found in) belongs to. */
size_t pl_headings_of(const struct pl_results *results, const struct pl_headings *headings, size_t config);
void pl_headings_release(struct pl_headings *headings);

/* The metric a reader wants first: the first that the spec declares, else accuracy, perplexity, loss, else the first
 * recorded one that has a better direction. */
const char *pl_results_main_metric(const struct pl_results *results);
/* How it is picked from a curve when nobody says: where it is of test data and the runs were validated, at the best
 * validation, so that no test value is chosen by itself; else the best. */
enum pl_select pl_results_main_select(const struct pl_results *results);
/* The selection that is possible: where nobody knows which way a metric is better, its last value takes the place of the
 * best. */
enum pl_select pl_results_select(const struct pl_results *results, const char *metric, enum pl_select select);
/* The metric by which best-valid goes, or NULL. */
const char *pl_results_validation(const struct pl_results *results);
/* Appends what a reader must know of the direction: that there is none, or that it is an older database's. */
void pl_results_note_direction(const struct pl_results *results, const char *metric, struct pl_text *notes);
bool pl_results_has_metric(const struct pl_results *results, const char *metric);
/* Which way a metric is better in this study: declared, else by its name. */
enum pl_direction pl_results_direction(const struct pl_results *results, const char *metric);

/* ---- statistics of a configuration ---- */

struct pl_summary {
    int64_t planned;            /* runs the sweep holds */
    int64_t finished, diverged, failed, missing; /* they add up to planned */
    int64_t working;            /* of those that are missing: being run at this moment */
    int64_t n;                  /* finished runs with a finite value */
    const double *values;       /* those n values, in the order of the seeds */
    double mean, median, least, most; /* NaN when n is 0 */
    double deviation;           /* sample standard deviation (n-1); NaN when n is below 2 */
};

/* Loads the runs' values of a metric (unless they are loaded already); afterwards pl_results_summary gives the
 * statistics of a configuration. */
int pl_results_load(struct pl_results *results, const char *metric, enum pl_select select, struct pl_error *err);
void pl_results_summary(const struct pl_results *results, size_t config, struct pl_summary *summary);

/* ---- tables ---- */

enum pl_table_format { PL_TABLE_TEXT, PL_TABLE_MARKDOWN, PL_TABLE_LATEX, PL_TABLE_CSV, PL_TABLE_JSON };

struct pl_table;

/* Makes the table that spec describes. Empty rows and columns mean the study's axes as rows. metric NULL: the main
 * metric; cell NULL: mean(std). PL_EINPUT names what the spec has wrong; PL_EMISSING: no configuration meets its
 * conditions. */
int pl_table_build(struct pl_table **table, struct pl_results *results, const struct pl_table_spec *spec,
                   struct pl_error *err);
void pl_table_free(struct pl_table *table);

/* Appends the tables in one format. text, markdown and latex show cells as docs/reports.md says; csv and json have
 * one record per cell in full precision. */
void pl_table_write(struct pl_table *const *tables, size_t count, enum pl_table_format format, struct pl_text *out);

/* ---- published numbers ---- */

struct pl_sample {
    double mean, deviation; /* NaN: there is none */
    int64_t n;
};

/* The difference of two means, a - b, with the ends of its interval and Welch's degrees of freedom; NaN where a sample has
 * fewer than two values or no deviation. Freedom is NaN too when neither has any spread. */
struct pl_interval {
    double difference, low, high, freedom;
};
/* Welch (1947): unequal variances, freedom by Satterthwaite. level: 0.95 for a 95% interval. */
void pl_welch(const struct pl_sample *a, const struct pl_sample *b, double level, struct pl_interval *interval);

/* What a comparison says of a cell: the interval holds 0 or it does not, or why there is none. */
enum pl_verdict {
    PL_ALIKE, PL_DIFFERS,
    PL_NOT_PRINTED,  /* N/A */
    PL_NO_RUN,       /* no configuration of ours has the cell's settings; PL_SEVERAL: more than one has */
    PL_SEVERAL,
    PL_NO_VALUE,     /* the configuration has no finished run with a finite value */
    PL_ONE_RUN, PL_ONE_PRINTED, PL_NO_DEVIATION,
};

struct pl_comparison;

/* Sets the configurations that spec describes beside the published table that it names (spec->published): for each
 * printed cell the one configuration that has the cell's settings, as a scale of the study has renamed them.
 * published must outlive the comparison. PL_EINPUT when there is no such table or metric. */
int pl_comparison_build(struct pl_comparison **comparison, struct pl_results *results,
                        const struct pl_table_spec *spec, const struct pl_published *published, double level,
                        struct pl_error *err);
void pl_comparison_free(struct pl_comparison *comparison);
/* Appends them in one format: a line for each cell. */
void pl_comparison_write(struct pl_comparison *const *comparisons, size_t count, enum pl_table_format format,
                         struct pl_text *out);

/* The word for a selection as specs and reports spell it: "best", "last", "best-valid". */
const char *pl_select_name(enum pl_select select);
/* Reads "best test_accuracy", "last loss" or "loss" (best). metric points into text. False when it is neither. */
bool pl_select_read(const char *text, enum pl_select *select, const char **metric);

/* A number as tables and figures show it: decimals >= 0: that many (huge values in scientific notation); -1: four
 * significant digits. */
void pl_report_number(double value, int decimals, struct pl_text *out);

/* Are two means the same but for the order in which they were summed? Never where one is NaN. */
bool pl_report_ties(double a, double b);

/* Decimals that suit all of some numbers: as many as give the largest four significant digits. -1 where they span more
 * than four decades or are very large or small, so that each needs its own. Non-finite ones do not count. */
int pl_report_decimals(const double *values, size_t count);

/* A condition as the command line spells it: key=value[,value...], key!=value, key<3, key>=0.1, key=0.1..1 (ends inside).
 * Appends to *list; false when text is not one. pl_where_write spells it again. */
bool pl_where_read(const char *text, struct pl_condition **list, size_t *count);
void pl_where_write(const struct pl_condition *condition, struct pl_text *out);
void pl_where_free(struct pl_condition *list, size_t count);

#endif
