#include "sweep/batch/batch.h"

#include <stdlib.h>

double pl_batch_still(struct pl_batch_memory *memory, int64_t submission, int64_t number, uint64_t signature)
{
    double now = pl_clock_steady();
    struct pl_batch_sight *sight = NULL;
    for (size_t i = 0; i < memory->count && !sight; i++)
        if (memory->all[i].submission == submission && memory->all[i].number == number)
            sight = &memory->all[i];
    if (!sight) {
        void *all = memory->all;
        pl_grow(&all, &memory->capacity, memory->count + 1, sizeof *memory->all);
        memory->all = all;
        sight = &memory->all[memory->count++];
        *sight = (struct pl_batch_sight){submission, number, signature, now};
    }
    if (sight->signature != signature) {
        sight->signature = signature;
        sight->since = now;
    }
    return now - sight->since;
}

void pl_batch_memory_release(struct pl_batch_memory *memory)
{
    free(memory->all);
    *memory = (struct pl_batch_memory){0};
}
