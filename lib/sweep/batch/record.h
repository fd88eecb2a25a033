/* What a journal holds besides the events of workers: what the task is, and that nothing more will come. */
#ifndef PL_SWEEP_BATCH_RECORD_H
#define PL_SWEEP_BATCH_RECORD_H

#include "base/base.h"

/* The first record of a journal. */
struct pl_journal_head {
    int64_t task, attempt, restarts; /* restarts: by the batch system */
    double time;                     /* seconds since 1970, by the node's clock */
    char submission[128];            /* its name */
    char job[96];                    /* array and index in the batch system: "123_4"; "" outside of one */
    char node[64];
};
void pl_journal_head_write(const struct pl_journal_head *head, struct pl_text *out);
bool pl_journal_head_read(const char *record, struct pl_journal_head *head);

/* That the task is there, when nothing else says so for long. */
#define PL_BEAT_LINE "{\"beat\":true}\n"

/* The last record. */
enum pl_task_over {
    PL_OVER_DONE,   /* every run has ended */
    PL_OVER_AGAIN,  /* the batch system starts the task again */
    PL_OVER_LEFT,   /* it was stopped, or must not go on; what it did not do is given back */
    PL_OVER_BROKEN, /* it cannot work here; the same, and somebody should look */
    PL_OVER_COUNT
};
void pl_task_over_write(enum pl_task_over how, const char *reason, struct pl_text *out);
/* reason is cut where it is longer than size. */
bool pl_task_over_read(const char *record, enum pl_task_over *how, char *reason, size_t size);

#endif
