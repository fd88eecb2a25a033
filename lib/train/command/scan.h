/* A line of text as it is scanned: words that wait for what follows them, and the pairs that were read. scan.c keeps
 * them, text.c takes the line apart, pair.c makes pairs of words and values. */
#ifndef PL_TRAIN_SCAN_H
#define PL_TRAIN_SCAN_H

#include "train/command/vocabulary.h"

enum { PL_SCAN_WORDS = 6, PL_SCAN_TAG = PL_WORD_MOST, PL_SCAN_MARKS = 8 };

/* From this pair on the line is of a set, by the pair's name. */
struct pl_scan_mark {
    size_t pair;
    struct pl_word set;
    bool spaced; /* a word of its own: "val loss", not "val_loss" */
};

struct pl_scan {
    const char *text, *at, *end;
    struct pl_line *line;
    const char *place, *behind;          /* of the last position: its name, and what follows its number */
    size_t first;                        /* of the line's pairs that was read here */
    struct pl_word words[PL_SCAN_WORDS]; /* that wait for what follows them */
    size_t count;
    bool too_many;                   /* words waited */
    bool after_pair, after_position; /* nothing stands between it and here */
    bool after_comma;
    bool counted;                    /* nor behind "loss 50", whose number may count what the words behind it name */
    bool told;                       /* words before a position name something measured: loss at step 300: 0.5 */
    bool in_sentence;                /* since the last separator, there are words and numbers that are no pair */
    bool metrics;                    /* a metric was read */
    bool position;                   /* a position was stated */
    bool prose;                      /* there are words that are no names */
    bool level, logger;              /* of a log, and a word in a field of its own, which may name who logs */
    bool bare;                       /* behind a position stands a number that nothing names */
    bool batch;                      /* it tells of one batch of so many */
    bool spoiled;                    /* they run into pairs */
    bool short_number;               /* the last value has at most three digits and no point */
    bool options;                    /* --lr=0.1: it tells of a command line */
    bool explicit, measured, spaced; /* kinds of metrics read: by = or :, of a known name, by a blank only */
    char tag[PL_SCAN_TAG + 1];       /* "valid" before the pairs: the metrics of that set */
    struct pl_scan_mark marks[PL_SCAN_MARKS];
    size_t mark_count; /* more than there are: they are not known */
    size_t *closes;    /* see pl_scan_matching; NULL: nobody has asked yet */
};

/* What closes the parenthesis or bracket at open, or NULL. */
const char *pl_scan_matching(struct pl_scan *s, const char *open);
const char *pl_scan_spaces(const char *at, const char *end); /* behind the blanks at at */
/* Words that end here without having become a name. strong: by more than a comma. */
void pl_scan_end_field(struct pl_scan *s, bool strong);
/* "val" stands before pairs: they are of that set; of "train" their names do not tell. */
void pl_scan_tag(struct pl_scan *s, struct pl_word set);
void pl_scan_push(struct pl_scan *s, const char *text, size_t length);
/* Passes over a unit behind a number, after a blank, and converts times to seconds. Returns false if the value is no
 * plain number with it. */
bool pl_scan_unit(struct pl_scan *s, double *value);
/* The number behind the glued colon, at s->at, says where in a program the line was printed. Passes over it. */
bool pl_scan_place(struct pl_scan *s);
/* Does a time of day stand between the line's beginning and here? */
bool pl_scan_is_logged(const struct pl_scan *s, const char *here);
/* The set's name at the beginning of a metric's: of val_loss val. Its bytes, or 0. */
size_t pl_scan_set_length(const char *name, size_t length);
/* The words from one on are to name a pair: notes whether they say which set it is of. */
void pl_scan_note_set(struct pl_scan *s, size_t from);
/* Gives the names of the line their sets, where a word says that the whole line is of one, or (twins) where the same
 * name stands for several. */
void pl_scan_name_sets(struct pl_scan *s, bool twins);
/* Of numbers in front of a line: see front.c. */
double pl_front_epoch(const char *text, const char *end);
double pl_front_batch(const char *text, const char *end);
bool pl_front_is_numbered(const struct pl_scan *s);
bool pl_front_ordinal(struct pl_scan *s);
/* The number in brackets behind a position: Epoch [3/10]. */
bool pl_scan_bracket(struct pl_scan *s);
/* What stands at s->at is =, : or the number behind a blank: makes a pair with the words that wait, or forgets them. */
void pl_scan_equals(struct pl_scan *s);
void pl_scan_colon(struct pl_scan *s);
void pl_scan_spaced(struct pl_scan *s);

#endif
