/* store: the results database (the only user of sqlite3.h).
 *
 * Contract. A run is named by its key (settings and seed) and exists once however many sweeps hold it.
 * Its status goes planned -> running -> finished | diverged | failed | interrupted; finished and diverged
 * are final until somebody wants them anew
 * (pl_store_forget). Every change happens in an immediate transaction; a
 * kill at any moment leaves the last committed state. Runs that a dead supervisor left running are given
 * back by the next one (pl_store_recover). Non-finite values are kept by kind and are never best, never 0
 * and never part of a mean. No SQL and no sqlite3 type leaves this module.
 *
 * Threading: one pl_store per thread. Many processes may use one database. */
#ifndef PL_STORE_H
#define PL_STORE_H

#include "base/base.h"
#include "base/cell.h"
#include "study/study.h"
#include "train/train.h"

struct pl_store;
enum { PL_STORE_TOKEN_SIZE = 65 };

enum pl_store_mode { PL_STORE_READ, PL_STORE_WRITE };

/* Opens path. WRITE creates the file and its folder and migrates an older schema; READ fails with
 * PL_EMISSING if there is no file or nothing in it, creates nothing and never changes the file: an older schema is read
 * through a migrated copy that goes with the store. A newer schema gives PL_EVERSION, a foreign or damaged file
 * PL_ECORRUPT. */
int pl_store_open(struct pl_store **store, const char *path, enum pl_store_mode mode, struct pl_error *err);
void pl_store_close(struct pl_store *store);
/* The same behind a failure: a file that opening it has made, and that holds no study and no run yet, is removed. */
void pl_store_discard(struct pl_store *store);
/* Does a store for reading not show what stands under its name now? Another file may have taken its place, or it was
 * written to where no lock tells: as it stood (its folder is closed to us) or as a migrated copy. Open it again then.
 */
bool pl_store_is_stale(const struct pl_store *store);

/* How long to wait for another writer (default $POULA_PATIENCE, or 120 s). waiting is called about once a second while
 * waiting, so that a command can tell its user; it may be NULL. Returning false gives up. */
void pl_store_set_patience(struct pl_store *store, double seconds, bool (*waiting)(void *self, double waited),
                           void *self);

/* Transactions around the writing calls below (each also works alone). After a call that failed inside one,
 * roll back. */
int pl_store_begin(struct pl_store *store, struct pl_error *err);
int pl_store_commit(struct pl_store *store, struct pl_error *err);
void pl_store_rollback(struct pl_store *store);

/* ---- planning ---- */

enum pl_status {
    PL_RUN_PLANNED,
    PL_RUN_RUNNING,
    PL_RUN_FINISHED,
    PL_RUN_DIVERGED,
    PL_RUN_FAILED,
    PL_RUN_INTERRUPTED,
    PL_RUN_STOPPED, /* by a study that stops runs early (store/bracket.h): no run has it itself, and it may be missing
                       elsewhere */
    PL_STATUS_COUNT
};
const char *pl_status_name(enum pl_status status);

struct pl_sweep_info {
    int64_t id;
    const char *study;
    const char *path;        /* of the spec, as given */
    const char *spec;        /* its whole text */
    int64_t seeds;           /* planned per configuration */
    double created, started; /* seconds since 1970: first and last time it was swept */
};

/* Records a sweep of one study, or finds the same one (same study name and spec text) and updates its
 * time. All studies started by one command share one launch number: *launch 0 makes a new one. */
int pl_store_put_sweep(struct pl_store *store, const struct pl_sweep_info *info, int64_t *launch, int64_t *sweep,
                       struct pl_error *err);
int pl_store_put_config(struct pl_store *store, const struct pl_settings *settings, const char *canonical,
                        int64_t *config, struct pl_error *err);
/* Records a run (if its key is new) and that the sweep holds it. */
int pl_store_put_run(struct pl_store *store, int64_t sweep, int64_t config, int64_t seed,
                     const unsigned char key[PL_DIGEST_SIZE], int64_t *run, enum pl_status *status,
                     struct pl_error *err);
/* Drops the runs of a sweep behind those that were put since pl_store_put_sweep: what a study held while it took other
 * settings from a table. */
int pl_store_trim_sweep(struct pl_store *store, int64_t sweep, struct pl_error *err);
/* Looks a key up. Returns 1 when there is no such run. */
int pl_store_find_run(struct pl_store *store, const unsigned char key[PL_DIGEST_SIZE], int64_t *run,
                      enum pl_status *status, struct pl_error *err);
