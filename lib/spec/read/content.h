/* What a mapping of the file says: a study, one of its cases, or the defaults of the file. */
#ifndef PL_SPEC_CONTENT_H
#define PL_SPEC_CONTENT_H

#include "spec/read/reader.h"

/* One key of a section with what it was given. */
struct assignment {
    enum pl_section section;
    const char *spelling;             /* as written ("name" of an optimizer is "optimizer") */
    const char *key;                  /* canonical, as far as any descriptor knows it */
    const struct pl_setting *setting; /* some descriptor of that key, or NULL */
    struct node *key_node, *value;
    bool parameter; /* stands under parameters of an optimizer */
};

struct content {
    struct node *map;
    struct assignment *assignments;
    size_t count;
    struct reading_nodes {
        struct node *pattern, *metrics_file, *error_too, *stall;
    } reading;
    struct node *name, *description, *seeds, *timeout, *epochs, *zip, *exclude, *cases;
    struct node *metrics, *target, *tables, *figures, *scale, *resources, *search, *stop;
};

enum content_kind { CONTENT_STUDY, CONTENT_CASE, CONTENT_DEFAULTS };
/* Reads a mapping; a key that such a mapping cannot have is complained about. */
void pl_content_read(struct reader *reader, struct node *map, enum content_kind kind, struct content *content);

#endif
