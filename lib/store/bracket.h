/* Stopping early: which runs of a sweep compete, how far the sweep wants each of them, which it has stopped, and by
 * which values.
 *
 * A run's own row says how far it was brought in a leg (reached), and its status never says that it was stopped:
 * another study may want it whole. That a study has stopped it, and where, belongs to the study's hold on the run, like
 * its other decisions. Values that decide are kept when they are first needed: a run that begins anew has none for a
 * while.
 *
 * Threading and transactions: as in store.h. */
#ifndef PL_STORE_BRACKET_H
#define PL_STORE_BRACKET_H

#include "store/store.h"

/* A run in a sweep that stops runs early. */
struct pl_competitor {
    int64_t run, bracket;
    unsigned char key[PL_DIGEST_SIZE];
    double epochs;         /* of the whole run; 0: not known */
    double until;          /* how far the sweep wants it now; 0: no further for now; INFINITY: to its end */
    double stopped;        /* where the sweep has stopped it; 0: nowhere */
    enum pl_status status; /* in this sweep, but for that */
    double bad_epoch;      /* of a diverged one; -1: not known */
    double reached;        /* 0: nothing is known */
};

/* Says that a run of a sweep competes in a bracket, and how far it is wanted first. Decisions that were made stay. */
int pl_store_compete(struct pl_store *store, int64_t sweep, int64_t run, int64_t bracket, double epochs, double until,
                     struct pl_error *err);
/* All of them, by bracket; free() *list. */
int pl_store_competitors(struct pl_store *store, int64_t sweep, struct pl_competitor **list, size_t *count,
                         struct pl_error *err);
/* Writes the until and stopped of a competitor. */
int pl_store_decide(struct pl_store *store, int64_t sweep, const struct pl_competitor *competitor,
                    struct pl_error *err);

/* The value of a metric by which a rung is decided. */
struct pl_rung_query {
    const char *metric;
    bool best; /* the best one until there; else the last one */
    enum pl_direction direction;
    double epoch;
};
struct pl_rung_value {
    bool reached; /* the run has come to that epoch, or to its end before */
    bool any;     /* it has recorded the metric until there: */
    double value; /* which may be not finite */
};
/* Reads it, and keeps it where it is new. */
int pl_store_rung(struct pl_store *store, const struct pl_competitor *competitor, const struct pl_rung_query *query,
                  struct pl_rung_value *value, struct pl_error *err);

#endif
