/* Parts of the task kind `command`: the words of the program, its process, and the lines it writes. */
#ifndef PL_TRAIN_COMMAND_PRIV_H
#define PL_TRAIN_COMMAND_PRIV_H

#include "train/train_priv.h"

/* A program's words with every placeholder replaced, ending in NULL as execvp wants them. */
struct pl_words {
    char **words;
    size_t count;
};
/* request->seed, threads and folder serve {seed}, {threads} and {run_folder}. */
int pl_words_expand(struct pl_words *words, const struct pl_run_request *request, struct pl_error *err);
void pl_words_release(struct pl_words *words);

/* What the lines of a program say, and what came of them. Zero-initialise. */
struct pl_reading {
    const struct pl_sink *sink;
    struct pl_reading_series *series;
    size_t count, capacity;
    int64_t epoch;           /* of the last line with metrics */
    bool any;                /* was any metric reported? */
    char last_error[200];    /* the last line on stderr that was not blank */
};
/* Takes one line of stdout (without its newline; bytes may be anything): reports its metrics, or logs it. */
void pl_reading_output(struct pl_reading *reading, const char *line, size_t length);
/* Takes one line of stderr. */
void pl_reading_error(struct pl_reading *reading, const char *line, size_t length);
/* The first epoch from which on a loss-like metric stayed non-finite to the end, and its name; -1: none. */
int64_t pl_reading_bad_epoch(const struct pl_reading *reading, const char **metric);
void pl_reading_release(struct pl_reading *reading);

/* Runs the program to its end, feeding its lines to reading, and fills in how it ended: exit_code, signal,
 * and outcome PL_FINISHED (exit code 0), PL_FAILED or PL_INTERRUPTED with the reason. Nothing of the
 * program's process group is left running. */
void pl_process_run(char *const *words, const char *directory, const struct pl_sink *sink,
                    struct pl_reading *reading, struct pl_run_result *result);

#endif
