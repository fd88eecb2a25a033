/* figure: what a study says of a figure, as data. docs/figures.md says what it means. */
#ifndef PL_STUDY_FIGURE_H
#define PL_STUDY_FIGURE_H

#include "statistics/statistics.h"
#include "study/condition.h"
#include "study/labels.h"
#include "study/names.h"
#include "study/select.h"
#include "study/words.h"

/* clang-format off */
#define PL_FIGURE_KINDS(FIRST, NEXT) \
    FIRST(CURVES, "curves") NEXT(SENSITIVITY, "sensitivity") NEXT(HEATMAP, "heatmap") \
    NEXT(TRAJECTORIES, "trajectories") NEXT(SCATTER, "scatter") NEXT(TUNING, "tuning") NEXT(PROFILE, "profile") \
    NEXT(RANKS, "ranks") NEXT(BOX, "box") NEXT(STRIP, "strip") NEXT(PARALLEL, "parallel")
/* clang-format on */
#define PL_FIGURE_KIND_OF(name, word) PL_FIGURE_##name,
enum pl_figure_kind { PL_FIGURE_KINDS(PL_FIGURE_KIND_OF, PL_FIGURE_KIND_OF) };
enum { PL_FIGURE_KIND_COUNT = 0 PL_FIGURE_KINDS(PL_WORD_ONE, PL_WORD_ONE) };
#undef PL_FIGURE_KIND_OF
#define PL_FIGURE_KIND_WORDS PL_FIGURE_KINDS(PL_WORD_FIRST, PL_WORD_NEXT)
extern const char *const pl_figure_kind_names[PL_FIGURE_KIND_COUNT];
/* False, and nothing is written, when there is no such kind. */
bool pl_figure_kind_read(const char *name, enum pl_figure_kind *kind);

/* What stands along an axis. */
enum pl_figure_of { PL_OF_NOTHING, PL_OF_TIME, PL_OF_SPENT, PL_OF_SETTING, PL_OF_SETTINGS, PL_OF_METRIC };

/* What figures of a kind have, and what may be said of them. */
struct pl_figure_traits {
    enum pl_figure_of x, y, z;
    bool z_optional;
    bool panels;
    bool fit;    /* and slopes */
    bool axes;   /* log, x_range, y_range */
    bool tasks;  /* it compares methods over tasks, from a table: select and cell */
    bool tuned;  /* statistic and band */
    bool level;  /* confidence */
    bool spread; /* a band over the seeds */
    bool curves; /* over time: several metrics, smooth */
    bool shared; /* its panels may share axes */
    bool seeds;  /* the values of all seeds, in categories: x has no scale and no range */
};
extern const struct pl_figure_traits pl_figure_traits[PL_FIGURE_KIND_COUNT];

/* The x of a tuning curve: points tried, or the epochs of their runs. */
/* clang-format off */
#define PL_FIGURE_SPENDINGS(FIRST, NEXT) FIRST(, "points") NEXT(, "epochs")
/* The best of k points: the median of it, its mean, or both. */
#define PL_STATISTICS(FIRST, NEXT) FIRST(MEDIAN, "median") NEXT(MEAN, "mean") NEXT(BOTH, "both")
/* clang-format on */
#define PL_FIGURE_SPENDING_WORDS PL_FIGURE_SPENDINGS(PL_WORD_FIRST, PL_WORD_NEXT)
enum { PL_FIGURE_SPENDING_COUNT = 0 PL_FIGURE_SPENDINGS(PL_WORD_ONE, PL_WORD_ONE) };
extern const char *const pl_figure_spending_names[PL_FIGURE_SPENDING_COUNT];
#define PL_STATISTIC_OF(name, word) PL_STATISTIC_##name,
enum pl_statistic { PL_STATISTICS(PL_STATISTIC_OF, PL_STATISTIC_OF) };
enum { PL_STATISTIC_COUNT = 0 PL_STATISTICS(PL_WORD_ONE, PL_WORD_ONE) };
#undef PL_STATISTIC_OF
#define PL_STATISTIC_WORDS PL_STATISTICS(PL_WORD_FIRST, PL_WORD_NEXT)
extern const char *const pl_statistic_names[PL_STATISTIC_COUNT];

/* The x of a figure over time: the positions of what was recorded, however a study calls them, or the seconds. */
/* clang-format off */
#define PL_FIGURE_TIMES(FIRST, NEXT) \
    FIRST(, "epoch") NEXT(, "iteration") NEXT(, "step") NEXT(, "n") NEXT(, "seconds")
