/* Errors: a function that can fail returns 0 or a negative code and fills a struct pl_error with one
 * complete sentence. On success the error is untouched. Positive returns are expected outcomes. */
#ifndef PL_BASE_ERROR_H
#define PL_BASE_ERROR_H

#include <stdarg.h>

enum pl_error_code {
    PL_EINPUT = -1,    /* the user's input is wrong: exit code 2 */
    PL_EIO = -2,       /* a file, pipe or process failed */
    PL_EMEMORY = -3,   /* a large allocation was refused */
    PL_EDATABASE = -4, /* the results database failed, is locked for too long, or the disk is full */
    PL_ECORRUPT = -5,  /* a file is not what it claims to be */
    PL_EVERSION = -6,  /* a file or a worker belongs to another poula */
    PL_EMISSING = -7,  /* a named thing does not exist */
    PL_ESTOPPED = -8,  /* a signal asked to stop */
    PL_ETIMEOUT = -9,  /* no answer in time: it may have been done, or not */
    PL_ELIMIT = -10,   /* a limit of somebody else's refuses it for now */
};

struct pl_error {
    int code;
    char text[1000];
};

/* Fills err (which may be NULL) with the formatted sentence and returns code, so that a failing
 * function ends in `return pl_fail(err, PL_EIO, "cannot open %s: %s", path, strerror(errno));`.
 * A text that is too long is cut. The arguments may quote err->text itself. */
int pl_fail(struct pl_error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
