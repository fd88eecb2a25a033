/* Internals of sweep: the lines between supervisor and workers, and what starts a worker. */
#ifndef PL_SWEEP_PRIV_H
#define PL_SWEEP_PRIV_H

#include "sweep/sweep.h"

#include <sys/types.h>

/* ---- studies that wait for the tables of others (choices.c) ---- */

struct pl_choices *pl_choices_new(const struct pl_sweep_source *sources, size_t count);
void pl_choices_free(struct pl_choices *choices);
/* Does entry take settings from source? */
bool pl_sweep_plan_feeds(const struct pl_sweep_study *source, const struct pl_sweep_study *entry);
/* The first study that an entry still has to wait for, or NULL: it waits itself, or has runs that are missing or failed. */
const struct pl_sweep_study *pl_sweep_plan_blocking(const struct pl_sweep_plan *plan, const struct pl_sweep_study *entry);
/* Reads the tables that an entry takes settings from and gives them to its spec. */
int pl_sweep_plan_choose(struct pl_sweep_plan *plan, const struct pl_sweep_study *entry, struct pl_store *store,
                   struct pl_text *problems, struct pl_error *err);

/* Appends to libraries what commands are told by the user's environment (provenance.c). */
void pl_provenance_told(bool insist, struct pl_text *libraries);

/* ---- protocol: one JSON object a line, see docs/sweeps.md ---- */

enum { PL_METRIC_SIZE = 256 }; /* a longer name is cut */
enum { PL_PROTOCOL_VERSION = 4, PL_LINE_LIMIT = 256 << 20 };

/* What a worker is told: to train a run; to give back what it has not begun; to do so and stop. */
enum pl_message { PL_MESSAGE_ORDER, PL_MESSAGE_RECALL, PL_MESSAGE_STOP };
#define PL_RECALL_LINE "{\"recall\":true}\n"
#define PL_STOP_LINE "{\"stop\":true}\n"
/* Tells them apart by their beginning; an order (with its run) is read in full only when it is begun. */
int pl_message_read(const char *line, size_t length, enum pl_message *kind, int64_t *run, struct pl_error *err);

struct pl_order {
    int64_t run, seed;
    int threads;
    const char *settings; /* canonical text */
    const char *folder;   /* or NULL */
    const char *owner;    /* of the folder, or NULL */
    double epochs;        /* that are declared, or 0 */
    bool continued;       /* there were attempts before, which left this: */
    struct pl_kept kept[PL_AXIS_COUNT];
    const char *reading;  /* of a command's output, see pl_run_request; or NULL */
    const char *home;     /* of a command's directory, likewise */
    const char *data;     /* the folder of data sets, or NULL */
};
void pl_order_write(const struct pl_order *order, struct pl_text *out);
/* Reads orders; holds the settings of the last one, which are read only when they differ. Zero-initialise. */
struct pl_order_reader {
    struct pl_settings settings;
    struct pl_text text;
};
/* Strings are decoded in place: order points into line, which needs a NUL at its end. */
int pl_order_read(char *line, size_t length, struct pl_order_reader *reader, struct pl_order *order,
                  struct pl_error *err);
void pl_order_reader_release(struct pl_order_reader *reader);

/* What a worker says. */
enum pl_event_kind { PL_EVENT_READY, PL_EVENT_START, PL_EVENT_POINTS, PL_EVENT_LOG, PL_EVENT_END,
                     PL_EVENT_DROPPED };

struct pl_event {
    enum pl_event_kind kind;
    int64_t run;
    double time;         /* start: seconds since 1970 */
    /* ready; of a worker with another protocol nothing more is read */
    int64_t protocol;
    struct pl_provenance worker; /* host, cpu, isa, version, compiler, libraries */
    /* dropped: count runs; points: count epochs, and as many values for each series */
    const int64_t *runs;
    const double *epochs;
    size_t count;
    const struct pl_event_series {
        const char *metric;
        enum pl_series_axis axis;
        const double *values;
    } *series;
    size_t series_count;
    const char *line;    /* log */
    /* end */
    enum pl_outcome outcome;
    int64_t values;
    double bad_epoch;
    int exit_code, signal;
    const char *reason;  /* or NULL */
    double seconds;
    int64_t unread;
    const char *unread_example; /* or NULL */
    int64_t unsaved;
    const char *unsaved_example; /* or NULL */
};

/* Reads events; owns the numbers that an event points at until the next call. Zero-initialise. */
struct pl_event_reader {
    int64_t *runs;
    size_t run_capacity;
    double *epochs;
    size_t epoch_capacity;
    struct pl_event_series *series;
    size_t series_capacity;
    double *values;
    size_t value_capacity;
};
/* Fails with PL_ECORRUPT when the line is not an event. Strings are decoded in place: event points into line, which
 * needs a NUL at its end. */
