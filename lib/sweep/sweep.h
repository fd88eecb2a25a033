/* sweep: from checked specs to recorded runs: planning, worker processes, supervision.
 *
 * Invariants: the supervisor is the only writer of its results; a run is recorded as finished or diverged only
 * when its closing event and every value it announced have arrived; a run whose worker dies is failed and is not
 * tried again by the same supervisor; what was committed is never touched again. Workers are processes of their
 * own (an exec, never a bare fork), die with their supervisor, and speak the protocol of docs/sweeps.md.
 *
 * Threading: everything here belongs to the calling thread. pl_sweep_run takes over SIGINT, SIGTERM, SIGHUP and
 * SIGCHLD while it runs and puts the signal mask back at its end. */
#ifndef PL_SWEEP_H
#define PL_SWEEP_H

#include "base/base.h"
#include "spec/spec.h"
#include "results/results.h"
#include "store/store.h"
#include "study/study.h"
#include "train/train.h"

/* ---- planning ---- */

struct pl_sweep_source {
    struct pl_spec *spec;
    const char *path; /* as the user gave it */
};

/* The best value that a study has seen in this sweep, for people who watch it. */
struct pl_sweep_best {
    char metric[256]; /* "" while there is none */
    enum pl_direction direction;
    double value;
    int64_t run;
};

/* What a study that stops runs early will train, where no run diverges or fails. */
struct pl_rungs {
    size_t brackets;                 /* 1, or those of Hyperband: the b-th has the rungs from the b-th on */
    int64_t runs[PL_STOP_RUNGS + 1]; /* of each bracket */
    int64_t reach[PL_STOP_RUNGS + 1][PL_STOP_RUNGS + 1]; /* of them, to each rung at least; the last: to their end */
    double epochs, planned;                              /* that are trained, and that would be if none were stopped */
    bool even; /* all runs that compete are equally long: else the epochs are about right */
};

/* One study of a sweep. The counts are kept up to date while the sweep runs. */
struct pl_sweep_study {
    const struct pl_study *study;
    size_t source, index; /* which spec, and which of its studies */
    int64_t sweep;        /* its number in the database; 0 while the study waits for another one */
    int64_t runs;
    int64_t counts[PL_STATUS_COUNT]; /* of its runs, by status */
    int64_t ran;                     /* ended by this supervisor */
    bool surveyed;                   /* some of its runs train on data: see pl_sweep_plan_survey */
    /* runs that printed what looked like metrics and was not understood, and their lines */
    int64_t unread, unread_lines;
    char unread_example[200]; /* the first of these */
    /* runs with checkpoints or weights that could not be written, and how many of these */
    int64_t unsaved, unsaved_files;
    char unsaved_example[300]; /* why the first of them could not */
    double first, last;        /* pl_clock_steady of its first start and last end; 0: none */
    struct pl_sweep_best best;
    /* of a study that stops runs early (halving.h) */
    bool undecided;                    /* something has ended since it was last decided what goes on */
    double epochs_run, epochs_planned; /* of its runs so far, and if none were stopped */
    struct pl_rungs *rungs;            /* of a preview; else NULL */
    char held[300];                    /* why some of its runs wait; "" where nobody has to do anything about it */
};

struct pl_sweep_plan {
    struct pl_sweep_study *studies;
    size_t count;
    struct pl_sweep_study shared; /* runs and counts that an earlier study has as well */
    const struct pl_sweep_source *sources;
    struct pl_choices *choices; /* of each source: what its tables chose for waiting studies */
    int64_t launch;             /* of the sweeps in the database */
    struct pl_seen *seen;       /* the runs so far */
    void (*progress)(void *self, int64_t runs, int64_t total); /* of planning; may be NULL */
    void *progress_self;
    int64_t planned, total;
};

/* Writes every study, configuration and run of the specs into the database, in one transaction, and fills plan. Runs
 * that exist are found again by their keys, whatever their status. Studies that take settings from the tables of others
 * are left to pl_sweep_plan_advance. progress (which may be NULL) is called now and then. The sources must outlive the
 * plan. */
int pl_sweep_plan_make(struct pl_sweep_plan *plan, struct pl_store *store, const struct pl_sweep_source *sources,
                       size_t count, void (*progress)(void *self, int64_t runs, int64_t total), void *self,
                       struct pl_error *err);
