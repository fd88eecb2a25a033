/* What workers run on that is not what the supervisor runs on (hosts.c, provenance.c). Runs are recorded as their
 * worker's. */
#ifndef PL_SWEEP_HOSTS_H
#define PL_SWEEP_HOSTS_H

#include "sweep/sweep.h"

struct pl_worker_host {
    struct pl_worker_host *next;
    struct pl_provenance what;
    int64_t number; /* in the database; 0: not there yet */
};

struct pl_hosts {
    struct pl_provenance self; /* the supervisor's own */
    struct pl_worker_host *first;
    struct pl_pool texts; /* self's, too */
};

/* What a worker said that it is; insist: see pl_sweep_options. NULL when it is all the supervisor's own. What is found
 * stays where it is until release. */
struct pl_worker_host *pl_hosts_find(struct pl_hosts *hosts, const struct pl_provenance *worker, bool insist);
void pl_hosts_release(struct pl_hosts *hosts);

/* Appends to libraries what commands are told by the user's environment. */
void pl_provenance_told(bool insist, struct pl_text *libraries);

#endif
