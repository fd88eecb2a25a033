#include "base/output.h"

#include "base/leftover.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40, LONGEST_BASE = 200 };

/* ---- names ---- */

/* The folder that the last component stands in, "." for none. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? pl_copy_bytes(path, slash == path ? 1 : (size_t)(slash - path)) : pl_copy(".");
}

/* The descriptor that /dev/stdout, /dev/fd/3 or /proc/self/fd/3 stands for, or -1. Opening such a name again would
 * begin at the start of the file, and renaming onto it would take the file away from whoever opened it. */
static int descriptor_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct stat folder, own;
    int64_t number;
    char *name = folder_of(path);
    bool there = slash && !stat(name, &folder) && !stat("/proc/self/fd", &own) && folder.st_dev == own.st_dev &&
                 folder.st_ino == own.st_ino;
    free(name);
    if (!there)
        return -1;
    char *end;
    number = strtol(slash + 1, &end, 10);
    return end != slash + 1 && !*end && number >= 0 && number <= INT_MAX ? (int)number : -1;
}

/* What one link says, as a path from here; NULL: it is none. */
static char *follow(const char *path)
{
    char text[PATH_MAX];
    ssize_t length = readlink(path, text, sizeof text - 1);
    if (length <= 0)
        return NULL;
    text[length] = '\0';
    if (*text == '/')
        return pl_copy(text);
    struct pl_text joined = {0};
    char *folder = folder_of(path);
    pl_text_addf(&joined, "%s/%s", folder, text);
    free(folder);
    return pl_text_take(&joined);
}

/* Where the links end: a name that is no link, whether there is such a file or not. Sets *descriptor when it ends in
 * one of ours. NULL: too many links. */
static char *resolve(const char *path, int *descriptor)
{
    char *at = pl_copy(path);
    *descriptor = -1;
    for (int links = 0; links < MOST_LINKS; links++) {
        *descriptor = descriptor_of(at);
        char *next = *descriptor < 0 ? follow(at) : NULL;
        if (!next)
            return at;
        free(at);
        at = next;
    }
    free(at);
    return NULL;
}

/* ---- databases ---- */

enum { HEADER = 16 };

static size_t read_header(const char *path, unsigned char header[HEADER])
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t count = file < 0 ? 0 : read(file, header, HEADER);
    if (file >= 0)
        close(file);
    return count > 0 ? (size_t)count : 0;
}

static bool is_database(const char *path)
{
    unsigned char header[HEADER];
    return read_header(path, header) == HEADER && !memcmp(header, "SQLite format 3", HEADER);
}

/* A write-ahead log or a rollback journal that holds something. */
static bool is_log(const char *path)
{
    static const unsigned char log[] = {0x37, 0x7f, 0x06}, journal[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char header[HEADER];
    size_t count = read_header(path, header);
    return (count >= 4 && !memcmp(header, log, sizeof log) && (header[3] | 1) == 0x83) ||
           (count >= sizeof journal && !memcmp(header, journal, sizeof journal));
}

/* A name that SQLite would take for the companion of the database beside it. */
static bool is_companion(const char *path)
{
    static const char *const endings[] = {"-wal", "-journal", "-shm"};
    size_t length = strlen(path);
    bool found = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !found; i++) {
        size_t end = strlen(endings[i]);
        if (length <= end || strcmp(path + length - end, endings[i]))
            continue;
        char *base = pl_copy_bytes(path, length - end);
        found = is_database(base);
        free(base);
    }
    return found;
}

static int check_database(const char *path, const char *target, enum pl_output_kind kind, struct pl_error *err)
{
    if (is_log(target) || is_companion(target))
        return pl_fail(err, PL_EINPUT, "%s is not overwritten: it belongs to a database", path);
    if (kind == PL_OUTPUT_FILE && is_database(target))
        return pl_fail(err, PL_EINPUT, "%s is not overwritten: it is a database", path);
    return 0;
}

/* ---- opening ---- */

/* A new file beside target, with the permissions that target shall have from the start. */
static int make_temporary(struct pl_output *output, mode_t mode)
{
    const char *slash = strrchr(output->target, '/'), *base = slash ? slash + 1 : output->target;
    int length = strlen(base) > LONGEST_BASE ? LONGEST_BASE : (int)strlen(base);
    struct pl_text name = {0};
    pl_text_addf(&name, "%.*s%.*s.", (int)(base - output->target), output->target, length, base);
    output->file = pl_leftover_file(&name, mode);
    int problem = output->file < 0 ? errno : 0;
    if (problem)
        pl_text_release(&name);
    else
        output->temporary = pl_text_take(&name);
    return problem;
}

