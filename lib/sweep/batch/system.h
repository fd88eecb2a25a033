/* The seam to a batch system: what starts tasks on the nodes of a cluster and says what became of them. Slurm is one
 * file behind it (slurm.c); another system (PBS, LSF, ssh to a list of machines) is another file and a line in the list
 * of system.c. Everything else of a sweep on a cluster (orders, journals, what they mean, what is submitted again) is
 * the same for all and knows no command of any system.
 *
 * What a system promises: submit starts each index of an array at most once, or says that it does not know whether it
 * was heard (PL_ETIMEOUT), and then find tells; look says of each task that it knows what it is doing or how it ended,
 * and says nothing of those that it does not know; what it cannot find out is an error and never an empty answer. Every
 * command it calls has a time-out of its own, so nothing here blocks for longer than a minute.
 *
 * Threading: everything is called by one thread at a time. */
#ifndef PL_SWEEP_BATCH_SYSTEM_H
#define PL_SWEEP_BATCH_SYSTEM_H

#include "base/base.h"
#include "study/resources.h"

enum { PL_ARRAY_ID_SIZE = 64, PL_ARRAY_NAME_SIZE = 128 };

/* What a batch system says of a task. Only journals say that its runs have finished. */
enum pl_task_state {
    PL_TASK_PENDING,   /* waits to be started, also for the second time */
    PL_TASK_RUNNING,   /* is at work, suspended, resizing or about to end */
    PL_TASK_RETURNING, /* was taken from its node (preempted, requeued, its node failed) and is started again */
    PL_TASK_ENDED,     /* by itself */
    PL_TASK_FAILED,    /* by itself, with an exit code or a signal, or before it began */
    PL_TASK_MEMORY,    /* was ended because it took too much memory */
    PL_TASK_TIME,      /* was ended because it took too long */
    PL_TASK_CANCELLED, /* by a person */
    PL_TASK_LOST,      /* its node failed, it was preempted and not requeued, or the like */
    PL_TASK_UNKNOWN,   /* the system does not know it any more */
    PL_TASK_STATE_COUNT
};
const char *pl_task_state_name(enum pl_task_state state); /* "pending", "out of memory", ... */
/* Is the task over, as far as the system knows? */
bool pl_task_is_over(enum pl_task_state state);

/* What a system says to a task that was told to end. */
enum pl_fate {
    PL_FATE_TIME,    /* nobody has ended it: its time will be over soon */
    PL_FATE_RETURNS, /* it was taken from its node, and will be started again by itself */
    PL_FATE_OVER,    /* somebody has cancelled it, or nobody knows */
};

struct pl_task_report {
    const char *id; /* of its array */
    int64_t index;  /* in its array */
    enum pl_task_state state;
    const char *word;   /* of the system: "RUNNING", "OUT_OF_ME+" */
    const char *reason; /* why it waits or ended so: "Resources"; "" where nothing is said */
    const char *node;   /* "" where it has none */
    double since;       /* seconds since 1970, by the system's clock; 0: not known */
};

/* One array of tasks to submit. */
struct pl_array {
    const char *name;    /* that no other array has, see find */
    const char *folder;  /* absolute: the script, and what tasks print (task-N.out), are kept there */
    const char *home;    /* absolute: the working folder */
    const char *program; /* absolute: this program as nodes find it */
    int64_t first;       /* number of the first task in its submission */
    int64_t count;       /* tasks: first, first + 1, ... */
    int64_t at_once;     /* tasks that may run at a time; 0: all */
    double warning;      /* seconds before the end of its time at which a task is told (SIGTERM to the batch script) */
    const struct pl_resources *resources;
};

/* 0: not known, or none. */
struct pl_batch_limits {
    int64_t array;     /* tasks of an array */
    int64_t submitted; /* tasks of this user that may be submitted at a time */
    int64_t waiting;   /* how many of his tasks there are now */
    double time;       /* seconds: the longest time of the partition */
    double time_default;
};

struct pl_batch_system {
    const char *name; /* "slurm": --on NAME */
    const char *help;
    /* Is it to be had on this machine? Fails with PL_EMISSING and a sentence. */
    int (*check)(struct pl_error *err);
    /* resources may be NULL: then those of the default partition. */
    int (*limits)(const struct pl_resources *resources, struct pl_batch_limits *limits, struct pl_error *err);
    /* The whole text of the batch script. Fails with PL_EINPUT where a path or a name cannot stand in one. */
    int (*script)(const struct pl_array *array, struct pl_text *out, struct pl_error *err);
    /* Submits the script that stands in a file, which has the array's name in it. Returns 0 with the array's id,
     * PL_ETIMEOUT when it is not known whether the system has taken it, PL_ELIMIT when a limit of the cluster refuses
     * it for now, another code when it was refused. */
    int (*submit)(const char *name, const char *script, char id[PL_ARRAY_ID_SIZE], struct pl_error *err);
    /* The id of the array of that name, whatever its state; 1 where the system knows none. */
    int (*find)(const char *name, char id[PL_ARRAY_ID_SIZE], struct pl_error *err);
    /* Tells what is known of the tasks of arrays (ids, count of them). Tasks that nothing is said of are unknown. */
    int (*look)(const char *const *ids, size_t count, void (*report)(void *self, const struct pl_task_report *report),
                void *self, struct pl_error *err);
    int (*cancel)(const char *id, struct pl_error *err);
    /* On a node, by the task itself, when it was told to end; restarts as here told it when it began. */
    enum pl_fate (*fate)(const char *id, int64_t index, int64_t restarts);
    /* On a node, by the task itself: starts it again from its beginning once it has ended. */
    int (*requeue)(struct pl_error *err);
    /* On a node: what the task is. restarts counts from 0. False where this is no task of the system. */
    bool (*here)(char id[PL_ARRAY_ID_SIZE], int64_t *index, int64_t *restarts, char node[64]);
};

extern const struct pl_batch_system pl_batch_slurm;
/* NULL where there is none of that name. */
const struct pl_batch_system *pl_batch_find(const char *name);

#endif
