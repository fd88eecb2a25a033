/* What a study draws: search: {points: 64, method: sobol, seed: 1}. */
#ifndef PL_STUDY_SEARCH_H
#define PL_STUDY_SEARCH_H

#include "study/words.h"

#include <stdbool.h>
#include <stdint.h>

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
};

/* Are the points independent draws, as statistics of the best of n ask for? */
static inline bool pl_search_is_independent(const struct pl_search *search)
{
    return search->points && search->method == PL_SEARCH_RANDOM;
}

#endif
