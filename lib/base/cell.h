/* A value as a database or a table holds it, for those who print whatever comes. */
#ifndef PL_BASE_CELL_H
#define PL_BASE_CELL_H

#include <stddef.h>
#include <stdint.h>

struct pl_cell {
    enum { PL_CELL_NULL, PL_CELL_INTEGER, PL_CELL_REAL, PL_CELL_TEXT, PL_CELL_BLOB } kind;
    int64_t integer;
    double real;
    const char *text; /* as SQLite spells it; blobs as hex; "" of NULL */
    size_t length;
    const char *tex; /* the same in LaTeX's math mode; NULL: it is no formula */
};

#endif
