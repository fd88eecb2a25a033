/* train: what one run is, from its settings to its outcome.
 *
 * A task kind (problem, command, dataset) has a const descriptor with its settings and a function
 * that trains. A run is given its settings and a seed, reports every metric to a sink, and ends with an
 * outcome. Divergence is an outcome, not an error. Nothing here knows YAML, SQLite or the command line.
 *
 * Keys are flat: `optimizer` is the optimizer's name, `lambda` its learning rate, `problem`, `dataset`
 * or `command` says the task kind. */
#ifndef PL_TRAIN_H
#define PL_TRAIN_H

#include "base/base.h"
#include "train/metric.h"
#include "train/series.h"

/* Sections of a spec. `settings` is the free section of a command task. */
enum pl_section { PL_SECTION_TASK, PL_SECTION_OPTIMIZER, PL_SECTION_SCHEDULE, PL_SECTION_SETTINGS, PL_SECTION_COUNT };
const char *pl_section_name(enum pl_section section); /* "task", "optimizer", "schedule", "settings" */

/* What is legal once the choosing settings (problem, command, optimizer, ...) are known. */
struct pl_schema {
    struct pl_schema_part {
        enum pl_section section;
        const struct pl_setting *settings;
        size_t count;
    } parts[40];
    size_t count;
    bool free_settings; /* any key is legal in section `settings` */
    bool parameters;    /* numbers of other names are legal in section `optimizer`, under `parameters` */
    const char *fault;  /* of a schema that cannot be had: the choosing key whose value is at fault; NULL: none is */
};

/* Fills schema from the choosing keys in chosen (others are ignored). With `command` there, all other keys are
 * the program's own and choose nothing. Fails with PL_EINPUT when the task
 * is missing or unknown, or the optimizer is missing or unknown (the nearest name is given). */
int pl_train_schema(const struct pl_settings *chosen, struct pl_schema *schema, struct pl_error *err);

/* All parts of every task, problem, optimizer and schedule: for help, completion, documentation and the
 * nearest-key search; kept until the process ends. owner is "theopoula", "theta30", ... */
struct pl_schema_source {
    struct pl_schema_part part;
    const char *owner;
};
struct pl_schema_sources {
    struct pl_schema_source *items;
    size_t count, capacity;
};
const struct pl_schema_sources *pl_train_schema_sources(void);
/* The next key that a name means in some part (lambda for lr, whose own name is one too), *at parts further on, which
 * starts with 0; NULL: there is none. */
const char *pl_train_key_of(const char *name, size_t *at);

/* What the settings of that key are for in any schema: enum pl_role. (task and data, which only programs of command
 * tasks have, say what the task is.) */
unsigned pl_train_roles(const char *key);
bool pl_train_is_choice(const char *key); /* is PL_CHOOSES among them? */
/* Adds the keys of the settings that have all these roles, each once, tasks first, optimizers last. */
void pl_train_keys_of(unsigned roles, struct pl_candidates *keys);
/* Adds the names that a choosing setting can have: "theta30", ... */
void pl_train_choices(const char *key, struct pl_candidates *names);

/* Checks what no single range can say (every without decay, an unknown placeholder, ...), after defaults were
 * filled in. Fails with PL_EINPUT. */
int pl_train_check(const struct pl_settings *settings, struct pl_error *err);

/* How the output of a command is read: a JSON object with any of pattern (a list of texts, PCRE2), metrics_file (a
 * path), stderr (true) and stall (seconds without output after which the run has failed). Fails with PL_EINPUT. */
int pl_train_check_reading(const char *reading, struct pl_error *err);

/* Does a run's program get to know the setting (or "seed")? Always so for tasks that are no command. */
bool pl_train_uses(const struct pl_settings *settings, const char *name);

/* Is the settings' command one that is told by {until} where to end? */
bool pl_train_asks_until(const struct pl_settings *settings);
/* Can a run go on from what an earlier attempt has left? Not a command without {run_folder}. */
bool pl_train_keeps_folder(const struct pl_settings *settings);
/* How many epochs (iterations) the settings of one of poula's own tasks ask for; 0: they are a command's. */
double pl_train_epochs(const struct pl_settings *settings);

/* Can the seed change what a run records? Not in a problem whose gradient, and an optimizer whose step, draw nothing.
 */
bool pl_train_draws(const struct pl_settings *settings);

/* Is key fit for the free section of a command task? Fails with PL_EINPUT for a name that poula uses itself
 * (seed, status, ...) and for one that is not a word of letters, digits and _. */
int pl_train_check_free_key(const char *key, struct pl_error *err);

/* Is key fit for a parameter of formulas? Fails with PL_EINPUT for what formulas or poula call something else, and for
 * settings of tasks and schedules. */
int pl_train_check_parameter(const char *key, struct pl_error *err);

