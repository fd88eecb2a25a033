/* Logs of runs at work. */
#include "sweep/working.h"

#include "sweep/sweep.h"

#include <sys/stat.h>
#include <unistd.h>

enum { LOG_MOST = 1 << 20 };

static void name_log(const char *folders, int64_t run, struct pl_text *path)
{
    pl_text_addf(path, "%s/%lld.log", folders, (long long)run);
}

void pl_working_write(struct pl_claimed *first, const char *folders)
{
    struct pl_text path = {0};
    struct pl_error err;
    for (struct pl_claimed *run = first; run && run->started && folders; run = run->after) {
        if (run->lost || run->shown == run->said)
            continue;
        mkdir(folders, 0777); /* where it is there already, so much the better */
        pl_text_clear(&path);
        name_log(folders, run->claim.run, &path);
        if (!pl_file_write(pl_text(&path), pl_text(&run->log), run->log.length, &err))
            run->shown = run->said;
    }
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

bool pl_working_log(const char *folders, int64_t run, double since, struct pl_text *log)
{
    struct pl_text path = {0};
    struct pl_error err;
    struct stat file;
    name_log(folders, run, &path);
    bool found = !stat(pl_text(&path), &file) && (double)file.st_mtime + 1 >= since &&
                 !pl_file_read(pl_text(&path), LOG_MOST, log, &err);
    pl_text_release(&path);
    return found;
}
