/* Settings: what a run is made of, and the descriptors that say what is legal.
 *
 * A descriptor table (struct pl_setting) is brought by every optimizer, problem, model, dataset, task
 * and command; help, validation, completion and documentation are made from it. A set of values
 * (struct pl_settings) is kept sorted by key, so that its canonical text does not depend on the order
 * in which it was filled. A key means one thing in the whole program: a test asserts that no key
 * belongs to two sections of a spec. */
#ifndef PL_BASE_SETTING_H
#define PL_BASE_SETTING_H

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum pl_type { PL_REAL, PL_INTEGER, PL_BOOLEAN, PL_STRING };

struct pl_value {
    enum pl_type type;
    struct {
        union {
            double real;
            int64_t integer;
            bool boolean;
            const char *string;
        };
        bool silent; /* the default of a late setting: no part of the canonical text */
    };
};

/* What else the program has to know of a setting than its values: flags of pl_setting.role. */
enum pl_role {
    PL_CHOOSES = 1,   /* its value says which other settings there are */
    PL_SAYS_TASK = 2, /* part of what the task is: results are compared with each other where these agree */
    PL_NAMES = 4,     /* what a reader calls a run by: comes first among the settings that tell runs apart */
    PL_ASIDE = 8,     /* changes neither the memory that a run needs nor its data */
    PL_STARTS = 16,   /* a number of an optimizer that counts at its start only: it has no schedule */
};

/* One legal setting. */
struct pl_setting {
    const char *key;
    const char *aliases; /* other accepted spellings, space separated ("lr learning_rate λ"), or NULL */
    enum pl_type type;
    const char *initial;   /* default as a spec spells it ("0.001", ".inf"); NULL: must be given; "" of no text, or
                              of one with legal words: absent */
    const char *range;     /* for numbers "(0,inf]", "[0,1)", "[1,1000000]"; NULL: any finite number.
                              A closed bracket at inf admits .inf. For strings: the legal words, space
                              separated; NULL: any string */
    const char *help;      /* one line, no full stop */
    bool list;             /* the value is a list of such scalars, kept as the string of a JSON array; in a
                              spec a list of lists then makes an axis */
    const char *idle_when; /* when the value changes nothing that a run records: "eta=0", "decouple=false or
                            weight_decay=0", "eta=0 and beta!=1" (and binds closer), "always"; NULL: it always counts */
    unsigned role;         /* enum pl_role */
    bool late;             /* no list, and came when there were runs already: at its default the canonical text is
                              without it, so that their keys are what they were */
    bool sparse;           /* late, and one of many: nowhere filled in, there where it is given */
};

struct pl_entry {
    const char *key;
    struct pl_value value;
};

/* Zero-initialise. Owns copies of its keys and strings. */
struct pl_settings {
    struct pl_entry *entries; /* sorted by key (byte order) */
    size_t count, capacity;
    struct pl_pool pool;
};

const char *pl_type_name(enum pl_type type); /* "number", "whole number", "true or false", "text" */

/* Does idle_when of the setting hold among these settings? A comparison with a setting that is absent does not. */
bool pl_setting_is_idle(const struct pl_setting *setting, const struct pl_settings *among);

/* Finds a descriptor by key or alias, or NULL. */
const struct pl_setting *pl_setting_find(const struct pl_setting *table, size_t count, const char *key);

/* Checks type and range, converting a whole number to REAL where a number is wanted (and a REAL that
 * is whole to INTEGER); of a list, every element. On failure err says what would be legal: "lambda is -1, but
 * must be in (0,inf)". */
int pl_setting_check(const struct pl_setting *setting, struct pl_value *value, struct pl_error *err);

/* Is it the default of a late setting? Then the value should be silent, as checking and reading make it. */
bool pl_setting_is_silent(const struct pl_setting *setting, const struct pl_value *value);

/* Reads a scalar as a spec spells it (unquoted) into the type the descriptor wants, and checks it. A list is
 * read from the text of a JSON array. */
int pl_setting_read(const struct pl_setting *setting, const char *spelling, struct pl_value *value,
                    struct pl_error *err);

void pl_settings_set(struct pl_settings *s, const char *key, struct pl_value value); /* adds or replaces */
void pl_settings_set_real(struct pl_settings *s, const char *key, double value);
void pl_settings_set_integer(struct pl_settings *s, const char *key, int64_t value);
void pl_settings_set_boolean(struct pl_settings *s, const char *key, bool value);
void pl_settings_set_string(struct pl_settings *s, const char *key, const char *value);
void pl_settings_remove(struct pl_settings *s, const char *key);

const struct pl_value *pl_settings_find(const struct pl_settings *s, const char *key); /* or NULL */
/* The value of a setting that is there because defaults were filled in: for what a descriptor declares. A REAL accepts
 * a whole number and the string "inf"; an INTEGER accepts a REAL that is whole. */
double pl_settings_need_real(const struct pl_settings *s, const char *key);
int64_t pl_settings_need_integer(const struct pl_settings *s, const char *key);
bool pl_settings_need_boolean(const struct pl_settings *s, const char *key);
const char *pl_settings_need_string(const struct pl_settings *s, const char *key);
/* The same of a setting that may be missing, or of any text that somebody else wrote: then it is the fallback. */
double pl_settings_real(const struct pl_settings *s, const char *key, double fallback);
int64_t pl_settings_integer(const struct pl_settings *s, const char *key, int64_t fallback);
bool pl_settings_boolean(const struct pl_settings *s, const char *key, bool fallback);
const char *pl_settings_string(const struct pl_settings *s, const char *key, const char *fallback);

/* Adds every default of the table whose key is absent. Defaults are trusted (a test reads them all). */
void pl_settings_fill(struct pl_settings *s, const struct pl_setting *table, size_t count);
/* The first setting of the table that filling in would have added and that is not there, or is of another type; or
 * NULL. To be asked of settings from elsewhere (a database, an order) before they are needed. */
const struct pl_setting *pl_settings_lack(const struct pl_settings *s, const struct pl_setting *table, size_t count);

bool pl_value_equal(const struct pl_value *a, const struct pl_value *b); /* 1 and 1.0 are equal */
void pl_value_write(const struct pl_value *value, struct pl_text *out); /* as a table shows it: 0.1, inf, true, vgg11 */

/* Canonical text: one JSON object, keys sorted, silent values left out, shortest round-trip numbers, infinities as the
 * strings "inf" and "-inf", whole REALs spelled like INTEGERs. Equal settings give equal bytes. */
void pl_settings_write(const struct pl_settings *s, struct pl_text *out);
/* Reads canonical text (s is cleared first). Whole numbers come back as INTEGER. */
int pl_settings_read(struct pl_settings *s, const char *json, struct pl_error *err);

void pl_settings_copy(struct pl_settings *to, const struct pl_settings *from); /* replaces to */
void pl_settings_clear(struct pl_settings *s);
void pl_settings_release(struct pl_settings *s);

#endif