/* Gives waiting studies their settings, once all runs of those that they wait for have finished or diverged, and writes
 * them into the database. advanced gets how many. On failure nothing was written: PL_EINPUT, with problems (a line
 * each), when a table cannot choose, has chosen nothing for some run, or its choice is not legal there. */
int pl_sweep_plan_advance(struct pl_sweep_plan *plan, struct pl_store *store, size_t *advanced,
                          struct pl_text *problems, struct pl_error *err);
/* Reads how the runs of each study stand, after some were made missing again. */
int pl_sweep_plan_recount(struct pl_sweep_plan *plan, struct pl_store *store, struct pl_error *err);
/* Says why studies still wait, a sentence a line; nothing when none does. */
void pl_sweep_plan_why_waiting(const struct pl_sweep_plan *plan, struct pl_text *out);
/* What is done with each run of a preview: row gets its number (0: there is none yet) and how the sweep will find it,
 * which it may change before that is counted; a negative return stops. */
struct pl_sweep_preview {
    int (*row)(void *self, const struct pl_study *study, const struct pl_settings *settings, int64_t seed, int64_t run,
               enum pl_status *status);
    void *self;
    const char *retry; /* failed runs in whose reason it is are tried again, and planned; NULL: none */
};
/* Calls row for every run of every study without writing anything; plan gets the counts. store may be NULL: every run
 * is then planned. Runs of studies that wait are counted only. */
int pl_sweep_plan_preview(struct pl_sweep_plan *plan, struct pl_store *store, const struct pl_sweep_source *sources,
                          size_t count, const struct pl_sweep_preview *preview, struct pl_error *err);
/* Studies that were given settings wait again. */
void pl_sweep_plan_release(struct pl_sweep_plan *plan);

/* Runs that a sweep would still run: all but finished and diverged ones, and failed ones unless they are retried. */
int64_t pl_sweep_study_missing(const struct pl_sweep_study *study, bool retry_failed);

/* What an executor has room for. */
struct pl_capacity {
    int slots;        /* workers at a time */
    int threads;      /* of all workers together */
    uint64_t memory;  /* bytes that are free for them; 0: not known */
    int accelerators; /* devices that a worker can be given */
};
/* What starts workers and ends them. */
struct pl_executor;
extern const struct pl_executor pl_executor_local; /* as processes of this machine */
void pl_sweep_capacity(const struct pl_executor *executor, struct pl_capacity *capacity);

/* What the missing runs of a plan need. Zero-initialise. */
struct pl_sweep_needs {
    uint64_t memory;         /* bytes of the largest one; 0: nothing to speak of */
    struct pl_text data;     /* data sets with their checksums, for provenance */
    struct pl_text warnings; /* about them, a line each */
};
/* Opens every data set once, from the folder data, so that a missing or damaged one is found before any run begins. */
int pl_sweep_plan_survey(const struct pl_sweep_plan *plan, const char *data, int threads, bool retry_failed,
                         struct pl_sweep_needs *needs, struct pl_error *err);
/* The same before anything is planned: for the studies whose settings are known. store may be NULL: every run is
 * missing. */
int pl_sweep_survey_sources(const struct pl_sweep_source *sources, size_t count, struct pl_store *store,
                            const char *data, int threads, bool retry_failed, struct pl_sweep_needs *needs,
                            struct pl_error *err);
void pl_sweep_needs_release(struct pl_sweep_needs *needs);
/* Lowers jobs to what fits into free memory: then it returns 1 and says so in message. Fails with PL_EMEMORY when not
 * even one run fits. */
int pl_sweep_fit(const struct pl_capacity *capacity, uint64_t memory, int *jobs, struct pl_text *message,
                 struct pl_error *err);

/* Appends one line when runs of theopoula or tusla with eta > 0 take larger steps than lambda_max (lib/theory): how
 * many, the largest lambda, and the bound of its run. */
void pl_sweep_proof_notes(const struct pl_study *study, struct pl_text *notes);

/* ---- running ---- */

