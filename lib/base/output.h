/* A file that is written for somebody. Under its name stands the old content or the whole new one, never a part; what a
 * name leads to is respected:
 *
 *  - a symbolic link stays, and the file it leads to is written;
 *  - a device, a FIFO or an open descriptor (/dev/stdout, /dev/fd/3) is written into, as the shell's > does;
 *  - a file that exists keeps its permissions, a new one gets what the umask leaves of 0666, from its first byte on;
 *  - an SQLite database, its log or its journal is not overwritten, under whichever name: PL_EINPUT. */
#ifndef PL_BASE_OUTPUT_H
#define PL_BASE_OUTPUT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct pl_output {
    int file;        /* to write to */
    char *path;      /* as given, for messages */
    char *target;    /* what it leads to; NULL: written in place */
    char *temporary; /* beside the target; NULL: written in place */
};

enum pl_output_kind {
    PL_OUTPUT_FILE,     /* anything but a database: tables, figures, weights */
    PL_OUTPUT_DATABASE, /* a database as a whole: may take the place of another one, but not of a log or journal */
};

/* Opens path. Fails with PL_EINPUT where path cannot be the name of a file or is a
 * database, with PL_EIO otherwise. */
int pl_output_open(struct pl_output *output, const char *path, enum pl_output_kind kind, struct pl_error *err);
/* Ends it. keep: what was written takes its name, after an fsync; otherwise the old content stays. Releases output in
 * any case. Fails with PL_EIO. problem: an errno of a write that failed before, or 0. */
int pl_output_close(struct pl_output *output, bool keep, int problem, struct pl_error *err);

/* Writes all bytes. Returns 0 or an errno. */
int pl_output_write(const struct pl_output *output, const void *bytes, size_t count);

/* Does the name lead to something that is written into instead of being replaced? */
bool pl_output_in_place(const char *path);

#endif
