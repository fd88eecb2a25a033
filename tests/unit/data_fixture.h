/* Folders, archives and images made up for tests of data sets. */
#ifndef DATA_FIXTURE_H
#define DATA_FIXTURE_H

#include "data/images/images_priv.h"

#include <archive.h>
#include <archive_entry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[200]; /* a fresh one for every test */

static inline int make_folder(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.150s/poula-data.XXXXXX", temporary ? temporary : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* A path in the folder; good until the fourth call after it. */
static inline const char *in_folder(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline const char *in_folder(const char *format, ...)
{
    static char paths[4][400];
    static int next;
    char *path = paths[next++ % 4];
    int length = snprintf(path, sizeof paths[0], "%s/", folder);
    va_list args;
    va_start(args, format);
    vsnprintf(path + length, sizeof paths[0] - (size_t)length, format, args);
    va_end(args);
    return path;
}

static inline void write_file(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void read_file(const char *path, struct pl_text *text) __attribute__((unused));
static void read_file(const char *path, struct pl_text *text)
{
    struct pl_error err = {0};
    if (pl_file_read(path, (size_t)1 << 30, text, &err))
        fail_msg("%s", err.text);
}

__attribute__((unused)) static size_t count_entries(const char *path)
{
    DIR *handle = opendir(path);
    struct dirent *entry;
    size_t count = 0;
    assert_non_null(handle);
    while ((entry = readdir(handle)))
        count += entry->d_name[0] != '.';
    closedir(handle);
    return count;
}

#endif
