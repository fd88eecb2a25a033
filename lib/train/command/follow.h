/* A file of metrics that a program writes: CSV with a header, or JSON lines. */
#ifndef PL_TRAIN_FOLLOW_H
#define PL_TRAIN_FOLLOW_H

#include "train/command/command_priv.h"

/* Zero-initialise. */
struct pl_follow {
    char *path; /* the last component may have * and ?: then it is the newest such file */
    enum pl_line_origin origin;
    struct pl_text seen; /* the content that was read, or was there before */
    size_t taken;        /* bytes of it that were taken as lines */
    bool begun, over;    /* over: too large, nothing more is read */
    double next_look;    /* of pl_clock_steady */
    int64_t size;        /* of the file, and its time, when it was looked at */
    int64_t seconds, nanoseconds;
    uint64_t inode;
};

/* Begins: what the file holds now is older, and nothing of it is read but a header. */
void pl_follow_begin(struct pl_follow *follow, const char *path, enum pl_line_origin origin,
                     struct pl_reading *reading);
/* Reads what has come. A file that was written anew is read from its beginning. last: the program has ended, so that a
 * line without a newline is whole if whole. Returns whether there was anything new. */
bool pl_follow_look(struct pl_follow *follow, struct pl_reading *reading, bool last, bool whole);
void pl_follow_release(struct pl_follow *follow);

#endif
