/* What a task is told: one file of a submission's folder, written before anything is submitted and never changed. Its
 * first line says what the task is, then comes an order of the worker protocol for each run, and a last line by which a
 * cut file is known. */
#ifndef PL_SWEEP_BATCH_ORDER_FILE_H
#define PL_SWEEP_BATCH_ORDER_FILE_H

#include "base/base.h"

struct pl_order_head {
    const char *submission; /* its name */
    const char *owner;      /* the database's token */
    const char *system;     /* the batch system */
    const char *version;    /* of poula that wrote it */
    int64_t task, runs;
    int64_t workers;  /* at a time; 0: as many as the task's cores allow */
    int64_t threads;  /* of each */
    int64_t requeues; /* times that the task may be started again */
    double timeout;   /* seconds a run may take; 0: any */
    double warning;   /* seconds between the warning and the end of the task's time */
};

/* "FOLDER/orders-TASK" */
void pl_order_file_path(const char *folder, int64_t task, struct pl_text *path);
/* Appends the first line, and the last one: orders are the lines between them. */
void pl_order_file_begin(const struct pl_order_head *head, struct pl_text *out);
void pl_order_file_end(struct pl_text *out);

/* A file that was read: its head and its lines point into text. */
struct pl_order_file {
    struct pl_order_head head;
    struct pl_text text;
    char **lines; /* head.runs of them, each with a NUL at its end */
    struct pl_pool pool;
};
/* Fails with PL_EMISSING, PL_EIO, or PL_ECORRUPT when it is not whole. */
int pl_order_file_read(const char *folder, int64_t task, struct pl_order_file *file, struct pl_error *err);
void pl_order_file_release(struct pl_order_file *file);

#endif
