/* select: which value of a curve stands for its run, the text form "best test_accuracy", and the choice of the best
 * configurations. */
#ifndef PL_STUDY_SELECT_H
#define PL_STUDY_SELECT_H

#include "base/base.h"
#include "study/names.h"
#include "study/words.h"

#define PL_SELECTS(FIRST, NEXT) FIRST(BEST, "best") NEXT(LAST, "last") NEXT(BEST_VALID, "best-valid")

#define PL_SELECT_OF(name, word) PL_SELECT_##name,
enum pl_select { PL_SELECTS(PL_SELECT_OF, PL_SELECT_OF) };
enum { PL_SELECT_COUNT = 0 PL_SELECTS(PL_WORD_ONE, PL_WORD_ONE) };
#undef PL_SELECT_OF

/* How specs, reports and the command line spell each. */
#define PL_SELECT_WORDS PL_SELECTS(PL_WORD_FIRST, PL_WORD_NEXT)
extern const char *const pl_select_names[PL_SELECT_COUNT];

/* The one that a word of some length names; false, and nothing is written, when there is none. */
bool pl_select_find(const char *word, size_t length, enum pl_select *select);
/* Reads "best test_accuracy", "last loss" or "loss" (best). metric points into text. False when it is neither. */
bool pl_select_read(const char *text, enum pl_select *select, const char **metric);

/* select: {best: 2, over: [lambda, epsilon], by: best valid_accuracy}: of the configurations that differ only in
 * these settings, the table shows the best ones. */
struct pl_selection {
    int best; /* how many; 0: all, the table has no select */
    struct pl_names over;
    char *metric;          /* of the criterion; NULL: the best validation */
    enum pl_select select; /* of the criterion */
};

#endif
