/* Parts that the task kinds share. */
#ifndef PL_TRAIN_PRIV_H
#define PL_TRAIN_PRIV_H

#include "train/schedule.h"
#include "train/train.h"

/* A kind of task: one const descriptor in the table of schema.c. */
struct pl_task_kind {
    const char *key;   /* the setting that chooses it */
    const char *value; /* and its value; NULL: any that no other kind is chosen by */
    /* Adds the parts that are legal under the chosen settings. */
    int (*schema)(const struct pl_settings *chosen, struct pl_schema *schema, struct pl_error *err);
    /* Adds the names that a choosing key can have in such a task. */
    void (*choices)(const char *key, struct pl_candidates *names);
    /* Adds every part that any choice may bring. */
    void (*sources)(struct pl_schema_sources *sources);
    /* Adds every metric that a run may report; NULL: the program decides. */
    void (*metrics)(struct pl_metric_source *sources, size_t *count);
    int (*check)(const struct pl_settings *settings, struct pl_error *err);
    int (*run)(const struct pl_run_request *request, const struct pl_sink *sink, struct pl_run_result *result,
               struct pl_error *err);
};
extern const struct pl_task_kind pl_task_problem, pl_task_langevin, pl_task_command, pl_task_dataset;
const struct pl_task_kind *pl_task_kind_of(const struct pl_settings *settings); /* or NULL */

void pl_schema_add(struct pl_schema *schema, enum pl_section section, const struct pl_setting *settings, size_t count);
/* The optimizer, what all optimizers share, the schedule, and record_shares. */
int pl_schema_add_training(const struct pl_settings *chosen, struct pl_schema *schema, struct pl_error *err);
void pl_source_add(struct pl_schema_sources *sources, const char *owner, enum pl_section section,
                   const struct pl_setting *settings, size_t setting_count);
void pl_metric_add(struct pl_metric_source *sources, size_t *count, const char *owner, const struct pl_metric *metrics,
                   size_t metric_count);
int pl_train_check_training(const struct pl_settings *settings, int64_t epochs, struct pl_error *err);

/* Fails as pl_candidates_fail does among the names that the choosing key can have. */
int pl_fail_choice(struct pl_error *err, const char *key, const char *name);

struct pl_problem;
/* Adds the settings of every task on a problem (problem, iterations, record, clip), and the problem's own. */
void pl_objective_schema(struct pl_schema *schema, const struct pl_problem *problem);
/* The problem that a setting ("problem" or "target") names, or NULL after a complaint. */
const struct pl_problem *pl_problem_of(const struct pl_settings *settings, const char *key, struct pl_error *err);
/* Adds the names of all problems. */
void pl_objective_choices(struct pl_candidates *names);

/* The key of the request's run, in hex: as it says, or made into hex. Returns either. */
const char *pl_request_key(const struct pl_run_request *request, char hex[2 * PL_DIGEST_SIZE + 1]);
/* The file in a run's folder that says whose it is. */
#define PL_FOLDER_MARK ".poula"
/* Writes it into the request's folder, which exists. */
void pl_train_folder_mark(const struct pl_run_request *request);
/* The run has come to the end of what was asked for. */
void pl_result_reached(struct pl_run_result *result, double until);
void pl_result_set(struct pl_run_result *result, enum pl_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
