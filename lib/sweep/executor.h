/* The seam between the supervisor and what runs its workers. A worker may be a process of this machine, one of another
 * behind a socket, or a task of a cluster whose words arrive in a file: the supervisor sees a channel, on which the
 * lines of the protocol travel, and asks the executor how much there is room for. Everything that is known of where
 * workers are stands behind this header: another executor is another file like local.c.
 *
 * What a channel promises: bytes arrive whole and in order, or not at all from some point on; what the worker wrote
 * before its end can be read after it; once ended says so, nothing that the worker started goes on. What it is (host,
 * CPU, version) the worker says itself, in its first event. Nothing here blocks but ended with wait.
 *
 * Threading: everything is called by the supervisor's thread. */
#ifndef PL_SWEEP_EXECUTOR_H
#define PL_SWEEP_EXECUTOR_H

#include "sweep/sweep.h"

#include <poll.h>
#include <sys/types.h>

/* What comes out of a worker: its events, and what else it or a library says. */
enum pl_outlet { PL_OUTLET_EVENTS, PL_OUTLET_LOG, PL_OUTLET_COUNT };

/* What to wait for: room for orders, events, log. */
enum { PL_POLL_ORDERS, PL_POLL_EVENTS, PL_POLL_LOG, PL_POLL_COUNT };

/* How a worker ended. */
struct pl_departure {
    int exit_code; /* -1 where there is none */
    int signal;    /* 0 where none ended it */
    char how[100]; /* "exit code 3", "signal 9 (Killed)" */
};

/* The line to one worker: the first member of what the executor keeps of it. */
struct pl_channel {
    const struct pl_executor *executor;
    int64_t number; /* of the worker where it runs, for the record: a process, a job */
};

struct pl_executor {
    const char *name;
    /* See pl_sweep_capacity. */
    void (*capacity)(struct pl_capacity *capacity);
    /* Starts a worker. channel is freed with free. */
    int (*start)(const struct pl_sweep_options *options, struct pl_channel **channel, struct pl_error *err);
    /* Fills in what poll should wait for, by PL_POLL_; -1 where there is no descriptor. Where that is so, and the
     * outlet is not at its end, it is read each time the supervisor looks at its workers. */
    void (*polls)(const struct pl_channel *channel, struct pollfd polls[PL_POLL_COUNT]);
    /* Takes bytes of orders. Returns how many; 0: none for now; -1: the worker does not read any more. */
    ssize_t (*send)(struct pl_channel *channel, const char *bytes, size_t count);
    /* Returns how many bytes there were; 0: none for now; -1: the outlet is at its end. */
    ssize_t (*receive)(struct pl_channel *channel, enum pl_outlet outlet, char *block, size_t size);
    /* No more orders will come: an idle worker leaves. */
    void (*close)(struct pl_channel *channel);
    /* Ends the worker and what it started, at once. */
    void (*kill)(struct pl_channel *channel);
    /* Is the worker gone? Then departure says how. With wait it is waited for. */
    bool (*ended)(struct pl_channel *channel, bool wait, struct pl_departure *departure);
    void (*free)(struct pl_channel *channel);
};

#endif