/* Where a run reports to. Calls come from the thread that called pl_train_run. */
struct pl_sink {
    void *self;
    /* A series is a metric as tables name it ("loss", "test_accuracy") along one axis. Returns its number, counted from
     * 0 in order of first use within the run. */
    int (*series)(void *self, const char *metric, enum pl_series_axis axis);
    /* One recorded value at a position along the series' axis: an epoch, which may be a fraction, the iteration of a
     * problem, or a step. NaN and infinities are recorded as such. */
    void (*value)(void *self, int series, double epoch, double value);
    /* One line of log (a command's stderr, a warning). */
    void (*log)(void *self, const char *line);
    /* Polled at least once an epoch (for a problem, every few thousand iterations): should the run stop
     * at a clean point? */
    bool (*stop)(void *self);
    /* Asked of commands, which are killed then: the seconds that the run had, where they are over; else 0. NULL: it has
     * any time. */
    double (*late)(void *self);
};

enum pl_outcome { PL_FINISHED, PL_DIVERGED, PL_FAILED, PL_INTERRUPTED };
const char *pl_outcome_name(enum pl_outcome outcome); /* "finished", "diverged", "failed", "interrupted" */

struct pl_run_result {
    enum pl_outcome outcome;
    double bad_epoch;          /* diverged: the first epoch (iteration, step) with a non-finite value; else -1 */
    double reached;            /* interrupted: until, as the run has come to it; else 0 */
    int exit_code;             /* of a command; -1 where there is none */
    int signal;                /* that ended a command; 0 where there is none */
    char reason[500];          /* failed, diverged, interrupted: one sentence */
    int64_t unread;            /* lines of a command that looked like metrics and were not wholly understood */
    char unread_example[200];  /* the first of them */
    int64_t unsaved;           /* checkpoints and weights that could not be written */
    char unsaved_example[300]; /* why the first of them could not */
};

/* The first and the last position that earlier attempts of a run have recorded along an axis; NaN: none. */
struct pl_kept {
    double first, last;
};

struct pl_run_request {
    const struct pl_settings *settings; /* checked; defaults are filled in for those that are missing */
    const struct pl_settings *given;    /* as they were before defaults were filled in; NULL: settings */
    const char *key;                    /* the run's, in hex; NULL: what pl_run_key makes of given and seed */
    int64_t seed;
    int threads;
    bool same_isa;      /* a network that began with more instructions than this machine has does not go on here */
    double grace;       /* seconds that a command has between SIGTERM and SIGKILL; 0: five */
    int slot;           /* which of the runs at work at the same time in one place this is: 0, 1, ... */
    const char *folder; /* for checkpoints and logs of this run; NULL: none are kept */
    const char
        *reading; /* how a command's output is read: a JSON text that pl_train_check_reading accepts; NULL: as always */
    const char *home;    /* the folder that a command's directory is relative to; NULL: the working folder */
    const char *data;    /* the folder of data sets; a task without data does not look at it */
    const char *scratch; /* a folder for what poula itself gives a command; NULL: one is made where it is needed */
    const char *owner;   /* of the folder: the token of the database that has the run; NULL: none has */
    const struct pl_kept *kept; /* by axis; NULL: there was no earlier attempt */
    double epochs;              /* of a program: fewer are not finished; 0: not declared */
    double until; /* the run is brought to the end of this epoch (iteration) and no further; 0: to its end */
    bool restart; /* a program begins anew each time: what it says beyond until is not recorded */
};

/* A run's key: SHA-256 over the canonical settings and the seed ("SETTINGS\nseed=SEED\n"). Whatever else a request
 * says, it is the same run. */
void pl_run_key(const char *canonical_settings, int64_t seed, unsigned char key[PL_DIGEST_SIZE]);

/* Gives a run all the settings of its schema. Where some are missing (a database may be of an older poula, which did
 * not have them), settings becomes filled, a copy with their defaults, which the caller releases. PL_EINPUT names a
 * setting that is of another type. */
int pl_train_complete(const struct pl_settings **settings, struct pl_settings *filled, struct pl_error *err);

/* Trains. Returns 0 whatever the outcome; a negative code only when the request makes no sense (then
 * result says failed as well). A run that is brought to an epoch short of its end is interrupted there, and has reached
 * it; a later request goes on to the bits that an uninterrupted run would have had: networks from their checkpoint,
 * programs from what they left in their folder, all others from the beginning. */
int pl_train_run(const struct pl_run_request *request, const struct pl_sink *sink, struct pl_run_result *result,
                 struct pl_error *err);

