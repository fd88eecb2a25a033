#include "base/leftover.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 32, LETTERS = 6, TRIES = 100 };

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

/* ---- making them ---- */

static bool add_letters(struct pl_text *path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    unsigned char random[LETTERS];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return false;
    for (size_t i = 0; i < sizeof random; i++)
        pl_text_add_char(path, letters[random[i] % (sizeof letters - 1)]);
    return true;
}

/* A name that is taken stays in the list for the moment that it takes to find that out: it is one of 57 billion. */
static int make(struct pl_text *path, int (*create)(const char *path, mode_t mode), mode_t mode)
{
    size_t start = path->length;
    for (int tries = 0; tries < TRIES && add_letters(path); tries++) {
        pl_leftover_add(pl_text(path));
        int made = create(pl_text(path), mode), problem = errno;
        if (made >= 0)
            return made;
        pl_leftover_drop(pl_text(path));
        errno = problem;
        if (problem != EEXIST)
            break;
        pl_text_cut(path, start);
    }
    return -1;
}

static int create_file(const char *path, mode_t mode)
{
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

int pl_leftover_file(struct pl_text *path, mode_t mode)
{
    return make(path, create_file, mode);
}

bool pl_leftover_folder(struct pl_text *path)
{
    return !make(path, mkdir, 0700);
}

/* ---- the end ---- */

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
