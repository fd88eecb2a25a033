/* Parts of the task kind `command`: the words of the program, its process, and the lines it writes. */
#ifndef PL_TRAIN_COMMAND_PRIV_H
#define PL_TRAIN_COMMAND_PRIV_H

#include "train/command/line.h"
#include "train/command/pattern.h"
#include "train/train_priv.h"

#include <sys/types.h>

/* A program's words with every placeholder replaced, ending in NULL as execvp wants them. */
struct pl_words {
    char **words;
    size_t count, capacity;
};
/* What stands for {run_folder} where there is none, because nothing will be run. */
#define PL_NO_FOLDER "/{run_folder}"
/* request->seed, threads, slot, until and folder serve {seed}, {threads}, {slot}, {until} and {run_folder}. */
/* One text with its placeholders replaced, appended to out. */
int pl_word_expand(const struct pl_run_request *request, const char *word, struct pl_text *out, struct pl_error *err);
/* The folder that the program starts in, replacing out's text. */
void pl_command_directory(const struct pl_run_request *request, struct pl_text *out);
/* Is the key one of this task's own settings (command, directory, ...), and none of the program's? */
bool pl_command_is_own(const char *key);
int pl_words_expand(struct pl_words *words, const struct pl_run_request *request, struct pl_error *err);
/* Does a word ask for {run_folder}? Then the program may go on from what it left there. */
bool pl_words_ask_folder(const struct pl_settings *settings);
void pl_words_release(struct pl_words *words);

/* Metrics whose position only the next one that is stated can tell. */
struct pl_waiting {
    struct pl_waiting_pair {
        struct pl_line_pair pair;
        long ahead;
    } * list;
    size_t count, capacity;
    size_t taken; /* in all, those that have found their place too */
    long ahead;   /* by so much the newest of them would be beyond the source's position, if lines were counted */
};

/* An object of which some lines have come. Zero-initialise. */
struct pl_open_object {
    struct pl_text text; /* its lines, parted by newlines */
    size_t pieces;       /* 0: there is none */
    int depth;
    bool plain;
};
enum pl_joining {
    PL_JOIN_NOT,    /* the line is none of an object over several lines */
    PL_JOIN_MORE,   /* it was kept */
    PL_JOIN_WHOLE,  /* it was kept, and is the last one */
    PL_JOIN_BROKEN, /* it was not kept, and those that were are no object */
};
enum pl_joining pl_object_join(struct pl_open_object *open, const char *text);
void pl_open_object_release(struct pl_open_object *open);

/* Where lines come from. Each has its own position and its own table. */
enum pl_line_origin { PL_FROM_OUTPUT, PL_FROM_ERROR, PL_FROM_FILE, PL_FROM_METRICS, PL_ORIGIN_COUNT };
struct pl_reading_source {
    struct pl_line_table table;
    struct pl_open_object open;
    enum pl_series_axis axis;
    double position; /* of the last line with metrics, or that a heading stated */
    bool heading;    /* a line with nothing else stated it: the lines that follow belong there */
    long stated;  /* lines with metrics that said where they belong; after two of them those without belong there too */
    bool counted; /* nothing stated it: it is the next number */
    bool begun;
    bool evaluated; /* the first line that stated it told of a set that is not trained on */
    struct pl_text before,
        repeated;    /* names of metrics that came before it, once and more often: each between newlines */
    bool back;       /* a position was stated that is below the one before it */
    bool replacing;  /* since then a metric was stated again */
    double replaced; /* there */
    bool behind;     /* a position is stated behind what belongs there: lines without one wait for the next */
    struct pl_waiting waiting;
};

/* How a study wants them read. Zero-initialise. */
struct pl_reading_options {
    struct pl_pattern **patterns; /* that come before the built-in rules */
    size_t pattern_count;
    char *metrics_file; /* with placeholders, or NULL */
    bool error_too;     /* metrics are read from standard error as well */
    double stall;       /* seconds without output after which a run has failed; 0: never */
};
/* json NULL: none. */
int pl_reading_options_read(struct pl_reading_options *options, const char *json, struct pl_error *err);
void pl_reading_options_release(struct pl_reading_options *options);

/* What the lines of a program say, and what came of them. Zero-initialise. */
struct pl_reading {
    const struct pl_sink *sink;
    const struct pl_reading_options *options; /* NULL: none */
    struct pl_reading_series *series;
    size_t count, capacity, next;
    struct pl_reading_source sources[PL_ORIGIN_COUNT];
    struct pl_lines lines;
    double first_step; /* where metrics belong that come before the first step is stated */
    bool at_once;      /* lines are counted as they come, as somebody waits for the numbers */
    bool any;          /* was any metric reported? */
    bool again;        /* positions began again, and it was told */
    size_t nulls;      /* metrics that were null */
    bool crowded;      /* there were more metrics than are recorded */
    int64_t unread;    /* lines that looked like metrics and were not wholly understood */
    char unread_example[200];
    char last_error[200]; /* the last line on stderr that was not blank */
};
/* Lines without a position continue after the last epoch that earlier attempts recorded, and what comes before the
 * first step belongs to their last one (NaN: none). */
void pl_reading_continue(struct pl_reading *reading, double kept_epoch, double kept_step);
/* Takes one line (without its newline; bytes may be anything): reports its metrics, or logs it. Of a line that is not
 * whole, nothing is read. */
