/* cell: what a cell of a table shows, and in which unit. */
#ifndef PL_STUDY_CELL_H
#define PL_STUDY_CELL_H

#include "study/words.h"

#include <stdbool.h>
#include <stddef.h>

/* clang-format off */
#define PL_CELLS(FIRST, NEXT) \
    FIRST(, "mean(std)") NEXT(, "mean") NEXT(, "median") NEXT(, "min") NEXT(, "max") NEXT(, "n") \
    NEXT(, "mean+-std") NEXT(, "mean+-sem") NEXT(, "mean+-ci95")
#define PL_UNITS(FIRST, NEXT) FIRST(PLAIN, "plain") NEXT(PERCENT, "percent")
/* clang-format on */
#define PL_CELL_WORDS PL_CELLS(PL_WORD_FIRST, PL_WORD_NEXT)
enum { PL_CELL_COUNT = 0 PL_CELLS(PL_WORD_ONE, PL_WORD_ONE) };
extern const char *const pl_cell_names[PL_CELL_COUNT];

/* The kind of that name, or NULL. Those with +- may be written with ± and with blanks around it. */
const char *pl_cell_kind(const char *text);
/* Does a cell of that kind show a mean (which tests compare)? NULL is the first kind. */
bool pl_cell_is_mean(const char *cell);

/* What a cell shows beside a mean. */
enum pl_spread {
    PL_SPREAD_NONE,
    PL_SPREAD_STD, /* the sample standard deviation */
    PL_SPREAD_SEM, /* the standard error of the mean */
    PL_SPREAD_CI95 /* half the 95% confidence interval of the mean */
};
/* NULL is the first kind. *beside: "mean ± spread" and not "mean(spread)". */
enum pl_spread pl_cell_spread(const char *cell, bool *beside);
/* "mean ± std": how people are told the kind. */
const char *pl_cell_title(const char *cell);

/* Values are shown as they are, or times 100. */
#define PL_UNIT_OF(name, word) PL_UNIT_##name,
enum pl_value_unit { PL_UNITS(PL_UNIT_OF, PL_UNIT_OF) };
#undef PL_UNIT_OF
#define PL_UNIT_WORDS PL_UNITS(PL_WORD_FIRST, PL_WORD_NEXT)
enum { PL_UNIT_COUNT = 0 PL_UNITS(PL_WORD_ONE, PL_WORD_ONE) };
extern const char *const pl_unit_names[PL_UNIT_COUNT];

#endif
