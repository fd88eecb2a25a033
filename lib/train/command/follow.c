/* A file is read whole whenever it has changed, and compared with what was read of it: loggers that add a column write
 * their file anew, and the bytes behind the old end would then begin in the middle of a number. */
#include "train/command/follow.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MOST = 64 << 20 };
static const double pause_least = 0.2, pause_share = 20; /* between looks: seconds, and times what a look took */

/* The file that is meant; false: there is none. */
static bool find(const struct pl_follow *f, struct pl_text *path)
{
    struct stat info;
    glob_t found;
    int64_t newest = INT64_MIN;
    pl_text_clear(path);
    if (!strpbrk(f->path, "*?")) {
        pl_text_add(path, f->path);
        return true;
    }
    if (glob(f->path, 0, NULL, &found))
        return false;
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (!stat(found.gl_pathv[i], &info) && S_ISREG(info.st_mode) && info.st_mtim.tv_sec >= newest) {
            newest = info.st_mtim.tv_sec;
            pl_text_clear(path);
            pl_text_add(path, found.gl_pathv[i]);
        }
    globfree(&found);
    return path->length > 0;
}

/* Reads the file if it is another one than before. Returns 1 if it has changed, 0 if not, -1 if it is too large. */
static int read_changed(struct pl_follow *f, struct pl_text *content)
{
    struct pl_text path = {0};
    struct stat info;
    int changed = 0, file = -1;
    if (find(f, &path) && (file = open(pl_text(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) >= 0 &&
        !fstat(file, &info) && S_ISREG(info.st_mode) &&
        (f->size != info.st_size || f->seconds != info.st_mtim.tv_sec || f->nanoseconds != info.st_mtim.tv_nsec ||
         f->inode != info.st_ino || !f->begun)) {
        char bytes[65536];
        ssize_t got;
        changed = 1;
        while (content->length <= FILE_MOST && (got = read(file, bytes, sizeof bytes)) > 0)
            pl_text_add_bytes(content, bytes, (size_t)got);
        f->size = info.st_size;
        f->seconds = info.st_mtim.tv_sec;
        f->nanoseconds = info.st_mtim.tv_nsec;
        f->inode = info.st_ino;
        if (content->length > FILE_MOST)
            changed = -1;
    }
    if (file >= 0)
        close(file);
    pl_text_release(&path);
    return changed;
}

void pl_follow_begin(struct pl_follow *f, const char *path, enum pl_line_origin origin, struct pl_reading *reading)
{
    *f = (struct pl_follow){.path = pl_copy(path), .origin = origin, .size = -1};
    read_changed(f, &f->seen);
    f->taken = f->seen.length;
    f->begun = true;
    for (const char *line = pl_text(&f->seen), *newline; (newline = strchr(line, '\n')); line = newline + 1)
        pl_reading_old_row(reading, origin, line, (size_t)(newline - line));
}

/* Takes the lines from f->taken on. */
static void take_lines(struct pl_follow *f, struct pl_reading *reading, bool last, bool whole)
{
    const char *content = pl_text(&f->seen), *end = content + f->seen.length;
    const char *line = content + f->taken, *newline;
    while (line < end && ((newline = memchr(line, '\n', (size_t)(end - line))) || last)) {
        const char *stop = newline ? newline : end;
        pl_reading_row(reading, f->origin, line, (size_t)(stop - line), newline || whole);
        line = newline ? newline + 1 : end;
    }
    f->taken = (size_t)(line - content);
}

bool pl_follow_look(struct pl_follow *f, struct pl_reading *reading, bool last, bool whole)
{
    double now = pl_clock_steady();
    if (f->over || (!last && now < f->next_look))
        return false;
    struct pl_text content = {0};
    int changed = read_changed(f, &content);
    if (changed < 0) {
        static const char left[] = "a file of metrics has more than 64 MiB; the rest of it is not read";
        reading->sink->log(reading->sink->self, left);
        pl_reading_unread(reading, left); /* so that it is said at the end of the sweep too */
        f->over = true;
    } else if (changed) {
        bool grown = content.length >= f->seen.length && !memcmp(pl_text(&content), pl_text(&f->seen), f->seen.length);
        if (!grown) { /* its rows have their positions, so reading them again changes nothing */
            f->taken = 0;
            pl_reading_restart(reading, f->origin);
        }
        struct pl_text before = f->seen;
        f->seen = content;
        content = before;
        if (!f->seen.length)
            pl_text_add(&f->seen, "");
    }
    if (changed > 0 || last)
        take_lines(f, reading, last, whole);
    pl_text_release(&content);
    double took = pl_clock_steady() - now;
    f->next_look = now + (pause_share * took > pause_least ? pause_share * took : pause_least);
    return changed != 0;
}

void pl_follow_release(struct pl_follow *f)
{
    free(f->path);
    pl_text_release(&f->seen);
    *f = (struct pl_follow){0};
}