/* Which program a command is. Never part of a run's key. */
struct pl_program {
    char *folder; /* in which it starts, absolute */
    char *file;   /* its own, as it was found; or NULL */
    char *files; /* that and what its words name: a JSON object of paths (from folder) and their SHA-256; of a file over
                    16 MiB the SHA-256 of its size and its ends */
    char *commit;                         /* of git in that folder; or NULL */
    int dirty;                            /* are there changes that are not committed? -1: not known */
    unsigned char digest[PL_DIGEST_SIZE]; /* of all that */
};
/* Programs as they are found, and the files that were read for it. */
struct pl_programs;
struct pl_programs *pl_programs_new(void);
void pl_programs_free(struct pl_programs *programs);
/* The program of a run as it is now, or NULL where there is none. home is as in a request. It belongs to programs.
 * Files are read once, and again when their size or times have changed; git is asked once for each folder. */
const struct pl_program *pl_programs_of(struct pl_programs *programs, const struct pl_settings *settings,
                                        const char *home, int64_t seed);
/* Is now another program than before: another folder, another file, or a changed one (the system's own interpreters
 * aside)? Then how says so. Files that only one of them names do not count, nor does git. */
bool pl_program_differs(const struct pl_program *before, const struct pl_program *now, struct pl_text *how);

/* Appends the words of a run's command, with every placeholder but {run_folder} replaced, as a shell would take them.
 */
void pl_train_show_command(const struct pl_settings *settings, int64_t seed, struct pl_text *out);

/* A run's folder belongs to one run (its key, in hex) of one database (its token; NULL: of none). UNMARKED is a folder
 * with files that says nothing of whose it is. */
enum pl_folder_state { PL_FOLDER_FREE, PL_FOLDER_OWN, PL_FOLDER_UNMARKED, PL_FOLDER_FOREIGN };
enum pl_folder_state pl_train_folder_state(const char *folder, const char *owner, const char *key);
/* Whose a folder is, as the mark in it says: the token of a database and the key of a run (65 bytes each). False where
 * it says nothing. */
enum { PL_FOLDER_NAME_SIZE = 65 };
bool pl_train_folder_owner(const char *folder, char *owner, char *key);
/* Writes such a mark over the one that is there. */
int pl_train_folder_give(const char *folder, const char *owner, const char *key, struct pl_error *err);
/* Fails with PL_EINPUT when the request's folder, or a network's checkpoint or weights in it, are another run's. */
int pl_train_folder_check(const struct pl_run_request *request, struct pl_error *err);

/* What a run will need, found without training. Opens the run's data set, so that what is wrong with it is known
 * before any run begins (and is checked once, not by every worker). data is the folder of data sets. */
struct pl_train_needs {
    uint64_t memory;   /* bytes of a process that trains it; 0: nothing to speak of */
    char data[200];    /* name, SHA-256 and whether it is the official set; "": the task has no data */
    char warning[500]; /* about the data; "": none */
};
int pl_train_survey(const struct pl_settings *settings, const char *data, int threads, struct pl_train_needs *needs,
                    struct pl_error *err);
/* Writes what pl_train_survey depends on: settings with equal texts have equal needs. Empty where there are none. */
void pl_train_survey_key(const struct pl_settings *settings, struct pl_text *key);

/* What a metric of a problem is before the first iteration, which its settings say and no run records. False where the
 * task is no problem or has no such metric. */
bool pl_train_start(const struct pl_settings *settings, const char *metric, double *value);

/* Gives a run that is to be trained (its folder, which becomes the database's with this token, and its key) the
 * checkpoint that another run kept of its end (keep_checkpoint) for its own. PL_EMISSING where from has none of that
 * run. */
int pl_train_adopt_checkpoint(const char *from, const char *from_key, const char *folder, const char *owner,
                              const char *key, struct pl_error *err);

/* Copies the final weights that the run with this key (hex) left in its folder to a safetensors file. Fails with
 * PL_EMISSING where none were kept. */
int pl_train_export_weights(const char *folder, const char *key, const char *out, struct pl_error *err);

/* Text from the weights that a finished run of a language model left in its folder (averaged ones, if it averaged). */
struct pl_generation {
    const char *folder, *key;           /* of the run, the key in hex */
    const struct pl_settings *settings; /* the run's */
    const char *data;                   /* the folder of data sets */
    const char *prompt;                 /* words that the text begins with, told like the others; NULL: none */
    int64_t words, seed;                /* how many to draw besides; <eos> counts as a word */
    double temperature; /* word w is drawn in proportion to exp(logit of w / temperature); 0: always the likeliest */
    void *self;
    bool (*word)(void *self, const char *word); /* is told one word after the other; false: enough */
};
/* Equal wishes give equal texts: draw i is uniform (0, i) of stream PL_STREAM_TEXT. The corpus is opened for its
 * vocabulary. Fails with PL_EINPUT (no run of a text, a word of the prompt that is not in the vocabulary, another
 * vocabulary than in training), PL_EMISSING (no weights, no data) or PL_ECORRUPT, before any word is told. */
int pl_train_generate(const struct pl_generation *generation, struct pl_error *err);

#endif
