/* What one line of a program says: the position in training that it states, and metrics. Pure functions of text.
 *
 * docs/command-tasks.md, "What is read", is the rule in words. Nothing is guessed: a line that is not wholly understood
 * gives nothing, or what was understood of it, and `odd` tells that something looked like a metric and was not read. */
#ifndef PL_TRAIN_LINE_H
#define PL_TRAIN_LINE_H

#include "base/base.h"

struct pl_word;

struct pl_line_pair {
    char *name;
    double value;
    bool null; /* null stands for it: nothing was measured, or what was is not finite; value is NaN */
};

/* One object, one row, or one line of text. */
struct pl_line {
    struct pl_line_pair *pairs;
    size_t count, capacity;
    double epoch, step; /* NaN: not stated. A step beside an epoch is also among the pairs */
    bool step_in_epoch; /* the step is one of so many (100/600), so it may begin anew with every epoch */
    bool within;        /* it tells of one batch of so many, so it is not the next epoch */
    bool numbered; /* a number stands in front that may be its position, or a batch, or a process: nothing names it */
    const char *section;   /* the set that the line begins with its position: "Epoch 1 - validation"; NULL: none */
    size_t section_length; /* 0: the one that is trained on */
    bool lost;             /* the position is not understood, so the metrics have no place */
    bool odd;              /* something looked like a metric, or like a position, and was not understood */
};

/* The header of a table of text, for the rows that follow. Zero-initialise. */
struct pl_line_table {
    char **names;
    size_t count;
    size_t *starts, *ends; /* where they stand in the line */
    char delimiter;        /* ' ' for columns that blanks align */
    bool of_file;          /* of a file of metrics, whose first line may have any names */
    size_t unknown;        /* columns of a table that is not read, as its header has no position; 0: there is none */
    char *batch_set;       /* "Test: [10/196] ..." was the line before: " * Acc@1 55" sums up that set */
    char *set;             /* "val:" in a line of its own: the lines that are indented more than it are of that set */
    size_t indent;
    bool fresh;    /* it was the line before */
    char *section; /* a heading between the lines of an epoch: those below it are of that set, to the next position */
    bool trains;   /* there are such headings of the set that is trained on, too */
    bool stated;   /* an epoch was stated */
    bool headed;   /* by a line with nothing else, the last time */
};
void pl_line_table_release(struct pl_line_table *table);

/* All that a line of text says; several objects for a JSON array of them. */
struct pl_lines {
    struct pl_line *list;
    size_t count, capacity;
    bool odd; /* of any of them */
};

/* Reads one line, without its newline, that pl_line_clean made. table may change. lines is replaced; its memory is used
 * again. */
void pl_line_read(const char *text, struct pl_line_table *table, struct pl_lines *lines);
/* The same of an object, or a list of them; false, and nothing is read, where the text is none. */
bool pl_line_read_object(const char *text, struct pl_lines *lines);
void pl_lines_clear(struct pl_lines *lines);
void pl_lines_release(struct pl_lines *lines);

/* What a terminal would show of the bytes: without colours and other escapes, overwritten text and byte order marks;
 * all blanks of Unicode as spaces, what is no text as question marks. */
char *pl_line_clean(const char *bytes, size_t length);

/* ---- for lib/train/command only ---- */

/* Letters as wide as Chinese ones, which people type for ASCII (：，＝３), as ASCII, and the bars of drawn tables (│)
 * as |. Returns NULL where there are none, which is mostly. */
char *pl_line_narrow(const char *text);
/* [1] "epoch=1 loss=0.5": the text that R's print() has put into quotes; NULL: it is none. */
char *pl_line_printed(const char *text);

/* Adds a metric or, by its name, a position. */
void pl_line_add(struct pl_line *line, const char *name, size_t length, double value);
void pl_line_remove(struct pl_line *line, size_t index);
struct pl_line *pl_lines_add(struct pl_lines *lines);
/* Settles which of the pairs is the position. */
void pl_line_settle(struct pl_line *line);
/* Does the name state a position (epoch, step, ...)? */
bool pl_line_is_position(const char *name, size_t length);
/* Is it, by one of its parts, the name of something that is measured (loss, accuracy, ...)? */
bool pl_line_is_measure(const char *name, size_t length);

enum pl_spelling {
    PL_SPELLED_NOT, /* nothing that begins like a number */
    PL_SPELLED_NUMBER,
    PL_SPELLED_PERCENT,  /* 41.00%: the number 41 */
    PL_SPELLED_DURATION, /* 9 ms: in seconds */
    PL_SPELLED_FRACTION, /* 3/200: 3, which only a position may be */
    PL_SPELLED_NOTHING,  /* None, n/a, --: there is no value */
    PL_SPELLED_CLOCK,    /* 12:30, 2026-11-28, 1.2it/s in a bar: no metric, and nobody would take it for one */
    PL_SPELLED_ODD,      /* begins like a number and is none that is understood: 0x10, 1,234, 2300M */
};
/* Reads a value at text, which ends at end, and says where it ends. */
enum pl_spelling pl_line_value(const char *text, const char *end, double *value, const char **after);
/* Is all of the text, blanks around it aside, a number? */
bool pl_line_number(const char *text, const char *end, double *value);

/* {...} at text, or [{...}, ...]: reads it to after. Returns whether it was an object, or objects. */
bool pl_line_objects(const char *text, const char *end, struct pl_lines *lines, const char **after);
/* Pairs in a text. set: that they are of, by the lines before; or NULL. */
void pl_line_words(const char *text, const char *end, const struct pl_word *set, struct pl_line *line);
/* A header or row of a table. Returns 0 (neither), 1 (a header) or 2 (a row, which line has). */
int pl_line_columns(const char *text, struct pl_line_table *table, struct pl_line *line);

#endif
