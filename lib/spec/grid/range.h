/* Ranges: settings that are drawn, lambda: {log: [1e-5, 1]}. A study that has any says how many points are drawn and
 * how (search: {points: 64, method: sobol, seed: 1}); they are one more dimension of its grid, the last.
 *
 * Point k depends on the method, the seed, k and the keys of the drawn settings of its case, and on nothing else: more
 * points are new ones behind the others. */
#ifndef PL_SPEC_RANGE_H
#define PL_SPEC_RANGE_H

#include "spec/grid/part.h"
#include "study/search.h"

bool pl_is_range(const struct node *node);
/* Reads {log: [LOW, HIGH]} and the like; setting NULL: a free one. Returns false after a complaint. */
bool pl_range_read(struct reader *reader, const char *key, const struct pl_setting *setting, const struct node *node,
                   struct cell *cell);
/* Can two points have the same value? */
bool pl_range_repeats(const struct pl_prior *range);
struct pl_value pl_range_value(const struct pl_prior *range, double u);

/* search of a study, or of defaults; no points where there is none. */
void pl_search_read(struct reader *reader, const struct content *defaults, const struct content *content,
                    struct pl_search *search);
/* Gives the drawn fields of a part their dimension, and each its coordinate; complains where there are none to a search
 * or no search to them. */
void pl_part_draw(struct reader *reader, struct part *part, const struct pl_search *search, const struct node *at);

/* What is drawn in any of the cases, and from what, once they are read: fills keys and drawn. */
void pl_search_drawn(struct reader *reader, const struct part *parts, size_t count, struct pl_search *search);

/* Points one after another, or anywhere. */
struct draws;
struct draws *pl_draws_new(const struct pl_search *search, const struct part *part);
/* The coordinate of a field at point k (from 0), in [0, 1). */
double pl_draws_at(struct draws *draws, const struct field *field, uint64_t k);
void pl_draws_free(struct draws *draws);

#endif
