/* Logs of runs at work. */
#include "sweep/working.h"

#include "store/submission.h"
#include "sweep/sweep.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOG_MOST = 1 << 20 };

static void name_log(const char *folders, int64_t run, struct pl_text *path)
{
    pl_text_addf(path, "%s/%lld.log", folders, (long long)run);
}

void pl_working_write(struct pl_claimed *run, const char *folders)
{
    struct pl_text path = {0};
    struct pl_error err;
    if (run->lost || run->shown == run->said)
        return;
    mkdir(folders, 0777); /* where it is there already, so much the better */
    name_log(folders, run->claim.run, &path);
    if (!pl_file_write(pl_text(&path), pl_text(&run->log), run->log.length, &err))
        run->shown = run->said;
    pl_text_release(&path);
}

void pl_working_remove(struct pl_claimed *run, const char *folders)
{
    if (!run->shown || run->lost)
        return;
    struct pl_text path = {0};
    name_log(folders, run->claim.run, &path);
    unlink(pl_text(&path));
    rmdir(folders); /* unless there is more in it */
    pl_text_release(&path);
}

void pl_working_folder(const char *submission, struct pl_text *path)
{
    pl_text_addf(path, "%s/working", submission);
}

/* ---- who looks ---- */

struct looking {
    int64_t run;
    double since;
    struct pl_text *log, path;
    bool found;
};

static void look_in(struct looking *l, const char *folders)
{
    struct pl_error err;
    struct stat file;
    pl_text_clear(&l->path);
    name_log(folders, l->run, &l->path);
    l->found = !stat(pl_text(&l->path), &file) && (double)file.st_mtime + 1 >= l->since &&
               !pl_file_read(pl_text(&l->path), LOG_MOST, l->log, &err);
}

static int look_in_submission(void *self, const struct pl_submission *submission)
{
    struct looking *l = self;
    struct pl_text folder = {0};
    pl_working_folder(submission->folder, &folder);
    if (!l->found)
        look_in(l, pl_text(&folder));
    pl_text_release(&folder);
    return 0;
}

bool pl_working_log(struct pl_store *store, const char *folders, int64_t run, double since, struct pl_text *log)
{
    struct looking l = {.run = run, .since = since, .log = log};
    struct pl_error err = {0};
    look_in(&l, folders);
    if (!l.found)
        pl_store_each_submission(store, true, look_in_submission, &l, &err);
    pl_text_release(&l.path);
    return l.found;
}