/* What a supervisor knows at one moment. */
struct pl_sweep_state {
    const struct pl_sweep_plan *plan;
    double elapsed;               /* seconds since the first worker was started */
    double rate;                  /* runs per second lately */
    double left;                  /* estimated seconds to the end; NaN: unknown */
    int64_t total, done, missing; /* runs of all studies; done are finished, diverged and failed ones */
    int64_t ran;                  /* ended by this supervisor */
    int workers, busy;
    int64_t elsewhere; /* runs that another supervisor holds, while this one waits for them; else 0 */
    char place[240];   /* what is known of the tasks of a batch system; "" where there is none */
    bool stopping;
};

struct pl_sweep_view {
    void *self;
    void (*progress)(void *self, const struct pl_sweep_state *state); /* about ten times a second; may be NULL */
    void (*note)(void *self, const char *sentence);                   /* something the user should know; may be NULL */
};

struct pl_batch_options;
struct pl_sweep_options {
    const struct pl_executor *executor;
    const struct pl_batch_options *batch; /* runs go to a batch system (batch/batch.h); NULL: to workers here */
    const char *const *worker;            /* argument vector that starts a worker, ended by NULL */
    int jobs, threads;                    /* workers, and threads of each */
    bool insist; /* threads is the user's wish, and stronger than OMP_NUM_THREADS and its like */
    bool fail_fast, retry_failed;
    const char *retry_reason;     /* of failed runs, those in whose reason this is are tried again; "": all */
    double timeout;               /* seconds a run may take; 0: as its study says */
    double grace;                 /* seconds that workers have to stop at a clean point; 0: the usual ten */
    int64_t limit;                /* most runs to take; 0: all */
    const char *folders;          /* folder of the runs' own folders, made when a run asks for one */
    const char *data;             /* data sets and checksums, for provenance; or NULL */
    const char *data_folder;      /* of data sets */
    struct pl_programs *programs; /* that commands are found with */
    struct pl_sweep_view view;
};

/* Runs what is missing of a plan. Returns 0 when the loop came to its end, whatever the outcomes (they are in the
 * plan's counts; *stopped_by is the signal that ended it early, or 0), PL_EDATABASE or PL_EIO when it could not go
 * on: what was committed stays. */
int pl_sweep_run(struct pl_store *store, struct pl_sweep_plan *plan, const struct pl_sweep_options *options,
                 int *stopped_by, struct pl_error *err);

/* What the caller decides and says between the stages of a sweep. */
struct pl_sweep_between {
    void *self;
    /* A study that waited for a table has its settings now. Returns false when nothing more is to begin. */
    bool (*chosen)(void *self, const struct pl_study *study);
    /* A table could not choose, or its choice is not legal; problems has a line each. What can be run without it is. */
    void (*refused)(void *self, const char *problems, const struct pl_error *err);
    /* What the runs of such studies need, before the stage that trains them. The options may be lowered to what
     * fits. */
    int (*needs)(void *self, const struct pl_sweep_needs *needs, struct pl_sweep_options *options,
                 struct pl_error *err);
    void (*ran)(void *self); /* a stage is at its end */
};
/* How a sweep in stages went; the outcomes of runs are in the plan's counts. */
struct pl_sweep_course {
    int stopped_by; /* the signal that ended it early, or 0 */
    bool refused;   /* a table could not choose */
    bool held;      /* chosen said that nothing more is to begin */
};
/* Runs what is missing of a plan, stage by stage: what waits for the table of a study comes after that study. Returns 0
 * when it came to its end, else what pl_sweep_plan_survey, needs or pl_sweep_run failed with. */
int pl_sweep_run_stages(struct pl_store *store, struct pl_sweep_plan *plan, const struct pl_sweep_options *options,
                        const struct pl_sweep_between *between, struct pl_sweep_course *course, struct pl_error *err);

/* Seconds that a sweep waits for a database that another program holds: a day, or $POULA_PATIENCE. */
double pl_sweep_patience(void);

/* Makes this process a worker: it dies with its supervisor, stops on SIGTERM, and its standard input and output
 * become *in and *out, out of the reach of libraries that print and of commands that read. */
int pl_worker_enter(int *in, int *out, struct pl_error *err);
/* The loop of `poula worker`: reads orders from in, trains, writes events to out, until in ends. */
int pl_worker_loop(int in, int out, struct pl_error *err);

