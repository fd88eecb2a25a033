/* What a file of published numbers says of them. */
#ifndef PL_SPEC_CLAIMS_H
#define PL_SPEC_CLAIMS_H

#include "spec/read/reader.h"
#include "study/published.h"

/* Reads a list of claims about the tables that are read already. */
void pl_claims_read(struct reader *reader, const struct node *list, struct pl_published *published);

/* Complains of every key that is not among legal. what: of which kind of mapping they are. */
void pl_published_check_keys(struct reader *reader, const struct node *map, const char *legal, const char *what);

#endif
