#include "sweep/batch/system.h"

#include <string.h>

static const void *const systems[] = {&pl_batch_slurm};
static const struct pl_registry registry = PL_REGISTRY("batch system", systems, struct pl_batch_system, name);

const struct pl_batch_system *pl_batch_find(const char *name)
{
    return pl_registry_find(&registry, name);
}

const char *pl_task_state_name(enum pl_task_state state)
{
    static const char *const names[] = {
        [PL_TASK_PENDING] = "pending",  [PL_TASK_RUNNING] = "running",     [PL_TASK_RETURNING] = "returning",
        [PL_TASK_ENDED] = "ended",      [PL_TASK_FAILED] = "failed",       [PL_TASK_MEMORY] = "out of memory",
        [PL_TASK_TIME] = "out of time", [PL_TASK_CANCELLED] = "cancelled", [PL_TASK_LOST] = "lost",
        [PL_TASK_UNKNOWN] = "unknown",
    };
    _Static_assert(sizeof names / sizeof *names == PL_TASK_STATE_COUNT, "every state has a name");
    return names[state];
}

bool pl_task_is_over(enum pl_task_state state)
{
    return state != PL_TASK_PENDING && state != PL_TASK_RUNNING && state != PL_TASK_RETURNING;
}
