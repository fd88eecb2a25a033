/* The parts of `poula sweep`: its specs, what it looks at before anything is written, and the dry run. */
#ifndef PL_CMD_SWEEP_PARTS_H
#define PL_CMD_SWEEP_PARTS_H

#include "cmd.h"
#include "sweep/batch/batch.h"
#include "sweep/sweep.h"

struct pl_sweep_specs {
    struct pl_sweep_source *sources;
    size_t count;
    struct pl_pool paths;
};
/* The spec of --from: the configuration of a run, or one of the best of a study, with the seeds of --seeds. Returns the
 * exit code; says which configuration it is. */
int pl_sweep_load_from(const struct pl_args *args, struct pl_sweep_specs *specs);
/* Loads every spec, so that all complaints come at once. Returns the exit code. */
int pl_sweep_load_specs(const struct pl_args *args, struct pl_sweep_specs *specs);
void pl_sweep_release_specs(struct pl_sweep_specs *specs);
/* Lines on stderr for what looks like a slip (words: in the words of commands, too), and for each study whose steps no
 * proof covers. */
void pl_sweep_note_studies(const struct pl_sweep_specs *specs, bool words);

/* A sweep on a batch system (sweep_on.c). Zero-initialise. */
struct pl_sweep_on {
    struct pl_batch_options batch;
    struct pl_resources resources;
    struct pl_pool texts;
};
/* Reads --on and what belongs to it; options->batch is set where it is given. Returns the exit code. */
int pl_sweep_read_on(const struct pl_args *args, struct pl_sweep_on *on, struct pl_sweep_options *options);
/* Paths that tasks are told. */
void pl_sweep_make_absolute(const struct pl_sweep_on *on, struct pl_sweep_options *options, struct pl_pool *texts);
void pl_sweep_release_on(struct pl_sweep_on *on);
/* The tasks and scripts of a dry run. */
int pl_sweep_dry_on(const struct pl_args *args, struct pl_store *store, const struct pl_sweep_plan *plan,
                    const struct pl_sweep_on *on);

/* " lambda=0.1" */
void pl_sweep_add_setting(struct pl_text *line, const char *key, const struct pl_value *value);
/* What is known before anything is written. Zero-initialise. */
struct pl_sweep_before {
    struct pl_programs *programs;
    struct pl_sweep_needs needs;
    int late;                  /* the exit code with which the sweep ends once its runs are planned; 0: it goes on */
    struct pl_changed changed; /* runs of other programs, which --rerun changed or --accept changed is about */
    int64_t *rerun;            /* runs that --rerun names otherwise */
    size_t rerun_count, rerun_capacity;
};
/* Looks at data, memory, the number of runs and the programs that results are of; jobs and threads are lowered to what
 * fits. Returns the exit code: 2 stops a sweep that has written nothing. */
int pl_sweep_look(const struct pl_args *args, const struct pl_sweep_specs *specs, struct pl_sweep_options *options,
                  struct pl_sweep_before *before);
/* Fills before->rerun. Returns the exit code: 2 where --rerun is wrong or names no run. */
int pl_sweep_choose_reruns(const struct pl_args *args, const struct pl_sweep_specs *specs, struct pl_store *store,
                           struct pl_sweep_before *before);
bool pl_sweep_reruns_changed(const struct pl_args *args); /* is it --rerun changed? */
/* Memory of the runs that are missing: fewer jobs where not all fit. */
int pl_sweep_fit_jobs(const struct pl_args *args, struct pl_sweep_options *options, const struct pl_sweep_needs *needs,
                      struct pl_error *err);
/* Does what --rerun and --accept say; the runs are planned. Returns the exit code. */
int pl_sweep_decide_programs(const struct pl_args *args, struct pl_store *store, const struct pl_sweep_before *before);
/* Looks which programs the results of a study are of that has waited for a table until now, and does what --rerun and
 * --accept say. Returns the exit code: 1 where the user must say first what they are (it has been asked then). */
int pl_sweep_check_chosen(const struct pl_args *args, struct pl_store *store, const struct pl_study *study,
                          const struct pl_sweep_before *before);
void pl_sweep_before_release(struct pl_sweep_before *before);
int pl_sweep_dry_run(const struct pl_args *args, const struct pl_sweep_specs *specs, const struct pl_sweep_on *on,
                     struct pl_sweep_before *before);

#endif
