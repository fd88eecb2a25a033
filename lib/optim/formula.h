/* formula: what is to be known of the optimizer `formula`, whose rule is in its settings, outside of lib/optim. */
#ifndef PL_OPTIM_FORMULA_H
#define PL_OPTIM_FORMULA_H

#include "base/base.h"

/* Is the setting a formula of an optimizer, or (`state`) a text "NAME = FORMULA; ..." of several? */
enum pl_formula_kind { PL_NO_FORMULA, PL_FORMULA, PL_FORMULAS };
enum pl_formula_kind pl_formula_kind_of(const char *key);

/* Writes a formula (or several, in the order of their names) in the canonical way: one blank around + and -,
 * comparisons and choices, none around * / ^, no needless parentheses, numbers as short as they can be, one name for
 * each thing (lambda of λ and lr; log of ln; a^b of pow(a, b)). Returns false after saying what is wrong, and at which
 * character, counted from 0. */
bool pl_formula_write(enum pl_formula_kind kind, const char *text, struct pl_text *out, size_t *at,
                      struct pl_text *why);
/* Can a state or a parameter have this name? Else why says why not. */
bool pl_formula_name_is_legal(const char *name, const char **why);

/* Tells the words of a text that is a formula, or several, one after another, and where they stand; with of_states the
 * names of states in their place. */
struct pl_formula_word {
    const char *word; /* in its usual spelling */
    size_t at;
};
void pl_formula_words(enum pl_formula_kind kind, const char *text, bool of_states,
                      void (*tell)(void *self, const struct pl_formula_word *word), void *self);
/* What formulas have besides states and parameters, space separated. */
extern const char pl_formula_own_words[];

/* Does a formula of the settings use the name? */
bool pl_formula_uses(const struct pl_settings *settings, const char *name);
/* Does a step draw noise? */
bool pl_formula_draws(const struct pl_settings *settings);

#endif
