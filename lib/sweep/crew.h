/* The crew: the workers of a sweep, each at its end of a channel (crew.c), and what they say (listen.c). It hands out
 * runs, reads events, notices deaths and overrun times, and knows nothing of databases, signals or people who watch:
 * what happens is told upward through struct pl_crew_above, and what should happen comes as calls.
 *
 * A run is in the queue of one worker from the moment it is handed out until it ends, or goes back to the front of the
 * source. An event that cannot be at its place condemns its worker: nothing else that it says counts. */
#ifndef PL_SWEEP_CREW_H
#define PL_SWEEP_CREW_H

#include "sweep/claimed.h"
#include "sweep/executor.h"

struct pl_hand {                  /* one place in the crew */
    struct pl_channel *channel;   /* NULL: nobody is there */
    struct pl_text orders;        /* to be sent */
    size_t sent;                  /* of them */
    struct pl_text input, log;    /* an unfinished line; the end of what it said beside its events */
    struct pl_claimed_queue runs; /* handed to it; the first one runs, or is the next to */
    double since;                 /* when the first one became the first */
    bool recalled;                /* asked to give back what it has not begun */
    bool ended, silent;           /* its events, its log are at their end */
    bool ready;                   /* it said what it is */
    unsigned wished;              /* what it is waited for: a bit for each PL_POLL_ */
    bool charged;                 /* the first run fails with it, even if it was never said to have begun */
    struct pl_worker_host *host;  /* that is not the supervisor's, or NULL */
    char verdict[300];            /* why the supervisor killed it, or "" */
};

enum pl_stopping {
    PL_GOING,
    PL_FINISHING, /* no new runs; those that run may come to an end or a clean point */
    PL_QUITTING,  /* workers are killed */
};

/* What the crew tells and asks. A callback may call pl_crew_stop. */
struct pl_crew_above {
    void *self;
    /* Appends the order of a run that is handed out. slot: its worker's place in the crew, 0, 1, ... */
    void (*order)(void *self, const struct pl_claimed *run, size_t slot, struct pl_text *out);
    /* A worker says what it is. Sets *host as pl_hosts_find does; false: nothing that it says is to count. */
    bool (*ready)(void *self, const struct pl_event *event, struct pl_worker_host **host);
    void (*began)(void *self, struct pl_claimed *run);
    void (*heard)(void *self, size_t bytes);           /* of events that are kept with their runs */
    void (*ended)(void *self, struct pl_claimed *run); /* its ending is filled in; the run leaves the crew */
    void (*left)(void *self, struct pl_claimed *run);  /* a lost run leaves the crew; nothing of it is to be written */
    void (*failed)(void *self, const struct pl_error *err); /* there can be no workers */
};

struct pl_crew {
    const struct pl_sweep_options *options;
    const struct pl_crew_above *above;
    struct pl_claimed_queue *source; /* runs to hand out; what a worker gives back goes to its front */
    struct pl_hand *hands;
    size_t hand_count;
    struct pollfd *polls; /* scratch: those of all hands and one more */
    struct pl_event_reader reader;
    uint64_t memory_kills; /* see pl_host_memory_kills, when it was last looked at */
    size_t idle_deaths;    /* workers in a row that ended before they began anything */
    double mean;           /* seconds a run takes lately; NaN: unknown */
    enum pl_stopping stopping;
    double stop_since; /* of the first wish to stop */
};

/* options, above and source must outlive the crew. No worker is started before there is a run for it. */
void pl_crew_init(struct pl_crew *crew, const struct pl_sweep_options *options, const struct pl_crew_above *above,
                  struct pl_claimed_queue *source);
void pl_crew_release(struct pl_crew *crew); /* kills those that are still there */

/* Hands out what there is and waits, for at most seconds, until a worker has something to say, a time is over, or the
 * descriptor wake can be read: then it returns true. full: no more events are wanted for now. */
bool pl_crew_wait(struct pl_crew *crew, double seconds, bool full, int wake);
/* Does what the wait was for: reads, buries the dead, condemns the overdue, hands out. */
void pl_crew_serve(struct pl_crew *crew);
/* Tells every worker to come to an end (PL_FINISHING) or kills it. */
void pl_crew_stop(struct pl_crew *crew, enum pl_stopping how);
/* Is the time over that a crew which is finishing has? */
bool pl_crew_is_overdue(const struct pl_crew *crew);
/* No more orders will come: idle workers leave. */
void pl_crew_close(struct pl_crew *crew);
/* Ends the workers whose run is marked as lost: what another sweep trains must not be trained twice in one folder. */
void pl_crew_drop_lost(struct pl_crew *crew);

bool pl_crew_alive(const struct pl_crew *crew);
int pl_crew_busy(const struct pl_crew *crew);
struct pl_pace pl_crew_pace(const struct pl_crew *crew);

/* ---- between crew.c and listen.c ---- */

/* Kills a worker for a reason. */
void pl_crew_condemn(struct pl_hand *hand, const char *verdict);
/* Reads events until there are none for now, but not for ever. */
void pl_crew_listen(struct pl_crew *crew, struct pl_hand *hand);
/* Reads what the worker said beside its events. */
void pl_crew_read_log(struct pl_hand *hand);
extern const char pl_lost_verdict[];

#endif
