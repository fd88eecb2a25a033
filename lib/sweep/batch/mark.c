#include "sweep/batch/mark.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

int pl_mark_own(const char *folder, int64_t task, const char *job, const char *where, struct pl_text *owner,
                struct pl_error *err)
{
    struct pl_text path = {0}, own = {0};
    pl_text_addf(&path, "%s/owner-%" PRId64, folder, task);
    pl_text_addf(&own, "%s.%s.%ld", pl_text(&path), where, (long)getpid());
    int status = pl_file_write(pl_text(&own), job, strlen(job), err);
    if (!status && link(pl_text(&own), pl_text(&path)) && errno != EEXIST && !pl_file_exists(pl_text(&path)))
        status = pl_file_write(pl_text(&path), job, strlen(job), err); /* a file system without links */
    unlink(pl_text(&own));
    if (!status)
        status = pl_file_read(pl_text(&path), 1000, owner, err);
    pl_text_release(&path);
    pl_text_release(&own);
    return status ? status : strcmp(pl_text(owner), job) != 0;
}

static void name_cancelled(const char *folder, struct pl_text *path)
{
    pl_text_addf(path, "%s/cancelled", folder);
}

void pl_mark_cancelled(const char *folder, const char *reason)
{
    struct pl_text path = {0};
    struct pl_error unwritten = {0};
    name_cancelled(folder, &path);
    pl_file_write(pl_text(&path), reason, strlen(reason), &unwritten);
    pl_text_release(&path);
}

bool pl_mark_is_cancelled(const char *folder)
{
    struct pl_text path = {0};
    name_cancelled(folder, &path);
    bool is = pl_file_exists(pl_text(&path));
    pl_text_release(&path);
    return is;
}
