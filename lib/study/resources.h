/* What a task of a study may use of a cluster: resources: {cpus: 4, memory: 8G, time: 4h, ...}. They belong to a study
 * and never to the keys of its runs: with more memory a run is the same run. */
#ifndef PL_STUDY_RESOURCES_H
#define PL_STUDY_RESOURCES_H

#include "base/base.h"

/* A list of texts, in the order in which they were given. */
struct pl_texts {
    char **items;
    size_t count;
};

struct pl_resources {
    int64_t cpus;           /* of a task; 0: not said */
    double memory;          /* bytes of a task; 0: not said */
    double time;            /* seconds of a task; 0: not said */
    int64_t gpus;           /* of a task */
    char *partition;        /* or NULL */
    char *account;          /* or NULL */
    struct pl_texts sbatch; /* options of sbatch as they are, "--constraint=avx512" */
    struct pl_texts setup;  /* lines of shell before the work */
};

/* "8G", "500M", "1.5T", "1048576K"; a bare number is megabytes, as in Slurm. False where text is no such thing. */
bool pl_memory_read(const char *text, double *bytes);
/* "4h", "90m", "30s", "2d", "1-12:00:00", "04:30:00", "30:00"; a bare number is minutes, as in Slurm. */
bool pl_duration_read(const char *text, double *seconds);
/* "8G", "512M"; "4h", "1d 12h", "90s": as people read them, and as the functions above read them again. */
void pl_memory_write(double bytes, struct pl_text *out);
void pl_duration_write(double seconds, struct pl_text *out);

/* Refuses options of sbatch that poula sets itself (names, arrays, output, time, memory, signals, requeueing and so
 * on), with PL_EINPUT and a sentence that says what to use instead. */
int pl_resources_check_sbatch(const char *option, struct pl_error *err);

/* Copies; over's values, where it has any, take the place of those of resources (its lists, where they are not empty,
 * take the place of the whole list). */
void pl_resources_copy(struct pl_resources *to, const struct pl_resources *from);
void pl_resources_override(struct pl_resources *resources, const struct pl_resources *over);
void pl_resources_release(struct pl_resources *resources);

#endif
