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

const struct pl_published_cell *pl_published_cell_of(const struct pl_published_line *line, const char *name)
{
    const struct pl_published_table *table = line->table;
    size_t count = line->is_column ? table->row_count : table->column_count;
    char *const *names = line->is_column ? table->rows : table->columns;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return &table->cells[line->is_column ? i * table->column_count + line->index
                                                 : line->index * table->column_count + i];
    return NULL;
}

const char *pl_published_line_name(const struct pl_published_line *line)
{
    return line->is_column ? line->table->columns[line->index] : line->table->rows[line->index];
}
