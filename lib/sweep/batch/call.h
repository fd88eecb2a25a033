/* Calls a command of a batch system: no shell, what it prints within limits, and never for longer than a time. Whatever
 * it started ends with it. It is not interrupted by what ends poula: half an sbatch is worse than a whole one. */
#ifndef PL_SWEEP_BATCH_CALL_H
#define PL_SWEEP_BATCH_CALL_H

#include "base/base.h"

/* What became of it. Zero-initialise; a call replaces what was there. */
struct pl_call {
    struct pl_text out;  /* its standard output */
    struct pl_text said; /* the first 16 KiB of its standard error, without the newline at the end */
    int exit_code;       /* -1: a signal ended it */
    int signal;          /* 0: none did */
};

/* Runs words (the program, looked up in PATH, its arguments, NULL) with an environment; standard input is empty.
 * Returns 0 when it ended within that many seconds, however it ended; PL_EMISSING when there is no such program,
 * PL_ETIMEOUT when it was ended after that time, PL_EIO when it could not be started or printed more than 256 MiB. */
int pl_call_run(struct pl_call *call, const char *const *words, char *const *environment, double seconds,
                struct pl_error *err);
/* Fails with PL_EIO and what it said: "squeue: ...", or how it ended where it said nothing. */
int pl_call_fail(const struct pl_call *call, const char *program, struct pl_error *err);
void pl_call_release(struct pl_call *call);

#endif
