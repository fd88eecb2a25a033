#include "base/registry.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TOLD = 40 }; /* names in a sentence */

void pl_candidates_add(struct pl_candidates *c, const char *name)
{
    void *names = c->names;
    pl_grow(&names, &c->capacity, c->count + 1, sizeof *c->names);
    c->names = names;
    c->names[c->count++] = name;
}

void pl_candidates_release(struct pl_candidates *c)
{
    free(c->names);
    *c = (struct pl_candidates){0};
}

const char *pl_candidates_nearest(const struct pl_candidates *c, const char *word)
{
    return pl_nearest(word, c->names, c->count);
}

bool pl_candidates_hint(const struct pl_candidates *c, const char *word, const char *prefix, struct pl_text *out)
{
    const char *nearest = pl_candidates_nearest(c, word);
    if (nearest)
        pl_text_addf(out, "; did you mean %s%s?", prefix, nearest);
    return nearest;
}

void pl_candidates_tell(const struct pl_candidates *c, const char *word, const char *intro, struct pl_text *out)
{
    if (!c->count || pl_candidates_hint(c, word, "", out))
        return;
    pl_text_addf(out, "; %s: ", intro);
    for (size_t i = 0; i < c->count && i < MOST_TOLD; i++)
        pl_text_addf(out, "%s%s", i ? ", " : "", c->names[i]);
    if (c->count > MOST_TOLD)
        pl_text_add(out, ", ...");
}

int pl_candidates_fail(const struct pl_candidates *c, const char *kind, const char *name, struct pl_error *err)
{
    struct pl_text text = {0};
    pl_candidates_tell(c, name, "there are", &text);
    int status = pl_fail(err, PL_EINPUT, "there is no %s \"%.100s\"%s", kind, name, pl_text(&text));
    pl_text_release(&text);
    return status;
}

const char *pl_registry_name(const struct pl_registry *r, size_t index)
{
    const char *name;
    memcpy(&name, (const char *)r->items[index] + r->name_at, sizeof name);
    return name;
}

const void *pl_registry_find(const struct pl_registry *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(pl_registry_name(r, i), name))
            return r->items[i];
    return NULL;
}

void pl_registry_names(const struct pl_registry *r, struct pl_candidates *c)
{
    for (size_t i = 0; i < r->count; i++)
        pl_candidates_add(c, pl_registry_name(r, i));
}

int pl_registry_fail(const struct pl_registry *r, const char *name, struct pl_error *err)
{
    struct pl_candidates all = {0};
    pl_registry_names(r, &all);
    int status = pl_candidates_fail(&all, r->kind, name, err);
    pl_candidates_release(&all);
    return status;
}