void pl_reading_line(struct pl_reading *reading, enum pl_line_origin origin, const char *line, size_t length,
                     bool whole);
/* The same of a file of metrics, of which nothing is logged. */
void pl_reading_row(struct pl_reading *reading, enum pl_line_origin origin, const char *line, size_t length,
                    bool whole);
/* What a file held before the program began: only its header counts. */
void pl_reading_old_row(struct pl_reading *reading, enum pl_line_origin origin, const char *line, size_t length);
/* The origin begins anew. */
void pl_reading_restart(struct pl_reading *reading, enum pl_line_origin origin);
/* Counts a line that looked like metrics and was not understood. */
void pl_reading_unread(struct pl_reading *reading, const char *text);
/* To be called when no more lines come: logs how many were not understood. */
void pl_reading_end(struct pl_reading *reading);
/* "3 lines looked like metrics and were not wholly understood, the first: ..." */
void pl_reading_describe_unread(const struct pl_reading *reading, struct pl_text *out);
/* ---- of reading.c and position.c ---- */

enum { PL_READING_SERIES_MOST = 1000 }; /* that are recorded of a run */

/* Adds a value. Returns false where the program has too many metrics. */
bool pl_reading_record(struct pl_reading *reading, const struct pl_line_pair *pair, enum pl_series_axis axis,
                       double position);
/* Has the metric a value there? alike: the same one does not count. */
bool pl_reading_has(struct pl_reading *reading, const struct pl_line_pair *pair, enum pl_series_axis axis,
                    double position, bool alike);
/* Is the position among those where the metric has values? */
bool pl_reading_replaces(struct pl_reading *reading, const struct pl_line_pair *pair, enum pl_series_axis axis,
                         double position);
/* Finds the position of a line's metrics and records them, or has them wait. Returns false where not all could be. */
bool pl_reading_place(struct pl_reading *reading, struct pl_reading_source *source, const struct pl_line *line);
/* No more lines come from the source: records what waits. */
void pl_reading_settle(struct pl_reading *reading, struct pl_reading_source *source);
/* Frees what position.c keeps of it. */
void pl_reading_source_release(struct pl_reading_source *source);

/* The first position from which on a loss-like metric stayed non-finite to the end, its name and axis; NaN: none. */
double pl_reading_bad_since(const struct pl_reading *reading, const char **metric, enum pl_series_axis *axis);
void pl_reading_release(struct pl_reading *reading);

/* What kills a program and its descendants when this process dies, whatever it is killed by and whoever with it. */
struct pl_guard {
    pid_t pid; /* 0: none */
    int pipe;
    char mark[64];      /* in the program's environment */
    char metrics[4096]; /* the same: POULA_METRICS=PATH */
};
void pl_guard_init(struct pl_guard *guard);
/* The environment that the program has to have, on the heap; its strings belong to guard and environ. */
char **pl_guard_environment(struct pl_guard *guard, const char *metrics);
/* Watches over a process group. Returns 0 or an errno. */
int pl_guard_start(struct pl_guard *guard, pid_t group);
/* Lets the guard go; everything: after it has done what it is there for. */
void pl_guard_end(struct pl_guard *guard, bool everything);

/* An attempt at a run: a sink that hands everything on, remembers where values stood, and marks the run's folder once
 * the program has put something into it. */
struct pl_attempt {
    const struct pl_sink *sink;
    const struct pl_run_request *request;
    struct pl_kept seen[PL_AXIS_COUNT]; /* where this attempt reported values */
    enum pl_series_axis *axes;          /* of the series, by number */
    size_t capacity;
    bool marked;
    bool beyond; /* it has reported something of an epoch after request->until */
};
struct pl_sink pl_attempt_begin(struct pl_attempt *attempt, const struct pl_run_request *request,
                                const struct pl_sink *sink);
void pl_attempt_mark(struct pl_attempt *attempt);
/* Has a program that exited 0 done enough? False, and failed with the reason, when nothing was reported, now or by
 * earlier attempts, or fewer epochs than are declared. */
bool pl_attempt_suffices(const struct pl_attempt *attempt, struct pl_run_result *result);
/* Has it come to request->until, to request->epochs? A program that counts from 0 is there one number earlier. */
bool pl_attempt_has_reached(const struct pl_attempt *attempt);
bool pl_attempt_is_complete(const struct pl_attempt *attempt);
void pl_attempt_release(struct pl_attempt *attempt);

struct pl_follow;
/* What a program is started with, and what is watched besides its output. */
struct pl_launch {
    char *const *words;
    const char *directory;
    const char *metrics;      /* $POULA_METRICS */
    struct pl_follow *follow; /* files of metrics that it writes */
    size_t follow_count;
    double stall; /* as in pl_reading_options */
    double grace; /* as in pl_run_request */
};
/* Runs the program to its end, feeding its lines to reading, and fills in how it ended: exit_code, signal,
 * and outcome PL_FINISHED (exit code 0), PL_FAILED or PL_INTERRUPTED with the reason. Nothing of the
 * program's process group is left running. */
void pl_process_run(const struct pl_launch *launch, const struct pl_sink *sink, struct pl_reading *reading,
                    struct pl_run_result *result);

#endif
