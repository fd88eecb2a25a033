#include "base/leftover.h"

#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 32 };

/* A signal handler sees nothing else of a program. Who takes a path out of the list owns it. */
static _Atomic(char *) leftovers[MOST];

void pl_leftover_add(const char *path)
{
    char *copy = pl_copy(path);
    for (int i = 0; i < MOST; i++) {
        char *empty = NULL;
        if (atomic_compare_exchange_strong(&leftovers[i], &empty, copy))
            return;
    }
    free(copy);
}

void pl_leftover_drop(const char *path)
{
    for (int i = 0; i < MOST; i++) {
        char *kept = atomic_load(&leftovers[i]);
        if (kept && !strcmp(kept, path) && atomic_compare_exchange_strong(&leftovers[i], &kept, NULL)) {
            free(kept);
            return;
        }
    }
}

void pl_leftover_remove_all(void)
{
    for (int i = 0; i < MOST; i++) {
        const char *path = atomic_load(&leftovers[i]);
        if (path)
            unlink(path);
    }
    for (int i = 0; i < MOST; i++) {
        const char *path = atomic_exchange(&leftovers[i], NULL);
        if (path)
            rmdir(path);
    }
}
