/* One full grid of a study: its fields (settings), the dimensions they vary along, and its variants, one for each
 * combination of what chooses a schema. */
#ifndef PL_SPEC_PART_H
#define PL_SPEC_PART_H

#include "spec/grid/pick.h"
#include "spec/read/content.h"
#include "spec/read/value.h"

enum { NONE = -1 };

/* One setting of a grid part. */
struct field {
    const char *key;
    const struct assignment *assignment;
    struct node **items; /* the values to take: one, or one for each position of its dimension; some of what a
                            scale brings along may be NULL: not given there. NULL: refused, its part has no variants */
    size_t count;
    bool axis; /* was given a list */
    bool choice;
    bool optional;          /* set by a scale: it acts where the variant has such a setting */
    const char *follows;    /* key of the setting with which it came: it varies with that one; or NULL */
    const char *brought_by; /* a scale brings it along with the values of that key; NULL: it stands in the spec */
    int dimension;          /* or NONE */
    bool drawn;             /* from a range */
    size_t coordinate;      /* of a drawn one: its place among the keys that are drawn */
    size_t rank;            /* for document order */
};

/* What varies at once: one field, or a zip of several. */
struct dimension {
    size_t count;
    bool choice;   /* one of its fields chooses the schema */
    size_t stride; /* of a choice dimension: variants between two positions */
    bool drawn;    /* its positions are the points of a search */
    bool competes; /* where runs are stopped early: those that differ along it compete, others do not */
};

/* A field in one variant. */
struct slot {
    const struct pl_setting *setting; /* NULL: free */
    size_t entry;                     /* in the settings */
    struct cell *cells; /* one for each position, or only one; NULL: the variant has no such setting, or no value */
    uint64_t (*hashes)[2];
    bool single;      /* there is one cell: the position follows from the variant, or nothing varies */
    bool computed;    /* some cell is an expression or a pick */
    double low, high; /* results between these were found legal already */
};

/* One combination of choices: the schema is known, so every value can be read. */
struct variant {
    bool good;
    struct pl_schema schema;
    struct pl_settings settings; /* complete for some point */
    struct slot *slots;          /* one for each field */
    size_t *order;               /* fields with expressions or picks, each behind those it needs */
    size_t order_count;
    uint64_t hash[2]; /* of the entries that no field sets */
};

/* One full grid: the study, or one of its cases. */
struct part {
    struct content *content;
    struct field *fields;
    size_t field_count;
    struct dimension *dimensions;
    size_t dimension_count;
    struct variant *variants;
    size_t variant_count;
    uint64_t points;
    uint64_t first;          /* number of its first point in the study */
    size_t first_variant;    /* variants of the parts before */
    const char **drawn_keys; /* sorted */
    size_t drawn_count;
    bool computed;   /* some value is an expression, or drawn */
    bool may_repeat; /* two of its points may have equal settings */
};

/* Looks what a field's assignment holds: one value or a list of them. */
void pl_field_read_items(struct reader *reader, struct field *field);
/* Its value at a position of its dimension; NULL: none is given there, or what is given was refused. */
struct node *pl_field_value(const struct field *field, size_t position);
/* Does its position choose the schema? */
bool pl_field_is_chosen(const struct part *part, const struct field *field);
/* Which of its items is the first, or only, one in a variant. */
size_t pl_field_item(const struct part *part, size_t variant, const struct field *field);
/* The field of a canonical key, or NULL. */
struct field *pl_part_field(const struct part *part, const char *key);
/* The descriptor that a key or alias has in a schema, or NULL; *section (unless NULL) is where it stands. */
const struct pl_setting *pl_schema_find(const struct pl_schema *schema, const char *name, enum pl_section *section);
/* The entry of a variant's settings that a key or alias names; SIZE_MAX: none. */
size_t pl_variant_entry(const struct variant *variant, const char *name);

#endif
