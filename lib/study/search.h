/* What a study draws: search: {points: 64, method: sobol, seed: 1}. */
#ifndef PL_STUDY_SEARCH_H
#define PL_STUDY_SEARCH_H

#include "base/setting.h"
#include "study/words.h"

#include <stdbool.h>
#include <stdint.h>

/* What a setting is drawn from: how a number in [0, 1) becomes a value. ONE_MINUS_LOG has the ends of 1 - x. */
/* clang-format off */
#define PL_PRIOR_KINDS(FIRST, NEXT) \
    FIRST(UNIFORM, "uniform") NEXT(LOG, "log") NEXT(ONE_MINUS_LOG, "one_minus_log") NEXT(INTEGER, "integer") \
    NEXT(CHOICE, "choice")
/* clang-format on */
#define PL_PRIOR_KIND_OF(name, word) PL_PRIOR_##name,
enum pl_prior_kind { PL_PRIOR_KINDS(PL_PRIOR_KIND_OF, PL_PRIOR_KIND_OF) };
enum { PL_PRIOR_KIND_COUNT = 0 PL_PRIOR_KINDS(PL_WORD_ONE, PL_WORD_ONE) };
#undef PL_PRIOR_KIND_OF
extern const char *const pl_prior_kind_names[PL_PRIOR_KIND_COUNT];

struct pl_prior {
    enum pl_prior_kind kind;
    double low, high;
    struct pl_value *values; /* of a choice */
    size_t count;
    bool whole; /* the setting is a whole number */
};

/* A setting, and what it is drawn from with an optimizer ("": there is none). */
struct pl_drawn {
    const char *key, *optimizer;
    const struct pl_prior *prior;
};

/* How points are chosen from ranges. */
/* clang-format off */
#define PL_SEARCH_METHODS(FIRST, NEXT) \
    FIRST(RANDOM, "random") NEXT(SOBOL, "sobol") NEXT(HALTON, "halton") NEXT(NIEDERREITER, "niederreiter")
/* clang-format on */
#define PL_SEARCH_METHOD_OF(name, word) PL_SEARCH_##name,
enum pl_search_method { PL_SEARCH_METHODS(PL_SEARCH_METHOD_OF, PL_SEARCH_METHOD_OF) };
enum { PL_SEARCH_METHOD_COUNT = 0 PL_SEARCH_METHODS(PL_WORD_ONE, PL_WORD_ONE) };
#undef PL_SEARCH_METHOD_OF
#define PL_SEARCH_METHOD_WORDS PL_SEARCH_METHODS(PL_WORD_FIRST, PL_WORD_NEXT)
extern const char *const pl_search_method_names[PL_SEARCH_METHOD_COUNT];

struct pl_search {
    int64_t points; /* for each combination of the axes; 0: nothing is drawn */
    enum pl_search_method method;
    int64_t seed;
    const char *const *keys; /* of the settings that are drawn, sorted */
    size_t key_count;
    const struct pl_drawn *drawn; /* each once, in the order of the spec; a setting has several where cases differ */
    size_t drawn_count;
};

/* Are the points independent draws, as statistics of the best of n ask for? */
static inline bool pl_search_is_independent(const struct pl_search *search)
{
    return search->points && search->method == PL_SEARCH_RANDOM;
}

/* How a setting is drawn, where it is drawn in the same way (whatever the ends) by all of the study; else NULL. */
const struct pl_prior *pl_search_prior(const struct pl_search *search, const char *key);

#endif
