/* report: tables of results, and results beside published numbers.
 *
 * No cell holds two configurations: where the rows and columns of a table leave a varying setting out, the rows are
 * extended by it.
 *
 * Threading: as the pl_results that a table is built from; a table that is made belongs to nobody else. */
#ifndef PL_REPORT_H
#define PL_REPORT_H

#include "report/format.h"
#include "results/results.h"
#include "statistics/statistics.h"
#include "study/published.h"

/* ---- tables ---- */

struct pl_table;

/* Makes the table that spec describes. Empty rows and columns mean the study's axes as rows. metric NULL: the main
 * metric; cell NULL: mean(std). PL_EINPUT names what the spec has wrong; PL_EMISSING: no configuration meets its
 * conditions. */
int pl_table_build(struct pl_table **table, struct pl_results *results, const struct pl_table_spec *spec,
                   struct pl_error *err);
void pl_table_free(struct pl_table *table);
/* What was chosen, split and left out, a sentence a line. */
const char *pl_table_notes(const struct pl_table *table);

/* Appends the tables in one format. text, markdown and latex show cells as docs/reports.md says; csv and json have
 * one record per cell in full precision. */
void pl_table_write(struct pl_table *const *tables, size_t count, const struct pl_format *format, struct pl_text *out);

/* ---- methods over tasks ---- */

/* A table turned into tasks, which are what dataset, model, problem ... of rows and columns say, and methods, which are
 * all else. A task in which some method has no result is left out. Methods come best first; names are theirs. */
struct pl_method_ranks {
    size_t tasks, methods;
    char **names;
    double *mean;         /* ranks over the tasks, rising; a cell with a diverged run ranks last, as one does that
                             never reached the target */
    size_t *first;        /* in how many tasks a method is the best */
    double friedman, p;   /* Friedman's test */
    double critical;      /* Nemenyi's critical difference: closer means cannot be told apart */
    struct pl_text notes; /* of both tests and of what was left out, a sentence a line */
};
/* PL_EINPUT: too few methods or tasks that have a result of each, or no direction. */
int pl_table_rank(const struct pl_table *table, double confidence, struct pl_method_ranks *ranks, struct pl_error *err);
void pl_method_ranks_release(struct pl_method_ranks *ranks);

/* The same of a table of times to a target. */
struct pl_method_times {
    size_t tasks, methods;
    char **names;
    double *scores; /* of the performance profile up to tau_max, falling */
    double *times;  /* times[task * methods + method]; infinite: it never got there, or diverged */
    double tau_max;
    struct pl_text notes;
};
int pl_table_times(const struct pl_table *table, double tau_max, struct pl_method_times *times, struct pl_error *err);
void pl_method_times_release(struct pl_method_times *times);

/* ---- listings ---- */

/* What statistics say of a table, a line for each pair, method or point. */
struct pl_listing;
void pl_listing_free(struct pl_listing *listing);
/* Appends them in one format; csv and json in full precision. */
void pl_listing_write(struct pl_listing *const *listings, size_t count, const struct pl_format *format,
                      struct pl_text *out);

/* All pairs of cells of a task, by the test that the table declares, else by spec's: the difference of their means with
 * its interval (of t tests) at the confidence of spec, p, and p adjusted over all pairs of the task. PL_EINPUT: no task
 * has two cells to compare. */
int pl_table_pairs(struct pl_listing **listing, const struct pl_table *table, const struct pl_test_spec *spec,
                   struct pl_error *err);

/* pl_table_rank and pl_table_times, a line for each method: mean ranks with both tests; the profile's score and shares
 * of tasks. */
int pl_table_ranks(struct pl_listing **listing, const struct pl_table *table, double confidence, struct pl_error *err);
int pl_table_profile(struct pl_listing **listing, const struct pl_table *table, double tau_max, struct pl_error *err);

/* The median and mean of the best of k of its points for each k, the median with a simultaneous band where the study
 * draws points independently (method: random); else a note says that there is none. Unit, decimals and labels are
 * those of look. PL_EINPUT: percent of what is no share. */
int pl_tuning_list(struct pl_listing **listing, struct pl_results *results, const struct pl_tuning_spec *spec,
                   const struct pl_table_spec *look, struct pl_error *err);

/* ---- published numbers ---- */

struct pl_sample {
    double mean, deviation; /* NaN: there is none */
    int64_t n;
};

/* The difference of two means, a - b, with the ends of its interval and Welch's degrees of freedom; NaN where a
 * sample has fewer than two values or no deviation. Freedom is NaN too when neither has any spread. */
struct pl_interval {
    double difference, low, high, freedom;
};
/* Welch (1947): unequal variances, freedom by Satterthwaite. level: 0.95 for a 95% interval. */
void pl_welch(const struct pl_sample *a, const struct pl_sample *b, double level, struct pl_interval *interval);

/* What a comparison says of a cell: the interval holds 0 or it does not, or why there is none. */
enum pl_verdict {
    PL_ALIKE,
    PL_DIFFERS,
    PL_NOT_PRINTED, /* N/A */
    PL_NO_RUN,      /* no configuration of ours has the cell's settings; PL_SEVERAL: more than one has */
    PL_SEVERAL,
    PL_NO_VALUE, /* the configuration has no finished run with a finite value */
    PL_ONE_RUN,
    PL_ONE_PRINTED,
    PL_NO_DEVIATION,
};

struct pl_comparison;

/* Sets the configurations that spec describes beside the published table that it names (spec->published): for each
 * printed cell the one configuration that has the cell's settings, as a scale of the study has renamed them.
 * published must outlive the comparison. PL_EINPUT when there is no such table or metric. Where a cell has settings of
 * its own and none of ours has them, the best one with those of its row and column is taken (where the row is that of a
 * search's second best, that one), and a note says so; with ranked it is taken wherever none has, or several have, the
 * settings of a cell. */
int pl_comparison_build(struct pl_comparison **comparison, struct pl_results *results, const struct pl_table_spec *spec,
                        const struct pl_published *published, double level, bool ranked, struct pl_error *err);
void pl_comparison_free(struct pl_comparison *comparison);
/* Appends them in one format: a line for each cell. */
void pl_comparison_write(struct pl_comparison *const *comparisons, size_t count, const struct pl_format *format,
                         struct pl_text *out);

/* Judges the claims about published numbers (published->claims, at least one) on these numbers and on those of ours
 * that stand beside them: one listing of what each claim comes to, and one of its pairs for each. Free each and the
 * list. */
struct pl_listing **pl_claims_list(const struct pl_published *published, struct pl_comparison *const *ours,
                                   size_t ours_count, double level, size_t *count);

/* A number as tables and figures show it: decimals >= 0: that many (huge values in scientific notation); -1: four
 * significant digits. */
void pl_report_number(double value, int decimals, struct pl_text *out);

/* Are two values the same up to rounding? Never where one is NaN. */
bool pl_report_ties(double a, double b);

/* Decimals that suit all of some numbers: as many as give the largest four significant digits. -1 where they span more
 * than four decades or are very large or small, so that each needs its own. Non-finite ones do not count. */
int pl_report_decimals(const double *values, size_t count);

#endif
