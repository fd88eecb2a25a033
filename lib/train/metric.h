/* metric: what is known of a metric before it is recorded.
 *
 * The metrics of poula's own tasks are descriptors, a table for each kind of task. Of a metric that a program
 * reports only the name is known, and one rule judges it (pl_metric_judge). Nothing else in poula looks at the name
 * of a metric: whoever wants to know which way it is better, what a run diverges by or what is shown first asks
 * here. A study may declare otherwise; that stands in its spec. */
#ifndef PL_TRAIN_METRIC_H
#define PL_TRAIN_METRIC_H

#include "base/base.h"

/* Which way a metric is better. Neutral has no better: its last value counts. Undeclared is what neither the name
 * nor a spec tells: nothing is chosen by it. */
enum pl_direction { PL_NEUTRAL, PL_MINIMIZE, PL_MAXIMIZE, PL_UNDECLARED };
const char *pl_direction_name(enum pl_direction direction); /* as specs spell it: "none", "min", "max"; "undeclared" */
/* Can one value be better than another? */
bool pl_direction_is_choice(enum pl_direction direction);
/* Is value better than the best so far (NaN: there is none)? Values that are not finite never are, equal ones
 * neither. */
bool pl_direction_better(enum pl_direction direction, double value, double best);

/* The data that a metric is measured on, as its name says. */
enum pl_metric_set { PL_SET_UNKNOWN, PL_SET_TRAIN, PL_SET_VALID, PL_SET_TEST };

/* What is shown first has the lowest rank: these plus 0 on test data, 1 on validation data, 2 where the name does
 * not say, PL_RANK_TRAIN on training data. */
enum {
    PL_RANK_ACCURACY = 0,
    PL_RANK_SCORE = 4,
    PL_RANK_PERPLEXITY = 8,
    PL_RANK_ERROR = 12,
    PL_RANK_LOSS = 16,
    PL_RANK_TRAIN = 20,
    PL_RANK_LAST = 100,
};

/* How the value of an epoch is made of those of its batches, for metrics that are. */
enum pl_metric_sum { PL_SUM_NONE, PL_SUM_TOTAL, PL_SUM_MEAN };

struct pl_metric {
    const char *name;
    const char *help; /* NULL where only the name is known */
    const char *unit; /* "s", "nats"; NULL: a plain number */
    enum pl_direction direction;
    enum pl_metric_set set;
    unsigned rank;
    bool loss;              /* a run in which it stays not finite has diverged */
    bool clock;             /* measured by a clock: other at every repetition of a run */
    enum pl_metric_sum sum; /* of networks: kept by checkpoints under its name (train/network/metrics.c) */
};

/* The metrics of a kind of task ("problem", "images", ...). */
struct pl_metric_source {
    const char *owner;
    const struct pl_metric *metrics;
    size_t count;
};
enum { PL_METRIC_SOURCES = 16 }; /* room for those of all kinds, which more would not pass unnoticed */
/* Those of all kinds. Returns how many. */
size_t pl_metric_sources(struct pl_metric_source sources[PL_METRIC_SOURCES]);
/* The descriptor of a metric of poula's own tasks, or NULL. */
const struct pl_metric *pl_metric_find(const char *name);

/* What names of metrics have beside letters (of any script), digits and _; and how long they may be. */
#define PL_METRIC_SIGNS "./@-%+#()[]':*&^~$"
enum { PL_METRIC_NAME_MOST = 100 }; /* bytes */

/* What is known of any metric: its descriptor, else what its name says. metric.name is then name itself. */
struct pl_metric pl_metric_judge(const char *name);
/* The rule by itself: name in whole words, case aside (docs/reports.md, "Names of metrics"). */
struct pl_metric pl_metric_judge_name(const char *name);

/* What stands instead of a choice by an undeclared metric, appended to out: "the name does not say which way
 * sharpness is better; declare metrics: {sharpness: max} (or min) in the spec". Returns out's text. */
const char *pl_metric_ask(const char *name, struct pl_text *out);

enum pl_direction pl_train_direction(const char *metric);
size_t pl_train_metric_rank(const char *metric);
/* Is it the same at every repetition of a run? What a clock says (seconds, seconds_eval, ...) is not. */
bool pl_train_is_repeatable(const char *metric);

/* Recorded once by a run that averages its weights: the first epoch that is measured with them, whose number it is. */
#define PL_METRIC_AVERAGED "averaged_from"
/* The metric that says how long an epoch was trained, without its evaluation. */
#define PL_METRIC_SECONDS "seconds"

#endif
