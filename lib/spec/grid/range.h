/* Ranges: settings that are drawn, lambda: {log: [1e-5, 1]}. A study that has any says how many points are drawn and
 * how (search: {points: 64, method: sobol, seed: 1}); they are one more dimension of its grid, the last.
 *
 * Point k depends on the method, the seed, k and the keys of the drawn settings of its case, and on nothing else: more
 * points are new ones behind the others. */
#ifndef PL_SPEC_RANGE_H
#define PL_SPEC_RANGE_H

#include "spec/grid/part.h"
#include "study/search.h"

/* How a number in [0, 1) becomes a value. */
enum range_kind { RANGE_UNIFORM, RANGE_LOG, RANGE_ONE_MINUS_LOG, RANGE_INTEGER, RANGE_CHOICE, RANGE_KIND_COUNT };

struct range {
    enum range_kind kind;
    double low, high;
    struct pl_value *values; /* of a choice */
    size_t count;
    bool whole; /* the setting is a whole number */
};

bool pl_is_range(const struct node *node);
/* Reads {log: [LOW, HIGH]} and the like; setting NULL: a free one. Returns false after a complaint. */
bool pl_range_read(struct reader *reader, const char *key, const struct pl_setting *setting, const struct node *node,
                   struct cell *cell);
/* Can two points have the same value? */
bool pl_range_repeats(const struct range *range);
struct pl_value pl_range_value(const struct range *range, double u);

/* search of a study, or of defaults; no points where there is none. */
void pl_search_read(struct reader *reader, const struct content *defaults, const struct content *content,
                    struct pl_search *search);
/* Gives the drawn fields of a part their dimension, and each its coordinate; complains where there are none to a search
 * or no search to them. */
void pl_part_draw(struct reader *reader, struct part *part, const struct pl_search *search, const struct node *at);

/* Points one after another, or anywhere. */
struct draws;
struct draws *pl_draws_new(const struct pl_search *search, const struct part *part);
/* The coordinate of a field at point k (from 0), in [0, 1). */
double pl_draws_at(struct draws *draws, const struct field *field, uint64_t k);
void pl_draws_free(struct draws *draws);

#endif
