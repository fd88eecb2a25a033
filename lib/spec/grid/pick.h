/* Picks: settings that are taken from what another study's table chooses, lambda: {from: search, best: 1}. */
#ifndef PL_SPEC_PICK_H
#define PL_SPEC_PICK_H

#include "spec/read/value.h"
#include "study/study.h"

struct pick {
    struct pl_pick pick; /* study and table are known once all studies are read */
    size_t owner;        /* the study whose setting it is */
    const struct node *at, *from, *best;
    const char *source; /* the study's name, in the scale at hand */
    const struct node *title_at;
    const char *title; /* of the table, or NULL */
    bool linked;       /* its table was found */
    struct pick *next;
};

bool pl_is_pick(const struct node *node);
/* Reads {from: STUDY, best: N, table: TITLE}; setting NULL: a free one. Returns false after a complaint. */
bool pl_pick_read(struct reader *reader, const char *key, const struct pl_setting *setting, const struct node *node,
                  struct cell *cell);

#endif
