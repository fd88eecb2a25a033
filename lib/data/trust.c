/* Which cache files this process has compared with their checksums: once is enough as long as the file is the same. */
#include "data/data_priv.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stat *known; /* as they were when they were compared; for the life of the process */
static size_t known_count, known_capacity;

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool pl_file_trusted(const char *path)
{
    struct stat now;
    bool found = false;
    if (stat(path, &now))
        return false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < known_count && !found; i++)
        found = known[i].st_dev == now.st_dev && known[i].st_ino == now.st_ino && known[i].st_size == now.st_size &&
                same_time(known[i].st_mtim, now.st_mtim) && same_time(known[i].st_ctim, now.st_ctim);
    pthread_mutex_unlock(&lock);
    return found;
}

void pl_file_trust(const char *path)
{
    struct stat now;
    if (stat(path, &now))
        return;
    pthread_mutex_lock(&lock);
    void *list = known;
    pl_grow(&list, &known_capacity, known_count + 1, sizeof *known);
    known = list;
    known[known_count++] = now;
    pthread_mutex_unlock(&lock);
}