/* "No such file" of a file that is to be made says nothing. */
static int fail(const struct pl_output *output, int problem, struct pl_error *err)
{
    char *folder = folder_of(output->target);
    struct stat info;
    int status = problem == ENOENT && stat(folder, &info)
                     ? pl_fail(err, PL_EIO, "cannot write %s: there is no folder %s", output->path, folder)
                     : pl_fail(err, PL_EIO, "cannot write %s: %s", output->path, strerror(problem));
    free(folder);
    return status;
}

static int open_file(struct pl_output *output, const struct stat *old, enum pl_output_kind kind, struct pl_error *err)
{
    int status = check_database(output->path, output->target, kind, err);
    if (status)
        return status;
    /* The folder would let us replace what its owner has closed. */
    int problem = old && access(output->target, W_OK) ? errno : make_temporary(output, old ? 0600 : 0666);
    if (!problem && old && fchmod(output->file, old->st_mode & 0777))
        problem = errno;
    return problem ? fail(output, problem, err) : 0;
}

static int open_target(struct pl_output *output, enum pl_output_kind kind, int descriptor, struct pl_error *err)
{
    struct stat info;
    bool there = descriptor < 0 && !stat(output->target, &info);
    size_t length = strlen(output->target);
    if (!length)
        return pl_fail(err, PL_EINPUT, "a file to write to needs a name");
    if (there && S_ISDIR(info.st_mode))
        return pl_fail(err, PL_EINPUT, "cannot write %s: it is a folder", output->path);
    if (output->target[length - 1] == '/')
        return pl_fail(err, PL_EINPUT, "cannot write %s: a name that ends in / is that of a folder", output->path);
    if (descriptor < 0 && (!there || S_ISREG(info.st_mode)))
        return open_file(output, there ? &info : NULL, kind, err);
    output->file = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                                   : open(output->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (output->file < 0)
        return pl_fail(err, PL_EIO, "cannot write %s: %s", output->path, strerror(errno));
    free(output->target);
    output->target = NULL;
    return 0;
}

static void release(struct pl_output *output)
{
    if (output->temporary)
        pl_leftover_drop(output->temporary);
    free(output->path);
    free(output->target);
    free(output->temporary);
    *output = (struct pl_output){.file = -1};
}

int pl_output_open(struct pl_output *output, const char *path, enum pl_output_kind kind, struct pl_error *err)
{
    int descriptor;
    *output = (struct pl_output){.file = -1, .path = pl_copy(path), .target = resolve(path, &descriptor)};
    int status = output->target ? open_target(output, kind, descriptor, err)
                                : pl_fail(err, PL_EIO, "cannot write %s: %s", path, strerror(ELOOP));
    if (status) {
        if (output->file >= 0)
            close(output->file);
        if (output->temporary)
            unlink(output->temporary);
        release(output);
    }
    return status;
}

bool pl_output_in_place(const char *path)
{
    int descriptor;
    struct stat info;
    char *target = resolve(path, &descriptor);
    bool in_place = descriptor >= 0 ||
                    (target && !stat(target, &info) && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
    free(target);
    return in_place;
}

/* ---- writing and closing ---- */

int pl_output_write(const struct pl_output *output, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count) {
        ssize_t n = write(output->file, at, count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        at += n;
        count -= (size_t)n;
    }
    return 0;
}

/* After a rename the folder itself must reach the disk, or a power cut forgets the new name. */
static void sync_folder(const char *path)
{
    char *folder = folder_of(path);
    int handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle >= 0) {
        fsync(handle);
        close(handle);
    }
    free(folder);
}

int pl_output_close(struct pl_output *output, bool keep, int problem, struct pl_error *err)
{
    int status = 0;
    /* Devices and pipes have nothing to sync, and say so. */
    if (keep && !problem && output->temporary && fsync(output->file) && errno != EINVAL && errno != ENOTSUP)
        problem = errno;
    if (close(output->file) && !problem)
        problem = errno;
    if (keep && !problem && output->temporary && rename(output->temporary, output->target))
        problem = errno;
    if (output->temporary && (!keep || problem))
        unlink(output->temporary);
    else if (output->temporary)
        sync_folder(output->target);
    if (problem)
        status = pl_fail(err, PL_EIO, "cannot write %s: %s", output->path, strerror(problem));
    release(output);
    return status;
}
