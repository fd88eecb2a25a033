/* The list of formats, and tables and comparisons in one of them. */
#include "report/format.h"
#include "report/report.h"

#include <string.h>

#define PL_FORMAT_ADDRESS(name, kind) &pl_format_##name,
const struct pl_format *const pl_formats[] = {PL_FORMATS (PL_FORMAT_ADDRESS)};
const size_t pl_format_count = sizeof pl_formats / sizeof *pl_formats;

const struct pl_format *pl_format_find(const char *name)
{
    for (size_t i = 0; i < pl_format_count; i++)
        if (!strcmp(pl_formats[i]->name, name))
            return pl_formats[i];
    return NULL;
}

void pl_table_write(struct pl_table *const *tables, size_t count, const struct pl_format *format, struct pl_text *out)
{
    pl_text_add(out, format->tables.begin);
    for (size_t i = 0; i < count; i++) {
        pl_text_add(out, i ? format->tables.between : "");
        format->table(tables[i], out);
    }
    pl_text_add(out, format->tables.end);
}

void pl_comparison_write(struct pl_comparison *const *comparisons, size_t count, const struct pl_format *format,
                         struct pl_text *out)
{
    pl_text_add(out, format->comparisons.begin);
    for (size_t i = 0; i < count; i++) {
        pl_text_add(out, i ? format->comparisons.between : "");
        format->comparison(comparisons[i], out);
    }
    pl_text_add(out, format->comparisons.end);
}
