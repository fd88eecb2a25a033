/* Parts of the batch system Slurm: its words (slurm_words.c), what its commands print (slurm_read.c), what it is told
 * (slurm_script.c), what became of tasks (slurm_look.c), and the calls (slurm.c). What reads only reads texts and calls
 * nothing, so that tests can give it what other versions print. */
#ifndef PL_SWEEP_BATCH_SLURM_H
#define PL_SWEEP_BATCH_SLURM_H

#include "sweep/batch/call.h"
#include "sweep/batch/system.h"

/* Where a report comes from; an earlier one is believed before a later one. */
enum pl_slurm_source {
    PL_SLURM_ALIVE, /* squeue, of what is not over */
    PL_SLURM_ENDED, /* squeue, of everything that the controller has in memory */
    PL_SLURM_JOB,   /* scontrol show job */
    PL_SLURM_PAST,  /* sacct */
};

/* ---- words ---- */

/* What a state means, also cut ("OUT_OF_ME+") or with more behind it ("CANCELLED by 1234"). One that is not known is
 * running where only what is alive is listed, else unknown. */
enum pl_task_state pl_slurm_state(const char *word, enum pl_slurm_source source);
/* Does what a command said mean that there is no such job? */
bool pl_slurm_says_gone(const char *said);
/* Does it mean that this cluster keeps no accounts? */
bool pl_slurm_says_no_accounts(const char *said);
/* Why sbatch, which ended with an exit code that is not 0, took nothing: PL_ELIMIT, PL_ETIMEOUT (it may have been taken
 * all the same), PL_EIO (the controller was not reached) or PL_EINPUT (refused for ever). */
int pl_slurm_refusal(const char *said);

/* ---- what commands print ---- */

struct pl_slurm_hearer {
    void *self;
    void (*task)(void *self, const struct pl_task_report *report);
};
#define PL_SLURM_SQUEUE "%i|%T|%N|%S|%e|%V|%r"
#define PL_SLURM_SACCT "JobID,State,NodeList,Submit,Start,End,ExitCode"
/* Tell of every task of an array in what squeue -o PL_SLURM_SQUEUE, scontrol show job -o and sacct -P -o PL_SLURM_SACCT
 * printed, and skip jobs that are no arrays. Strings of a report last as long as the call; the text is written to.
 * Fail with PL_EIO where something is not understood, or the last line is cut; what came before was told. */
int pl_slurm_read_squeue(struct pl_text *text, enum pl_slurm_source source, const struct pl_slurm_hearer *hearer,
                         struct pl_error *err);
int pl_slurm_read_jobs(struct pl_text *text, const struct pl_slurm_hearer *hearer, struct pl_error *err);
int pl_slurm_read_sacct(struct pl_text *text, const struct pl_slurm_hearer *hearer, struct pl_error *err);

/* "17" or "17;cluster", after whatever a site's wrapper prints before it. */
bool pl_slurm_read_submitted(const char *printed, char id[PL_ARRAY_ID_SIZE]);
/* The array of that name in lines "ID|NAME" (ids as squeue %F and sacct write them); of several the oldest. */
bool pl_slurm_read_name(const char *lines, const char *name, char id[PL_ARRAY_ID_SIZE]);
/* The same in what scontrol show job -o printed. */
bool pl_slurm_read_job_name(const char *lines, const char *name, char id[PL_ARRAY_ID_SIZE]);
/* A value of what scontrol prints: "KEY = value" in lines, or KEY=value among words. Returns whether it is there. */
bool pl_slurm_value(const char *printed, const char *key, char *value, size_t size);
/* Times of a partition: "1-12:00:00"; 0 for UNLIMITED and NONE. */
double pl_slurm_read_time(const char *text);
/* The smallest number among the fields of lines "a|b|c"; empty ones are none. 0 where there is none. */
int64_t pl_slurm_smallest(const char *lines);

/* ---- calls ---- */

/* Calls a command other than sbatch, without the filters and formats that its user has set for it: times are seconds
 * since 1970. Returns 0 however it ended. */
int pl_slurm_call(struct pl_call *call, const char *const *words, struct pl_error *err);
/* Seconds that a call may take: $POULA_SLURM_TIMEOUT, else 30. */
double pl_slurm_patience(void);

int pl_slurm_script(const struct pl_array *array, struct pl_text *out, struct pl_error *err);
int pl_slurm_look(const char *const *ids, size_t count, void (*report)(void *self, const struct pl_task_report *report),
                  void *self, struct pl_error *err);

#endif
