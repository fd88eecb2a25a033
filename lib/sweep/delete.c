/* Runs are deleted with their folders. */
#include "study/names.h"
#include "sweep/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int pl_sweep_each_folder(struct pl_store *store, const char *folders,
                         int (*each)(void *self, const char *path, const char *key), void *self, struct pl_error *err)
{
    char token[PL_STORE_TOKEN_SIZE], owner[PL_FOLDER_NAME_SIZE], key[PL_FOLDER_NAME_SIZE];
    struct pl_text path = {0};
    int status = pl_store_token(store, token, err);
    DIR *list = status ? NULL : opendir(folders);
    if (status || !list)
        return status || errno == ENOENT || errno == ENAMETOOLONG
                   ? status
                   : pl_fail(err, PL_EIO, "cannot read the folder %s", folders);
    for (const struct dirent *entry; !status && (entry = readdir(list));) {
        if (*entry->d_name == '.')
            continue;
        pl_text_clear(&path);
        pl_text_addf(&path, "%s/%s", folders, entry->d_name);
        if (pl_train_folder_owner(pl_text(&path), owner, key) && !strcmp(owner, token))
            status = each(self, pl_text(&path), key);
    }
    closedir(list);
    pl_text_release(&path);
    return status;
}

static bool read_key(const char *hex, unsigned char key[PL_DIGEST_SIZE])
{
    if (strlen(hex) != (size_t)2 * PL_DIGEST_SIZE || strspn(hex, "0123456789abcdef") != (size_t)2 * PL_DIGEST_SIZE)
        return false;
    for (size_t i = 0; i < PL_DIGEST_SIZE; i++) {
        int high = hex[2 * i] <= '9' ? hex[2 * i] - '0' : hex[2 * i] - 'a' + 10;
        int low = hex[2 * i + 1] <= '9' ? hex[2 * i + 1] - '0' : hex[2 * i + 1] - 'a' + 10;
        key[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

static int find(struct pl_store *store, const char *key, bool *found, struct pl_error *err)
{
    unsigned char digest[PL_DIGEST_SIZE];
    int status = read_key(key, digest) ? pl_store_find_run(store, digest, NULL, NULL, err) : 1;
    *found = !status;
    return status < 0 ? status : 0;
}

/* ---- folders that go ---- */

struct clearing {
    struct pl_store *store;
    bool attempts;
    size_t removed;
    uint64_t bytes;
    struct pl_error *err;
};

static uint64_t folder_bytes(const char *path)
{
    struct stat info;
    uint64_t bytes = 0;
    if (lstat(path, &info))
        return 0;
    if (!S_ISDIR(info.st_mode))
        return (uint64_t)info.st_size;
    DIR *list = opendir(path);
    struct pl_text inner = {0};
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        pl_text_clear(&inner);
        pl_text_addf(&inner, "%s/%s", path, entry->d_name);
        bytes += folder_bytes(pl_text(&inner));
    }
    if (list)
        closedir(list);
    pl_text_release(&inner);
    return bytes;
}

static int clear_folder(void *self, const char *path, const char *key)
{
    struct clearing *c = self;
    bool superseded = strstr(strrchr(path, '/'), ".attempt-") != NULL, found;
    int status = find(c->store, key, &found, c->err);
    if (status || (found && !(superseded && c->attempts)))
        return status;
    c->bytes += folder_bytes(path);
    c->removed++;
    pl_folder_remove(path);
    return 0;
}

int pl_sweep_clear(struct pl_store *store, const char *folders, bool attempts, size_t *removed, uint64_t *bytes,
                   struct pl_error *err)
{
    struct clearing c = {.store = store, .attempts = attempts, .err = err};
    int status = pl_sweep_each_folder(store, folders, clear_folder, &c, err);
    *removed = c.removed;
    *bytes = c.bytes;
    return status;
}

/* Folders of runs that there are. */
struct owned {
    struct pl_store *store;
    struct pl_names paths, keys;
    struct pl_error *err;
};

static int take_owned(void *self, const char *path, const char *key)
{
    struct owned *owned = self;
    bool found;
    int status = find(owned->store, key, &found, owned->err);
    if (status || !found)
        return status;
    pl_names_add(&owned->paths, path);
    pl_names_add(&owned->keys, key);
    return 0;
}

int pl_sweep_delete(struct pl_store *store, const int64_t *runs, size_t count, const char *study, const char *folders,
                    struct pl_deleted *deleted, size_t *removed, struct pl_error *err)
{
    struct owned owned = {.store = store, .err = err};
    *removed = 0;
    int status = pl_sweep_each_folder(store, folders, take_owned, &owned, err);
    if (!status)
        status = study ? pl_store_delete_study(store, study, deleted, err)
                       : pl_store_delete_runs(store, runs, count, deleted, err);
    for (size_t i = 0; i < owned.paths.count && !status; i++) {
        bool found;
        status = find(store, owned.keys.names[i], &found, err);
        if (status || found)
            continue;
        pl_folder_remove(owned.paths.names[i]);
        ++*removed;
    }
    pl_names_release(&owned.paths);
    pl_names_release(&owned.keys);
    return status;
}
