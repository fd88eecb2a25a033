/* Words that say how a line of text is to be understood. */
#ifndef PL_TRAIN_VOCABULARY_H
#define PL_TRAIN_VOCABULARY_H

#include "train/command/line.h"

enum { PL_WORD_MOST = 20 }; /* bytes of any word of a list */

/* A stretch of a line. */
struct pl_word {
    const char *text;
    size_t length;
};

/* Is it, without regard to case, one of the words of a list? */
bool pl_word_among(struct pl_word word, const char *list);
bool pl_word_is_position(struct pl_word word);
bool pl_word_is_level(struct pl_word word); /* of a log: INFO, Warning */
/* Words that a sentence has and a name has not. */
bool pl_word_is_stop(struct pl_word word);
/* Words that belong to the name behind them: valid, average, best. */
bool pl_word_is_qualifier(struct pl_word word);
/* The names of sets that are not trained on. */
bool pl_word_is_other_set(struct pl_word word);
/* Those, and the set that is trained on. */
bool pl_word_is_set(struct pl_word word);
/* loss of the set val is val_loss; positions, and names that have the set, stay. */
void pl_line_prefix(struct pl_line_pair *pair, struct pl_word set);
/* The set among the last words of a text: valid: {...}; of no length if there is none that is not trained on. */
struct pl_word pl_line_set_before(const char *text, const char *end);
/* Words that may introduce an epoch on a line that has nothing else. */
bool pl_word_is_beginning(struct pl_word word);
/* A unit in a word of its own: seconds gets those of a time, 0 for anything else. false: it is no unit. */
bool pl_word_is_unit(struct pl_word word, double *seconds);
/* What a number is glued to by a colon without being its value: train.py:57, cuda:0. */
bool pl_word_is_place(struct pl_word word);
/* January, Jan, UTC: the number behind it is a day or a year. */
bool pl_word_is_date(struct pl_word word);
bool pl_word_is_zone(struct pl_word word); /* UTC, CET */
bool pl_word_is_weekday(struct pl_word word);
/* Does the last part of the name say that its digits are no number: git_sha, commit? */
bool pl_word_is_digest(struct pl_word word);
/* Bytes of a character beyond ASCII that draws bars, bullets and pictures; *arrow: it points. 0: it may belong to a
 * word. */
size_t pl_line_picture(const char *text, const char *end, bool *arrow);

#endif
