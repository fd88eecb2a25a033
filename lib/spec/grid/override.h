/* What a scale says of each setting, for the two files about scales. */
#ifndef PL_SPEC_OVERRIDE_H
#define PL_SPEC_OVERRIDE_H

#include "spec/grid/scale.h"

struct override {
    struct assignment assignment; /* value is a mapping: from old values to new ones */
    bool used;                    /* some run has the setting, or had a value that is replaced */
};

struct scale {
    const char *name;
    const struct node *at; /* where it is called for */
    struct override *own;  /* of the study; the shared ones belong to the file */
    size_t own_count;
    struct node *seeds, *cases; /* in the place of the study's; or NULL */
    struct scale_defaults *shared;
};

struct scale_defaults {
    const char *name;
    struct override *overrides;
    size_t count;
    struct node *seeds;
};

struct assignment pl_scale_assignment(const struct reader *reader, struct node *key, struct node *value);
/* The override of a key, or NULL; what the study says wins. */
struct override *pl_scale_override(const struct scale *scale, const char *key);
/* Does it replace value by value, and not all of them by one value or list? */
bool pl_scale_by_value(const struct override *override);
/* What a mapping says of an old value: a new one, or a mapping of the settings that go with it; or NULL. */
struct node *pl_scale_new_value(const struct node *map, const struct node *old);
/* The value that new settings give to a key (any spelling of it), or NULL. */
struct node *pl_scale_value_in(const struct reader *reader, const struct node *settings, const char *key);

#endif
