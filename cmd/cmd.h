/* The command line: every command is one const descriptor in its own file. Help, completion and the man
 * page are made from these tables, so nothing about a command is said twice. */
#ifndef PL_CMD_H
#define PL_CMD_H

#include "base/base.h"

#include <stdio.h>

struct pl_args;

struct pl_option {
    const char *name;                     /* long name without dashes: "jobs" */
    char letter;                          /* 'j', or 0 */
    const char *argument;                 /* "N", "FILE"; NULL: a switch */
    const char *help;                     /* one line, no full stop */
    bool repeats;                         /* every use counts; of other options only the last, which is said */
    const char *words;                    /* legal arguments, space separated, checked and completed; or NULL */
    const char *(*word_of)(const char *); /* the word that another spelling means, or NULL; where there are any */
};

struct pl_command {
    const char *name;
    const char *summary;             /* one line, no full stop */
    const char *arguments;           /* "SPEC...", "[RUN]"; "" or NULL: none */
    const char *description;         /* a paragraph or two for help and the man page */
    const char *example;             /* one command line that works */
    const struct pl_option *options; /* besides --db, --data and --help, which all take */
    size_t option_count;
    /* What its --set KEY=VALUE takes; NULL: the settings of runs. */
    const struct pl_setting *(*settings)(size_t *count);
    size_t least, most;                     /* number of arguments */
    bool hidden;                            /* not listed (worker, complete) */
    int (*run)(const struct pl_args *args); /* returns the exit code */
};
#define PL_OPTIONS(table) .options = table, .option_count = sizeof table / sizeof *table

/* What every command takes: --db, --data and --help. */
extern const struct pl_option pl_common_options[];
extern const size_t pl_common_option_count;
/* The options of a command, its own first and then the common ones; NULL behind the last. */
const struct pl_option *pl_command_option(const struct pl_command *command, size_t index);

extern const struct pl_registry pl_command_registry; /* in the order that help shows */
const struct pl_command *pl_command_at(size_t index);
const struct pl_command *pl_command_find(const char *name);
/* Adds "; did you mean NAME?" where a command of nearly that name is. */
bool pl_command_hint(const char *name, struct pl_text *out);

/* A parsed command line. */
struct pl_args {
    const struct pl_command *command;
    const char *program;    /* argv[0], for starting workers */
    const char **arguments; /* positional */
    size_t count;
    const char **options; /* pairs: name, argument ("" for a switch) */
    size_t option_count;  /* number of pairs */
};

/* Fills args from the words behind the command's name. Returns 0, an exit code, or -1 when help was asked. */
int pl_args_parse(struct pl_args *args, const struct pl_command *command, int argc, char **argv);
bool pl_args_has(const struct pl_args *args, const char *option);
const char *pl_args_get(const struct pl_args *args, const char *option, const char *fallback); /* the last one given */
/* The index-th use of an option that repeats, or NULL. */
const char *pl_args_nth(const struct pl_args *args, const char *option, size_t index);
/* A whole number (10M counts as 10000000) in [low, high]. Prints what is wrong and returns false. */
bool pl_args_integer(const struct pl_args *args, const char *option, int64_t low, int64_t high, int64_t fallback,
                     int64_t *value);
bool pl_args_real(const struct pl_args *args, const char *option, double low, double high, double fallback,
                  double *value);
const char *pl_args_db(const struct pl_args *args);   /* --db, $POULA_DB, results/poula.db */
const char *pl_args_data(const struct pl_args *args); /* --data, $POULA_DATA, data */
/* The index-th argument as the path of a spec: where nothing of its name is here, an installed one (which a note says);
 * where there is none either, a note says which has nearly that name. */
void pl_args_spec(const struct pl_args *args, size_t index, struct pl_text *path);
/* The folder of the runs' own folders: results/poula-runs beside results/poula.db. */
void pl_args_folders(const struct pl_args *args, struct pl_text *folders);

/* A line for people, its newline added, and text that has lines: what a terminal would obey is shown instead, for any
 * part of them may be somebody else's. Whatever is printed with a name, a value, a path or a reason goes through these.
 */
void pl_cmd_line(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pl_cmd_lines(FILE *to, const char *text);
/* Messages for people, on stderr. cmd_fail prints "poula COMMAND: TEXT" and returns the exit code that err's code
 * calls for: 2 for PL_EINPUT, else 1. cmd_usage_error prints the sentence and a hint at --help, and returns 2. */
int pl_cmd_fail(const struct pl_args *args, const struct pl_error *err);
int pl_cmd_usage_error(const struct pl_args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The usage error that there is no KIND "NAME", with the one that was perhaps meant. */
int pl_cmd_unknown(const struct pl_args *args, const char *kind, const char *name, const struct pl_candidates *among);
int pl_cmd_unknown_in(const struct pl_args *args, const struct pl_registry *registry, const char *name);
/* Writes notes, one a line, to stderr, each behind the name of the command. */
void pl_cmd_notes(const char *command, const struct pl_text *notes);
void pl_cmd_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Flushes stdout; a full disk or closed pipe there is an error like any other. Returns the exit code. */
int pl_cmd_finish(const struct pl_args *args, int exit_code);
/* Writes what is buffered. Returns 0, or why bytes could not be written, now or at any time before: an errno. */
int pl_cmd_flush(FILE *file);

/* Are the variables of the environment that poula reads what they should be? Says which is not. */
bool pl_environment_check(struct pl_text *problem);

/* What help, man page and completion say of an option. */
void pl_help_option(const struct pl_option *option, struct pl_text *out);
/* Two lines for each setting: its help; type, range, default and other names. */
void pl_help_settings(const struct pl_setting *settings, size_t count, struct pl_text *out);
void pl_help_command(const struct pl_command *command, struct pl_text *out);
void pl_help_overview(struct pl_text *out);

#endif