/* How that run will be found by the sweep (0: none yet): *status becomes stopped where it has stopped the run, planned
 * where the run failed and is tried again (retry as of pl_store_claim), and finished or diverged where the sweep judge
 * (0: none), the newest of that study, counts it so. */
int pl_store_foresee_run(struct pl_store *store, int64_t run, int64_t sweep, int64_t judge, const char *retry,
                         enum pl_status *status, struct pl_error *err);

/* ---- which program results are of ---- */

/* Enters a program, or finds it. */
int pl_store_put_program(struct pl_store *store, const struct pl_program *program, int64_t *id, struct pl_error *err);
/* Reads one; pl_store_program_release frees its texts. */
int pl_store_program(struct pl_store *store, int64_t id, struct pl_program *program, struct pl_error *err);
void pl_store_program_release(struct pl_program *program);
/* A run by its key, with the program of its newest attempt (0: none is known) and when that was started. Returns 1 when
 * there is no such run. */
struct pl_origin {
    int64_t run, program;
    enum pl_status status;
    double started;
};
int pl_store_origin(struct pl_store *store, const unsigned char key[PL_DIGEST_SIZE], struct pl_origin *origin,
                    struct pl_error *err);
/* Results of the older program are good where the newer one is wanted. */
int pl_store_accept(struct pl_store *store, int64_t older, int64_t newer, struct pl_error *err);
/* Was that said? newer is looked up; false also when it was never entered. */
int pl_store_is_accepted(struct pl_store *store, int64_t older, const struct pl_program *newer, bool *accepted,
                         struct pl_error *err);
/* Makes a run missing again: what its newest attempt came to is kept (its row, and lowest, highest and last of each
 * series), its curve is not. Returns 1, and does nothing, for a run that is running, or is missing anyway. */
int pl_store_forget(struct pl_store *store, int64_t run, struct pl_error *err);

/* Calls each for every number of epochs that a run has, the most first. */
int pl_store_each_length(struct pl_store *store, int (*each)(void *self, int64_t epochs), void *self,
                         struct pl_error *err);
/* Says from which run, by its key, and from which epoch on a run goes on. */
int pl_store_set_source(struct pl_store *store, int64_t run, const unsigned char source[PL_DIGEST_SIZE], double epoch,
                        struct pl_error *err);

/* ---- tags and notes ---- */

/* A run has any number of tags (words without blanks and commas: PL_EINPUT) and at most one note ("" removes it).
 * changed says whether it was otherwise before. */
int pl_store_tag(struct pl_store *store, int64_t run, const char *name, bool *changed, struct pl_error *err);
int pl_store_untag(struct pl_store *store, int64_t run, const char *name, bool *changed, struct pl_error *err);
int pl_store_note(struct pl_store *store, int64_t run, const char *text, bool *changed, struct pl_error *err);

/* ---- deleting ---- */

/* What was, or would be, deleted: runs, those of them that had ended with a result, and recorded values. */
struct pl_deleted {
    int64_t runs, ended, values;
};
/* Counts them without deleting: runs or, where study is not NULL, those that no other study holds. */
int pl_store_weigh(struct pl_store *store, const int64_t *runs, size_t count, const char *study,
                   struct pl_deleted *deleted, struct pl_error *err);
/* Deletes runs with all that belongs to them; configurations and sweeps of which nothing is left go with them. One
 * transaction; PL_EINPUT, and nothing is deleted, when one of the runs is at work. Their folders are the caller's. */
int pl_store_delete_runs(struct pl_store *store, const int64_t *runs, size_t count, struct pl_deleted *deleted,
                         struct pl_error *err);
/* The same for all sweeps of a study and those of its runs that no other study holds. */
int pl_store_delete_study(struct pl_store *store, const char *study, struct pl_deleted *deleted, struct pl_error *err);
/* Keeps about so many points (2 or more) of each curve of those runs that have ended with a result, evenly, and all at
 * which one of the run's metrics was best or last: tables stay as they are. deleted gets the runs of which any went. */
int pl_store_thin(struct pl_store *store, const int64_t *runs, size_t count, int64_t points, struct pl_deleted *deleted,
                  struct pl_error *err);
/* Drops configurations without runs and metrics without values, and gives the file's free space back. */
int pl_store_vacuum(struct pl_store *store, struct pl_error *err);