/* Fills provenance for this program on this machine; the strings live in pool. insist: see pl_sweep_options. */
void pl_sweep_provenance(struct pl_provenance *provenance, int jobs, int threads, bool insist, struct pl_pool *pool);

/* The variables that tell programs their number of threads, by index (NULL: no more): all of them, or, unless insist,
 * those that the user's environment leaves open. What the user set holds for the commands of a run; poula's own
 * networks are told theirs with each run. */
const char *pl_threads_variable(size_t index, bool insist);
/* Appends what the user's environment sets of them: "OMP_NUM_THREADS=3". */
void pl_threads_given(struct pl_text *out);

/* ---- progress as text ---- */

/* "250 runs/h", "3.1 runs/s": rate is in runs per second. */
void pl_progress_rate(double rate, struct pl_text *out);
/* One plain line ("1200 of 10000 runs, ...") without a newline. */
void pl_progress_line(const struct pl_sweep_state *state, struct pl_text *out);
/* A block of lines for a terminal of the given width, each closed by a newline. Returns how many. */
int pl_progress_block(const struct pl_sweep_state *state, int width, bool color, struct pl_text *out);

/* ---- which program results are of ---- */

/* Runs of specs that are finished or diverged with another program than would run them now. Zero-initialise. */
struct pl_changed {
    struct pl_text text; /* a line for each program: how many, since when, and what is different */
    int64_t *runs;
    size_t count, capacity;
    struct pl_changed_pair {
        int64_t older;
        const struct pl_program *now;
    } * pairs;
    size_t pair_count;
};
/* Finds those that nobody has accepted. Attempts of which no program was recorded are never changed. */
int pl_changed_find(struct pl_changed *changed, struct pl_store *store, struct pl_programs *programs,
                    const struct pl_sweep_source *sources, size_t count, struct pl_error *err);
/* The same for one study, which has its settings by now. */
int pl_changed_find_in(struct pl_changed *changed, struct pl_store *store, struct pl_programs *programs,
                       const struct pl_study *study, struct pl_error *err);
int pl_changed_accept(const struct pl_changed *changed, struct pl_store *store, struct pl_error *err);
void pl_changed_release(struct pl_changed *changed);

/* Makes runs missing again (see pl_store_forget) and moves their folders out of the way, to RUN.attempt-N. In one
 * transaction; forgotten gets how many there were: those that are at work, or missing anyway, are left alone. */
int pl_sweep_forget_runs(struct pl_store *store, const int64_t *runs, size_t count, const char *folders,
                         size_t *forgotten, struct pl_error *err);

/* ---- going on from shorter runs ---- */

struct pl_extended {
    int64_t runs;         /* that go on from another one's end */
    int64_t kept_nothing; /* of which there is a shorter one, but no checkpoint of its end */
    int64_t annealed;     /* whose learning rate declines over the whole run, which shorter ones did otherwise */
};
/* Gives each run of a plan that nobody has begun the checkpoint of the longest finished run that differs from it in
 * `epochs` alone, where that kept one (keep_checkpoint), and records which that is. The run then trains on from there
 * and is equal, bit for bit, to one that was trained at once. */
int pl_sweep_extend(struct pl_store *store, const struct pl_sweep_plan *plan, const char *folders,
                    struct pl_extended *extended, struct pl_error *err);

/* ---- deleting ---- */

/* Calls each for every folder among the runs' own that belongs to the database, with the key of its run (attempts that
 * were superseded have such folders, too). A folder without a mark is nobody's and is left alone. */
int pl_sweep_each_folder(struct pl_store *store, const char *folders,
                         int (*each)(void *self, const char *path, const char *key), void *self, struct pl_error *err);
/* Deletes runs, or a study (pl_store_delete_study), then their folders: a kill in between leaves folders of runs that
 * there are not, which pl_sweep_clear removes. removed gets how many folders went. */
int pl_sweep_delete(struct pl_store *store, const int64_t *runs, size_t count, const char *study, const char *folders,
                    struct pl_deleted *deleted, size_t *removed, struct pl_error *err);
/* Removes the folders of runs that the database does not hold and, with attempts, those of superseded attempts; sums up
 * their bytes. */
