/* The supervisor's parts: the crew of worker processes (crew.c) and what they say (listen.c), what is claimed from
 * and written to the database (ledger.c), and the loop that drives both (supervisor.c). */
#ifndef PL_SWEEP_SUPERVISOR_H
#define PL_SWEEP_SUPERVISOR_H

#include "sweep/sweep_priv.h"

struct pl_hand {                 /* one place in the crew */
    struct pl_process process;
    struct pl_text orders;       /* to be written to it */
    size_t sent;                 /* of them */
    struct pl_text input, log;   /* an unfinished line; the end of its standard error */
    struct pl_claimed_queue tasks;       /* handed to it; the first one runs, or is the next to */
    double since;                /* when the first one became the first */
    bool recalled;               /* asked to give back what it has not begun */
    bool ended;                  /* its output is at its end */
    bool ready;                  /* it said what it is */
    struct pl_worker_host *host; /* that is not the supervisor's, or NULL */
    char verdict[300];           /* why the supervisor killed it, or "" */
};

enum pl_stopping {
    PL_GOING,
    PL_FINISHING, /* no new runs; those that run may come to an end or a clean point */
    PL_QUITTING,  /* workers are killed */
};

struct pl_supervisor {
    struct pl_store *store;
    struct pl_sweep_plan *plan;
    const struct pl_sweep_options *options;
    const struct pl_executor *executor;
    int64_t session;
    struct pl_provenance self;   /* of the session */
    struct pl_pool texts;
    struct pl_worker_host *hosts;/* of workers that run on something else */
    char owner[PL_STORE_TOKEN_SIZE]; /* of the runs' folders: the database */
    const struct pl_program *program; /* of the last claim, and its number in the database */
    int64_t program_number;
    char *reasons[3];            /* why runs failed, as far as it was said */
    size_t reason_count;
    bool folder_noted;           /* it was said that a folder was another one's */
    int signals;                 /* a signalfd */
    int stopped_by;
    enum pl_stopping stopping;
    double stop_since;           /* of the first wish to stop */
    struct pl_error failure;     /* code != 0: the sweep cannot go on */
    /* crew */
    struct pl_hand *hands;
    size_t hand_count;
    size_t idle_deaths;          /* workers in a row that ended before they began anything */
    struct pl_event_reader reader;
    double mean;                 /* seconds a run takes lately; NaN: unknown */
    /* ledger */
    struct pl_claimed_queue backlog;     /* claimed, not handed out */
    struct pl_claimed_queue done;        /* ended, not written */
    struct pl_claimed_queue spare;
    size_t outstanding;          /* claimed and not ended */
    size_t buffered;             /* bytes of events that wait to be written */
    int64_t claimed;
    size_t study;                /* claims come from this one */
    bool exhausted;              /* the last look found nothing to claim */
    struct pl_config_text *settings; /* of the last claim */
    struct pl_settings scratch;
    struct pl_series_number {
        char metric[PL_METRIC_SIZE];
        enum pl_series_axis axis;
        int64_t number;
    } *numbers;
    size_t number_count, number_capacity;
    double flushed, beaten, recovered, counted, count_cost; /* when that was last done */
    int64_t lost;                /* runs that another sweep took, since that was last mentioned */
    double lost_noted;
    bool pumping;                /* a wait for the database may serve the workers meanwhile */
    double wait_noted;
    /* view */
    double begun, shown;
    double rate_time, rate;      /* runs per second: since when counted, smoothed */
    int64_t rate_ran, ran, elsewhere;
};

void pl_sup_note(struct pl_supervisor *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends the sweep with an error; the first one counts. */
void pl_sup_fail(struct pl_supervisor *s, const struct pl_error *err);
void pl_sup_stop(struct pl_supervisor *s, enum pl_stopping how);
void pl_sup_show(struct pl_supervisor *s, bool now);

/* ---- crew ---- */

/* Serves the workers for at most seconds: hands out the backlog, reads events, notices deaths, timeouts and
 * signals. Never touches the database. */
void pl_crew_pump(struct pl_supervisor *s, double seconds);
/* Tells every worker to come to an end (PL_FINISHING) or kills it. */
void pl_crew_stop(struct pl_supervisor *s);
bool pl_crew_alive(const struct pl_supervisor *s);
int pl_crew_busy(const struct pl_supervisor *s);
/* Runs that a worker should have ahead of the one it trains. */
size_t pl_crew_ahead(const struct pl_supervisor *s);
/* Lets idle workers go. */
void pl_crew_dismiss(struct pl_supervisor *s);
void pl_crew_release(struct pl_supervisor *s);
/* Kills a worker for a reason. */
void pl_crew_condemn(struct pl_supervisor *s, struct pl_hand *hand, const char *verdict);

/* Reads events until the pipe is empty, but not for ever. */
void pl_crew_listen(struct pl_supervisor *s, struct pl_hand *hand);
/* Reads what the worker wrote to standard error. */
void pl_crew_read_log(struct pl_hand *hand);

/* ---- ledger ---- */

/* Records the end of a task; it waits in done for the next transaction. */
void pl_ledger_end(struct pl_supervisor *s, struct pl_claimed *task);
/* Writes what is due in one transaction and claims more. Returns a negative code when the database failed. */
int pl_ledger_turn(struct pl_supervisor *s, bool all, struct pl_error *err);
/* Gives back what was claimed and never begun. */
int pl_ledger_give_back(struct pl_supervisor *s, struct pl_error *err);
/* Reads how the runs of every study stand. */
int pl_ledger_count(struct pl_supervisor *s, struct pl_error *err);
void pl_ledger_release(struct pl_supervisor *s);

#endif
