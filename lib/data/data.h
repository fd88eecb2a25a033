/* data: what networks are trained on. images/images.h has sets of labelled images, text/corpus.h has texts as numbered
 * words; here stands what both have. They share no more: a set is opened by its own room, and who trains on it knows
 * which. Files are read once, checked against published checksums, and kept in a file that every process maps; what is
 * cut, altered or foreign is named with what was expected.
 *
 * Threading: whatever is open is read-only and may be used by many threads. */
#ifndef PL_DATA_H
#define PL_DATA_H

#include "base/base.h"

enum pl_split { PL_SPLIT_TRAIN, PL_SPLIT_VALID, PL_SPLIT_TEST, PL_SPLIT_COUNT };
const char *pl_split_name(enum pl_split split); /* "train", "valid", "test" */

/* What is there of a set, as far as can be told without reading it. */
enum pl_data_state {
    PL_DATA_BUILT_IN,
    PL_DATA_READY,     /* checked, and in a cache file */
    PL_DATA_UNCHECKED, /* files that were not read yet, or changed since */
    PL_DATA_MISSING,
    PL_DATA_BROKEN, /* an imported set whose file is cut or altered */
};
const char *pl_data_state_name(enum pl_data_state state);

#endif