/* ---- merging ---- */

/* What came of a merge: runs of the other database that are new here, that have equal values here, that are newer and
 * count now (replaced), that are older and are kept as superseded attempts, that had not ended here; that are at work
 * here and were left alone; how many are at work there, of which what they had come to was taken; and its submissions
 * to clusters, which stay there, with how many of them are not closed. */
struct pl_merged {
    int64_t added, equal, replaced, kept, ended, working, working_there, sweeps, submissions, open_submissions;
};
struct pl_merge_view {
    void *self;
    /* Of a run that both have with different values; theirs: the other database's counts. May be NULL. */
    int (*differs)(void *self, int64_t run, bool theirs);
    /* Of a study that both define, otherwise: now there are both definitions. May be NULL. */
    int (*redefined)(void *self, const char *study);
};
/* Takes the runs of another database in, by key, with their attempts, provenance, values, tags and notes, and its
 * sweeps. Of two results of a run that differ (what a clock said aside) the newer one counts, and the other is a
 * superseded attempt. One transaction; the other file is only read, an older schema through a migrated copy. Merging
 * again changes nothing. Submissions to clusters and folders of runs are not its affair. */
int pl_store_merge(struct pl_store *store, const char *path, const struct pl_merge_view *view, struct pl_merged *merged,
                   struct pl_error *err);

/* ---- running ---- */

/* What a supervisor (or worker command) is: written once per session as provenance. */
struct pl_provenance {
    const char *host, *cpu, *isa, *version, *compiler, *libraries;
    int jobs, threads;
    const char *data; /* checksums of data sets used, or NULL */
};

int pl_store_join(struct pl_store *store, const struct pl_provenance *provenance, int64_t *session,
                  struct pl_error *err);
/* Enters what a worker runs on (jobs, threads and data aside), or finds it. */
int pl_store_put_host(struct pl_store *store, const struct pl_provenance *worker, int64_t *host, struct pl_error *err);
int pl_store_beat(struct pl_store *store, int64_t session, struct pl_error *err); /* every few seconds */
/* Gives back what the session still holds and closes it. */
int pl_store_leave(struct pl_store *store, int64_t session, struct pl_error *err);
/* Gives back the runs of sessions that died, recording an interrupted attempt for each: the process is gone from this
 * machine, or, where it cannot be seen, its beats did not change for five minutes in which this was called again and
 * again. A session that was ended and holds runs all the same gives them back, too. */
int pl_store_recover(struct pl_store *store, int64_t *recovered, struct pl_error *err);

struct pl_claim {
    int64_t run, config, seed;
    int64_t attempt; /* counted from 1 */
    int64_t token;   /* of this claim: what is written with an older one than the run's is refused */
    double until;    /* the epoch that the sweep wants it brought to (store/bracket.h); 0: to its end */
};

/* Takes up to most missing runs of the sweeps (in grid order) for this session: planned and interrupted
 * ones and, unless retry is NULL, failed ones in whose reason it is (a failed run is taken at most once per session;
 * case does not count). Of a sweep that stops runs early only those that it wants further now. */
int pl_store_claim(struct pl_store *store, int64_t session, const int64_t *sweeps, size_t sweep_count,
                   const char *retry, struct pl_claim *claims, size_t most, size_t *taken, struct pl_error *err);
/* How many runs of a sweep could be taken, with failed ones or without. */
int pl_store_claimable(struct pl_store *store, int64_t sweep, bool failed, int64_t *count, struct pl_error *err);
/* How long beats must have stood still, instead of five minutes; for tests. */
void pl_store_set_silence(struct pl_store *store, double seconds);

/* Is the run still this claim's? */
int pl_store_holds(struct pl_store *store, const struct pl_claim *claim, bool *holds, struct pl_error *err);
/* Puts a claimed run that was never started back to what it was. */
int pl_store_unclaim(struct pl_store *store, const struct pl_claim *claim, struct pl_error *err);

/* Number of a metric series ("test_accuracy" along one axis); made when new. */
int pl_store_series(struct pl_store *store, const char *metric, enum pl_series_axis axis, int64_t *series,
                    struct pl_error *err);
/* Declares which way metrics are better in a sweep, which are losses and which validate: that belongs to the study and
 * to no run, which other studies share. What is not declared goes by the names (pl_metric_judge). */
