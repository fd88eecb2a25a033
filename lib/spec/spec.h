/* spec: a YAML sweep file as studies, each a grid of checked settings (the only user of yaml.h).
 *
 * A spec is parsed and checked whole before anything runs: every problem found is reported with
 * file:line:column, the key, and what would be legal. The grid is never held in memory: a walk gives one
 * configuration after another, in document order, the last axis fastest, seeds inside configurations. */
#ifndef PL_SPEC_H
#define PL_SPEC_H

#include "base/base.h"
#include "train/train.h"

struct pl_spec;

/* A list of names in a table or figure declaration. */
struct pl_names {
    char **names;
    size_t count;
};

enum pl_select { PL_SELECT_BEST, PL_SELECT_LAST, PL_SELECT_BEST_VALID };

/* Numbers between two ends, which may be infinite. */
struct pl_range {
    double low, high;
    bool low_open, high_open;  /* the end itself is outside */
};

/* A condition on a setting: the run's value is one of the given ones, or a number in one of the ranges. */
struct pl_condition {
    char *key;
    struct pl_value *values;
    size_t count;
    struct pl_range *ranges;   /* only on a command line */
    size_t range_count;
    bool negated;              /* the run has the setting, with another value */
    bool known;                /* every alternative must be the value of some run: it was typed, not declared */
    bool elsewhere;            /* known, and every alternative is found in the studies that are looked at together */
};

/* select: {best: 2, over: [lambda, epsilon], by: best valid_accuracy}: of the configurations that differ only in
 * these settings, the table shows the best ones. */
struct pl_selection {
    int best;                  /* how many; 0: all, the table has no select */
    struct pl_names over;
    char *metric;              /* of the criterion; NULL: the best validation */
    enum pl_select select;     /* of the criterion */
};

/* - {rows: [model, dataset], columns: lambda, value: best test_accuracy, cell: mean(std)} */
struct pl_table_spec {
    char *title;               /* or NULL */
    struct pl_names rows, columns;
    char *metric;              /* "test_accuracy" */
    enum pl_select select;
    char *cell;                /* "mean(std)" (default), "mean", "median", "min", "max", "n" */
    int digits;                /* decimals; -1: chosen from the data */
    struct pl_selection choose;/* with it, rows and columns may name PL_RANK_KEY */
    struct pl_condition *where;
    size_t where_count;
    char *published;           /* the published table that has the same cells; or NULL */
};

/* The name under which a table with select has the rank of a configuration: 1 is the best. */
#define PL_RANK_KEY "rank"

enum pl_figure_kind { PL_FIGURE_CURVES, PL_FIGURE_SENSITIVITY, PL_FIGURE_HEATMAP, PL_FIGURE_TRAJECTORIES };

/* - {kind: curves, x: epoch, y: test_accuracy, panels: [model, dataset], lines: lambda} */
struct pl_figure_spec {
    enum pl_figure_kind kind;
    char *name;                /* file name without ending; default STUDY-KIND or STUDY-KIND-2 */
    char *title;               /* or NULL */
    char *x;                   /* curves: "epoch"; sensitivity, heatmap: a setting */
    char *y;                   /* the metric; heatmap: the second setting */
    char *z;                   /* heatmap: the metric */
    struct pl_names panels, lines;
    enum pl_select select;     /* sensitivity, heatmap */
    bool log_x, log_y;         /* as declared (`log: x`, `log: [x, y]`) */
    double x_range[2], y_range[2]; /* NaN where not declared */
    bool fit;                  /* a straight line through the means of every line, on the scales of the axes */
    double fit_range[2];       /* of x, where low < high; else all of it */
    double *slopes;            /* lines of these slopes are drawn beside the data */
    size_t slope_count;
    struct pl_condition *where;
    size_t where_count;
};

/* Does the condition hold for a value (NULL: the run has no such setting)? Values that are spelled alike are equal. */
bool pl_condition_admits(const struct pl_condition *condition, const struct pl_value *value);

/* What a study may leave to a name. */
enum pl_said { PL_UNSAID, PL_SAID_NO, PL_SAID_YES };

/* metrics: {score: max, energy: {direction: min, loss: true}, holdout: {direction: max, validation: true}} */
struct pl_metric_spec {
    char *name;
    enum pl_direction direction; /* PL_UNDECLARED: not said, and the name does not tell */
    enum pl_said loss;           /* has a run diverged in which it stays not finite? */
    enum pl_said validation;     /* does best-valid go by it? The first that is declared comes before all names */
};

/* A setting that is taken from what a table with select of another study chose: lambda: {from: search, best: 1}. */
struct pl_pick {
    const char *key;           /* of the setting */
    size_t study, table;       /* which study of the file, and which of its tables */
    int place;                 /* 1: the best */
};

/* What a scale has put in the place of a setting's value: other values, and those of settings that go with them. */
struct pl_rename {
    char *key;
    struct pl_value old;
    struct pl_condition *now;  /* what the runs have instead, one value each */
    size_t now_count;
};

