/* Registries: the descriptors of one kind (optimizers, problems, models, ...) by their names, and what is said about a
 * name that none of them has.
 *
 * A registry is a const table; nothing is added while the program runs. The sentence "there is no KIND "NAME"; did you
 * mean ...?" is made here and nowhere else. Threading: a registry is read-only, a list of names belongs to its owner.
 */
#ifndef PL_BASE_REGISTRY_H
#define PL_BASE_REGISTRY_H

#include "base/error.h"
#include "base/text.h"

#include <stddef.h>

/* A growing list of names, which stay somebody else's. Zero-initialise. */
struct pl_candidates {
    const char **names;
    size_t count, capacity;
};
void pl_candidates_add(struct pl_candidates *c, const char *name);
void pl_candidates_release(struct pl_candidates *c);
/* The name that word was perhaps meant to be; NULL: none is near enough. */
const char *pl_candidates_nearest(const struct pl_candidates *c, const char *word);
/* Adds "; did you mean NAME?", with prefix before the name ("--" of an option), where one is near. Returns whether. */
bool pl_candidates_hint(const struct pl_candidates *c, const char *word, const char *prefix, struct pl_text *out);
/* The same, and where none is near "; INTRO: A, B, ...", or nothing where there are no names at all. */
void pl_candidates_tell(const struct pl_candidates *c, const char *word, const char *intro, struct pl_text *out);
/* Fails with PL_EINPUT: there is no KIND "NAME", and what pl_candidates_tell adds. */
int pl_candidates_fail(const struct pl_candidates *c, const char *kind, const char *name, struct pl_error *err);

struct pl_registry {
    const char *kind;         /* what a sentence calls one of them: "optimizer" */
    const void *const *items; /* the descriptors, most in alphabetical order of their names */
    size_t count;
    size_t name_at; /* where in a descriptor its name is */
};
/* Of an array of pointers to type, whose member name is a string. */
#define PL_REGISTRY(kind, items, type, name)                                                                           \
    {                                                                                                                  \
        kind, items, sizeof(items) / sizeof *(items), offsetof(type, name)                                             \
    }

const char *pl_registry_name(const struct pl_registry *r, size_t index);
/* The descriptor of that name, or NULL. */
const void *pl_registry_find(const struct pl_registry *r, const char *name);
/* Adds all names, in their order. */
void pl_registry_names(const struct pl_registry *r, struct pl_candidates *c);
/* Fails with PL_EINPUT: there is no such one, and which was meant. */
int pl_registry_fail(const struct pl_registry *r, const char *name, struct pl_error *err);

#endif