/* clang-format on */
#define PL_FIGURE_TIME_WORDS PL_FIGURE_TIMES(PL_WORD_FIRST, PL_WORD_NEXT)
enum { PL_FIGURE_TIME_COUNT = 0 PL_FIGURE_TIMES(PL_WORD_ONE, PL_WORD_ONE) };
extern const char *const pl_figure_time_names[PL_FIGURE_TIME_COUNT];

/* The band of a curve, and the bars of a sensitivity figure: how far the seeds are from each other. The standard
 * deviation and error are to each side of the mean, so is the 95% confidence interval of the mean (Student's t);
 * between quartiles the line is the median. */
/* clang-format off */
#define PL_AROUNDS(FIRST, NEXT) \
    FIRST(STD, "std") NEXT(SEM, "sem") NEXT(CI95, "ci95") NEXT(MINMAX, "minmax") NEXT(QUARTILES, "quartiles")
/* clang-format on */
#define PL_AROUND_OF(name, word) PL_AROUND_##name,
enum pl_around { PL_AROUNDS(PL_AROUND_OF, PL_AROUND_OF) };
enum { PL_AROUND_COUNT = 0 PL_AROUNDS(PL_WORD_ONE, PL_WORD_ONE) };
#undef PL_AROUND_OF
#define PL_AROUND_WORDS PL_AROUNDS(PL_WORD_FIRST, PL_WORD_NEXT)
extern const char *const pl_around_names[PL_AROUND_COUNT];

/* Smoothing of each run: the running mean or median of what was recorded less than half of so many epochs away. */
struct pl_smooth {
    int epochs; /* 0: none */
    bool median;
};
/* "5", "mean 5" or "median 5": 2 to 100,000 epochs. */
bool pl_smooth_read(const char *text, struct pl_smooth *smooth);

enum { PL_FIGURE_METRICS = 8 }; /* in one panel */

/* A font, as far as it is said: family "" and size 0 (points) where it is not. */
struct pl_font {
    char family[64];
    double size;
};
/* "3.25in", or cm, mm or pt (of TeX: 72.27 an inch), to inches. False where it is no such length from 1in to 40in. */
bool pl_length_read(const char *text, double *inches);
/* "Times,9", "Times" or "9": a family of letters, digits, spaces and hyphens, a size from 4 to 48 points. */
bool pl_font_read(const char *text, struct pl_font *font);

/* - {kind: curves, x: epoch, y: test_accuracy, panels: [model, dataset], lines: lambda} */
struct pl_figure_spec {
    enum pl_figure_kind kind;
    char *name;              /* file name without ending; default STUDY-KIND or STUDY-KIND-2 */
    char *title;             /* or NULL */
    char *x;                 /* curves: one of pl_figure_time_names; tuning: "points"; else a setting */
    struct pl_names axes;    /* parallel, in place of x: settings; none: those that are drawn, else those that vary */
    char *y;                 /* the metric; heatmap: the second setting */
    char *z;                 /* heatmap: the metric; scatter: the setting that colours, or NULL */
    struct pl_names metrics; /* several of them in a panel, of which y is the first; else none */
    struct pl_names panels, lines;
    enum pl_select select;         /* of the metric, where it is not drawn over time */
    bool log_x, log_y;             /* as declared (`log: x`, `log: [x, y]`) */
    double x_range[2], y_range[2]; /* NaN where not declared */
    bool fit;                      /* a straight line through the means of every line, on the scales of the axes */
    double fit_range[2];           /* of x, where low < high; else all of it */
    double *slopes;                /* lines of these slopes are drawn beside the data */
    size_t slope_count;
    struct pl_selection choose; /* with it, panels and lines may name PL_RANK_KEY */
    char *cell; /* profile, ranks: what a cell of the table is that they are made from; NULL: the first */
    enum pl_statistic statistic; /* tuning */
    enum pl_band_kind band;      /* tuning */
    double confidence;           /* of bands and critical differences */
    double tau_max;              /* profile: the end of its axis */
    struct pl_labels labels;
    enum pl_around around; /* curves, trajectories, sensitivity: its band */
    struct pl_smooth smooth;
    bool share_x, share_y;
    double width, height; /* of the whole figure in inches; 0: as large as it likes */
    struct pl_font font;
    struct pl_condition *where;
    size_t where_count;
};
/* One of which nothing is said: what holds then. */
extern const struct pl_figure_spec pl_figure_neutral;

#endif