struct pl_study {
    char *name;
    char *description;         /* or NULL */
    const int64_t *seeds;
    size_t seed_count;
    uint64_t configs;          /* after zip, cases and exclude */
    uint64_t runs;             /* configs x seeds, less excluded ones */
    double timeout;            /* seconds a run may take, 0: no limit */
    double epochs;             /* of a program, which has not finished before; 0: not declared */
    char *epochs_key;          /* the setting that says how many, as in epochs: "{epochs}"; or NULL */
    const char *reading;       /* how the output of its command is read (pl_run_request), or NULL */
    const char *home;          /* the folder that its command's directory is relative to; NULL: the working folder */
    struct pl_metric_spec *metrics;
    size_t metric_count;
    struct pl_table_spec *tables;
    size_t table_count;
    struct pl_figure_spec *figures;
    size_t figure_count;
    char **axes;               /* keys that vary, in document order (default rows and columns of a table) */
    size_t axis_count;
    size_t *sources;           /* studies of the file that settings are taken from, by index */
    size_t source_count;
    bool waiting;              /* such settings are not known yet: see pl_spec_settle. configs and runs are then upper
                                  bounds (two choices may turn out to be the same), and a walk gives placeholders */
    struct pl_rename *renames; /* of a study in a scale */
    size_t rename_count;
    struct pl_study_grid *grid;/* private */
};

/* Loads and checks a spec. On PL_EINPUT, problems holds every complaint, one per line, each starting
 * with "file:line:column: ". path "-" reads standard input. scale: the size in which every study is wanted, which
 * each must then have (docs/specs.md, "scale"; the studies are called NAME-SCALE); NULL: as written. */
int pl_spec_load(struct pl_spec **spec, const char *path, const char *scale, struct pl_text *problems,
                 struct pl_error *err);
/* The same from text (name is used in complaints). */
int pl_spec_parse(struct pl_spec **spec, const char *text, size_t length, const char *name,
                  struct pl_text *problems, struct pl_error *err);
int pl_spec_parse_scaled(struct pl_spec **spec, const char *text, size_t length, const char *name, const char *scale,
                         struct pl_text *problems, struct pl_error *err);
/* Only names, tables, figures, metrics and seeds, without walking the grid (configs and runs are 0): for
 * reports from a spec kept in the database. Every study is followed by itself in each of its scales. */
int pl_spec_parse_declarations(struct pl_spec **spec, const char *text, size_t length, const char *name,
                               struct pl_text *problems, struct pl_error *err);
void pl_spec_free(struct pl_spec *spec);

/* The value that a pick has in a run with these settings, of which those are left out that are picked or computed
 * themselves. Texts must live as long as the study is walked. Fails where the table has chosen nothing for such a run. */
typedef int pl_pick_value(void *self, const struct pl_pick *pick, const struct pl_settings *settings,
                          struct pl_value *value, struct pl_error *err);
/* Gives a waiting study its values and checks the grid anew. From then on walks call value, and configs and runs are
 * exact. On PL_EINPUT problems has every complaint, and the study goes on waiting. */
int pl_spec_settle(struct pl_spec *spec, size_t index, pl_pick_value *value, void *self, struct pl_text *problems,
                   struct pl_error *err);

/* Makes it wait again, when its values are not to be asked for any more. A study that was never settled is left as it is. */
void pl_spec_unsettle(struct pl_spec *spec, size_t index);

const char *pl_spec_text(const struct pl_spec *spec); /* the file's text as read */
/* What looks like a slip in a study of a command, a line each: settings, axes and seeds that no word of the command uses;
 * with words, also those words that are empty in some runs. */
void pl_spec_notes(const struct pl_study *study, bool words, struct pl_text *notes);
/* A line that says which settings, and the seed, change nothing in some runs of a study (struct pl_setting, idle_when), and
 * how many runs are another one's training for that reason; nothing where there are none. Looks at the first 100,000
 * runs. A waiting study is passed over. */
void pl_spec_idle_notes(const struct pl_study *study, struct pl_text *notes);
size_t pl_spec_study_count(const struct pl_spec *spec);
const struct pl_study *pl_spec_study(const struct pl_spec *spec, size_t index);

/* ---- published numbers (docs/reports.md, "Comparing") ---- */

/* A printed cell, and the settings of the runs behind it. */
struct pl_published_cell {
    double mean, deviation;    /* NaN: not printed */
    int mean_digits, deviation_digits; /* decimals that are printed */
    char *note;                /* or NULL */
    struct pl_condition *where;/* one value each */
    size_t where_count;
};

struct pl_published_table {
    char *name, *title;        /* title may be NULL */
    double unit;               /* a printed 1 is that much of the metric: 0.01 for percent */
    int64_t runs;              /* behind each cell */
    char **rows, **columns;    /* their names */
    char **row_notes;          /* each may be NULL */
    char **notes;
    size_t row_count, column_count, note_count;
    struct pl_published_cell *cells; /* row by row */
};

struct pl_published;

/* Loads a file of published numbers. Complaints as for a spec. */
int pl_published_load(struct pl_published **published, const char *path, struct pl_text *problems,
                      struct pl_error *err);
void pl_published_free(struct pl_published *published);
const char *pl_published_name(const struct pl_published *published);
size_t pl_published_count(const struct pl_published *published);
const struct pl_published_table *pl_published_table(const struct pl_published *published, size_t index);
const struct pl_published_table *pl_published_find(const struct pl_published *published, const char *name); /* or NULL */

/* A walk over the configurations of a study. */
struct pl_walk;
struct pl_walk *pl_walk_new(const struct pl_study *study);
/* The next configuration: complete checked settings (owned by the walk, valid until the next call) and
 * the seeds to run it with. Returns 1 at the end, 0 otherwise. */
int pl_walk_next(struct pl_walk *walk, const struct pl_settings **settings, const int64_t **seeds,
                 size_t *seed_count);
void pl_walk_free(struct pl_walk *walk);

/* A run's key: SHA-256 over the canonical settings and the seed ("SETTINGS\nseed=SEED\n"). */
void pl_run_key(const char *canonical_settings, int64_t seed, unsigned char key[PL_DIGEST_SIZE]);

#endif
