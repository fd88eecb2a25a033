/* Files of other programs that sweep. */
#ifndef PL_SPEC_FOREIGN_H
#define PL_SPEC_FOREIGN_H

#include "spec/read/reader.h"

/* Is the document a file of another program that sweeps? Then that is complained about. */
bool pl_is_foreign(struct reader *reader, const struct node *document);

#endif
