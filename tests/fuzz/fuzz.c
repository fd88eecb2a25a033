#include "fuzz.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fuzz_must(bool kept, const char *promise, const char *file, int line)
{
    if (kept)
        return;
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, promise);
    abort();
}

void fuzz_must_say(int status, const struct pl_error *err)
{
    MUST((status < 0) == (err->text[0] != '\0'));
    MUST(status >= 0 || err->code == status);
}

/* ---- files */

static char folder[4000];

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info, (void)type, (void)where;
    return remove(path);
}

void fuzz_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_folder(void)
{
    fuzz_remove(folder);
}

const char *fuzz_folder(void)
{
    const char *where = getenv("TMPDIR");
    if (!*folder) {
        snprintf(folder, sizeof folder, "%s/poula-fuzz.XXXXXX", where && *where ? where : "/tmp");
        MUST(mkdtemp(folder));
        atexit(remove_folder);
    }
    return folder;
}

const char *fuzz_path(const char *name)
{
    static char paths[4][sizeof folder + 300];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", fuzz_folder(), name);
    return path;
}

const char *fuzz_file(const char *name, const void *bytes, size_t size)
{
    const char *path = fuzz_path(name);
    FILE *file = fopen(path, "wb");
    MUST(file && fwrite(bytes, 1, size, file) == size);
    MUST(!fclose(file));
    return path;
}

/* ---- bytes */

uint64_t fuzz_take(struct fuzz_bytes *bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count && bytes->left; i++, bytes->left--)
        value |= (uint64_t)*bytes->at++ << 8 * i;
    return value;
}

size_t fuzz_take_bytes(struct fuzz_bytes *bytes, void *out, size_t size)
{
    size_t count = size < bytes->left ? size : bytes->left;
    if (count)
        memcpy(out, bytes->at, count);
    bytes->at += count;
    bytes->left -= count;
    return count;
}
