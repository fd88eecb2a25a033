/* The ledger: what a sweep claims from the database and writes into it. It owns every claimed run until that is written
 * down or given back; where runs are trained is not its concern. Each write on behalf of a run carries the token of its
 * claim: a run that another sweep has taken over is lost, which costs nothing but its values. One transaction writes
 * what has ended and claims what comes next, so that quick runs cost a fraction of a transaction each. */
#ifndef PL_SWEEP_LEDGER_H
#define PL_SWEEP_LEDGER_H

#include "sweep/recorder.h"

struct pl_ledger {
    struct pl_store *store;
    struct pl_sweep_plan *plan;
    const struct pl_sweep_options *options;
    int64_t session;
    struct pl_hosts hosts;           /* the session, and workers that run on something else */
    char owner[PL_STORE_TOKEN_SIZE]; /* of the runs' folders: the database */
    /* runs */
    struct pl_claimed_queue backlog; /* claimed, and at no worker */
    struct pl_claimed_queue done;    /* ended, not written */
    struct pl_claimed_queue spare;
    struct pl_claimed *first, *last; /* all that have not ended; those at work come first */
    size_t outstanding;              /* how many these are */
    size_t buffered;                 /* bytes of events that wait to be written */
    int64_t claimed, ran;            /* so far; ran: ended, and not interrupted */
    /* claiming */
    size_t study;                    /* claims come from this one */
    bool exhausted;                  /* the last look found nothing to claim */
    struct pl_config_text *settings; /* of the last claim */
    struct pl_settings scratch;
    const struct pl_program *program; /* of the last claim, and its number in the database */
    int64_t program_number;
    /* writing */
    struct pl_recorder recorder;
    double flushed, recorded, beaten, recovered; /* when that was last done; recorded: values of runs at work */
    double cost;                                 /* seconds that recording them took then */
    bool waiting;                                /* for the database: workers may be served meanwhile */
    /* what was said */
    char *reasons[3]; /* why runs failed, as far as it was said */
    size_t reason_count;
    bool lost_at_work; /* of the lost ones, some are at work; who ends them resets it */
    int64_t lost;      /* runs that another sweep took, since that was last mentioned */
    double lost_noted;
};

void pl_ledger_init(struct pl_ledger *ledger, struct pl_store *store, struct pl_sweep_plan *plan,
                    const struct pl_sweep_options *options);
void pl_ledger_release(struct pl_ledger *ledger);

/* Gives back the runs of sweeps that died. */
int pl_ledger_recover(struct pl_ledger *ledger, struct pl_error *err);
/* Opens a session: recovers, and says what this program is. */
int pl_ledger_join(struct pl_ledger *ledger, struct pl_error *err);
int pl_ledger_leave(struct pl_ledger *ledger, struct pl_error *err);
/* Reads how the runs of every study stand. */
int pl_ledger_count(struct pl_ledger *ledger, struct pl_error *err);

/* A run of the backlog has begun, has ended (its ending is filled in; it waits in done for the next transaction), or
 * was lost and has left its worker. */
void pl_ledger_began(struct pl_ledger *ledger, struct pl_claimed *run);
void pl_ledger_end(struct pl_ledger *ledger, struct pl_claimed *run);
void pl_ledger_drop(struct pl_ledger *ledger, struct pl_claimed *run);

/* The database may have more to claim than it had, by other sweeps or because a rung is complete. */
void pl_ledger_look_again(struct pl_ledger *ledger);
/* Claims at most so many missing runs of one study, in grid order, into the backlog; the transaction is the caller's.
 */
int pl_ledger_claim(struct pl_ledger *ledger, struct pl_sweep_study *study, size_t most, size_t *taken,
                    struct pl_error *err);
/* Writes what is due in one transaction and claims more. Returns a negative code when the database failed. */
int pl_ledger_turn(struct pl_ledger *ledger, const struct pl_pace *pace, bool all, struct pl_error *err);
/* Gives back what was claimed and is at no worker. */
int pl_ledger_give_back(struct pl_ledger *ledger, struct pl_error *err);
/* So many values wait that workers have to wait, too. */
bool pl_ledger_is_full(const struct pl_ledger *ledger);
/* Has it taken as many runs as the options allow? */
bool pl_ledger_is_limited(const struct pl_ledger *ledger);

#endif
