#include "sweep/batch/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* "LENGTHXX CHECKSUM " and the newline. */
enum { HEAD = 18, FRAME = HEAD + 1, RECORD_MOST = 256 << 20, ATTEMPTS_MOST = 100000 };

struct pl_journal {
    int fd;
    int64_t good; /* bytes that are on disk */
    uint32_t chain;
    struct pl_text path, waiting;
};

static uint32_t checksum(uint32_t before, const char *text, size_t length)
{
    unsigned char bytes[4] = {(unsigned char)(before >> 24), (unsigned char)(before >> 16),
                              (unsigned char)(before >> 8), (unsigned char)before};
    uLong sum = crc32(crc32(0, NULL, 0), bytes, sizeof bytes);
    return (uint32_t)crc32_z(sum, (const Bytef *)text, length);
}

void pl_journal_path(const char *folder, int64_t task, int64_t attempt, struct pl_text *path)
{
    pl_text_addf(path, "%s/journal-%" PRId64 ".%" PRId64, folder, task, attempt);
}

bool pl_journal_name(const char *name, int64_t *task, int64_t *attempt)
{
    char again[64];
    if (sscanf(name, "journal-%" SCNd64 ".%" SCNd64, task, attempt) != 2 || *task < 0 || *attempt < 1)
        return false;
    snprintf(again, sizeof again, "journal-%" PRId64 ".%" PRId64, *task, *attempt);
    return !strcmp(again, name);
}

/* ---- writing ---- */

int pl_journal_create(const char *folder, int64_t task, int64_t *attempt, struct pl_journal **journal,
                      struct pl_error *err)
{
    struct pl_text path = {0};
    int fd = -1;
    for (*attempt = 1; fd < 0 && *attempt < ATTEMPTS_MOST; ++*attempt) {
        pl_text_clear(&path);
        pl_journal_path(folder, task, *attempt, &path);
        fd = open(pl_text(&path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    --*attempt;
    if (fd < 0) {
        pl_fail(err, PL_EIO, "cannot create %s: %s", pl_text(&path), strerror(errno));
        pl_text_release(&path);
        return PL_EIO;
    }
    *journal = pl_new(sizeof **journal);
    **journal = (struct pl_journal){.fd = fd, .path = path};
    return 0;
}

void pl_journal_add(struct pl_journal *j, const char *lines, size_t length)
{
    const char *stop = lines + length, *newline;
    for (; (newline = memchr(lines, '\n', (size_t)(stop - lines))); lines = newline + 1) {
        size_t count = (size_t)(newline - lines);
        j->chain = checksum(j->chain, lines, count);
        pl_text_addf(&j->waiting, "%08zx %08" PRIx32 " ", count, j->chain);
        pl_text_add_bytes(&j->waiting, lines, count + 1);
    }
}

size_t pl_journal_waiting(const struct pl_journal *j)
{
    return j->waiting.length;
}

static int write_all(struct pl_journal *j)
{
    size_t done = 0;
    while (done < j->waiting.length) {
        ssize_t n = pwrite(j->fd, j->waiting.text + done, j->waiting.length - done, (off_t)(j->good + (int64_t)done));
        if (n < 0 && errno != EINTR)
            return errno;
        done += n > 0 ? (size_t)n : 0;
    }
    return fdatasync(j->fd) ? errno : 0;
}

int pl_journal_sync(struct pl_journal *j, struct pl_error *err)
{
    if (!j->waiting.length)
        return 0;
    int problem = write_all(j);
    if (problem) {
        if (ftruncate(j->fd, (off_t)j->good)) /* what stands there is no whole record, and will be written over */
            problem = problem ? problem : errno;
        return pl_fail(err, PL_EIO, "cannot write to %s: %s", pl_text(&j->path), strerror(problem));
    }
    j->good += (int64_t)j->waiting.length;
    pl_text_clear(&j->waiting);
    return 0;
}

void pl_journal_close(struct pl_journal *j)
{
    if (!j)
        return;
    close(j->fd);
    pl_text_release(&j->path);
    pl_text_release(&j->waiting);
    free(j);
}

/* ---- reading ---- */

static bool read_hex(const char *text, uint32_t *value)
{
    *value = 0;
    for (int i = 0; i < 8; i++) {
        const char *digit = strchr("0123456789abcdef", text[i]);
        if (!text[i] || !digit)
            return false;
        *value = *value << 4 | (uint32_t)(digit - "0123456789abcdef");
    }
    return text[8] == ' ';
}

/* The length of the record's text that left bytes begin with; -1: there is none; -2: it is not whole. */
static int64_t record_at(const char *bytes, size_t left, uint32_t before, uint32_t *chain)
{
    uint32_t length;
    if (left < HEAD)
        return -2;
    if (!read_hex(bytes, &length) || !read_hex(bytes + 9, chain) || length > RECORD_MOST)
        return -1;
    if (left < (size_t)length + FRAME)
        return -2;
    if (bytes[HEAD + length] != '\n' || checksum(before, bytes + HEAD, length) != *chain)
        return -1;
    return (int64_t)length;
}

/* Takes the records of a block. Returns the bytes they took, or take's negative code; *stopped: no more are wanted, or
 * there are none. */
static int64_t take_block(char *block, size_t count, struct pl_journal_place *place, bool *stopped,
                          int (*take)(void *self, char *text, size_t length, const struct pl_journal_place *behind),
                          void *self)
{
    size_t at = 0;
    int64_t length;
    uint32_t chain;
    while ((length = record_at(block + at, count - at, place->chain, &chain)) >= 0) {
        char *text = block + at + HEAD;
        at += (size_t)length + FRAME;
        text[length] = '\0';
        *place = (struct pl_journal_place){place->bytes + length + FRAME, chain};
        int status = take(self, text, (size_t)length, place);
        if (status < 0)
            return status;
        if (status) {
            *stopped = true;
            return (int64_t)at;
        }
    }
    *stopped = length == -1;
    return (int64_t)at;
}

int pl_journal_read(const char *path, struct pl_journal_place *place, size_t most, bool *more,
                    int (*take)(void *self, char *text, size_t length, const struct pl_journal_place *behind),
                    void *self, struct pl_error *err)
{
    enum { BLOCK = 1 << 18 };
    int fd = pl_file_open(path, err), status = 0;
    if (fd < 0)
        return fd;
    char *block = NULL;
    size_t kept = 0, size = 0, done = 0;
    bool stopped = false, end = false;
    while (!stopped && !end && !status && done < most) {
        if (size < kept + BLOCK)
            block = pl_resize(block, size = kept + BLOCK, 1); /* a record may be longer than a block */
        ssize_t n = pread(fd, block + kept, size - kept, (off_t)(place->bytes + (int64_t)kept));
        if (n < 0) {
            status = errno == EINTR ? 0 : pl_fail(err, PL_EIO, "cannot read %s: %s", path, strerror(errno));
            continue;
        }
        end = n == 0;
        size_t count = kept + (size_t)n;
        int64_t taken = take_block(block, count, place, &stopped, take, self);
        status = taken < 0 ? (int)taken : 0;
        kept = status ? 0 : count - (size_t)taken;
        done += status ? 0 : (size_t)taken;
        if (kept)
            memmove(block, block + taken, kept);
    }
    *more = !end && !stopped && !status;
    free(block);
    close(fd);
    return status;
}
