/* The protocol between supervisor and workers: one JSON object a line, see docs/sweeps.md. The supervisor writes orders
 * and reads events; a worker reads orders and writes events. Nothing here knows how lines travel: through pipes, a
 * socket or a file.
 *
 * Threading: a reader belongs to the thread that calls it; writing only appends to the text that is given. */
#ifndef PL_SWEEP_PROTOCOL_H
#define PL_SWEEP_PROTOCOL_H

#include "sweep/sweep.h"

enum { PL_METRIC_SIZE = 256 }; /* a longer name is cut */
enum { PL_PROTOCOL_VERSION = 6, PL_LINE_LIMIT = 256 << 20 };

/* What a worker is told: to train a run; to give back what it has not begun; to do so and stop. */
enum pl_message { PL_MESSAGE_ORDER, PL_MESSAGE_RECALL, PL_MESSAGE_STOP };
#define PL_RECALL_LINE "{\"recall\":true}\n"
#define PL_STOP_LINE "{\"stop\":true}\n"
/* Tells them apart by their beginning; an order (with its run) is read in full only when it is begun. */
int pl_message_read(const char *line, size_t length, enum pl_message *kind, int64_t *run, struct pl_error *err);

struct pl_order {
    int64_t run, seed;
    int threads;
    int slot; /* of pl_run_request, like the next two */
    bool same_isa;
    double grace, limit;
    const char *settings; /* canonical text */
    const char *folder;   /* or NULL */
    const char *owner;    /* of the folder, or NULL */
    double epochs;        /* that are declared, or 0 */
    double until;         /* of pl_run_request, like the next one */
    bool restart;
    bool continued; /* there were attempts before, which left this: */
    struct pl_kept kept[PL_AXIS_COUNT];
    const char *reading; /* of a command's output, see pl_run_request; or NULL */
    const char *home;    /* of a command's directory, likewise */
    const char *data;    /* the folder of data sets, or NULL */
};
void pl_order_write(const struct pl_order *order, struct pl_text *out);
/* Does an order, or the text of its settings, name a command? */
bool pl_order_is_of_command(const char *text);
/* Reads orders; holds the settings of the last one, which are read only when they differ. Zero-initialise. */
struct pl_order_reader {
    struct pl_settings settings;
    int64_t reads; /* how often they have changed */
    struct pl_text text;
};
/* Strings are decoded in place: order points into line, which needs a NUL at its end. */
int pl_order_read(char *line, size_t length, struct pl_order_reader *reader, struct pl_order *order,
                  struct pl_error *err);
void pl_order_reader_release(struct pl_order_reader *reader);

/* What a worker says. */
enum pl_event_kind { PL_EVENT_READY, PL_EVENT_START, PL_EVENT_POINTS, PL_EVENT_LOG, PL_EVENT_END, PL_EVENT_DROPPED };

struct pl_event {
    enum pl_event_kind kind;
    int64_t run;
    double time; /* start: seconds since 1970 */
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
    } * series;
    size_t series_count;
    const char *line; /* log */
    /* end */
    enum pl_outcome outcome;
    int64_t values;
    double bad_epoch, reached;
    int exit_code, signal;
    const char *reason; /* or NULL */
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
/* Writes everything in the list (series with the same epochs share a line) and returns the number of values. */
int64_t pl_event_write_points(int64_t run, const struct pl_series_list *list, struct pl_text *out);
void pl_event_write_log(int64_t run, const char *line, struct pl_text *out);
void pl_event_write_log_lines(int64_t run, const char *log, struct pl_text *out); /* an event for each whole line */
void pl_event_write_end(int64_t run, const struct pl_run_result *result, int64_t values, double seconds,
                        struct pl_text *out);

/* Values as text: 16 hexadecimal digits for each, the bits of the double. Exact for every value, and NaN and the
 * infinities need no exception. */
void pl_bits_write(const double *values, size_t count, struct pl_text *out);
bool pl_bits_read(const char *text, size_t count, double *values);

#endif
