/* From the bytes of a YAML file to nodes: the only place that knows libyaml. */
#ifndef PL_SPEC_PARSE_H
#define PL_SPEC_PARSE_H

#include "spec/read/complaint.h"

enum { LARGEST_FILE = 8 << 20 }; /* bytes of a spec */

/* Reads every document of the text. Problems (syntax, encoding, duplicate keys) go to complaints; the
 * nodes live in the pool. */
void pl_nodes_read(const char *text, size_t length, struct pl_pool *pool, struct complaints *complaints,
                   struct node ***documents, size_t *count);

#endif
