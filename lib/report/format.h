/* Formats: everything that poula writes tables, comparisons and rows of answers as. Words of options, help,
 * completion and dispatch come from the one list in meson.build (PL_FORMATS(X): X(NAME, KIND) of each). */
#ifndef PL_REPORT_FORMAT_H
#define PL_REPORT_FORMAT_H

#include "print/print.h"
#include "report/format_list.h"

struct pl_table;
struct pl_comparison;
struct pl_listing;

enum pl_format_kind {
    PL_FORMAT_PEOPLE, /* to be read: numbers are rounded */
    PL_FORMAT_FLAT,   /* records of full precision, one a line */
    PL_FORMAT_TREE,   /* records that hold others */
};

/* What stands before, between and behind several of a thing. */
struct pl_frame {
    const char *begin, *between, *end;
};

struct pl_format {
    const char *name;
    enum pl_format_kind kind;
    const struct pl_rows_type *rows;
    void (*table)(const struct pl_table *table, struct pl_text *out);
    void (*comparison)(const struct pl_comparison *comparison, struct pl_text *out);
    void (*listing)(const struct pl_listing *listing, struct pl_text *out);
    struct pl_frame tables, comparisons; /* listings are framed as comparisons */
};

/* pl_format_text, pl_format_csv, ... */
#define PL_FORMAT_DECLARE(name, kind) extern const struct pl_format pl_format_##name;
PL_FORMATS(PL_FORMAT_DECLARE)
#undef PL_FORMAT_DECLARE

extern const struct pl_registry pl_format_registry; /* of struct pl_format, in the order of the list */
const struct pl_format *pl_format_at(size_t index);
/* The format of that name, or NULL. */
const struct pl_format *pl_format_find(const char *name);

/* The names with spaces between them, as constant strings: of all, and of those of a kind or two. */
#define PL_FORMAT_WORD(name, kind) " " #name
#define PL_FORMAT_WORDS (&"" PL_FORMATS(PL_FORMAT_WORD)[1])
#define PL_FORMAT_RECORD_WORDS (&"" PL_FORMATS_FLAT(PL_FORMAT_WORD) PL_FORMATS_TREE(PL_FORMAT_WORD)[1])
/* The same behind "text": of commands that say something else to people than tables and rows. */
#define PL_FORMAT_TEXT_OR_RECORD_WORDS ("text" PL_FORMATS_FLAT(PL_FORMAT_WORD) PL_FORMATS_TREE(PL_FORMAT_WORD))
#define PL_FORMAT_TEXT_OR_TREE_WORDS ("text" PL_FORMATS_TREE(PL_FORMAT_WORD))

/* And behind jsonl, which is rows only: an object a line, as programs read them that want no whole document. */
#define PL_FORMAT_EXPORT_WORDS ("jsonl" PL_FORMATS_FLAT(PL_FORMAT_WORD) PL_FORMATS_TREE(PL_FORMAT_WORD))
extern const struct pl_rows_type pl_rows_jsonl;

/* For those who write a tree by hand, as JSON: a second kind of tree must not pass for it. */
#define PL_FORMAT_COUNT_ONE(name, kind) +1
_Static_assert(0 PL_FORMATS_TREE(PL_FORMAT_COUNT_ONE) == 1, "poula run and poula bench write trees as JSON");

#endif
