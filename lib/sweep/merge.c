/* Databases are merged with the folders of their runs. */
#include "sweep/merge.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- copying a folder ---- */

static int copy_file(const char *from, const char *to, mode_t mode, struct pl_error *err)
{
    char block[65536];
    ssize_t n = 0;
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), out = -1, number = 0;
    if (in >= 0)
        out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777);
    number = in < 0 || out < 0 ? errno : 0;
    while (!number && (n = read(in, block, sizeof block)) > 0)
        for (ssize_t done = 0, w; done < n && !number; done += w > 0 ? w : 0)
            if ((w = write(out, block + done, (size_t)(n - done))) < 0)
                number = errno;
    if (n < 0)
        number = errno;
    if (out >= 0 && close(out) && !number)
        number = errno;
    if (in >= 0)
        close(in);
    return number ? pl_fail(err, PL_EIO, "cannot copy %s to %s: %s", from, to, strerror(number)) : 0;
}

static int copy_entry(const char *from, const char *to, struct pl_error *err);

static int copy_folder(const char *from, const char *to, struct pl_error *err)
{
    struct pl_text source = {0}, target = {0};
    DIR *list = opendir(from);
    int status = pl_folder_make(to, err);
    if (!list && !status)
        status = pl_fail(err, PL_EIO, "cannot read the folder %s: %s", from, strerror(errno));
    for (const struct dirent *entry; !status && (entry = readdir(list));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        pl_text_clear(&source);
        pl_text_clear(&target);
        pl_text_addf(&source, "%s/%s", from, entry->d_name);
        pl_text_addf(&target, "%s/%s", to, entry->d_name);
        status = copy_entry(pl_text(&source), pl_text(&target), err);
    }
    if (list)
        closedir(list);
    pl_text_release(&source);
    pl_text_release(&target);
    return status;
}

/* Files, folders and links; sockets and the like stay behind. */
static int copy_entry(const char *from, const char *to, struct pl_error *err)
{
    char link[4096];
    struct stat info;
    if (lstat(from, &info))
        return pl_fail(err, PL_EIO, "cannot read %s: %s", from, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return copy_folder(from, to, err);
    if (S_ISREG(info.st_mode))
        return copy_file(from, to, info.st_mode, err);
    ssize_t n = S_ISLNK(info.st_mode) ? readlink(from, link, sizeof link - 1) : -1;
    if (n < 0)
        return 0;
    link[n] = '\0';
    return symlink(link, to) ? pl_fail(err, PL_EIO, "cannot make the link %s: %s", to, strerror(errno)) : 0;
}

/* A copy appears whole, and as the run's own, or not at all. */
static int bring(const char *from, const char *to, const char *owner, const char *key, struct pl_error *err)
{
    struct pl_text part = {0};
    pl_text_addf(&part, "%s.merging", to);
    pl_folder_remove(pl_text(&part)); /* of a merge that was killed */
    int status = copy_folder(from, pl_text(&part), err);
    if (!status)
        status = pl_train_folder_give(pl_text(&part), owner, key, err);
    if (!status)
        rmdir(to); /* an empty one */
    if (!status && rename(pl_text(&part), to))
        status = pl_fail(err, PL_EIO, "cannot rename the folder %s to %s: %s", pl_text(&part), to, strerror(errno));
    if (status)
        pl_folder_remove(pl_text(&part));
    pl_text_release(&part);
    return status;
}

/* ---- which folders ---- */

struct merging {
    struct pl_store *store;
    const char *folders;
    char token[PL_STORE_TOKEN_SIZE];
    int64_t *kept; /* runs of which ours counts: theirs stays where it is */
    size_t kept_count, kept_capacity;
    const struct pl_merge_view *view;
    size_t copied;
    struct pl_error *err;
};

static int take_difference(void *self, int64_t run, bool theirs)
{
    struct merging *m = self;
    int status = theirs ? pl_sweep_put_folder_aside(m->store, m->folders, m->token, run, m->err) : 0;
    if (!theirs) {
        void *list = m->kept;
        pl_grow(&list, &m->kept_capacity, m->kept_count + 1, sizeof *m->kept);
        m->kept = list;
        m->kept[m->kept_count++] = run;
    }
    if (!status && m->view && m->view->differs)
        status = m->view->differs(m->view->self, run, theirs);
    return status;
}

static bool is_kept(const struct merging *m, int64_t run)
{
    for (size_t i = 0; i < m->kept_count; i++)
        if (m->kept[i] == run)
            return true;
    return false;
}

static int pass_redefined(void *self, const char *study)
{
    struct merging *m = self;
    return m->view && m->view->redefined ? m->view->redefined(m->view->self, study) : 0;
}

/* A folder of theirs whose run counts here and has none here. */
static int take_folder(void *self, const char *path, const char *key)
{
    struct merging *m = self;
    struct pl_run_info info = {0};
    struct pl_text here = {0};
    if (strchr(strrchr(path, '/'), '.'))
        return 0; /* of a superseded attempt */
    int status = pl_store_run_info(m->store, key, &info, m->err);
    if (status)
        return status == PL_EINPUT ? 0 : status; /* a run that they do not hold either */
    bool ended = info.status != PL_RUN_PLANNED && info.status != PL_RUN_RUNNING;
    pl_run_folder(m->folders, m->token, info.run, key, info.attempts > 0, &here);
    if (ended && !is_kept(m, info.run) && pl_train_folder_state(pl_text(&here), m->token, key) == PL_FOLDER_FREE) {
        status = bring(path, pl_text(&here), m->token, key, m->err);
        m->copied += !status;
    }
    pl_run_info_release(&info);
    pl_text_release(&here);
    return status;
}

/* Two merges at once would take the same folders under the same names: one after the other then, as far as the file
 * system knows locks. */
static int lock_folders(const char *folders, const char *theirs)
{
    if (!pl_file_exists(theirs) || pl_folder_make(folders, NULL))
        return -1;
    int lock = open(folders, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0)
        flock(lock, LOCK_EX);
    return lock;
}

int pl_sweep_merge(struct pl_store *store, const char *path, const char *folders, const char *their_folders,
                   const struct pl_merge_view *view, struct pl_merged *merged, size_t *copied, struct pl_error *err)
{
    struct merging m = {.store = store, .folders = folders, .view = view, .err = err};
    const struct pl_merge_view inner = {&m, take_difference, pass_redefined};
    struct pl_store *other = NULL;
    int status = pl_store_token(store, m.token, err);
    if (!status)
        status = pl_store_merge(store, path, &inner, merged, err);
    if (!status)
        status = pl_store_open(&other, path, PL_STORE_READ, err);
    int lock = status ? -1 : lock_folders(folders, their_folders);
    if (!status)
        status = pl_sweep_each_folder(other, their_folders, take_folder, &m, err);
    if (lock >= 0) {
        rmdir(folders); /* where none came */
        close(lock);
    }
    pl_store_close(other);
    free(m.kept);
    *copied = m.copied;
    return status;
}