int pl_store_declare(struct pl_store *store, int64_t sweep, const struct pl_metric_spec *metrics, size_t count,
                     struct pl_error *err);
/* Judges by the losses that a sweep declares which of its runs diverged, those included that ended for other studies.
 */
int pl_store_judge_sweep(struct pl_store *store, int64_t sweep, struct pl_error *err);
/* The two below write for a claim; they return 1, and write nothing, when the run is not this claim's any more (it
 * was given back, and perhaps claimed by others, while its session was thought dead). */
/* Drops what earlier attempts have recorded along an axis from a position on (all: -INFINITY). What the last of them
 * came to is kept as that attempt's. */
int pl_store_forget_points(struct pl_store *store, const struct pl_claim *claim, enum pl_series_axis axis, double from,
                           struct pl_error *err);
/* Appends recorded values; a value of an epoch that exists is replaced. */
int pl_store_points(struct pl_store *store, const struct pl_claim *claim, int64_t series, const double *epochs,
                    const double *values, size_t count, struct pl_error *err);

/* Says since when a worker trains a claimed run; until then it is queued. */
int pl_store_begun(struct pl_store *store, const struct pl_claim *claim, double time, struct pl_error *err);
/* What earlier attempts of a run have left, by axis (an array of PL_AXIS_COUNT). */
int pl_store_kept(struct pl_store *store, int64_t run, struct pl_kept *kept, struct pl_error *err);

struct pl_ending {
    int64_t session;
    enum pl_outcome outcome;
    double bad_epoch;
    double reached; /* interrupted: the epoch that it was to be brought to, and was; else 0 */
    int exit_code, signal;
    const char *reason;          /* or NULL */
    const char *log;             /* the last lines, or NULL */
    const char *reading;         /* how the output of a command was read, or NULL */
    int64_t unread;              /* lines that looked like metrics and were not understood */
    const char *unread_example;  /* the first of them, if there are any */
    int64_t unsaved;             /* checkpoints and weights that could not be written */
    const char *unsaved_example; /* why the first of them could not, if there are any */
    double started, seconds;
    int threads;
    int64_t worker;  /* process number */
    int64_t program; /* of a command, or 0 */
    int64_t host;    /* what its worker ran on, or 0: the same as its session */
};
/* Ends an attempt: writes it, the run's status and, for finished and diverged runs, its results from the recorded
 * values: of each series the lowest and the highest finite value (the first of equals) and the last one, with their
 * positions, and from where on it is not finite to its end. Returns 1, and writes nothing, when the run is not this
 * claim's any more. */
int pl_store_end(struct pl_store *store, const struct pl_claim *claim, const struct pl_ending *ending,
                 struct pl_error *err);

/* ---- reading ---- */

int pl_store_config(struct pl_store *store, int64_t config, struct pl_settings *settings, struct pl_error *err);
/* The same as its canonical text (replacing canonical's): for those who read tens of thousands. */
int pl_store_config_text(struct pl_store *store, int64_t config, struct pl_text *canonical, struct pl_error *err);

/* Counts of a sweep's runs per status (an array of PL_STATUS_COUNT). */
int pl_store_counts(struct pl_store *store, int64_t sweep, int64_t *counts, struct pl_error *err);

/* The same for the runs of several sweeps, each run once. */
int pl_store_counts_together(struct pl_store *store, const int64_t *sweeps, size_t sweep_count, int64_t *counts,
                             struct pl_error *err);

/* The sweeps of the last launch (study NULL), or the newest sweep of that study. The texts live until the next call
 * or close. PL_EMISSING if there is none yet, PL_EINPUT if the study is unknown. */
int pl_store_sweeps(struct pl_store *store, const char *study, const struct pl_sweep_info **sweeps, size_t *count,
                    struct pl_error *err);
/* Calls each with the name of every study, the one that was swept last first, or of every tag that a run has, in
 * alphabetical order; no run is looked at. What each returns besides 0 ends it and is returned. */
int pl_store_each_study(struct pl_store *store, int (*each)(void *self, const char *study), void *self,
                        struct pl_error *err);
int pl_store_each_tag(struct pl_store *store, int (*each)(void *self, const char *tag), void *self,
                      struct pl_error *err);

