/* What every function needs that reads a file: where complaints and memory go, what settings there are, and how much
 * work a file may make. */
#ifndef PL_SPEC_READER_H
#define PL_SPEC_READER_H

#include "spec/read/complaint.h"
#include "train/train.h"

struct scale;
struct pick;

enum { MOST_WORK = 4000000 }; /* values that are read, with those that studies and cases share */

struct reader {
    struct complaints complaints;
    struct pl_pool *pool;
    const struct pl_schema_sources *sources;
    size_t work; /* values read so far */
    bool tired;  /* work has passed MOST_WORK and was complained about */
    /* Of lib/spec/grid, which alone looks into them: */
    size_t study;        /* that is read */
    struct scale *scale; /* the size that it is read in; NULL: as written */
    struct pick *picks;  /* of all studies, the last one first */
};

/* Zero-initialise. Prepares to read a file of that name. */
void pl_reader_init(struct reader *reader, const char *name, struct pl_pool *pool);
/* Counts work; returns false (after one complaint) when there was too much. */
bool pl_reader_works(struct reader *reader, const struct node *at, size_t amount);

/* A descriptor of a key or alias from any source, or NULL. */
const struct pl_setting *pl_reader_find(const struct reader *reader, const char *key);
/* Adds "; did you mean X?" or the legal words to a sentence. */
void pl_hint(struct pl_text *out, const char *word, const char *const *legal, size_t count);
/* Adds "; did you mean X?" when some setting of any section is spelled nearly so. */
void pl_reader_propose(const struct reader *reader, const char *spelling, struct pl_text *out);
/* The scalar text of a node; NULL (after a complaint that says what) when it is not one or is empty. */
const char *pl_node_text(struct reader *reader, const struct node *node, const char *what);

#endif
