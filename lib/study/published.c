#include "study/published.h"

#include <stdlib.h>
#include <string.h>

void pl_published_free(struct pl_published *published)
{
    if (!published)
        return;
    pl_pool_release(&published->pool);
    free(published);
}

const struct pl_published_table *pl_published_find(const struct pl_published *published, const char *name)
{
    for (size_t i = 0; i < published->count; i++)
        if (!strcmp(published->tables[i].name, name))
            return &published->tables[i];
    return NULL;
}