/* One run of a sweep with its value of one metric. */
struct pl_result {
    int64_t run, config, seed;
    enum pl_status status;
    bool has_value; /* false: the run has no finite value of the metric (yet) */
    double value;
    double epoch;   /* at which value was recorded; of the last value also where that is not finite */
    double stopped; /* of a run that the sweep has stopped: after which epoch */
};
/* Calls row for every run of the sweep, configurations together and in grid order; a negative return
 * stops. Best is the lowest or highest finite value, as the metric is better in this sweep; a neutral metric's is its
 * last value, an undeclared metric has none. Best by validation is the value at the position at which the
 * first metric was best that validates it (pl_store_validation) and that the run has. Fails with PL_EMISSING when the
 * database knows no such metric (err lists those it has). A million runs take well under a second; the curves are not
 * read. */
int pl_store_each_result(struct pl_store *store, int64_t sweep, const char *metric, enum pl_select select,
                         int (*row)(void *self, const struct pl_result *result), void *self, struct pl_error *err);

/* Calls point for every recorded value of a run's metric, by epoch. Non-finite values come as such. */
int pl_store_each_point(struct pl_store *store, int64_t run, const char *metric,
                        int (*point)(void *self, double epoch, double value), void *self, struct pl_error *err);

/* The same along one axis; no call where the metric has not been recorded along it. */
int pl_store_each_point_along(struct pl_store *store, int64_t run, const char *metric, enum pl_series_axis axis,
                              int (*point)(void *self, double position, double value), void *self,
                              struct pl_error *err);

/* The names of all metrics a sweep has recorded, and which way each is better there. */
struct pl_metric_info {
    const char *name;
    enum pl_direction direction;
    bool migrated; /* as an older version of the database took it, and not as its name says today */
};
int pl_store_metrics(struct pl_store *store, int64_t sweep, const struct pl_metric_info **metrics, size_t *count,
                     struct pl_error *err);

/* The name of the metric that validates the runs of a sweep: the first that the study declares for it and has recorded,
 * else the one that names rank first. *metric is NULL where there is none, else it lives until the next call or close.
 */
int pl_store_validation(struct pl_store *store, int64_t sweep, const char **metric, struct pl_error *err);

/* Where the results of sweeps come from, as lists with commas between (free with pl_origins_release); NULL where all
 * come from one. */
struct pl_origins {
    char *hosts, *versions; /* of poula */
    char *programs;         /* files of which there are two versions */
};
int pl_store_origins(struct pl_store *store, const int64_t *sweeps, size_t count, struct pl_origins *origins,
                     struct pl_error *err);
void pl_origins_release(struct pl_origins *origins);

/* Runs one or more read-only SQL statements; a statement that would write is refused (PL_EINPUT), as is bad SQL.
 * head is called once per statement with the column names. */
int pl_store_query(struct pl_store *store, const char *sql,
                   int (*head)(void *self, const char *const *names, size_t count),
                   int (*row)(void *self, const struct pl_cell *cells, size_t count), void *self, struct pl_error *err);

/* What tells this database from all others, for what belongs to it: hex digits, kept by its copies. */
int pl_store_token(struct pl_store *store, char token[PL_STORE_TOKEN_SIZE], struct pl_error *err);

/* Everything known of one run, found by number or by a unique prefix of its key: the newest attempt. */
struct pl_run_info {
    int64_t run, config, seed, attempts;
    char key[2 * PL_DIGEST_SIZE + 1];
    enum pl_status status;
    double bad_epoch;
    int exit_code, signal;
    char *reason, *log, *host, *cpu, *version; /* may be NULL; pl_run_info_release frees them */
    char *reading;                             /* how the newest attempt's output was read; the same holds for it */
    bool thinned;                              /* not all points of its curves were kept */
    double started, seconds;                   /* of a run at work: since it began; 0: nobody has begun it yet */
    int threads;
};
/* Of a run at work reason, exit code and signal are not set, and the log is that of the attempt before. */
int pl_store_run_info(struct pl_store *store, const char *name, struct pl_run_info *info, struct pl_error *err);
void pl_run_info_release(struct pl_run_info *info);

/* Copies a consistent snapshot to a new file (temporary name, then rename) while others write. */
int pl_store_backup(struct pl_store *store, const char *path, struct pl_error *err);
/* SQLite's integrity and foreign key checks plus poula's own invariants; problems gets a line for each. Returns 0
 * when the check ran, whether or not it found any. */
int pl_store_check(struct pl_store *store, struct pl_text *problems, struct pl_error *err);

#endif
