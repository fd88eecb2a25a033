/* condition: what a declaration or a command line asks of a setting, and its text form "key=a,b". */
#ifndef PL_STUDY_CONDITION_H
#define PL_STUDY_CONDITION_H

#include "base/base.h"

/* Numbers between two ends, which may be infinite. */
struct pl_range {
    double low, high;
    bool low_open, high_open; /* the end itself is outside */
};

/* A condition on a setting: the run's value is one of the given ones, or a number in one of the ranges. */
struct pl_condition {
    char *key;
    struct pl_value *values;
    size_t count;
    struct pl_range *ranges; /* only on a command line */
    size_t range_count;
    bool negated;   /* the run has the setting, with another value */
    bool known;     /* every alternative must be the value of some run: it was typed, not declared */
    bool elsewhere; /* known, and every alternative is found in the studies that are looked at together */
};

/* Does the condition hold for a value (NULL: the run has no such setting)? Values that are spelled alike are equal. */
bool pl_condition_admits(const struct pl_condition *condition, const struct pl_value *value);

/* Is the which-th alternative (values, then ranges) a word? Where all values of a setting are numbers it is a slip. */
bool pl_condition_is_word(const struct pl_condition *condition, size_t which);
/* Says in why what is wrong with an alternative that no run has: "no run has lambda=0.3" or, where all values are
 * numbers, "lambda is a number, and cannot be 'abc'". of stands behind "no run": "" or " of study toy". */
void pl_condition_slip(const struct pl_condition *condition, size_t which, const char *of, bool numbers,
                       struct pl_text *why);

/* A condition as the command line spells it: key=value[,value...], key!=value, key<3, key>=0.1, key=0.1..1 (ends
 * inside). Appends to *list, which pl_where_free frees; false when text is not one. pl_where_write spells it again. */
bool pl_where_read(const char *text, struct pl_condition **list, size_t *count);
void pl_where_write(const struct pl_condition *condition, struct pl_text *out);
void pl_where_free(struct pl_condition *list, size_t count);

#endif
