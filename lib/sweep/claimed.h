/* Claimed runs, from the moment the database gives them to this sweep until they are written down. A run is in one
 * queue at a time: the backlog, a worker's, or that of ended ones. Their memory is used again, since quick runs come by
 * the thousand a second. */
#ifndef PL_SWEEP_CLAIMED_H
#define PL_SWEEP_CLAIMED_H

#include "sweep/hosts.h"
#include "sweep/protocol/protocol.h"

/* The canonical settings of a configuration, shared by its runs. */
struct pl_config_text {
    int64_t config;
    int users;
    char *text;
};
struct pl_config_text *pl_config_text_new(int64_t config, const struct pl_settings *settings);
void pl_config_text_drop(struct pl_config_text *shared);

struct pl_claimed {
    struct pl_claim claim;
    struct pl_config_text *settings;
    struct pl_sweep_study *study;
    struct pl_series_list series; /* values that are not in the database yet */
    struct pl_claimed_mark {
        enum pl_direction direction; /* in the study, for people who watch */
        double best;                 /* best finite value so far; NaN: none */
    } * marks;                       /* by series */
    size_t mark_capacity;
    double epochs;                      /* that are declared, or 0 */
    double limit;                       /* seconds that it may take; 0: any */
    bool is_command;                    /* its worker ends it then, and says what it had reported */
    struct pl_kept kept[PL_AXIS_COUNT]; /* when it is not the first attempt */
    /* how far it has come */
    bool started, ended;
    bool begun;                    /* the database knows that it is at work */
    bool lost;                     /* the run is another sweep's by now */
    bool forgotten[PL_AXIS_COUNT]; /* what this attempt replaces of earlier ones' values was dropped */
    int64_t received;              /* values that arrived */
    /* how it ended */
    struct pl_worker_host *host; /* of its worker; NULL: as the session */
    struct pl_ending ending;
    char reason[500], unread_example[200], unsaved_example[300];
    struct pl_text log;
    int64_t said, shown;               /* bytes of log so far, and when it was last written for others to read */
    void *context;                     /* of whoever queued it; or NULL */
    struct pl_claimed *next;           /* in its queue */
    struct pl_claimed *before, *after; /* in the ledger's list of those that have not ended */
};

/* A queue of runs. */
struct pl_claimed_queue {
    struct pl_claimed *first, *last;
    size_t count;
};

struct pl_claimed *pl_claimed_new(struct pl_claimed_queue *spare);
/* Gives the run's memory to spare for the next one. */
void pl_claimed_recycle(struct pl_claimed *run, struct pl_claimed_queue *spare);
void pl_claimed_free(struct pl_claimed *run);
/* What a worker said of it: values, how it ended (where not all values have arrived, it has failed), a line of log. */
void pl_claimed_points(struct pl_claimed *run, const struct pl_event *event);
void pl_claimed_end(struct pl_claimed *run, const struct pl_event *event);
void pl_claimed_result(const struct pl_claimed *run, struct pl_run_result *result); /* how it ended, again */
void pl_claimed_log(struct pl_claimed *run, const char *line, size_t length);
void pl_log_keep_end(struct pl_text *text);              /* drops what is far from the end */
size_t pl_claimed_pending(const struct pl_claimed *run); /* bytes of values that wait to be written */

void pl_claimed_push(struct pl_claimed_queue *queue, struct pl_claimed *run);
struct pl_claimed *pl_claimed_pop(struct pl_claimed_queue *queue);
/* Moves all of more in front of queue. */
void pl_claimed_prepend(struct pl_claimed_queue *queue, struct pl_claimed_queue *more);
void pl_claimed_free_all(struct pl_claimed_queue *queue);

/* How runs are worked off lately: what claiming goes by. */
struct pl_pace {
    size_t workers;
    size_t ahead;  /* runs that a worker should have in hand */
    double mean;   /* seconds a run takes; NaN: not known */
    bool stopping; /* nothing more is to begin */
};

#endif