int pl_event_read(struct pl_event_reader *reader, char *line, size_t length, struct pl_event *event,
                  struct pl_error *err);
void pl_event_reader_release(struct pl_event_reader *reader);

void pl_event_write_ready(const struct pl_provenance *worker, struct pl_text *out);
void pl_event_write_start(int64_t run, double time, struct pl_text *out);
/* Writes everything in the record (series with the same epochs share a line) and returns the number of values. */
int64_t pl_event_write_points(int64_t run, const struct pl_run_values *record, struct pl_text *out);
void pl_event_write_log(int64_t run, const char *line, struct pl_text *out);
void pl_event_write_end(int64_t run, const struct pl_run_result *result, int64_t values, double seconds,
                        struct pl_text *out);

/* Values as text: 16 hexadecimal digits for each, the bits of the double. Exact for every value, and NaN and the
 * infinities need no exception. */
void pl_bits_write(const double *values, size_t count, struct pl_text *out);
bool pl_bits_read(const char *text, size_t count, double *values);

/* ---- executors: what starts, stops and buries worker processes ---- */

struct pl_process {
    pid_t pid;           /* 0: none */
    int in, out, log;    /* to its stdin, from its stdout and stderr; -1: closed */
};

struct pl_executor {
    const char *name;
    /* insist: see pl_sweep_options. */
    int (*start)(const char *const *argv, int threads, bool insist, struct pl_process *process, struct pl_error *err);
    /* Ends the process and what it started with a signal. */
    void (*kill)(const struct pl_process *process, int signal);
    /* Returns 1 and fills status (as waitpid does) when the process is gone, else 0. */
    int (*reap)(const struct pl_process *process, bool wait, int *status);
};
extern const struct pl_executor pl_executor_local;

/* ---- tasks: claimed runs until they are written down ---- */

struct pl_claimed_series {
    char metric[PL_METRIC_SIZE];
    enum pl_series_axis axis;
    enum pl_direction direction; /* in the study, for people who watch */
    double *epochs, *values; /* that are not in the database yet */
    size_t count, capacity;
    double best;         /* best finite value so far; NaN: none */
};

/* What workers run on that is not what the supervisor runs on. */
struct pl_worker_host {
    struct pl_worker_host *next;
    struct pl_provenance what;
    int64_t number;      /* in the database; 0: not there yet */
};

/* The canonical settings of a configuration, shared by its runs. */
struct pl_config_text {
    int64_t config;
    int users;
    char *text;
};
struct pl_config_text *pl_config_text_new(int64_t config, const struct pl_settings *settings);
void pl_config_text_drop(struct pl_config_text *shared);

struct pl_claimed {
    struct pl_claim claim;
    struct pl_config_text *settings;
    struct pl_sweep_study *study;
    struct pl_claimed_series *series;
    size_t series_count, series_capacity;
    int64_t received;    /* values that arrived */
    bool started, ended;
    bool lost;           /* the run is another sweep's by now */
    struct pl_worker_host *host; /* of the worker that ended it; NULL: as the session */
    bool begun;          /* the database knows that it is at work */
    bool forgotten[PL_AXIS_COUNT]; /* what this attempt replaces of earlier ones' values was dropped */
    double epochs;       /* that are declared, or 0 */
    struct pl_kept kept[PL_AXIS_COUNT]; /* when it is not the first attempt */
    struct pl_ending ending;
    char reason[500], unread_example[200], unsaved_example[300];
    struct pl_text log;
    struct pl_claimed *next;
};

/* A queue of tasks. */
struct pl_claimed_queue {
    struct pl_claimed *first, *last;
    size_t count;
};
void pl_claimed_push(struct pl_claimed_queue *tasks, struct pl_claimed *task);
struct pl_claimed *pl_claimed_pop(struct pl_claimed_queue *tasks);
/* Moves all of more in front of tasks. */
void pl_claimed_prepend(struct pl_claimed_queue *tasks, struct pl_claimed_queue *more);
void pl_claimed_free_all(struct pl_claimed_queue *tasks);

struct pl_claimed *pl_claimed_new(struct pl_claimed_queue *spare);
/* Gives the task's memory to spare for the next one. */
void pl_claimed_recycle(struct pl_claimed *task, struct pl_claimed_queue *spare);
void pl_claimed_free(struct pl_claimed *task);
void pl_claimed_points(struct pl_claimed *task, const struct pl_event *event);
void pl_claimed_log(struct pl_claimed *task, const char *line, size_t length);
void pl_log_keep_end(struct pl_text *text); /* drops what is far from the end */
size_t pl_claimed_pending(const struct pl_claimed *task); /* bytes of values that wait to be written */

#endif
