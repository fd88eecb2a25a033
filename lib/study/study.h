/* study: what a study declares, as data: its tables, figures and metrics, the conditions and names in them, its seeds
 * and axes, and published numbers that it is compared with. No YAML: lib/spec reads a file into this, and whoever shows
 * results needs nothing else of a spec. Words and short forms that the command line shares with specs are read here.
 *
 * Texts and lists of a study belong to the spec it was read from and are constant, but for its counts and axes, which
 * change when a waiting study is settled (pl_spec_settle).
 *
 * Threading: constant data may be read by any thread. */
#ifndef PL_STUDY_H
#define PL_STUDY_H

#include "base/base.h"
#include "statistics/statistics.h"
#include "study/cell.h"
#include "study/condition.h"
#include "study/figure.h"
#include "study/labels.h"
#include "study/names.h"
#include "study/resources.h"
#include "study/search.h"
#include "study/select.h"
#include "study/stop.h"
#include "train/metric.h"

/* How cells are compared with the best one. */
/* clang-format off */
#define PL_TESTS(FIRST, NEXT) FIRST(WELCH, "welch") NEXT(PAIRED, "paired") NEXT(WILCOXON, "wilcoxon")
#define PL_CORRECTIONS(FIRST, NEXT) FIRST(HOLM, "holm") NEXT(NONE, "none")
/* clang-format on */
#define PL_TEST_OF(name, word) PL_TEST_##name,
#define PL_CORRECT_OF(name, word) PL_CORRECT_##name,
enum pl_test_kind { PL_TESTS(PL_TEST_OF, PL_TEST_OF) };
enum pl_correction { PL_CORRECTIONS(PL_CORRECT_OF, PL_CORRECT_OF) };
enum {
    PL_TEST_COUNT = 0 PL_TESTS(PL_WORD_ONE, PL_WORD_ONE),
    PL_CORRECTION_COUNT = 0 PL_CORRECTIONS(PL_WORD_ONE, PL_WORD_ONE)
};
#undef PL_TEST_OF
#undef PL_CORRECT_OF
#define PL_TEST_WORDS PL_TESTS(PL_WORD_FIRST, PL_WORD_NEXT)
#define PL_CORRECTION_WORDS PL_CORRECTIONS(PL_WORD_FIRST, PL_WORD_NEXT)
extern const char *const pl_test_names[PL_TEST_COUNT];
extern const char *const pl_correction_names[PL_CORRECTION_COUNT];

/* compare: {to: best, test: welch, correct: holm, confidence: 0.95} */
struct pl_test_spec {
    bool wanted;
    enum pl_test_kind test;
    enum pl_correction correct;
    double confidence; /* a cell differs where its p is below 1 - confidence */
};

/* May a LaTeX document refer to a table by that label? Letters, digits and : . _ - + /, at most 100 of them. */
bool pl_table_label_is_legal(const char *label);

/* - {rows: [model, dataset], columns: lambda, value: best test_accuracy, cell: mean(std)} */
struct pl_table_spec {
    char *title; /* or NULL */
    struct pl_names rows, columns;
    char *metric; /* "test_accuracy" */
    enum pl_select select;
    char *cell;              /* one of PL_CELL_WORDS; NULL: the first */
    enum pl_value_unit unit; /* of what is shown to people; percent takes values in [0, 1] */
    int digits;              /* decimals; -1: chosen from the data */
    char *caption;           /* instead of the one that says what the table shows; or NULL */
    char *label;             /* "tab:main", by which a LaTeX document refers to it; or NULL */
    struct pl_labels labels;
    struct pl_selection choose; /* with it, rows and columns may name PL_RANK_KEY */
    struct pl_condition *where;
    size_t where_count;
    struct pl_test_spec compare;
    char *published; /* the published table that has the same cells; or NULL */
};

/* The name under which a table with select has the rank of a configuration: 1 is the best. */
#define PL_RANK_KEY "rank"

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
    const char *key;     /* of the setting */
    size_t study, table; /* which study of the file, and which of its tables */
    int place;           /* 1: the best */
};

/* target: {test_accuracy: 0.9}: at least as good as that is what a run must become. From it come two metrics of each
 * run, computed from its curve (lib/results): the epoch at which it first was, and the seconds that it took until then.
 */
struct pl_target {
    char *metric; /* NULL: none is declared */
    double value;
};
#define PL_EPOCHS_TO_TARGET "epochs_to_target"
#define PL_SECONDS_TO_TARGET "seconds_to_target"
/* Is it one of these two? */
bool pl_metric_is_to_target(const char *metric);

/* What a scale has put in the place of a setting's value: other values, and those of settings that go with them. */
struct pl_rename {
    char *key;
    struct pl_value old;
    struct pl_condition *now; /* what the runs have instead, one value each */
    size_t now_count;
};

struct pl_study {
    char *name;
    char *description; /* or NULL */
    const int64_t *seeds;
    size_t seed_count;
    uint64_t configs;    /* after zip, cases and exclude */
    uint64_t runs;       /* configs x seeds, less excluded ones */
    double timeout;      /* seconds a run may take, 0: no limit */
    double epochs;       /* of a program, which has not finished before; 0: not declared */
    char *epochs_key;    /* the setting that says how many, as in epochs: "{epochs}"; or NULL */
    const char *reading; /* how the output of its command is read (pl_run_request), or NULL */
    const char *home;    /* the folder that its command's directory is relative to; NULL: the working folder */
    const struct pl_resources *resources; /* of a task on a cluster; NULL: nothing is said */
    struct pl_metric_spec *metrics;
    size_t metric_count;
    struct pl_target target;
    struct pl_table_spec *tables;
    size_t table_count;
    struct pl_figure_spec *figures;
    size_t figure_count;
    const struct pl_stop *stop;     /* how runs are stopped early; NULL: none is */
    const struct pl_search *search; /* how the settings that are drawn are; NULL: none is */
    char **axes;                    /* keys that vary, in document order (default rows and columns of a table) */
    size_t axis_count;
    size_t *sources; /* studies of the file that settings are taken from, by index */
    size_t source_count;
    bool waiting;              /* such settings are not known yet: see pl_spec_settle. configs and runs are then upper
                                  bounds (two choices may turn out to be the same), and a walk gives placeholders */
    struct pl_rename *renames; /* of a study in a scale */
    size_t rename_count;
    struct pl_study_grid *grid; /* of lib/spec alone */
};

/* Which way a metric is better in a study (NULL: none): declared, else by its name. */
enum pl_direction pl_study_direction(const struct pl_study *study, const char *metric);
/* The epochs that a study (NULL: none) declares for a configuration; 0: none. */
double pl_study_epochs(const struct pl_study *study, const struct pl_settings *settings);

#endif