int pl_sweep_clear(struct pl_store *store, const char *folders, bool attempts, size_t *removed, uint64_t *bytes,
                   struct pl_error *err);

/* Merges another database (pl_store_merge) and copies the folders of its runs that count here, from there to here;
 * folders of runs that were replaced become RUN.attempt-N. copied gets how many folders came. Folders come after the
 * transaction: merging again copies those that a kill left out. differs: as in pl_merge_view. */
int pl_sweep_merge(struct pl_store *store, const char *path, const char *folders, const char *their_folders,
                   const struct pl_merge_view *view, struct pl_merged *merged, size_t *copied, struct pl_error *err);

/* What runs have of a condition's key. */
enum { PL_SEEN = 1, PL_SEEN_WORD = 2 };
/* Does a run meet all conditions? Their keys are settings, in any spelling, seed and status. known (as many as there
 * are conditions) has PL_SEEN added for those whose key the run has, and PL_SEEN_WORD where its value is no number. */
bool pl_where_holds(const struct pl_condition *where, size_t count, const struct pl_settings *settings, int64_t seed,
                    enum pl_status status, unsigned char *known);

/* ---- folders of runs ---- */

/* Finds the folder of a run's own files: RUN in folders or, where that belongs to another database or another run,
 * RUN-2, RUN-3, ...: then it returns true. owner is the database's token, key the run's in hex; begun says whether
 * there was an attempt at the run before. */
bool pl_run_folder(const char *folders, const char *owner, int64_t run, const char *key, bool begun,
                   struct pl_text *path);

/* The folder of those folders: results/poula-runs beside results/poula.db. */
void pl_run_folders(const char *db, struct pl_text *folders);

/* Appends what a run at work had said when its sweep, or its task of a cluster, last wrote that down, some seconds ago,
 * if that was after since (seconds since 1970: when it began; a kill leaves old ones). False: there is none, or the
 * sweep is elsewhere. */
bool pl_working_log(struct pl_store *store, const char *folders, int64_t run, double since, struct pl_text *log);

/* ---- a run in this process ---- */

/* Every value a run reported, by series. Zero-initialise. */
struct pl_run_values {
    struct pl_series_list series;
    struct pl_text log;
};
/* A sink that fills the record. stop may be NULL. */
struct pl_sink pl_run_values_sink(struct pl_run_values *record);
/* Counts the values that differ, by metric and epoch, and writes a line for the first most of them. What a clock said
 * (pl_train_is_repeatable) is left out. thinned: before lacks values, which are no differences. */
size_t pl_run_values_compare(const struct pl_run_values *before, const struct pl_run_values *now, bool thinned,
                             size_t most, struct pl_text *out);
void pl_run_values_clear(struct pl_run_values *record); /* keeps the memory */
void pl_run_values_release(struct pl_run_values *record);

/* lambda=0.1 */
struct pl_assignment {
    const char *key, *spelling;
};
/* Chooses the configuration of the study that agrees with most of the assignments (the first of those), replaces
 * what still differs, and fills in defaults; study NULL: everything comes from the assignments. *seed is the first
 * one of that configuration. Fails with PL_EINPUT when a key or value is not legal there. */
int pl_single_choose(const struct pl_study *study, const struct pl_assignment *assignments, size_t count,
                     struct pl_settings *settings, int64_t *seed, struct pl_error *err);
/* Writes a spec of that one configuration, without settings that have their defaults. seeds as YAML: "[1]". */
int pl_single_spec(const char *name, const struct pl_settings *settings, const char *seeds, struct pl_text *out,
                   struct pl_error *err);

/* A run that was trained in this process. */
struct pl_single {
    const struct pl_study *study; /* whose directions of metrics count, or NULL */
    const struct pl_settings *settings;
    int64_t seed, process;
    int threads;
    bool insist; /* see pl_sweep_options */
    double started, seconds;
    const struct pl_program *program; /* of a command, or NULL */
    const struct pl_run_values *values;
    const struct pl_run_result *result;
};
/* Records it under a study of its own. Returns 1 when the database already holds a result of such a run (it is left
 * as it is, and *run is not set), 0 otherwise. */
int pl_single_store(struct pl_store *store, const char *name, const struct pl_single *single, int64_t *run,
                    struct pl_error *err);

#endif
