/* Complaints: collected in any order, written by position. */
#ifndef PL_SPEC_COMPLAINT_H
#define PL_SPEC_COMPLAINT_H

#include "spec/read/node.h"

struct complaints {
    const char *file;
    struct complaint {
        unsigned line, column;
        size_t order;
        char *text;
    } * list;
    size_t count, capacity;
    size_t more; /* that were not kept */
};

/* Adds a complaint at a node (NULL: at the start of the file). */
void pl_complain(struct complaints *all, const struct node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void pl_complain_at(struct complaints *all, unsigned line, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a complaint at a character of a scalar, counted from 0, where the file has it. */
void pl_complain_inside(struct complaints *all, const struct node *scalar, size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
size_t pl_complaint_count(const struct complaints *all);
/* Writes them by position, so many that a person would read them, and releases them. */
void pl_complaints_write(struct complaints *all, struct pl_text *out);
void pl_complaints_release(struct complaints *all);

#endif
